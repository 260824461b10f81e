//! Predict: velocities from gravity, wind and drag; displacements; velocity limit.

use super::turn;
use crate::simulation::Simulation;
use crate::wind::Sail;

/// Advances the velocities by external forces over `h` seconds and moves every vertex freely.
pub(crate) fn predict<B>(sim: &mut Simulation<B>, substep: u32, h: f32) {
    let settings = sim.settings;
    let fall = settings.gravity * h;
    for (v, w) in sim.state.v.iter_mut().zip(&sim.inv_mass) {
        if *w > 0.0 {
            *v += fall;
        }
    }
    // Air takes turns like bending and shear: its force changes no faster.
    let soft = turn(substep, settings.substeps, settings.soft_interval);
    if soft > 0.0 && !settings.wind.is_calm() {
        let faces = sim.surface.topology().faces();
        let sail = Sail { faces, positions: &sim.state.x, inv_mass: &sim.inv_mass };
        settings.wind.apply(&sail, &mut sim.state.v, &mut sim.impulses, soft * h);
    }
    let limit_sq = settings.velocity_limit * settings.velocity_limit;
    for i in 0..sim.inv_mass.len() {
        if sim.inv_mass[i] > 0.0 {
            let speed_sq = sim.state.v[i].norm_squared();
            if speed_sq > limit_sq {
                sim.state.v[i] *= settings.velocity_limit / speed_sq.sqrt();
                sim.report.warnings.velocity_limited += 1;
            }
            sim.displacements[i] = sim.state.v[i] * h;
        }
        sim.state.x[i] = sim.x_t0[i] + sim.displacements[i];
    }
}
