//! Where each vertex is expected to be over the next few steps, and which vertices are not there.
//!
//! ```text
//!        slack ( x -- step --> -- step --> )     relative to the mean motion of all free vertices
//! ```
//!
//! Candidate lists are complete as long as every vertex keeps within the slack of its path. The mean motion is
//! taken out: a falling sheet does not collide with itself. After its last step a path stands still.

use cloth_geom::Aabb;
use nalgebra::{Point3, Vector3};

use crate::{Motion, Surface};

/// The expected path of one vertex.
#[derive(Clone, Copy, Debug)]
struct Path {
    anchor: Point3<f32>,
    /// Displacement a step (m).
    stride: Vector3<f32>,
    /// The step at which it begins.
    begun: u32,
    /// How many steps it goes on.
    steps: u32,
}

impl Path {
    fn at(&self, step: u32) -> Point3<f32> {
        self.anchor + self.stride * step.saturating_sub(self.begun).min(self.steps) as f32
    }

    /// What is left of it (m).
    fn remaining(&self, step: u32) -> Vector3<f32> {
        self.stride * self.steps.saturating_sub(step.saturating_sub(self.begun)) as f32
    }
}

/// The paths of all vertices, in a frame that moves with their mean.
#[derive(Clone, Debug, Default)]
pub(crate) struct Paths {
    paths: Vec<Path>,
    /// The mean position when the frame was chosen.
    origin: Vector3<f64>,
    /// How far the frame has moved by the start and by the end of the present step.
    shift_t0: Vector3<f32>,
    shift_t1: Vector3<f32>,
    mean_stride: Vector3<f32>,
    now: u32,
    pub(crate) slack: f32,
}

impl Paths {
    /// Plans all paths anew, `steps` ahead at the present displacements.
    pub(crate) fn plan_all(&mut self, surface: &Surface, motion: &Motion<'_>, steps: u32, slack: f32) {
        self.origin = mean(surface, motion.positions.iter().map(|p| p.coords));
        self.now = 0;
        self.slack = slack;
        self.look(surface, motion);
        self.paths.clear();
        for v in 0..motion.positions.len() {
            let path = self.plan(motion, v, steps);
            self.paths.push(path);
        }
    }

    /// Plans the path of one vertex anew.
    pub(crate) fn replan(&mut self, motion: &Motion<'_>, v: usize, steps: u32) {
        self.paths[v] = self.plan(motion, v, steps);
    }

    /// How far a vertex goes in the present step, relative to the mean motion (m).
    pub(crate) fn stride(&self, motion: &Motion<'_>, v: usize) -> f32 {
        (motion.displacements[v] - self.mean_stride).norm()
    }

    fn plan(&self, motion: &Motion<'_>, v: usize, steps: u32) -> Path {
        Path {
            anchor: motion.positions[v] - self.shift_t0,
            stride: motion.displacements[v] - self.mean_stride,
            begun: self.now,
            steps,
        }
    }

    /// Takes note of the mean motion of the present step.
    pub(crate) fn look(&mut self, surface: &Surface, motion: &Motion<'_>) {
        let shift = mean(surface, motion.positions.iter().map(|p| p.coords)) - self.origin;
        let stride = mean(surface, motion.displacements.iter().copied());
        self.mean_stride = stride.cast();
        self.shift_t0 = shift.cast();
        self.shift_t1 = (shift + stride).cast();
    }

    /// The next step begins.
    pub(crate) fn advance(&mut self) {
        self.now += 1;
    }

    pub(crate) fn forget(&mut self) {
        self.paths.clear();
    }

    /// Whether there is a path for each vertex.
    pub(crate) fn planned_for(&self, vertex_count: usize) -> bool {
        self.paths.len() == vertex_count && vertex_count > 0
    }

    /// Whether a vertex is further off its path in the present step than the slack, squared, times `share`. A NaN
    /// strays.
    pub(crate) fn strays(&self, motion: &Motion<'_>, v: usize, share: f32) -> bool {
        let path = &self.paths[v];
        let position = motion.positions[v];
        let off_t0 = position - self.shift_t0 - path.at(self.now);
        let off_t1 = position + motion.displacements[v] - self.shift_t1 - path.at(self.now + 1);
        let limit = share * self.slack * self.slack;
        let within = off_t0.norm_squared() <= limit && off_t1.norm_squared() <= limit;
        !within
    }

    /// The box of a vertex's path, inflated by `margin` (m) beyond the slack.
    pub(crate) fn swept(&self, v: usize, margin: f32) -> Aabb {
        let path = &self.paths[v];
        let end = path.anchor + path.stride * path.steps as f32;
        Aabb::of_points([path.anchor.cast(), end.cast()]).inflated((margin + self.slack).into())
    }

    /// What is left of a vertex's path (m).
    pub(crate) fn remaining(&self, v: usize) -> Vector3<f32> {
        self.paths[v].remaining(self.now)
    }

    /// How far two points can change their distance, on paths of which `a` and `b` are left (m).
    pub(crate) fn drift_apart(&self, a: &Vector3<f32>, b: &Vector3<f32>) -> f32 {
        if self.now == 0 { (a - b).norm() + 2.0 * self.slack } else { a.norm() + b.norm() + 4.0 * self.slack }
    }

    /// How far two primitives can close in along the unit vector `n` (from b to a) from now on (m).
    pub(crate) fn closing(&self, n: &Vector3<f32>, a: &[u32], b: &[u32]) -> f32 {
        let along = |v: &u32| self.paths[*v as usize].remaining(self.now).dot(n);
        if self.now == 0 {
            // All paths begin now and end together, so that each pair's relative motion is linear.
            let least_a = a.iter().map(along).fold(f32::INFINITY, f32::min);
            let most_b = b.iter().map(along).fold(f32::NEG_INFINITY, f32::max);
            (most_b - least_a).max(0.0) + 2.0 * self.slack
        } else {
            // Paths end at different times: each side may have gone its way while the other stands. And each may
            // be off its path already, on the far side.
            let least_a = a.iter().map(along).fold(0.0, f32::min);
            let most_b = b.iter().map(along).fold(0.0, f32::max);
            most_b - least_a + 4.0 * self.slack
        }
    }
}

/// The mean over the vertices that are not kinematic (zero, if every one is).
pub(crate) fn mean(surface: &Surface, values: impl Iterator<Item = Vector3<f32>>) -> Vector3<f64> {
    let mut sum = Vector3::zeros();
    let mut count = 0.0;
    for (value, &part) in values.zip(&surface.part) {
        if !surface.kinematic[part as usize] {
            sum += value.cast::<f64>();
            count += 1.0;
        }
    }
    if count > 0.0 { sum / count } else { sum }
}
