//! Boxes in an order that a method chose, ready to be compared eight by eight.
//!
//! Every method ends in the same question: which boxes of this stretch overlap those of that one? The answer
//! is a matrix of 64 bits for eight rows and eight lanes; collecting it whole before visiting anything costs
//! one mispredicted branch for all its pairs instead of one for each row (79 ms instead of 96 for the edges
//! of cloth-ball).

use std::ops::Range;
use std::slice::from_ref;

use cloth_geom::Aabb;

use crate::Boxes;
use crate::box_f32::{BoxF32, BoxF32x8, LANES};
use crate::sink::Sink;

/// All lanes of an eight.
pub(crate) const ALL: u32 = (1 << LANES) - 1;

/// The same lanes in each row of a matrix.
const EACH_ROW: u64 = 0x0101_0101_0101_0101;

/// A run of boxes with all that is needed to decide about them.
#[derive(Clone, Copy)]
pub(crate) struct Run<'a> {
    /// The boxes, by id.
    pub(crate) boxes: &'a [Aabb],
    /// Ids, in the order of the run.
    pub(crate) ids: &'a [u32],
    /// Images, in the order of the run.
    pub(crate) rows: &'a [BoxF32],
    /// The same, eight at a time.
    pub(crate) packets: &'a [BoxF32x8],
}

impl<'a> Run<'a> {
    /// A run of one box of another set, `id` being its place in that set: it is met row by row, so it has no
    /// eights.
    pub(crate) fn of_one(other: &'a Boxes, id: &'a u32, row: &'a BoxF32) -> Self {
        Self { boxes: other.as_slice(), ids: from_ref(id), rows: from_ref(row), packets: &[] }
    }
}

impl Run<'_> {
    /// Which boxes of one eight overlap which of another run's rows, from `first` on: bit `8 i + j` for row
    /// `first + i` and lane `j`. Only rows with a bit in `rows` are tested, and only pairs with a bit in
    /// `wanted`.
    #[inline]
    pub(crate) fn overlaps(
        &self,
        packet: usize,
        other: &Run<'_>,
        first: usize,
        mut rows: u32,
        wanted: u64,
    ) -> u64 {
        let lanes = &self.packets[packet];
        let (mut touching, mut certain) = (0u64, 0u64);
        while rows != 0 {
            let i = rows.trailing_zeros();
            rows &= rows - 1;
            let row = &other.rows[first + i as usize];
            touching |= u64::from(lanes.touching(row)) << (8 * i);
            certain |= u64::from(lanes.overlapping(row)) << (8 * i);
        }
        touching &= wanted;
        let mut doubtful = touching & !certain;
        while doubtful != 0 {
            let bit = doubtful.trailing_zeros();
            doubtful &= doubtful - 1;
            let own = self.ids[packet * LANES + bit as usize % LANES];
            let theirs = other.ids[first + bit as usize / LANES];
            if !self.boxes[own as usize].overlaps(&other.boxes[theirs as usize]) {
                touching &= !(1 << bit);
            }
        }
        touching
    }

    /// Hands over the pairs of a matrix that [`Run::overlaps`] gave, as `(own, other)`.
    #[inline]
    pub(crate) fn emit(
        &self,
        packet: usize,
        other: &Run<'_>,
        first: usize,
        pairs: u64,
        sink: &mut impl Sink,
    ) {
        let ids = |bit: usize| (self.ids[packet * LANES + bit % LANES], other.ids[first + bit / LANES]);
        let (mut asked, mut allowed) = (pairs, 0u64);
        while asked != 0 {
            let bit = asked.trailing_zeros();
            asked &= asked - 1;
            let (own, theirs) = ids(bit as usize);
            allowed |= u64::from(sink.allows(own, theirs)) << bit;
        }
        while allowed != 0 {
            let (own, theirs) = ids(allowed.trailing_zeros() as usize);
            allowed &= allowed - 1;
            sink.visit(own, theirs);
        }
    }

    /// Hands over the overlapping pairs `(own, other)` of a stretch of this run and a stretch of another.
    pub(crate) fn visit_overlaps(
        &self,
        own: Range<usize>,
        other: &Run<'_>,
        theirs: Range<usize>,
        sink: &mut impl Sink,
    ) {
        if own.is_empty() {
            return;
        }
        for packet in own.start / LANES..own.end.div_ceil(LANES) {
            let begin = packet * LANES;
            let before = own.start.saturating_sub(begin);
            let behind = (begin + LANES).saturating_sub(own.end);
            let lanes = (ALL >> behind) & (ALL << before);
            for first in theirs.clone().step_by(LANES) {
                let rows = ALL >> (LANES - LANES.min(theirs.end - first));
                let pairs = self.overlaps(packet, other, first, rows, u64::from(lanes) * EACH_ROW);
                self.emit(packet, other, first, pairs, sink);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::PairFilter;
    use crate::box_f32::Frame;
    use crate::sink::Ordered;
    use nalgebra::Point3;

    #[test]
    fn meets_exactly_the_stretches_it_is_given() {
        let at = |x: f64| Aabb { min: Point3::new(x, 0.0, 0.0), max: Point3::new(x + 1.5, 1.0, 1.0) };
        let boxes: Vec<Aabb> = (0..40).map(|i| at(f64::from(i))).collect();
        let ids: Vec<u32> = (0..40).collect();
        let rows: Vec<BoxF32> = boxes.iter().map(|b| Frame::default().narrow(b)).collect();
        let packets: Vec<BoxF32x8> = rows.chunks(LANES).map(BoxF32x8::from_boxes).collect();
        let run = Run { boxes: &boxes, ids: &ids, rows: &rows, packets: &packets };
        for (own, theirs) in [(0..40, 0..40), (3..17, 5..6), (8..16, 15..40), (7..7, 0..40), (39..40, 30..40)]
        {
            let mut found = Vec::new();
            let mut sink = Ordered { filter: &PairFilter::all(), visit: |a, b| found.push((a, b)) };
            run.visit_overlaps(own.clone(), &run, theirs.clone(), &mut sink);
            found.sort_unstable();
            let all = own.flat_map(|a| theirs.clone().map(move |b| (a as u32, b as u32)));
            assert_eq!(found, all.filter(|(a, b)| a.abs_diff(*b) < 2).collect::<Vec<_>>());
        }
    }
}
