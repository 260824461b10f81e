//! The body of the built-in character as a signed distance: round cones, blended where they meet.
//!
//! A limb is one round cone (the convex hull of two balls); the trunk, which is wider than deep, has several
//! side by side. They are blended by the smooth minimum `-k ln(sum exp(-d / k))`, whose order of terms
//! changes a rounding only, so that the left half is the mirror image of the right one.

use nalgebra::{Point3, Vector3};

use super::joints::{Bone, ELBOW, FINGERTIPS, KNUCKLES, Side, UPPER_ARM, WRIST};

/// Width of the blend `k` (m): two surfaces that meet gain `k ln 2` there.
const BLEND: f64 = 0.008;
/// Cones of a body, at most.
const MAX_CONES: usize = 48;
/// Terms that are farther than the nearest by so many widths are left out: their weight is below 1e-10.
const CUTOFF: f64 = 24.0;

/// The convex hull of two balls, and the joint whose flesh it is.
#[derive(Clone, Copy, Debug)]
pub(super) struct RoundCone {
    pub(super) bone: Bone,
    ends: [Point3<f64>; 2],
    radii: [f64; 2],
    /// From one end to the other: unit vector and length (m).
    axis: Vector3<f64>,
    length: f64,
    /// Of the angle between the axis and the side.
    sin: f64,
    cos: f64,
}

impl RoundCone {
    fn new(bone: Bone, ends: [Point3<f64>; 2], radii: [f64; 2]) -> Self {
        let axis = ends[1] - ends[0];
        let length = axis.norm();
        let sin = (radii[0] - radii[1]) / length;
        Self { bone, ends, radii, axis: axis / length, length, sin, cos: (1.0 - sin * sin).sqrt() }
    }

    /// The distance (m) of its surface; negative inside.
    ///
    /// The nearest ball of the hull is that around `t` of the axis at which the side is perpendicular to the
    /// line to the point; see `cloth-character`'s `WorldProxy::signed_distance`, which has the drawing.
    pub(super) fn distance(&self, p: &Point3<f64>) -> f64 {
        let from = p - self.ends[0];
        let along = from.dot(&self.axis);
        let across = (from.norm_squared() - along * along).max(0.0).sqrt();
        let foot = along * self.cos - across * self.sin;
        if foot <= 0.0 {
            from.norm() - self.radii[0]
        } else if foot >= self.length * self.cos {
            (p - self.ends[1]).norm() - self.radii[1]
        } else {
            across * self.cos + along * self.sin - self.radii[0]
        }
    }
}

/// A body: its cones.
#[derive(Clone, Debug)]
pub(super) struct Body {
    pub(super) cones: Vec<RoundCone>,
}

impl Body {
    /// A human of 1.7 m in the bind pose.
    pub(super) fn human() -> Self {
        let mut cones = Vec::new();
        for side in Side::BOTH {
            cones.extend(trunk(side));
            cones.extend(arm(side));
            cones.extend(leg(side));
        }
        cones.extend(head());
        Self { cones }
    }

    /// The blended distance (m); negative inside.
    pub(super) fn distance(&self, p: &Point3<f64>) -> f64 {
        let mut distances = [f64::INFINITY; MAX_CONES];
        for (slot, cone) in distances.iter_mut().zip(&self.cones) {
            *slot = cone.distance(p);
        }
        let nearest = distances.into_iter().fold(f64::INFINITY, f64::min);
        let terms = distances.into_iter().map(|d| (d - nearest) / BLEND);
        let sum: f64 = terms.filter(|&d| d < CUTOFF).map(|d| libm::exp(-d)).sum();
        nearest - BLEND * libm::log(sum)
    }

    /// The gradient of the distance by central differences: almost a unit vector.
    pub(super) fn gradient(&self, p: &Point3<f64>) -> Vector3<f64> {
        const H: f64 = 1e-4;
        Vector3::from_fn(|k, _| {
            let mut step = Vector3::zeros();
            step[k] = H;
            (self.distance(&(p + step)) - self.distance(&(p - step))) / (2.0 * H)
        })
    }

    /// The corners (m) of a box around it.
    pub(super) fn bounds(&self) -> [Point3<f64>; 2] {
        let balls = || self.cones.iter().flat_map(|cone| [0, 1].map(|k| (cone.ends[k], cone.radii[k])));
        let fold = |first: f64, pick: fn(f64, f64) -> f64, sign: f64| {
            let corner = |k: usize| balls().map(|(c, r)| c[k] + sign * r).fold(first, pick);
            Point3::new(corner(0), corner(1), corner(2))
        };
        let margin = Vector3::repeat(2.0 * BLEND);
        [fold(f64::INFINITY, f64::min, -1.0) - margin, fold(f64::NEG_INFINITY, f64::max, 1.0) + margin]
    }
}

fn cone(bone: Bone, side: Side, [a, b]: [[f64; 3]; 2], radii: [f64; 2]) -> RoundCone {
    let at = |[x, y, z]: [f64; 3]| Point3::new(side.sign() * x, y, z);
    RoundCone::new(bone, [at(a), at(b)], radii)
}

