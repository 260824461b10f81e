//! A tapered capsule as a triangle mesh, for drawing alone.

use nalgebra::{Point3, Vector3};

use super::{Shape, capsule};

/// Segments around.
const AROUND: u32 = 40;
/// Rings of each cap, pole and border included.
const RINGS: u32 = 11;

/// The convex hull of two balls, with centres and radii (m); a ball if one contains the other.
#[must_use]
pub fn tapered_capsule(ends: [Point3<f32>; 2], radii: [f32; 2]) -> Shape {
    let side = ends[1] - ends[0];
    let length = side.norm();
    let sin = (radii[0] - radii[1]) / length;
    if !(length > 0.0 && sin.abs() < 1.0) {
        let larger = usize::from(radii[1] > radii[0]);
        return capsule(ends[larger], ends[larger], radii[larger]);
    }
    let axis = side / length;
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
            let [p, q] = [ring * AROUND + k, ring * AROUND + (k + 1) % AROUND];
            shape.faces.push([p, q, q + AROUND]);
            shape.faces.push([p, q + AROUND, p + AROUND]);
        }
    }
    shape
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn encloses_its_volume_and_looks_outward() {
        let (r0, r1, length) = (0.2f32, 0.1f32, 0.5f32);
        let shape = tapered_capsule([Point3::new(1.0, 0.0, 0.0), Point3::new(1.0, 0.3, -0.4)], [r0, r1]);
        let corner = |v: u32| shape.positions[v as usize] - Point3::new(1.0, 0.0, 0.0);
        let six: f32 = shape.faces.iter().map(|f| corner(f[0]).dot(&corner(f[1]).cross(&corner(f[2])))).sum();
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
        assert!(six / 6.0 < exact && six / 6.0 > 0.97 * exact, "{} {exact}", six / 6.0);
    }

    #[test]
    fn a_ball_in_a_larger_one_vanishes_and_odd_sizes_never_panic() {
        let shape = tapered_capsule([Point3::origin(), Point3::new(0.1, 0.0, 0.0)], [0.1, 0.5]);
        assert!(shape.positions.iter().all(|p| ((p - Point3::new(0.1, 0.0, 0.0)).norm() - 0.5).abs() < 1e-5));
        for odd in [0.0, -1.0, f32::NAN, f32::INFINITY] {
            let _ = tapered_capsule([Point3::origin(), Point3::new(0.0, odd, 0.0)], [odd, 0.1]);
        }
    }
}
