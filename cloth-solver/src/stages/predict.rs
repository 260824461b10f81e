//! Predict: velocities from gravity, wind and drag; displacements; velocity limit.

use super::turn;
use crate::simulation::Simulation;
use crate::wind::Sail;

/// Advances the velocities by external forces over `h` seconds and moves every vertex freely.
pub(crate) fn predict<B>(sim: &mut Simulation<B>, substep: u32, h: f32) {
    let settings = sim.settings;
    for carried in &sim.carried {
        carried.give(&sim.x_t0, &mut sim.state.v, &mut sim.state.frame, &sim.inv_mass, h);
    }
    let fall = settings.gravity * h;
    for (v, w) in sim.state.v.iter_mut().zip(&sim.inv_mass) {
        if *w > 0.0 {
            *v += fall;
        }
    }
    let blown = turn(substep, settings.substeps, settings.wind_interval);
    if blown > 0.0 && !settings.wind.is_calm() {
        let faces = sim.surface.topology().faces();
        let sail = Sail { faces, positions: &sim.state.x, inv_mass: &sim.inv_mass };
        let (v, frame) = (&mut sim.state.v, &sim.state.frame);
        sim.carried.iter().for_each(|c| c.add(v, frame, &sim.inv_mass, -1.0));
        settings.wind.apply(&sail, v, &mut sim.impulses, blown * h);
        sim.carried.iter().for_each(|c| c.add(v, frame, &sim.inv_mass, 1.0));
    }
    let limit_sq = settings.velocity_limit * settings.velocity_limit;
    for i in 0..sim.inv_mass.len() {
        if sim.inv_mass[i] > 0.0 {
            let speed_sq = sim.state.v[i].norm_squared();
            if speed_sq > limit_sq {
                sim.state.v[i] *= settings.velocity_limit / speed_sq.sqrt();
                sim.report.warnings.velocity_limited += 1;
            }
            if let Some(most) = settings.most_radii {
                sim.report.warnings.radius_limited += usize::from(limit_by_radius(sim, i, most / h));
            }
            sim.displacements[i] = sim.state.v[i] * h;
        }
        sim.state.x[i] = sim.x_t0[i] + sim.displacements[i];
    }
}

/// Slows a vertex to `most` (1/s) of its radii in a second; one without a radius has no such limit.
fn limit_by_radius<B>(sim: &mut Simulation<B>, i: usize, most: f32) -> bool {
    let (speed, limit) = (sim.state.v[i].norm(), sim.surface.radius_and_scr(i).0 * most);
    let slowed = limit > 0.0 && speed > limit;
    if slowed {
        sim.state.v[i] *= limit / speed;
    }
    slowed
}
