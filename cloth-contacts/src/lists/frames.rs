//! Displacements of vertices since the last search, in moving frames.
//!
//! ```text
//! x(now) = reference + offset + time velocity + displacement
//!                      `------------v-----------' `--- small
//!                  the frame of the vertex's leaf
//! ```
//!
//! The eight vertices of a leaf share a rigid motion, fitted to their motion when pairs were searched. Offset
//! and time are common to all vertices, and fitted anew to every state: any values are valid, and good ones
//! make displacements small. So cloth that falls, drifts or turns has hardly any, a state may be replaced by
//! any other, and nothing is summed from step to step that could lose short steps.
//!
//! Vertices that leave most others far behind do not count in what is common: they would round the frames of
//! all by more than a slack.
//!
//! Two points `p` and `q` of primitives whose vertices are displaced by at most `d_p` and `d_q`, and whose
//! frames differ by at most `g` per unit of time, are nearer to each other than at the reference by at most
//! `d_p + d_q + time g`: offsets cancel, and points of a primitive are convex combinations of its vertices.
//!
//! # Rounding
//!
//! With `u = 2^-24`, per coordinate: `x - reference`, its difference to the offset, the product with the time
//! and the last difference round once each, by `u` of at most `r + c + t`, where these are the magnitudes of
//! the difference to the reference, of the offset and of the product. With the roundings of sums and of the
//! norm, `gamma_8` of the norm and `gamma_8` of the sum of `r + c + t` over the coordinates cover all of
//! it.

use cloth_geom::MapInline;
use cloth_geom::bounds::gamma_f32;
use cloth_geom::lanes::{
    Block, Instructions, LANES8, Simd, WideLanes, dispatch, gather_wide, greater, level, minus, norm,
};
use nalgebra::{Matrix3, Point3, Vector3};

use crate::coordinate::median;
use crate::leaves::Leaves;
use crate::lists::plan::Horizon;
use crate::narrow_phase_error::APPROACH_ERROR_FACTOR;
use crate::parallel;

/// More than what squares of coordinates below `2^-63` can lose to underflow.
pub(crate) const UNDERFLOW: f32 = f32::from_bits((127 - 61) << 23);

/// A vertex is far from the others if its displacement differs from the middle one by more than this many
/// mean edges: less rounds what is common by less than a slack.
const FAR: f64 = 4096.0;

