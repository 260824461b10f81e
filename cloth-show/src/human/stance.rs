//! How the built-in character stands, in words of a body, and clips of it: keys of stances that a formula
//! gives.

use cloth_character::{ChannelDescription, ChannelValues, CharacterError, Clip, Interpolation};
use nalgebra::{Quaternion, UnitQuaternion, Vector3};

use super::joints::{Bone, ELBOW, Side, UPPER_ARM};

/// Step (s) of the differences that give the tangents of keys.
const STEP: f64 = 1e-4;

/// Angles are radians, zero at the bind pose.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Stance {
    /// Where the hips are, from where they are at the bind pose (m).
    pub(super) hips: Vector3<f64>,
    /// Turns of the hips: to the left about y, forward about x, to the left side about z.
    pub(super) hips_turn: Turn,
    pub(super) spine: Turn,
    pub(super) chest: Turn,
    pub(super) neck: Turn,
    /// The left arm and the right one.
    pub(super) arms: [Arm; 2],
    pub(super) legs: [Leg; 2],
}

/// A turn of a joint of the trunk.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Turn {
    /// To the left.
    pub(super) yaw: f64,
    /// Forward.
    pub(super) pitch: f64,
    /// To the right side.
    pub(super) roll: f64,
}

/// An arm: first lowered, then swung forward, then swept forward about the vertical.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Arm {
    /// Down from 45 degrees.
    pub(super) down: f64,
    pub(super) forward: f64,
    pub(super) sweep: f64,
    /// Flexion of the elbow, forward.
    pub(super) elbow: f64,
}

/// A leg.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Leg {
    pub(super) forward: f64,
    pub(super) outward: f64,
    /// Flexion of the knee, backward.
    pub(super) knee: f64,
    /// Lift of the toes.
    pub(super) ankle: f64,
}

/// A turn about a unit vector by an angle (rad), through `libm`: the same bits everywhere.
fn turn(axis: &Vector3<f64>, angle: f64) -> UnitQuaternion<f64> {
    let (sin, cos) = (libm::sin(0.5 * angle), libm::cos(0.5 * angle));
    UnitQuaternion::new_normalize(Quaternion::from_parts(cos, axis * sin))
}

impl Turn {
    fn rotation(self) -> UnitQuaternion<f64> {
        turn(&Vector3::y(), self.yaw) * turn(&Vector3::x(), self.pitch) * turn(&Vector3::z(), self.roll)
    }
}

impl Stance {
    /// The rotation of a joint.
    fn rotation(&self, bone: Bone) -> UnitQuaternion<f64> {
        let leg = |s: Side| self.legs[s as usize];
        let arm = |s: Side| self.arms[s as usize];
        match bone {
            Bone::Hips => self.hips_turn.rotation(),
            Bone::Spine => self.spine.rotation(),
            Bone::Chest => self.chest.rotation(),
            Bone::Neck => self.neck.rotation(),
            Bone::Head | Bone::Shoulder(_) | Bone::Hand(_) => UnitQuaternion::identity(),
            Bone::UpperArm(s) => {
                let Arm { down, forward, sweep, .. } = arm(s);
                turn(&Vector3::y(), -s.sign() * sweep)
                    * turn(&Vector3::x(), -forward)
                    * turn(&Vector3::z(), -s.sign() * down)
            }
            Bone::LowerArm(s) => {
                // Perpendicular to the arm at the bind pose, so that the hand goes forward.
                let along = (Vector3::from(ELBOW) - Vector3::from(UPPER_ARM)).normalize();
                turn(&Vector3::new(along.y, -s.sign() * along.x, 0.0).normalize(), arm(s).elbow)
            }
            Bone::Thigh(s) => {
                turn(&Vector3::z(), s.sign() * leg(s).outward) * turn(&Vector3::x(), -leg(s).forward)
            }
            Bone::Shin(s) => turn(&Vector3::x(), leg(s).knee),
            Bone::Foot(s) => turn(&Vector3::x(), -leg(s).ankle),
        }
    }
}

/// A clip of `duration` (s) from a formula: `keys` intervals between keys of a cubic spline with the tangents
/// of the formula.
///
/// # Errors
/// As [`Clip::new`], which the formulas of this crate do not cause.
pub(super) fn clip(
    name: &str,
    duration: f64,
    keys: usize,
    stance: impl Fn(f64) -> Stance,
) -> Result<Clip, CharacterError> {
    let times: Vec<f64> = (0..=keys).map(|k| k as f64 / keys as f64 * duration).collect();
    // In-tangent, value and out-tangent of each key.
    let places = times.iter().flat_map(|&t| {
        let tangent = (stance(t + STEP).hips - stance(t - STEP).hips) / (2.0 * STEP);
        [tangent, Bone::Hips.place().coords + stance(t).hips, tangent]
    });
    let interpolation = Interpolation::CubicSpline;
    let hips = ChannelDescription {
        joint: Bone::Hips.number(),
        interpolation,
        times: times.clone(),
        values: ChannelValues::Translation(places.collect()),
    };
    let rotations = Bone::all().into_iter().map(|bone| {
        let at = |t: f64| stance(t).rotation(bone).into_inner();
        let keys = times.iter().flat_map(|&t| {
            let tangent = (at(t + STEP) - at(t - STEP)) / (2.0 * STEP);
            [tangent, at(t), tangent]
        });
        let values = ChannelValues::Rotation(keys.collect());
        ChannelDescription { joint: bone.number(), interpolation, times: times.clone(), values }
    });
    Clip::new(name.into(), std::iter::once(hips).chain(rotations).collect(), Bone::COUNT)
}
