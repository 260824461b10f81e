//! Animate: pins, attachments, drives, collider poses and mesh bodies at the two ends of the substep.

use crate::local_frame::ClothFrame;
use crate::simulation::Simulation;

/// Sets the targets of the substep, at the share `(substep + 1) / substeps` of the step.
pub(crate) fn begin<B>(sim: &mut Simulation<B>, substep: u32) {
    let count = sim.settings.substeps as f32;
    let (from, to) = (substep as f32 / count, (substep + 1) as f32 / count);
    for (part, whole) in sim.substep_colliders.iter_mut().zip(&sim.colliders) {
        *part = whole.part_of_step(from, to);
    }
    for attachment in &mut sim.elastic.attachments {
        attachment.target = attachment.target_t0 + (attachment.target_t1 - attachment.target_t0) * to;
    }
    sim.elastic.drives.iter_mut().for_each(|drive| drive.set_targets(to));
    sim.cloth_frames.iter_mut().for_each(|frame| frame.begin_substep(from, to));
    sim.x_t0.copy_from_slice(&sim.state.x);
    for v in 0..sim.inv_mass.len() {
        if sim.inv_mass[v] == 0.0 {
            // The last substep ends exactly at the target.
            let displacement = sim.goal_t1[v] - sim.goal_t0[v];
            let goal = if substep + 1 == sim.settings.substeps {
                sim.goal_t1[v]
            } else {
                sim.goal_t0[v] + displacement * to
            };
            sim.displacements[v] = goal - sim.x_t0[v];
        }
    }
}

/// Makes the end of this step the start of the next.
pub(crate) fn finish<B>(sim: &mut Simulation<B>) {
    sim.goal_t0.copy_from_slice(&sim.goal_t1);
    for attachment in &mut sim.elastic.attachments {
        attachment.target_t0 = attachment.target_t1;
    }
    sim.elastic.drives.iter_mut().for_each(|drive| drive.pose.finish());
    sim.cloth_frames.iter_mut().for_each(ClothFrame::finish);
    for collider in &mut sim.colliders {
        collider.pose_t0 = collider.pose_t1;
    }
}
