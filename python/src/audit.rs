//! Frames, and the motions between them.

use std::sync::atomic::{AtomicBool, Ordering};

use cloth_certify::{CollisionMesh, InputError, Search};
use pyo3::prelude::*;
use rayon::prelude::*;

use crate::arrays::{Number, Positions, mixed, rows};
use crate::mesh::Mesh;
use crate::outfit::{Outfit, OutfitRow};
use crate::{errors, pool};

/// Of a frame: its intersections; of the motion to it: the collisions, the time of the earliest, and the
/// longest way (m) of a vertex.
type Row = (usize, usize, f64, f64);

/// Judges a frame and the motion to it.
pub(crate) trait Judge: Clone + Send + Sync + 'static {
    type Row: Send;
    /// In place of a row that nobody waits for.
    const STOPPED: Self::Row;

    fn row<T: Number>(&self, ends: [&[[T; 3]]; 2]) -> Result<Self::Row, InputError>;
}

/// Judges frames and the motions to each of them from the one before. The first, of this number, is only the
/// start of the motion to the next.
#[pyfunction]
pub(crate) fn audit_motions(
    py: Python<'_>,
    mesh: &Mesh,
    frames: Vec<Positions<'_>>,
    first: usize,
) -> PyResult<Vec<Row>> {
    judge(py, &mesh.mesh, &frames, first)
}

/// As `audit_motions`, of garments and bodies.
#[pyfunction]
pub(crate) fn audit_outfit(
    py: Python<'_>,
    outfit: &Outfit,
    frames: Vec<Positions<'_>>,
    first: usize,
) -> PyResult<Vec<OutfitRow>> {
    judge(py, &outfit.judge, &frames, first)
}

fn judge<J: Judge>(
    py: Python<'_>,
    judge: &J,
    frames: &[Positions<'_>],
    first: usize,
) -> PyResult<Vec<J::Row>> {
    // Copies, so that a signal need not wait for the end of a frame.
    match frames.first() {
        None => Ok(Vec::new()),
        Some(Positions::F32(_)) => {
            let copy = |x: &Positions<'_>| {
                if let Positions::F32(x) = x { Ok(rows(x)?.to_vec()) } else { Err(mixed()) }
            };
            judge_copies(py, judge, frames.iter().map(copy).collect::<PyResult<_>>()?, first)
        }
        Some(Positions::F64(_)) => {
            let copy = |x: &Positions<'_>| {
                if let Positions::F64(x) = x { Ok(rows(x)?.to_vec()) } else { Err(mixed()) }
            };
            judge_copies(py, judge, frames.iter().map(copy).collect::<PyResult<_>>()?, first)
        }
    }
}

fn judge_copies<J: Judge, T: Number>(
    py: Python<'_>,
    judge: &J,
    frames: Vec<Vec<[T; 3]>>,
    first: usize,
) -> PyResult<Vec<J::Row>> {
    let judge = judge.clone();
    let rows = pool::run_interruptible(py, move |stop: &AtomicBool| {
        let row = |(i, ends): (usize, &[Vec<[T; 3]>])| {
            if stop.load(Ordering::Relaxed) {
                return Ok(J::STOPPED);
            }
            judge.row([&ends[0], &ends[1]]).map_err(|error| (i, error))
        };
        frames.par_windows(2).enumerate().map(row).collect::<Vec<_>>()
    })?;
    let rows: Result<Vec<J::Row>, (usize, InputError)> = rows.into_iter().collect();
    rows.map_err(|(i, error)| errors::raise(py, "InputError", format!("frame {}: {error}", first + i + 1)))
}

impl Judge for CollisionMesh {
    type Row = Row;
    const STOPPED: Row = (0, 0, f64::NAN, f64::NAN);

    fn row<T: Number>(&self, [x0, x1]: [&[[T; 3]]; 2]) -> Result<Row, InputError> {
        let intersections = self.check_state(x1)?.witnesses().len();
        let collisions = self.check_motion(x0, x1, Search::All)?;
        let earliest = collisions.witnesses().first().map_or(f64::NAN, |witness| witness.time.time);
        Ok((intersections, collisions.witnesses().len(), earliest, longest_way([x0, x1], |_| true)))
    }
}

/// The longest way (m) of one of these vertices.
pub(crate) fn longest_way<T: Number>([x0, x1]: [&[[T; 3]]; 2], is_meant: impl Fn(u32) -> bool) -> f64 {
    let ways = (0..).zip(x0.iter().zip(x1)).filter(|&(vertex, _)| is_meant(vertex)).map(|(_, (a, b))| {
        let square = |k: usize| {
            let d: f64 = b[k].into() - a[k].into();
            d * d
        };
        (square(0) + square(1) + square(2)).sqrt()
    });
    ways.fold(0.0, f64::max)
}
