//! A tree of boxes over faces, for the nearest one and for those along a segment.
//!
//! Nodes lie in the order of a descent: the left child follows its parent, the right one is named. Halving by
//! medians keeps the depth below the logarithm of the number of faces, so a short stack always suffices.

use cloth_geom::bounds::{U64, gamma};
use nalgebra::{Point3, Vector3};

/// Faces in a leaf.
const LEAF: usize = 4;

/// Deeper than the halvings of 2^32 faces; a descent leaves one node behind on each level.
const STACK: usize = 64;

/// Share of a squared distance from a box that its rounding could cost: a difference counts twice, a square,
/// two sums. Which of two faces that are equally near up to the rounding of their own distances is found
/// first does not matter.
const ROUNDING: f64 = gamma(8, U64);

struct Node {
    min: Point3<f64>,
    max: Point3<f64>,
    /// The place of the right child; 0 for a leaf.
    right: u32,
    /// The faces of a leaf, as a range of the order.
    faces: [u32; 2],
}

/// Boxes over faces.
pub(super) struct Tree {
    nodes: Vec<Node>,
    order: Vec<u32>,
}

impl Tree {
    pub(super) fn new(corners: &[[Point3<f64>; 3]]) -> Self {
        let mut tree = Self { nodes: Vec::new(), order: (0..corners.len() as u32).collect() };
        let mut order = std::mem::take(&mut tree.order);
        tree.build(corners, &mut order, 0);
        tree.order = order;
        tree
    }

    fn build(&mut self, corners: &[[Point3<f64>; 3]], faces: &mut [u32], first: usize) {
        let points = || faces.iter().flat_map(|&f| &corners[f as usize]);
        let least = Vector3::repeat(f64::INFINITY);
        let min = points().fold(Point3::from(least), |low, p| low.inf(p));
        let max = points().fold(Point3::from(-least), |high, p| high.sup(p));
        let place = self.nodes.len();
        let range = [first as u32, (first + faces.len()) as u32];
        self.nodes.push(Node { min, max, right: 0, faces: range });
        if faces.len() <= LEAF {
            return;
        }
        let axis = (max - min).imax();
        let middle = |f: &u32| corners[*f as usize].iter().map(|p| p[axis]).sum::<f64>();
        let half = faces.len() / 2;
        faces.select_nth_unstable_by(half, |a, b| middle(a).total_cmp(&middle(b)).then(a.cmp(b)));
        let (left, right) = faces.split_at_mut(half);
        self.build(corners, left, first);
        self.nodes[place].right = self.nodes.len() as u32;
        self.build(corners, right, first + half);
    }

    /// Visits every face that may be nearer than `reach_sq` (m²), near ones early; the visitor returns what
    /// is left of the reach.
    pub(super) fn visit_near(&self, p: &Point3<f64>, reach_sq: f64, mut visit: impl FnMut(usize) -> f64) {
        let mut reach_sq = reach_sq;
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
                for &face in &self.order[node.faces[0] as usize..node.faces[1] as usize] {
                    reach_sq = visit(face as usize);
                }
                continue;
            }
            let [left, right] = [place + 1, node.right].map(|c| (c, self.distance_sq(c as usize, p)));
            let [far, near] = if left.1 <= right.1 { [right, left] } else { [left, right] };
            stack[height] = far;
            stack[height + 1] = near;
            height += 2;
        }
    }

    /// Visits every face whose box may meet the box around the segment from `a` to `b`.
    pub(super) fn visit_along(&self, a: &Point3<f64>, b: &Point3<f64>, mut visit: impl FnMut(usize)) {
        let (low, high) = (a.inf(b), a.sup(b));
        let mut place = 0;
        let mut stack = [0_u32; STACK];
        let mut height = 0;
        loop {
            let node = &self.nodes[place];
            let meets = (0..3).all(|k| node.min[k] <= high[k] && low[k] <= node.max[k]);
            if meets && node.right != 0 {
                stack[height] = node.right;
                height += 1;
                place += 1;
                continue;
            }
            if meets {
                let faces = &self.order[node.faces[0] as usize..node.faces[1] as usize];
                faces.iter().for_each(|&f| visit(f as usize));
            }
            if height == 0 {
                return;
            }
            height -= 1;
            place = stack[height] as usize;
        }
    }

    fn distance_sq(&self, place: usize, p: &Point3<f64>) -> f64 {
        let node = &self.nodes[place];
        let beyond = |k: usize| (node.min[k] - p[k]).max(p[k] - node.max[k]).max(0.0);
        let [x, y, z] = [0, 1, 2].map(beyond);
        x * x + y * y + z * z
    }
}
