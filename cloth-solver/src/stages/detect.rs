//! Detect: from the predicted motion to contacts, of cloth with cloth and of cloth with colliders.

use cloth_contacts::{Motion, collider};

use super::Substep;
use crate::detection::Detection;
use crate::scratch::Scratch;
use crate::state::State;
use crate::{FaceContacts, StepError, StepReport};

/// What detection writes.
pub(crate) struct DetectOutput<'a> {
    pub(crate) detection: &'a mut Detection,
    pub(crate) report: &'a mut StepReport,
}

/// Detects contacts, or measures those of the last detection again. If a cloth `has_woken` in this substep,
/// that detection has left its contacts out.
pub(crate) fn detect(
    substep: &Substep<'_>,
    has_woken: bool,
    state: &State,
    scratch: &mut Scratch,
    DetectOutput { detection, report }: DetectOutput<'_>,
) -> Result<(), StepError> {
    let (settings, surface) = (substep.settings, &substep.assets.surface);
    let motion = Motion { positions: &scratch.x_t0, displacements: &scratch.displacements };
    let points = collider::ClothPoints { motion, inv_mass: &state.inv_mass, surface };
    let (found, faces) = (&mut detection.contacts.colliders, &mut detection.contacts.faces);
    if settings.face_contacts == FaceContacts::Off {
        faces.clear();
        detection.colliders.detect(&scratch.colliders, &points, found);
    } else {
        let cloth = collider::ClothFaces { points, longest_edges: &substep.assets.longest_edges };
        let of_all = settings.face_contacts == FaceContacts::On;
        detection.colliders.detect_with_faces(&scratch.colliders, &cloth, of_all, found, faces);
    }
    report.collider_contacts = found.len();
    report.face_contacts = faces.len();
    detection.contacts.are_new = false;
    let (full, particles) = (surface.collides_in_full(), surface.collides_as_particles());
    if !settings.self_collision || !(full || particles) {
        return Ok(());
    }
    if let Some(cached) = &mut detection.cached {
        cached.measure(surface, &motion, &mut detection.contacts.cloth);
        detection.contacts.are_new = true;
        report.contacts = detection.contacts.cloth.len();
        report.warnings.crossed_contacts +=
            detection.contacts.cloth.point_triangles.iter().filter(|c| c.gap < 0.0).count();
    }
    let detects = full && detection.cached.is_none();
    let ahead = substep.detects(has_woken);
    if ahead > 0.0 {
        scratch.lookahead.clear();
        scratch.lookahead.extend(scratch.displacements.iter().map(|d| d * ahead));
        let motion = Motion { positions: &scratch.x_t0, displacements: &scratch.lookahead };
        if detects {
            find_contacts(substep, &motion, detection, report)?;
        }
        if particles {
            find_particle_contacts(substep, &motion, detection, report)?;
        }
    } else if detects {
        detection.contacts.cloth.measure(&motion);
    }
    Ok(())
}

fn find_contacts(
    substep: &Substep<'_>,
    motion: &Motion<'_>,
    detection: &mut Detection,
    report: &mut StepReport,
) -> Result<(), StepError> {
    let (surface, slack) = (&substep.assets.surface, substep.list_slack());
    let contacts = &mut detection.contacts.cloth;
    let stats = detection.cloth.detect(surface, motion, slack, contacts)?;
    detection.contacts.are_new = true;
    report.broad_phase_queries += u32::from(stats.searched);
    report.rebuilt_lists += stats.lists;
    report.narrow_phase_tests += stats.narrow_phase_tests;
    report.candidates = stats.candidates;
    report.contacts = detection.contacts.cloth.len();
    report.warnings.crossed_contacts += stats.crossed;
    Ok(())
}

fn find_particle_contacts(
    substep: &Substep<'_>,
    motion: &Motion<'_>,
    detection: &mut Detection,
    report: &mut StepReport,
) -> Result<(), StepError> {
    let (assets, slack) = (substep.assets, substep.list_slack());
    let contacts = &mut detection.contacts.particles;
    let rules = &assets.particle_rules;
    let stats = detection.particles.detect(&assets.surface, rules, motion, slack, contacts)?;
    report.particle_broad_phase_queries += u32::from(stats.searched);
    report.particle_pairs = stats.pairs;
    report.particle_contacts = contacts.len();
    Ok(())
}
