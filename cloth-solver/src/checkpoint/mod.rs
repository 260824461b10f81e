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
//! | progress of recovery, which cloths were cut or carried in the last step | a step |
//! | velocities of rigid bodies | a step, the caller |
//! | which cloths sleep, and how long the others have been at rest | a step, the caller |
//! | targets of pins, bodies and attachments | the caller; a step that succeeds |
//! | forces of attachments | a step |
//! | which attachments hold, user data | the caller |
//! | poses of drives, local frames and colliders | the caller; a step that succeeds |
//! | masses | the caller |
//!
//! Everything else is fixed when a simulation is built ([`SceneFingerprint`]), follows from these (masses in
//! constraints, tethers), describes the last step, or is scratch memory that no result depends on: candidate
//! lists, measured distances, contacts between two detections, which never outlive a step.
//! `save_checkpoint` of `cloth-solver/src/snapshot.rs` names every field of a simulation, so that a new field
//! does not compile until it is classified.

mod fingerprint;
mod malformation;
mod packed;
mod rollback;
#[cfg(test)]
mod tests;

use std::fmt::Debug;

use cloth_contacts::Contacts;
use nalgebra::Isometry3;

use crate::Collider;
use crate::describe::sleep::SleepState;
use crate::detection::Detection;
use crate::gate_state::{GateCheckpoint, GateState};
use crate::state::State;
pub(crate) use fingerprint::{SceneFingerprint, digest};
pub(crate) use malformation::CheckpointShape;
pub use packed::PackedSnapshot;
pub(crate) use rollback::RollbackState;

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
    /// Saves the dynamic state between two steps. Allocates nothing if it held one of the same simulation.
    pub(crate) fn save(
        &mut self,
        state: &State,
        colliders: &[Collider],
        detection: &Detection,
        gate: Option<&GateState>,
    ) {
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

    /// What differs from another checkpoint of the same simulation, by name; `None` if every bit is equal.
    pub(crate) fn difference(&self, other: &Self) -> Option<&'static str> {
        let mut pairs = self.digests().into_iter().zip(other.digests());
        pairs.find(|(own, others)| own != others).map(|((name, _), _)| name)
    }

    /// A hash of every part, by name.
    pub(crate) fn digests(&self) -> [(&'static str, u64); 24] {
        let Self { state, colliders, history, cached_faces, gate } = self;
        let State {
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
            sleep: SleepState { asleep, rest_time, rest_from, inv_mass: awake_inv_mass },
            user_data,
        } = state;
        let parts: [(&'static str, &dyn Debug); 24] = [
            ("time", time),
            ("positions", x),
            ("velocities", v),
            ("velocities of local frames", frame_velocities),
            ("masses", inv_mass),
            ("targets at the start of the step", kinematic_t0),
            ("targets at the end of the step", kinematic_t1),
            ("attachments", attachments),
            ("poses of drives", drive_poses),
            ("poses of local frames", frame_poses),
            ("velocities of rigid bodies", rigid),
            ("cuts of the last step", was_cut),
            ("cloths that were carried", carried_before),
            ("targets of colliders that lag", collider_goals),
            ("progress of recovery", tracked_contours),
            ("cloths that sleep", asleep),
            ("rest times", rest_time),
            ("places of rest", rest_from),
            ("masses of awake cloth", awake_inv_mass),
            ("user data", user_data),
            ("poses of colliders", colliders),
            ("contacts", history),
            ("cached contacts", cached_faces),
            ("exemptions of the gate", gate),
        ];
        parts.map(|(name, part)| (name, digest(part)))
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
