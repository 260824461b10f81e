//! Predict: velocities from gravity, wind and drag; displacements; velocity limit.

use cloth_contacts::in_pieces;
use nalgebra::Vector3;

use super::{Substep, VERTICES_AT_ONCE};
use crate::ask::report::Warnings;
use crate::describe::wind::WindSurface;
use crate::fixings::Lag;
use crate::scratch::Scratch;
use crate::state::State;

/// Advances the velocities by external forces over the substep and moves every vertex freely.
pub(crate) fn predict(
    substep: &Substep<'_>,
    lag: &mut Lag,
    state: &mut State,
    scratch: &mut Scratch,
    warnings: &mut Warnings,
) {
    let (settings, assets, h) = (substep.settings, substep.assets, substep.h);
    let mut frame_velocities = std::mem::take(&mut state.frame_velocities);
    for (frame, motion) in assets.local_frames.iter().zip(&scratch.frame_motions) {
        let rate = 1.0 / h;
        if lag.carries(&frame.vertices) {
            frame_velocities[frame.vertices.clone()].fill(Vector3::zeros());
        } else {
            frame.apply_inertia(|x| (motion * x - x) * rate, state, &mut frame_velocities);
        }
    }
    lag.carry(substep.part(), &assets.parts, state);
    let gravity_change = settings.gravity * h;
    for (v, w) in state.v.iter_mut().zip(&state.inv_mass) {
        if *w > 0.0 {
            *v += gravity_change;
        }
    }
    let wind_substeps = substep.covers(settings.wind_interval);
    if wind_substeps > 0.0 && !settings.wind.is_off() {
        // The air moves along with what is carried.
        let add = |share: f32, state: &mut State| {
            let frames = assets.local_frames.iter();
            frames.for_each(|frame| frame.add_frame_velocity(state, &frame_velocities, share));
            lag.add_velocity(state, share);
        };
        add(-1.0, state);
        let (positions, inv_mass, level) = (&state.x, &state.inv_mass, assets.level);
        let cloth = WindSurface { faces: assets.surface.topology().faces(), positions, inv_mass, level };
        settings.wind.apply(&cloth, &mut state.v, &mut scratch.wind, state.time, wind_substeps * h);
        add(1.0, state);
    }
    state.frame_velocities = frame_velocities;
    move_freely(substep, state, scratch, warnings);
}

/// Moves every vertex by its velocity, which is limited, over the substep; pins to their targets.
fn move_freely(substep: &Substep<'_>, state: &mut State, scratch: &mut Scratch, warnings: &mut Warnings) {
    let (settings, assets, h) = (substep.settings, substep.assets, substep.h);
    let limit_sq = settings.velocity_limit * settings.velocity_limit;
    let Scratch { x_t0, displacements, targets, .. } = scratch;
    let vertices = ((&mut state.v[..], &mut displacements[..]), &mut state.x[..]);
    let given = ((&state.inv_mass[..], &x_t0[..]), &targets[..]);
    let both = |[a, b]: [usize; 2], [c, d]: [usize; 2]| [a + c, b + d];
    let limited = in_pieces(
        (vertices, given),
        VERTICES_AT_ONCE,
        |first, (vertices, given)| {
            let (((v, displacements), x), ((w, x_t0), targets)) = (vertices, given);
            let mut limited = [0; 2];
            let moving = v.iter_mut().zip(displacements).zip(x);
            let given = w.iter().zip(x_t0).zip(targets);
            for (i, (((v, displacement), x), ((w, x_t0), target))) in (first..).zip(moving.zip(given)) {
                if *w > 0.0 {
                    let speed_sq = v.norm_squared();
                    if speed_sq > limit_sq {
                        *v *= settings.velocity_limit / speed_sq.sqrt();
                        limited[0] += 1;
                    }
                    if let Some(max_radii) = settings.max_radii_per_substep {
                        let limit = assets.surface.radius_and_scr(i).0 * (max_radii / h);
                        limited[1] += usize::from(limit_speed(v, limit));
                    }
                    *displacement = *v * h;
                    *x = x_t0 + *displacement;
                } else {
                    *x = *target;
                }
            }
            limited
        },
        both,
    );
    warnings.velocity_limited += limited[0];
    warnings.radius_limited += limited[1];
}

/// Limits a velocity (m/s) to a speed, if that is not zero; whether it was faster.
fn limit_speed(velocity: &mut Vector3<f32>, limit: f32) -> bool {
    let speed = velocity.norm();
    let is_faster = limit > 0.0 && speed > limit;
    if is_faster {
        *velocity *= limit / speed;
    }
    is_faster
}
