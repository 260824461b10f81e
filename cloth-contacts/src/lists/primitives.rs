//! What the lists know of the primitives of one kind.

use cloth_geom::MapInline;
use cloth_geom::bounds::{U32, gamma, gamma_f32, upper_f32};
use cloth_geom::lanes::{
    Block, Instructions, LANES8, Simd, SimdBase, WideLanes, dispatch, dot, gather_wide, greater,
    greatest_lane, include, least_lane, lesser, level, minus, plus,
};
use nalgebra::Point3;

use crate::Surface;
use crate::leaves::{LeafSet, NODE};
use crate::lists::frames::{Frames, rate_error};
use crate::lists::list::Threshold;
use crate::lists::plan::Horizon;
use crate::narrow_phase_error::DISTANCE_ERROR;
use crate::surface::REACH_ERROR;

/// Factor on an approach that covers the rounding of its sum, and what the primitives of a pair may have
/// grown while they approached, of which the narrow phase sees a share as its error.
pub(crate) const APPROACH_ROUNDING: f32 = 1.0 + (8.0 * DISTANCE_ERROR) as f32 + gamma_f32(16);

/// The box of a leaf or a node, and how its corners may move.
#[derive(Clone, Copy, Debug)]
pub(crate) struct MovingBox {
    /// Corners (m) of the box of its primitives with their margins.
    pub(crate) corners: [[f32; 3]; 2],
    /// Least and greatest velocity of a frame (m per motion).
    pub(crate) velocity: [[f32; 3]; 2],
}

impl MovingBox {
    const EMPTY: Self = Self {
        corners: [[f32::INFINITY; 3], [f32::NEG_INFINITY; 3]],
        velocity: [[f32::INFINITY; 3], [f32::NEG_INFINITY; 3]],
    };

    fn include(&mut self, other: &Self) {
        for (own, other) in [(&mut self.corners, &other.corners), (&mut self.velocity, &other.velocity)] {
            for c in 0..3 {
                own[0][c] = own[0][c].min(other[0][c]);
                own[1][c] = own[1][c].max(other[1][c]);
            }
        }
    }
}

/// The eight leaves of a node: boxes (m) and velocities (m per motion), as in [`MovingBox`].
pub(crate) type NodeLeaves = Block<12>;

/// Eight primitives: centre, half extents (a vector for an edge, one to each corner for a face), radius,
/// margin by which they are enlarged. Rounding is derived at [`ShapeLane::may_be_near`].
pub(crate) type Shapes = Block<18>;

/// Rows of the radius and of the margin; of the mean velocity of the frames, and of how far any is from it (m
/// per motion).
const RADIUS: usize = 12;
const MARGIN: usize = 13;
const VELOCITY: usize = 14;
const VELOCITY_SPREAD: usize = 17;

/// Data by place, of all primitives of one kind.
#[derive(Clone, Debug, Default)]
pub(crate) struct Primitives {
    /// Half of the greatest reach (m) of its vertices, rounded up.
    half_reach: Vec<f32>,
    /// The same with its share of the error of distances: what it adds to the reach of a pair.
    pub(crate) reach: Vec<f32>,
    /// By how much half of the reach exceeds half of the clearance of the gate (m), rounded down.
    pub(crate) beyond_clearance: Vec<f32>,
    /// Share (m) of the error of distances.
    pub(crate) error: Vec<f32>,
    /// Displacement (m) for which all its pairs are listed.
    pub(crate) slack: Vec<f32>,
    pub(crate) shapes: Vec<Shapes>,
    pub(crate) boxes: Vec<MovingBox>,
    /// By node: its leaves, and itself.
    pub(super) nodes: Vec<NodeLeaves>,
    pub(crate) node_boxes: Vec<MovingBox>,
    /// By threshold: displacement (m) below which no listed pair is due.
    pub(crate) budgets: [Vec<f32>; 2],
    /// Of the last motion: upper bounds (m) of displacements, and of their part in the predicted motion
    /// itself. Set by [`Primitives::find_displacements`].
    pub(crate) displaced: Vec<f32>,
    pub(crate) predicted: Vec<f32>,
    /// The places of the primitives whose pairs are selected, and a bit mask of them by leaf.
    pub(crate) selected: Vec<u32>,
    is_selected: Vec<u8>,
    /// By leaf: bit mask of the primitives whose slack has grown.
    pub(crate) grown: Vec<u8>,
}

