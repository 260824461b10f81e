//! Frames, and the motions between them.

use std::sync::atomic::{AtomicBool, Ordering};

use cloth_certify::{CollisionMesh, InputError, Search};
use pyo3::prelude::*;
use rayon::prelude::*;

use crate::arrays::{Number, Positions, rows};
use crate::judge::mixed;
use crate::mesh::Mesh;
use crate::{errors, pool};

/// Of a frame: its intersections; of the motion to it: the collisions, the time of the earliest, and the
/// longest way (m) of a vertex.
type Row = (usize, usize, f64, f64);

/// Judges frames and the motions to each of them from the one before. The first, of this number, is only the
/// start of the motion to the next.
#[pyfunction]
pub(crate) fn audit_motions(
    py: Python<'_>,
    mesh: &Mesh,
    frames: Vec<Positions<'_>>,
    first: usize,
) -> PyResult<Vec<Row>> {
    fn check<T: Number>(
        py: Python<'_>,
        mesh: &CollisionMesh,
        frames: Vec<Vec<[T; 3]>>,
        first: usize,
    ) -> PyResult<Vec<Row>> {
        let mesh = mesh.clone();
        let rows = pool::run_interruptible(py, move |stop| {
            let motions = frames.par_windows(2).enumerate();
            let rows =
                motions.map(|(i, ends)| row(&mesh, [&ends[0], &ends[1]], stop).map_err(|error| (i, error)));
            rows.collect::<Vec<_>>()
        })?;
        let rows: Result<Vec<Row>, (usize, InputError)> = rows.into_iter().collect();
        rows.map_err(|(i, error)| {
            errors::raise(py, "InputError", format!("frame {}: {error}", first + i + 1))
        })
    }
    // Copies, so that a signal need not wait for the end of a frame.
    match frames.first() {
        None => Ok(Vec::new()),
        Some(Positions::F32(_)) => {
            let copy = |x: &Positions<'_>| {
                if let Positions::F32(x) = x { Ok(rows(x)?.to_vec()) } else { Err(mixed()) }
            };
            check(py, &mesh.mesh, frames.iter().map(copy).collect::<PyResult<_>>()?, first)
        }
        Some(Positions::F64(_)) => {
            let copy = |x: &Positions<'_>| {
                if let Positions::F64(x) = x { Ok(rows(x)?.to_vec()) } else { Err(mixed()) }
            };
            check(py, &mesh.mesh, frames.iter().map(copy).collect::<PyResult<_>>()?, first)
        }
    }
}

fn row<T: Number>(
    mesh: &CollisionMesh,
    [x0, x1]: [&[[T; 3]]; 2],
    stop: &AtomicBool,
) -> Result<Row, InputError> {
    if stop.load(Ordering::Relaxed) {
        return Ok((0, 0, f64::NAN, f64::NAN));
    }
    let intersections = mesh.check_state(x1)?.witnesses().len();
    let collisions = mesh.check_motion(x0, x1, Search::All)?;
    let earliest = collisions.witnesses().first().map_or(f64::NAN, |witness| witness.time.time);
    let moves = x0.iter().zip(x1).map(|(a, b)| {
        let square = |k: usize| {
            let d: f64 = b[k].into() - a[k].into();
            d * d
        };
        (square(0) + square(1) + square(2)).sqrt()
    });
    Ok((intersections, collisions.witnesses().len(), earliest, moves.fold(0.0, f64::max)))
}
