//! The figure as a tailor sees it: its capsules, and how much it measures around.

use cloth_verify::{CapsuleFigure, LimbAngles};
use nalgebra::{Point3, Vector3};

/// Directions in which the girth is sampled, and balls along a capsule's axis: both good for a part in a
/// thousand.
const DIRECTIONS: usize = 48;
const BALLS: usize = 33;

/// The figure that a garment is fitted to, feet at the origin.
pub(super) struct Body {
    capsules: Vec<Capsule>,
    /// Its height as a part of the default figure's.
    scale: f64,
}

struct Capsule {
    ends: [Point3<f64>; 2],
    radius: f64,
    is_arm: bool,
    /// Whether its end (`ends[1]`, both of a ball) is one of the body, which an opening could slip over.
    is_tip: bool,
}

/// The parts that end in a head, a hand or a foot.
const TIPS: [&str; 3] = ["head", "forearm", "foot"];

/// Heights (m) on the default figure.
const HIPS: f64 = 0.88;
const WAIST_TOP: f64 = 1.16;
/// Around the bar of the shoulders, lying: 0.36 m of axis, there and back, and a circle of radius 0.06.
const SHOULDERS: f64 = 2.0 * 0.36 + std::f64::consts::TAU * 0.06;
const SHOULDER_JOINT: [f64; 2] = [0.18, 1.40];

impl Body {
    /// The figure of a height (m), with its limbs at these angles.
    pub(super) fn new(height: f64, limbs: LimbAngles) -> Self {
        let figure = CapsuleFigure::mannequin(height as f32, limbs);
        let capsules = figure.capsules().iter().map(|c| Capsule {
            ends: [c.from, c.to].map(|p| p.map(f64::from)),
            radius: c.radius.into(),
            is_arm: c.name.ends_with("arm"),
            is_tip: TIPS.contains(&c.name),
        });
        Self { capsules: capsules.collect(), scale: height / f64::from(CapsuleFigure::HEIGHT) }
    }

    /// A length (m) of the default figure on this one.
    pub(super) fn length(&self, default: f64) -> f64 {
        default * self.scale
    }

    /// The heights (m) between which a waistband belongs: from the hips to below the chest.
    pub(super) fn waist(&self) -> [f64; 2] {
        [self.length(HIPS), self.length(WAIST_TOP)]
    }

    /// What the shoulders measure around (m), from arm to arm and up to the neck's foot: a wider opening
    /// falls off them.
    pub(super) fn shoulders(&self) -> f64 {
        self.length(SHOULDERS)
    }

    /// The joint (m) of the shoulder towards +x.
    pub(super) fn shoulder(&self) -> Point3<f64> {
        let [x, y] = SHOULDER_JOINT.map(|c| self.length(c));
        Point3::new(x, y, 0.0)
    }

    /// What trunk and legs measure around (m) at a height (m), as by a tape: the length of the convex
    /// outline.
    pub(super) fn girth(&self, height: f64) -> f64 {
        let circles = self.capsules.iter().filter(|c| !c.is_arm).flat_map(|c| {
            (0..BALLS).filter_map(move |i| {
                let center = c.ends[0] + (c.ends[1] - c.ends[0]) * (i as f64 / (BALLS - 1) as f64);
                let square = c.radius * c.radius - (center.y - height) * (center.y - height);
                (square > 0.0).then(|| (center, square.sqrt()))
            })
        });
        let circles: Vec<(Point3<f64>, f64)> = circles.collect();
        // Cauchy: the length of a convex outline is its mean extent to one side, times a full turn.
        let reach = |i: usize| {
            let angle = std::f64::consts::TAU * i as f64 / DIRECTIONS as f64;
            circles.iter().map(|(p, r)| p.x * angle.cos() + p.z * angle.sin() + r).fold(0.0, f64::max)
        };
        (0..DIRECTIONS).map(reach).sum::<f64>() * std::f64::consts::TAU / DIRECTIONS as f64
    }

    /// The depth (m) of a point, and as a part of the radius of the capsule in which it is so deep; negative
    /// outside.
    pub(super) fn depth(&self, p: &Point3<f64>) -> (f64, f64) {
        let of = |c: &Capsule| {
            let depth = c.radius - distance_to_segment(p, &c.ends);
            (depth, depth / c.radius)
        };
        self.capsules
            .iter()
            .map(of)
            .fold((f64::NEG_INFINITY, f64::NEG_INFINITY), |a, b| if b.1 > a.1 { b } else { a })
    }

    /// The distance (m) of a point from the axis of the nearest arm.
    #[cfg(test)]
    pub(super) fn distance_to_arm(&self, p: &Point3<f64>) -> f64 {
        let arms = self.capsules.iter().filter(|c| c.is_arm);
        arms.map(|c| distance_to_segment(p, &c.ends)).fold(f64::INFINITY, f64::min)
    }

    /// The axes of the capsules, drawn out to the surface at head, hands and feet. Other ends are inside the
    /// body: cloth over the round of the hips or in the crotch is pushed out the right way.
    pub(super) fn axes(&self) -> impl Iterator<Item = [Point3<f64>; 2]> {
        self.capsules.iter().map(|c| {
            let [from, to] = c.ends;
            let along = (to - from).try_normalize(0.0).unwrap_or_else(Vector3::y) * c.radius;
            [from, if c.is_tip { to + along } else { to }]
        })
    }
}

fn distance_to_segment(p: &Point3<f64>, [a, b]: &[Point3<f64>; 2]) -> f64 {
    let axis = b - a;
    let along = if axis.norm_squared() > 0.0 { (p - a).dot(&axis) / axis.norm_squared() } else { 0.0 };
    (p - (a + axis * along.clamp(0.0, 1.0))).norm()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn default() -> Body {
        Body::new(CapsuleFigure::HEIGHT.into(), LimbAngles::default())
    }

    #[test]
    fn measures_a_waist_that_is_narrower_than_the_hips() {
        let body = default();
        let waist = body.girth(1.1);
        // The torso alone.
        assert!((waist / (std::f64::consts::TAU * 0.13) - 1.0).abs() < 2e-3, "{waist}");
        assert!(body.girth(0.88) > waist + 0.22, "{}", body.girth(0.88));
        // Capsules do not stand above each other without a notch, so the ankles: two shins and what is
        // between.
        let ankles = body.girth(0.3);
        assert!(ankles > 0.6 && ankles < 0.75, "{ankles}");
        assert_eq!(body.girth(3.0), 0.0);
    }

    #[test]
    fn depth_and_axes_are_those_of_the_colliders() {
        let body = default();
        let (depth, part) = body.depth(&Point3::new(0.1, 1.1, 0.0));
        assert!((depth - 0.03).abs() < 1e-6 && (part - 0.03 / 0.13).abs() < 1e-6, "{depth} {part}");
        assert!(body.depth(&Point3::new(0.6, 0.2, 0.0)).0 < 0.0);
        let mut tips = 0;
        for [a, b] in body.axes() {
            assert!(body.depth(&a).0 > 0.03, "{a}");
            // Either the axis itself or a point on the surface, within roundings of the figure's f32.
            let depth = body.depth(&b).0;
            tips += usize::from(depth.abs() < 1e-6);
            assert!(depth > 0.03 || depth.abs() < 1e-6, "{b} {depth}");
        }
        // A head, two hands, two feet.
        assert_eq!(tips, 5);
        assert!(Body::new(0.88, LimbAngles::default()).depth(&Point3::new(0.05, 0.55, 0.0)).0 > 0.0);
    }
}
