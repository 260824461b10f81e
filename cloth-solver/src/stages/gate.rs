//! Gate: certifies the motion of the substep, and changes motions that cannot be certified.
//!
//! It runs once for every motion that is accepted. Velocities follow from the accepted motion, so changes also
//! remove momentum; the report says how much.

use cloth_broadphase::BroadPhase;
use cloth_contacts::collider::ColliderContact;
use cloth_contacts::gate::{Admission, Proposal};

use crate::simulation::Simulation;
use crate::{ColliderId, MeshBodyId, Pinch, Release, StepError};

/// Certifies the proposed motion; `h` (s) is the substep.
pub(crate) fn certify<B: BroadPhase>(sim: &mut Simulation<B>, h: f32) -> Result<(), StepError> {
    let Some(gated) = &mut sim.gated else { return Ok(()) };
    gated.admit_intersections(&sim.x_t0)?;
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
    report.exact_ccd += stats.exact;
    report.rounds = report.rounds.max(stats.rounds);
    report.modified_vertices = report.modified_vertices.max(stats.corrected);
    report.frozen_vertices = report.frozen_vertices.max(stats.frozen);
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
            Some(Release { body, vertex, position: end(vertex), depth })
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

/// Clears the releases of the last step.
pub(crate) fn begin<B>(sim: &mut Simulation<B>) {
    sim.gated.iter_mut().for_each(|gated| gated.releases.clear());
}

/// Ends the tangles that the step has resolved, and reports those left.
pub(crate) fn finish<B: BroadPhase>(sim: &mut Simulation<B>) -> Result<(), StepError> {
    match &mut sim.gated {
        Some(gated) => gated.update_tangles(&sim.state.x, &mut sim.report.gate)?,
        None => return Ok(()),
    }
    let depth = |c: &ColliderContact| -c.separation(&sim.state.x[c.vertex as usize]);
    let deepest = sim.collider_contacts.iter().max_by(|a, b| depth(a).total_cmp(&depth(b)));
    sim.report.gate.pinch = deepest.filter(|c| depth(c) > 0.0).and_then(|c| {
        Some(Pinch {
            collider: ColliderId(sim.scene.colliders.id(c.collider as usize)?),
            vertex: c.vertex,
            position: sim.state.x[c.vertex as usize],
            depth: depth(c),
        })
    });
    Ok(())
}