/// A motion from the start positions (m).
#[derive(Clone, Copy, Debug)]
pub(crate) enum Path<'a> {
    /// To be extrapolated along its displacements (m) from the closest points at the start, as the narrow
    /// phase does: a pair may approach by as much as it moves, whichever way.
    Predicted(&'a [Vector3<f32>]),
    /// Linear to these positions (m).
    Linear(&'a [Point3<f32>]),
}

/// Number of vertices whose displacements are one task.
const TASK_SIZE: usize = 1024;

/// Offset and time of a state, or their change in a motion.
#[derive(Clone, Copy, Debug, Default)]
struct Placement {
    offset: Vector3<f32>,
    time: f32,
}

impl Placement {
    /// The same with its time within limits.
    fn within(self, times: [f32; 2]) -> Self {
        // `max` turns NaN into the first time.
        Self { time: self.time.max(times[0]).min(times[1]), ..self }
    }
}

/// A vertex from which offset and time are fitted.
#[derive(Clone, Copy, Debug)]
struct FrameSample {
    vertex: u32,
    /// Whether it counts in what is common.
    is_common: bool,
    reference: Vector3<f64>,
    velocity: Vector3<f64>,
}

/// The frames of all vertices.
#[derive(Clone, Debug, Default)]
pub(crate) struct Frames {
    /// Positions (m) at the search, by vertex and in blocks of eight consecutive vertices.
    pub(crate) reference: Vec<Point3<f32>>,
    references: Vec<Block<3>>,
    /// Velocities of the frames (m per motion) relative to their mean.
    velocities: Vec<Block<3>>,
    /// By vertex, as in `velocities`.
    pub(crate) velocity: Vec<[f32; 3]>,
    samples: Vec<FrameSample>,
    /// Number of those that are common.
    common: usize,
    /// Sum of the squares of their velocities, and of the velocities of those that are not common.
    velocity_sq: f64,
    far_velocity: Vector3<f64>,
    /// For how long pairs are listed.
    pub(crate) horizon: Horizon,
    /// More than two frames can approach until its `certified_end` (m).
    pub(crate) max_approach: f32,
    /// Of the last motion, by vertex: upper bounds (m) of its displacement.
    pub(crate) displaced: Vec<f32>,
    /// What of that (m) is in the predicted motion itself.
    pub(crate) predicted: Vec<f32>,
    /// The times at both ends of the last motion; of a predicted one, both are that of its start.
    pub(crate) times: [f32; 2],
    /// How long a predicted motion takes.
    pub(crate) predicted_time: f32,
    /// Scratch memory.
    numbers: Vec<f64>,
}

/// Which displacements (m) are common: those near the middle of all.
struct Common {
    middle: Vector3<f64>,
    max_off_sq: f64,
}

impl Common {
    /// Whether a displacement (m) is not; what is not finite is common, so that nothing passes for known.
    fn is_far(&self, displacement: &Vector3<f32>) -> bool {
        let off_sq = (displacement.cast() - self.middle).norm_squared();
        off_sq > self.max_off_sq && off_sq < f64::INFINITY
    }
}

/// More than a rate of approach can be rounded by (m per motion), of frames no faster than this.
#[inline(always)]
pub(crate) fn rate_error(fastest: f32) -> f32 {
    fastest * gamma_f32(16) + UNDERFLOW
}

/// The ids of the vertices of a block; the last one is repeated.
fn block_ids(block: usize, count: usize) -> [u32; LANES8] {
    [0, 1, 2, 3, 4, 5, 6, 7].map_inline(|l: usize| (block * LANES8 + l).min(count - 1) as u32)
}

impl Frames {
    /// Begins at a state (m) with frames that follow these displacements (m) for some time.
    pub(crate) fn begin(
        &mut self,
        leaves: &Leaves,
        positions: &[Point3<f32>],
        displacement: impl Fn(u32) -> Vector3<f32>,
        horizon: Horizon,
    ) {
        let count = positions.len();
        let blocks = 0..count.div_ceil(LANES8);
        self.reference.clear();
        self.reference.extend_from_slice(positions);
        self.references.clear();
        self.references.extend(blocks.clone().map(|b| Block::gather(positions, &block_ids(b, count))));
        self.velocity.clear();
        self.velocity.resize(count, [0.0; 3]);
        self.fit_leaves(leaves, positions, &displacement, horizon.scale);
        self.common = self.samples.iter().filter(|s| s.is_common).count();
        let of_sample = |s: &FrameSample| Vector3::from(self.velocity[s.vertex as usize]).cast::<f64>();
        let sum: Vector3<f64> = self.samples.iter().filter(|s| s.is_common).map(of_sample).sum();
        let mean: Vector3<f32> = (sum / self.common.max(1) as f64).cast();
        let mut fastest = 0.0_f32;
        for v in &mut self.velocity {
            // What is stored is exact: the velocity of a frame is any number.
            let relative = Vector3::from(*v) - mean;
            fastest = fastest.max(relative.norm());
            *v = relative.into();
        }
        (self.velocity_sq, self.far_velocity) = (0.0, Vector3::zeros());
        for sample in &mut self.samples {
            sample.velocity = Vector3::from(self.velocity[sample.vertex as usize]).cast();
            self.velocity_sq += sample.velocity.norm_squared();
            if !sample.is_common {
                self.far_velocity += sample.velocity;
            }
        }
        self.velocities.clear();
        self.velocities.extend(blocks.map(|b| Block::gather(&self.velocity, &block_ids(b, count))));
        self.max_approach = (2.0 * fastest + rate_error(fastest)) * horizon.certified_end * APPROACH_FACTOR;
        self.horizon = horizon;
    }

    /// Sets the velocities of all vertices by leaf, and takes a sample of each; those of a leaf that are far
    /// from the others have their own.
    fn fit_leaves(
        &mut self,
        leaves: &Leaves,
        positions: &[Point3<f32>],
        displacement: &impl Fn(u32) -> Vector3<f32>,
        scale: f32,
    ) {
        self.samples.clear();
        let common = self.find_common(leaves, displacement);
        let is_far = |v: &u32| common.is_far(&displacement(*v));
        for (vertices, &occupied) in leaves.points.vertices.iter().zip(&leaves.points.occupied) {
            let mut vertices = vertices.map_inline(|[v]| v);
            let vertices = &mut vertices[..occupied.count_ones() as usize];
            let mut near = vertices.len();
            if vertices.iter().any(is_far) {
                // In their order.
                vertices.sort_by_key(is_far);
                near = vertices.partition_point(|v| !is_far(v));
            }
            let (near, far) = vertices.split_at(near);
            for (vertices, is_common) in [(near, true), (far, false)] {
                if let Some(&vertex) = vertices.first() {
                    self.fit_rigid(vertices, positions, displacement, scale);
                    let (reference, velocity) = (positions[vertex as usize].coords.cast(), Vector3::zeros());
                    self.samples.push(FrameSample { vertex, is_common, reference, velocity });
                }
            }
        }
    }

    /// Which displacements (m) are common; all of a mesh without edges.
    fn find_common(&mut self, leaves: &Leaves, displacement: &impl Fn(u32) -> Vector3<f32>) -> Common {
        let Leaves { points, spacing, .. } = leaves;
        let numbers = &mut self.numbers;
        let mut middle = |of: &dyn Fn(u32) -> f32| {
            let samples =
                points.vertices.iter().zip(&points.occupied).filter(|(_, occupied)| **occupied != 0);
            numbers.clear();
            numbers.extend(samples.map(|(vertices, _)| f64::from(of(vertices[0][0]))));
            median(numbers)
        };
        let edge = middle(&|v| spacing[v as usize]);
        let max_off_sq = if edge > 0.0 { (FAR * edge).powi(2) } else { f64::INFINITY };
        Common { middle: Vector3::from_fn(|k, _| middle(&|v| displacement(v)[k])), max_off_sq }
    }

    /// Sets the velocities of vertices of a leaf to those of the rigid motion that fits them best, `scale` of
    /// which are in a unit of time.
    fn fit_rigid(
        &mut self,
        vertices: &[u32],
        positions: &[Point3<f32>],
        displacement: &impl Fn(u32) -> Vector3<f32>,
        scale: f32,
    ) {
        let count = vertices.len() as f32;
        let (mut centre, mut mean) = (Vector3::zeros(), Vector3::zeros());
        for &v in vertices {
            centre += positions[v as usize].coords;
            mean += displacement(v);
        }
        (centre, mean) = (centre / count, mean / count);
        let (mut inertia, mut moment) = (Matrix3::zeros(), Vector3::zeros());
        for &v in vertices {
            let r = positions[v as usize].coords - centre;
            inertia += Matrix3::identity() * r.norm_squared() - r * r.transpose();
            moment += r.cross(&(displacement(v) - mean));
        }
        // Nothing turns about a line that all vertices lie on.
        inertia += Matrix3::identity() * (inertia.trace() * 0.01);
        let rotation = inertia.try_inverse().map_or(Vector3::zeros(), |inverse| inverse * moment);
        // Products of three squares overflow beyond 1e6 m. What is not finite itself remains so.
        let is_finite = rotation.iter().all(|c| c.is_finite());
        let rotation = if is_finite { rotation } else { Vector3::zeros() };
        for &v in vertices {
            let r = positions[v as usize].coords - centre;
            self.velocity[v as usize] = ((mean + rotation.cross(&r)) * scale).into();
        }
    }

    /// Offset and time that fit the vectors from the references best (m).
    fn fit(&self, from_reference: impl Fn(&FrameSample) -> Vector3<f64>) -> Placement {
        let (mut sum, mut along) = (Vector3::zeros(), 0.0);
        for sample in &self.samples {
            let off = from_reference(sample);
            if sample.is_common {
                sum += off;
            }
            along += off.dot(&sample.velocity);
        }
        let mean = sum / self.common.max(1) as f64;
        // The velocities of common ones cancel.
        along -= mean.dot(&self.far_velocity);
        let time = if self.velocity_sq > 0.0 { (along / self.velocity_sq) as f32 } else { 0.0 };
        Placement { offset: mean.cast(), time }
    }

    /// Measures the displacements of a motion.
    pub(crate) fn measure(&mut self, start: &[Point3<f32>], path: &Path<'_>) {
        self.measure_from(0.0, start, path);
    }

    /// Measures the displacements of a linear motion that may begin before the search: its time until then is
    /// the `predicted_time`, and at most the `prediction` of the horizon.
    pub(crate) fn measure_chord(&mut self, start: &[Point3<f32>], end: &[Point3<f32>]) {
        self.measure_from(-self.horizon.prediction, start, &Path::Linear(end));
        self.predicted_time = fault!(BeforeSearchIgnored, (-self.times[0]).max(0.0));
        self.times = self.times.map_inline(|time| time.max(0.0));
    }

    /// As [`Frames::measure`], with no time before the `earliest`.
    fn measure_from(&mut self, earliest: f32, start: &[Point3<f32>], path: &Path<'_>) {
        let at = |p: &[Point3<f32>], s: &FrameSample| p[s.vertex as usize].coords.cast::<f64>() - s.reference;
        let end_time = fault!(EndLate, self.horizon.end_of(path));
        let (first, last) = parallel::join(
            || self.fit(|s| at(start, s)).within([earliest, end_time]),
            || match path {
                Path::Predicted(by) => self.fit(|s| by[s.vertex as usize].cast()),
                Path::Linear(end) => self.fit(|s| at(end, s)),
            },
        );
        let last = last.within(match path {
            Path::Predicted(_) => [0.0, self.horizon.prediction],
            Path::Linear(_) => [first.time, end_time],
        });
        (self.times, self.predicted_time) = match path {
            Path::Predicted(_) => ([first.time; 2], last.time),
            Path::Linear(_) => ([first.time, last.time], 0.0),
        };
        self.displaced.resize(start.len(), 0.0);
        self.predicted.resize(start.len(), 0.0);
        let blocks = FrameBlocks { references: &self.references, velocities: &self.velocities, start, path };
        let displacements = (&mut self.displaced[..], &mut self.predicted[..]);
        parallel::for_each_piece(displacements, TASK_SIZE, |vertex, displacements| {
            dispatch!(level(), simd => {
                blocks.set_displacements(simd, [first, last], vertex / LANES8, displacements);
            });
        });
    }
}

/// A motion in the frames of all vertices.
struct FrameBlocks<'a> {
    references: &'a [Block<3>],
    velocities: &'a [Block<3>],
    start: &'a [Point3<f32>],
    path: &'a Path<'a>,
}

