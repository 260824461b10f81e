//! Targets of pins, attachments, drives, local frames, colliders and bodies for the end of the next step, and
//! the waypoints before it.

use std::ops::Range;

use nalgebra::{Isometry3, Point3};

use crate::error::{check_collider_pose, check_finite_pose, check_place};
use crate::simulation::Simulation;
use crate::waypoints::Waypoints;
use crate::{ClothId, ColliderId, MeshBodyId, StepError};

impl Simulation {
    /// Moves a pinned vertex linearly to `target` (m) during the next step.
    ///
    /// # Errors
    /// If there is no such cloth or vertex, if the vertex is not pinned, or if the target is not finite or
    /// beyond 1e7 m.
    pub fn move_pin(&mut self, cloth: ClothId, vertex: u32, target: Point3<f32>) -> Result<(), StepError> {
        let v = self.pin_for(cloth, vertex, &target)?;
        self.state.kinematic_t1[v] = target;
        Ok(())
    }

    /// Moves pinned vertices as [`Simulation::move_pin`], in their order.
    ///
    /// # Errors
    /// As there, of the first move that is refused; nothing has changed then.
    pub fn move_pins(&mut self, moves: &[(ClothId, u32, Point3<f32>)]) -> Result<(), StepError> {
        for (cloth, vertex, target) in moves {
            self.pin_for(*cloth, *vertex, target)?;
        }
        moves.iter().try_for_each(|&(cloth, vertex, target)| self.move_pin(cloth, vertex, target))
    }

    /// The vertex of the common arrays that may be moved to a target (m).
    fn pin_for(&self, cloth: ClothId, vertex: u32, target: &Point3<f32>) -> Result<usize, StepError> {
        let v = self.vertex(cloth, vertex)?;
        self.check_pin_target(v, target)?;
        self.check_pinned(v)?;
        Ok(v)
    }

    fn check_pin_target(&self, v: usize, target: &Point3<f32>) -> Result<(), StepError> {
        check_place(|| format!("target of {}", self.vertex_name(v)), &target.coords)
    }

    /// Refuses a vertex of the common arrays that is not pinned.
    pub(crate) fn check_pinned(&self, v: usize) -> Result<(), StepError> {
        let inv_mass = self.state.sleep.inv_mass[v];
        if inv_mass > 0.0 {
            let requirement = "0: the vertex is not pinned; pin it first";
            return Err(StepError::Value { what: "inverse mass", value: inv_mass, requirement });
        }
        Ok(())
    }

    /// Moves the target of an attachment linearly to `target` (m) during the next step.
    ///
    /// Attachments are indexed over all cloths, in the order in which they were added.
    ///
    /// # Errors
    /// If there is no such attachment, or if the target is not finite or beyond 1e7 m.
    pub fn move_attachment(&mut self, attachment: usize, target: Point3<f32>) -> Result<(), StepError> {
        self.check_attachment_target(attachment, &target)?;
        self.state.attachments[attachment].targets[1] = target;
        Ok(())
    }

    fn check_attachment_target(&self, attachment: usize, target: &Point3<f32>) -> Result<(), StepError> {
        let vertex = self.attachment_vertex(attachment)?;
        let name = || format!("target of attachment {attachment}, of {}", self.vertex_name(vertex));
        check_place(name, &target.coords)
    }

    /// The vertex of an attachment in the common arrays.
    pub(crate) fn attachment_vertex(&self, attachment: usize) -> Result<usize, StepError> {
        let attachments = &self.constraints.attachments;
        let missing = StepError::NotFound { what: "attachment", index: attachment, count: attachments.len() };
        attachments.get(attachment).map(|a| a.vertex as usize).ok_or(missing)
    }

    /// The name in messages of a vertex of the common arrays.
    pub(crate) fn vertex_name(&self, v: usize) -> String {
        let cloths = self.scene.cloths.iter().map(|(id, _)| ("cloth", id));
        let bodies = self.scene.bodies.iter().map(|(id, _)| ("mesh body", id));
        let axes = self.assets.axes.iter().map(|axis| ("the axis of collider", axis.collider));
        let mut parts = cloths.chain(bodies).chain(axes).zip(&self.assets.parts);
        let own = parts.find(|(_, part)| part.vertices.contains(&v));
        let ((kind, id), start) = own.map_or((("cloth", 0), 0), |(part, own)| (part, own.vertices.start));
        format!("vertex {} of {kind} {id}", v - start)
    }

    /// Moves the pose of a cloth's drive to `targets` (m), one per vertex of the cloth, during the next step.
    ///
    /// # Errors
    /// If there is no such cloth, if it has no drive, or if the targets have the wrong length, are not finite
    /// or beyond 1e7 m.
    pub fn move_drive(&mut self, cloth: ClothId, targets: &[Point3<f32>]) -> Result<(), StepError> {
        let range = self.cloth_part(cloth)?.vertices.clone();
        let drives = &self.constraints.drives;
        let drive = drives.iter().position(|d| d.cloth() == range);
        let missing = StepError::NotFound { what: "drive of cloth", index: cloth.0, count: drives.len() };
        let drive = drive.ok_or(missing)?;
        if targets.len() != range.len() {
            let (got, expected) = (targets.len(), range.len());
            return Err(StepError::Length { what: "drive targets", got, expected });
        }
        for (v, p) in targets.iter().enumerate() {
            check_place(|| format!("drive target of vertex {v} of cloth {}", cloth.0), &p.coords)?;
        }
        self.state.drive_poses[drive].move_to(targets);
        Ok(())
    }

