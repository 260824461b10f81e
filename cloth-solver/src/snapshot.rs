//! Snapshot, restore, reset and teleport; rollback of a failed step.

use std::ops::Range;
use std::sync::Arc;

use cloth_contacts::Contacts;
use cloth_contacts::gate::{Admission, Inspection};
use nalgebra::{Isometry3, Point3, Vector3};

use crate::assets::Part;
use crate::axes::ColliderAxis;
use crate::checkpoint::{Checkpoint, CheckpointShape, SceneFingerprint};
use crate::constraints::ElasticConstraints;
use crate::error::{check_collider_pose, check_finite, check_finite_pose, check_place};
use crate::gate_state::GateCheckpoint;
use crate::recovery::TrackedContours;
use crate::rigid::RigidState;
use crate::simulation::Simulation;
use crate::state::State;
use crate::teleport::Carriage;
use crate::{ClothId, Collider, ColliderId, MeshBodyId, StepError};

/// The complete dynamic state of a simulation: after [`Simulation::restore`] the simulation continues bit for
/// bit.
#[derive(Clone, Debug)]
pub struct Snapshot {
    pub(crate) checkpoint: Checkpoint,
    pub(crate) fingerprint: Arc<SceneFingerprint>,
    /// Whether it was read from a file or from bytes that this process did not write: it may have been
    /// forged.
    pub(crate) is_foreign: bool,
}

/// What a state that a caller sets may have.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Admit {
    /// No intersection of cloth that collides, and no face of cloth that lies on another.
    #[default]
    Clean,
    /// Anything: what intersects becomes tangles in the next step, as at a start.
    Tangles,
}

impl Snapshot {
    /// What differs from another snapshot, by name; `None` if a simulation continues from both with the same
    /// bits.
    ///
    /// Compares everything that a later bit depends on: contact history, exemptions and who sleeps as well as
    /// positions and velocities, which are all that [`Simulation::state_hash`] covers. A debugging aid: it
    /// takes about 0.2 us for each number.
    #[must_use]
    pub fn difference(&self, other: &Self) -> Option<String> {
        let scene = self.fingerprint.difference(&other.fingerprint);
        scene.or_else(|| self.checkpoint.difference(&other.checkpoint).map(Into::into))
    }
}

impl Simulation {
    /// Takes a snapshot of the current state.
    #[must_use]
    pub fn snapshot(&self) -> Snapshot {
        let fingerprint = Arc::clone(&self.fingerprint);
        Snapshot { checkpoint: self.checkpoint(), fingerprint, is_foreign: false }
    }

    /// Restores a snapshot of this simulation, or of one built alike, with any broad phase.
    ///
    /// A snapshot contains the time, positions, velocities, targets, poses, masses and pins, which attachments
    /// hold, contact history, exemptions, recovery state and the user data. The scene must be the same: all of [`ClothDesc`](crate::ClothDesc) and
    /// [`MeshBodyDesc`](crate::MeshBodyDesc), region interactions, shapes and frictions of colliders, cached
    /// contacts, the elastic model, and the settings `gate`, `self_collision`, `contacts`, `layer_order`,
    /// `layer_depth` and `particles.rest`. All other settings may differ; the run continues with the current
    /// ones.
    ///
    /// A snapshot that another process wrote, or that was deserialised, may have been altered. Under the gate
    /// its state is checked exactly: what intersects must be what the snapshot exempts. That costs as much as
    /// [`Simulation::intersections`] each time; a snapshot that is taken afterwards spares it.
    ///
    /// The report and the contacts remain those of the last step taken.
    ///
    /// # Errors
    /// [`StepError::IncompatibleSnapshot`] names the first difference, [`StepError::AlteredSnapshot`] what no
    /// simulation has left so; nothing has changed then.
    pub fn restore(&mut self, snapshot: &Snapshot) -> Result<(), StepError> {
        let checkpoint = &snapshot.checkpoint;
        let shape = CheckpointShape {
            state: &self.state,
            parts: &self.assets.parts,
            colliders: self.colliders.len(),
            cached: self.detection.cached.as_ref().map_or(0, |cached| cached.faces().len()),
            topology: self.assets.surface.topology(),
            gate: self.gate.as_ref(),
        };
        let difference = self.fingerprint.difference(&snapshot.fingerprint);
        let difference = difference.or_else(|| checkpoint.malformation(&shape));
        if let Some(difference) = fault!(ForeignSnapshot, difference, &mut self.gate, checkpoint) {
            return Err(StepError::IncompatibleSnapshot { difference });
        }
        if snapshot.is_foreign {
            self.check_exemptions(checkpoint)?;
        }
        self.restore_checkpoint(checkpoint);
        Ok(())
    }

