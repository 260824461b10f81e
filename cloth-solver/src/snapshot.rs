//! Jumps in time and space: snapshot and restore, reset, teleport.

use std::ops::Range;
use std::sync::Arc;

use cloth_broadphase::BroadPhase;
use cloth_contacts::Contacts;
use cloth_contacts::gate::Admission;
use nalgebra::{Isometry3, Point3, Vector3};

use crate::checkpoint::{Checkpoint, Fit};
use crate::constraints::Elastic;
use crate::gated::GateCheckpoint;
use crate::recovery::Tracks;
use crate::rules;
use crate::simulation::{Part, Simulation, check_finite, check_finite_pose};
use crate::{ClothId, ColliderId, MeshBodyId, StepError};

/// Everything that a step depends on: a simulation that restores one goes on, bit for bit, as the first did.
#[derive(Clone, Debug)]
pub struct Snapshot {
    pub(crate) checkpoint: Checkpoint,
    pub(crate) fit: Arc<Fit>,
}

impl<B: BroadPhase> Simulation<B> {
    /// Takes a snapshot of the state between two steps.
    #[must_use]
    pub fn snapshot(&self) -> Snapshot {
        Snapshot { checkpoint: self.checkpoint(), fit: Arc::clone(&self.fit) }
    }

    /// Returns to a snapshot of this simulation, or of one built alike, with any broad phase.
    ///
    /// A snapshot holds where everything is and was moved to, how it moves, and what is pinned. What a simulation was built of has
    /// to be the same: meshes and all else that a [`ClothDesc`](crate::ClothDesc) or [`MeshBodyDesc`](crate::MeshBodyDesc) says, the
    /// regions' interactions, the shapes and frictions of colliders, cached contacts, and of the settings `gate`, `self_collision`,
    /// `contacts`, `layer_order`, `layer_depth` and `particles.rest`. All other settings may differ, and the run then goes
    /// on under them: substeps, iterations and intervals, gravity, wind, damping, limits of speed, friction of cloth, how contacts
    /// recover, `recovery`, and what else `particles` holds.
    ///
    /// The report and the contacts stay those of the last step that was taken.
    ///
    /// # Errors
    /// [`StepError::ForeignSnapshot`], which says what differs; nothing is changed then.
    pub fn restore(&mut self, snapshot: &Snapshot) -> Result<(), StepError> {
        rules::restore(self, snapshot)
    }

    /// Puts every vertex back where it started, at rest. Masses and pins stay as they are; colliders, attachments, drives and carriers
    /// stay where they are.
    pub fn reset(&mut self) {
        let mut checkpoint = self.checkpoint();
        let Checkpoint { state, goal_t0, goal_t1, history, cached_faces, tracks, gate, .. } = &mut checkpoint;
        for points in [&mut state.x, goal_t0, goal_t1] {
            points.clone_from(&self.start);
        }
        state.v.fill(Vector3::zeros());
        state.frame.fill(Vector3::zeros());
        history.clear();
        if let Some(cached) = &self.cached {
            cached_faces.clear();
            cached_faces.extend(cached.cache().pairs().iter().map(|pair| pair.face));
        }
        *tracks = Tracks::default();
        *gate = gate.as_ref().map(|_| GateCheckpoint::unknown());
        self.return_to(&checkpoint);
    }

    /// Moves a cloth rigidly, at once and without touching anything on the way; its velocities turn with it, and
    /// what holds and drives it goes along: goals of pins, targets of attachments, the pose of the drive, the carrier.
    ///
    /// Contacts of the cloth with itself keep their sides, and those of the others among themselves. What intersects in the place that
    /// it comes to is a tangle.
    ///
    /// # Errors
    /// If there is no such cloth, or if the motion or a position that it leads to is not finite.
    pub fn teleport(&mut self, cloth: ClothId, motion: &Isometry3<f32>) -> Result<(), StepError> {
        let Part { vertices: range, faces, .. } = self.cloth_part(cloth)?.clone();
        check_finite_pose("teleport", motion)?;
        let mut checkpoint = self.checkpoint();
        move_state(&mut checkpoint, range.clone(), motion);
        let moved = checkpoint.state.x[range.clone()].iter();
        { moved }.try_for_each(|p| check_finite("position after a teleport", p.coords))?;
        move_controls(&mut checkpoint, &self.elastic, motion, &range);
        for (carried, poses) in self.carried.iter().zip(&mut checkpoint.carriers) {
            if carried.vertices == range {
                *poses = poses.map(|pose| motion * pose);
            }
        }
        move_history(&mut checkpoint.history, motion, &range);
        checkpoint.tracks.forget_between(&faces);
        if let Some(gate) = &mut checkpoint.gate {
            gate.pending = Admission::All;
        }
        self.return_to(&checkpoint);
        Ok(())
    }