    /// Moves the local frame of a cloth to `pose` during the next step.
    ///
    /// # Errors
    /// If there is no such cloth, if it has no local frame, or if the pose is not finite or beyond 1e7 m.
    pub fn move_local_frame(&mut self, cloth: ClothId, pose: Isometry3<f32>) -> Result<(), StepError> {
        let range = self.cloth_part(cloth)?.vertices.clone();
        check_place(|| format!("local frame of cloth {}", cloth.0), &pose.translation.vector)?;
        check_finite_pose("local frame", &pose)?;
        let frames = &self.assets.local_frames;
        let missing =
            StepError::NotFound { what: "local frame of cloth", index: cloth.0, count: frames.len() };
        let frame = frames.iter().position(|frame| frame.vertices == range).ok_or(missing)?;
        self.state.frame_poses[frame][1] = pose;
        Ok(())
    }

    /// Moves a collider to `pose` during the next step.
    ///
    /// # Errors
    /// If there is no such collider, if it is a rigid body, or if the pose is not finite or beyond 1e7 m.
    pub fn move_collider(&mut self, collider: ColliderId, pose: Isometry3<f32>) -> Result<(), StepError> {
        self.check_kinematic(collider)?;
        let index = self.scene.collider_index(collider)?;
        check_collider_pose(collider, &pose)?;
        self.state.collider_goals.retain(|(lagging, _)| *lagging != index);
        let slot = &mut self.colliders[index];
        // Keep `pose_t0`: the caller may set the target several times before a step.
        slot.pose_t1 = slot.moved_to(pose)?.pose_t1;
        Ok(())
    }

    /// Refuses a rigid body, which nobody moves but contacts and gravity.
    pub(crate) fn check_kinematic(&self, collider: ColliderId) -> Result<(), StepError> {
        if self.is_rigid_body(collider) { Err(StepError::MovesRigidBody(collider.0)) } else { Ok(()) }
    }

    /// Moves the vertices of a mesh body linearly to `positions` (m) during the next step.
    ///
    /// # Errors
    /// If there is no such body, or if the positions have the wrong length, are not finite or beyond 1e7 m.
    pub fn move_mesh_body(&mut self, body: MeshBodyId, positions: &[Point3<f32>]) -> Result<(), StepError> {
        let range = self.check_body_positions(body, positions)?;
        self.state.kinematic_t1[range].copy_from_slice(positions);
        Ok(())
    }

    /// The vertex range of a body, after a check of the positions.
    pub(crate) fn check_body_positions(
        &self,
        body: MeshBodyId,
        positions: &[Point3<f32>],
    ) -> Result<Range<usize>, StepError> {
        let range = self.body_part(body)?.vertices.clone();
        if positions.len() != range.len() {
            let (got, expected) = (positions.len(), range.len());
            return Err(StepError::Length { what: "mesh body positions", got, expected });
        }
        check_body(body, positions)?;
        Ok(range)
    }

    /// Checks that everything with a path is there, kinematic and of the right length, and that all places
    /// are finite and at most 1e7 m away.
    pub(crate) fn check_waypoints(&self, waypoints: &Waypoints) -> Result<(), StepError> {
        for (body, path) in waypoints.bodies() {
            let (got, expected) = (path.len() / waypoints.count(), self.body_part(body)?.vertices.len());
            if got != expected {
                return Err(StepError::Length { what: "waypoint positions", got, expected });
            }
            path.chunks(expected.max(1)).try_for_each(|positions| check_body(body, positions))?;
        }
        for (cloth, vertex, path) in waypoints.pins() {
            let v = self.vertex(cloth, vertex)?;
            self.check_pinned(v)?;
            path.iter().try_for_each(|p| self.check_pin_target(v, p))?;
        }
        for (index, path) in waypoints.attachments() {
            path.iter().try_for_each(|p| self.check_attachment_target(index, p))?;
        }
        for (collider, path) in waypoints.colliders() {
            self.scene.collider_index(collider)?;
            self.check_kinematic(collider)?;
            path.iter().try_for_each(|pose| check_collider_pose(collider, pose))?;
        }
        Ok(())
    }
}

/// Checks the positions of a mesh body.
fn check_body(body: MeshBodyId, positions: &[Point3<f32>]) -> Result<(), StepError> {
    for (v, p) in positions.iter().enumerate() {
        check_place(|| format!("vertex {v} of mesh body {}", body.0), &p.coords)?;
    }
    Ok(())
}