/// The greatest number of some vertices, or NaN if one is.
#[inline(always)]
pub(crate) fn max_over<const N: usize>(vertices: &[u32; N], of: &[f32]) -> f32 {
    let mut max = of[vertices[0] as usize];
    for &v in &vertices[1..] {
        let x = of[v as usize];
        max = if x <= max { max } else { x };
    }
    max
}

/// Limits a number to another; to NaN for NaN, which nothing is below.
#[inline(always)]
pub(crate) fn limit(number: &mut f32, to: f32) {
    if !(to >= *number) {
        *number = to;
    }
}

impl Primitives {
    /// Finds the reaches on a surface.
    pub(crate) fn set_reaches<const N: usize>(&mut self, set: &LeafSet<N>, surface: &Surface) {
        self.half_reach.clear();
        self.beyond_clearance.clear();
        for vertices in set.vertices.iter().flatten() {
            let (half_reach, beyond_clearance) = reaches(surface, vertices);
            self.half_reach.push(half_reach);
            self.beyond_clearance.push(beyond_clearance);
        }
    }

    /// Begins with the slacks (m) of all vertices, at the references of the frames.
    pub(crate) fn begin<const N: usize>(
        &mut self,
        set: &LeafSet<N>,
        surface: &Surface,
        frames: &Frames,
        slack: &[f32],
    ) {
        self.shapes.resize(set.count(), Shapes::default());
        self.boxes.resize(set.count(), MovingBox::EMPTY);
        self.error.resize(set.places(), 0.0);
        self.reach.resize(set.places(), 0.0);
        self.slack.clear();
        self.selected.clear();
        self.is_selected.clear();
        self.is_selected.resize(set.count(), 0);
        self.grown.clear();
        self.grown.resize(set.count(), 0);
        for budgets in &mut self.budgets {
            budgets.clear();
            budgets.resize(set.places(), f32::INFINITY);
        }
        let deeper = if surface.layers.is_empty() { 0.0 } else { 0.5 * surface.layers.depth };
        dispatch!(level(), simd => for leaf in 0..set.count() {
            self.slack.extend(set.vertices[leaf].iter().map(|vertices| max_over(vertices, slack)));
            self.refit(simd, set, leaf, deeper, &frames.reference);
            self.set_velocities(simd, set, leaf, frames);
        });
        self.nodes.clear();
        self.nodes.resize(set.count() / NODE, Default::default());
        self.node_boxes.clear();
        self.node_boxes.resize(set.count() / NODE, MovingBox::EMPTY);
        (0..self.nodes.len()).for_each(|node| self.refit_node(set, node));
    }

