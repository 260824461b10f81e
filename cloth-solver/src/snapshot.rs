//! Jumps in time and space: snapshot and restore, reset, teleport.

use cloth_contacts::{CachedContacts, Detector};
use nalgebra::{Isometry3, Point3};

use crate::carrier::Carried;
use crate::constraints::attachment::Hold;
use crate::constraints::drive::Pose;
use crate::gated::Gated;
use crate::recovery::Tracks;
use crate::simulation::{Simulation, State, check_finite_pose};
use crate::{ClothId, Collider, StepError};

/// Everything that a step depends on: a simulation that restores one goes on, bit for bit, as the first did.
#[derive(Clone, Debug)]
pub struct Snapshot<B> {
    state: State,
    goal_t0: Vec<Point3<f32>>,
    goal_t1: Vec<Point3<f32>>,
    inv_mass: Vec<f32>,
    attachments: Vec<Hold>,
    poses: Vec<Pose>,
    carried: Vec<Carried>,
    colliders: Vec<Collider>,
    detector: Detector<B>,
    cached: Option<CachedContacts>,
    tracks: Tracks,
    gated: Option<Gated<B>>,
}

impl<B: cloth_broadphase::BroadPhase + Clone> Simulation<B> {
    /// Takes a snapshot of the state between two steps.
    #[must_use]
    pub fn snapshot(&self) -> Snapshot<B> {
        Snapshot {
            state: self.state.clone(),
            goal_t0: self.goal_t0.clone(),
            goal_t1: self.goal_t1.clone(),
            inv_mass: self.inv_mass.clone(),
            attachments: self.elastic.attachments.clone(),
            poses: self.elastic.drives.iter().map(|d| d.pose.clone()).collect(),
            carried: self.carried.clone(),
            colliders: self.colliders.clone(),
            detector: self.detector.clone(),
            cached: self.cached.clone(),
            tracks: self.recovery.tracks(),
            gated: self.gated.clone(),
        }
    }

    /// Returns to a snapshot of this simulation, or of one built alike.
    ///
    /// # Errors
    /// If the snapshot is of a simulation of another size; nothing is changed then.
    pub fn restore(&mut self, snapshot: &Snapshot<B>) -> Result<(), StepError> {
        let sizes = [
            ("snapshot vertices", snapshot.state.x.len(), self.state.x.len()),
            ("snapshot colliders", snapshot.colliders.len(), self.colliders.len()),
            ("snapshot attachments", snapshot.attachments.len(), self.elastic.attachments.len()),
            ("snapshot drives", snapshot.poses.len(), self.elastic.drives.len()),
            ("snapshot carriers", snapshot.carried.len(), self.carried.len()),
        ];
        if let Some((what, got, expected)) = sizes.into_iter().find(|&(_, got, expected)| got != expected) {
            return Err(StepError::Length { what, got, expected });
        }
        self.state.clone_from(&snapshot.state);
        self.goal_t0.clone_from(&snapshot.goal_t0);
        self.goal_t1.clone_from(&snapshot.goal_t1);
        self.inv_mass.clone_from(&snapshot.inv_mass);
        self.elastic.weigh(&self.inv_mass);
        self.elastic.attachments.clone_from(&snapshot.attachments);
        for (drive, pose) in self.elastic.drives.iter_mut().zip(&snapshot.poses) {
            drive.pose.clone_from(pose);
        }
        self.carried.clone_from(&snapshot.carried);
        self.colliders.clone_from(&snapshot.colliders);
        self.detector = snapshot.detector.clone();
        self.particles.detector.reset();
        self.cached.clone_from(&snapshot.cached);
        self.gated.clone_from(&snapshot.gated);
        self.collider_detector.reset();
        self.recovery.resume(&snapshot.tracks);
        Ok(())
    }
}

impl<B: cloth_broadphase::BroadPhase> Simulation<B> {
    /// Puts every vertex back where it started, at rest. Colliders, attachments, drives and carriers stay where they are.
    pub fn reset(&mut self) {
        self.state.x.clone_from(&self.start);
        self.state.v.fill(nalgebra::Vector3::zeros());
        self.state.frame.fill(nalgebra::Vector3::zeros());
        self.goal_t0.clone_from(&self.start);
        self.goal_t1.clone_from(&self.start);
        if let Some(cached) = &mut self.cached {
            cached.reset();
        }
        self.detector.reset();
        self.particles.detector.reset();
        self.collider_detector.reset();
        self.gated.iter_mut().for_each(Gated::moved);
        self.recovery.reset();
    }

    /// Moves a cloth rigidly, at once and without touching anything on the way; its velocities turn with it, and
    /// what holds and drives it goes along: goals of pins, targets of attachments, the pose of the drive, the carrier.
    ///
    /// # Errors
    /// If there is no such cloth, or if the motion is not finite.
    pub fn teleport(&mut self, cloth: ClothId, motion: &Isometry3<f32>) -> Result<(), StepError> {
        let count = self.cloth_count();
        let missing = StepError::NoSuch { what: "cloth", index: cloth.0, count };
        let range = self.cloth_vertices(cloth).ok_or(missing)?;
        check_finite_pose("teleport", motion)?;
        for hold in &mut self.elastic.attachments {
            if range.contains(&(hold.vertex as usize)) {
                hold.teleport(motion);
            }
        }
        let drives = self.elastic.drives.iter_mut().filter(|d| d.cloth() == range);
        drives.for_each(|d| d.pose.teleport(motion));
        self.carried.iter_mut().filter(|c| c.vertices == range).for_each(|c| c.teleport(motion));
        for v in range {
            self.state.x[v] = motion * self.state.x[v];
            self.state.v[v] = motion * self.state.v[v];
            if let Some(frame) = self.state.frame.get_mut(v) {
                *frame = motion * *frame;
            }
            self.goal_t0[v] = motion * self.goal_t0[v];
            self.goal_t1[v] = motion * self.goal_t1[v];
        }
        self.detector.reset();
        self.particles.detector.reset();
        self.collider_detector.reset();
        self.gated.iter_mut().for_each(Gated::moved);
        self.recovery.reset();
        Ok(())
    }
}
