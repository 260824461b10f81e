//! Boxes in the grid by their least corners; the largest are kept apart.

use std::ops::Range;

use cloth_geom::Aabb;

use super::grid::{Grid, Ranges, SWEEP_MASK, key};
use crate::box_f32::{BoxF32, BoxF32x8, Frame, LANES};
use crate::run::Run;
use crate::sink::{Ordered, Unordered};
use crate::sort::{Keyed, sort_by_key};
use crate::{Boxes, BroadPhase, PairFilter};

/// One box in so many is kept apart for its size, besides the first.
const APART: usize = 64;

/// Boxes in NvCloth's grid: for boxes of nearly equal size that are rebuilt each time.
///
/// The faces of a flat sheet of 250 x 250: build 9 ms, all pairs 18 ms; the 138,825 edges of cloth-ball,
/// whose sizes differ, 10 ms and 855 ms.
#[derive(Clone, Debug, Default)]
pub struct SweepGrid {
    frame: Frame,
    grid: Grid,
    boxes: Vec<Aabb>,
    /// By key; the boxes apart are not among them.
    keys: Vec<Keyed>,
    spare: Vec<Keyed>,
    sides: Vec<f64>,
    /// In the order of the keys, and behind them those apart.
    ids: Vec<u32>,
    rows: Vec<BoxF32>,
    packets: Vec<BoxF32x8>,
    /// The most sweep cells from the start of a box to its end.
    sweep_cells: u32,
}

impl SweepGrid {
    fn run(&self) -> Run<'_> {
        Run { boxes: &self.boxes, ids: &self.ids, rows: &self.rows, packets: &self.packets }
    }

    /// The side that only the boxes apart exceed.
    fn reach(&mut self) -> f64 {
        self.sides.clear();
        self.sides.extend(self.boxes.iter().map(longest_side));
        let apart = 1 + self.sides.len() / APART;
        let Some(rank) = self.sides.len().checked_sub(1 + apart) else { return 0.0 };
        *self.sides.select_nth_unstable_by(rank, f64::total_cmp).1
    }

    /// Fills the keys and the sweep cells; the ids get the boxes apart.
    fn fill(&mut self, reach: f64) {
        let small = self.boxes.iter().filter(|aabb| longest_side(aabb) <= reach).copied();
        let Some(bounds) = small.reduce(Aabb::union) else {
            self.ids.extend(0..self.boxes.len() as u32);
            return;
        };
        self.grid = Grid::over(&bounds, reach);
        for (aabb, id) in self.boxes.iter().zip(0..) {
            let (first, last) = (self.grid.cells(&aabb.min), self.grid.cells(&aabb.max));
            if longest_side(aabb) > reach || last[1] - first[1] > 1 || last[2] - first[2] > 1 {
                self.ids.push(id);
            } else {
                self.sweep_cells = self.sweep_cells.max(last[0] - first[0]);
                self.keys.push((key(first), id));
            }
        }
    }

    /// Visits the keys' places that a box of another set may meet, as ranges.
    fn near(&self, aabb: &Aabb, visit: &mut impl FnMut(Range<usize>)) {
        let (first, last) = (self.grid.cells(&aabb.min), self.grid.cells(&aabb.max));
        let rows = (first[2] - 1)..=last[2];
        let columns = (first[1] - 1)..=last[1];
        if rows.clone().count() * columns.clone().count() > self.keys.len() / LANES {
            visit(0..self.keys.len());
            return;
        }
        for hash in rows.flat_map(|b| columns.clone().map(move |a| key([0, a, b]))) {
            let low = hash | first[0].saturating_sub(self.sweep_cells);
            let high = hash | last[0].min(SWEEP_MASK);
            let start = self.keys.partition_point(|&(key, _)| key < low);
            let count = self.keys[start..].partition_point(|&(key, _)| key <= high);
            visit(start..start + count);
        }
    }
}

impl BroadPhase for SweepGrid {
    fn update(&mut self, boxes: &Boxes) {
        self.boxes.clear();
        self.boxes.extend_from_slice(boxes.as_slice());
        self.frame = Frame::among(&self.boxes);
        self.keys.clear();
        self.ids.clear();
        self.sweep_cells = 0;
        let reach = self.reach();
        self.fill(reach);
        sort_by_key(&mut self.keys, &mut self.spare);
        let apart = self.ids.len();
        self.ids.extend(self.keys.iter().map(|&(_, id)| id));
        self.ids.rotate_left(apart);

        self.rows.clear();
        self.rows.extend(self.ids.iter().map(|&id| self.frame.narrow(&self.boxes[id as usize])));
        self.packets.clear();
        self.packets.extend(self.rows.chunks(LANES).map(BoxF32x8::from_boxes));
    }

    fn visit_self_pairs(&self, filter: &PairFilter<'_>, visit: &mut impl FnMut(u32, u32)) {
        let run = self.run();
        let sink = &mut Unordered { filter, visit };
        let mut ranges = Ranges::new(&self.keys, self.sweep_cells);
        for (place, &(key, id)) in self.keys.iter().enumerate() {
            let end = self.grid.cells(&self.boxes[id as usize].max)[0];
            for near in ranges.neighbours(place, end - (key & SWEEP_MASK)) {
                run.visit_overlaps(near, &run, place..place + 1, sink);
            }
        }
        for apart in self.keys.len()..self.ids.len() {
            run.visit_overlaps(0..apart, &run, apart..apart + 1, sink);
        }
    }

    fn visit_pairs_with(&self, other: &Boxes, filter: &PairFilter<'_>, visit: &mut impl FnMut(u32, u32)) {
        let run = self.run();
        let sink = &mut Ordered { filter, visit };
        for (aabb, id) in other.as_slice().iter().zip(0u32..) {
            let row = self.frame.narrow(aabb);
            let single = Run::of_one(other, &id, &row);
            self.near(aabb, &mut |near| run.visit_overlaps(near, &single, 0..1, sink));
            run.visit_overlaps(self.keys.len()..self.ids.len(), &single, 0..1, sink);
        }
    }
}

/// The longest side (m); too long to tell is infinite, and compares as the longest.
fn longest_side(aabb: &Aabb) -> f64 {
    (aabb.max - aabb.min).max()
}

#[cfg(test)]
crate::conformance_suite!(conformance, SweepGrid::default());
