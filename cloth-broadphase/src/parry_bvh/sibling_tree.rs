//! A binary tree stored as pairs of siblings: refitted back to front, traversed without an explicit stack.
//!
//! ```text
//! pair   0: [A B]   1: [C D]   2: [E F]  A's children are pair 1, B's pair 2: a pair comes after its parent,
//!           │ └───────────────────┘      so one pass from the last pair to the first refits the tree
//!           └──────────┘
//! ```
//!
//! Nodes hold single-precision boxes (`box_f32.rs`), two to a cache line, so that a pair of siblings is one
//! line; the exact boxes decide what they leave undecided.

use cloth_geom::Aabb;

use crate::box_f32::{BoxF32, Frame};

/// A node: an inner one links to the pair of its children, a leaf to its box.
#[derive(Clone, Copy, Debug)]
#[repr(align(32))]
struct Node {
    bounds: BoxF32,
    link: u32,
}

/// Marks the link of a leaf; ids and places are below it.
const LEAF: u32 = 1 << 31;

impl Node {
    #[inline]
    fn is_leaf(&self) -> bool {
        self.link & LEAF != 0
    }

    #[inline]
    fn id(&self) -> u32 {
        self.link & !LEAF
    }
}

/// The nodes, two and two. A tree of one box has a single node.
#[derive(Clone, Debug, Default)]
pub(super) struct SiblingTree {
    nodes: Vec<Node>,
    boxes: Vec<Aabb>,
    frame: Frame,
    /// While nodes are pushed: inner nodes whose children have not come yet, the next on top.
    waiting: Vec<u32>,
}

impl SiblingTree {
    pub(super) fn clear(&mut self) {
        self.nodes.clear();
        self.waiting.clear();
    }

    /// Adds a node (the id of its box if it is a leaf), in the order of a descent that names both children of
    /// a node, then descends into the first, then into the second.
    pub(super) fn push(&mut self, leaf: Option<u32>) {
        let place = self.nodes.len() as u32;
        if place.is_multiple_of(2)
            && let Some(parent) = self.waiting.pop()
        {
            self.nodes[parent as usize].link = place;
        }
        self.nodes.push(Node { bounds: BoxF32::EMPTY, link: leaf.map_or(0, |id| id | LEAF) });
        if !place.is_multiple_of(2) {
            let inner = |place: &u32| !self.nodes[*place as usize].is_leaf();
            self.waiting.extend([place, place - 1].iter().filter(|place| inner(place)));
        }
    }

    pub(super) fn leaf_count(&self) -> usize {
        self.nodes.len() / 2 + usize::from(!self.nodes.is_empty())
    }

    /// Sets all bounds; `boxes` are those of the leaves, by id.
    pub(super) fn refit(&mut self, boxes: &[Aabb]) {
        debug_assert_eq!(boxes.len(), self.leaf_count());
        self.boxes.clear();
        self.boxes.extend_from_slice(boxes);
        self.frame = Frame::among(boxes);
        for place in (0..self.nodes.len()).rev() {
            let node = self.nodes[place];
            self.nodes[place].bounds = if node.is_leaf() {
                self.frame.narrow(&boxes[node.id() as usize])
            } else {
                let [a, b] = self.pair(node.link);
                a.bounds.union(&b.bounds)
            };
        }
    }

    /// Area of the inner nodes below the root in units of the leaves' and the root's; 0 if nothing has an
    /// area.
    pub(super) fn looseness(&self) -> f64 {
        let root = self.nodes.iter().take(2).fold(BoxF32::EMPTY, |sum, node| sum.union(&node.bounds));
        let mut sums = [0.0, if self.nodes.is_empty() { 0.0 } else { root.half_area() }];
        for node in &self.nodes {
            sums[usize::from(node.is_leaf())] += node.bounds.half_area();
        }
        let [inner, unit] = sums;
        if unit > 0.0 { inner / unit } else { 0.0 }
    }

    /// Visits each overlapping pair of leaves once, in either order.
    pub(super) fn self_pairs(&self, visit: &mut impl FnMut(u32, u32)) {
        if self.nodes.len() > 1 {
            self.within(0, visit);
        }
    }

