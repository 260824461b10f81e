//! Animate: pins, attachments, drives, collider poses and mesh bodies at the two ends of the substep.

use cloth_contacts::collider::pose_between;

use super::Substep;
use crate::Collider;
use crate::constraints::ElasticConstraints;
use crate::scratch::Scratch;
use crate::state::State;

/// Sets the targets of the substep, linearly interpolated over the step.
pub(crate) fn animate(
    substep: &Substep<'_>,
    colliders: &[Collider],
    state: &State,
    constraints: &mut ElasticConstraints,
    scratch: &mut Scratch,
) {
    let (from, to) = substep.span();
    scratch.colliders.clear();
    scratch.colliders.extend(colliders.iter().map(|collider| collider.part_of_step(from, to)));
    for (attachment, [t0, t1]) in constraints.attachments.iter_mut().zip(&state.attachment_targets) {
        attachment.target = t0 + (t1 - t0) * to;
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
    for v in 0..state.inv_mass.len() {
        if state.inv_mass[v] == 0.0 {
            let (t0, t1) = (state.kinematic_t0[v], state.kinematic_t1[v]);
            // The last substep ends exactly at the target.
            let target = if substep.is_last() { t1 } else { t0 + (t1 - t0) * to };
            scratch.displacements[v] = target - scratch.x_t0[v];
        }
    }
}