    /// Shapes and box of a leaf, for its slacks.
    #[inline(always)]
    pub(crate) fn refit<S: Instructions, const N: usize>(
        &mut self,
        simd: S,
        set: &LeafSet<N>,
        leaf: usize,
        deeper: f32,
        reference: &[Point3<f32>],
    ) {
        let shapes = &mut self.shapes[leaf];
        let Extents { min, max, diameter } = set_shapes(simd, shapes, &set.vertices[leaf], reference);
        let places = leaf * LANES8..(leaf + 1) * LANES8;
        let error = diameter * (2.0 * DISTANCE_ERROR as f32 * (1.0 + gamma_f32(32)));
        self.error[places.clone()].copy_from_slice(&error.numbers());
        let numbers = |of: &[f32]| WideLanes::<S>::from_slice(simd, &of[places.clone()]);
        let reach = (numbers(&self.half_reach) + error) * (1.0 + gamma_f32(2));
        let margin = reach + numbers(&self.slack);
        let margin = (margin + (deeper + f32::MIN_POSITIVE)) * APPROACH_ROUNDING;
        // Roundings that are a share of the coordinates, and of the lengths.
        let mut rounding = (margin + shapes.wide(simd, RADIUS)) * gamma_f32(64);
        for c in 0..3 {
            rounding += (min[c].magnitude() + max[c].magnitude()) * gamma_f32(16);
        }
        let margin = margin + rounding;
        self.reach[places.clone()].copy_from_slice(&reach.numbers());
        shapes.set_numbers(MARGIN, margin.numbers());
        let [mut low, mut high] = [[0.0; 3]; 2];
        for c in 0..3 {
            (low[c], high[c]) = (least_lane(min[c] - margin), greatest_lane(max[c] + margin));
        }
        self.boxes[leaf].corners = [low, high];
    }

    #[inline(always)]
    fn set_velocities<S: Instructions, const N: usize>(
        &mut self,
        simd: S,
        set: &LeafSet<N>,
        leaf: usize,
        frames: &Frames,
    ) {
        let zero = simd.splat_eight(0.0);
        let of = [0, 1, 2].map_inline(|k: usize| {
            let vertices = set.vertices[leaf].map_inline(|v| v[k.min(N - 1)]);
            if k < N { gather_wide(simd, &frames.velocity, vertices) } else { [zero; 3] }
        });
        let (mut mean, mut low, mut high) = (of[0], of[0], of[0]);
        for velocity in &of[1..N] {
            mean = plus(&mean, velocity);
            include(&mut low, &mut high, velocity);
        }
        let mean = mean.map_inline(|c| c * (1.0 / N as f32));
        let (mut spread_sq, mut fastest_sq) = (zero, zero);
        for velocity in &of[..N] {
            let off = minus(velocity, &mean);
            spread_sq = greater(spread_sq, dot(&off, &off));
            fastest_sq = greater(fastest_sq, dot(velocity, velocity));
        }
        let rate_error = simd.load_eight(&fastest_sq.sqrt().numbers().map_inline(rate_error));
        let spread = spread_sq.sqrt() * (1.0 + gamma_f32(32)) + rate_error;
        let shapes = &mut self.shapes[leaf];
        shapes.set_vectors(VELOCITY, mean);
        shapes.set_numbers(VELOCITY_SPREAD, spread.numbers());
        self.boxes[leaf].velocity = [low.map_inline(least_lane), high.map_inline(greatest_lane)];
    }

    /// The leaves of a node.
    fn refit_node<const N: usize>(&mut self, set: &LeafSet<N>, node: usize) {
        let mut rows = [[0.0; NODE]; 12];
        let mut all = MovingBox::EMPTY;
        for lane in 0..NODE {
            let leaf = node * NODE + lane;
            let own = if set.occupied[leaf] == 0 { &MovingBox::EMPTY } else { &self.boxes[leaf] };
            all.include(own);
            for c in 0..3 {
                (rows[c][lane], rows[3 + c][lane]) = (own.corners[0][c], own.corners[1][c]);
                (rows[6 + c][lane], rows[9 + c][lane]) = (own.velocity[0][c], own.velocity[1][c]);
            }
        }
        for (row, lanes) in rows.into_iter().enumerate() {
            self.nodes[node].set_numbers(row, lanes);
        }
        self.node_boxes[node] = all;
    }

    /// Refits the nodes of leaves that have grown.
    pub(crate) fn refit_grown_nodes<const N: usize>(&mut self, set: &LeafSet<N>) {
        for node in 0..self.nodes.len() {
            if self.grown[node * NODE..(node + 1) * NODE].iter().any(|&grown| grown != 0) {
                self.refit_node(set, node);
            }
        }
    }

