//! Colliders as triangle meshes, for drawing alone: a collision never asks these.

use nalgebra::{Point3, UnitQuaternion, Vector3};

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
/// Rings from pole to pole: even, so that one lies on the equator.
const RINGS: u32 = 20;
/// Squares along each edge of a box: light is gathered at vertices, so a large face needs some inside.
const SQUARES: u32 = 8;

/// A ball of a radius (m) around a centre.
#[must_use]
pub fn sphere(center: Point3<f32>, radius: f32) -> Shape {
    capsule(center, center, radius)
}

/// All points within `radius` (m) of the segment from `a` to `b`.
#[must_use]
pub fn capsule(a: Point3<f32>, b: Point3<f32>, radius: f32) -> Shape {
    let length = (b - a).norm();
    let turn = UnitQuaternion::rotation_between(&Vector3::y(), &(b - a))
        .unwrap_or_else(|| UnitQuaternion::from_axis_angle(&Vector3::x_axis(), std::f32::consts::PI));
    // Turned only where there is a length, so that a ball is the same whatever rounding says of its
    // direction.
    let turn = if length > 0.0 { turn } else { UnitQuaternion::identity() };
    let profile = profile(length, radius);
    let mut shape = Shape::default();
    for &[across, along] in &profile {
        for i in 0..AROUND {
            let angle = i as f32 / AROUND as f32 * std::f32::consts::TAU;
            let local = Vector3::new(across * libm::sinf(angle), along, across * libm::cosf(angle));
            shape.positions.push(a + turn * local);
        }
    }
    for ring in 0..profile.len() as u32 - 1 {
        for i in 0..AROUND {
            let next = (i + 1) % AROUND;
            let [p, q] = [ring * AROUND + i, ring * AROUND + next];
            shape.faces.push([p, q, q + AROUND]);
            shape.faces.push([p, q + AROUND, p + AROUND]);
        }
    }
    shape
}

/// Distance from the axis and along it, from the pole behind `a` to the pole beyond `b`; the side in steps of
/// about the radius.
fn profile(length: f32, radius: f32) -> Vec<[f32; 2]> {
    let half = |from: u32| (0..=RINGS / 2).map(move |i| from + i);
    let ring = |i: u32, along: f32| {
        let angle = i as f32 / RINGS as f32 * std::f32::consts::PI;
        // Poles are exactly on the axis: sin(pi) is not exactly 0.
        let across = if i.is_multiple_of(RINGS) { 0.0 } else { radius * libm::sinf(angle) };
        [across, along - radius * libm::cosf(angle)]
    };
    let steps = ((length / radius.abs().max(1e-6)).ceil() as u32).clamp(1, 32);
    let mut profile: Vec<_> = half(0).map(|i| ring(i, 0.0)).collect();
    profile.extend((1..steps).map(|i| [radius, length * i as f32 / steps as f32]));
    let skipped = usize::from(length == 0.0);
    profile.extend(half(RINGS / 2).skip(skipped).map(|i| ring(i, length)));
    profile
}

/// A box with half sides `half` (m), turned about its centre. Its edges are sharp: each side has its own
/// vertices.
#[must_use]
pub fn box_shape(center: Point3<f32>, half: Vector3<f32>, turn: UnitQuaternion<f32>) -> Shape {
    let mut shape = Shape::default();
    for axis in 0..3 {
        for sign in [1.0_f32, -1.0] {
            let first = shape.positions.len() as u32;
            let [u, v] = [(axis + 1) % 3, (axis + 2) % 3];
            for i in 0..=SQUARES {
                for j in 0..=SQUARES {
                    let mut local = Vector3::zeros();
                    local[axis] = sign * half[axis];
                    local[u] = (i as f32 / SQUARES as f32 * 2.0 - 1.0) * half[u];
                    local[v] = (j as f32 / SQUARES as f32 * 2.0 - 1.0) * half[v] * sign;
                    shape.positions.push(center + turn * local);
                }
            }
            shape.faces.extend(squares(first));
        }
    }
    shape
}

/// Two triangles for each square of a grid whose vertices start at `first`.
fn squares(first: u32) -> impl Iterator<Item = [u32; 3]> {
    let row = SQUARES + 1;
    (0..SQUARES * SQUARES).flat_map(move |k| {
        let p = first + k / SQUARES * row + k % SQUARES;
        [[p, p + row, p + row + 1], [p, p + row + 1, p + 1]]
    })
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
            let shape = capsule(Point3::origin(), Point3::from(b), 0.2);
            let exact = std::f32::consts::PI * 0.04 * (1.0 + 4.0 / 3.0 * 0.2);
            assert!(volume(&shape) < exact && volume(&shape) > 0.97 * exact, "{b:?} {}", volume(&shape));
        }
    }

    #[test]
    fn box_encloses_its_volume() {
        let turn = UnitQuaternion::from_euler_angles(0.3, 0.2, 0.1);
        let shape = box_shape(Point3::new(1.0, 0.0, 0.0), Vector3::new(0.1, 0.2, 0.3), turn);
        assert!((volume(&shape) - 8.0 * 0.006).abs() < 1e-5, "{}", volume(&shape));
    }

    #[test]
    fn odd_sizes_do_not_panic() {
        for radius in [0.0, -1.0, f32::NAN, f32::INFINITY] {
            let _ = capsule(Point3::origin(), Point3::new(0.0, f32::NAN, 0.0), radius);
            let _ = sphere(Point3::origin(), radius);
        }
    }
}
