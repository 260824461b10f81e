//! Update: velocities from positions, damping, and the check that stops a NaN.

use nalgebra::Vector3;

use crate::StepError;
use crate::simulation::Simulation;

/// Turns the accepted motion of the substep into velocities.
pub(crate) fn update<B>(sim: &mut Simulation<B>, h: f32) -> Result<(), StepError> {
    let inv_h = 1.0 / h;
    // Exponential decay: the same after a second, however many steps it is cut into.
    let kept = libm::expf(-sim.settings.air_damping * h);
    let mut sum = 0.0;
    for i in 0..sim.inv_mass.len() {
        let velocity = (sim.state.x[i] - sim.x_t0[i]) * inv_h;
        sim.state.v[i] = if sim.inv_mass[i] > 0.0 { velocity * kept } else { velocity };
        sum += velocity.norm_squared() * 0.0;
    }
    // Zero times anything finite is zero: one comparison tells whether anything was not.
    if sum == 0.0 { Ok(()) } else { Err(StepError::Diverged(first_fault(&sim.state.v))) }
}

fn first_fault(velocities: &[Vector3<f32>]) -> usize {
    velocities.iter().position(|v| !v.norm_squared().is_finite()).unwrap_or(0)
}