    fn within(&self, pair: u32, visit: &mut impl FnMut(u32, u32)) {
        let [a, b] = self.pair(pair);
        for node in [a, b] {
            if !node.is_leaf() {
                self.within(node.link, visit);
            }
        }
        if a.bounds.touches(&b.bounds) {
            self.between(a, b, visit);
        }
    }

    /// Both nodes are known to touch; children are looked at before anything is called for them.
    fn between(&self, a: &Node, b: &Node, visit: &mut impl FnMut(u32, u32)) {
        if a.is_leaf() && b.is_leaf() {
            let [exact_a, exact_b] = [a, b].map(|leaf| &self.boxes[leaf.id() as usize]);
            if a.bounds.overlaps(&b.bounds) || exact_a.overlaps(exact_b) {
                visit(a.id(), b.id());
            }
            return;
        }
        let (one, other) = if a.is_leaf() { (b, a) } else { (a, b) };
        for child in self.pair(one.link) {
            if !child.bounds.touches(&other.bounds) {
                continue;
            }
            if other.is_leaf() {
                self.between(child, other, visit);
                continue;
            }
            for grandchild in self.pair(other.link) {
                if child.bounds.touches(&grandchild.bounds) {
                    self.between(child, grandchild, visit);
                }
            }
        }
    }

    /// Visits each leaf that overlaps a box.
    pub(super) fn overlapping(&self, aabb: &Aabb, visit: &mut impl FnMut(u32)) {
        let query = (&self.frame.narrow(aabb), aabb);
        match &self.nodes[..] {
            [] => {}
            [only] => _ = self.enters(only, query, visit),
            _ => self.descend(0, query, visit),
        }
    }

    /// Calls itself only where both children must be entered.
    fn descend(&self, mut at: u32, query: (&BoxF32, &Aabb), visit: &mut impl FnMut(u32)) {
        loop {
            let [a, b] = self.pair(at);
            at = match (self.enters(a, query, visit), self.enters(b, query, visit)) {
                (false, false) => return,
                (true, false) => a.link,
                (false, true) => b.link,
                (true, true) => {
                    self.descend(a.link, query, visit);
                    b.link
                }
            };
        }
    }

    /// Whether to go on below a node; a leaf is visited at once.
    #[inline]
    fn enters(&self, node: &Node, query: (&BoxF32, &Aabb), visit: &mut impl FnMut(u32)) -> bool {
        let touches = node.bounds.touches(query.0);
        if !touches || !node.is_leaf() {
            return touches;
        }
        if node.bounds.overlaps(query.0) || self.boxes[node.id() as usize].overlaps(query.1) {
            visit(node.id());
        }
        false
    }

    #[inline]
    fn pair(&self, at: u32) -> [&Node; 2] {
        let pair = &self.nodes[at as usize..at as usize + 2];
        [&pair[0], &pair[1]]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use nalgebra::Point3;

    #[test]
    fn links_each_inner_node_to_its_own_children() {
        // ((0 1) ((2 3) 4)), in the order of a descent: both children, then below the first, then below the
        // second.
        let mut siblings = SiblingTree::default();
        for leaf in [None, None, Some(0), Some(1), None, Some(4), Some(2), Some(3)] {
            siblings.push(leaf);
        }
        assert_eq!(siblings.leaf_count(), 5);
        let at = |x: f64| Aabb { min: Point3::new(x, 0.0, 0.0), max: Point3::new(x, 1.0, 1.0) };
        siblings.refit(&[0.0, 1.0, 5.0, 6.0, 9.0].map(at));
        let length = |place: usize| siblings.nodes[place].bounds.max[0] - siblings.nodes[place].bounds.min[0];
        assert_eq!([0, 1, 4].map(length), [1.0, 4.0, 1.0]);
        let mut met = Vec::new();
        siblings.overlapping(&at(6.0), &mut |id| met.push(id));
        assert_eq!(met, [3]);
    }
}