impl FrameBlocks<'_> {
    /// Sets the displacements of the vertices from a block on, all and predicted ones, by two placements of
    /// what is common.
    #[inline(always)]
    fn set_displacements<S: Instructions>(
        &self,
        simd: S,
        placements: [Placement; 2],
        first_block: usize,
        (displaced, predicted): (&mut [f32], &mut [f32]),
    ) {
        let Self { start, path, .. } = *self;
        let count = start.len();
        let [first, last] = placements.map_inline(|placement| Terms::new(simd, placement));
        let of = displaced.chunks_mut(LANES8).zip(predicted.chunks_mut(LANES8));
        let frames = self.references[first_block..].iter().zip(&self.velocities[first_block..]);
        for (number, ((displaced, predicted), (reference, velocity))) in (first_block..).zip(of.zip(frames)) {
            let ids = block_ids(number, count);
            let (reference, velocity) = (reference.wide_vectors(simd, 0), velocity.wide_vectors(simd, 0));
            let from_reference = |p: &[Point3<f32>]| minus(&gather_wide(simd, p, ids), &reference);
            let at_start = first.bound(&from_reference(start), &velocity);
            let (all, own) = match path {
                Path::Predicted(by) => {
                    let own = last.bound(&gather_wide(simd, by, ids), &velocity);
                    // What the narrow phase computes of an approach may exceed it.
                    let own = own * APPROACH_FACTOR;
                    (at_start + own, own)
                }
                Path::Linear(end) => {
                    let at_end = last.bound(&from_reference(end), &velocity);
                    (greater_or_nan(at_start, at_end), simd.splat_eight(0.0))
                }
            };
            let [all, own] = [all.numbers(), own.numbers()];
            let raised = [fault!(DisplacementShort, all), fault!(DisplacementShort, own)];
            // Blocks have as many lanes as vertices are left.
            for (to, from) in displaced.iter_mut().zip(raised[0]) {
                *to = from;
            }
            for (to, from) in predicted.iter_mut().zip(raised[1]) {
                *to = from;
            }
        }
    }
}

