//! How deep a face stands in a shape: the largest distance below the surface over all of its points.
//!
//! A vertex says nothing about the faces around it: a coarse sheet on a ball has all vertices outside and the
//! ball in the middle of its faces. The depths here are never below the true value, and at most
//! [`TOLERANCE`] and [`RELATIVE_TOLERANCE`] above it.
//!
//! ```text
//! plane, sphere, capsule   closed forms
//! box                      the face clipped by the box, shrunk by a depth that is bisected
//! other convex shapes      subdivision; bounds by tangent planes
//! meshes                   subdivision; bounds by distances from a face
//! voxels                   subdivision; a point is at most its distance from the centre deeper
//! compound                 the deepest of its parts
//! ```
//!
//! **Tangent planes.** The signed distance from a convex set is a convex function. So it lies above its
//! tangent plane at any point, and over a triangle that plane is lowest at a corner. The bound misses the
//! true value by the square of the size of the triangle, where the distance alone (as in [`mod@reference`])
//! misses it by the size.

#[doc(hidden)]
pub mod reference;

use cloth_geom::bounds::gamma_f32;
use cloth_geom::closest::{point_triangle, segment_segment};
use nalgebra::{Isometry3, Point3, UnitQuaternion, Vector3};

use super::compound::Part;
use super::{Collider, Nearest, Shape};

/// How far (m) a depth may lie above the true one, in addition to [`RELATIVE_TOLERANCE`]: a tenth of a
/// millimetre is thinner than any cloth.
pub const TOLERANCE: f64 = 1.0e-4;

/// How far a depth may lie above the true one, as a share of it.
pub const RELATIVE_TOLERANCE: f64 = 0.01;

/// Share of the tolerances at which subdivision ends; the rest is left to rounding.
const USED: f64 = 0.5;

/// Error of a signed distance in `f32`, as a share of the size of shape and face: chains of fewer roundings.
const F32_ERROR: f64 = gamma_f32(32) as f64;

/// More than what squares that underflow in `f32` can take from a distance (m): `2^-61`.
const F32_UNDERFLOW: f64 = 1.0 / (1_u64 << 61) as f64;

/// Error of the closed forms in `f64`, as a share of the same. A size is that of a coordinate of `f32`, so
/// that the share of it is far above what squares can lose to underflow in `f64`.
const F64_ERROR: f64 = 1.0e-12;

/// Error (m) of a signed distance in `f32`.
fn error_in_f32(size: f64) -> f64 {
    (F32_ERROR * size).max(F32_UNDERFLOW)
}

/// The point of a face that is deepest in a shape.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct DeepestPoint {
    /// Weights of the three corners; their sum is 1.
    pub weights: [f64; 3],
    /// Depth (m) of the face below the surface: that of the point, or more by the tolerances.
    pub depth: f64,
}

/// A shape with its pose in `f64`, for many faces.
#[derive(Clone, Copy, Debug)]
pub struct PosedShape<'a> {
    shape: &'a Shape,
    pose: Isometry3<f64>,
    /// Size (m) with which rounding errors scale.
    size: f64,
}

impl Collider {
    /// The shape at the end of the step.
    #[must_use]
    pub fn shape_t1(&self) -> PosedShape<'_> {
        PosedShape::new(&self.shape, &self.pose_t1)
    }
}

impl<'a> PosedShape<'a> {
    /// A shape with a pose.
    #[must_use]
    pub fn new(shape: &'a Shape, pose: &Isometry3<f32>) -> Self {
        // A quaternion of `f32` has a length that is 1 but for a rounding, which would scale the face.
        let rotation = UnitQuaternion::new_normalize(pose.rotation.into_inner().cast());
        let pose = Isometry3::from_parts(pose.translation.cast(), rotation);
        let farthest = |[low, high]: [Point3<f32>; 2]| low.coords.amax().max(high.coords.amax());
        Self { shape, pose, size: shape.bounds().map_or(0.0, farthest).into() }
    }

