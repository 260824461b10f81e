//! The dynamic state of a simulation: exactly what a checkpoint holds, apart from the state of the drivers of
//! contacts.

use std::ops::Range;

use cloth_geom::clone_in_place;
use nalgebra::{Isometry3, Point3, Vector3};

use crate::constraints::attachment::AttachmentState;
use crate::constraints::drive::DrivePose;
use crate::describe::sleep::SleepState;
use crate::recovery::TrackedContours;
use crate::rigid::RigidState;
use crate::teleport::Carriage;

/// Everything that a later bit depends on, except what detection, the gate and colliders keep themselves
/// ([`Checkpoint`](crate::checkpoint::Checkpoint)).
#[derive(Debug, Default)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub(crate) struct State {
    /// Time (s) that has been simulated.
    pub(crate) time: f64,
    /// Positions (m).
    pub(crate) x: Vec<Point3<f32>>,
    /// Velocities (m/s).
    pub(crate) v: Vec<Vector3<f32>>,
    /// Velocities (m/s) of the local frames at their vertices in the last substep; empty without local
    /// frames.
    pub(crate) frame_velocities: Vec<Vector3<f32>>,
    /// Inverse masses (1/kg) in the step; zero is immovable: pinned, or asleep.
    pub(crate) inv_mass: Vec<f32>,
    /// Targets (m) of the kinematic vertices at the two ends of the step.
    pub(crate) kinematic_t0: Vec<Point3<f32>>,
    pub(crate) kinematic_t1: Vec<Point3<f32>>,
    pub(crate) attachments: Vec<AttachmentState>,
    /// Pose of each drive over the step.
    pub(crate) drive_poses: Vec<DrivePose>,
    /// Pose of each local frame at the two ends of the step.
    pub(crate) frame_poses: Vec<[Isometry3<f32>; 2]>,
    /// Velocities of the rigid bodies.
    pub(crate) rigid: Vec<RigidState>,
    /// Whether what holds each cloth went as far as a cut in the last step.
    pub(crate) was_cut: Vec<bool>,
    /// How each cloth was carried in the last step.
    pub(crate) carried_before: Vec<Carriage>,
    /// Where colliders that lag are to be, by their place among the colliders.
    pub(crate) collider_goals: Vec<(usize, Isometry3<f32>)>,
    /// Progress of recovery.
    pub(crate) tracked_contours: TrackedContours,
    pub(crate) sleep: SleepState,
    /// What the caller keeps with the state.
    pub(crate) user_data: Vec<f64>,
}

impl State {
    /// A hash of all bits of positions and velocities.
    pub(crate) fn hash(&self) -> u64 {
        let numbers = self.x.iter().flat_map(|p| p.iter()).chain(self.v.iter().flat_map(|v| v.iter()));
        cloth_geom::fnv1a(numbers.flat_map(|c| c.to_bits().to_le_bytes()))
    }

    /// Makes the end of this step the start of the next, for all but attachments and drives.
    pub(crate) fn finish_step(&mut self) {
        // What has not come to its target goes on from where it is.
        fault!(LagForgotten | ThawForgetsVertex, self.kinematic_t0.copy_from_slice(&self.x), self);
        self.frame_poses.iter_mut().for_each(|[t0, t1]| *t0 = *t1);
    }

    /// Sets the inverse mass of a vertex that is awake. The target of a pinned one is where it is.
    pub(crate) fn set_inv_mass(&mut self, vertex: usize, inv_mass: f32) {
        self.inv_mass[vertex] = inv_mass;
        self.sleep.inv_mass[vertex] = inv_mass;
        if inv_mass == 0.0 {
            self.v[vertex] = Vector3::zeros();
        }
        self.kinematic_t0[vertex] = self.x[vertex];
        self.kinematic_t1[vertex] = self.x[vertex];
    }

    /// Where every vertex is and, if it is kinematic, is to be: what a jump sets.
    pub(crate) fn places(&mut self) -> [&mut Vec<Point3<f32>>; 3] {
        [&mut self.x, &mut self.kinematic_t0, &mut self.kinematic_t1]
    }

    /// Puts a cloth to sleep: it stops, and becomes immovable.
    pub(crate) fn put_to_sleep(&mut self, cloth: usize, vertices: Range<usize>) {
        self.sleep.asleep[cloth] = true;
        self.was_cut[cloth] = false;
        self.carried_before[cloth] = Carriage::No;
        self.inv_mass[vertices.clone()].fill(0.0);
        self.v[vertices.clone()].fill(Vector3::zeros());
        self.kinematic_t0[vertices.clone()].copy_from_slice(&self.x[vertices.clone()]);
        self.kinematic_t1[vertices.clone()].copy_from_slice(&self.x[vertices]);
    }

    /// Wakes a cloth; returns whether it was asleep. Its rest time starts again.
    pub(crate) fn wake(&mut self, cloth: usize, vertices: Range<usize>) -> bool {
        self.sleep.end_rest(cloth);
        let was_asleep = std::mem::replace(&mut self.sleep.asleep[cloth], false);
        if was_asleep {
            self.inv_mass[vertices.clone()].copy_from_slice(&self.sleep.inv_mass[vertices]);
        }
        was_asleep
    }

    /// Wakes all cloths, whose masses are those of `sleep` in any case.
    pub(crate) fn wake_all(&mut self) {
        self.sleep.asleep.fill(false);
        (0..self.sleep.asleep.len()).for_each(|cloth| self.sleep.end_rest(cloth));
        self.inv_mass.copy_from_slice(&self.sleep.inv_mass);
    }
}

clone_in_place!(State {
    time,
    x,
    v,
    frame_velocities,
    inv_mass,
    kinematic_t0,
    kinematic_t1,
    attachments,
    drive_poses,
    frame_poses,
    rigid,
    was_cut,
    carried_before,
    collider_goals,
    tracked_contours,
    sleep,
    user_data,
});