    /// Checks that a checkpoint that fits has no intersection but what it exempts or what the next step will
    /// admit, and no exemption of a tangle that has ended.
    fn check_exemptions(&mut self, checkpoint: &Checkpoint) -> Result<(), StepError> {
        let (Some(own), Some(saved)) = (&mut self.gate, &checkpoint.gate) else { return Ok(()) };
        if saved.pending == Admission::All {
            // The next step checks everything itself.
            return Ok(());
        }
        let threads = self.runtime.threads.clone();
        let Inspection { not_admitted, resolved, .. } =
            threads.run(|| own.compare(&checkpoint.state.x, saved))?;
        let is_dead = saved.pending == Admission::None && resolved > 0;
        if not_admitted == 0 && !is_dead {
            return Ok(());
        }
        let contradiction = match not_admitted {
            0 => format!("{resolved} of its tangles have no intersection"),
            _ => format!("{not_admitted} intersections of its state are in none of its tangles"),
        };
        Err(StepError::AlteredSnapshot { contradiction })
    }

    /// Returns every vertex to its start position, at rest, rigid bodies to their start, and the time to
    /// zero. The user data are cleared. Masses, pins and which attachments hold are kept; other colliders,
    /// attachments, drives and local frames stay where they are.
    pub fn reset(&mut self) {
        let mut checkpoint = self.checkpoint();
        checkpoint.state.wake_all();
        let Checkpoint { state, colliders, .. } = &mut checkpoint;
        state.time = 0.0;
        state.user_data.clear();
        for points in state.places() {
            points.clone_from(&self.assets.start);
        }
        state.v.fill(Vector3::zeros());
        for (&id, body) in &self.scene.rigid_bodies {
            if let Some(index) = self.scene.colliders.index(id) {
                colliders[index] = [body.collider.pose_t1; 2];
                self.colliders[index].pose_t0 = body.collider.pose_t1;
            }
        }
        state.rigid.clear();
        state.rigid.extend(self.scene.rigid_bodies.values().map(RigidState::from));
        for axis in &self.assets.axes {
            if let Some(index) = self.scene.colliders.index(axis.collider) {
                place_axis(state, axis, &self.colliders[index]);
            }
        }
        self.forget_past(&mut checkpoint);
        self.restore_checkpoint(&checkpoint);
    }

    /// Replaces positions (m) and velocities (m/s), one per vertex of all cloths and then of all mesh bodies:
    /// a state of another source, such as a data set. It is judged exactly, like a start, and nothing is
    /// swept.
    ///
    /// Pinned vertices and bodies are at rest where they are then. The time, masses and pins are kept;
    /// colliders, attachments, drives and local frames stay where they are. Contact history and exemptions
    /// are forgotten, so a state that was read from this simulation and set again may continue by other bits;
    /// a [`Snapshot`] continues by the same.
    ///
    /// # Errors
    /// If an array has the wrong length, if a number is not finite or a place beyond 1e7 m, and
    /// [`StepError::Tangled`] of what is not admitted; nothing has changed then.
    pub fn set_state(
        &mut self,
        positions: &[Point3<f32>],
        velocities: &[Vector3<f32>],
        admit: Admit,
    ) -> Result<(), StepError> {
        let expected = self.assets.axes.first().map_or(self.state.x.len(), |axis| axis.vertices.start);
        let lengths =
            [("positions of a state", positions.len()), ("velocities of a state", velocities.len())];
        if let Some(&(what, got)) = lengths.iter().find(|(_, got)| *got != expected) {
            return Err(StepError::Length { what, got, expected });
        }
        for (v, (p, velocity)) in positions.iter().zip(velocities).enumerate() {
            check_place(|| self.vertex_name(v), &p.coords)?;
            check_finite("velocity", *velocity)?;
        }
        let mut checkpoint = self.checkpoint();
        checkpoint.state.wake_all();
        for points in checkpoint.state.places() {
            points[..expected].copy_from_slice(positions);
        }
        checkpoint.state.v[..expected].copy_from_slice(velocities);
        self.forget_past(&mut checkpoint);
        if admit == Admit::Clean {
            self.check_clean(&checkpoint.state.x)?;
        }
        self.restore_checkpoint(&checkpoint);
        Ok(())
    }

