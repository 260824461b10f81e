//! Whether a checkpoint can be one of a simulation: a checkpoint that was read from a file may be malformed,
//! and restoring it must neither panic nor let a non-finite number in.

use cloth_geom::Topology;
use nalgebra::{Isometry3, Point3, Vector3};

use super::Checkpoint;
use crate::assets::Part;
use crate::constraints::drive::DrivePose;
use crate::gate_state::GateState;
use crate::state::State;

/// What a checkpoint of a simulation has to fit.
pub(crate) struct CheckpointShape<'a> {
    pub(crate) state: &'a State,
    /// First the cloths, then what is kinematic.
    pub(crate) parts: &'a [Part],
    /// Number of colliders.
    pub(crate) colliders: usize,
    /// Number of cached contacts.
    pub(crate) cached: usize,
    pub(crate) topology: &'a Topology,
    pub(crate) gate: Option<&'a GateState>,
}

impl Checkpoint {
    /// What makes this checkpoint impossible for a simulation whose scene it fits; `None` if nothing does.
    pub(crate) fn malformation(&self, shape: &CheckpointShape<'_>) -> Option<String> {
        let numbers = || self.wrong_number().or_else(|| self.wrong_mass(shape.parts));
        self.wrong_length(shape).or_else(numbers).or_else(|| self.wrong_id(shape))
    }

    fn wrong_length(&self, shape: &CheckpointShape<'_>) -> Option<String> {
        let Self { state, colliders, history: _, cached_faces, gate } = self;
        let own = shape.state;
        let lengths = [
            ("positions", state.x.len(), own.x.len()),
            ("velocities", state.v.len(), own.x.len()),
            ("velocities of local frames", state.frame_velocities.len(), own.frame_velocities.len()),
            ("masses", state.inv_mass.len(), own.x.len()),
            ("masses of awake cloth", state.sleep.inv_mass.len(), own.x.len()),
            ("cuts", state.was_cut.len(), own.was_cut.len()),
            ("carried cloths", state.carried_before.len(), own.carried_before.len()),
            ("cloths", state.sleep.asleep.len(), own.sleep.asleep.len()),
            ("rest times", state.sleep.rest_time.len(), own.sleep.rest_time.len()),
            ("places of rest", state.sleep.rest_from.len(), own.sleep.rest_from.len()),
            ("targets at the start of the step", state.kinematic_t0.len(), own.x.len()),
            ("targets at the end of the step", state.kinematic_t1.len(), own.x.len()),
            ("attachments", state.attachments.len(), own.attachments.len()),
            ("drives", state.drive_poses.len(), own.drive_poses.len()),
            ("local frames", state.frame_poses.len(), own.frame_poses.len()),
            ("colliders", colliders.len(), shape.colliders),
            ("rigid bodies", state.rigid.len(), own.rigid.len()),
            ("cached contacts", cached_faces.len(), shape.cached),
            ("gates", usize::from(gate.is_some()), usize::from(shape.gate.is_some())),
        ];
        let wrong = lengths.into_iter().find(|(_, there, here)| there != here);
        let drives =
            || state.drive_poses.iter().zip(&own.drive_poses).any(|(there, here)| !there.has_form_of(here));
        wrong
            .map(|(what, there, here)| format!("it has {there} {what} instead of {here}"))
            .or_else(|| drives().then(|| "a drive of it has another mesh".into()))
    }

