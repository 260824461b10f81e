//! Sweep and prune: sorts the boxes along one axis and compares each with those that begin before it ends.
//!
//! The axis is that of the largest variance of the centres (Ericson 2005, section 7.5.2). A box is compared
//! with its successors until one begins behind its end; eight successors at a time in single precision
//! (`box_f32.rs`), which preserves the order, so the early exit loses no pair.
//!
//! Use it for long, thin sets and for a few hundred boxes. The number of comparisons grows with the cross
//! section: on a sheet of `n` boxes each box overlaps about `sqrt n` others along the axis, so the time grows
//! as `n^1.5`, and a box as long as the set is compared with all.
//!
//! **Other sets.** Boxes that begin before another box may still reach it. The running maximum of the ends is
//! monotone along the order, so a binary search finds the first box that may.

use std::ops::Range;

use cloth_geom::Aabb;

use crate::box_f32::{BoxF32, BoxF32x8, Frame, LANES};
use crate::run::Run;
use crate::sink::{Ordered, Unordered};
use crate::sort::{Keyed, key_of, sort_by_key};
use crate::{Boxes, BroadPhase, PairFilter};

/// Boxes in the order of their starts along one axis: for long, thin sets.
///
/// The 138,825 edges of cloth-ball: build 11 ms, all 5.2 million pairs 0.7 s; the 25,000 of a horse, 1 and 12
/// ms.
#[derive(Clone, Debug, Default)]
pub struct SweepAndPrune {
    frame: Frame,
    axis: usize,
    boxes: Vec<Aabb>,
    order: Vec<Keyed>,
    spare: Vec<Keyed>,
    ids: Vec<u32>,
    rows: Vec<BoxF32>,
    packets: Vec<BoxF32x8>,
    /// The greatest end among the first boxes of the order.
    ends: Vec<f32>,
}

impl SweepAndPrune {
    fn run(&self) -> Run<'_> {
        Run { boxes: &self.boxes, ids: &self.ids, rows: &self.rows, packets: &self.packets }
    }

    /// The places from `first` on of boxes that begin before `row` ends.
    fn followers(&self, first: usize, row: &BoxF32) -> Range<usize> {
        let end = row.max[self.axis];
        let count = self.rows[first..].partition_point(|row| row.min[self.axis] <= end);
        first..first + count
    }
}

impl BroadPhase for SweepAndPrune {
    fn update(&mut self, boxes: &Boxes) {
        self.boxes.clear();
        self.boxes.extend_from_slice(boxes.as_slice());
        self.frame = Frame::among(&self.boxes);
        let narrow = |aabb: &Aabb| self.frame.narrow(aabb);
        self.axis = axis_of_largest_variance(self.boxes.iter().map(|aabb| narrow(aabb).centre()));
        self.order.clear();
        let key = |aabb: &Aabb| key_of(narrow(aabb).min[self.axis]);
        self.order.extend(self.boxes.iter().zip(0..).map(|(aabb, id)| (key(aabb), id)));
        sort_by_key(&mut self.order, &mut self.spare);

        self.ids.clear();
        self.ids.extend(self.order.iter().map(|&(_, id)| id));
        self.rows.clear();
        self.rows.extend(self.ids.iter().map(|&id| narrow(&self.boxes[id as usize])));
        self.packets.clear();
        self.packets.extend(self.rows.chunks(LANES).map(BoxF32x8::from_boxes));
        self.ends.clear();
        self.ends.extend(self.rows.iter().scan(f32::NEG_INFINITY, |greatest, row| {
            *greatest = greatest.max(row.max[self.axis]);
            Some(*greatest)
        }));
    }

    fn visit_self_pairs(&self, filter: &PairFilter<'_>, visit: &mut impl FnMut(u32, u32)) {
        let run = self.run();
        let sink = &mut Unordered { filter, visit };
        for (place, row) in self.rows.iter().enumerate() {
            run.visit_overlaps(self.followers(place + 1, row), &run, place..place + 1, sink);
        }
    }

    fn visit_pairs_with(&self, other: &Boxes, filter: &PairFilter<'_>, visit: &mut impl FnMut(u32, u32)) {
        let sink = &mut Ordered { filter, visit };
        for (aabb, id) in other.as_slice().iter().zip(0u32..) {
            let row = self.frame.narrow(aabb);
            let first = self.ends.partition_point(|&end| end < row.min[self.axis]);
            let single = Run::of_one(other, &id, &row);
            self.run().visit_overlaps(self.followers(first, &row), &single, 0..1, sink);
        }
    }
}

/// The coordinate that varies most; the first of equals.
fn axis_of_largest_variance(centres: impl Iterator<Item = [f32; 3]>) -> usize {
    let (mut count, mut mean, mut spread) = (0.0, [0.0; 3], [0.0; 3]);
    for centre in centres {
        count += 1.0;
        for k in 0..3 {
            // Welford's update: no cancellation far from the origin, and no overflow in f64.
            let from_mean = f64::from(centre[k]) - mean[k];
            mean[k] += from_mean / count;
            spread[k] += from_mean * (f64::from(centre[k]) - mean[k]);
        }
    }
    (1..3).fold(0, |best, k| if spread[k] > spread[best] { k } else { best })
}

#[cfg(test)]
crate::conformance_suite!(conformance, SweepAndPrune::default());

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sweeps_along_the_axis_on_which_centres_vary_most() {
        let along = |axis: usize| {
            (0..9).map(move |i| [0, 1, 2].map(|k| if k == axis { i as f32 } else { (i % 2) as f32 }))
        };
        assert_eq!([0, 1, 2].map(|axis| axis_of_largest_variance(along(axis))), [0, 1, 2]);
        assert_eq!(axis_of_largest_variance(std::iter::empty()), 0);
    }
}
