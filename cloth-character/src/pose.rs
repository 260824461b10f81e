//! A pose: the local transform of each joint.

use crate::Transform;

/// The local transform of each joint of a skeleton, by the joint's number.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Pose {
    /// Transforms relative to the parents.
    pub locals: Vec<Transform>,
}

impl Pose {
    /// Moves this pose towards another: each local transform is interpolated ([`Transform::interpolate`]), 0
    /// keeps this one, 1 takes the other.
    ///
    /// Joints that only one of the poses has are left as they are.
    pub fn blend(&mut self, other: &Self, amount: f64) {
        for (mine, theirs) in self.locals.iter_mut().zip(&other.locals) {
            *mine = mine.interpolate(theirs, amount);
        }
    }

    /// Copies another pose into this one, without an allocation if it has no more joints.
    pub fn copy_from(&mut self, other: &Self) {
        self.locals.clone_from(&other.locals);
    }

    /// Whether every number is finite.
    #[must_use]
    pub fn is_finite(&self) -> bool {
        self.locals.iter().all(Transform::is_finite)
    }
}
