//! Update: velocities from positions, damping, and the check that stops a NaN.

use nalgebra::Vector3;

use crate::StepError;
use crate::damping::VelocityView;
use crate::simulation::Simulation;

/// Computes velocities from the accepted motion of the substep.
pub(crate) fn update<B>(sim: &mut Simulation<B>, h: f32) -> Result<(), StepError> {
    let inv_h = 1.0 / h;
    // Exponential decay: independent of the number of substeps.
    let decay = libm::expf(-sim.settings.air_damping * h);
    let mut sum = 0.0;
    for i in 0..sim.inv_mass.len() {
        let velocity = (sim.state.x[i] - sim.x_t0[i]) * inv_h;
        sim.state.v[i] = if sim.inv_mass[i] > 0.0 { velocity * decay } else { velocity };
        sum += velocity.norm_squared() * 0.0;
    }
    let (v, frame_velocities) = (&mut sim.state.v, &sim.state.frame_velocities);
    sim.cloth_frames
        .iter()
        .for_each(|c| c.add_frame_velocity(v, frame_velocities, &sim.inv_mass, 1.0 - decay));
    if damp(sim, h) {
        sum = sim.state.v.iter().map(|v| v.norm_squared() * 0.0).sum();
    }
    // Zero times anything finite is zero: one comparison detects any non-finite velocity.
    if sum == 0.0 { Ok(()) } else { Err(StepError::Diverged(first_non_finite(&sim.state.v))) }
}

/// Applies internal damping and the damping of drives; returns whether there was any.
fn damp<B>(sim: &mut Simulation<B>, h: f32) -> bool {
    for damping in &sim.damping {
        damping.damp(&mut VelocityView { x: &sim.state.x, v: &mut sim.state.v, w: &sim.inv_mass }, h);
    }
    let dt = h * sim.settings.substeps as f32;
    sim.elastic.drives.iter().for_each(|drive| drive.damp(&mut sim.state.v, &sim.inv_mass, dt, h));
    !(sim.damping.is_empty() && sim.elastic.drives.is_empty())
}

fn first_non_finite(velocities: &[Vector3<f32>]) -> usize {
    velocities.iter().position(|v| !v.norm_squared().is_finite()).unwrap_or(0)
}
