//! The displacement of a character as a whole: kept, removed or extracted.

use nalgebra::{Matrix3, Vector3};

use crate::{Affine, Character, Clip, Pose, Property, Skeleton};

/// A joint moves the character if its horizontal travel in a clip exceeds this part of the size of the
/// skeleton at rest; less is sway.
const TRAVEL: f64 = 1.0e-3;

/// What becomes of the horizontal displacement that clips contain (x and z of the world; height and rotation
/// always stay in the pose).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum RootMotion {
    /// Poses are those of the clip: at the end of a loop the character returns to where it began, by the
    /// transition of its [`Looping`](crate::Looping) if that has one. For clips in place, such as dances.
    #[default]
    Keep,
    /// Each cycle begins where the one before ended, so that a gait leads away. Through a cross-fade the
    /// velocities are blended.
    Accumulate,
    /// The character stays where the first pose of each clip has it.
    Remove,
    /// As [`Self::Remove`], and the displacement of [`Self::Accumulate`] is reported with the pose, for
    /// callers that move the character themselves.
    Extract,
}

/// Which joint moves the character in one clip, and how to undo it.
#[derive(Clone, Debug)]
pub(super) struct RootTrack {
    joint: usize,
    /// The root of the skeleton above it.
    top: usize,
    /// From the space in which the joint is translated to the world, without translation.
    to_world: Matrix3<f64>,
}

impl RootTrack {
    /// Finds the first joint, parents first, whose translation travels horizontally in a clip.
    pub(super) fn find(character: &Character, clip: &Clip) -> Option<Self> {
        let skeleton = &character.skeleton;
        let (mut pose, mut world) = (Pose::default(), Vec::new());
        clip.sample(skeleton, clip.start(), &mut pose);
        skeleton.compute_world(&pose, &mut world);
        let bounds = cloth_geom::Aabb::of_points(world.iter().map(Affine::origin));
        let size = (bounds.max - bounds.min).norm();
        let animated: Vec<usize> = clip
            .animated()
            .filter(|&(_, property)| property == Property::Translation)
            .map(|(joint, _)| joint)
            .collect();
        skeleton.order().iter().filter(|joint| animated.contains(joint)).find_map(|&joint| {
            let parent = skeleton.joints()[joint].parent;
            let to_world = parent.map_or(skeleton.root_map(joint), |parent| world[parent]).linear;
            let mut top = joint;
            while let Some(parent) = skeleton.joints()[top].parent {
                top = parent;
            }
            let track = Self { joint, top, to_world };
            // Keys of a gait are dense; 64 times find what moves.
            let times = (0..=64).map(|k| f64::from(k) / 64.0 * clip.length());
            let travel = times.map(|time| track.displacement(clip, time).norm()).fold(0.0, f64::max);
            (travel > TRAVEL * size).then_some(track)
        })
    }

    /// The horizontal displacement from the first key of the clip until `time` seconds later, in the world.
    pub(super) fn displacement(&self, clip: &Clip, time: f64) -> Vector3<f64> {
        let at = |time: f64| clip.sample_translation(self.joint, clip.start() + time).unwrap_or_default();
        let mut moved = self.to_world * (at(time) - at(0.0));
        moved.y = 0.0;
        moved
    }

    /// Moves the part of the skeleton that this track moves, by a vector in the world.
    pub(super) fn shift(&self, skeleton: &Skeleton, by: Vector3<f64>, pose: &mut Pose) {
        shift_root(skeleton, self.top, by, pose);
    }
}

/// Moves all roots of a skeleton by a vector in the world.
pub(super) fn shift_roots(skeleton: &Skeleton, by: Vector3<f64>, pose: &mut Pose) {
    for (root, _) in skeleton.joints().iter().enumerate().filter(|(_, joint)| joint.parent.is_none()) {
        shift_root(skeleton, root, by, pose);
    }
}

fn shift_root(skeleton: &Skeleton, root: usize, by: Vector3<f64>, pose: &mut Pose) {
    // A singular map above the root flattens the character and cannot be undone; it stays where it is.
    let inverse = skeleton.root_map(root).linear.try_inverse();
    if let (Some(inverse), Some(local)) = (inverse, pose.locals.get_mut(root)) {
        local.translation += inverse * by;
    }
}
