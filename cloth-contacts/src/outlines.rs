//! A coarse outline of each primitive, and a lower bound of the distance between two of them.
//!
//! ```text
//!      |--ext_a--|      gap      |--ext_b--|
//!   ---a---------+---------------+---------b---> along the line of centres
//! ```
//!
//! The two primitives lie apart by at least the gap between their projections on the line through their centres.
//! On cloth most pairs whose balls touch are proved out of reach by this without a closest point.
//!
//! **Rounding.** With `u = 2^-24`, `M` the greatest magnitude of a coordinate and `L` the greatest length that enters (of the two
//! patches together, or the reach within which is asked):
//!
//! - A centre is a sum of a position and a half extent: each coordinate is off by `u M` and by `u` of the half extent, which is a
//!   difference and off by `u` of itself. The primitive that an outline describes is then within `sqrt(3) (3 u M)` of the true one,
//!   both together within `10.4 u M`.
//! - From the centres on, only differences are used: the squared distance has 5 roundings, a scalar product 4, quotient and root one
//!   each, and radius and extents are no longer than `L`: `16 u L` at most.
//!
//! [`rounding`] is `16 u M + 32 u L`, which also covers how `pairing` compares outlines with boxes and along a line.

use cloth_geom::bounds::{U32, Upper, gamma, raise_f32};
use nalgebra::{Point3, Vector3};

use crate::patches::Patches;
use crate::{Motion, Surface};

/// A segment by its middle.
#[derive(Clone, Copy, Debug)]
pub(crate) struct EdgeOutline {
    pub(crate) centre: Point3<f32>,
    /// From the middle to one end.
    pub(crate) half: Vector3<f32>,
    pub(crate) radius: f32,
}

/// A triangle by its centroid.
#[derive(Clone, Copy, Debug)]
pub(crate) struct FaceOutline {
    pub(crate) centre: Point3<f32>,
    /// From the centroid to the corners.
    pub(crate) corners: [Vector3<f32>; 3],
    pub(crate) radius: f32,
}

/// A raise of each radius that covers its rounding: a difference, three squares, two sums, a root.
const RAISED: f32 = raise_f32(8);

/// What the bounds of this module can be too high by (m), for primitives with coordinates of this magnitude (m) and lengths up to
/// `size`; see the module.
pub(crate) fn rounding(magnitude: f32, size: Upper) -> Upper {
    Upper::from(magnitude).times(gamma(16, U32)) + size.times(gamma(32, U32))
}

impl EdgeOutline {
    fn new([a, b]: [&Point3<f32>; 2]) -> Self {
        let half = (b - a) * 0.5;
        Self { centre: a + half, half, radius: half.norm() * RAISED }
    }
}

impl FaceOutline {
    fn new([a, b, c]: [&Point3<f32>; 3]) -> Self {
        let (ab, ac) = (b - a, c - a);
        let middle = (ab + ac) * (1.0 / 3.0);
        let corners = [-middle, ab - middle, ac - middle];
        let radius = corners.iter().fold(0.0_f32, |most, c| most.max(c.norm_squared())).sqrt() * RAISED;
        Self { centre: a + middle, corners, radius }
    }
}

/// Lower bound (m) of the distance of two edges, if it may be at most `within` (m); up to rounding.
#[inline]
pub(crate) fn edges_apart(a: &EdgeOutline, b: &EdgeOutline, within: f32) -> Option<f32> {
    let between = b.centre - a.centre;
    let (length_sq, near) = (between.norm_squared(), a.radius + b.radius + within);
    if length_sq > near * near {
        return None;
    }
    let length = length_sq.sqrt();
    let extents = a.half.dot(&between).abs() + b.half.dot(&between).abs();
    bound(length_sq, extents, length, within)
}

/// Lower bound (m) of the distance of a point from a face, if it may be at most `within` (m); up to rounding.
#[inline]
pub(crate) fn point_apart(point: &Point3<f32>, face: &FaceOutline, within: f32) -> Option<f32> {
    let between = point - face.centre;
    let (length_sq, near) = (between.norm_squared(), face.radius + within);
    if length_sq > near * near {
        return None;
    }
    let length = length_sq.sqrt();
    let [u, v, w] = face.corners.map(|c| c.dot(&between));
    bound(length_sq, u.max(v).max(w), length, within)
}

/// The gap `length - extents / length`, if it is at most `within`, or 0 if there is none. Written so that a NaN keeps
/// the pair, at 0.
#[inline]
fn bound(length_sq: f32, extents: f32, length: f32, within: f32) -> Option<f32> {
    let scaled = length_sq - extents;
    if scaled > within * length {
        return None;
    }
    Some((scaled / length).max(0.0))
}

