//! Checkpoint: the dynamic state of a simulation, everything that influences a later bit.
//!
//! A failed step, a snapshot, a reset and a teleport are one operation: save a checkpoint, modify it if
//! needed, restore it.
//!
//! | what | who changes it |
//! |---|---|
//! | positions, velocities, velocities of local frames | a step |
//! | sides of contacts, faces of cached contacts | a step |
//! | exemptions of the gate, and what it has yet to check | a step, a jump |
//! | progress of recovery | a step |
//! | targets of pins, bodies and attachments, poses of drives, local frames and colliders | the caller; a step that succeeds |
//! | masses | the caller |
//!
//! Everything else is fixed when a simulation is built ([`SceneFingerprint`]), follows from these (masses in
//! constraints, tethers), describes the last step, or is scratch memory that no result depends on: candidate
//! lists, measured distances, contacts between two detections, which never outlive a step.
//! [`Checkpoint::save`] names every field of a simulation, so that a new field does not compile until it is
//! classified.

mod fingerprint;
#[cfg(test)]
mod tests;

use cloth_broadphase::BroadPhase;
use cloth_contacts::Contacts;
use nalgebra::{Isometry3, Point3};

use crate::constraints::ElasticConstraints;
use crate::constraints::drive::DrivePose;
use crate::gate_state::GateCheckpoint;
use crate::recovery::TrackedContours;
use crate::simulation::{Simulation, State};
pub(crate) use fingerprint::SceneFingerprint;

/// The dynamic state of a simulation.
#[derive(Clone, Debug, Default)]
pub(crate) struct Checkpoint {
    pub(crate) state: State,
    pub(crate) goal_t0: Vec<Point3<f32>>,
    pub(crate) goal_t1: Vec<Point3<f32>>,
    pub(crate) inv_mass: Vec<f32>,
    /// The target (m) of each attachment at the two ends of the step.
    pub(crate) targets: Vec<[Point3<f32>; 2]>,
    /// Poses of the drives.
    pub(crate) poses: Vec<DrivePose>,
    /// Poses at the two ends of the step.
    pub(crate) local_frames: Vec<[Isometry3<f32>; 2]>,
    pub(crate) colliders: Vec<[Isometry3<f32>; 2]>,
    /// Contact history: the next detection keeps its sides.
    pub(crate) history: Contacts,
    /// The current face of each cached contact.
    pub(crate) cached_faces: Vec<u32>,
    pub(crate) tracked_contours: TrackedContours,
    /// `None` without a gate.
    pub(crate) gate: Option<GateCheckpoint>,
}

impl Checkpoint {
    /// Saves the state of a simulation between two steps. Allocates nothing if it held one of the same
    /// simulation.
    pub(crate) fn save<B>(&mut self, sim: &Simulation<B>) {
        let Simulation {
            // Dynamic state.
            state,
            goal_t0,
            goal_t1,
            inv_mass,
            elastic,
            cloth_frames,
            colliders,
            detector,
            cached,
            recovery,
            gated,
            // Fixed until the scene is edited.
            settings: _,
            parts: _,
            start: _,
            damping: _,
            surface: _,
            scene: _,
            free_inv_mass: _,
            min_thickness: _,
            excessive_thickness: _,
            slack: _,
            threads: _,
            clock: _,
            fingerprint: _,
            // Output options.
            records_examined: _,
            // Results of the last step.
            report: _,
            contacts: _,
            // Scratch: written by each step before it is read, or without influence on results.
            x_t0: _,
            displacements: _,
            lookahead: _,
            packed: _,
            packed_t0: _,
            corrections: _,
            friction_constraints: _,
            collider_constraints: _,
            truncation: _,
            impulses: _,
            particles: _,
            collider_detector: _,
            collider_contacts: _,
            substep_colliders: _,
            intersection_cache: _,
            rollback: _,
        } = sim;
        self.state.clone_from(state);
        self.goal_t0.clone_from(goal_t0);
        self.goal_t1.clone_from(goal_t1);
        self.inv_mass.clone_from(inv_mass);
        self.save_constraints(elastic);
        refill(&mut self.local_frames, cloth_frames.iter().map(|c| [c.pose_t0, c.pose_t1]));
        refill(&mut self.colliders, colliders.iter().map(|c| [c.pose_t0, c.pose_t1]));
        copy_contacts(detector.history(), &mut self.history);
        let faces = cached.as_ref().map_or(&[][..], |cached| cached.faces());
        refill(&mut self.cached_faces, faces.iter().copied());
        self.tracked_contours.clone_from(recovery.tracked_contours());
        match gated {
            Some(gated) => gated.save_into(self.gate.get_or_insert_with(GateCheckpoint::unknown)),
            None => self.gate = None,
        }
    }