/// As [`APPROACH_ERROR_FACTOR`], rounded up twice over.
const APPROACH_FACTOR: f32 = 1.0 + 2.0 * (APPROACH_ERROR_FACTOR - 1.0) as f32;

/// The greater of two numbers; NaN if one is.
#[allow(clippy::eq_op, reason = "zero, and NaN for NaN")]
#[inline(always)]
fn greater_or_nan<L: Simd>(a: L, b: L) -> L {
    // Of `a` or, where it is not the greater one, of `b`: a NaN in `a` is added back.
    greater(a, b) + (a - a)
}

/// A placement in all lanes.
struct Terms<S: Instructions> {
    offset: [WideLanes<S>; 3],
    time: WideLanes<S>,
    offset_size: WideLanes<S>,
}

impl<S: Instructions> Terms<S> {
    #[inline(always)]
    fn new(simd: S, Placement { offset, time }: Placement) -> Self {
        let size = offset.iter().map(|c| c.abs()).sum();
        Self {
            offset: [offset.x, offset.y, offset.z].map_inline(|c| simd.splat_eight(c)),
            time: simd.splat_eight(time),
            offset_size: simd.splat_eight(size),
        }
    }

    /// Upper bounds (m) of the displacements of eight vertices.
    #[inline(always)]
    fn bound(&self, moved: &[WideLanes<S>; 3], velocity: &[WideLanes<S>; 3]) -> WideLanes<S> {
        let by_frame = velocity.map_inline(|v| v * self.time);
        let off = minus(&minus(moved, &self.offset), &by_frame);
        let size = |v: &[WideLanes<S>; 3]| v[0].magnitude() + v[1].magnitude() + v[2].magnitude();
        let magnitude = size(moved) + size(&by_frame) + self.offset_size;
        const ROUNDING: f32 = gamma_f32(8);
        norm(&off) * (1.0 + ROUNDING + ROUNDING) + magnitude * ROUNDING + UNDERFLOW
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lists::tests::{Parts, moved};
    use cloth_testing::Dice;

    /// Two sheets, scaled about the origin and moved.
    fn two_sheets(size: f32, origin: f32) -> (Parts, Leaves) {
        let mut parts = Parts::default();
        parts.add_sheet(7, 1.0, |p| p);
        parts.add_sheet(6, 1.0, |p| Vector3::new(p.x, 0.1, p.z));
        parts.rest.iter_mut().for_each(|p| *p = Point3::from(p.coords * size).map(|c| c + origin));
        let leaves = (*parts.surface(0.01, 0.01).leaves).clone();
        (parts, leaves)
    }

    /// Differences of two vertices, in `f64`.
    fn between<const N: usize>(of: [&[[f64; 3]]; N], a: usize, b: usize) -> [Vector3<f64>; N] {
        of.map(|of| Vector3::from(of[a]) - Vector3::from(of[b]))
    }

    fn in_f64<'a>(of: impl IntoIterator<Item = &'a [f32; 3]>) -> Vec<[f64; 3]> {
        of.into_iter().map(|v| v.map(f64::from)).collect()
    }

