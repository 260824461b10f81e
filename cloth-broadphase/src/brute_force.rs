//! Every box against every box: the reference that defines the right answer.

use cloth_geom::Aabb;

use crate::{Boxes, BroadPhase, PairFilter};

/// Tests all pairs. Quadratic in the number of boxes: for tests, and for sets of a few dozen.
#[derive(Clone, Debug, Default)]
pub struct BruteForce {
    boxes: Vec<Aabb>,
}

impl BroadPhase for BruteForce {
    fn update(&mut self, boxes: &Boxes) {
        self.boxes.clear();
        self.boxes.extend_from_slice(boxes.as_slice());
    }

    fn visit_self_pairs(&self, filter: &PairFilter<'_>, visit: &mut impl FnMut(u32, u32)) {
        let boxes = &self.boxes;
        for b in 0..boxes.len() {
            for a in 0..b {
                if boxes[a].overlaps(&boxes[b]) && filter.allows(a as u32, b as u32) {
                    visit(a as u32, b as u32);
                }
            }
        }
    }

    fn visit_pairs_with(&self, other: &Boxes, filter: &PairFilter<'_>, visit: &mut impl FnMut(u32, u32)) {
        for (a, own) in self.boxes.iter().enumerate() {
            for (b, other) in other.as_slice().iter().enumerate() {
                if own.overlaps(other) && filter.allows(a as u32, b as u32) {
                    visit(a as u32, b as u32);
                }
            }
        }
    }
}

#[cfg(test)]
crate::conformance_suite!(conformance, BruteForce::default());
