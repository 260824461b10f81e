//! Which primitives could meet during a motion: those whose swept boxes overlap.
//!
//! Boxes contain a primitive at both ends of its motion, and so throughout: points move on straight lines.
//! Coordinates are exact in `f64`, and so are the boxes; one that is inflated is rounded outward. The tree
//! over them is rebuilt for each motion and forgotten after it.

use std::ops::Range;

use nalgebra::Point3;
use rayon::prelude::*;

use super::pair::MotionPath;

/// An axis-aligned box (m).
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Box3 {
    min: [f64; 3],
    max: [f64; 3],
}

impl Box3 {
    const EMPTY: Self = Self { min: [f64::INFINITY; 3], max: [f64::NEG_INFINITY; 3] };

    /// The box of some vertices over a motion.
    pub(super) fn swept(vertices: &[u32], path: &MotionPath<'_>) -> Self {
        let mut found = Self::EMPTY;
        for &v in vertices {
            found.add(&path.t0[v as usize]);
            found.add(&path.t1[v as usize]);
        }
        found
    }

    fn add(&mut self, p: &Point3<f32>) {
        for k in 0..3 {
            let c = f64::from(p[k]);
            self.min[k] = self.min[k].min(c);
            self.max[k] = self.max[k].max(c);
        }
    }

    /// The box with `margin` (m) on every side, rounded outward.
    pub(super) fn inflated(mut self, margin: f64) -> Self {
        if margin > 0.0 {
            for k in 0..3 {
                self.min[k] = (self.min[k] - margin).next_down();
                self.max[k] = (self.max[k] + margin).next_up();
            }
        }
        self
    }

    fn with(mut self, other: &Self) -> Self {
        for k in 0..3 {
            self.min[k] = self.min[k].min(other.min[k]);
            self.max[k] = self.max[k].max(other.max[k]);
        }
        self
    }

    /// Where its middle is on the curve through some bounds.
    fn place_in(&self, bounds: &Self) -> u32 {
        let last = f64::from((1_u32 << BITS) - 1);
        let code = |k: usize| {
            let (extent, middle) = (bounds.max[k] - bounds.min[k], 0.5 * (self.min[k] + self.max[k]));
            // What is not a number becomes 0: a place like any other.
            spread((((middle - bounds.min[k]) / extent).clamp(0.0, 1.0) * last) as u32)
        };
        code(0) | code(1) << 1 | code(2) << 2
    }

    /// Closed: boxes that touch overlap.
    fn overlaps(&self, other: &Self) -> bool {
        // All six comparisons: a branch for each costs more.
        (0..3).fold(true, |so_far, k| so_far & (self.min[k] <= other.max[k]) & (other.min[k] <= self.max[k]))
    }
}

/// Boxes in one leaf.
const LEAF: usize = 6;

/// Leaves that one thread visits in a row.
const BLOCK: usize = 64;

/// Bits of a coordinate in the order of the leaves.
const BITS: u32 = 10;

/// A tree over boxes: sorted along a curve that fills space (Morton 1966), and halved. The order decides how
/// fast it is, and nothing else.
#[derive(Clone, Debug, Default)]
pub(super) struct BoxTree {
    nodes: Vec<Node>,
    /// The boxes in the order of the leaves.
    boxes: Vec<Box3>,
    /// Their numbers.
    order: Vec<u32>,
}

#[derive(Clone, Copy, Debug)]
struct Node {
    bounds: Box3,
    /// The boxes below, as a range of the order.
    range: [u32; 2],
    /// The first node that is not below this one; the halves follow their parent.
    next: u32,
}

impl BoxTree {
    pub(super) fn new(boxes: &[Box3]) -> Self {
        let bounds = boxes.iter().fold(Box3::EMPTY, Box3::with);
        let mut keys: Vec<(u32, u32)> = (0..).zip(boxes).map(|(i, b)| (b.place_in(&bounds), i)).collect();
        keys.sort_unstable();
        let order: Vec<u32> = keys.into_iter().map(|(_, i)| i).collect();
        let sorted = order.iter().map(|&i| boxes[i as usize]).collect();
        let mut tree = Self { nodes: Vec::with_capacity(boxes.len()), boxes: sorted, order };
        if !boxes.is_empty() {
            tree.split(0, boxes.len());
        }
        tree
    }

    /// Adds the node of a range and all below it; returns its bounds.
    fn split(&mut self, from: usize, to: usize) -> Box3 {
        let at = self.nodes.len();
        self.nodes.push(Node { bounds: Box3::EMPTY, range: [from as u32, to as u32], next: 0 });
        let bounds = if to - from <= LEAF {
            self.boxes[from..to].iter().fold(Box3::EMPTY, Box3::with)
        } else {
            let middle = from.midpoint(to);
            let first = self.split(from, middle);
            first.with(&self.split(middle, to))
        };
        self.nodes[at].bounds = bounds;
        self.nodes[at].next = self.nodes.len() as u32;
        bounds
    }

    /// Visits each box of this tree with each box of another that it overlaps, by their numbers. Blocks of
    /// the tree are visited side by side, each with what `begin` returns; those are returned in the order of
    /// the blocks, which threads do not change.
    pub(super) fn visit_pairs_with<T: Send>(
        &self,
        other: &Self,
        begin: impl Fn() -> T + Sync,
        found: impl Fn(&mut T, u32, u32) + Sync,
    ) -> Vec<T> {
        self.visit_blocks(begin, |into, leaf| {
            other.visit_leaves(&leaf.bounds, 0, |others| {
                self.compare(leaf.members(), other, others, |a, b| found(into, a, b));
            });
        })
    }

