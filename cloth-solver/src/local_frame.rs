//! Carriers: how much a cloth feels of the motion of the character that wears it.
//!
//! A character of a game stops from 10 m/s in two frames. A cloth that feels all of it is hit by ten times its weight. So
//! a frame that the caller moves carries the cloth along: of each change of the frame's velocity the cloth feels only a
//! share `s`, and the rest is given to it. With `u(x)` the velocity of the frame at a vertex,
//!
//! ```text
//!   v += (1 - s) (u(x_t0) - u of the substep before)
//! ```
//!
//! A vertex that goes along with the frame keeps going along when the frame speeds up or turns; centrifugal force is scaled alike.
//! Nothing is damped: motion relative to the frame goes on. The air goes along by the same share. Velocities stay those in the
//! world, and so do contacts: whatever the frame gives is predicted motion like any other.

use std::ops::Range;

use cloth_contacts::collider::pose_between;
use nalgebra::{Isometry3, Point3, Vector3};

/// The carrier of one cloth.
#[derive(Clone, Debug)]
pub(crate) struct ClothFrame {
    pub(crate) vertices: Range<usize>,
    /// What the cloth does not feel, `1 - s`.
    compensation: f32,
    /// The frame when the step begins, and when it ends.
    pub(crate) pose_t0: Isometry3<f32>,
    pub(crate) pose_t1: Isometry3<f32>,
    /// The motion of the frame in the present substep.
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

    /// Takes the motion of the frame between two shares of the step.
    pub(crate) fn begin_substep(&mut self, from: f32, to: f32) {
        let at = |share| pose_between(&self.pose_t0, &self.pose_t1, share);
        self.motion = at(to) * at(from).inverse();
    }

    /// The end of this step is the start of the next one.
    pub(crate) fn finish(&mut self) {
        self.pose_t0 = self.pose_t1;
    }

    /// Gives the vertices what they do not feel of the change of the frame's velocity. `frame` is that velocity (m/s) at
    /// each vertex in the substep before, and becomes that of this one, of `h` seconds.
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

    /// Adds a share of what the cloth does not feel of the frame's velocity: 1 gives velocities in the world from those relative
    /// to the air that goes along, -1 the other way.
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