    /// Bit mask of the leaves of a node whose primitives may have to be listed with those of another leaf,
    /// until a time; and upper bounds (m) of how much their frames approach those of the other leaf until
    /// then.
    #[inline(always)]
    pub(crate) fn near_leaves<S: Instructions>(
        &self,
        simd: S,
        node: usize,
        of: &MovingBox,
        until: f32,
    ) -> (u32, [f32; LANES8]) {
        let leaves = &self.nodes[node];
        let mut drift_sq = simd.splat_eight(0.0);
        for c in 0..3 {
            let [low, high] = of.velocity.map_inline(|v| simd.splat_eight(v[c]));
            let (other_low, other_high) = (leaves.wide(simd, 6 + c), leaves.wide(simd, 9 + c));
            let apart = greater(high - other_low, other_high - low);
            let own = greater(high - low, other_high - other_low);
            let along = greater(apart, own);
            drift_sq += along * along;
        }
        let max_approach = drift_sq.sqrt() * simd.splat_eight(until * APPROACH_ROUNDING * APPROACH_ROUNDING);
        let are_apart = |c: usize| {
            let [low, high] = of.corners.map_inline(|corner| simd.splat_eight(corner[c]));
            max_approach.is_less(leaves.wide(simd, c) - high)
                | max_approach.is_less(low - leaves.wide(simd, 3 + c))
        };
        // An empty leaf is infinitely far; NaN meets all.
        (other_lanes::<S>(are_apart(0) | are_apart(1) | are_apart(2)), max_approach.numbers())
    }

    /// Bit mask of the primitives of a leaf that a box may reach by an approach (m) and their margins.
    #[inline(always)]
    pub(crate) fn near_primitives<S: Instructions>(
        &self,
        simd: S,
        leaf: usize,
        reached_by: &MovingBox,
        max_approach: f32,
    ) -> u32 {
        let shapes = &self.shapes[leaf];
        let zero = simd.splat_eight(0.0);
        let mut apart_sq = zero;
        for c in 0..3 {
            let centre = shapes.wide(simd, c);
            let [low, high] = reached_by.corners.map_inline(|corner| simd.splat_eight(corner[c]));
            let outside = greater(greater(low - centre, centre - high), zero);
            apart_sq += outside * outside;
        }
        let near = shapes.wide(simd, RADIUS) + shapes.wide(simd, MARGIN) + simd.splat_eight(max_approach);
        other_lanes::<S>((near * near).is_less(apart_sq))
    }

    /// Limits the budgets of a primitive to those of a pair, by threshold.
    pub(crate) fn limit_budgets(&mut self, place: u32, budgets: &[f32; 2]) {
        for (own, &budget) in self.budgets.iter_mut().zip(budgets) {
            limit(&mut own[place as usize], budget);
        }
    }

    /// Finds the displacements of all primitives.
    pub(crate) fn find_displacements<const N: usize>(&mut self, set: &LeafSet<N>, frames: &Frames) {
        let vertices = || set.vertices.iter().flatten();
        self.displaced.clear();
        self.displaced.extend(vertices().map(|vertices| max_over(vertices, &frames.displaced)));
        self.predicted.clear();
        self.predicted.extend(vertices().map(|vertices| max_over(vertices, &frames.predicted)));
    }

    /// Selects the primitives of some vertices; with `over_budget`, which are the displacements (m) of all
    /// vertices and a threshold, only those beyond their budgets.
    pub(crate) fn select<const N: usize>(
        &mut self,
        set: &LeafSet<N>,
        vertices: &[u32],
        over_budget: Option<(&[f32], Threshold)>,
    ) {
        for place in self.selected.drain(..) {
            self.is_selected[place as usize / LANES8] = 0;
        }
        for &v in vertices {
            for &place in set.of_vertex(v) {
                let bits = &mut self.is_selected[place as usize / LANES8];
                let bit = 1 << (place as usize % LANES8);
                let is_within = || {
                    over_budget.is_some_and(|(displaced, threshold)| {
                        max_over(set.vertices(place), displaced)
                            < self.budgets[threshold as usize][place as usize]
                    })
                };
                if *bits & bit == 0 && !is_within() {
                    *bits |= bit;
                    self.selected.push(place);
                }
            }
        }
    }

