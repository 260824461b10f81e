//! Resolving intersections.

use std::ops::ControlFlow;
use std::sync::atomic::Ordering;
use std::sync::{Arc, Mutex, PoisonError};

use cloth_solver::cloth_geom::TriMesh;
use cloth_solver::{ByParts, UntangleGarment, UntangleOptions, UntangleStep, Untangled, untangle_outfit};
use nalgebra::Point3;
use numpy::PyReadonlyArray2;
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::arrays::{array, rows};
use crate::{errors, pool};

type Positions<'py> = PyReadonlyArray2<'py, f64>;
type Faces<'py> = PyReadonlyArray2<'py, u32>;

fn mesh(x: &Positions<'_>, faces: &Faces<'_>) -> PyResult<TriMesh> {
    Ok(TriMesh::new(points(x)?, rows(faces)?.to_vec()))
}

fn points(x: &Positions<'_>) -> PyResult<Vec<Point3<f64>>> {
    Ok(rows(x)?.iter().map(|&p| p.into()).collect())
}

/// Works garments (positions, rest positions, faces, layer) free of intersections; everything that is known of
/// the result, by name. An exception that ends the work has that of the best state so far as `untangled`.
#[pyfunction]
#[allow(clippy::too_many_arguments, reason = "called by keyword from the Python half alone")]
pub(crate) fn untangle<'py>(
    py: Python<'py>,
    garments: Vec<(Positions<'py>, Positions<'py>, Faces<'py>, Option<u16>)>,
    bodies: Vec<(Positions<'py>, Faces<'py>)>,
    seconds: f32,
    thickness: Option<f64>,
    gate: bool,
    on_step: Option<Py<PyAny>>,
) -> PyResult<Bound<'py, PyDict>> {
    let garments =
        garments.iter().map(|(x, rest, faces, layer)| Ok((mesh(rest, faces)?, points(x)?, *layer)));
    let garments: Vec<(TriMesh, Vec<_>, _)> = garments.collect::<PyResult<_>>()?;
    let counts: Vec<usize> = garments.iter().map(|(_, x, _)| x.len()).collect();
    let bodies = bodies.iter().map(|(x, faces)| mesh(x, faces)).collect::<PyResult<Vec<_>>>()?;
    let slot = Arc::new(Mutex::new(None));
    let best = Arc::clone(&slot);
    let ended = pool::run_interruptible(py, move |stop| {
        let mut raised = None;
        let mut ask = |step: UntangleStep<'_>| {
            if step.step == 0 || step.best.best_step == Some(step.step) {
                *slot.lock().unwrap_or_else(PoisonError::into_inner) = Some(step.best.clone());
            }
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
        let garments = garments.iter().map(|(mesh, x, layer)| UntangleGarment { mesh, x, layer: *layer });
        let garments: Vec<_> = garments.collect();
        let options = UntangleOptions {
            seconds,
            bodies: &bodies,
            thickness,
            gate,
            seams: None,
            on_step: Some(&mut ask),
        };
        let found = untangle_outfit(&garments, options);
        (found, raised)
    });
    let raised = match ended {
        Ok((found, None)) => {
            return said(py, &found.map_err(|error| errors::raise(py, "InputError", error))?, &counts);
        }
        Ok((_, Some(raised))) | Err(raised) => raised,
    };
    if let Some(best) = best.lock().unwrap_or_else(PoisonError::into_inner).take() {
        // An exception without attributes does without.
        let _ = raised.value(py).setattr("untangled", said(py, &best, &counts)?);
    }
    Err(raised)
}

/// A result by name; `counts` are the vertices of the garments.
fn said<'py>(py: Python<'py>, found: &Untangled, counts: &[usize]) -> PyResult<Bound<'py, PyDict>> {
    let mut rest = found.positions.as_slice();
    let positions = counts.iter().map(|&count| {
        let (own, others) = rest.split_at(count);
        rest = others;
        array(py, &own.iter().map(|p| p.coords.into()).collect::<Vec<[f64; 3]>>())
    });
    let contours = found.contours.iter().map(|contour| {
        let center: [f64; 3] = contour.center.coords.into();
        (contour.intersections, contour.length, center, contour.with_body)
    });
    // Of bodies, none are counted.
    let by_kind = |n: ByParts<usize>| [n.cloth_with_itself, n.cloth_with_cloth, n.cloth_with_body, 0, 0];
    let said = PyDict::new(py);
    said.set_item("positions", positions.collect::<PyResult<Vec<_>>>()?)?;
    said.set_item("before", found.before)?;
    said.set_item("after", found.after)?;
    said.set_item("before_by_kind", by_kind(found.before_by_parts))?;
    said.set_item("after_by_kind", by_kind(found.after_by_parts))?;
    said.set_item("steps", found.steps)?;
    said.set_item("best_step", found.best_step)?;
    said.set_item("thickness", found.thickness())?;
    said.set_item("attempts", found.attempts.iter().map(|a| (a.thickness, a.steps)).collect::<Vec<_>>())?;
    let strain = [found.before_strain, found.after_strain].map(|strain| (strain.p99, strain.max));
    said.set_item("before_strain", strain[0])?;
    said.set_item("after_strain", strain[1])?;
    let sides = found.layer_sides.iter().map(|s| (s.inner, s.outer, s.right, s.wrong, s.is_reversed()));
    said.set_item("layer_sides", sides.collect::<Vec<_>>())?;
    said.set_item("contours", contours.collect::<Vec<_>>())?;
    Ok(said)
}
