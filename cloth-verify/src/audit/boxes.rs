//! Which primitives could meet during a motion: those whose swept boxes overlap.
//!
//! Boxes hold a primitive at both ends of its motion, and so throughout: points move on straight lines. Coordinates are exact in
//! `f64`, and so are the boxes; one that is inflated is rounded outward. The tree over them is built anew for each motion and
//! forgotten after it.

use nalgebra::Point3;

use super::pair::Path;

/// An axis-aligned box (m).
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Box3 {
    min: [f64; 3],
    max: [f64; 3],
}

impl Box3 {
    const EMPTY: Self = Self { min: [f64::INFINITY; 3], max: [f64::NEG_INFINITY; 3] };

    /// The box of some vertices over a motion.
    pub(super) fn swept(vertices: &[u32], path: &Path<'_>) -> Self {
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

    /// Closed: boxes that touch overlap.
    fn overlaps(&self, other: &Self) -> bool {
        (0..3).all(|k| self.min[k] <= other.max[k] && other.min[k] <= self.max[k])
    }

    fn centre(&self, axis: usize) -> f64 {
        0.5 * (self.min[axis] + self.max[axis])
    }
}

/// Boxes that one leaf holds.
const LEAF: usize = 6;

/// A tree over boxes, split at the median of the longest axis.
#[derive(Clone, Debug, Default)]
pub(super) struct BoxTree {
    nodes: Vec<Node>,
    boxes: Vec<Box3>,
    /// Numbers of boxes in the order of the leaves.
    order: Vec<u32>,
}

#[derive(Clone, Copy, Debug)]
struct Node {
    bounds: Box3,
    /// The boxes below, as a range of the order.
    range: [u32; 2],
    /// The node of the second half; the first follows its parent. 0 for a leaf.
    second: u32,
}

impl BoxTree {
    pub(super) fn new(boxes: Vec<Box3>) -> Self {
        let order = (0..boxes.len() as u32).collect();
        let mut tree = Self { nodes: Vec::new(), boxes, order };
        if !tree.boxes.is_empty() {
            tree.split(0, tree.boxes.len());
        }
        tree
    }

    pub(super) fn boxes(&self) -> &[Box3] {
        &self.boxes
    }

    fn split(&mut self, from: usize, to: usize) {
        let members = &self.order[from..to];
        let bounds = members.iter().fold(Box3::EMPTY, |sum, &i| sum.with(&self.boxes[i as usize]));
        let at = self.nodes.len();
        self.nodes.push(Node { bounds, range: [from as u32, to as u32], second: 0 });
        if to - from <= LEAF {
            return;
        }
        let extent = |k: usize| bounds.max[k] - bounds.min[k];
        let axis = (1..3).fold(0, |best, k| if extent(k) > extent(best) { k } else { best });
        let middle = (to - from) / 2;
        let boxes = &self.boxes;
        let key = |i: u32| boxes[i as usize].centre(axis);
        // Ties by number, so that the order is one and the same.
        self.order[from..to]
            .select_nth_unstable_by(middle, |&a, &b| key(a).total_cmp(&key(b)).then(a.cmp(&b)));
        self.split(from, from + middle);
        self.nodes[at].second = self.nodes.len() as u32;
        self.split(from + middle, to);
    }

    /// Visits the numbers of all boxes that overlap a given one.
    pub(super) fn visit(&self, wanted: &Box3, mut found: impl FnMut(u32)) {
        let mut at = 0;
        // Nodes lie in the order of a walk down the first halves: what does not overlap is skipped as a whole.
        while let Some(node) = self.nodes.get(at) {
            let overlaps = node.bounds.overlaps(wanted);
            if overlaps && node.second == 0 {
                for &i in &self.order[node.range[0] as usize..node.range[1] as usize] {
                    if self.boxes[i as usize].overlaps(wanted) {
                        found(i);
                    }
                }
            }
            at = if overlaps || node.second == 0 { at + 1 } else { self.after(at) };
        }
    }

    /// The first node that is not below one.
    fn after(&self, at: usize) -> usize {
        // Down the second halves to the last leaf.
        let mut last = at;
        while self.nodes[last].second != 0 {
            last = self.nodes[last].second as usize;
        }
        last + 1
    }
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
        let path = Path { t0: &t0, t1: &t1 };
        let boxes: Vec<Box3> = mesh.faces.iter().map(|f| Box3::swept(f, &path)).collect();
        let tree = BoxTree::new(boxes.clone());
        for wanted in &boxes {
            let mut found = Vec::new();
            tree.visit(wanted, |i| found.push(i));
            found.sort_unstable();
            let all: Vec<u32> =
                (0..boxes.len() as u32).filter(|&i| boxes[i as usize].overlaps(wanted)).collect();
            assert_eq!(found, all);
        }
        BoxTree::new(Vec::new()).visit(&boxes[0], |_| panic!("nothing is in an empty tree"));
    }

    #[test]
    fn a_swept_box_holds_both_ends_and_is_closed() {
        let (t0, t1) = ([Point3::new(0.0, 1.0, 2.0)], [Point3::new(1.0, -1.0, 2.0)]);
        let swept = Box3::swept(&[0], &Path { t0: &t0, t1: &t1 });
        assert_eq!(swept, Box3 { min: [0.0, -1.0, 2.0], max: [1.0, 1.0, 2.0] });
        let beside = Box3 { min: [1.0, -1.0, 2.0], max: [2.0, 0.0, 3.0] };
        assert!(swept.overlaps(&beside) && swept.inflated(0.5).overlaps(&beside));
        let off = Box3 { min: [1.0_f64.next_up(), -1.0, 2.0], ..beside };
        assert!(!swept.overlaps(&off) && swept.inflated(1e-300).overlaps(&off));
    }
}
