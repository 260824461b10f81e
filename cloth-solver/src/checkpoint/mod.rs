//! Checkpoint: everything that influences a later bit, as one value to return to.
//!
//! A step that fails, a snapshot, a reset and a teleport are one operation: take a checkpoint, change it if need be, return to it.
//!
//! | what | who changes it |
//! |---|---|
//! | positions, velocities, velocities of carriers | a step |
//! | sides of contacts, faces of cached contacts | a step |
//! | exemptions of the gate, and what it has yet to admit | a step, a jump |
//! | plans of recovery that were tried | a step |
//! | goals of pins and bodies, targets of attachments, poses of drives, carriers and colliders | the caller; a step that succeeds |
//! | masses | the caller |
//!
//! Everything else is fixed when a simulation is built ([`Fit`]), follows from these (what constraints carry of the masses, what
//! tethers are tied to), describes the last step, or is memory that no result depends on: candidate lists, measured
//! distances, contacts between two detections, which never outlive a step. [`Checkpoint::take`] names every field of a simulation, so
//! that a new one has to be put somewhere before it compiles.

mod fit;
#[cfg(test)]
mod tests;

use cloth_broadphase::BroadPhase;
use cloth_contacts::Contacts;
use nalgebra::{Isometry3, Point3};

use crate::constraints::Elastic;
use crate::constraints::drive::Pose;
use crate::gated::GateCheckpoint;
use crate::recovery::Tracks;
use crate::simulation::{Simulation, State};
pub(crate) use fit::Fit;

/// Everything that influences a later bit.
#[derive(Clone, Debug, Default)]
pub(crate) struct Checkpoint {
    pub(crate) state: State,
    pub(crate) goal_t0: Vec<Point3<f32>>,
    pub(crate) goal_t1: Vec<Point3<f32>>,
    pub(crate) inv_mass: Vec<f32>,
    /// Where the target of each attachment is when the step begins, and when it ends (m).
    pub(crate) targets: Vec<[Point3<f32>; 2]>,
    /// Of the drives.
    pub(crate) poses: Vec<Pose>,
    /// Poses at the two ends of the step.
    pub(crate) carriers: Vec<[Isometry3<f32>; 2]>,
    pub(crate) colliders: Vec<[Isometry3<f32>; 2]>,
    /// Contacts whose sides the next detection keeps.
    pub(crate) history: Contacts,
    /// The face that each cached contact is at.
    pub(crate) cached_faces: Vec<u32>,
    pub(crate) tracks: Tracks,
    /// None without a gate.
    pub(crate) gate: Option<GateCheckpoint>,
}

impl Checkpoint {
    /// Becomes that of a simulation, between two steps. Allocates nothing if it was one of this simulation before.
    pub(crate) fn take<B>(&mut self, sim: &Simulation<B>) {
        let Simulation {
            // What influences a later bit.
            state,
            goal_t0,
            goal_t1,
            inv_mass,
            elastic,
            carried,
            colliders,
            detector,
            cached,
            recovery,
            gated,
            // Fixed until the scene is edited.
            settings: _,
            parts: _,
            start: _,
            damped: _,
            surface: _,
            scene: _,
            free_inv_mass: _,
            thinnest: _,
            thick: _,
            slack: _,
            threads: _,
            clock: _,
            fit: _,
            // What a listener is told.
            records_examined: _,
            // What the last step did.
            report: _,
            contacts: _,
            // Memory: each step fills it before it reads it, or no result depends on it.
            x_t0: _,
            displacements: _,
            ahead: _,
            packed: _,
            packed_t0: _,
            pushed: _,
            grips: _,
            barriers: _,
            truncation: _,
            impulses: _,
            particles: _,
            collider_detector: _,
            collider_contacts: _,
            substep_colliders: _,
            state_check: _,
            undo: _,
        } = sim;
        self.state.clone_from(state);
        self.goal_t0.clone_from(goal_t0);
        self.goal_t1.clone_from(goal_t1);
        self.inv_mass.clone_from(inv_mass);
        self.take_constraints(elastic);
        refill(&mut self.carriers, carried.iter().map(|c| [c.pose_t0, c.pose_t1]));
        refill(&mut self.colliders, colliders.iter().map(|c| [c.pose_t0, c.pose_t1]));
        copy_contacts(detector.history(), &mut self.history);
        let faces = cached.as_ref().map_or(&[][..], |cached| cached.faces());
        refill(&mut self.cached_faces, faces.iter().copied());
        self.tracks.clone_from(recovery.tracks());
        match gated {
            Some(gated) => gated.checkpoint_into(self.gate.get_or_insert_with(GateCheckpoint::unknown)),
            None => self.gate = None,
        }
    }

    fn take_constraints(&mut self, elastic: &Elastic) {
        let Elastic {
            attachments,
            drives,
            // They carry masses and impulses, which begin at zero in each substep.
            levels: _,
            stretch: _,
            shear: _,
            bending: _,
            stitches: _,
            // Tied by which vertices are pinned.
            tethers: _,
        } = elastic;
        refill(&mut self.targets, attachments.iter().map(|hold| [hold.target_t0, hold.target_t1]));
        self.poses.truncate(drives.len());
        let (kept, new) = drives.split_at(self.poses.len());
        self.poses.iter_mut().zip(kept).for_each(|(pose, drive)| pose.become_like(&drive.pose));
        self.poses.extend(new.iter().map(|drive| drive.pose.clone()));
    }
}

impl<B: BroadPhase> Simulation<B> {
    /// Takes a checkpoint of the present state.
    pub(crate) fn checkpoint(&self) -> Checkpoint {
        let mut checkpoint = Checkpoint::default();
        checkpoint.take(self);
        checkpoint
    }

    /// Returns to a checkpoint of this simulation, or of one that it fits.
    pub(crate) fn return_to(&mut self, checkpoint: &Checkpoint) {
        self.state.clone_from(&checkpoint.state);
        self.goal_t0.copy_from_slice(&checkpoint.goal_t0);
        self.goal_t1.copy_from_slice(&checkpoint.goal_t1);
        self.inv_mass.copy_from_slice(&checkpoint.inv_mass);
        self.elastic.weigh(&self.inv_mass);
        for (hold, &[t0, t1]) in self.elastic.attachments.iter_mut().zip(&checkpoint.targets) {
            (hold.target_t0, hold.target_t1) = (t0, t1);
        }
        for (drive, pose) in self.elastic.drives.iter_mut().zip(&checkpoint.poses) {
            drive.pose.become_like(pose);
        }
        for (carried, &[t0, t1]) in self.carried.iter_mut().zip(&checkpoint.carriers) {
            (carried.pose_t0, carried.pose_t1) = (t0, t1);
        }
        for (collider, &[t0, t1]) in self.colliders.iter_mut().zip(&checkpoint.colliders) {
            (collider.pose_t0, collider.pose_t1) = (t0, t1);
        }
        self.detector.set_history(&checkpoint.history);
        if let Some(cached) = &mut self.cached {
            cached.set_faces(&checkpoint.cached_faces);
        }
        self.recovery.return_to(&checkpoint.tracks);
        if let (Some(gated), Some(gate)) = (&mut self.gated, &checkpoint.gate) {
            gated.return_to(gate);
        }
        self.invalidate_candidates();
    }

    /// Forgets everything that a later step finds again: no result depends on it, but it was found for other positions, and perhaps for
    /// a motion that failed.
    pub(crate) fn invalidate_candidates(&mut self) {
        self.detector.invalidate_candidates();
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