    /// The deepest point of a face with corners in the world (m), if it is deeper than `above` (m; 0 for any
    /// depth). A face of which a corner is not finite is nowhere.
    ///
    /// A two-sided surface has no inside. The distance from a one-sided one jumps behind its border: there a
    /// depth may be missed where less than the tolerance of a face lies behind the surface.
    #[must_use]
    pub fn deepest_point(&self, face: [&Point3<f32>; 3], above: f64) -> Option<DeepestPoint> {
        let face = face.map(|p| self.pose.inverse_transform_point(&p.cast()));
        let farthest = face.iter().fold(self.size, |most, p| most.max(p.coords.amax()));
        if !(farthest.is_finite() && face.iter().all(|p| p.coords.sum().is_finite())) {
            return None;
        }
        deepest_point(self.shape, &face, above.max(0.0), farthest)
    }
}

/// As [`PosedShape::deepest_point`], in the frame of the shape; no coordinate is beyond `size` (m). Where the
/// shape is a box, `above` must not be negative.
fn deepest_point(shape: &Shape, face: &[Point3<f64>; 3], above: f64, size: f64) -> Option<DeepestPoint> {
    let rounding = F64_ERROR * size;
    let (weights, depth) = match *shape {
        Shape::Plane => {
            let lowest = (0..3).min_by(|&a, &b| face[a].y.total_cmp(&face[b].y))?;
            (corner(lowest), -face[lowest].y)
        }
        Shape::Sphere { radius } => {
            let [a, b, c] = face;
            let found = point_triangle(&Point3::origin(), [a, b, c]);
            (found.weights, f64::from(radius) - found.distance_sq.sqrt())
        }
        Shape::Capsule { half_length, radius } => {
            let axis = [-1.0, 1.0].map(|sign| Point3::new(0.0, sign * f64::from(half_length), 0.0));
            let (weights, distance_sq) = segment_triangle(&axis, face);
            (weights, f64::from(radius) - distance_sq.sqrt())
        }
        Shape::Cuboid { half_extents } => in_cuboid(&half_extents.cast(), face, above)?,
        Shape::TaperedCapsule { .. } | Shape::Cylinder { .. } | Shape::Cone { .. } | Shape::Hull(_) => {
            let error = error_in_f32(size);
            return subdivide(below_tangent_plane(shape, error), face, above, error);
        }
        Shape::Mesh(ref mesh) => {
            let depth_over = |cell: &[_; 3], centre: &_| mesh.depth_over(cell, centre, above, rounding);
            return subdivide(depth_over, face, above, rounding);
        }
        #[cfg(feature = "parry")]
        Shape::Parry(_) => {
            let error = error_in_f32(size);
            return subdivide(by_distance(shape, error), face, above, error);
        }
        Shape::Compound(ref compound) => {
            let in_parts = compound.parts().iter().filter_map(|part| deepest_in_part(part, face, above));
            return in_parts.max_by(|a, b| a.depth.total_cmp(&b.depth));
        }
    };
    (depth + rounding > above).then_some(DeepestPoint { weights, depth: depth + rounding })
}

/// As [`deepest_point`], of a part of a compound.
fn deepest_in_part(part: &Part, face: &[Point3<f64>; 3], above: f64) -> Option<DeepestPoint> {
    let posed = PosedShape::new(&part.shape, &part.pose);
    let local = face.map(|p| posed.pose.inverse_transform_point(&p));
    let size = local.iter().fold(posed.size, |most, p| most.max(p.coords.amax()));
    let rounding = f64::from(part.rounding);
    // Within the rounding a face is outside of the inner shape, of which a box knows no distance.
    let inner = match part.shape {
        Shape::Cuboid { .. } if rounding > 0.0 => {
            let error = error_in_f32(size);
            subdivide(below_tangent_plane(&part.shape, error), &local, above - rounding, error)
        }
        _ => deepest_point(&part.shape, &local, above - rounding, size),
    };
    inner.map(|found| DeepestPoint { depth: found.depth + rounding, ..found })
}

/// The weights of a corner.
fn corner(k: usize) -> [f64; 3] {
    std::array::from_fn(|i| if i == k { 1.0 } else { 0.0 })
}

fn at(face: &[Point3<f64>; 3], weights: &[f64; 3]) -> Point3<f64> {
    Point3::from((0..3).map(|k| face[k].coords * weights[k]).sum::<Vector3<f64>>())
}

