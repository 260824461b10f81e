//! How deep cloth stands in a collider: a sheet that has fallen through the floor is free of intersections,
//! too.
//!
//! Measured on faces, in every substep. A vertex says little about the faces around it: those of a coarse
//! cloth are pierced by a ball while all their vertices are outside.

use cloth_solver::{AcceptedMotion, Collider};
use nalgebra::Point3;

/// The face that stood deepest in a collider.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct DeepFace {
    /// Its greatest depth (m) below the surface of the collider, see
    /// [`cloth_contacts::collider::face_depth`].
    pub depth: f64,
    /// Its index among the faces of all cloths.
    pub face: usize,
    /// Its corners among the vertices of all cloths.
    pub corners: [u32; 3],
    /// Index of the collider.
    pub collider: usize,
    /// The frame in which that was, from 1.
    pub frame: usize,
}

/// Measures the depth of every face of cloth in every collider after every substep.
///
/// Blocks of consecutive faces that cannot be deeper than what was found before are left out.
#[derive(Clone, Debug, Default)]
pub struct DepthObserver {
    faces: Vec<[u32; 3]>,
    balls: Vec<Ball>,
    deepest: Option<DeepFace>,
}

/// Faces in a block.
const BLOCK: usize = 8;

/// A ball around a block of faces.
#[derive(Clone, Copy, Debug)]
struct Ball {
    middle: Point3<f32>,
    /// Radius (m).
    radius: f32,
}

/// More than 1 by some roundings of a sum of squares and of a distance in `f32`.
const ROUNDED: f32 = 1.0 + 1.0e-5;

impl Ball {
    fn around(points: impl Iterator<Item = Point3<f32>> + Clone) -> Self {
        let none = [Point3::from([f32::INFINITY; 3]), Point3::from([f32::NEG_INFINITY; 3])];
        let [low, high] = points.clone().fold(none, |[low, high], p| [low.inf(&p), high.sup(&p)]);
        let middle = nalgebra::center(&low, &high);
        let radius_sq = points.map(|p| (p - middle).norm_squared()).fold(0.0, f32::max);
        Self { middle, radius: radius_sq.sqrt() * ROUNDED }
    }

    /// Whether some point of it may be deeper than `above` (m) in a collider.
    fn reaches(&self, collider: &Collider, bounds: &Ball, above: f32) -> bool {
        let near = (self.radius + bounds.radius) * ROUNDED;
        if (self.middle - bounds.middle).norm_squared() > near * near {
            return false;
        }
        let local = collider.pose_t1.inverse_transform_point(&self.middle);
        let size = 1.0e-6 * (local.coords.amax() + self.middle.coords.amax());
        self.radius - collider.shape.nearest(&local).distance + size > above
    }
}

impl DepthObserver {
    /// An observer of cloths with these faces.
    #[must_use]
    pub fn new(faces: Vec<[u32; 3]>) -> Self {
        Self { faces, ..Self::default() }
    }

    /// Measures the end of a substep of a frame, counted from 1.
    pub fn motion(&mut self, frame: usize, motion: &AcceptedMotion<'_>) {
        self.observe(frame, motion.x_t1, motion.colliders);
    }

    /// Measures a state; colliders are where their steps end.
    pub fn observe(&mut self, frame: usize, x: &[Point3<f32>], colliders: &[Collider]) {
        if colliders.is_empty() {
            return;
        }
        let blocks = self.faces.chunks(BLOCK);
        self.balls.clear();
        self.balls
            .extend(blocks.clone().map(|block| Ball::around(block.iter().flatten().map(|&v| x[v as usize]))));
        for (index, collider) in colliders.iter().enumerate() {
            let (posed, bounds) = (collider.shape_t1(), ball_around(collider));
            for (first, (block, ball)) in blocks.clone().zip(&self.balls).enumerate() {
                let above = self.deepest.map_or(0.0, |found| found.depth);
                if !ball.reaches(collider, &bounds, above as f32) {
                    continue;
                }
                for (k, face) in block.iter().enumerate() {
                    let above = self.deepest.map_or(0.0, |found| found.depth);
                    let found = posed.deepest_point(face.map(|v| &x[v as usize]), above);
                    self.deepest = found.map_or(self.deepest, |point| {
                        let (face, corners) = (BLOCK * first + k, *face);
                        Some(DeepFace { depth: point.depth, face, corners, collider: index, frame })
                    });
                }
            }
        }
    }

    /// The deepest face until now; none if no point of a face was in a collider.
    #[must_use]
    pub fn deepest(&self) -> Option<DeepFace> {
        self.deepest
    }
}

