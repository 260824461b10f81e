//! Which cells of a scene hold: whether all their vertices stayed on their side of the collider, in every frame.

use cloth_solver::Collider;
use nalgebra::Point3;

use crate::invariants::{Breach, Cell, breach};
use crate::report::{Cases, Share};

/// How many of the cells that do not hold are named.
const NAMED: usize = 5;

/// What became of the cells of a scene.
#[derive(Clone, Debug, Default)]
pub(super) struct Sides {
    /// For each cell the first frame, counted from 1, in which a vertex was on the wrong side, and how.
    lost: Vec<Option<(usize, Breach)>>,
    frames: usize,
}

impl Sides {
    /// Of so many cells, all of which hold.
    pub(super) fn of(cells: usize) -> Self {
        Self { lost: vec![None; cells], frames: 0 }
    }

    /// Looks at the way of a frame: positions (m) before it and after it, and the colliders with their motion over it.
    pub(super) fn look(&mut self, cells: &[Cell], positions: [&[Point3<f32>]; 2], colliders: &[Collider]) {
        self.frames += 1;
        for (cell, lost) in cells.iter().zip(&mut self.lost) {
            let Collider { shape, pose_t0, pose_t1, .. } = &colliders[cell.collider];
            let poses = [pose_t0, pose_t1].map(|pose| pose.cast::<f64>());
            let judged = cell.vertices.clone().enumerate().filter(|(k, _)| !cell.pinned.contains(k));
            let of = |(_, v): (usize, usize)| {
                let local = |k: usize| poses[k].inverse_transform_point(&positions[k][v].cast());
                breach(shape, &local(0), &local(1))
            };
            if lost.is_none() {
                *lost = judged.filter_map(of).next().map(|breach| (self.frames, breach));
            }
        }
    }

    /// How many cells hold; none if there are no cells.
    pub(super) fn cases(&self, cells: &[Cell]) -> Option<Cases> {
        let mut cases = Cases { all: cells.len(), ..Cases::default() };
        for (cell, lost) in cells.iter().zip(&self.lost) {
            let share: &mut Share = cases.by_case.entry(cell.case.into()).or_default();
            share.all += 1;
            share.passed += usize::from(lost.is_none());
            cases.passed += usize::from(lost.is_none());
        }
        (cases.all > 0).then_some(cases)
    }

    /// For each case in which more cells do not hold than may: how many, and the first of them by name. `may` tells the
    /// greatest share by case; of a case that is not in it none may.
    pub(super) fn failures(&self, cells: &[Cell], may: &[(&str, f64)]) -> Vec<String> {
        let cases = self.cases(cells).unwrap_or_default().by_case;
        let too_many = cases.iter().filter_map(|(case, &Share { passed, all })| {
            let share = may.iter().find(|(of, _)| of == case).map_or(0.0, |&(_, share)| share);
            let (lost, most) = (all - passed, (share * all as f64).floor() as usize);
            (lost > most).then(|| {
                format!(
                    "{lost} of {all} cells of case {case} lose a vertex to the wrong side, at most {most} expected: {}",
                    self.named(cells, case)
                )
            })
        });
        too_many.collect()
    }

    /// The first cells of a case that do not hold.
    fn named(&self, cells: &[Cell], case: &str) -> String {
        let lost = cells.iter().zip(&self.lost).filter_map(|(cell, lost)| lost.map(|lost| (cell, lost)));
        let told = lost.filter(|(cell, _)| cell.case == case).take(NAMED).map(|(cell, (frame, breach))| {
            let how = match breach {
                Breach::Inside(depth) => format!("{:.1} mm deep", depth * 1000.0),
                Breach::Through(_) => "through the sheet".into(),
            };
            format!("{} ({how} in frame {frame})", cell.name)
        });
        told.collect::<Vec<_>>().join("; ")
    }
}