    /// Forgets what a state was preceded by: contacts, exemptions, recovery, cuts, motion of local frames.
    fn forget_past(&self, checkpoint: &mut Checkpoint) {
        let Checkpoint { state, history, cached_faces, gate, colliders: _ } = checkpoint;
        state.frame_velocities.fill(Vector3::zeros());
        state.attachments.iter_mut().for_each(|attachment| attachment.force = Vector3::zeros());
        state.was_cut.fill(false);
        state.carried_before.fill(Carriage::No);
        state.tracked_contours = TrackedContours::default();
        history.clear();
        if let Some(cached) = &self.detection.cached {
            cached_faces.clear();
            cached_faces.extend(cached.cache().pairs().iter().map(|pair| pair.face));
        }
        *gate = gate.as_ref().map(|_| GateCheckpoint::unknown());
    }

    /// Moves a cloth rigidly and instantly; nothing is swept. Velocities rotate with it, and pin targets,
    /// attachment targets, the drive pose and the local frame move along.
    ///
    /// Contacts within the cloth and among the others keep their sides. Intersections at the destination
    /// become tangles.
    ///
    /// # Errors
    /// If there is no such cloth, or if the motion or a resulting position is not finite.
    pub fn teleport(&mut self, cloth: ClothId, motion: &Isometry3<f32>) -> Result<(), StepError> {
        let Part { vertices: range, faces, .. } = self.cloth_part(cloth)?.clone();
        check_finite_pose("teleport", motion)?;
        let mut checkpoint = self.checkpoint();
        checkpoint.state.wake_all();
        move_state(&mut checkpoint.state, range.clone(), motion);
        for (v, p) in checkpoint.state.x[range.clone()].iter().enumerate() {
            check_place(|| format!("after the teleport, vertex {v} of cloth {}", cloth.0), &p.coords)?;
        }
        move_controls(&mut checkpoint.state, &self.constraints, motion, &range);
        for (frame, poses) in self.assets.local_frames.iter().zip(&mut checkpoint.state.frame_poses) {
            if frame.vertices == range {
                *poses = poses.map(|pose| motion * pose);
            }
        }
        move_history(&mut checkpoint.history, motion, &range);
        checkpoint.state.tracked_contours.forget_between(&faces);
        checkpoint.admit_all();
        self.restore_checkpoint(&checkpoint);
        Ok(())
    }

    /// Moves a mesh body instantly to `positions` (m), one per vertex; nothing is swept, and it arrives at
    /// rest. Intersections at the destination become tangles.
    ///
    /// # Errors
    /// If there is no such body, or if the positions do not fit it or are not finite.
    pub fn teleport_body(&mut self, body: MeshBodyId, positions: &[Point3<f32>]) -> Result<(), StepError> {
        let range = self.check_body_positions(body, positions)?;
        let mut checkpoint = self.checkpoint();
        checkpoint.state.wake_all();
        let state = &mut checkpoint.state;
        for points in state.places() {
            points[range.clone()].copy_from_slice(positions);
        }
        state.v[range.clone()].fill(Vector3::zeros());
        checkpoint.jump(&range);
        self.restore_checkpoint(&checkpoint);
        Ok(())
    }