    /// Whether a primitive is selected.
    #[inline(always)]
    pub(crate) fn is_selected(&self, place: u32) -> bool {
        self.is_selected[place as usize / LANES8] >> (place as usize % LANES8) & 1 == 1
    }
}

/// One primitive that is compared with eight others.
#[derive(Clone, Copy)]
pub(crate) struct ShapeLane<'a> {
    pub(crate) shapes: &'a Shapes,
    pub(crate) lane: usize,
}

impl ShapeLane<'_> {
    /// Bit mask of the primitives, with `B` vertices each, that may have to be listed with this one, which
    /// has `A`, for a time in which their frames approach by at most `max_approach` (m).
    ///
    /// The distance of two primitives is at least the gap of their projections onto the line of their
    /// centres:
    ///
    /// ```text
    ///      |--extent--|     gap     |--extent--|
    ///   ---a----------+-------------+----------b---> line of centres
    /// ```
    ///
    /// With `u = 2^-24`: a centre rounds by at most `5 u` of the magnitude of the coordinates, the squared
    /// length, the extents and the products by at most `16 u` of the lengths, which are at most radii and
    /// margins together where they decide. Both are in the margins.
    #[inline(always)]
    pub(crate) fn may_be_near<S: Instructions, const A: usize, const B: usize>(
        self,
        simd: S,
        others: &Shapes,
        max_approach: f32,
        horizon: &Horizon,
    ) -> u32 {
        let Self { shapes, lane } = self;
        let between = minus(&others.wide_vectors(simd, 0), &shapes.wide_splat_vector(simd, 0, lane));
        let length_sq = dot(&between, &between);
        let margin = others.wide(simd, MARGIN) + shapes.wide_splat(simd, MARGIN, lane);
        let radii = others.wide(simd, RADIUS) + shapes.wide_splat(simd, RADIUS, lane);
        let near = radii + margin + simd.splat_eight(max_approach);
        let far = (near * near).is_less(length_sq);
        let own = |k: usize| dot(&shapes.wide_splat_vector(simd, k, lane), &between);
        let other = |k: usize| dot(&others.wide_vectors(simd, k), &between);
        let zero = simd.splat_eight(0.0);
        let mut extents = zero;
        if A == 2 {
            extents += own(3).magnitude();
        }
        if A == 3 {
            extents += greater(greater(own(3), own(6)), own(9));
        }
        if B == 2 {
            extents += other(3).magnitude();
        }
        if B == 3 {
            extents -= lesser(lesser(other(3), other(6)), other(9));
        }
        let length = length_sq.sqrt();
        let gap = length_sq - extents;
        // What the frames approach along the line until `end`, and move at all in a predicted motion.
        let velocity = shapes.wide_splat_vector(simd, VELOCITY, lane);
        let relative = minus(&velocity, &others.wide_vectors(simd, VELOCITY));
        let spread = shapes.wide_splat(simd, VELOCITY_SPREAD, lane) + others.wide(simd, VELOCITY_SPREAD);
        let along = greater(dot(&relative, &between) + spread * length, zero);
        let speed = dot(&relative, &relative).sqrt() + spread;
        // Errors are a share of what they move, whichever way.
        let Horizon { end, prediction, .. } = *horizon;
        let any_way = simd.splat_eight(prediction * APPROACH_ROUNDING + end * (APPROACH_ROUNDING - 1.0));
        let needed = (margin + speed * any_way) * length + along * simd.splat_eight(end);
        other_lanes::<S>(far | needed.is_less(gap))
    }
}

