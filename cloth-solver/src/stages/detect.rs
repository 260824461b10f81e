//! Detect: from the predicted motion to contacts, of cloth with cloth and of cloth with colliders.

use cloth_broadphase::BroadPhase;
use cloth_contacts::{Motion, collider};

use super::substeps_covered;
use crate::StepError;
use crate::simulation::Simulation;

/// Detects contacts, or measures those of the last detection again.
pub(crate) fn detect<B: BroadPhase>(sim: &mut Simulation<B>, substep: u32) -> Result<(), StepError> {
    let motion = Motion { positions: &sim.x_t0, displacements: &sim.displacements };
    let points = collider::ClothPoints { motion, inv_mass: &sim.inv_mass, surface: &sim.surface };
    sim.collider_detector.detect(&sim.substep_colliders, &points, &mut sim.collider_contacts);
    sim.report.collider_contacts = sim.collider_contacts.len();
    let (full, balls) = (sim.surface.collides_in_full(), sim.surface.collides_as_particles());
    if !sim.settings.self_collision || !(full || balls) {
        return Ok(());
    }
    if let Some(cached) = &mut sim.cached {
        cached.measure(&sim.surface, &motion, &mut sim.contacts);
        sim.report.contacts = sim.contacts.len();
        sim.report.warnings.crossed_contacts +=
            sim.contacts.point_triangles.iter().filter(|c| c.gap < 0.0).count();
    }
    let detects = full && sim.cached.is_none();
    let ahead = substeps_covered(substep, sim.settings.substeps, sim.settings.detect_interval);
    if ahead > 0.0 {
        sim.lookahead.clear();
        sim.lookahead.extend(sim.displacements.iter().map(|d| d * ahead));
        if detects {
            find_contacts(sim)?;
        }
        if balls {
            find_particle_contacts(sim)?;
        }
    } else if detects {
        sim.contacts.measure(&motion);
    }
    Ok(())
}

fn find_contacts<B: BroadPhase>(sim: &mut Simulation<B>) -> Result<(), StepError> {
    let motion = Motion { positions: &sim.x_t0, displacements: &sim.lookahead };
    let stats = sim.detector.detect(&sim.surface, &motion, sim.slack, &mut sim.contacts)?;
    sim.report.broad_phase_queries += u32::from(stats.searched);
    sim.report.rebuilt_lists += stats.lists;
    sim.report.narrow_phase_tests += stats.narrow_phase_tests;
    sim.report.candidates = stats.candidates;
    sim.report.contacts = sim.contacts.len();
    sim.report.warnings.crossed_contacts += stats.crossed;
    Ok(())
}

fn find_particle_contacts<B: BroadPhase>(sim: &mut Simulation<B>) -> Result<(), StepError> {
    let motion = Motion { positions: &sim.x_t0, displacements: &sim.lookahead };
    let balls = &mut sim.particles;
    let stats = balls.detector.detect(&sim.surface, &balls.rules, &motion, sim.slack, &mut balls.contacts)?;
    sim.report.particle_broad_phase_queries += u32::from(stats.searched);
    sim.report.particle_pairs = stats.pairs;
    sim.report.particle_contacts = balls.contacts.len();
    Ok(())
}
