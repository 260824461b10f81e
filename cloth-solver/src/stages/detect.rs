//! Detect: from the predicted motion to contacts, of cloth with cloth and of cloth with colliders.

use cloth_broadphase::BroadPhase;
use cloth_contacts::{Motion, collider};

use crate::StepError;
use crate::simulation::Simulation;

/// Finds the contacts of the substep.
pub(crate) fn detect<B: BroadPhase>(sim: &mut Simulation<B>) -> Result<(), StepError> {
    let motion = Motion { positions: &sim.x_t0, displacements: &sim.displacements };
    let points = collider::Points { motion, inv_mass: &sim.inv_mass, surface: &sim.surface };
    sim.collider_detector.detect(&sim.substep_colliders, &points, &mut sim.collider_contacts);
    sim.report.collider_contacts = sim.collider_contacts.len();
    if sim.settings.self_collision {
        let stats = sim.detector.detect(&sim.surface, &motion, sim.slack, &mut sim.contacts)?;
        sim.report.searches += u32::from(stats.searched);
        sim.report.lists += stats.lists;
        sim.report.looks += stats.looks;
        sim.report.candidates = stats.candidates;
        sim.report.contacts = sim.contacts.len();
        sim.report.warnings.crossed_contacts += stats.crossed;
    }
    Ok(())
}
