//! How the figure holds its arms and legs, so that they go through the sleeves and legs of a garment.

use cloth_verify::LimbAngles;

use super::body::Body;
use super::garment_kind::Pair;
use super::{FigureSize, steps};

/// Half the distance of the hip joints and their height, and how much farther out the legs are per metre
/// below (on the default figure).
const HIP_JOINT: [f64; 2] = [0.075, 0.83];
const LEG_DRIFT: f64 = 0.02;
/// Legs (m) that end nearer to the hip joint say little about the direction of the leg.
const SHORT_LEG: f64 = 0.2;
/// How far (degrees) the legs are spread at most.
const MAX_LEGS: f64 = 30.0;

/// The angles to try for sleeves whose ends are in the middle of `out` (m) to the side of the shoulder joint
/// and `down` (m) below it, and legs (see [`legs`]).
pub(super) fn limbs(size: FigureSize, [out, down]: [f64; 2], legs_deg: f64, body: &Body) -> Vec<LimbAngles> {
    if let Some(given) = size.limbs {
        return vec![given];
    }
    let pose = |arms_deg: f64| LimbAngles { arms_deg: arms_deg as f32, legs_deg: legs_deg as f32 };
    // A short sleeve ends at the joint: its middle says little about the arm.
    if out.hypot(down) < body.length(0.15) {
        return steps([10.0, 80.0], 10.0).map(pose).collect();
    }
    let straight = out.atan2(down).to_degrees();
    [-8.0, 0.0, 8.0].map(|turn| pose((straight + turn).clamp(0.0, 90.0).round())).to_vec()
}

/// The angle (whole degrees) by which the legs are spread for legs of a garment that is moved up by `up` (m);
/// 0 for a garment without.
pub(super) fn legs(legs: Option<Pair>, up: f64, body: &Body) -> f64 {
    let Some([left, right]) = legs else { return 0.0 };
    let below = body.length(HIP_JOINT[1]) - (nalgebra::center(&left.middle, &right.middle).y + up);
    if below < body.length(SHORT_LEG) {
        return 0.0;
    }
    let together = body.length(HIP_JOINT[0]) + LEG_DRIFT * below;
    let out = 0.5 * (left.middle.x - right.middle.x) - together;
    out.atan2(below).to_degrees().clamp(0.0, MAX_LEGS).round()
}

#[cfg(test)]
mod tests {
    use super::super::openings::Opening;
    use super::*;
    use cloth_verify::CapsuleFigure;
    use nalgebra::Point3;

    #[test]
    fn legs_go_through_the_middles_of_the_openings() {
        let at = |x: f64| Opening { middle: Point3::new(x, -0.7, 0.0), around: 0.4, ring: Vec::new() };
        let [left, right] = [at(0.19), at(-0.19)];
        let height = f64::from(CapsuleFigure::HEIGHT);
        let legs_deg = legs(Some([&left, &right]), 0.8, &Body::new(height, LimbAngles::default()));
        assert!(legs_deg > 0.0 && legs_deg < 15.0, "{legs_deg}");
        let limbs = LimbAngles { legs_deg: legs_deg as f32, ..LimbAngles::default() };
        // Half a degree of 0.73 m is 6 mm.
        let depth = Body::new(height, limbs).depth(&Point3::new(0.19, 0.1, -0.01)).0;
        assert!(depth > 0.05 - 0.007, "{depth}");
        let close = [at(0.02), at(-0.02)];
        let body = Body::new(height, LimbAngles::default());
        assert_eq!(legs(Some([&close[0], &close[1]]), 0.8, &body), 0.0);
        assert_eq!(legs(None, 0.8, &body), 0.0);
    }
}
