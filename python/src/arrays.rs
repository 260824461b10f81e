//! Arrays of numpy as slices. The Python half has made them contiguous and of these types.

use cloth_certify::Coordinate;
use nalgebra::Point3;
use numpy::{Element, PyArray2, PyArrayMethods, PyReadonlyArray2, PyUntypedArrayMethods};
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;

/// Positions (m) of shape (n, 3).
#[derive(FromPyObject)]
pub(crate) enum Positions<'py> {
    /// Of float32.
    F32(PyReadonlyArray2<'py, f32>),
    /// Of float64.
    F64(PyReadonlyArray2<'py, f64>),
}

/// Works on copies of positions of one type, whichever it is: other threads may write to the arrays while the
/// interpreter is released.
macro_rules! with_copies {
    ($($x:ident),+ => $work:expr) => {{
        use $crate::arrays::{Positions, mixed, rows};
        match ($($x,)+) {
            ($(Positions::F32($x),)+) => {
                $(let $x = rows::<_, 3>(&$x)?.to_vec();)+
                $work
            }
            ($(Positions::F64($x),)+) => {
                $(let $x = rows::<_, 3>(&$x)?.to_vec();)+
                $work
            }
            #[allow(unreachable_patterns, reason = "one array is of one type")]
            _ => return Err(mixed()),
        }
    }};
}

pub(crate) use with_copies;

/// The Python half has seen to it that all arrays of a call have one type.
pub(crate) fn mixed() -> PyErr {
    PyTypeError::new_err("positions at the two ends are of different types")
}

/// The rows of an array of shape (n, N).
pub(crate) fn rows<'a, T: Element, const N: usize>(
    array: &'a PyReadonlyArray2<'_, T>,
) -> PyResult<&'a [[T; N]]> {
    if array.shape()[1] != N {
        return Err(PyValueError::new_err(format!(
            "an array has {} columns instead of {N}",
            array.shape()[1]
        )));
    }
    // Not contiguous: the Python half sees to that.
    let numbers = array.as_slice().map_err(|error| PyValueError::new_err(error.to_string()))?;
    Ok(numbers.as_chunks().0)
}

/// Places (m) of an array of shape (n, 3).
pub(crate) fn points(array: &PyReadonlyArray2<'_, f32>) -> PyResult<Vec<Point3<f32>>> {
    Ok(rows(array)?.iter().map(|&p| p.into()).collect())
}

/// A new array of shape (n, N).
pub(crate) fn array<'py, T: Element, const N: usize>(
    py: Python<'py>,
    rows: &[[T; N]],
) -> PyResult<Bound<'py, PyArray2<T>>> {
    let numbers = rows.as_flattened().iter().map(|x| x.clone_ref(py));
    numpy::PyArray1::from_iter(py, numbers).reshape([rows.len(), N])
}

/// A kind of positions that numpy and the crates both have.
pub(crate) trait Number: Coordinate + Element {}

impl Number for f32 {}
impl Number for f64 {}
