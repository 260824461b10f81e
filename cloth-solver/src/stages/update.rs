//! Update: velocities from positions, damping, and the check that stops a NaN.

use cloth_contacts::in_pieces;
use nalgebra::{Point3, Vector3};

use super::Substep;
use crate::StepError;
use crate::constraints::ElasticConstraints;
use crate::constraints::drive::Durations;
use crate::damping::VelocityView;
use crate::fixings::Lag;
use crate::state::State;

/// Number of vertices that one thread updates without a break.
const VERTICES_AT_ONCE: usize = 1024;

/// Advances the time, and computes velocities from the accepted motion, from `x_t0` (m) to the positions of
/// the state.
pub(crate) fn update(
    substep: &Substep<'_>,
    x_t0: &[Point3<f32>],
    constraints: &ElasticConstraints,
    lag: &Lag,
    state: &mut State,
) -> Result<(), StepError> {
    state.time += f64::from(substep.h);
    constraints.measure_forces(substep.index, substep.h, state);
    let inv_h = 1.0 / substep.h;
    // Exponential decay: independent of the number of substeps.
    let decay = libm::expf(-substep.settings.air_damping * substep.h);
    let vertices = (&mut state.v[..], ((&state.x[..], x_t0), &state.inv_mass[..]));
    let mut sum = in_pieces(
        vertices,
        VERTICES_AT_ONCE,
        |_, (v, ((x, x_t0), w))| {
            let mut sum = 0.0;
            for i in 0..w.len() {
                let velocity = (x[i] - x_t0[i]) * inv_h;
                v[i] = if w[i] > 0.0 { velocity * decay } else { velocity };
                sum += velocity.norm_squared() * 0.0;
            }
            sum
        },
        |a, b| a + b,
    );
    let frame_velocities = std::mem::take(&mut state.frame_velocities);
    for frame in &substep.assets.local_frames {
        frame.add_frame_velocity(state, &frame_velocities, 1.0 - decay);
    }
    state.frame_velocities = frame_velocities;
    lag.add_velocity(state, 1.0 - decay);
    let corrects = constraints.membrane.correct_velocities(&mut state.v, &state.inv_mass);
    if damp(substep, constraints, state) || corrects {
        sum = state.v.iter().map(|v| v.norm_squared() * 0.0).sum();
    }
    if substep.is_last() {
        lag.release(substep.part(), state);
    }
    // Zero times anything finite is zero: one comparison detects any non-finite velocity.
    if sum == 0.0 {
        Ok(())
    } else {
        Err(substep.scene.diverged(&substep.assets.parts, first_non_finite(&state.v)))
    }
}

/// Applies internal damping and the damping of drives; returns whether there was any.
fn damp(substep: &Substep<'_>, constraints: &ElasticConstraints, state: &mut State) -> bool {
    let (damping, h) = (&substep.assets.damping, substep.h);
    for damping in damping {
        damping.damp(&mut VelocityView { x: &state.x, v: &mut state.v, w: &state.inv_mass }, h);
    }
    let durations = Durations { step: h * substep.settings.substeps as f32, substep: h };
    for (drive, pose) in constraints.drives.iter().zip(&state.drive_poses) {
        drive.damp(pose, &mut state.v, &state.inv_mass, durations);
    }
    !(damping.is_empty() && constraints.drives.is_empty())
}

fn first_non_finite(velocities: &[Vector3<f32>]) -> usize {
    velocities.iter().position(|v| !v.norm_squared().is_finite()).unwrap_or(0)
}