/// Bit mask of the lanes for which a mask is not set.
#[inline(always)]
fn other_lanes<S: Instructions>(mask: <WideLanes<S> as Simd>::Mask) -> u32 {
    WideLanes::<S>::bits(mask) ^ 0xff
}

/// Where eight primitives are: their corners of least and greatest coordinates (m), and their greatest
/// diameters (m).
struct Extents<S: Instructions> {
    min: [WideLanes<S>; 3],
    max: [WideLanes<S>; 3],
    diameter: WideLanes<S>,
}

/// Sets the centres, half extents and radii of the primitives of a leaf, by the positions (m) of all
/// vertices.
#[inline(always)]
fn set_shapes<S: Instructions, const N: usize>(
    simd: S,
    shapes: &mut Shapes,
    vertices: &[[u32; N]; LANES8],
    positions: &[Point3<f32>],
) -> Extents<S> {
    let corner = |k: usize| gather_wide(simd, positions, vertices.map_inline(|v| v[k]));
    let first = corner(0);
    let (mut min, mut max) = (first, first);
    let mut diameter = simd.splat_eight(0.0);
    match N {
        1 => shapes.set_vectors(0, first),
        2 => {
            let second = corner(1);
            let along = minus(&second, &first);
            let half = along.map_inline(|c| c * 0.5);
            shapes.set_vectors(0, [0, 1, 2].map_inline(|k| first[k] + half[k]));
            shapes.set_vectors(3, half);
            shapes.set_numbers(RADIUS, dot(&half, &half).sqrt().numbers());
            diameter = dot(&along, &along).sqrt();
            include(&mut min, &mut max, &second);
        }
        _ => {
            let (b, c) = (corner(1), corner(N - 1));
            let (ab, ac) = (minus(&b, &first), minus(&c, &first));
            let middle = [0, 1, 2].map_inline(|k| (ab[k] + ac[k]) * (1.0 / 3.0));
            let corners = [middle.map_inline(|c| -c), minus(&ab, &middle), minus(&ac, &middle)];
            shapes.set_vectors(0, [0, 1, 2].map_inline(|k| first[k] + middle[k]));
            let mut radius_sq = simd.splat_eight(0.0);
            for (corner, k) in corners.iter().zip([3, 6, 9]) {
                shapes.set_vectors(k, *corner);
                radius_sq = greater(radius_sq, dot(corner, corner));
            }
            shapes.set_numbers(RADIUS, radius_sq.sqrt().numbers());
            // The longest side is less than twice the radius.
            diameter = radius_sq.sqrt() * 2.0;
            include(&mut min, &mut max, &b);
            include(&mut min, &mut max, &c);
        }
    }
    Extents { min, max, diameter }
}

/// Half of the reach of a primitive (m), rounded up, and its excess over half of the clearance, rounded down.
fn reaches<const N: usize>(surface: &Surface, vertices: &[u32; N]) -> (f32, f32) {
    let (mut reach, mut clearance, mut rounding) = (0.0_f64, 0.0_f64, 0.0_f64);
    for &v in vertices {
        let v = v as usize;
        let [radius, half_scr] = [surface.radius[v], surface.half_scr[v]].map(f64::from);
        reach = reach.max(radius + half_scr);
        clearance = clearance.max(radius);
        rounding = rounding.max(surface.rounding.get(v).map_or(0.0, |&rounding| rounding.into()));
    }
    // A point of a primitive is off by no more than the vertex that is off most.
    let half_reach = upper_f32((reach + rounding) * (1.0 + REACH_ERROR));
    // A product in `f32`, and a sum of two.
    let clearance = f64::from(Surface::CLEARANCE) * clearance * (1.0 + gamma(4, U32)) + rounding;
    (half_reach, ((f64::from(half_reach) - clearance) * (1.0 - gamma(4, U32))) as f32)
}
