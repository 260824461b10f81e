//! Which cells of a scene hold: whether all their vertices stayed on their side of the collider, in every
//! frame.

use cloth_show::invariants::{ColliderCell, SideViolation, side_violation};
use cloth_solver::Collider;
use nalgebra::Point3;

use crate::report::{Cases, Share};

/// How many of the cells that do not hold are named.
const NAMED: usize = 5;

/// What became of the cells of a scene.
#[derive(Clone, Debug, Default)]
pub(super) struct SideObserver {
    /// For each cell the first frame, counted from 1, in which a vertex was on the wrong side, and how.
    lost: Vec<Option<(usize, SideViolation)>>,
    frames: usize,
}

impl SideObserver {
    /// Of so many cells, all of which hold.
    pub(super) fn new(cells: usize) -> Self {
        Self { lost: vec![None; cells], frames: 0 }
    }

    /// Checks the motion of a frame: positions (m) before it and after it, and the colliders with their
    /// motion over it.
    pub(super) fn observe(
        &mut self,
        cells: &[ColliderCell],
        positions: [&[Point3<f32>]; 2],
        colliders: &[Collider],
    ) {
        self.frames += 1;
        for (cell, lost) in cells.iter().zip(&mut self.lost) {
            let Collider { shape, pose_t0, pose_t1, .. } = &colliders[cell.collider];
            let poses = [pose_t0, pose_t1].map(|pose| pose.cast::<f64>());
            let judged = cell.vertices.clone().enumerate().filter(|(k, _)| !cell.pinned.contains(k));
            let of = |(_, v): (usize, usize)| {
                let local = |k: usize| poses[k].inverse_transform_point(&positions[k][v].cast());
                side_violation(shape, &local(0), &local(1))
            };
            if lost.is_none() {
                *lost = judged.filter_map(of).next().map(|breach| (self.frames, breach));
            }
        }
    }

    /// How many cells hold; none if there are no cells.
    pub(super) fn cases(&self, cells: &[ColliderCell]) -> Option<Cases> {
        let mut cases = Cases { total: cells.len(), ..Cases::default() };
        for (cell, lost) in cells.iter().zip(&self.lost) {
            let share: &mut Share = cases.by_case.entry(cell.case.into()).or_default();
            share.total += 1;
            share.passed += usize::from(lost.is_none());
            cases.passed += usize::from(lost.is_none());
        }
        (cases.total > 0).then_some(cases)
    }

    /// The cells that do not hold.
    pub(super) fn lost<'a>(&self, cells: &'a [ColliderCell]) -> impl Iterator<Item = &'a ColliderCell> {
        cells.iter().zip(&self.lost).filter(|(_, lost)| lost.is_some()).map(|(cell, _)| cell)
    }

    /// Where the cells that do not hold differ from those that are known not to, by their keys. Cells that
    /// are known and hold count only once the run is `complete`.
    pub(super) fn failures(&self, cells: &[ColliderCell], known: &[String], complete: bool) -> Vec<String> {
        let mut failures = Vec::new();
        let lost = cells.iter().zip(&self.lost).filter_map(|(cell, lost)| lost.map(|lost| (cell, lost)));
        let new: Vec<String> = lost
            .filter(|(cell, _)| !known.contains(&cell.key()))
            .map(|(cell, lost)| describe(cell, lost))
            .collect();
        if !new.is_empty() {
            let first = new.iter().take(NAMED).map(String::as_str).collect::<Vec<_>>().join("; ");
            failures.push(format!(
                "{} of {} cells lose a vertex to the wrong side and are not among the {} that are known to: \
                 {first}",
                new.len(),
                cells.len(),
                known.len()
            ));
        }
        let is_lost = |key: &String| self.lost(cells).any(|cell| cell.key() == *key);
        let held: Vec<&str> =
            known.iter().filter(|&key| complete && !is_lost(key)).map(String::as_str).collect();
        if !held.is_empty() {
            failures.push(format!(
                "{} cells that are known to lose a vertex hold, so the list of them has to be made shorter: \
                 {}",
                held.len(),
                held.join("; ")
            ));
        }
        failures
    }
}

/// A cell that does not hold.
fn describe(cell: &ColliderCell, (frame, breach): (usize, SideViolation)) -> String {
    let how = match breach {
        SideViolation::Inside(depth) => format!("{:.1} mm deep", depth * 1000.0),
        SideViolation::Through(_) => "through the sheet".into(),
    };
    format!("{} ({how} in frame {frame})", cell.key())
}
