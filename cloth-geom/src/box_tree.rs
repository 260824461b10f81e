//! A static tree of boxes over items of a few points each: for the items near a point, and for those whose
//! boxes meet another.
//!
//! Nodes lie in the order of a descent: the left child follows its parent, the right one is named. Halving by
//! medians keeps the depth below the logarithm of the number of items, so a short stack always suffices.
//!
//! A tree lists its items in the order of its leaves ([`BoxTree::order`]). Queries report places in that
//! order, so that data of the items can be stored in it.

use std::ops::Range;

use nalgebra::Point3;

use crate::bounds::{U64, gamma};
use crate::{Aabb, MapInline};

/// Deeper than the halvings of 2^32 items; a descent leaves one node behind on each level.
const STACK: usize = 64;

/// Share of a squared distance from a box that its rounding could cost: a difference counts twice, a square,
/// two sums. Which of two items that are equally near up to the rounding of their own distances is found
/// first does not matter.
const ROUNDING: f64 = gamma(8, U64);

/// A box around some items that are consecutive in the order of the tree.
#[derive(Clone, Debug)]
struct Node {
    bounds: Aabb,
    /// The place of the right child; 0 for a leaf.
    right: u32,
    items: [u32; 2],
}

impl Node {
    #[inline]
    fn places(&self) -> Range<usize> {
        self.items[0] as usize..self.items[1] as usize
    }
}

/// Boxes over items.
#[derive(Clone, Debug, Default)]
pub struct BoxTree {
    nodes: Vec<Node>,
    order: Vec<u32>,
}

impl BoxTree {
    /// A tree over items of `N` points each (3: triangles), whose leaves hold at most `leaf` of them.
    #[must_use]
    pub fn new<const N: usize>(items: &[[Point3<f64>; N]], leaf: usize) -> Self {
        let mut own: Vec<PlacedItem> =
            (0..).zip(items).map(|(number, points)| PlacedItem::new(number, points)).collect();
        let mut nodes = Vec::new();
        build(&mut nodes, &mut own, 0, leaf.max(1));
        let order = own.iter().map(|item| item.number).collect();
        Self { nodes, order }
    }

    /// The items by number, leaf by leaf.
    #[inline]
    #[must_use]
    pub fn order(&self) -> &[u32] {
        &self.order
    }

    /// The number of nodes; the root is number 0.
    #[must_use]
    pub fn node_count(&self) -> usize {
        self.nodes.len()
    }

    /// The box of a node and the places of its items.
    ///
    /// # Panics
    /// If there is no such node.
    #[inline]
    #[must_use]
    pub fn node(&self, node: usize) -> (&Aabb, Range<usize>) {
        (&self.nodes[node].bounds, self.nodes[node].places())
    }

    /// The children of a node; `None` for a leaf.
    ///
    /// # Panics
    /// If there is no such node.
    #[inline]
    #[must_use]
    pub fn children(&self, node: usize) -> Option<[usize; 2]> {
        let right = self.nodes[node].right as usize;
        (right != 0).then_some([node + 1, right])
    }

    /// Visits every item that may be nearer than `reach_sq` (m²), near ones early, by its place; the visitor
    /// returns what is left of the reach.
    pub fn visit_near(&self, p: &Point3<f64>, mut reach_sq: f64, mut visit: impl FnMut(usize) -> f64) {
        if self.order.is_empty() {
            return;
        }
        let mut stack = [(0_u32, 0.0_f64); STACK];
        stack[0] = (0, self.distance_sq(0, p));
        let mut height = 1;
        while height > 0 {
            height -= 1;
            let (place, distance_sq) = stack[height];
            if distance_sq * (1.0 - ROUNDING) >= reach_sq {
                continue;
            }
            let node = &self.nodes[place as usize];
            if node.right == 0 {
                node.places().for_each(|place| reach_sq = visit(place));
                continue;
            }
            let [left, right] = [place + 1, node.right].map_inline(|c| (c, self.distance_sq(c as usize, p)));
            let [far, near] = if left.1 <= right.1 { [right, left] } else { [left, right] };
            stack[height] = far;
            stack[height + 1] = near;
            height += 2;
        }
    }

    /// Visits every item of a leaf whose box overlaps `aabb`, by its place.
    pub fn visit_overlapping(&self, aabb: &Aabb, mut visit: impl FnMut(usize)) {
        if self.order.is_empty() {
            return;
        }
        let mut place = 0;
        let mut stack = [0_u32; STACK];
        let mut height = 0;
        loop {
            let node = &self.nodes[place];
            let meets = node.bounds.overlaps(aabb);
            if meets && node.right != 0 {
                stack[height] = node.right;
                height += 1;
                place += 1;
                continue;
            }
            if meets {
                node.places().for_each(&mut visit);
            }
            if height == 0 {
                return;
            }
            height -= 1;
            place = stack[height] as usize;
        }
    }

