//! Whether a state or a motion is clean.
//!
//! Positions are copied before the interpreter is released: other threads may write to the arrays then.

use cloth_certify::{CollisionMesh, MaxStep, Search, StepLimit};
use numpy::PyArray1;
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;

use crate::arrays::{Number, Positions, array, rows};
use crate::mesh::Mesh;
use crate::{errors, pool, records};

type Bytes<'py> = Bound<'py, PyArray1<u8>>;

/// Both arrays have one type, which the Python half has seen to.
pub(crate) fn mixed() -> PyErr {
    PyTypeError::new_err("positions at the two ends are of different types")
}

/// Records of everything that intersects in a state.
#[pyfunction]
pub(crate) fn check_state<'py>(py: Python<'py>, mesh: &Mesh, x: Positions<'py>) -> PyResult<Bytes<'py>> {
    fn check<'py, T: Number>(py: Python<'py>, mesh: &CollisionMesh, x: &[[T; 3]]) -> PyResult<Bytes<'py>> {
        let x = x.to_vec();
        let report = pool::run(py, || mesh.check_state(&x))?.map_err(|error| errors::input(py, &error))?;
        Ok(records::of_state(py, report.witnesses()))
    }
    match x {
        Positions::F32(x) => check(py, &mesh.mesh, rows(&x)?),
        Positions::F64(x) => check(py, &mesh.mesh, rows(&x)?),
    }
}

/// Records of the collisions in a motion: "all", the "earliest" or the "first" that is found.
#[pyfunction]
pub(crate) fn check_motion<'py>(
    py: Python<'py>,
    mesh: &Mesh,
    x0: Positions<'py>,
    x1: Positions<'py>,
    search: &str,
) -> PyResult<Bytes<'py>> {
    let search = match search {
        "first" => Search::First,
        "earliest" => Search::Earliest,
        _ => Search::All,
    };
    fn check<'py, T: Number>(
        py: Python<'py>,
        mesh: &CollisionMesh,
        [x0, x1]: [&[[T; 3]]; 2],
        search: Search,
    ) -> PyResult<Bytes<'py>> {
        let (x0, x1) = (x0.to_vec(), x1.to_vec());
        let report = pool::run(py, || mesh.check_motion(&x0, &x1, search))?;
        let report = report.map_err(|error| errors::input(py, &error))?;
        Ok(records::of_motion(py, report.witnesses()))
    }
    match (x0, x1) {
        (Positions::F32(x0), Positions::F32(x1)) => check(py, &mesh.mesh, [rows(&x0)?, rows(&x1)?], search),
        (Positions::F64(x0), Positions::F64(x1)) => check(py, &mesh.mesh, [rows(&x0)?, rows(&x1)?], search),
        _ => Err(mixed()),
    }
}

/// The largest step, what limits it by name, records of that, and the end that is certified.
#[pyfunction]
#[allow(clippy::type_complexity, reason = "a tuple for the Python half")]
pub(crate) fn max_step<'py>(
    py: Python<'py>,
    mesh: &Mesh,
    x0: Positions<'py>,
    x1: Positions<'py>,
    min_distance: f64,
) -> PyResult<(f64, &'static str, Option<Bytes<'py>>, Option<[i32; 3]>, Bound<'py, PyAny>)> {
    fn find<'py, T: Number>(
        py: Python<'py>,
        mesh: &CollisionMesh,
        [x0, x1]: [&[[T; 3]]; 2],
        min_distance: f64,
    ) -> PyResult<(MaxStep, Bound<'py, PyAny>)> {
        let (x0, x1) = (x0.to_vec(), x1.to_vec());
        let step = pool::run(py, || mesh.max_step(&x0, &x1, min_distance))?;
        let step = step.map_err(|error| errors::input(py, &error))?;
        let mut end = x1.clone();
        step.advance(&x0, &x1, &mut end).map_err(|error| errors::input(py, &error))?;
        Ok((step, array(py, &end)?.into_any()))
    }
    let (step, end) = match (x0, x1) {
        (Positions::F32(x0), Positions::F32(x1)) => {
            find(py, &mesh.mesh, [rows(&x0)?, rows(&x1)?], min_distance)
        }
        (Positions::F64(x0), Positions::F64(x1)) => {
            find(py, &mesh.mesh, [rows(&x0)?, rows(&x1)?], min_distance)
        }
        _ => Err(mixed()),
    }?;
    let (limit, records, pair) = match step.limit {
        StepLimit::None => ("none", None, None),
        StepLimit::Collision(witness) => ("collision", Some(records::of_motion(py, &[witness])), None),
        StepLimit::Tangled(report) => ("tangled", Some(records::of_state(py, report.witnesses())), None),
        StepLimit::TooNear(pair) => ("too_near", None, Some(records::pair_ids(pair))),
    };
    Ok((step.step, limit, records, pair, end))
}

/// How far each vertex may move in any direction.
#[pyfunction]
pub(crate) fn safe_distances<'py>(
    py: Python<'py>,
    mesh: &Mesh,
    x: Positions<'py>,
) -> PyResult<Bound<'py, PyAny>> {
    fn find<'py, T: Number>(
        py: Python<'py>,
        mesh: &CollisionMesh,
        x: &[[T; 3]],
    ) -> PyResult<Bound<'py, PyAny>> {
        let x = x.to_vec();
        let distances = pool::run(py, || mesh.safe_distances(&x))?;
        Ok(PyArray1::from_vec(py, distances.map_err(|error| errors::input(py, &error))?).into_any())
    }
    match x {
        Positions::F32(x) => find(py, &mesh.mesh, rows(&x)?),
        Positions::F64(x) => find(py, &mesh.mesh, rows(&x)?),
    }
}