fn trunk(s: Side) -> [RoundCone; 8] {
    let part = |bone, ends, radii| cone(bone, s, ends, radii);
    [
        part(Bone::Hips, [[0.02, 0.945, 0.0], [0.072, 0.93, 0.0]], [0.098, 0.094]),
        // The seat.
        part(Bone::Hips, [[0.03, 0.90, -0.02], [0.065, 0.885, -0.035]], [0.08, 0.082]),
        part(Bone::Spine, [[0.0, 1.07, 0.012], [0.052, 1.07, 0.004]], [0.088, 0.084]),
        part(Bone::Spine, [[0.045, 1.05, 0.0], [0.062, 1.19, -0.002]], [0.085, 0.09]),
        // Ribs, breast and the blades of the shoulders.
        part(Bone::Chest, [[0.03, 1.21, 0.0], [0.082, 1.25, -0.002]], [0.098, 0.088]),
        part(Bone::Chest, [[0.055, 1.275, 0.022], [0.075, 1.29, 0.018]], [0.074, 0.074]),
        part(Bone::Chest, [[0.05, 1.34, -0.028], [0.10, 1.325, -0.022]], [0.070, 0.068]),
        // From the neck to the shoulder.
        part(Bone::Shoulder(s), [[0.012, 1.435, -0.022], [0.135, 1.388, -0.02]], [0.042, 0.044]),
    ]
}

fn arm(s: Side) -> [RoundCone; 6] {
    let part = |bone, ends, radii| cone(bone, s, ends, radii);
    // Across the palm.
    let beside = |[x, y, z]: [f64; 3], dz: f64| [x, y, z + dz];
    [
        part(Bone::UpperArm(s), [[0.158, 1.382, -0.02], [0.205, 1.345, -0.02]], [0.053, 0.049]),
        part(Bone::UpperArm(s), [UPPER_ARM, ELBOW], [0.047, 0.038]),
        part(Bone::LowerArm(s), [ELBOW, WRIST], [0.041, 0.027]),
        part(Bone::Hand(s), [beside(WRIST, 0.010), beside(KNUCKLES, 0.024)], [0.024, 0.021]),
        part(Bone::Hand(s), [beside(WRIST, -0.008), beside(FINGERTIPS, -0.006)], [0.024, 0.018]),
        part(Bone::Hand(s), [beside(KNUCKLES, 0.020), beside(FINGERTIPS, 0.010)], [0.021, 0.017]),
    ]
}

fn leg(s: Side) -> [RoundCone; 6] {
    let part = |bone, ends, radii| cone(bone, s, ends, radii);
    let (hip, knee, ankle) = ([0.092, 0.87, -0.002], [0.11, 0.49, 0.008], [0.125, 0.095, -0.03]);
    [
        part(Bone::Thigh(s), [hip, knee], [0.086, 0.052]),
        part(Bone::Shin(s), [knee, ankle], [0.051, 0.036]),
        // The calf.
        part(Bone::Shin(s), [[0.113, 0.40, -0.014], [0.12, 0.27, -0.02]], [0.053, 0.038]),
        part(Bone::Foot(s), [[0.125, 0.048, -0.055], [0.13, 0.045, 0.03]], [0.040, 0.036]),
        part(Bone::Foot(s), [[0.122, 0.040, 0.03], [0.118, 0.030, 0.125]], [0.034, 0.026]),
        part(Bone::Foot(s), [[0.138, 0.040, 0.02], [0.150, 0.028, 0.105]], [0.034, 0.024]),
    ]
}

fn head() -> [RoundCone; 4] {
    let part = |bone, ends, radii| cone(bone, Side::Left, ends, radii);
    [
        part(Bone::Neck, [[0.0, 1.39, -0.025], [0.0, 1.53, 0.0]], [0.056, 0.050]),
        // The skull, the face and the jaw.
        part(Bone::Head, [[0.0, 1.605, -0.018], [0.0, 1.602, 0.018]], [0.088, 0.084]),
        part(Bone::Head, [[0.0, 1.585, 0.025], [0.0, 1.525, 0.050]], [0.074, 0.042]),
        // The nose.
        part(Bone::Head, [[0.0, 1.585, 0.085], [0.0, 1.562, 0.103]], [0.014, 0.014]),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_body_has_human_height_and_is_its_own_mirror_image() {
        let body = Body::human();
        let top = body.distance(&Point3::new(0.0, 1.70, 0.0));
        assert!(top.abs() < 0.01, "{top}");
        for p in [[0.3, 1.2, 0.05], [0.1, 0.5, -0.2], [0.02, 0.8, 0.0], [0.6, 0.9, 0.1]].map(Point3::from) {
            let mirrored = Point3::new(-p.x, p.y, p.z);
            assert!((body.distance(&p) - body.distance(&mirrored)).abs() < 1e-12, "{p}");
        }
    }

    #[test]
    fn cones_have_their_radii_at_their_ends_and_the_blend_encloses_them() {
        let body = Body::human();
        for cone in &body.cones {
            for (end, radius) in cone.ends.iter().zip(cone.radii) {
                assert!((cone.distance(end) + radius).abs() < 1e-3, "{cone:?}");
                assert!(body.distance(end) <= cone.distance(end));
            }
        }
    }
}
