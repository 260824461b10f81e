//! Colliders as triangle meshes, for drawing alone: a collision never asks these.

use cloth_solver::{Collider, Shape as Solid};
use nalgebra::{Isometry3, Point3, Vector3};

/// A mesh to draw: positions (m), and faces counter-clockwise seen from outside.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Shape {
    /// Vertex positions (m).
    pub positions: Vec<Point3<f32>>,
    /// Vertex indices of each face.
    pub faces: Vec<[u32; 3]>,
}

/// Segments around; the outline of a ball that fills the picture is then off by a third of a percent.
const AROUND: u32 = 40;
/// Rings of each cap, pole and border included.
const RINGS: u32 = 11;

/// The mesh of a collider where its motion ends; none for cylinders, cones, compounds, shapes of parry and
/// planes, of which [`floor_height`] finds the one to draw.
#[must_use]
pub fn collider_shape(collider: &Collider) -> Option<Shape> {
    let pose = &collider.pose_t1;
    let ends = |half_length: f32| [-1.0, 1.0].map(|sign| pose * Point3::new(0.0, sign * half_length, 0.0));
    match collider.shape {
        Solid::Sphere { radius } => Some(sphere(pose.translation.vector.into(), radius)),
        Solid::Capsule { half_length, radius } => Some(tapered_capsule(ends(half_length), [radius; 2])),
        Solid::TaperedCapsule { half_length, bottom_radius, top_radius } => {
            Some(tapered_capsule(ends(half_length), [bottom_radius, top_radius]))
        }
        Solid::Cuboid { half_extents } => Some(cuboid(pose, half_extents)),
        Solid::Hull(ref hull) => Some(facets(hull.faces(), pose)),
        Solid::Mesh(ref mesh) => Some(facets(mesh.faces(), pose)),
        _ => None,
    }
}

/// Height (m) of the highest level plane.
#[must_use]
pub fn floor_height(colliders: &[Collider]) -> Option<f32> {
    let level = |c: &&Collider| c.shape == Solid::Plane && (c.pose_t1.rotation * Vector3::y()).y > 0.999_999;
    colliders.iter().filter(level).map(|c| c.pose_t1.translation.y).reduce(f32::max)
}

/// A ball of a radius (m) around a centre.
#[must_use]
pub fn sphere(center: Point3<f32>, radius: f32) -> Shape {
    tapered_capsule([center; 2], [radius; 2])
}

/// The convex hull of two balls, with centres and radii (m); a ball if one contains the other.
#[must_use]
pub fn tapered_capsule(mut ends: [Point3<f32>; 2], mut radii: [f32; 2]) -> Shape {
    let side = ends[1] - ends[0];
    let length = side.norm();
    let (mut axis, mut sin) = (side / length, (radii[0] - radii[1]) / length);
    if !(length > 0.0 && sin.abs() < 1.0) {
        let larger = usize::from(radii[1] > radii[0]);
        (ends, radii, axis, sin) = ([ends[larger]; 2], [radii[larger]; 2], Vector3::y(), 0.0);
    }
    let mut helper = Vector3::zeros();
    helper[axis.iamin()] = 1.0;
    let first = axis.cross(&helper).normalize();
    let second = axis.cross(&first);
    // Angles from the pole behind the first end: the side touches both balls where its normal rises by `sin`.
    let border = libm::acosf(-sin);
    let mut shape = Shape::default();
    for (end, from, to) in [(0, 0.0, border), (1, border, std::f32::consts::PI)] {
        for ring in 0..RINGS {
            let angle = from + (to - from) * ring as f32 / (RINGS - 1) as f32;
            // Poles are exactly on the axis: sin(pi) is not exactly 0.
            let is_pole = ring == if end == 0 { 0 } else { RINGS - 1 };
            let across = if is_pole { 0.0 } else { libm::sinf(angle) };
            for k in 0..AROUND {
                let turn = k as f32 / AROUND as f32 * std::f32::consts::TAU;
                let around = first * libm::cosf(turn) + second * libm::sinf(turn);
                let normal = around * across - axis * libm::cosf(angle);
                shape.positions.push(ends[end] + normal * radii[end]);
            }
        }
    }
    for ring in 0..2 * RINGS - 1 {
        for k in 0..AROUND {
            let [p, q] = [k, (k + 1) % AROUND].map(|k| ring * AROUND + k);
            shape.faces.extend([[p, q, q + AROUND], [p, q + AROUND, p + AROUND]]);
        }
    }
    shape
}

/// A box with half sides `half` (m). Its edges are sharp: each side has its own vertices.
fn cuboid(pose: &Isometry3<f32>, half: Vector3<f32>) -> Shape {
    let mut shape = Shape::default();
    for axis in 0..3 {
        for sign in [1.0, -1.0] {
            let first = shape.positions.len() as u32;
            for [u, v] in [[-1.0, -1.0], [1.0, -1.0], [1.0, 1.0], [-1.0, 1.0]] {
                let mut local = Vector3::zeros();
                (local[axis], local[(axis + 1) % 3], local[(axis + 2) % 3]) = (sign, u, v * sign);
                shape.positions.push(pose * Point3::from(local.component_mul(&half)));
            }
            shape.faces.extend([[0, 1, 2], [0, 2, 3]].map(|f: [u32; 3]| f.map(|v| v + first)));
        }
    }
    shape
}

