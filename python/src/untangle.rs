//! Resolving intersections.

use std::ops::ControlFlow;
use std::sync::atomic::Ordering;

use cloth_solver::cloth_geom::TriMesh;
use cloth_solver::{UntangleOptions, untangle as untangle_mesh};
use nalgebra::Point3;
use numpy::PyReadonlyArray2;
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::arrays::{array, rows};
use crate::{errors, pool};

fn mesh(x: &PyReadonlyArray2<'_, f64>, faces: &PyReadonlyArray2<'_, u32>) -> PyResult<TriMesh> {
    Ok(TriMesh::new(points(x)?, rows(faces)?.to_vec()))
}

fn points(x: &PyReadonlyArray2<'_, f64>) -> PyResult<Vec<Point3<f64>>> {
    Ok(rows(x)?.iter().map(|&p| p.into()).collect())
}

/// Works positions free of intersections; everything that is known of the result, by name.
#[pyfunction]
#[allow(clippy::too_many_arguments, reason = "called by keyword from the Python half alone")]
pub(crate) fn untangle<'py>(
    py: Python<'py>,
    x: PyReadonlyArray2<'py, f64>,
    rest: PyReadonlyArray2<'py, f64>,
    faces: PyReadonlyArray2<'py, u32>,
    bodies: Vec<(PyReadonlyArray2<'py, f64>, PyReadonlyArray2<'py, u32>)>,
    seconds: f32,
    thickness: Option<f64>,
    gate: bool,
    on_step: Option<Py<PyAny>>,
) -> PyResult<Bound<'py, PyDict>> {
    let (rest, x) = (mesh(&rest, &faces)?, points(&x)?);
    let bodies = bodies.iter().map(|(x, faces)| mesh(x, faces)).collect::<PyResult<Vec<_>>>()?;
    let (found, raised) = pool::run_interruptible(py, move |stop| {
        let mut raised = None;
        let mut ask = |step: cloth_solver::UntangleStep| {
            // None without a function, or if the interpreter ends.
            let answer = on_step.as_ref().and_then(|on_step| {
                let call = |py: Python<'_>| {
                    on_step.call1(py, (step.step, step.intersections, step.fewest))?.is_truthy(py)
                };
                Python::try_attach(call)
            });
            let ends = answer.unwrap_or(Ok(false)).unwrap_or_else(|error| {
                raised = Some(error);
                true
            });
            if ends || stop.load(Ordering::Relaxed) {
                ControlFlow::Break(())
            } else {
                ControlFlow::Continue(())
            }
        };
        let options = UntangleOptions {
            seconds,
            bodies: &bodies,
            thickness,
            gate,
            seams: None,
            on_step: Some(&mut ask),
        };
        let found = untangle_mesh(&rest, &x, options);
        (found, raised)
    })?;
    if let Some(error) = raised {
        return Err(error);
    }
    let found = found.map_err(|error| errors::raise(py, "InputError", error))?;
    let positions: Vec<[f64; 3]> = found.positions.iter().map(|p| p.coords.into()).collect();
    let contours = found.contours.iter().map(|contour| {
        let center: [f64; 3] = contour.center.coords.into();
        (contour.intersections, contour.length, center, contour.with_body)
    });
    let said = PyDict::new(py);
    said.set_item("positions", array(py, &positions)?)?;
    said.set_item("before", found.before)?;
    said.set_item("after", found.after)?;
    said.set_item("steps", found.steps)?;
    said.set_item("best_step", found.best_step)?;
    said.set_item("contours", contours.collect::<Vec<_>>())?;
    Ok(said)
}
