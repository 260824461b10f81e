//! Checkpoint: the dynamic state of a simulation, everything that influences a later bit.
//!
//! A failed step, a snapshot, a reset and a teleport are one operation: save a checkpoint, modify it if
//! needed, restore it.
//!
//! | what | who changes it |
//! |---|---|
//! | time, positions, velocities, velocities of local frames | a step |
//! | sides of contacts, faces of cached contacts | a step |
//! | exemptions of the gate, and what it has yet to check | a step, a jump |
//! | progress of recovery | a step |
//! | velocities of rigid bodies | a step, the caller |
//! | which cloths sleep, and how long the others have been at rest | a step, the caller |
//! | targets of pins, bodies and attachments, poses of drives, local frames and colliders | the caller; a step that succeeds |
//! | masses | the caller |
//!
//! Everything else is fixed when a simulation is built ([`SceneFingerprint`]), follows from these (masses in
//! constraints, tethers), describes the last step, or is scratch memory that no result depends on: candidate
//! lists, measured distances, contacts between two detections, which never outlive a step.
//! [`Checkpoint::save`] names every field of a simulation, so that a new field does not compile until it is
//! classified.

mod fingerprint;
mod malformation;
#[cfg(test)]
mod tests;

use cloth_contacts::Contacts;
use nalgebra::Isometry3;

use crate::detection::Detection;
use crate::gate_state::GateCheckpoint;
use crate::simulation::Simulation;
use crate::state::State;
pub(crate) use fingerprint::SceneFingerprint;

/// The dynamic state of a simulation: the [`State`], and that of the drivers that keep their own.
#[derive(Clone, Debug, Default)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub(crate) struct Checkpoint {
    pub(crate) state: State,
    /// Poses of the colliders at the two ends of the step.
    pub(crate) colliders: Vec<[Isometry3<f32>; 2]>,
    /// Contact history: the next detection keeps its sides.
    pub(crate) history: Contacts,
    /// The current face of each cached contact.
    pub(crate) cached_faces: Vec<u32>,
    /// `None` without a gate.
    pub(crate) gate: Option<GateCheckpoint>,
}

impl Checkpoint {
    /// Saves the state of a simulation between two steps. Allocates nothing if it held one of the same
    /// simulation.
    pub(crate) fn save(&mut self, sim: &Simulation) {
        let Simulation {
            // Dynamic state.
            state,
            colliders,
            detection,
            gate,
            // Fixed until the scene is edited.
            settings: _,
            scene: _,
            fingerprint: _,
            assets: _,
            // Derived from the others, or written by each step before it is read, or without influence on
            // results.
            constraints: _,
            recovery: _,
            scratch: _,
            runtime: _,
            // Results of the last step.
            report: _,
        } = sim;
        let Detection { cloth, cached, particles: _, colliders: _, contacts: _ } = detection;
        self.state.clone_from(state);
        refill(&mut self.colliders, colliders.iter().map(|c| [c.pose_t0, c.pose_t1]));
        copy_contacts(cloth.history(), &mut self.history);
        let faces = cached.as_ref().map_or(&[][..], |cached| cached.faces());
        refill(&mut self.cached_faces, faces.iter().copied());
        match gate {
            Some(gate) => gate.save_into(self.gate.get_or_insert_with(GateCheckpoint::unknown)),
            None => self.gate = None,
        }
    }
}

impl Simulation {
    /// A checkpoint of the current state.
    pub(crate) fn checkpoint(&self) -> Checkpoint {
        let mut checkpoint = Checkpoint::default();
        checkpoint.save(self);
        checkpoint
    }

    /// Restores a checkpoint of this simulation or of a compatible one.
    pub(crate) fn restore_checkpoint(&mut self, checkpoint: &Checkpoint) {
        let Checkpoint { state, colliders, history, cached_faces, gate } = checkpoint;
        self.state.clone_from(state);
        if self.settings.sleep.is_none() || self.settings.wind.is_restless() {
            self.state.wake_all();
        }
        self.apply_sleep();
        for (collider, &[t0, t1]) in self.colliders.iter_mut().zip(colliders) {
            (collider.pose_t0, collider.pose_t1) = (t0, t1);
        }
        self.detection.cloth.set_history(history);
        if let Some(cached) = &mut self.detection.cached {
            cached.set_faces(cached_faces);
        }
        if let (Some(own), Some(saved)) = (&mut self.gate, gate) {
            own.restore_checkpoint(saved);
        }
        self.recovery.clear();
        self.clear_caches();
    }

    /// Clears candidate lists and other caches. No result depends on them, but they were built for other
    /// positions.
    pub(crate) fn clear_caches(&mut self) {
        self.detection.clear_caches();
        self.gate.iter_mut().for_each(|gate| gate.gate.reset());
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