    fn wrong_number(&self) -> Option<String> {
        let State {
            time,
            x,
            v,
            frame_velocities,
            inv_mass,
            kinematic_t0,
            kinematic_t1,
            attachments,
            frame_poses,
            rigid,
            collider_goals,
            ..
        } = &self.state;
        let is_point = |p: &Point3<f32>| p.iter().all(|c| c.is_finite());
        let is_vector = |v: &Vector3<f32>| v.iter().all(|c| c.is_finite());
        let is_pose = |pose: &Isometry3<f32>| {
            is_vector(&pose.translation.vector) && (pose.rotation.coords.norm() - 1.0).abs() < 1.0e-3
        };
        let history = &self.history;
        let normals = history
            .point_triangles
            .iter()
            .map(|c| &c.normal)
            .chain(history.edge_edges.iter().map(|c| &c.normal));
        let checks = [
            ("time", time.is_finite() && *time >= 0.0),
            ("position", x.iter().all(is_point)),
            ("velocity", v.iter().chain(frame_velocities).all(is_vector)),
            (
                "velocity of a rigid body",
                rigid.iter().all(|r| is_vector(&r.velocity) && is_vector(&r.angular_velocity)),
            ),
            (
                "inverse mass",
                inv_mass.iter().chain(&self.state.sleep.inv_mass).all(|w| w.is_finite() && *w >= 0.0),
            ),
            ("rest time", self.state.sleep.rest_time.iter().all(|t| *t >= 0.0)),
            ("place of rest", self.state.sleep.rest_from.iter().flatten().all(is_point)),
            ("target", kinematic_t0.iter().chain(kinematic_t1).all(is_point)),
            ("target of an attachment", attachments.iter().all(|a| a.targets.iter().all(is_point))),
            ("force of an attachment", attachments.iter().all(|a| is_vector(&a.force))),
            ("number of the user", self.state.user_data.iter().all(|n| n.is_finite())),
            ("target of a drive", self.state.drive_poses.iter().all(DrivePose::is_finite)),
            ("pose", frame_poses.iter().chain(&self.colliders).flatten().all(is_pose)),
            ("target of a collider", collider_goals.iter().all(|(_, goal)| is_pose(goal))),
            ("normal of a contact", { normals }.all(is_vector)),
        ];
        checks.iter().find(|(_, is_sound)| !is_sound).map(|(what, _)| format!("a {what} of it is not valid"))
    }

    /// Bodies and cloth that sleeps are immovable, and awake cloth has its own masses.
    fn wrong_mass(&self, parts: &[Part]) -> Option<String> {
        let State { inv_mass, sleep, .. } = &self.state;
        let is_immovable = |masses: &[f32]| masses.iter().all(|w| *w == 0.0);
        let asleep = sleep.asleep.iter().copied().chain(std::iter::repeat(false));
        let is_sound = parts.iter().zip(asleep).all(|(part, is_asleep)| {
            let [now, awake] = [inv_mass, &sleep.inv_mass].map(|masses| &masses[part.vertices.clone()]);
            match (part.kinematic, is_asleep) {
                (true, _) => is_immovable(now) && is_immovable(awake),
                (false, true) => is_immovable(now),
                (false, false) => now == awake,
            }
        });
        (!is_sound).then(|| "an inverse mass of it is not that of a body or of cloth as it sleeps".into())
    }

    fn wrong_id(&self, shape: &CheckpointShape<'_>) -> Option<String> {
        let topology = shape.topology;
        let (vertices, faces, edges) =
            (topology.vertex_count(), topology.faces().len(), topology.edges().len());
        let point_triangle = |c: &cloth_contacts::PointTriangle| {
            (c.vertex as usize) < vertices
                && topology.faces().get(c.face as usize).is_some_and(|corners| *corners == c.corners)
        };
        let edge_edge = |c: &cloth_contacts::EdgeEdge| {
            let ends = [c.a, c.b];
            c.edges
                .iter()
                .zip(ends)
                .all(|(&e, ends)| topology.edges().get(e as usize).is_some_and(|edge| *edge == ends))
        };
        let checks = [
            ("contact", self.history.point_triangles.iter().all(point_triangle)),
            (
                "contact",
                self.history.edge_edges.iter().all(edge_edge) && edges > 0
                    || self.history.edge_edges.is_empty(),
            ),
            ("cached contact", self.cached_faces.iter().all(|&f| (f as usize) < faces)),
            ("collider", self.state.collider_goals.iter().all(|(index, _)| *index < shape.colliders)),
            ("tracked contour", self.state.tracked_contours.faces().all(|f| (f as usize) < faces)),
            (
                "tangle",
                self.gate
                    .as_ref()
                    .zip(shape.gate)
                    .is_none_or(|(saved, own)| saved.exemptions.fit(&own.guard.surface)),
            ),
        ];
        checks
            .iter()
            .find(|(_, is_sound)| !is_sound)
            .map(|(what, _)| format!("a {what} of it names what is not there"))
    }
}
