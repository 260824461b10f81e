//! A person made of capsules that moves: joints turn, the whole leaps and spins.
//!
//! Angles are turned into quaternions by `libm`, so that a motion has the same bytes everywhere.

use cloth_contacts::collider::ColliderError;
use cloth_solver::{Collider, ColliderId, StepError};
use nalgebra::{Isometry3, Point3, Quaternion, Translation3, UnitQuaternion, Vector3};

use super::parts;
use crate::CapsuleFigure;
use crate::scenario::Stage;

/// How the figure stands; angles in radians, zero for standing still.
#[derive(Clone, Copy, Debug)]
pub(super) struct Posture {
    /// Where the figure is, from where it stands at rest.
    pub(super) root: Isometry3<f32>,
    /// Of the left and the right thigh, forward.
    pub(super) hips: [f32; 2],
    /// Of the left and the right shin, backward.
    pub(super) knees: [f32; 2],
}

impl Default for Posture {
    fn default() -> Self {
        Self { root: Isometry3::identity(), hips: [0.0; 2], knees: [0.0; 2] }
    }
}

/// A figure whose capsules are the first colliders of a scene.
#[derive(Clone, Debug)]
pub(super) struct Puppet {
    figure: CapsuleFigure,
    rest: Vec<Isometry3<f32>>,
}

/// Capsules of the middle, and of each side before its thigh, as [`CapsuleFigure`] has them.
const MIDDLE: usize = 4;
const SIDE: usize = 5;
const THIGH: usize = 2;

impl Puppet {
    /// The default figure, and its colliders.
    ///
    /// # Errors
    /// Never in fact: its numbers are usable.
    pub(super) fn new() -> Result<(Self, Vec<Collider>), ColliderError> {
        let figure = CapsuleFigure::default();
        let colliders = figure.colliders(parts::BODY_FRICTION, &Isometry3::identity())?;
        let rest = colliders.iter().map(|c| c.pose_t0).collect();
        Ok((Self { figure, rest }, colliders))
    }

    /// Moves the colliders to a posture.
    ///
    /// # Errors
    /// If the scene has fewer colliders than the figure has capsules.
    pub(super) fn take(&self, posture: &Posture, stage: &mut dyn Stage) -> Result<(), StepError> {
        let moves = self.moves(posture);
        let mut poses = moves.iter().zip(&self.rest).map(|(motion, rest)| motion * rest);
        (0..self.rest.len())
            .zip(&mut poses)
            .try_for_each(|(i, pose)| stage.move_collider(ColliderId(i), pose))
    }

    /// What takes each capsule from rest to its place.
    fn moves(&self, posture: &Posture) -> Vec<Isometry3<f32>> {
        let mut moves = vec![posture.root; self.rest.len()];
        for side in 0..2 {
            let thigh = MIDDLE + SIDE * side + THIGH;
            let joints = self.figure.capsules()[thigh];
            let hip = posture.root * about(joints.from, turn(Vector3::x(), -posture.hips[side]));
            let knee = hip * about(joints.to, turn(Vector3::x(), posture.knees[side]));
            moves[thigh] = hip;
            moves[thigh + 1] = knee;
            moves[thigh + 2] = knee;
        }
        moves
    }
}

/// A turn about an axis of unit length by an angle.
pub(super) fn turn(axis: Vector3<f32>, angle: f32) -> UnitQuaternion<f32> {
    let (sin, cos) = (libm::sinf(0.5 * angle), libm::cosf(0.5 * angle));
    UnitQuaternion::new_normalize(Quaternion::from_parts(cos, axis * sin))
}

/// A turn about a point.
pub(super) fn about(pivot: Point3<f32>, turn: UnitQuaternion<f32>) -> Isometry3<f32> {
    Translation3::from(pivot.coords) * turn * Translation3::from(-pivot.coords)
}

/// From 0 to 1 between two times (s), without a jerk at either end.
pub(super) fn ease(from: f32, to: f32, time: f32) -> f32 {
    let t = ((time - from) / (to - from)).clamp(0.0, 1.0);
    t * t * (3.0 - 2.0 * t)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_raised_leg_keeps_its_joints() {
        let (puppet, _) = Puppet::new().expect("usable");
        let posture = Posture { hips: [1.2, 0.0], knees: [0.9, 0.0], ..Posture::default() };
        let moves = puppet.moves(&posture);
        let leg = MIDDLE + THIGH;
        let thigh = puppet.figure.capsules()[leg];
        assert!((moves[leg] * thigh.from - thigh.from).norm() < 1e-6, "the hip stays");
        assert!((moves[leg] * thigh.to - moves[leg + 1] * thigh.to).norm() < 1e-6, "the knee holds");
        assert!((moves[leg] * thigh.to).z > thigh.to.z + 0.2, "forward");
        let other = leg + SIDE;
        assert_eq!(moves[other], Isometry3::identity());
    }

    #[test]
    fn eases_from_nothing_to_all() {
        assert_eq!([0.0, 1.0, 2.0, 3.0, 4.0].map(|t| ease(1.0, 3.0, t)), [0.0, 0.0, 0.5, 1.0, 1.0]);
    }
}
