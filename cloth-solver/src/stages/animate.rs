//! Animate: pins, attachments, drives, collider poses and mesh bodies at the two ends of the substep.

use cloth_contacts::collider::pose_between;
use nalgebra::Point3;

use super::Substep;
use crate::Collider;
use crate::constraints::attachment::AttachmentState;
use crate::fixings::{Lag, SubstepTargets};
use crate::scratch::Scratch;
use crate::waypoints::Waypoints;

/// Sets the targets of the substep: linearly interpolated over the step, through waypoints, or as far as it
/// lags.
pub(crate) fn animate(
    substep: &Substep<'_>,
    waypoints: &Waypoints,
    lag: &Lag,
    mut targets: SubstepTargets<'_>,
) {
    interpolate(substep, &mut targets);
    follow_waypoints(substep, waypoints, &mut targets);
    lag.set_targets(substep.part(), &substep.assets.parts, targets);
}

/// Sets the targets of the substep, linearly interpolated over the step; the last substep ends exactly at
/// those of the step.
fn interpolate(substep: &Substep<'_>, targets: &mut SubstepTargets<'_>) {
    let SubstepTargets { colliders, state, constraints, scratch } = targets;
    let (from, to) = substep.span();
    scratch.colliders.clear();
    scratch.colliders.extend(colliders.iter().map(|collider| collider.part_of_step(from, to)));
    for (attachment, AttachmentState { targets: [t0, t1], .. }) in
        constraints.attachments.iter_mut().zip(&state.attachments)
    {
        attachment.target = substep.target(t0, t1);
    }
    for (drive, pose) in constraints.drives.iter_mut().zip(&state.drive_poses) {
        drive.set_targets(pose, to);
    }
    scratch.frame_motions.clear();
    scratch.frame_motions.extend(state.frame_poses.iter().map(|[t0, t1]| {
        let at = |share| pose_between(t0, t1, share);
        at(to) * at(from).inverse()
    }));
    scratch.x_t0.copy_from_slice(&state.x);
    let parts = &substep.assets.parts;
    let cloth = parts.iter().find(|part| part.kinematic).map_or(state.x.len(), |part| part.vertices.start);
    for v in 0..state.inv_mass.len() {
        if state.inv_mass[v] == 0.0 {
            let target = substep.target(&state.kinematic_t0[v], &state.kinematic_t1[v]);
            if v < cloth {
                scratch.set_pin_target(v, target, substep.most_per_substep());
            } else {
                scratch.set_target(v, target);
            }
        }
    }
}

/// Replaces the linear motion of what has waypoints in a substep.
fn follow_waypoints(substep: &Substep<'_>, waypoints: &Waypoints, targets: &mut SubstepTargets<'_>) {
    if waypoints.is_empty() {
        return;
    }
    let SubstepTargets { colliders, state, constraints, scratch } = targets;
    let (scene, parts, count) = (substep.scene, &substep.assets.parts, waypoints.count());
    let knots = |done| waypoints.knots(done, substep.settings.substeps);
    let [before, now] = [knots(substep.index), knots(substep.index + 1)];
    let vertex_target = |v: usize, path: &dyn Fn(usize) -> Point3<f32>| {
        now.point(count, [&state.kinematic_t0[v], &state.kinematic_t1[v]], path)
    };
    for (body, path) in waypoints.bodies() {
        let Some(index) = scene.bodies.index(body.0) else { continue };
        let range = parts[scene.cloths.len() + index].vertices.clone();
        let stride = range.len();
        for (j, v) in range.enumerate() {
            scratch.set_target(v, vertex_target(v, &|k| path[k * stride + j]));
        }
    }
    for (cloth, vertex, path) in waypoints.pins() {
        let Some(index) = scene.cloths.index(cloth.0) else { continue };
        let v = parts[index].vertices.start + vertex as usize;
        // Asleep, it is immovable; a pin that moves has woken its cloth.
        scratch.set_pin_target(v, vertex_target(v, &|k| path[k]), substep.most_per_substep());
    }
    for (attachment, path) in waypoints.attachments() {
        let [t0, t1] = &state.attachments[attachment].targets;
        constraints.attachments[attachment].target = now.point(count, [t0, t1], |k| path[k]);
    }
    for (collider, path) in waypoints.colliders() {
        let Some(index) = scene.colliders.index(collider.0) else { continue };
        let Some(moved) = scratch.colliders.get_mut(index) else { continue };
        let Collider { pose_t0, pose_t1, .. } = &colliders[index];
        [moved.pose_t0, moved.pose_t1] = [before, now].map(|knots| knots.pose([pose_t0, pose_t1], path));
    }
}

/// Moves the axes of guarded colliders with the colliders of the substep; their vertices move linearly.
pub(crate) fn move_axes(substep: &Substep<'_>, scratch: &mut Scratch) {
    for axis in &substep.assets.axes {
        let Some(index) = substep.scene.colliders.index(axis.collider) else { continue };
        let end = scratch.colliders[index].pose_t1;
        axis.at(&end).for_each(|(v, target)| scratch.set_target(v, target));
    }
}