    /// Moves a mesh body to `positions` (m), one for each of its vertices, at once: nothing is swept between the two places, and
    /// it arrives at rest. Cloth that intersects it there is a tangle.
    ///
    /// # Errors
    /// If there is no such body, or if the positions do not fit it or are not finite.
    pub fn teleport_body(&mut self, body: MeshBodyId, positions: &[Point3<f32>]) -> Result<(), StepError> {
        let range = self.check_body_positions(body, positions)?;
        let mut checkpoint = self.checkpoint();
        for points in [&mut checkpoint.state.x, &mut checkpoint.goal_t0, &mut checkpoint.goal_t1] {
            points[range.clone()].copy_from_slice(positions);
        }
        checkpoint.state.v[range.clone()].fill(Vector3::zeros());
        let stays = |v: &u32| !range.contains(&(*v as usize));
        checkpoint.history.point_triangles.retain(|contact| contact.vertices().iter().all(stays));
        checkpoint.history.edge_edges.retain(|contact| contact.vertices().iter().all(stays));
        if let Some(gate) = &mut checkpoint.gate {
            gate.pending = Admission::All;
        }
        self.return_to(&checkpoint);
        Ok(())
    }

    /// Moves a collider to `pose` at once: nothing is swept between the two places. Cloth that is inside it there is pushed
    /// out as from any collider.
    ///
    /// # Errors
    /// If there is no such collider, or if the pose is not finite.
    pub fn teleport_collider(&mut self, collider: ColliderId, pose: Isometry3<f32>) -> Result<(), StepError> {
        let collider = &mut self.colliders[self.scene.collider_index(collider)?];
        let pose = collider.moved_to(pose)?.pose_t1;
        (collider.pose_t0, collider.pose_t1) = (pose, pose);
        self.collider_detector.reset();
        Ok(())
    }

    /// Moves everything rigidly, at once: all cloths and what holds, drives and carries them, mesh bodies and colliders. For
    /// a floating origin, or for a character that goes to another place with all that it wears.
    ///
    /// Contacts keep their sides, and tangles stay tangles. The new positions are rounded, so the state is checked exactly at the next
    /// step.
    ///
    /// # Errors
    /// If the motion or a position that it leads to is not finite; nothing has changed then.
    pub fn teleport_all(&mut self, motion: &Isometry3<f32>) -> Result<(), StepError> {
        check_finite_pose("teleport", motion)?;
        let all = 0..self.state.x.len();
        let mut checkpoint = self.checkpoint();
        move_state(&mut checkpoint, all.clone(), motion);
        let mut moved = checkpoint.state.x.iter();
        moved.try_for_each(|p| check_finite("position after a teleport", p.coords))?;
        for part in self.parts.iter().filter(|part| !part.kinematic) {
            move_controls(&mut checkpoint, &self.elastic, motion, &part.vertices);
        }
        for poses in checkpoint.carriers.iter_mut().chain(&mut checkpoint.colliders) {
            *poses = poses.map(|pose| motion * pose);
        }
        move_history(&mut checkpoint.history, motion, &all);
        if let Some(gate) = &mut checkpoint.gate {
            gate.pending = Admission::All;
        }
        self.return_to(&checkpoint);
        Ok(())
    }
}

fn move_state(checkpoint: &mut Checkpoint, range: Range<usize>, motion: &Isometry3<f32>) {
    let state = &mut checkpoint.state;
    for v in range {
        state.x[v] = motion * state.x[v];
        state.v[v] = motion * state.v[v];
        if let Some(frame) = state.frame.get_mut(v) {
            *frame = motion * *frame;
        }
        checkpoint.goal_t0[v] = motion * checkpoint.goal_t0[v];
        checkpoint.goal_t1[v] = motion * checkpoint.goal_t1[v];
    }
}

/// Moves what holds and drives the vertices of `range`.
fn move_controls(
    checkpoint: &mut Checkpoint,
    elastic: &Elastic,
    motion: &Isometry3<f32>,
    range: &Range<usize>,
) {
    for (hold, targets) in elastic.attachments.iter().zip(&mut checkpoint.targets) {
        if range.contains(&(hold.vertex as usize)) {
            *targets = targets.map(|target| motion * target);
        }
    }
    for (drive, pose) in elastic.drives.iter().zip(&mut checkpoint.poses) {
        if drive.cloth() == *range {
            pose.teleport(motion);
        }
    }
}

/// Contacts between what moves and what stays are over; those within what moves turn with it.
fn move_history(history: &mut Contacts, motion: &Isometry3<f32>, range: &Range<usize>) {
    let keep = |vertices: [u32; 4], normal: &mut Vector3<f32>| {
        let moving = vertices.iter().filter(|&&v| range.contains(&(v as usize))).count();
        if moving == vertices.len() {
            *normal = motion * *normal;
        }
        moving == 0 || moving == vertices.len()
    };
    history.point_triangles.retain_mut(|contact| keep(contact.vertices(), &mut contact.normal));
    history.edge_edges.retain_mut(|contact| keep(contact.vertices(), &mut contact.normal));
}
