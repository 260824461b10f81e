//! Local frames: scale the inertia that a cloth feels from the motion of the character that wears it.
//!
//! A game character stops from 10 m/s in two frames; unscaled, that hits its cloth with ten times its weight.
//! The caller moves a frame with the character. Of each change of the frame's velocity the cloth feels the
//! share `s`; the rest is added to its velocity. With `u(x)` the velocity of the frame at a vertex,
//!
//! ```text
//!   v += (1 - s) (u(x_t0) - u of the substep before)
//! ```
//!
//! A vertex that moves with the frame keeps moving with it when the frame accelerates or rotates; centrifugal
//! force is scaled alike. Motion relative to the frame is not damped. The air moves along by the same share.
//! Velocities and contacts stay in world space.

use std::ops::Range;

use nalgebra::{Point3, Vector3};

use crate::state::State;

/// The local frame of one cloth; its poses are in the [`State`].
#[derive(Clone, Debug)]
pub(crate) struct ClothFrame {
    pub(crate) vertices: Range<usize>,
    /// Share of the frame's velocity change that is compensated, `1 - s`.
    compensation: f32,
}

impl ClothFrame {
    pub(crate) fn new(vertices: Range<usize>, inertia_scale: f32) -> Self {
        Self { vertices, compensation: 1.0 - inertia_scale }
    }

    /// Adds the compensated share of the frame's velocity change to the vertices of a state at the start of a
    /// substep, in which the frame has the `velocity` (m/s) at a place; updates the frame's velocities there.
    pub(crate) fn apply_inertia(
        &self,
        velocity: impl Fn(&Point3<f32>) -> Vector3<f32>,
        state: &mut State,
        frame_velocities: &mut [Vector3<f32>],
    ) {
        for i in self.vertices.clone() {
            let now = velocity(&state.x[i]);
            if state.inv_mass[i] > 0.0 {
                state.v[i] += (now - frame_velocities[i]) * self.compensation;
            }
            frame_velocities[i] = now;
        }
    }

    /// Adds `share` of the compensated frame velocity: 1 converts velocities relative to the moving air to
    /// world space, -1 back.
    pub(crate) fn add_frame_velocity(
        &self,
        state: &mut State,
        frame_velocities: &[Vector3<f32>],
        share: f32,
    ) {
        let share = share * self.compensation;
        for i in self.vertices.clone() {
            if state.inv_mass[i] > 0.0 {
                state.v[i] += frame_velocities[i] * share;
            }
        }
    }
}
