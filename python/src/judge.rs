//! Whether a state or a motion is clean.

use cloth_certify::{Search, StepLimit};
use numpy::PyArray1;
use pyo3::prelude::*;

use crate::arrays::{Positions, array, with_copies};
use crate::mesh::Mesh;
use crate::{errors, pool, records};

type Bytes<'py> = Bound<'py, PyArray1<u8>>;

/// Records of everything that intersects in a state.
#[pyfunction]
pub(crate) fn check_state<'py>(py: Python<'py>, mesh: &Mesh, x: Positions<'py>) -> PyResult<Bytes<'py>> {
    let report = with_copies!(x => pool::run(py, || mesh.mesh.check_state(&x))?);
    Ok(records::of_state(py, report.map_err(|error| errors::input(py, &error))?.witnesses()))
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
    let report = with_copies!(x0, x1 => pool::run(py, || mesh.mesh.check_motion(&x0, &x1, search))?);
    Ok(records::of_motion(py, report.map_err(|error| errors::input(py, &error))?.witnesses()))
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
    let (step, end) = with_copies!(x0, x1 => {
        let step = pool::run(py, || mesh.mesh.max_step(&x0, &x1, min_distance))?;
        let step = step.map_err(|error| errors::input(py, &error))?;
        let mut end = x1.clone();
        step.advance(&x0, &x1, &mut end).map_err(|error| errors::input(py, &error))?;
        (step, array(py, &end)?.into_any())
    });
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
    Ok(with_copies!(x => {
        let distances = pool::run(py, || mesh.mesh.safe_distances(&x))?;
        PyArray1::from_vec(py, distances.map_err(|error| errors::input(py, &error))?).into_any()
    }))
}
