//! Predict: velocities from gravity, wind and drag; displacements; velocity limit.

use super::substeps_covered;
use crate::simulation::Simulation;
use crate::wind::WindSurface;

/// Advances the velocities by external forces over `h` seconds and moves every vertex freely.
pub(crate) fn predict<B>(sim: &mut Simulation<B>, substep: u32, h: f32) {
    let settings = sim.settings;
    for frame in &sim.cloth_frames {
        frame.apply_inertia(&sim.x_t0, &mut sim.state.v, &mut sim.state.frame_velocities, &sim.inv_mass, h);
    }
    let gravity_change = settings.gravity * h;
    for (v, w) in sim.state.v.iter_mut().zip(&sim.inv_mass) {
        if *w > 0.0 {
            *v += gravity_change;
        }
    }
    let wind_substeps = substeps_covered(substep, settings.substeps, settings.wind_interval);
    if wind_substeps > 0.0 && !settings.wind.is_off() {
        let faces = sim.surface.topology().faces();
        let wind_surface = WindSurface { faces, positions: &sim.state.x, inv_mass: &sim.inv_mass };
        let (v, frame_velocities) = (&mut sim.state.v, &sim.state.frame_velocities);
        sim.cloth_frames.iter().for_each(|c| c.add_frame_velocity(v, frame_velocities, &sim.inv_mass, -1.0));
        settings.wind.apply(&wind_surface, v, &mut sim.impulses, wind_substeps * h);
        sim.cloth_frames.iter().for_each(|c| c.add_frame_velocity(v, frame_velocities, &sim.inv_mass, 1.0));
    }
    let limit_sq = settings.velocity_limit * settings.velocity_limit;
    for i in 0..sim.inv_mass.len() {
        if sim.inv_mass[i] > 0.0 {
            let speed_sq = sim.state.v[i].norm_squared();
            if speed_sq > limit_sq {
                sim.state.v[i] *= settings.velocity_limit / speed_sq.sqrt();
                sim.report.warnings.velocity_limited += 1;
            }
            if let Some(max_rate) = settings.max_radii_per_substep {
                sim.report.warnings.radius_limited += usize::from(limit_by_radius(sim, i, max_rate / h));
            }
            sim.displacements[i] = sim.state.v[i] * h;
        }
        sim.state.x[i] = sim.x_t0[i] + sim.displacements[i];
    }
}

/// Limits the speed of a vertex to `max_rate` (1/s) radii per second; whether it was slowed. Vertices without a radius have no limit.
fn limit_by_radius<B>(sim: &mut Simulation<B>, i: usize, max_rate: f32) -> bool {
    let (speed, limit) = (sim.state.v[i].norm(), sim.surface.radius_and_scr(i).0 * max_rate);
    let slowed = limit > 0.0 && speed > limit;
    if slowed {
        sim.state.v[i] *= limit / speed;
    }
    slowed
}
