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

    /// Its name, the joint that it moves with, and where it is at the bind pose (m), on the left if it has a
    /// side.
    fn description(self) -> (&'static str, Option<Self>, [f64; 3]) {
        match self {
            Self::Hips => ("hips", None, [0.0, 0.93, 0.0]),
            Self::Spine => ("spine", Some(Self::Hips), [0.0, 1.06, -0.01]),
            Self::Chest => ("chest", Some(Self::Spine), [0.0, 1.20, -0.015]),
            Self::Neck => ("neck", Some(Self::Chest), [0.0, 1.41, -0.02]),
            Self::Head => ("head", Some(Self::Neck), [0.0, 1.50, 0.0]),
            Self::Shoulder(_) => ("shoulder", Some(Self::Chest), [0.04, 1.38, -0.01]),
            Self::UpperArm(s) => ("upper arm", Some(Self::Shoulder(s)), UPPER_ARM),
            Self::LowerArm(s) => ("lower arm", Some(Self::UpperArm(s)), ELBOW),
            Self::Hand(s) => ("hand", Some(Self::LowerArm(s)), WRIST),
            Self::Thigh(_) => ("thigh", Some(Self::Hips), [0.09, 0.91, 0.0]),
            Self::Shin(s) => ("shin", Some(Self::Thigh(s)), [0.11, 0.49, 0.005]),
            Self::Foot(s) => ("foot", Some(Self::Shin(s)), [0.125, 0.085, -0.03]),
        }
    }

    fn side(self) -> Option<Side> {
        match self {
            Self::Hips | Self::Spine | Self::Chest | Self::Neck | Self::Head => None,
            Self::Shoulder(s) | Self::UpperArm(s) | Self::LowerArm(s) | Self::Hand(s) => Some(s),
            Self::Thigh(s) | Self::Shin(s) | Self::Foot(s) => Some(s),
        }
    }

    /// The joint that it moves with.
    pub(super) fn parent(self) -> Option<Self> {
        self.description().1
    }

    /// Where it is at the bind pose (m).
    pub(super) fn place(self) -> Point3<f64> {
        let [x, y, z] = self.description().2;
        Point3::new(self.side().map_or(1.0, Side::sign) * x, y, z)
    }

    fn name(self) -> String {
        let side = self.side().map_or("", |s| if s == Side::Left { ".L" } else { ".R" });
        format!("{}{side}", self.description().0)
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
