//! A person made of capsules that moves: thighs and shins turn at their joints, and the whole leaps and
//! spins.
//!
//! Angles become turns by `libm`, so that a motion has the same bytes everywhere.

use cloth_contacts::collider::ColliderError;
use cloth_scene::{CapsuleFigure, SceneDesc};
use cloth_solver::StepError;
use nalgebra::{Isometry3, Point3, Translation3, UnitQuaternion, Vector3};

use crate::scenario::SimulationControl;
use crate::scenarios::parts::turn;

/// How a figure stands: angles in radians, zero for the figure as it is made.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FigurePose {
    /// Takes the whole figure from where it is made to where it is.
    pub root: Isometry3<f32>,
    /// Of the left and the right thigh, forward.
    pub hips: [f32; 2],
    /// Of the left and the right shin, backward.
    pub knees: [f32; 2],
}

impl Default for FigurePose {
    fn default() -> Self {
        Self { root: Isometry3::identity(), hips: [0.0; 2], knees: [0.0; 2] }
    }
}

/// A [`CapsuleFigure`] whose capsules are colliders of a scene, one after the other.
#[derive(Clone, Debug)]
pub struct AnimatedFigure {
    figure: CapsuleFigure,
    rest: Vec<Isometry3<f32>>,
    first: usize,
}

/// Capsules in the middle, those of a side, and which of a side is its thigh, in the order of
/// [`CapsuleFigure`].
const MIDDLE: usize = 4;
const SIDE: usize = 5;
const THIGH: usize = 2;

impl AnimatedFigure {
    /// Adds the default figure to the colliders of a scene.
    ///
    /// # Errors
    /// If the friction is not a usable number.
    pub fn add_to_scene(scene: &mut SceneDesc, friction: f32) -> Result<Self, ColliderError> {
        let figure = CapsuleFigure::default();
        let capsules = figure.colliders(friction, &Isometry3::identity())?;
        let rest = capsules.iter().map(|c| c.pose_t0).collect();
        let first = scene.colliders.len();
        scene.add_colliders(capsules);
        Ok(Self { figure, rest, first })
    }

    /// Moves the colliders to a pose in the course of the next frame.
    ///
    /// # Errors
    /// If the scene is not the one that was entered, or if the pose is not finite.
    pub fn apply_pose(
        &self,
        figure_pose: &FigurePose,
        stage: &mut dyn SimulationControl,
    ) -> Result<(), StepError> {
        let poses = self.moves(figure_pose).into_iter().zip(&self.rest).map(|(motion, rest)| motion * rest);
        (self.first..).zip(poses).try_for_each(|(collider, pose)| stage.move_collider(collider, pose))
    }

    /// What takes each capsule from where it is made to its place.
    fn moves(&self, figure_pose: &FigurePose) -> Vec<Isometry3<f32>> {
        let mut moves = vec![figure_pose.root; self.rest.len()];
        for side in 0..2 {
            let thigh = MIDDLE + SIDE * side + THIGH;
            let joints = self.figure.capsules()[thigh];
            let hip = figure_pose.root * about(&joints.from, turn(&Vector3::x(), -figure_pose.hips[side]));
            let knee = hip * about(&joints.to, turn(&Vector3::x(), figure_pose.knees[side]));
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
    use cloth_solver::{Collider, Settings, Shape};

    fn figure() -> AnimatedFigure {
        AnimatedFigure::add_to_scene(&mut SceneDesc::default(), 0.3).expect("usable")
    }

    /// Ends of the axis of a capsule, where a pose takes it.
    fn ends(figure: &AnimatedFigure, figure_pose: &FigurePose, capsule: usize) -> [Point3<f32>; 2] {
        let motion = figure.moves(figure_pose)[capsule];
        let made = figure.figure.capsules()[capsule];
        [motion * made.from, motion * made.to]
    }

    #[test]
    fn a_raised_leg_keeps_its_joints_and_bends_its_shin_back() {
        let figure = figure();
        let figure_pose = FigurePose { hips: [1.2, 0.0], knees: [0.9, 0.0], ..FigurePose::default() };
        let leg = MIDDLE + THIGH;
        let [hip, knee] = ends(&figure, &figure_pose, leg);
        let [shin, ankle] = ends(&figure, &figure_pose, leg + 1);
        let [heel, _] = ends(&figure, &figure_pose, leg + 2);
        let made = figure.figure.capsules();
        assert!((hip - made[leg].from).norm() < 1e-6, "the hip stays");
        assert!((knee - shin).norm() < 1e-6, "the knee holds");
        let foot = (made[leg + 2].from - made[leg + 1].to).norm();
        assert!(((heel - ankle).norm() - foot).abs() < 1e-6, "the ankle holds");
        assert!(knee.z > made[leg].to.z + 0.2, "the thigh goes forward");
        // Straight on from the thigh, the shin would point 1.2 rad forward; it points 0.3 rad.
        let forward = (ankle - shin).normalize().z;
        assert!((forward - libm::sinf(0.3)).abs() < 0.05, "{forward}");
        assert_eq!(figure.moves(&figure_pose)[leg + SIDE], Isometry3::identity(), "the other leg stands");
    }

    #[test]
    fn all_of_it_follows_the_root() {
        let figure = figure();
        let root = Isometry3::new(Vector3::new(1.0, 2.0, 3.0), Vector3::y());
        let bent = FigurePose { hips: [0.4, -0.3], knees: [0.2, 0.6], ..FigurePose::default() };
        let here = figure.moves(&bent);
        let there = figure.moves(&FigurePose { root, ..bent });
        for (here, there) in here.iter().zip(&there) {
            let p = Point3::new(0.1, 0.5, 0.2);
            assert!((root * (here * p) - there * p).norm() < 1e-5);
        }
    }

    #[test]
    fn moves_its_own_colliders_and_no_other() {
        let floor = Collider::new(Shape::Plane, Isometry3::identity(), 0.5).expect("usable");
        let mut scene = SceneDesc::default();
        scene.add_colliders([floor]);
        let figure = AnimatedFigure::add_to_scene(&mut scene, 0.3).expect("usable");
        let mut sim = scene.build(Settings::default()).expect("a scene");
        let root = Isometry3::translation(0.0, 1.0, 0.0);
        figure.apply_pose(&FigurePose { root, ..FigurePose::default() }, &mut sim).expect("there");
        sim.step(0.1).expect("a step");
        let heights: Vec<f32> = sim.colliders().iter().map(|c| c.pose_t1.translation.y).collect();
        assert_eq!(heights[0], 0.0);
        for (height, rest) in heights[1..].iter().zip(&figure.rest) {
            assert!((height - rest.translation.y - 1.0).abs() < 1e-6);
        }
    }
}
