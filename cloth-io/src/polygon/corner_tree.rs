//! The boxes of the corners of a polygon, of neighbouring corners, of neighbours of those, and so on.
//!
//! ```text
//!          1        node n has the children 2n and 2n + 1; the last row has one leaf for each LEAF corners
//!      2       3    in a row; corners that follow each other lie together, so the boxes are small where the
//!    4   5   6   7  polygon is simple
//! ```
//!
//! Boxes are those of the coordinates themselves: nothing is rounded, and no corner is missed.

use robust::{Coord, orient2d};

/// Corners in a leaf.
const LEAF: usize = 8;

/// A closed box; empty if its least corner is beyond its greatest.
#[derive(Clone, Copy)]
struct Box2 {
    min: Coord<f64>,
    max: Coord<f64>,
}

/// Corners in a tree of boxes, from which they can be removed.
pub(super) struct CornerTree {
    /// Row by row from the root, number 1; number 0 is not used.
    boxes: Vec<Box2>,
    /// Place of each corner; none once it is removed.
    corners: Vec<Option<Coord<f64>>>,
    first_leaf: usize,
}

impl CornerTree {
    pub(super) fn new(flat: &[Coord<f64>]) -> Self {
        let first_leaf = flat.len().div_ceil(LEAF).next_power_of_two();
        let corners = flat.iter().copied().map(Some).collect();
        let mut tree = Self { boxes: vec![Box2::EMPTY; 2 * first_leaf], corners, first_leaf };
        (1..2 * first_leaf).rev().for_each(|node| tree.update(node));
        tree
    }

    /// Removes a corner, and shrinks the boxes that it was in.
    pub(super) fn remove(&mut self, corner: usize) {
        self.corners[corner] = None;
        let mut node = self.first_leaf + corner / LEAF;
        while node > 0 {
            self.update(node);
            node /= 2;
        }
    }

    /// Whether any corner that may lie in a triangle, counter-clockwise, is such that `found`; `work` grows
    /// by the boxes and corners looked at.
    pub(super) fn any_near(
        &self,
        triangle: [Coord<f64>; 3],
        work: &mut u64,
        found: impl Fn(usize) -> bool,
    ) -> bool {
        let wanted = triangle.iter().fold(Box2::EMPTY, |b, &p| b.with(Box2 { min: p, max: p }));
        // A path from the root with one sibling a row, which is less than the bits of a number.
        let (mut nodes, mut count) = ([0; usize::BITS as usize + 1], 1);
        nodes[0] = 1;
        while count > 0 {
            count -= 1;
            let node = nodes[count];
            *work += 1;
            let of_node = &self.boxes[node];
            if !of_node.overlaps(&wanted) || of_node.is_outside(triangle) {
                continue;
            }
            if node < self.first_leaf {
                // The first child on top: corners are looked at in their order.
                nodes[count] = 2 * node + 1;
                nodes[count + 1] = 2 * node;
                count += 2;
                continue;
            }
            let start = (node - self.first_leaf) * LEAF;
            for corner in start..(start + LEAF).min(self.corners.len()) {
                *work += 1;
                let at = self.corners[corner];
                if at.is_some_and(|p| wanted.overlaps(&Box2 { min: p, max: p })) && found(corner) {
                    return true;
                }
            }
        }
        false
    }

    fn update(&mut self, node: usize) {
        self.boxes[node] = if node < self.first_leaf {
            self.boxes[2 * node].with(self.boxes[2 * node + 1])
        } else {
            let start = ((node - self.first_leaf) * LEAF).min(self.corners.len());
            let end = (start + LEAF).min(self.corners.len());
            let corners = self.corners[start..end].iter().flatten();
            corners.fold(Box2::EMPTY, |b, &p| b.with(Box2 { min: p, max: p }))
        };
    }
}

impl Box2 {
    const EMPTY: Self = Self {
        min: Coord { x: f64::INFINITY, y: f64::INFINITY },
        max: Coord { x: f64::NEG_INFINITY, y: f64::NEG_INFINITY },
    };

    fn with(self, other: Self) -> Self {
        let min = Coord { x: self.min.x.min(other.min.x), y: self.min.y.min(other.min.y) };
        let max = Coord { x: self.max.x.max(other.max.x), y: self.max.y.max(other.max.y) };
        Self { min, max }
    }

    /// Whether it lies outside one side of a triangle, counter-clockwise. Exact: the sign of the corner that
    /// reaches farthest in.
    fn is_outside(&self, [a, b, c]: [Coord<f64>; 3]) -> bool {
        [[a, b], [b, c], [c, a]].into_iter().any(|[from, to]| {
            let x = if to.y < from.y { self.max.x } else { self.min.x };
            let y = if to.x > from.x { self.max.y } else { self.min.y };
            orient2d(from, to, Coord { x, y }) < 0.0
        })
    }

    fn overlaps(&self, other: &Self) -> bool {
        self.min.x <= other.max.x
            && other.min.x <= self.max.x
            && self.min.y <= other.max.y
            && other.min.y <= self.max.y
    }
}
