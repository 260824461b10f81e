//! Gate: certifies the motion of the substep, and changes what cannot be certified.
//!
//! It stands between the solver's proposal and the update, once for every motion that is accepted. Velocities come from what is
//! accepted, so what is taken from a motion is taken from its momentum as well; the report says how much.

use cloth_broadphase::BroadPhase;
use cloth_contacts::gate::Proposal;

use crate::StepError;
use crate::simulation::Simulation;

/// Relative motion that lists of candidates are made to outlast, beside that of detection: those of the gate are shorter.
const SLACK: f32 = 2.0;

/// Accepts of the proposal what is proved; `h` (s) is the substep.
pub(crate) fn certify<B: BroadPhase>(sim: &mut Simulation<B>, h: f32) -> Result<(), StepError> {
    let Some(gated) = &mut sim.gated else { return Ok(()) };
    gated.admit(&sim.x_t0)?;
    let slack = SLACK * sim.slack;
    let mut proposal = Proposal { start: &sim.x_t0, end: &mut sim.state.x, inv_mass: &sim.inv_mass, slack };
    let stats = gated.gate.certify(&gated.surface, &mut proposal)?;
    let report = &mut sim.report.gate;
    report.proofs += stats.proofs;
    report.exact += stats.exact;
    report.rounds = report.rounds.max(stats.rounds);
    report.pulled_back = report.pulled_back.max(stats.pulled_back);
    report.rolled_back = report.rolled_back.max(stats.rolled_back);
    report.released += stats.released;
    gated.let_go |= stats.released > 0;
    report.pin_lag_m = 0.0;
    if stats.pulled_back > 0 {
        for ((x, wanted), &w) in sim.state.x.iter().zip(gated.gate.wanted()).zip(&sim.inv_mass) {
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

/// Ends the tangles that the step has undone, and counts what is left.
pub(crate) fn settle<B: BroadPhase>(sim: &mut Simulation<B>) -> Result<(), StepError> {
    match &mut sim.gated {
        Some(gated) => Ok(gated.settle(&sim.state.x, &mut sim.report.gate)?),
        None => Ok(()),
    }
}
