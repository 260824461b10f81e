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

use cloth_contacts::collider::pose_between;
use nalgebra::{Isometry3, Point3, Vector3};

/// The local frame of one cloth.
#[derive(Clone, Debug)]
pub(crate) struct ClothFrame {
    pub(crate) vertices: Range<usize>,
    /// Share of the frame's velocity change that is compensated, `1 - s`.
    compensation: f32,
    /// The poses at the two ends of the step.
    pub(crate) pose_t0: Isometry3<f32>,
    pub(crate) pose_t1: Isometry3<f32>,
    /// The motion of the frame in the current substep.
    motion: Isometry3<f32>,
}

impl ClothFrame {
    pub(crate) fn new(vertices: Range<usize>, inertia_scale: f32, pose: Isometry3<f32>) -> Self {
        Self {
            vertices,
            compensation: 1.0 - inertia_scale,
            pose_t0: pose,
            pose_t1: pose,
            motion: Isometry3::identity(),
        }
    }

    /// Sets the motion of the frame between two shares of the step.
    pub(crate) fn begin_substep(&mut self, from: f32, to: f32) {
        let at = |share| pose_between(&self.pose_t0, &self.pose_t1, share);
        self.motion = at(to) * at(from).inverse();
    }

    /// Makes the end of this step the start of the next.
    pub(crate) fn finish(&mut self) {
        self.pose_t0 = self.pose_t1;
    }

    /// Adds the compensated share of the frame's velocity change to the vertices. `frame` is the frame's
    /// velocity (m/s) at each vertex in the last substep, and becomes that of this one, of `h` seconds.
    pub(crate) fn apply_inertia(
        &self,
        x: &[Point3<f32>],
        v: &mut [Vector3<f32>],
        frame: &mut [Vector3<f32>],
        inv_mass: &[f32],
        h: f32,
    ) {
        let rate = 1.0 / h;
        for i in self.vertices.clone() {
            let now = (self.motion * x[i] - x[i]) * rate;
            if inv_mass[i] > 0.0 {
                v[i] += (now - frame[i]) * self.compensation;
            }
            frame[i] = now;
        }
    }

    /// Adds `share` of the compensated frame velocity: 1 converts velocities relative to the moving air to
    /// world space, -1 back.
    pub(crate) fn add_frame_velocity(
        &self,
        v: &mut [Vector3<f32>],
        frame: &[Vector3<f32>],
        inv_mass: &[f32],
        share: f32,
    ) {
        let share = share * self.compensation;
        for i in self.vertices.clone() {
            if inv_mass[i] > 0.0 {
                v[i] += frame[i] * share;
            }
        }
    }
}
