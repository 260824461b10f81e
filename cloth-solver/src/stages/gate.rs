//! Gate: certifies the motion of the substep, and changes what cannot be certified.
//!
//! It stands between the solver's proposal and the update, once for every motion that is accepted. Velocities come from what is
//! accepted, so what is taken from a motion is taken from its momentum as well; the report says how much.

use cloth_broadphase::BroadPhase;
use cloth_contacts::collider::ColliderContact;
use cloth_contacts::gate::{Admission, Proposal};

use crate::simulation::Simulation;
use crate::{ColliderId, MeshBodyId, Pinch, Release, StepError};

/// Accepts of the proposal what is proved; `h` (s) is the substep.
pub(crate) fn certify<B: BroadPhase>(sim: &mut Simulation<B>, h: f32) -> Result<(), StepError> {
    let Some(gated) = &mut sim.gated else { return Ok(()) };
    gated.admit(&sim.x_t0)?;
    gated.gate.record_examined(sim.records_examined);
    let (start, end) = (&sim.x_t0, &mut sim.state.x);
    let mut proposal = Proposal { start, end, inv_mass: &sim.inv_mass, slack: sim.slack };
    // Cached contacts ask for no lists; those of the gate alone are shorter.
    let stats = if sim.cached.is_some() {
        gated.gate.certify(&gated.surface, &mut proposal)?
    } else {
        gated.gate.certify_with_detector(&mut sim.detector, &sim.surface, &gated.surface, &mut proposal)?
    };
    let report = &mut sim.report.gate;
    report.proofs += stats.proofs;
    report.proved_in_f32 += stats.proved_in_f32;
    report.exact += stats.exact;
    report.rounds = report.rounds.max(stats.rounds);
    report.pulled_back = report.pulled_back.max(stats.corrected);
    report.rolled_back = report.rolled_back.max(stats.frozen);
    report.released += stats.released;
    if stats.released > 0 {
        gated.pending = gated.pending.max(Admission::WithBodies);
        let cloths = sim.parts.iter().filter(|part| !part.kinematic).count();
        let end = |v: u32| sim.state.x[v as usize];
        let released = gated.gate.released().iter().filter_map(|pair| {
            let body_of =
                |v: u32| sim.parts.iter().position(|p| p.kinematic && p.vertices.contains(&(v as usize)));
            let vertex = *pair.vertices.iter().find(|&&v| body_of(v).is_none())?;
            let body = pair.vertices.iter().find_map(|&v| body_of(v))?;
            let depth = pair.depth(&sim.x_t0, &sim.state.x);
            let body = MeshBodyId(sim.scene.bodies.id(body - cloths)?);
            Some(Release { body, vertex, place: end(vertex), depth })
        });
        gated.releases.extend(released);
    }
    report.pin_lag_m = 0.0;
    if stats.corrected > 0 {
        for ((x, wanted), &w) in sim.state.x.iter().zip(gated.gate.proposed()).zip(&sim.inv_mass) {
            let lost = (x - wanted).norm();
            if w > 0.0 {
                report.momentum_lost += lost / (w * h);
            } else {
                report.pin_lag_m = report.pin_lag_m.max(lost);
            }
        }
    }
    Ok(())
}

/// The step begins: nothing is released in it yet.
pub(crate) fn begin<B>(sim: &mut Simulation<B>) {
    sim.gated.iter_mut().for_each(|gated| gated.releases.clear());
}

/// Ends the tangles that the step has undone, and counts what is left.
pub(crate) fn settle<B: BroadPhase>(sim: &mut Simulation<B>) -> Result<(), StepError> {
    match &mut sim.gated {
        Some(gated) => gated.settle(&sim.state.x, &mut sim.report.gate)?,
        None => return Ok(()),
    }
    let depth = |c: &ColliderContact| -c.separation(&sim.state.x[c.vertex as usize]);
    let deepest = sim.collider_contacts.iter().max_by(|a, b| depth(a).total_cmp(&depth(b)));
    sim.report.gate.pinch = deepest.filter(|c| depth(c) > 0.0).and_then(|c| {
        Some(Pinch {
            collider: ColliderId(sim.scene.colliders.id(c.collider as usize)?),
            vertex: c.vertex,
            place: sim.state.x[c.vertex as usize],
            depth: depth(c),
        })
    });
    Ok(())
}