    /// Moves a collider or a rigid body instantly to `pose`; nothing is swept, and a body keeps its
    /// velocities. Cloth inside it is pushed out as from any collider. Cloth that the axis of a guarded one
    /// pierces at the destination becomes a tangle.
    ///
    /// # Errors
    /// If there is no such collider, or if the pose is not finite.
    pub fn teleport_collider(&mut self, collider: ColliderId, pose: Isometry3<f32>) -> Result<(), StepError> {
        let index = self.scene.collider_index(collider)?;
        check_collider_pose(collider, &pose)?;
        self.state.collider_goals.retain(|(lagging, _)| *lagging != index);
        let slot = &mut self.colliders[index];
        let pose = slot.moved_to(pose)?.pose_t1;
        (slot.pose_t0, slot.pose_t1) = (pose, pose);
        self.wake_all();
        self.detection.colliders.reset();
        let assets = Arc::clone(&self.assets);
        if let Some(axis) = assets.axes.iter().find(|axis| axis.collider == collider.0) {
            let mut checkpoint = self.checkpoint();
            place_axis(&mut checkpoint.state, axis, &self.colliders[index]);
            checkpoint.jump(&axis.vertices);
            self.restore_checkpoint(&checkpoint);
        }
        Ok(())
    }

    /// Moves everything rigidly and instantly: cloths with their controls, mesh bodies and colliders. For a
    /// floating origin, or for a character that teleports with everything it wears.
    ///
    /// Contacts keep their sides and tangles stay tangles. The new positions are rounded, so the state is
    /// checked exactly at the next step.
    ///
    /// # Errors
    /// If the motion or a resulting position is not finite; nothing has changed then.
    pub fn teleport_all(&mut self, motion: &Isometry3<f32>) -> Result<(), StepError> {
        check_finite_pose("teleport", motion)?;
        let all = 0..self.state.x.len();
        let mut checkpoint = self.checkpoint();
        checkpoint.state.wake_all();
        move_state(&mut checkpoint.state, all.clone(), motion);
        for (v, p) in checkpoint.state.x.iter().enumerate() {
            check_place(|| format!("after the teleport, vertex {v} of all"), &p.coords)?;
        }
        for (&[pose, _], (id, _)) in checkpoint.colliders.iter().zip(self.scene.colliders.iter()) {
            check_collider_pose(ColliderId(id), &(motion * pose))?;
        }
        for part in self.assets.parts.iter().filter(|part| !part.kinematic) {
            move_controls(&mut checkpoint.state, &self.constraints, motion, &part.vertices);
        }
        checkpoint.state.collider_goals.iter_mut().for_each(|(_, goal)| *goal = motion * *goal);
        for poses in checkpoint.state.frame_poses.iter_mut().chain(&mut checkpoint.colliders) {
            *poses = poses.map(|pose| motion * pose);
        }
        for body in &mut checkpoint.state.rigid {
            body.velocity = motion * body.velocity;
            body.angular_velocity = motion * body.angular_velocity;
        }
        move_history(&mut checkpoint.history, motion, &all);
        checkpoint.admit_all();
        self.restore_checkpoint(&checkpoint);
        Ok(())
    }

    /// A checkpoint of the current state.
    pub(crate) fn checkpoint(&self) -> Checkpoint {
        let mut checkpoint = Checkpoint::default();
        self.save_checkpoint(&mut checkpoint);
        checkpoint
    }

    pub(crate) fn save_checkpoint(&self, checkpoint: &mut Checkpoint) {
        let Self {
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
            lag: _,
            scratch: _,
            runtime: _,
            // Results of the last step.
            report: _,
        } = self;
        checkpoint.save(state, colliders, detection, gate.as_ref());
    }

    /// Restores a checkpoint of this simulation or of a compatible one.
    pub(crate) fn restore_checkpoint(&mut self, checkpoint: &Checkpoint) {
        self.restore_ungated(checkpoint);
        if let (Some(own), Some(saved)) = (&mut self.gate, &checkpoint.gate) {
            own.restore_checkpoint(saved);
        }
    }