/// Triangles with corners of their own, as flat as they are.
fn facets(faces: impl Iterator<Item = [Point3<f64>; 3]>, pose: &Isometry3<f32>) -> Shape {
    let positions: Vec<Point3<f32>> = faces.flatten().map(|p| pose * p.cast::<f32>()).collect();
    let faces = (0..positions.len() as u32 / 3).map(|k| [3 * k, 3 * k + 1, 3 * k + 2]).collect();
    Shape { positions, faces }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Six times the enclosed volume by the divergence theorem: positive if faces point outward.
    fn volume(shape: &Shape) -> f32 {
        let corner = |v: u32| shape.positions[v as usize].coords;
        let six: f32 = shape.faces.iter().map(|f| corner(f[0]).dot(&corner(f[1]).cross(&corner(f[2])))).sum();
        six / 6.0
    }

    #[test]
    fn sphere_encloses_its_volume_and_looks_outward() {
        let ball = sphere(Point3::new(0.1, 0.2, 0.3), 0.5);
        let exact = 4.0 / 3.0 * std::f32::consts::PI * 0.125;
        assert!(volume(&ball) < exact && volume(&ball) > 0.97 * exact, "{}", volume(&ball));
        assert!(ball.positions.iter().all(|p| ((p - Point3::new(0.1, 0.2, 0.3)).norm() - 0.5).abs() < 1e-5));
    }

    #[test]
    fn capsule_encloses_its_volume_in_every_direction() {
        for b in [[0.0, 1.0, 0.0], [0.0, -1.0, 0.0], [1.0, 0.0, 0.0], [0.0, 0.6, -0.8]] {
            let shape = tapered_capsule([Point3::origin(), Point3::from(b)], [0.2; 2]);
            let exact = std::f32::consts::PI * 0.04 * (1.0 + 4.0 / 3.0 * 0.2);
            assert!(volume(&shape) < exact && volume(&shape) > 0.97 * exact, "{b:?} {}", volume(&shape));
        }
    }

    #[test]
    fn box_encloses_its_volume() {
        let pose = Isometry3::new(Vector3::x(), Vector3::new(0.3, 0.2, 0.1));
        let shape = cuboid(&pose, Vector3::new(0.1, 0.2, 0.3));
        assert!((volume(&shape) - 8.0 * 0.006).abs() < 1e-5, "{}", volume(&shape));
    }

    #[test]
    fn tapered_capsule_encloses_its_volume() {
        let (r0, r1, length) = (0.2f32, 0.1f32, 0.5f32);
        let shape = tapered_capsule([Point3::new(1.0, 0.0, 0.0), Point3::new(1.0, 0.3, -0.4)], [r0, r1]);
        // Two parts of balls and a frustum, by integration along the axis.
        let exact: f32 = (0..100_000)
            .map(|k| {
                let x = -r0 + (length + r0 + r1) * (k as f32 + 0.5) / 1e5;
                let sin = (r0 - r1) / length;
                let cos = (1.0 - sin * sin).sqrt();
                let y = if x < r0 * sin {
                    (r0 * r0 - x * x).max(0.0).sqrt()
                } else if x > length + r1 * sin {
                    (r1 * r1 - (x - length).powi(2)).max(0.0).sqrt()
                } else {
                    (r0 - x * sin) / cos
                };
                std::f32::consts::PI * y * y * (length + r0 + r1) / 1e5
            })
            .sum();
        assert!(volume(&shape) < exact && volume(&shape) > 0.97 * exact, "{} {exact}", volume(&shape));
    }

    #[test]
    fn a_ball_in_a_larger_one_vanishes_and_odd_sizes_never_panic() {
        let shape = tapered_capsule([Point3::origin(), Point3::new(0.1, 0.0, 0.0)], [0.1, 0.5]);
        assert!(shape.positions.iter().all(|p| ((p - Point3::new(0.1, 0.0, 0.0)).norm() - 0.5).abs() < 1e-5));
        for odd in [0.0, -1.0, f32::NAN, f32::INFINITY] {
            let _ = tapered_capsule([Point3::origin(), Point3::new(0.0, odd, 0.0)], [odd, 0.1]);
            let _ = tapered_capsule([Point3::origin(), Point3::new(0.0, f32::NAN, 0.0)], [odd; 2]);
            let _ = sphere(Point3::origin(), odd);
        }
    }

    #[test]
    fn capsule_of_a_collider_stands_where_it_is_at_the_end() {
        let shape = Solid::Capsule { half_length: 0.3, radius: 0.1 };
        let pose = Isometry3::new(Vector3::new(1.0, 2.0, 3.0), Vector3::z() * std::f32::consts::FRAC_PI_2);
        let drawn = collider_shape(&Collider::new(shape, pose, 0.0).expect("usable")).expect("a mesh");
        let reach = |k: usize| drawn.positions.iter().map(|p| p[k]).fold(f32::MIN, f32::max);
        assert!((reach(0) - 1.4).abs() < 1e-5 && (reach(1) - 2.1).abs() < 1e-5, "{} {}", reach(0), reach(1));
    }

    #[test]
    fn the_highest_level_plane_is_the_floor() {
        let plane = |y, roll| {
            let turn = Isometry3::new(Vector3::y() * y, Vector3::x() * roll);
            Collider::new(Solid::Plane, turn, 0.0).expect("usable")
        };
        assert_eq!(floor_height(&[plane(-1.0, 0.0), plane(0.5, 0.0), plane(2.0, 0.3)]), Some(0.5));
        assert_eq!(floor_height(&[]), None);
    }
}
