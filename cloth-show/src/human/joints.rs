//! The joints of the built-in character and where they are at the bind pose.
//!
//! ```text
//!            head
//!            neck
//!  hand      chest ---- shoulder       arms point 45 degrees outward and down, palms back,
//!    \_____ /  |  \ ___ arm            legs are 0.18 m apart at the hips and 0.25 m at the ankles
//!          arm spine   \_ forearm
//!             hips       \_ hand
//!         thigh  thigh
//!          shin  shin
//!          foot  foot
//! ```
//!
//! All joints have the axes of the world at the bind pose, so a rotation of a joint is one about axes of the
//! world there: x points to the left of the character, y up, z forward.

use cloth_character::{CharacterError, Joint, Skeleton, Transform};
use nalgebra::{Point3, Vector3};

/// A joint of the built-in character.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Bone {
    Hips,
    Spine,
    Chest,
    Neck,
    Head,
    /// Those of a side; the left one is 0.
    Shoulder(Side),
    UpperArm(Side),
    LowerArm(Side),
    Hand(Side),
    Thigh(Side),
    Shin(Side),
    Foot(Side),
}

/// A side of the character.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Side {
    Left,
    Right,
}

impl Side {
    pub(super) const BOTH: [Self; 2] = [Self::Left, Self::Right];

    /// The factor that takes the left side to this one: of x, and of turns about y and z.
    pub(super) fn sign(self) -> f64 {
        match self {
            Self::Left => 1.0,
            Self::Right => -1.0,
        }
    }
}

/// Joints of the middle.
const MIDDLE: usize = 5;
/// Joints of a side.
const OF_SIDE: usize = 7;

impl Bone {
    /// Number of joints.
    pub(super) const COUNT: usize = MIDDLE + 2 * OF_SIDE;

    /// All joints, in the order of their numbers; parents come before children.
    pub(super) fn all() -> [Self; Self::COUNT] {
        let side = |s| {
            use Bone::{Foot, Hand, LowerArm, Shin, Shoulder, Thigh, UpperArm};
            [Shoulder(s), UpperArm(s), LowerArm(s), Hand(s), Thigh(s), Shin(s), Foot(s)]
        };
        let [left, right] = Side::BOTH.map(side);
        let middle = [Self::Hips, Self::Spine, Self::Chest, Self::Neck, Self::Head];
        std::array::from_fn(|i| match i.checked_sub(MIDDLE) {
            None => middle[i],
            Some(i) if i < OF_SIDE => left[i],
            Some(i) => right[i - OF_SIDE],
        })
    }

    /// Its number.
    pub(super) fn number(self) -> usize {
        Self::all().iter().position(|&bone| bone == self).unwrap_or(0)
    }

    /// The joint that it moves with.
    pub(super) fn parent(self) -> Option<Self> {
        Some(match self {
            Self::Hips => return None,
            Self::Spine | Self::Thigh(_) => Self::Hips,
            Self::Chest => Self::Spine,
            Self::Neck | Self::Shoulder(_) => Self::Chest,
            Self::Head => Self::Neck,
            Self::UpperArm(s) => Self::Shoulder(s),
            Self::LowerArm(s) => Self::UpperArm(s),
            Self::Hand(s) => Self::LowerArm(s),
            Self::Shin(s) => Self::Thigh(s),
            Self::Foot(s) => Self::Shin(s),
        })
    }

    /// Where it is at the bind pose (m).
    pub(super) fn place(self) -> Point3<f64> {
        let left = |[x, y, z]: [f64; 3], s: Side| Point3::new(s.sign() * x, y, z);
        match self {
            Self::Hips => Point3::new(0.0, 0.93, 0.0),
            Self::Spine => Point3::new(0.0, 1.06, -0.01),
            Self::Chest => Point3::new(0.0, 1.20, -0.015),
            Self::Neck => Point3::new(0.0, 1.41, -0.02),
            Self::Head => Point3::new(0.0, 1.50, 0.0),
            Self::Shoulder(s) => left([0.04, 1.38, -0.01], s),
            Self::UpperArm(s) => left(UPPER_ARM, s),
            Self::LowerArm(s) => left(ELBOW, s),
            Self::Hand(s) => left(WRIST, s),
            Self::Thigh(s) => left([0.09, 0.91, 0.0], s),
            Self::Shin(s) => left([0.11, 0.49, 0.005], s),
            Self::Foot(s) => left([0.125, 0.085, -0.03], s),
        }
    }

    fn name(self) -> String {
        let side = |name: &str, s: Side| format!("{name}.{}", if s == Side::Left { "L" } else { "R" });
        match self {
            Self::Hips => "hips".into(),
            Self::Spine => "spine".into(),
            Self::Chest => "chest".into(),
            Self::Neck => "neck".into(),
            Self::Head => "head".into(),
            Self::Shoulder(s) => side("shoulder", s),
            Self::UpperArm(s) => side("upper arm", s),
            Self::LowerArm(s) => side("lower arm", s),
            Self::Hand(s) => side("hand", s),
            Self::Thigh(s) => side("thigh", s),
            Self::Shin(s) => side("shin", s),
            Self::Foot(s) => side("foot", s),
        }
    }
}

/// The left shoulder joint, elbow, wrist and knuckles (m): on a line, 45 degrees down.
pub(super) const UPPER_ARM: [f64; 3] = [0.170, 1.385, -0.02];
pub(super) const ELBOW: [f64; 3] = [0.365, 1.190, -0.02];
pub(super) const WRIST: [f64; 3] = [0.540, 1.015, -0.01];
pub(super) const KNUCKLES: [f64; 3] = [0.605, 0.950, -0.005];
pub(super) const FINGERTIPS: [f64; 3] = [0.660, 0.895, 0.0];

/// The skeleton at rest in the bind pose.
pub(super) fn skeleton() -> Result<Skeleton, CharacterError> {
    let joint = |bone: Bone| {
        let above = bone.parent().map_or(Vector3::zeros(), |parent| parent.place().coords);
        let rest = Transform::from_translation(bone.place().coords - above);
        Joint { name: bone.name(), parent: bone.parent().map(Bone::number), rest }
    };
    Skeleton::new(Bone::all().into_iter().map(joint).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_joint_has_its_own_number_and_comes_after_its_parent() {
        for (number, bone) in Bone::all().into_iter().enumerate() {
            assert_eq!(bone.number(), number, "{bone:?}");
            assert!(bone.parent().is_none_or(|parent| parent.number() < number), "{bone:?}");
        }
    }
}