    fn points(of: &[Point3<f32>]) -> Vec<[f64; 3]> {
        of.iter().map(|p| p.coords.cast().into()).collect()
    }

    /// Checks of all pairs of vertices that nothing beyond frames and displacements separates them or brings
    /// them together: along any direction, at any time of the motion.
    fn check(frames: &Frames, start: &[Point3<f32>], path: &Path<'_>) {
        let (reference, velocity) = (points(&frames.reference), in_f64(&frames.velocity));
        let at = points(start);
        for a in 0..start.len() {
            for b in 0..a {
                let [apart, now, rate] = between([&reference, &at, &velocity], a, b);
                let room = |of: &[f32]| (f64::from(of[a]) + f64::from(of[b])) * (1.0 + 1.0e-12);
                match path {
                    Path::Linear(end) => {
                        let end = points(end);
                        let [then] = between([&end], a, b);
                        for share in [0.0, 0.3, 0.5, 1.0] {
                            let [t0, t1] = frames.times.map(f64::from);
                            let time = t0 + (t1 - t0) * share;
                            let off = now + (then - now) * share - apart - rate * time;
                            assert!(off.norm() <= room(&frames.displaced), "{a} {b} {share}: {off}");
                        }
                    }
                    Path::Predicted(by) => {
                        let by: Vec<[f64; 3]> = by.iter().map(|d| d.cast().into()).collect();
                        let [by] = between([&by], a, b);
                        let own = by - rate * f64::from(frames.predicted_time);
                        let seen = own.norm() * APPROACH_ERROR_FACTOR;
                        assert!(seen <= room(&frames.predicted), "{a} {b}: {own}");
                        let off = now - apart - rate * f64::from(frames.times[0]);
                        assert!(off.norm() + own.norm() <= room(&frames.displaced), "{a} {b}: {off} {own}");
                    }
                }
            }
        }
    }

