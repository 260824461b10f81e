//! Gate: certifies the motion of the substep, and changes motions that cannot be certified.
//!
//! It runs once for every motion that is accepted. Velocities follow from the accepted motion, so changes
//! also remove momentum; the report says how much.

use cloth_contacts::collider::ColliderContact;
use cloth_contacts::gate::{Proposal, ReleasedPair};
use nalgebra::Point3;

use super::Substep;
use crate::assets::Assets;
use crate::detection::{Detection, SubstepContacts};
use crate::gate_state::GateState;
use crate::state::State;
use crate::{ColliderId, GateReport, MeshBodyId, Pinch, Release, ReleasedBody, SimulationBuilder, StepError};

/// What the gate writes, besides the positions that it changes.
pub(crate) struct GateOutput<'a> {
    /// `None` if the settings switch it off.
    pub(crate) gate: &'a mut Option<GateState>,
    /// Whose lists it reuses and extends.
    pub(crate) detection: &'a mut Detection,
    pub(crate) report: &'a mut GateReport,
}

/// Certifies the motion from `x_t0` (m) to the positions of the state, if there is a gate.
pub(crate) fn certify(
    substep: &Substep<'_>,
    x_t0: &[Point3<f32>],
    state: &mut State,
    GateOutput { gate, detection, report }: GateOutput<'_>,
) -> Result<(), StepError> {
    let Some(GateState { guard, releases }) = gate else { return Ok(()) };
    guard.admit_intersections(x_t0)?;
    let (surface, slack) = (&substep.assets.surface, substep.list_slack());
    let mut proposal = Proposal { start: x_t0, end: &mut state.x, inv_mass: &state.inv_mass, slack };
    // Cached contacts need no candidate lists; those of the gate alone are shorter.
    let stats = if detection.cached.is_some() {
        guard.certify(&mut proposal)?
    } else {
        guard.certify_with_detector(&mut detection.cloth, surface, &mut proposal)?
    };
    report.proofs += stats.proofs;
    report.proved_in_f32 += stats.proved_in_f32;
    report.exact_ccd += stats.exact;
    report.rounds = report.rounds.max(stats.rounds);
    report.modified_vertices = report.modified_vertices.max(stats.corrected);
    report.frozen_vertices = report.frozen_vertices.max(stats.frozen);
    report.released += stats.released;
    if stats.released > 0 {
        let released = guard.gate.released().iter();
        releases
            .extend(released.filter_map(|pair| release(pair, substep.scene, substep.assets, x_t0, &state.x)));
    }
    if stats.corrected > 0 {
        for ((x, wanted), &w) in state.x.iter().zip(guard.gate.proposed()).zip(&state.inv_mass) {
            if w > 0.0 {
                report.momentum_lost += (x - wanted).norm() / (w * substep.h);
            }
        }
    }
    Ok(())
}

/// What is reported of a released pair in a motion from `x_t0` to `x_t1` (m).
fn release(
    pair: &ReleasedPair,
    scene: &SimulationBuilder,
    assets: &Assets,
    x_t0: &[Point3<f32>],
    x_t1: &[Point3<f32>],
) -> Option<Release> {
    let body_of =
        |v: u32| assets.parts.iter().position(|p| p.kinematic && p.vertices.contains(&(v as usize)));
    let vertex = *pair.vertices.iter().find(|&&v| body_of(v).is_none())?;
    let body = pair.vertices.iter().find_map(|&v| body_of(v))?;
    let body = released_body(scene, body)?;
    Some(Release { body, vertex, position: x_t1[vertex as usize], depth: pair.depth(x_t0, x_t1) })
}

/// The body of a kinematic part.
fn released_body(scene: &SimulationBuilder, part: usize) -> Option<ReleasedBody> {
    let body = part - scene.cloths.len();
    match scene.bodies.id(body) {
        Some(id) => Some(ReleasedBody::Mesh(MeshBodyId(id))),
        None => {
            let (id, _) = scene.guarded().nth(body - scene.bodies.len())?;
            Some(ReleasedBody::Collider(ColliderId(id)))
        }
    }
}

/// Whether the straight motion of a step from `start` (m) to the positions of the state is certified by the
/// lists of its last substep.
pub(crate) fn certifies_chord(
    assets: &Assets,
    start: &[Point3<f32>],
    state: &State,
    gate: &mut GateState,
    detection: &mut Detection,
) -> bool {
    let lists = detection.cached.is_none().then_some((&mut detection.cloth, &assets.surface));
    gate.guard.gate.certifies_chord(lists, &gate.guard.surface, start, &state.x)
}

/// Ends the tangles that the step has resolved, and reports those left.
pub(crate) fn finish(
    scene: &SimulationBuilder,
    state: &State,
    contacts: &SubstepContacts,
    gate: &mut GateState,
    report: &mut GateReport,
) -> Result<(), StepError> {
    gate.update_tangles(&state.x, report)?;
    let depth = |c: &ColliderContact| -c.separation(&state.x[c.vertex as usize]);
    let deepest = contacts.colliders.iter().max_by(|a, b| depth(a).total_cmp(&depth(b)));
    report.pinch = deepest.filter(|c| depth(c) > 0.0).and_then(|c| {
        Some(Pinch {
            collider: scene.collider_id(c.collider as usize)?,
            vertex: c.vertex,
            position: state.x[c.vertex as usize],
            depth: depth(c),
        })
    });
    Ok(())
}