    #[inline(always)]
    fn distance_sq(&self, node: usize, p: &Point3<f64>) -> f64 {
        let Aabb { min, max } = &self.nodes[node].bounds;
        let beyond = |k: usize| (min[k] - p[k]).max(p[k] - max[k]).max(0.0);
        let [x, y, z] = [0, 1, 2].map_inline(beyond);
        x * x + y * y + z * z
    }
}

/// What is needed of an item while the tree is built: it moves to its place, so that the items of a node lie
/// side by side.
struct PlacedItem {
    number: u32,
    bounds: Aabb,
    /// The centre, times the number of points.
    middle: [f64; 3],
}

impl PlacedItem {
    fn new<const N: usize>(number: u32, points: &[Point3<f64>; N]) -> Self {
        let middle = [0, 1, 2].map(|axis| points.iter().map(|p| p[axis]).sum());
        // Not `Aabb::of_points`, which looks for what is no number and takes twice the time.
        let bounds =
            points.iter().fold(Aabb::EMPTY, |all, p| Aabb { min: all.min.inf(p), max: all.max.sup(p) });
        Self { number, bounds, middle }
    }
}

fn build(nodes: &mut Vec<Node>, own: &mut [PlacedItem], first: usize, leaf: usize) {
    let bounds = own
        .iter()
        .map(|item| item.bounds)
        .fold(Aabb::EMPTY, |all, next| Aabb { min: all.min.inf(&next.min), max: all.max.sup(&next.max) });
    let (node, axis) = (nodes.len(), (bounds.max - bounds.min).imax());
    nodes.push(Node { bounds, right: 0, items: [first as u32, (first + own.len()) as u32] });
    if own.len() <= leaf {
        return;
    }
    let half = own.len() / 2;
    own.select_nth_unstable_by(half, |a, b| {
        a.middle[axis].total_cmp(&b.middle[axis]).then(a.number.cmp(&b.number))
    });
    let (left, right) = own.split_at_mut(half);
    build(nodes, left, first, leaf);
    nodes[node].right = nodes.len() as u32;
    build(nodes, right, first + half, leaf);
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::closest::point_triangle;

    fn triangles() -> impl Strategy<Value = Vec<[Point3<f64>; 3]>> {
        // Numbers of a lattice make equal centres, empty boxes, and points on the faces of boxes.
        let coordinate = prop_oneof![-1.0..1.0f64, (-2..3i8).prop_map(f64::from)];
        let point = prop::array::uniform3(coordinate).prop_map(Point3::from);
        prop::collection::vec(prop::array::uniform3(point), 0..60)
    }

    proptest! {
        #[test]
        fn finds_the_nearest_item_and_all_that_overlap(
            triangles in triangles(), leaf in 1usize..6,
            query in prop::array::uniform2([-2.0..2.0f64, -2.0..2.0, -2.0..2.0]),
        ) {
            let tree = BoxTree::new(&triangles, leaf);
            let [p, q] = query.map(Point3::from);
            let distance_sq = |[a, b, c]: &[Point3<f64>; 3]| point_triangle(&p, [a, b, c]).distance_sq;
            let mut least = f64::INFINITY;
            tree.visit_near(&p, least, |place| {
                least = least.min(distance_sq(&triangles[tree.order()[place] as usize]));
                least
            });
            prop_assert_eq!(least, triangles.iter().map(distance_sq).fold(f64::INFINITY, f64::min));
            let aabb = Aabb::of_points([p, q]);
            let mut met = vec![false; triangles.len()];
            tree.visit_overlapping(&aabb, |place| met[tree.order()[place] as usize] = true);
            for (triangle, met) in triangles.iter().zip(met) {
                prop_assert!(met || !Aabb::of_points(*triangle).overlaps(&aabb));
            }
        }

        #[test]
        fn every_node_holds_the_items_of_its_children(triangles in triangles(), leaf in 1usize..6) {
            let tree = BoxTree::new(&triangles, leaf);
            let mut order = tree.order().to_vec();
            order.sort_unstable();
            prop_assert_eq!(order, (0..triangles.len() as u32).collect::<Vec<_>>());
            for node in 0..tree.node_count() {
                let (bounds, places) = tree.node(node);
                let items = &tree.order()[places.clone()];
                prop_assert_eq!(*bounds, Aabb::of_points(items.iter().flat_map(|&i| triangles[i as usize])));
                match tree.children(node) {
                    None => prop_assert!(places.len() <= leaf),
                    Some([left, right]) => {
                        prop_assert_eq!(tree.node(left).1.start..tree.node(right).1.end, places);
                        prop_assert_eq!(tree.node(left).1.end, tree.node(right).1.start);
                    }
                }
            }
        }
    }
}