    fn greatest(of: &[f32]) -> f32 {
        of.iter().copied().fold(0.0, f32::max)
    }

    /// In which worlds: size (m), origin (m), and common motion (m).
    const WORLDS: [(f32, f32, f32); 6] = [
        (1.0, 0.0, 0.0),
        (1.0e-4, 0.0, 1.0),
        (1.0e4, 0.0, 1.0e3),
        (1.0, 1.0e5, 2.0),
        (1.0, 10.0, 1.0e3),
        (1.0e-4, 1.0e-3, 1.0e5),
    ];

    #[test]
    fn no_two_vertices_come_nearer_than_frames_and_displacements_say() {
        let mut dice = Dice::new(1);
        for (size, origin, common) in WORLDS {
            let (parts, leaves) = two_sheets(size, origin);
            let mut frames = Frames::default();
            for round in 0..30 {
                let tremble = [0.0, 1.0e-4, 0.03][round % 3] * size;
                let shift = [0, 1].map(|_| dice.vector(0.05 * size) + Vector3::repeat(common));
                let rotation = [0, 1].map(|_| dice.vector(0.05));
                let moves: Vec<Vector3<f32>> = (0..parts.rest.len())
                    .map(|v| {
                        let part = usize::from(parts.part[v]);
                        let from = parts.rest[v] - parts.rest[0];
                        shift[part] + rotation[part].cross(&from) + dice.vector(tremble)
                    })
                    .collect();
                let prediction = [0.0, 1.1][round % 2];
                frames.begin(&leaves, &parts.rest, |v| moves[v as usize], Horizon::new(3.0, 1.0, prediction));
                for step in 0..4_u8 {
                    let by = f32::from(step);
                    let own = dice.vector(tremble);
                    let start = moved(&parts.rest, |v| moves[v] * by + own * dice_of(v));
                    let end = moved(&start, |v| moves[v]);
                    frames.measure(&start, &Path::Predicted(&moves));
                    check(&frames, &start, &Path::Predicted(&moves));
                    frames.measure(&start, &Path::Linear(&end));
                    check(&frames, &start, &Path::Linear(&end));
                    // Back to the references, from afar.
                    frames.measure(&end, &Path::Linear(&parts.rest));
                    check(&frames, &end, &Path::Linear(&parts.rest));
                    let [t0, t1] = frames.times;
                    assert!(
                        0.0 <= t0 && t0 <= t1 && t1 <= frames.horizon.certified_end,
                        "{:?}",
                        frames.times
                    );
                }
            }
        }
    }

    /// Some number for a vertex, of either sign.
    fn dice_of(v: usize) -> f32 {
        (v * 7919 % 13) as f32 / 6.0 - 1.0
    }

    #[test]
    fn what_is_to_come_counts_as_the_narrow_phase_could_see_it() {
        let (parts, leaves) = two_sheets(1.0, 0.0);
        let mut frames = Frames::default();
        frames.begin(&leaves, &parts.rest, |_| Vector3::zeros(), Horizon::new(1.0, 1.0, 1.1));
        // Head-on, so that nothing but errors is beyond what any two vertices approach.
        for size in [1.0e-4, 0.01, 1.0, 37.0] {
            let by: Vec<_> =
                parts.part.iter().map(|&part| Vector3::y() * (0.5 - f32::from(part)) * size).collect();
            frames.measure(&parts.rest, &Path::Predicted(&by));
            check(&frames, &parts.rest, &Path::Predicted(&by));
            let both = frames.predicted[0] + frames.predicted[parts.rest.len() - 1];
            assert!((size..1.0001 * size).contains(&both), "{both}");
        }
    }