/// The outlines of all primitives, made for a patch when it is asked for.
#[derive(Clone, Debug, Default)]
pub(crate) struct Outlines {
    edges: Vec<EdgeOutline>,
    faces: Vec<FaceOutline>,
    /// The step for which each patch's outlines were made.
    made: Vec<u32>,
    step: u32,
}

impl Outlines {
    /// A new step begins: all outlines are stale.
    pub(crate) fn begin(&mut self, patches: &Patches) {
        let count = patches.count() as usize;
        let wraps = self.step == u32::MAX;
        if wraps || self.made.len() != count {
            let nothing = Vector3::zeros();
            let edge = EdgeOutline { centre: Point3::origin(), half: nothing, radius: 0.0 };
            let face = FaceOutline { centre: Point3::origin(), corners: [nothing; 3], radius: 0.0 };
            self.edges.resize(patches.edges.item_count(), edge);
            self.faces.resize(patches.faces.item_count(), face);
            self.made.clear();
            self.made.resize(count, 0);
            self.step = 0;
        }
        self.step += 1;
    }

    /// Makes a patch's outlines, if they are stale.
    pub(crate) fn make(&mut self, surface: &Surface, motion: &Motion<'_>, patch: u32) {
        if self.made[patch as usize] == self.step {
            return;
        }
        self.made[patch as usize] = self.step;
        let patches = &surface.patches;
        let at = |v: u32| &motion.positions[v as usize];
        let edges = self.edges[patches.edges.range(patch)].iter_mut();
        for (outline, &e) in edges.zip(patches.edges.row(patch)) {
            *outline = EdgeOutline::new(surface.topology.edges()[e as usize].map(at));
        }
        let faces = self.faces[patches.faces.range(patch)].iter_mut();
        for (outline, &f) in faces.zip(patches.faces.row(patch)) {
            *outline = FaceOutline::new(surface.topology.faces()[f as usize].map(at));
        }
    }

    /// The outlines of a patch's edges, in the order of its row.
    pub(crate) fn edges(&self, patches: &Patches, patch: u32) -> &[EdgeOutline] {
        &self.edges[patches.edges.range(patch)]
    }

    /// The outlines of a patch's faces, in the order of its row.
    pub(crate) fn faces(&self, patches: &Patches, patch: u32) -> &[FaceOutline] {
        &self.faces[patches.faces.range(patch)]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use cloth_geom::closest::{point_triangle, segment_segment};
    use proptest::prelude::*;

    fn point() -> impl Strategy<Value = Point3<f32>> {
        [-1.0f32..1.0, -1.0f32..1.0, -0.2f32..0.2].prop_map(Point3::from)
    }

    proptest! {
        #[test]
        fn bounds_never_exceed_the_distance(p in [point(), point(), point(), point()], within in 0.0f32..0.5) {
            let [a, b, c, d] = &p;
            let exact = segment_segment([a, b], [c, d]).distance_sq.sqrt();
            match edges_apart(&EdgeOutline::new([a, b]), &EdgeOutline::new([c, d]), within) {
                Some(bound) => prop_assert!(bound <= exact + 1e-6),
                None => prop_assert!(exact > within - 1e-6),
            }
            let exact = point_triangle(a, [b, c, d]).distance_sq.sqrt();
            match point_apart(a, &FaceOutline::new([b, c, d]), within) {
                Some(bound) => prop_assert!(bound <= exact + 1e-6),
                None => prop_assert!(exact > within - 1e-6),
            }
        }
    }

    #[test]
    fn most_neighbours_on_a_flat_sheet_are_proved_out_of_reach() {
        let at = |x: f32, y: f32| Point3::new(x, y, 0.0);
        let side = |x: f32| EdgeOutline::new([&at(x, 0.0), &at(x, 1.0)]);
        assert_eq!(edges_apart(&side(0.0), &side(1.0), 0.9), None);
        assert_eq!(edges_apart(&side(0.0), &side(1.0), 1.0), Some(1.0));
        assert_eq!(edges_apart(&side(0.0), &side(0.0), 1.0), Some(0.0));
        let face = FaceOutline::new([&at(0.0, 0.0), &at(1.0, 0.0), &at(0.0, 1.0)]);
        assert_eq!(point_apart(&at(2.0, 2.0), &face, 1.0), None);
        assert!(point_apart(&at(2.0, 2.0), &face, 2.2).is_some());
    }
}