/// The point of a triangle that is nearest to a segment, and the square (m2) of its distance.
///
/// The distance from a segment is convex on the triangle. Where the nearest point of the edges is a corner,
/// it rises along both edges there, and therefore everywhere; where it is the inner point of an edge, the
/// third corner decides; else it is nearest to an end of the segment, or met by it.
pub(super) fn segment_triangle(segment: &[Point3<f64>; 2], face: &[Point3<f64>; 3]) -> ([f64; 3], f64) {
    let mut best = ([1.0, 0.0, 0.0], f64::INFINITY);
    let mut rises = true;
    for k in 0..3 {
        let next = (k + 1) % 3;
        let found = segment_segment([&face[k], &face[next]], [&segment[0], &segment[1]]);
        if found.distance_sq < best.1 {
            let mut weights = [0.0; 3];
            (weights[k], weights[next]) = (1.0 - found.s, found.s);
            best = (weights, found.distance_sq);
            let is_corner = found.s == 0.0 || found.s == 1.0;
            let on_edge = face[k] + (face[next] - face[k]) * found.s;
            let on_segment = segment[0] + (segment[1] - segment[0]) * found.t;
            rises = is_corner || (on_edge - on_segment).dot(&(face[(k + 2) % 3] - on_edge)) >= 0.0;
        }
    }
    if rises {
        return best;
    }
    let [a, b, c] = face;
    let normal = (b - a).cross(&(c - a));
    let [from, to] = [0, 1].map(|end| normal.dot(&(segment[end] - a)));
    // Where the segment meets the plane, it is as near as the triangle is to that point.
    let meets = (from > 0.0) != (to > 0.0) && from != to;
    let middle = meets.then(|| segment[0] + (segment[1] - segment[0]) * (from / (from - to)));
    for p in segment.iter().chain(&middle) {
        let found = point_triangle(p, [a, b, c]);
        if found.distance_sq < best.1 {
            best = (found.weights, found.distance_sq);
        }
    }
    best
}

/// A point and the depth (m) of a face in a box: of all depths by which the box can shrink and still meet the
/// face, the largest, by bisection.
fn in_cuboid(half: &Vector3<f64>, face: &[Point3<f64>; 3], above: f64) -> Option<([f64; 3], f64)> {
    // Below each of the six sides, at each corner.
    let below: [[f64; 3]; 6] = std::array::from_fn(|side| {
        let (axis, sign) = (side / 2, if side % 2 == 0 { 1.0 } else { -1.0 });
        std::array::from_fn(|k| half[axis] - sign * face[k][axis])
    });
    let most = |of: &[f64; 3]| of.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let mut high = below.iter().map(most).fold(f64::INFINITY, f64::min);
    let mut low = above;
    let mut weights = if high > above { clip(&below, above)? } else { return None };
    while high - low > USED * (TOLERANCE + RELATIVE_TOLERANCE * low) {
        let middle = 0.5 * (low + high);
        match clip(&below, middle) {
            Some(found) => (low, weights) = (middle, found),
            None => high = middle,
        }
    }
    Some((weights, high))
}

/// Weights of a point of a face that is at least `depth` below all six sides, given how far its corners are.
fn clip(below: &[[f64; 3]; 6], depth: f64) -> Option<[f64; 3]> {
    /// A triangle has at most one more corner after every cut.
    const CORNERS: usize = 9;
    let mut polygon = [[0.0; 3]; CORNERS];
    let mut count = 3;
    (0..3).for_each(|k| polygon[k] = corner(k));
    for side in below {
        let height = |w: &[f64; 3]| (0..3).map(|k| side[k] * w[k]).sum::<f64>() - depth;
        let (whole, all) = (polygon, count);
        count = 0;
        for k in 0..all {
            let (here, next) = (&whole[k], &whole[(k + 1) % all]);
            let (h, n) = (height(here), height(next));
            if h >= 0.0 {
                polygon[count] = *here;
                count += 1;
            }
            if (h >= 0.0) != (n >= 0.0) && count < CORNERS {
                polygon[count] = std::array::from_fn(|i| here[i] + (next[i] - here[i]) * (h / (h - n)));
                count += 1;
            }
            if count == CORNERS {
                break;
            }
        }
    }
    let mean = |i| polygon[..count].iter().map(|w| w[i]).sum::<f64>() / count as f64;
    (count > 0).then(|| std::array::from_fn(mean))
}