    #[test]
    fn differences_that_round_away_are_displacements() {
        // Coordinates of up to 1 m, moved to where they have steps of 8 mm.
        let (parts, leaves) = two_sheets(1.0, 0.0);
        let mut frames = Frames::default();
        frames.begin(&leaves, &parts.rest, |_| Vector3::zeros(), Horizon::new(1.0, 1.0, 0.0));
        let far = moved(&parts.rest, |_| Vector3::repeat(1.0e5));
        frames.measure(&far, &Path::Linear(&far));
        check(&frames, &far, &Path::Linear(&far));
        let most = greatest(&frames.displaced);
        assert!((1.0e-3..0.5).contains(&most), "{most}");
    }

    #[test]
    fn cloth_that_falls_drifts_and_turns_is_hardly_displaced() {
        let (parts, leaves) = two_sheets(1.0, 3.0);
        let centre = parts.rest[0].coords;
        // Each sheet about an axis of its own, and both down.
        let turned = |v: usize, motions: f32| {
            let axis = if parts.part[v] == 0 {
                Vector3::new(0.0, 0.02, 0.01)
            } else {
                Vector3::new(0.015, 0.0, 0.0)
            };
            let from = parts.rest[v].coords - centre;
            nalgebra::Rotation3::new(axis * motions) * from - from + Vector3::new(0.1, -0.5, 0.0) * motions
        };
        let mut frames = Frames::default();
        frames.begin(&leaves, &parts.rest, |v| turned(v as usize, 1.0), Horizon::new(4.0, 1.0, 0.0));
        for motions in 0..3_u8 {
            let at = |by: f32| moved(&parts.rest, |v| turned(v, by));
            let (start, end) = (at(f32::from(motions)), at(f32::from(motions + 1)));
            let path = Path::Linear(&end);
            frames.measure(&start, &path);
            check(&frames, &start, &path);
            let most = greatest(&frames.displaced);
            assert!(most < 2.0e-3, "{most} in motion {motions}");
        }
    }

    #[test]
    fn what_turns_together_does_not_approach() {
        let (parts, leaves) = two_sheets(1.0, 0.0);
        let turn = |v: u32| {
            Vector3::new(0.01, 0.05, 0.03).cross(&parts.rest[v as usize].coords) + Vector3::new(3.0, 0.0, 0.0)
        };
        let mut frames = Frames::default();
        frames.begin(&leaves, &parts.rest, turn, Horizon::new(3.0, 1.0, 0.0));
        let rate = |a: usize, b: usize| {
            let n = (parts.rest[a] - parts.rest[b]).normalize();
            (Vector3::from(frames.velocity[b]) - Vector3::from(frames.velocity[a])).dot(&n)
        };
        let all = (0..parts.rest.len()).flat_map(|a| (0..a).map(move |b| (a, b)));
        let fastest = all.map(|(a, b)| rate(a, b).abs()).fold(0.0, f32::max);
        // Where no frame follows, up to 0.06 m.
        assert!(fastest < 2.0e-3, "{fastest}");
        let end = moved(&parts.rest, |v| turn(v as u32));
        frames.measure(&parts.rest, &Path::Linear(&end));
        assert!(greatest(&frames.displaced) < 2.0e-3, "{}", greatest(&frames.displaced));
    }

    #[test]
    fn a_vertex_that_leaves_all_others_behind_displaces_none_of_them() {
        let (parts, leaves) = two_sheets(1.0, 0.0);
        for by in [1.0e5, 2.0e8] {
            for first in (0..parts.rest.len()).step_by(5) {
                let mut frames = Frames::default();
                let moves = |v: usize| {
                    let own = Vector3::new(0.02, 0.1, 0.01 * dice_of(v / 49));
                    if v == first { Vector3::new(by, 0.0, -by) } else { own }
                };
                frames.begin(&leaves, &parts.rest, |v| moves(v as usize), Horizon::new(3.0, 1.0, 0.0));
                let end = moved(&parts.rest, moves);
                frames.measure(&parts.rest, &Path::Linear(&end));
                check(&frames, &parts.rest, &Path::Linear(&end));
                let others = frames.displaced.iter().enumerate().filter(|(v, _)| *v != first);
                let most = others.map(|(_, &displaced)| displaced).fold(0.0, f32::max);
                assert!(most < 1.0e-3, "{most} next to vertex {first}, by {by}");
            }
        }
    }