    /// Restores all of a checkpoint but what the gate saves.
    fn restore_ungated(&mut self, checkpoint: &Checkpoint) {
        let Checkpoint { state, colliders, history, cached_faces, gate: _ } = checkpoint;
        fault!(RestoreWakes, self.state.clone_from(state), &mut self.state);
        self.apply_sleep();
        for (collider, &[t0, t1]) in self.colliders.iter_mut().zip(colliders) {
            (collider.pose_t0, collider.pose_t1) = (t0, t1);
        }
        self.detection.cloth.set_history(history);
        if let Some(cached) = &mut self.detection.cached {
            cached.set_faces(cached_faces);
        }
        self.recovery.clear();
        self.clear_caches();
    }

    /// Clears candidate lists and other caches. No result depends on them, but they were built for other
    /// positions.
    pub(crate) fn clear_caches(&mut self) {
        self.detection.clear_caches();
        self.gate.iter_mut().for_each(|gate| gate.guard.gate.reset());
    }

    /// Saves the state at the start of the step, and sets the results of the previous step aside.
    pub(crate) fn save_rollback(&mut self) {
        let mut rollback = std::mem::take(&mut self.scratch.rollback);
        self.save_checkpoint(&mut rollback.checkpoint);
        let Self { report, detection, scratch, gate, .. } = self;
        rollback.set_aside(report, &mut detection.contacts, &mut scratch.cuts, gate.as_mut());
        self.scratch.rollback = rollback;
    }

    /// Restores the state at the start of a failed step, and the results of the step before it.
    pub(crate) fn roll_back(&mut self) {
        let mut rollback = std::mem::take(&mut self.scratch.rollback);
        self.restore_ungated(&rollback.checkpoint);
        let gate = fault!(UndoKeepsExemptions, self.gate.as_mut());
        if let (Some(gate), Some(saved)) = (gate, &rollback.checkpoint.gate) {
            gate.restore_checkpoint(saved);
        }
        let Self { report, detection, scratch, gate, .. } = self;
        rollback.put_back(report, &mut detection.contacts, &mut scratch.cuts, gate.as_mut());
        self.scratch.rollback = rollback;
    }
}

impl Checkpoint {
    /// Forgets what was known of vertices that have jumped: their contacts, and that nothing intersects.
    fn jump(&mut self, vertices: &Range<usize>) {
        let stays = |v: &u32| !vertices.contains(&(*v as usize));
        self.history.point_triangles.retain(|contact| contact.vertices().iter().all(stays));
        self.history.edge_edges.retain(|contact| contact.vertices().iter().all(stays));
        self.admit_all();
    }

    /// Positions were replaced: anything may intersect.
    pub(crate) fn admit_all(&mut self) {
        if let Some(gate) = fault!(TeleportAdmitsNothing, self.gate.as_mut()) {
            gate.pending = Admission::All;
        }
    }
}

fn move_state(state: &mut State, range: Range<usize>, motion: &Isometry3<f32>) {
    for v in range {
        state.x[v] = motion * state.x[v];
        state.v[v] = motion * state.v[v];
        if let Some(velocity) = state.frame_velocities.get_mut(v) {
            *velocity = motion * *velocity;
        }
        state.kinematic_t0[v] = motion * state.kinematic_t0[v];
        state.kinematic_t1[v] = motion * state.kinematic_t1[v];
    }
}

/// Moves attachment targets and drive poses of the vertices in `range`.
fn move_controls(
    state: &mut State,
    constraints: &ElasticConstraints,
    motion: &Isometry3<f32>,
    range: &Range<usize>,
) {
    for (attachment, state) in constraints.attachments.iter().zip(&mut state.attachments) {
        if range.contains(&(attachment.vertex as usize)) {
            state.targets = state.targets.map(|target| motion * target);
            state.force = motion * state.force;
        }
    }
    for (drive, pose) in constraints.drives.iter().zip(&mut state.drive_poses) {
        if drive.cloth() == *range {
            pose.teleport(motion);
        }
    }
}

/// Drops contacts between moved and unmoved vertices, and rotates the normals of contacts within the moved
/// ones.
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

/// Places an axis where its collider is, at rest.
fn place_axis(state: &mut State, axis: &ColliderAxis, collider: &Collider) {
    for (v, at) in axis.at(&collider.pose_t0) {
        for points in state.places() {
            points[v] = at;
        }
        state.v[v] = Vector3::zeros();
    }
}