/// The greatest depth (m) of a vertex inside a collider, at the collider's pose at the end of its step; 0 if
/// none is inside.
#[must_use]
pub fn deepest_vertex(positions: &[Point3<f32>], colliders: &[Collider]) -> f64 {
    let depth = |collider: &Collider, p: &Point3<f32>| {
        let local = collider.pose_t1.inverse_transform_point(p);
        -f64::from(collider.shape.nearest(&local).distance)
    };
    let depths = colliders.iter().flat_map(|c| {
        let Ball { middle, radius } = ball_around(c);
        let near = positions.iter().filter(move |&p| (p - middle).norm_squared() <= radius * radius);
        near.map(move |p| depth(c, p))
    });
    depths.fold(0.0, f64::max)
}

/// A ball that contains the collider at the end of its step, infinite for what has no bounds.
fn ball_around(collider: &Collider) -> Ball {
    let middle = Point3::from(collider.pose_t1.translation.vector);
    let radius = collider.shape.bounds().map(|[low, high]| low.coords.abs().sup(&high.coords.abs()).norm());
    // A hundred roundings more than the farthest corner of its box.
    Ball { middle, radius: radius.map_or(f32::INFINITY, |r| r * 1.0005) }
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
        assert_eq!(deepest_vertex(&points, &[floor.clone(), ball.clone()]), 0.25);
        assert_eq!(deepest_vertex(&points, &[floor.clone(), moved]), 0.125);
        assert_eq!(deepest_vertex(&points[2..], &[floor, ball]), 0.0);
        assert_eq!(deepest_vertex(&points, &[]), 0.0);
    }

    #[test]
    fn a_vertex_in_the_corner_of_a_turned_box_counts() {
        let half_extents = nalgebra::Vector3::new(1.0, 0.5, 0.25);
        let pose =
            Isometry3::new(nalgebra::Vector3::new(3.0, -2.0, 1.0), nalgebra::Vector3::new(0.3, 1.0, -0.7));
        let bar = Collider::new(Shape::Cuboid { half_extents }, pose, 0.0).expect("usable");
        let corner = pose * Point3::new(0.98, -0.48, 0.23);
        assert!((deepest_vertex(&[corner], &[bar]) - 0.02).abs() < 1e-5);
    }

    #[test]
    fn a_ball_in_a_face_is_found_without_a_vertex_inside() {
        let ball = |y: f32| {
            Collider::new(Shape::Sphere { radius: 0.3 }, Isometry3::translation(0.0, y, 0.0), 0.0)
                .expect("usable")
        };
        let x = [[-1.0, 0.0, -1.0], [1.0, 0.0, -1.0], [0.0, 0.0, 2.0], [5.0, 0.0, 0.0]].map(Point3::from);
        let mut observer = DepthObserver::new(vec![[3, 1, 2], [0, 1, 2]]);
        observer.observe(1, &x, &[ball(5.0), ball(-0.31)]);
        assert_eq!(observer.deepest(), None);
        observer.observe(2, &x, &[ball(5.0), ball(-0.25)]);
        observer.observe(3, &x, &[ball(-0.275), ball(5.0)]);
        let found = observer.deepest().expect("inside");
        assert!((found.depth - 0.05).abs() < 1e-7, "{found:?}");
        assert_eq!([found.face, found.collider, found.frame], [1, 1, 2]);
        assert_eq!(deepest_vertex(&x, &[ball(-0.25)]), 0.0);
    }

    #[test]
    fn blocks_leave_out_no_face_that_is_deeper() {
        let mesh = cloth_geom::fixtures::sheet(17, 17, [1.0, 1.0]).expect("a sheet").mesh;
        let bumps = mesh.mapped(|p| Point3::new(p.x, 0.1 * (7.0 * p.x).sin() * (9.0 * p.z).cos(), p.z));
        let x = bumps.positions_f32();
        let half_extents = nalgebra::Vector3::new(0.2, 0.1, 0.15);
        for k in 0..40 {
            let shift = 0.05 * k as f32 - 1.0;
            let pose =
                Isometry3::new(nalgebra::Vector3::new(shift, 0.08, 0.1), nalgebra::Vector3::y() * shift);
            let shapes = [
                Shape::Sphere { radius: 0.1 },
                Shape::Capsule { half_length: 0.2, radius: 0.03 },
                Shape::Cylinder { half_length: 0.2, radius: 0.03 },
                Shape::Cuboid { half_extents },
                Shape::Plane,
            ];
            let colliders = shapes.map(|shape| Collider::new(shape, pose, 0.0).expect("usable"));
            let mut observer = DepthObserver::new(bumps.faces.clone());
            observer.observe(1, &x, &colliders);
            let depths = colliders.iter().flat_map(|collider| {
                let corners = bumps.faces.iter().map(|f| f.map(|v| &x[v as usize]));
                corners
                    .filter_map(|face| collider.shape_t1().deepest_point(face, 0.0))
                    .map(|found| found.depth)
            });
            let deepest = depths.fold(0.0, f64::max);
            let found = observer.deepest().map_or(0.0, |found| found.depth);
            assert!((found - deepest).abs() <= 1e-4 + 0.01 * deepest, "{found} {deepest} at {shift}");
        }
    }
}