    fn save_constraints(&mut self, elastic: &ElasticConstraints) {
        // The others hold no state.
        let ElasticConstraints { attachments, drives, .. } = elastic;
        refill(
            &mut self.targets,
            attachments.iter().map(|attachment| [attachment.target_t0, attachment.target_t1]),
        );
        self.poses.truncate(drives.len());
        let (kept, new) = drives.split_at(self.poses.len());
        self.poses.iter_mut().zip(kept).for_each(|(pose, drive)| pose.copy_from(&drive.pose));
        self.poses.extend(new.iter().map(|drive| drive.pose.clone()));
    }
}

impl<B: BroadPhase> Simulation<B> {
    /// A checkpoint of the current state.
    pub(crate) fn checkpoint(&self) -> Checkpoint {
        let mut checkpoint = Checkpoint::default();
        checkpoint.save(self);
        checkpoint
    }

    /// Restores a checkpoint of this simulation or of a compatible one.
    pub(crate) fn restore_checkpoint(&mut self, checkpoint: &Checkpoint) {
        self.state.clone_from(&checkpoint.state);
        self.goal_t0.copy_from_slice(&checkpoint.goal_t0);
        self.goal_t1.copy_from_slice(&checkpoint.goal_t1);
        self.inv_mass.copy_from_slice(&checkpoint.inv_mass);
        self.elastic.update_masses(&self.inv_mass);
        for (attachment, &[t0, t1]) in self.elastic.attachments.iter_mut().zip(&checkpoint.targets) {
            (attachment.target_t0, attachment.target_t1) = (t0, t1);
        }
        for (drive, pose) in self.elastic.drives.iter_mut().zip(&checkpoint.poses) {
            drive.pose.copy_from(pose);
        }
        for (frame, &[t0, t1]) in self.cloth_frames.iter_mut().zip(&checkpoint.local_frames) {
            (frame.pose_t0, frame.pose_t1) = (t0, t1);
        }
        for (collider, &[t0, t1]) in self.colliders.iter_mut().zip(&checkpoint.colliders) {
            (collider.pose_t0, collider.pose_t1) = (t0, t1);
        }
        self.detector.remember(&checkpoint.history);
        if let Some(cached) = &mut self.cached {
            cached.return_to(&checkpoint.cached_faces);
        }
        self.recovery.restore_checkpoint(&checkpoint.tracked_contours);
        if let (Some(gated), Some(gate)) = (&mut self.gated, &checkpoint.gate) {
            gated.restore_checkpoint(gate);
        }
        self.forget_lists();
    }

    /// Clears candidate lists and other caches. No result depends on them, but they were built for other
    /// positions.
    pub(crate) fn forget_lists(&mut self) {
        self.detector.forget_lists();
        self.particles.detector.reset();
        self.collider_detector.reset();
        self.gated.iter_mut().for_each(|gated| gated.gate.reset());
    }
}

/// Replaces the content, keeping the allocation.
fn refill<T>(list: &mut Vec<T>, items: impl Iterator<Item = T>) {
    list.clear();
    list.extend(items);
}

/// Field by field: a derived `clone_from` would allocate.
fn copy_contacts(from: &Contacts, to: &mut Contacts) {
    to.point_triangles.clone_from(&from.point_triangles);
    to.edge_edges.clone_from(&from.edge_edges);
}