    /// Visits each two boxes that overlap once, by their numbers; in blocks, like
    /// [`visit_pairs_with`](Self::visit_pairs_with).
    pub(super) fn visit_pairs<T: Send>(
        &self,
        begin: impl Fn() -> T + Sync,
        found: impl Fn(&mut T, u32, u32) + Sync,
    ) -> Vec<T> {
        self.visit_blocks(begin, |into, leaf| {
            let Range { start, end } = leaf.members();
            for k in start..end {
                self.compare(k..k + 1, self, k + 1..end, |a, b| found(into, a, b));
            }
            self.visit_leaves(&leaf.bounds, leaf.range[1], |others| {
                self.compare(start..end, self, others, |a, b| found(into, a, b));
            });
        })
    }

    fn visit_blocks<T: Send>(
        &self,
        begin: impl Fn() -> T + Sync,
        visit: impl Fn(&mut T, &Node) + Sync,
    ) -> Vec<T> {
        let leaves: Vec<&Node> = self.leaves().collect();
        let block = |leaves: &[&Node]| {
            let mut into = begin();
            leaves.iter().for_each(|leaf| visit(&mut into, leaf));
            into
        };
        leaves.par_chunks(BLOCK).map(block).collect()
    }

    fn leaves(&self) -> impl Iterator<Item = &Node> {
        (1..).zip(&self.nodes).filter(|&(after, node)| node.next == after).map(|(_, node)| node)
    }

    /// Visits the leaves from a place in the order on that overlap a box; a leaf at a time, because each box
    /// on its own would follow the same path again.
    fn visit_leaves(&self, wanted: &Box3, from: u32, mut found: impl FnMut(Range<usize>)) {
        let mut at = 0;
        while let Some(node) = self.nodes.get(at) {
            let enters = node.range[1] > from && node.bounds.overlaps(wanted);
            if enters && node.next as usize == at + 1 {
                found(node.members());
            }
            at = if enters { at + 1 } else { node.next as usize };
        }
    }

    /// Visits the pairs that overlap of some places here and some of another tree.
    fn compare(
        &self,
        own: Range<usize>,
        other: &Self,
        others: Range<usize>,
        mut found: impl FnMut(u32, u32),
    ) {
        for (b, &number) in other.boxes[others.clone()].iter().zip(&other.order[others]) {
            for (a, &own) in self.boxes[own.clone()].iter().zip(&self.order[own.clone()]) {
                if a.overlaps(b) {
                    found(own, number);
                }
            }
        }
    }
}

impl Node {
    fn members(&self) -> Range<usize> {
        self.range[0] as usize..self.range[1] as usize
    }
}

/// Puts two zeros before each of the ten lowest bits.
fn spread(x: u32) -> u32 {
    let x = (x | x << 16) & 0x0300_00ff;
    let x = (x | x << 8) & 0x0300_f00f;
    let x = (x | x << 4) & 0x030c_30c3;
    (x | x << 2) & 0x0924_9249
}

#[cfg(test)]
mod tests {
    use cloth_geom::fixtures::{jitter, sheet};

    use super::*;

    #[test]
    fn the_tree_finds_what_all_pairs_find() {
        let mesh = jitter(&sheet(9, 9, [1.0, 1.0]).unwrap().mesh, 0.05, 4).unwrap();
        let t0 = mesh.positions_f32();
        let t1: Vec<Point3<f32>> = t0.iter().map(|p| p * 1.1).collect();
        let path = MotionPath { t0: &t0, t1: &t1 };
        let boxes: Vec<Box3> = mesh.faces.iter().map(|f| Box3::swept(f, &path)).collect();
        let tree = BoxTree::new(&boxes);
        let (wanted, count) = (&boxes[..40], boxes.len() as u32);
        let note = |into: &mut Vec<[u32; 2]>, a, b| into.push([a, b]);
        let mut found = BoxTree::new(wanted).visit_pairs_with(&tree, Vec::new, note).concat();
        found.sort_unstable();
        let meet = |&[a, b]: &[u32; 2]| boxes[a as usize].overlaps(&boxes[b as usize]);
        let all = (0..wanted.len() as u32).flat_map(|a| (0..count).map(move |b| [a, b]));
        assert_eq!(found, all.filter(meet).collect::<Vec<_>>());
        let mut pairs = tree.visit_pairs(Vec::new, |into, a, b| into.push([a.min(b), a.max(b)])).concat();
        pairs.sort_unstable();
        let all = (0..count).flat_map(|a| (a + 1..count).map(move |b| [a, b]));
        assert_eq!(pairs, all.filter(meet).collect::<Vec<_>>());
        let empty = BoxTree::new(&[]);
        assert!(empty.visit_pairs_with(&tree, Vec::new, note).concat().is_empty());
        assert!(tree.visit_pairs_with(&empty, Vec::new, note).concat().is_empty());
        assert!(empty.visit_pairs(Vec::new, note).is_empty());
    }

    #[test]
    fn a_swept_box_contains_both_ends_and_is_closed() {
        let (t0, t1) = ([Point3::new(0.0, 1.0, 2.0)], [Point3::new(1.0, -1.0, 2.0)]);
        let swept = Box3::swept(&[0], &MotionPath { t0: &t0, t1: &t1 });
        assert_eq!(swept, Box3 { min: [0.0, -1.0, 2.0], max: [1.0, 1.0, 2.0] });
        let beside = Box3 { min: [1.0, -1.0, 2.0], max: [2.0, 0.0, 3.0] };
        assert!(swept.overlaps(&beside) && swept.inflated(0.5).overlaps(&beside));
        let off = Box3 { min: [1.0_f64.next_up(), -1.0, 2.0], ..beside };
        assert!(!swept.overlaps(&off) && swept.inflated(1e-300).overlaps(&off));
    }
}