    #[test]
    fn a_sheet_that_jumps_far_is_followed() {
        let (parts, leaves) = two_sheets(1.0, 0.0);
        let jump = |v: usize| Vector3::x() * if parts.part[v] == 0 { 0.0 } else { 3.0e4 };
        let mut frames = Frames::default();
        frames.begin(&leaves, &parts.rest, |v| jump(v as usize), Horizon::new(3.0, 1.0, 0.0));
        let end = moved(&parts.rest, jump);
        frames.measure(&parts.rest, &Path::Linear(&end));
        check(&frames, &parts.rest, &Path::Linear(&end));
        assert!(greatest(&frames.displaced) < 0.1, "{}", greatest(&frames.displaced));
    }

    #[test]
    fn the_state_of_the_search_is_not_displaced() {
        let (parts, leaves) = two_sheets(1.0, 0.0);
        let mut frames = Frames::default();
        let fast = |v: u32| Vector3::new(0.3, 0.1 * dice_of(v as usize), 0.0);
        frames.begin(&leaves, &parts.rest, fast, Horizon::new(3.0, 1.0, 0.0));
        let far = moved(&parts.rest, |v| fast(v as u32) * 7.0);
        frames.measure(&far, &Path::Linear(&far));
        assert!(greatest(&frames.displaced) > 0.1);
        frames.measure(&parts.rest, &Path::Linear(&parts.rest));
        assert_eq!(frames.times, [0.0; 2]);
        assert!(frames.displaced.iter().all(|&d| d <= UNDERFLOW), "{}", greatest(&frames.displaced));
    }

    #[test]
    fn frames_of_cloth_of_any_size_move_by_finite_velocities() {
        for exponent in -37_i8..=37 {
            let size = 10.0_f32.powi(exponent.into());
            let (parts, leaves) = two_sheets(size, 0.0);
            for speed in [1.0e-37, 1.0e-20, 1.0e-3, 1.0, 1.0e20, 1.0e36] {
                let by = |v: u32| Vector3::new(speed, speed * dice_of(v as usize), -speed);
                let mut frames = Frames::default();
                frames.begin(&leaves, &parts.rest, by, Horizon::new(3.0, 20.0, 1.1));
                let is_finite = |v: &[f32; 3]| v.iter().all(|c| c.is_finite());
                assert!(frames.velocity.iter().all(is_finite), "{size} m, {speed} m");
                frames.measure(&parts.rest, &Path::Linear(&parts.rest));
                assert!(frames.displaced.iter().all(|d| !d.is_nan()), "{size} m, {speed} m");
            }
        }
    }

    #[test]
    fn what_is_not_a_number_is_displaced_beyond_any_slack() {
        let (parts, leaves) = two_sheets(1.0, 0.0);
        let still = vec![Vector3::zeros(); parts.rest.len()];
        for bad in [f32::NAN, f32::INFINITY, f32::NEG_INFINITY] {
            for v in 0..parts.rest.len() {
                let mut frames = Frames::default();
                frames.begin(&leaves, &parts.rest, |_| Vector3::zeros(), Horizon::new(1.0, 1.0, 1.1));
                let (mut at, mut by) = (parts.rest.clone(), still.clone());
                (at[v].y, by[v].z) = (bad, bad);
                let within = |frames: &Frames| frames.displaced[v] <= 1.0e30;
                frames.measure(&at, &Path::Predicted(&still));
                assert!(!within(&frames), "at the start");
                frames.measure(&parts.rest, &Path::Predicted(&by));
                assert!(!within(&frames), "in a predicted motion");
                frames.measure(&at, &Path::Linear(&parts.rest));
                assert!(!within(&frames), "at the start of a motion");
                frames.measure(&parts.rest, &Path::Linear(&at));
                assert!(!within(&frames), "at the end of a motion");
            }
        }
    }
}