/// The depth (m) of the centre of a cell, and a bound of that of all of its points: the farthest of its
/// corners, away from the centre, deeper. `error` (m) is that of a distance.
#[cfg(feature = "parry")]
fn by_distance(shape: &Shape, error: f64) -> impl Fn(&[Point3<f64>; 3], &Point3<f64>) -> [f64; 2] {
    move |cell, centre| {
        let depth = -f64::from(shape.nearest(&centre.cast()).distance);
        let radius = cell.iter().map(|p| (p - centre).norm()).fold(0.0, f64::max);
        [depth, depth + radius + error]
    }
}

/// As [`by_distance`], of a convex shape: as deep as the tangent plane of the distance is.
fn below_tangent_plane(shape: &Shape, error: f64) -> impl Fn(&[Point3<f64>; 3], &Point3<f64>) -> [f64; 2] {
    move |cell, centre| {
        let near: Point3<f32> = centre.cast();
        let Nearest { normal, distance } = shape.nearest(&near);
        let (near, normal, depth) = (near.cast::<f64>(), normal.cast::<f64>(), -f64::from(distance));
        let deeper = cell.iter().map(|p| -normal.dot(&(p - near))).fold(f64::NEG_INFINITY, f64::max);
        [depth, depth + deeper + error]
    }
}

/// A part of a face, by the weights of its corners.
type Cell = [[f64; 3]; 3];

/// The cells that are still to be divided: three more a level, each half the size, until a cell is smaller
/// than the tolerance.
struct Cells {
    cells: [Cell; Self::MOST],
    count: usize,
}

impl Cells {
    /// Room for thirty levels: after those the cells of a face of 1 km are below a tenth of the tolerance.
    const MOST: usize = 96;

    fn pop(&mut self) -> Option<Cell> {
        self.count = self.count.checked_sub(1)?;
        Some(self.cells[self.count])
    }

    /// Whether there is room for the parts of a cell, which are added.
    fn divide(&mut self, [a, b, c]: &Cell) -> bool {
        if self.count + 4 > Self::MOST {
            return false;
        }
        let middle = |p: &[f64; 3], q: &[f64; 3]| std::array::from_fn(|k| 0.5 * (p[k] + q[k]));
        let (ab, bc, ca) = (middle(a, b), middle(b, c), middle(c, a));
        for cell in [[*a, ab, ca], [ab, *b, bc], [ca, bc, *c], [ab, bc, ca]] {
            self.cells[self.count] = cell;
            self.count += 1;
        }
        true
    }
}

/// The deepest point by subdivision, given the depth of the centre of a cell, wrong by at most `error` (m),
/// and a bound of that of all of its points.
fn subdivide(
    depth_over: impl Fn(&[Point3<f64>; 3], &Point3<f64>) -> [f64; 2],
    face: &[Point3<f64>; 3],
    above: f64,
    error: f64,
) -> Option<DeepestPoint> {
    let mut best = DeepestPoint { weights: [1.0 / 3.0; 3], depth: f64::NEG_INFINITY };
    let mut most = f64::NEG_INFINITY;
    let mut cells = Cells { cells: [[[0.0; 3]; 3]; Cells::MOST], count: 1 };
    cells.cells[0] = [corner(0), corner(1), corner(2)];
    while let Some(cell) = cells.pop() {
        let weights = std::array::from_fn(|k| (cell[0][k] + cell[1][k] + cell[2][k]) / 3.0);
        let [depth, cell_most] = depth_over(&cell.map(|w| at(face, &w)), &at(face, &weights));
        if depth > best.depth {
            best = DeepestPoint { weights, depth };
        }
        if cell_most <= above {
            continue;
        }
        let enough = best.depth + error + USED * (TOLERANCE + RELATIVE_TOLERANCE * best.depth.max(0.0));
        if cell_most <= enough || !cells.divide(&cell) {
            most = most.max(cell_most);
        }
    }
    let depth = most.max(best.depth + error);
    (depth > above).then_some(DeepestPoint { depth, ..best })
}
