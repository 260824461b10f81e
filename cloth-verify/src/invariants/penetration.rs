//! How deep cloth stands in a collider: a sheet that has fallen through the floor is free of intersections,
//! too.

use cloth_solver::Collider;
use nalgebra::Point3;

/// The greatest depth (m) of a vertex inside a collider, at the collider's pose at the end of its step; 0 if
/// none is inside.
///
/// Vertices alone are measured, as the solver treats them alone: faces of a coarse cloth cut the corners of a
/// body.
#[must_use]
pub fn deepest_penetration(positions: &[Point3<f32>], colliders: &[Collider]) -> f64 {
    let depth = |collider: &Collider, p: &Point3<f32>| {
        let local = collider.pose_t1.inverse_transform_point(p);
        -f64::from(collider.shape.nearest(&local).distance)
    };
    let depths = colliders.iter().flat_map(|c| {
        let (middle, reach_sq) = ball_around(c);
        let near = positions.iter().filter(move |&p| (p - middle).norm_squared() <= reach_sq);
        near.map(move |p| depth(c, p))
    });
    depths.fold(0.0, f64::max)
}

/// A ball that contains the collider: its middle, and the square (m2) of its radius, infinite for what has no
/// bounds.
fn ball_around(collider: &Collider) -> (Point3<f32>, f32) {
    let middle = Point3::from(collider.pose_t1.translation.vector);
    let radius = collider.shape.bounds().map(|[low, high]| low.coords.abs().sup(&high.coords.abs()).norm());
    // A hundred roundings more than the farthest corner of its box.
    (middle, radius.map_or(f32::INFINITY, |r| r * r * 1.001))
}

#[cfg(test)]
mod tests {
    use super::*;
    use cloth_solver::Shape;
    use nalgebra::Isometry3;

    #[test]
    fn the_deepest_vertex_in_the_deepest_collider_counts() {
        let at = |shape, pose| Collider::new(shape, pose, 0.0).expect("usable");
        let floor = at(Shape::Plane, Isometry3::translation(0.0, -1.0, 0.0));
        let ball = at(Shape::Sphere { radius: 0.5 }, Isometry3::translation(0.0, 1.0, 0.0));
        let moved = ball.moved_to(Isometry3::translation(0.0, 2.0, 0.0)).expect("usable");
        let points = [Point3::new(0.0, 1.25, 0.0), Point3::new(0.0, -1.125, 3.0), Point3::origin()];
        assert_eq!(deepest_penetration(&points, &[floor.clone(), ball.clone()]), 0.25);
        assert_eq!(deepest_penetration(&points, &[floor.clone(), moved]), 0.125);
        assert_eq!(deepest_penetration(&points[2..], &[floor, ball]), 0.0);
        assert_eq!(deepest_penetration(&points, &[]), 0.0);
    }

    #[test]
    fn a_vertex_in_the_corner_of_a_turned_box_counts() {
        let half_extents = nalgebra::Vector3::new(1.0, 0.5, 0.25);
        let pose =
            Isometry3::new(nalgebra::Vector3::new(3.0, -2.0, 1.0), nalgebra::Vector3::new(0.3, 1.0, -0.7));
        let bar = Collider::new(Shape::Cuboid { half_extents }, pose, 0.0).expect("usable");
        let corner = pose * Point3::new(0.98, -0.48, 0.23);
        assert!((deepest_penetration(&[corner], &[bar]) - 0.02).abs() < 1e-5);
    }
}
