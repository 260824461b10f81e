//! How deep a triangle may be below the surface of a mesh: bounds that miss the true value by less than the
//! size of the triangle.

use cloth_geom::Aabb;
use cloth_geom::bounds::{U64, gamma};
use cloth_geom::closest::point_triangle;
use nalgebra::Point3;

use super::{Mesh, MeshShape, MeshSides};

/// Least distance of two triangles that are reported as apart, as a share of their coordinates: more
/// than the roundings of a plane, and of a pose before it.
const APART: f64 = gamma(256, U64);

impl MeshShape {
    /// The depth (m) of a point of a triangle below the surface, and a bound of the depth of all of its
    /// points: the least of
    ///
    /// * the depth of the point, and the distance from it to the farthest corner;
    /// * the distance of the farthest corner from the face of the mesh that is nearest to the point: no point
    ///   is farther from the mesh than from one of its faces, and the distance from a face is convex;
    /// * 0, if the point is outside and the triangle does not meet the surface.
    ///
    /// The first two are more by `rounding` (m), the error of a distance. Once a bound is at most `above`
    /// (m), no lesser one is looked for. The distance from a mesh with a border jumps, so that there the last
    /// bound needs a border that is out of reach.
    pub(in crate::collider) fn depth_over(
        &self,
        triangle: &[Point3<f64>; 3],
        point: &Point3<f64>,
        above: f64,
        rounding: f64,
    ) -> [f64; 2] {
        let mesh = &*self.0;
        let Some(foot) = mesh.foot(point, f64::INFINITY, |_| true) else {
            return [f64::NEG_INFINITY; 2];
        };
        let depth = -mesh.stand(point, &foot).1;
        let radius = triangle.iter().map(|p| (p - point).norm()).fold(0.0, f64::max);
        // Nothing is below a surface with two sides.
        let deepest = if mesh.sides == MeshSides::TwoSided { 0.0 } else { f64::INFINITY };
        let by_point = deepest.min(depth + radius + rounding);
        if by_point <= above {
            return [depth, by_point];
        }
        if depth < 0.0 && !mesh.border_within(point, 2.0 * radius - depth) && !mesh.meets(triangle) {
            return [depth, 0.0];
        }
        let [a, b, c] = &mesh.corners[foot.face];
        let from_face = |p: &Point3<f64>| point_triangle(p, [a, b, c]).distance_sq;
        let by_face = triangle.iter().map(from_face).fold(0.0, f64::max).sqrt();
        [depth, by_point.min(by_face + rounding)]
    }
}

impl Mesh {
    /// Whether part of the border of a surface with one side may be within `reach` (m) of a point.
    fn border_within(&self, p: &Point3<f64>, reach: f64) -> bool {
        let mut found = false;
        self.border.visit_near(p, reach * reach, |_| {
            found = true;
            0.0
        });
        found
    }

    /// Whether a triangle may meet the surface: false only if a plane that contains one of both triangles is
    /// between it and every face whose box it meets.
    fn meets(&self, triangle: &[Point3<f64>; 3]) -> bool {
        let mut found = false;
        let margin = APART * triangle.iter().fold(1.0, |most: f64, p| most.max(p.coords.amax()));
        self.tree.visit_overlapping(&Aabb::of_points(*triangle).inflated(margin), |place| {
            let face = &self.corners[self.tree.order()[place] as usize];
            found |= !(is_beside(triangle, face, margin) || is_beside(face, triangle, margin));
        });
        found
    }
}

/// Whether all of `points` are on the same side of the plane of a triangle, by `margin` (m) at least.
fn is_beside([a, b, c]: &[Point3<f64>; 3], points: &[Point3<f64>; 3], margin: f64) -> bool {
    let normal = (b - a).cross(&(c - a));
    let heights = points.map(|p| normal.dot(&(p - a)));
    // The squares of a tiny normal underflow, and products with it.
    let least = margin * normal.norm().max(normal.amax()) + f64::MIN_POSITIVE;
    heights.iter().all(|&h| h > least) || heights.iter().all(|&h| h < -least)
}
