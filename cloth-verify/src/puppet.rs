//! A person made of capsules that moves: thighs and shins turn at their joints, and the whole leaps and spins.
//!
//! Angles become turns by `libm`, so that a motion has the same bytes everywhere.

use cloth_contacts::collider::ColliderError;
use cloth_solver::{Collider, ColliderId, StepError};
use nalgebra::{Isometry3, Point3, Translation3, UnitQuaternion, Vector3};

use crate::CapsuleFigure;
use crate::scenario::Stage;
use crate::scenarios::parts::turn;

/// How a puppet stands: angles in radians, zero for the figure as it is made.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Posture {
    /// Takes the whole figure from where it is made to where it is.
    pub root: Isometry3<f32>,
    /// Of the left and the right thigh, forward.
    pub hips: [f32; 2],
    /// Of the left and the right shin, backward.
    pub knees: [f32; 2],
}

impl Default for Posture {
    fn default() -> Self {
        Self { root: Isometry3::identity(), hips: [0.0; 2], knees: [0.0; 2] }
    }
}

/// A [`CapsuleFigure`] whose capsules are colliders of a scene, one after the other.
#[derive(Clone, Debug)]
pub struct Puppet {
    figure: CapsuleFigure,
    rest: Vec<Isometry3<f32>>,
    first: ColliderId,
}

/// Capsules in the middle, those of a side, and which of a side is its thigh, in the order of [`CapsuleFigure`].
const MIDDLE: usize = 4;
const SIDE: usize = 5;
const THIGH: usize = 2;

impl Puppet {
    /// Adds the default figure to the colliders of a scene.
    ///
    /// # Errors
    /// If the friction is not a usable number.
    pub fn enter(colliders: &mut Vec<Collider>, friction: f32) -> Result<Self, ColliderError> {
        let figure = CapsuleFigure::default();
        let capsules = figure.colliders(friction, &Isometry3::identity())?;
        let rest = capsules.iter().map(|c| c.pose_t0).collect();
        let first = ColliderId(colliders.len());
        colliders.extend(capsules);
        Ok(Self { figure, rest, first })
    }

    /// Moves the colliders to a posture in the course of the next frame.
    ///
    /// # Errors
    /// If the scene is not the one that was entered, or if the posture is not finite.
    pub fn take(&self, posture: &Posture, stage: &mut dyn Stage) -> Result<(), StepError> {
        let poses = self.moves(posture).into_iter().zip(&self.rest).map(|(motion, rest)| motion * rest);
        let ids = (self.first.0..).map(ColliderId);
        ids.zip(poses).try_for_each(|(id, pose)| stage.move_collider(id, pose))
    }

    /// What takes each capsule from where it is made to its place.
    fn moves(&self, posture: &Posture) -> Vec<Isometry3<f32>> {
        let mut moves = vec![posture.root; self.rest.len()];
        for side in 0..2 {
            let thigh = MIDDLE + SIDE * side + THIGH;
            let joints = self.figure.capsules()[thigh];
            let hip = posture.root * about(&joints.from, turn(&Vector3::x(), -posture.hips[side]));
            let knee = hip * about(&joints.to, turn(&Vector3::x(), posture.knees[side]));
            moves[thigh] = hip;
            moves[thigh + 1] = knee;
            moves[thigh + 2] = knee;
        }
        moves
    }
}

/// A turn about a point (m).
fn about(pivot: &Point3<f32>, turn: UnitQuaternion<f32>) -> Isometry3<f32> {
    Translation3::from(pivot.coords) * turn * Translation3::from(-pivot.coords)
}

#[cfg(test)]
mod tests {
    use super::*;
    use cloth_solver::{Settings, Shape, Simulation, SimulationBuilder};

    fn puppet() -> Puppet {
        Puppet::enter(&mut Vec::new(), 0.3).expect("usable")
    }

    /// Ends of the axis of a capsule, where a posture takes it.
    fn ends(puppet: &Puppet, posture: &Posture, capsule: usize) -> [Point3<f32>; 2] {
        let motion = puppet.moves(posture)[capsule];
        let made = puppet.figure.capsules()[capsule];
        [motion * made.from, motion * made.to]
    }

    #[test]
    fn a_raised_leg_keeps_its_joints_and_goes_forward_and_its_shin_back() {
        let puppet = puppet();
        let posture = Posture { hips: [1.2, 0.0], knees: [0.9, 0.0], ..Posture::default() };
        let leg = MIDDLE + THIGH;
        let [hip, knee] = ends(&puppet, &posture, leg);
        let [shin, ankle] = ends(&puppet, &posture, leg + 1);
        let [heel, _] = ends(&puppet, &posture, leg + 2);
        let made = puppet.figure.capsules();
        assert!((hip - made[leg].from).norm() < 1e-6, "the hip stays");
        assert!((knee - shin).norm() < 1e-6, "the knee holds");
        let foot = (made[leg + 2].from - made[leg + 1].to).norm();
        assert!(((heel - ankle).norm() - foot).abs() < 1e-6, "the ankle holds");
        assert!(knee.z > made[leg].to.z + 0.2, "the thigh goes forward");
        // Straight on from the thigh, the shin would point 1.2 rad forward; it points 0.3 rad.
        let forward = (ankle - shin).normalize().z;
        assert!((forward - libm::sinf(0.3)).abs() < 0.05, "{forward}");
        assert_eq!(puppet.moves(&posture)[leg + SIDE], Isometry3::identity(), "the other leg stands");
    }

    #[test]
    fn all_of_it_follows_the_root() {
        let puppet = puppet();
        let root = Isometry3::new(Vector3::new(1.0, 2.0, 3.0), Vector3::y());
        let bent = Posture { hips: [0.4, -0.3], knees: [0.2, 0.6], ..Posture::default() };
        let here = puppet.moves(&bent);
        let there = puppet.moves(&Posture { root, ..bent });
        for (here, there) in here.iter().zip(&there) {
            let p = Point3::new(0.1, 0.5, 0.2);
            assert!((root * (here * p) - there * p).norm() < 1e-5);
        }
    }

    #[test]
    fn moves_its_own_colliders_and_no_other() {
        let floor = Collider::new(Shape::Plane, Isometry3::identity(), 0.5).expect("usable");
        let mut colliders = vec![floor.clone()];
        let puppet = Puppet::enter(&mut colliders, 0.3).expect("usable");
        let mut builder = SimulationBuilder::new(Settings::default());
        builder.add_collider(floor);
        colliders.drain(1..).for_each(|c| {
            builder.add_collider(c);
        });
        let mut sim: Simulation = builder.build().expect("a scene");
        let root = Isometry3::translation(0.0, 1.0, 0.0);
        puppet.take(&Posture { root, ..Posture::default() }, &mut sim).expect("there");
        sim.step(0.1).expect("a step");
        let heights: Vec<f32> = sim.colliders().iter().map(|c| c.pose_t1.translation.y).collect();
        assert_eq!(heights[0], 0.0);
        for (height, rest) in heights[1..].iter().zip(&puppet.rest) {
            assert!((height - rest.translation.y - 1.0).abs() < 1e-6);
        }
    }
}
