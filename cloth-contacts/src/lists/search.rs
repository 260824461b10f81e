//! The search for pairs of primitives: nodes near each other by a broad phase, then leaves and primitives in
//! lanes, then distances.
//!
//! ```text
//! boxes of nodes, swept by their frames --> pairs of leaves --> projections, eight at a time --> distances
//! ```
//!
//! A pair is left out if its separation exceeds both slacks and what its frames may approach until
//! `certified_end`.

use cloth_broadphase::{AnyBroadPhase, Boxes, BoxesError, BroadPhase, PairFilter, Pairs};
use cloth_geom::bounds::{gamma_f32, upper_norm};
use cloth_geom::closest::lanes::{point_triangles, segment_segments};
use cloth_geom::lanes::{
    Instructions, LANES8, Level, Simd, WideLanes, dispatch, dot, gather_corners, gather_wide, greater,
    include, lanes_of_group, lesser, minus, norm, occupied_lanes, plus_scaled, scaled, set_bits,
};
use cloth_geom::{Aabb, MapInline};
use nalgebra::{Point3, Vector3};

use crate::leaves::{LeafSet, NODE};
use crate::lists::dormant::Dormant;
use crate::lists::frames::{Frames, UNDERFLOW, rate_error};
use crate::lists::list::{Entry, may_be_within};
use crate::lists::plan::Horizon;
use crate::lists::primitives::{APPROACH_ROUNDING, MovingBox, Primitives, ShapeLane};
use crate::narrow_phase_error::DISTANCE_ERROR;
use crate::{Surface, parallel};

/// Number of pairs of nodes, or of leaves that may have grown, per task.
const TASK_SIZE: usize = 64;

/// Candidates whose distances are measured together.
const BATCH: usize = 256;

/// What a search reads.
#[derive(Clone, Copy)]
pub(crate) struct SearchInput<'a> {
    pub(crate) surface: &'a Surface,
    pub(crate) frames: &'a Frames,
    pub(crate) dormant: &'a Dormant,
    /// The instructions to use; they change no bit.
    pub(crate) level: Level,
}

/// The primitives of one kind, with their leaves. Functions take those of a pair one by one: only then the
/// compiler knows that what they write is none of them.
#[derive(Clone, Copy)]
pub(crate) struct PairSide<'a, const N: usize> {
    pub(crate) set: &'a LeafSet<N>,
    pub(crate) primitives: &'a Primitives,
}

/// A part of a search: the pairs that it lists, and scratch memory.
#[derive(Clone, Debug, Default)]
pub(crate) struct SearchTask {
    pub(crate) entries: Vec<Entry>,
    pub(super) candidates: Vec<[u32; 2]>,
    /// Number of distances measured.
    pub(crate) tested: usize,
    /// Number of pairs of leaves.
    pub(crate) leaves: usize,
}

/// Two leaves that may contain new pairs.
#[derive(Clone, Copy, Debug)]
pub(crate) struct NearLeaves {
    leaves: [usize; 2],
    /// Upper bound (m) of how much their frames approach.
    max_approach: f32,
    /// Whether only pairs with a primitive that has grown are new.
    grown_only: bool,
}

/// Finds the pairs of one kind.
#[derive(Clone, Debug, Default)]
pub(crate) struct LeafSearch {
    broad_phase: AnyBroadPhase,
    boxes: Boxes,
    pairs: Pairs,
    /// Pairs of nodes.
    near: Vec<[u32; 2]>,
    /// The tasks of the last search, and their number; more of them are kept for their memory.
    tasks: Vec<SearchTask>,
    task_count: usize,
}

/// The boxes of nodes, swept by the frames until `certified_end`.
fn swept<'a>(boxes: &'a [MovingBox], frames: &Frames) -> impl Iterator<Item = Aabb> + 'a {
    let certified_end = f64::from(frames.horizon.certified_end);
    // In a predicted motion, whichever way; and as a share of what they move.
    let any_way = f64::from(frames.horizon.prediction) + certified_end * f64::from(APPROACH_ROUNDING - 1.0);
    boxes.iter().map(move |MovingBox { corners, velocity }| {
        let corner = |k: usize, outer: fn(f64, f64) -> f64| {
            Point3::from(Vector3::from_fn(|c, _| {
                // The products and sums are of `f32`; the boxes have more margin than `f64` rounds.
                f64::from(corners[k][c]) + outer(0.0, f64::from(velocity[k][c]) * certified_end)
            }))
        };
        let fastest = Vector3::from_fn(|c, _| f64::from(velocity[0][c].abs().max(velocity[1][c].abs())));
        let swept = Aabb { min: corner(0, f64::min), max: corner(1, f64::max) };
        swept.inflated(upper_norm(&fastest) * 1.0001 * any_way)
    })
}

impl LeafSearch {
    pub(crate) fn with_broad_phase(broad_phase: &AnyBroadPhase) -> Self {
        Self { broad_phase: broad_phase.clone(), ..Self::default() }
    }

    /// Finds the pairs of edges.
    ///
    /// # Errors
    /// If a box is not finite.
    pub(crate) fn edge_edges(
        &mut self,
        input: SearchInput<'_>,
        edges: PairSide<'_, 2>,
    ) -> Result<(), BoxesError> {
        let table = &input.surface.groups.full_mesh;
        self.task_count = 0;
        self.boxes.refill(swept(&edges.primitives.node_boxes, input.frames))?;
        self.broad_phase.update(&self.boxes);
        let groups = &edges.set.group;
        self.broad_phase.self_pairs(&PairFilter::all().with_groups(groups, groups, table), &mut self.pairs);
        self.near.clear();
        let of_one = (0..groups.len() as u32).filter(|&node| {
            let group = groups[node as usize];
            table.interact(group, group)
        });
        self.near.extend(of_one.map(|node| [node; 2]));
        self.near.extend_from_slice(self.pairs.as_slice());
        self.run(|task, near| {
            dispatch!(input.level, simd => task.search_nodes(simd, input, edges, edges, near));
        });
        Ok(())
    }

    /// Finds the pairs of vertices and faces.
    ///
    /// # Errors
    /// If a box is not finite.
    pub(crate) fn point_triangles(
        &mut self,
        input: SearchInput<'_>,
        points: PairSide<'_, 1>,
        faces: PairSide<'_, 3>,
    ) -> Result<(), BoxesError> {
        let table = &input.surface.groups.full_mesh;
        self.task_count = 0;
        self.boxes.refill(swept(&faces.primitives.node_boxes, input.frames))?;
        self.broad_phase.update(&self.boxes);
        self.boxes.refill(swept(&points.primitives.node_boxes, input.frames))?;
        let filter = PairFilter::all().with_groups(&faces.set.group, &points.set.group, table);
        self.broad_phase.pairs_with(&self.boxes, &filter, &mut self.pairs);
        self.near.clear();
        self.near.extend(self.pairs.as_slice().iter().map(|&[face, point]| [point, face]));
        self.run(|task, near| {
            dispatch!(input.level, simd => task.search_nodes(simd, input, points, faces, near));
        });
        Ok(())
    }

    fn run(&mut self, search: impl Fn(&mut SearchTask, &[[u32; 2]]) + Send + Sync) {
        let near = &self.near;
        self.task_count = near.len().div_ceil(TASK_SIZE);
        self.tasks.resize_with(self.tasks.len().max(self.task_count), SearchTask::default);
        parallel::for_each_numbered(&mut self.tasks[..self.task_count], 1, |number, task| {
            task.begin();
            search(task, near.chunks(TASK_SIZE).nth(number).unwrap_or_default());
        });
    }

    /// The tasks of the last search; none if it failed.
    pub(crate) fn tasks(&self) -> &[SearchTask] {
        &self.tasks[..self.task_count]
    }
}

impl SearchTask {
    fn begin(&mut self) {
        self.entries.clear();
        self.candidates.clear();
        (self.tested, self.leaves) = (0, 0);
    }

    /// Finds the pairs of primitives of pairs of nodes.
    #[inline(always)]
    fn search_nodes<S: Instructions, const A: usize, const B: usize>(
        &mut self,
        simd: S,
        input: SearchInput<'_>,
        a: PairSide<'_, A>,
        b: PairSide<'_, B>,
        near: &[[u32; 2]],
    ) {
        let Horizon { certified_end, .. } = input.frames.horizon;
        for &[p, q] in near {
            let [p, q] = [p as usize, q as usize];
            for i in p * NODE..(p + 1) * NODE {
                if a.set.occupied[i] == 0 {
                    continue;
                }
                let (mut leaves, max_approach) =
                    b.primitives.near_leaves(simd, q, &a.primitives.boxes[i], certified_end);
                if A == B && p == q {
                    leaves &= !occupied_lanes(i % NODE, 0);
                }
                for lane in set_bits(leaves) {
                    let leaves = [i, q * NODE + lane];
                    let max_approach = max_approach[lane];
                    let near = NearLeaves { leaves, max_approach, grown_only: false };
                    self.collect(simd, input, a, b, near);
                }
                if self.candidates.len() >= BATCH {
                    self.measure(simd, input, a, b);
                }
            }
        }
        self.measure(simd, input, a, b);
    }

    /// Finds the pairs of primitives of pairs of leaves that contain a primitive that has grown.
    #[inline(always)]
    pub(crate) fn search_grown<S: Instructions, const A: usize, const B: usize>(
        &mut self,
        simd: S,
        input: SearchInput<'_>,
        a: PairSide<'_, A>,
        b: PairSide<'_, B>,
        near: &[NearLeaves],
    ) {
        self.begin();
        for &leaves in near {
            self.collect(simd, input, a, b, leaves);
            if self.candidates.len() >= BATCH {
                self.measure(simd, input, a, b);
            }
        }
        self.measure(simd, input, a, b);
    }

    /// Collects the new pairs of two leaves that no projection separates.
    #[inline(always)]
    fn collect<S: Instructions, const A: usize, const B: usize>(
        &mut self,
        simd: S,
        input: SearchInput<'_>,
        a: PairSide<'_, A>,
        b: PairSide<'_, B>,
        NearLeaves { leaves: [first, second], max_approach, grown_only }: NearLeaves,
    ) {
        let SearchInput { surface, frames, dormant, .. } = input;
        let leaves = &*surface.leaves;
        let shared = if A == 1 { &leaves.points_and_faces } else { &leaves.edges_and_edges };
        self.leaves += 1;
        let is_one = A == B && first == second;
        let others = &b.primitives.shapes[second];
        let grown = [u32::from(a.primitives.grown[first]), u32::from(b.primitives.grown[second])];
        let shared = shared.masks(first, second);
        let other = &b.primitives.boxes[second];
        let lanes =
            a.primitives.near_primitives(simd, first, other, max_approach) & u32::from(a.set.occupied[first]);
        // Whatever its outcome, so that no test waits for the one before it.
        let mut near = [0; LANES8];
        for lane in set_bits(lanes) {
            let shape = ShapeLane { shapes: &a.primitives.shapes[first], lane };
            near[lane] = shape.may_be_near::<S, A, B>(simd, others, max_approach, &frames.horizon);
        }
        for lane in set_bits(lanes) {
            let partners = if grown_only && grown[0] >> lane & 1 == 0 { grown[1] } else { 0xff };
            let mut near = near[lane] & partners & u32::from(b.set.occupied[second] & !shared[lane]);
            if is_one {
                near &= !occupied_lanes(lane + 1, 0);
            }
            let vertices = &a.set.vertices[first][lane];
            for other_lane in set_bits(near) {
                let others = &b.set.vertices[second][other_lane];
                if !surface.excluded(vertices, others) && !dormant.excludes(vertices, others) {
                    let places = [first * LANES8 + lane, second * LANES8 + other_lane];
                    self.candidates.push(places.map_inline(|place| place as u32));
                }
            }
        }
    }

    /// Lists the candidates that are near enough.
    #[inline(always)]
    fn measure<S: Instructions, const A: usize, const B: usize>(
        &mut self,
        simd: S,
        input: SearchInput<'_>,
        a: PairSide<'_, A>,
        b: PairSide<'_, B>,
    ) {
        let SearchInput { surface, frames, .. } = input;
        self.tested += self.candidates.len();
        for group in self.candidates.chunks(LANES8) {
            let first = lanes_of_group(group, |places| a.set.vertices(places[0]));
            let second = lanes_of_group(group, |places| b.set.vertices(places[1]));
            let apart = Apart::measure(simd, &frames.reference, first, second);
            let rates = Rates::new(simd, &apart, first, second, &frames.velocity);
            let (distance, gap) = (apart.distance.numbers(), apart.gap.numbers());
            let (drift, speed) = (rates.drift.numbers(), rates.speed.numbers());
            let fastest = rates.fastest.numbers();
            for (l, &places) in group.iter().enumerate() {
                let [x, y] = [places[0] as usize, places[1] as usize];
                let slack = a.primitives.slack[x] + b.primitives.slack[y];
                let mut reach = a.primitives.reach[x] + b.primitives.reach[y];
                if !surface.layers.is_empty() && is_layered(surface, a.set, b.set, places) {
                    reach += surface.layers.depth;
                }
                let speed = speed[l] * (1.0 + gamma_f32(16)) + UNDERFLOW;
                // Of a pair that touches no direction is known.
                let is_apart = distance[l] > f32::MIN_POSITIVE && gap[l] > 0.0;
                let (gap, drift) =
                    if is_apart { (gap[l], drift[l] + rate_error(fastest[l])) } else { (0.0, speed) };
                // Rounded down.
                let error = fault!(SeparationUnrounded, separation_error(distance[l], reach));
                let separation = gap - reach - error;
                let mut entry = Entry { places, separation, drift, speed, budgets: [0.0; 2] };
                if is_listed(&entry, slack, frames) {
                    let beyond = a.primitives.beyond_clearance[x] + b.primitives.beyond_clearance[y];
                    entry.budgets = pair_budgets(&entry, beyond, frames);
                    self.entries.push(entry);
                }
            }
        }
        self.candidates.clear();
    }
}

/// Error (m) of the separation beyond reach (m) of a pair at this distance (m): its own and that of the
/// narrow phase as shares of the distance, and four roundings.
#[inline(always)]
fn separation_error(distance: f32, reach: f32) -> f32 {
    distance * (2.0 * DISTANCE_ERROR as f32 + gamma_f32(8)) + reach * gamma_f32(8)
}

/// Whether a pair is listed for these slacks together (m).
#[inline(always)]
fn is_listed(entry: &Entry, slack: f32, frames: &Frames) -> bool {
    let drift = entry.drift.max(0.0);
    let Horizon { end, prediction, certified_end, .. } = frames.horizon;
    let predicted = drift * end + entry.speed * prediction;
    let certified = drift * certified_end;
    let by_frames = if predicted > certified { predicted } else { certified };
    let moved = slack + entry.speed * certified_end;
    may_be_within(entry.separation, fault!(SlackShort, slack + by_frames), moved)
}

/// By threshold: displacement (m) of either primitive below which a listed pair is not due at any time.
#[inline(always)]
fn pair_budgets(entry: &Entry, beyond_clearance: f32, frames: &Frames) -> [f32; 2] {
    // The comparison that this stands for adds a share of what the primitives move: half of it by
    // displacements, which are less than the separation, and by frames. The rest is for the rounding here.
    const SHARE: f32 = 2.5 * (APPROACH_ROUNDING - 1.0);
    let drift = entry.drift.max(0.0);
    let Horizon { end, prediction, certified_end, .. } = frames.horizon;
    let moved = entry.speed * certified_end;
    let budget = |separation: f32, by_frames: f32| {
        let half = 0.5 * ((separation - by_frames) - (separation.abs() + moved) * SHARE);
        // Nothing is below it where it is not a number.
        fault!(BudgetLong, if half.is_nan() { f32::NEG_INFINITY } else { half })
    };
    [
        budget(entry.separation, drift * end + entry.speed * prediction),
        budget(entry.separation + beyond_clearance, drift * certified_end),
    ]
}

/// Finds the pairs of leaves one of which has grown, that may contain new pairs; each task uses one of the
/// `memories`.
pub(crate) fn find_near_grown<const A: usize, const B: usize>(
    input: SearchInput<'_>,
    a: PairSide<'_, A>,
    b: PairSide<'_, B>,
    near: &mut Vec<NearLeaves>,
    memories: &mut Vec<Vec<NearLeaves>>,
) {
    near.clear();
    let is_grown = |side: &Primitives, leaf: usize| fault!(GrowthForgets, side.grown[leaf] != 0, leaf);
    let grown =
        |first, leaves: &[u8], side| (first..first + leaves.len()).filter(move |&leaf| is_grown(side, leaf));
    parallel::extend_in_pieces(near, memories, &a.primitives.grown[..], TASK_SIZE, |first, leaves, near| {
        for i in grown(first, leaves, a.primitives) {
            each_near_leaf(input, a, i, b, |j, max_approach| {
                // Of two leaves of one set that have both grown, the first finds the pair.
                let is_second = A == B && j < i;
                if !(is_second && is_grown(b.primitives, j)) {
                    let leaves = if is_second { [j, i] } else { [i, j] };
                    near.push(NearLeaves { leaves, max_approach, grown_only: true });
                }
            });
        }
        0
    });
    if A != B {
        parallel::extend_in_pieces(
            near,
            memories,
            &b.primitives.grown[..],
            TASK_SIZE,
            |first, leaves, near| {
                for j in grown(first, leaves, b.primitives) {
                    each_near_leaf(input, b, j, a, |i, max_approach| {
                        if !is_grown(a.primitives, i) {
                            near.push(NearLeaves { leaves: [i, j], max_approach, grown_only: true });
                        }
                    });
                }
                0
            },
        );
    }
}

/// Visits the leaves that are near another one, with how much their frames approach at most (m).
fn each_near_leaf<const A: usize, const B: usize>(
    input: SearchInput<'_>,
    of: PairSide<'_, A>,
    leaf: usize,
    others: PairSide<'_, B>,
    mut visit: impl FnMut(usize, f32),
) {
    let (table, frames) = (&input.surface.groups.full_mesh, input.frames);
    let own = &of.primitives.boxes[leaf];
    let Horizon { certified_end, .. } = frames.horizon;
    for (node, node_box) in others.primitives.node_boxes.iter().enumerate() {
        if table.interact(of.set.group[leaf / NODE], others.set.group[node])
            && may_meet(own, node_box, frames.max_approach)
        {
            let (leaves, max_approach) =
                dispatch!(input.level, simd => others.primitives.near_leaves(simd, node, own, certified_end));
            set_bits(leaves).for_each(|lane| visit(node * NODE + lane, max_approach[lane]));
        }
    }
}

/// Whether two boxes may meet whose frames approach by at most `by` (m).
#[inline(always)]
fn may_meet(a: &MovingBox, b: &MovingBox, by: f32) -> bool {
    let are_apart = |a: &MovingBox, b: &MovingBox, c: usize| b.corners[0][c] - a.corners[1][c] > by;
    (0..3).all(|c| !(are_apart(a, b, c) || are_apart(b, a, c)))
}

/// Whether a pair is of two layers.
fn is_layered<const A: usize, const B: usize>(
    surface: &Surface,
    a: &LeafSet<A>,
    b: &LeafSet<B>,
    [x, y]: [u32; 2],
) -> bool {
    let ids = [a.id(x), b.id(y)];
    match A {
        1 => surface.layers.point_triangle(ids).is_some(),
        _ => surface.layers.edge_edge(ids).is_some(),
    }
}

/// How eight pairs lie apart.
pub(crate) struct Apart<S: Instructions> {
    /// Unit vector from the second primitive to the first, up to rounding.
    direction: [WideLanes<S>; 3],
    /// Distance (m), and the gap of the projections onto the direction.
    pub(crate) distance: WideLanes<S>,
    pub(crate) gap: WideLanes<S>,
}

impl<S: Instructions> Apart<S> {
    /// Of pairs of edges, or of vertices and faces.
    #[inline(always)]
    pub(crate) fn measure<const A: usize, const B: usize>(
        simd: S,
        at: &[Point3<f32>],
        first: [&[u32; A]; LANES8],
        second: [&[u32; B]; LANES8],
    ) -> Self {
        let corners = [0, 1, 2, 3, 4, 5, 6, 7].map_inline(|l: usize| {
            [0, 1, 2, 3].map_inline(|k: usize| if k < A { first[l][k] } else { second[l][k - A] })
        });
        let corners = gather_corners(simd, at, &corners);
        let [a, b, c, d] = &corners;
        let apart = if A == 1 {
            let [_, v, w] = point_triangles(a, [b, c, d]).weights();
            minus(a, &plus_scaled(&plus_scaled(b, &minus(c, b), v), &minus(d, b), w))
        } else {
            let [s, t] = segment_segments([a, b], [c, d]).parameters();
            minus(&plus_scaled(a, &minus(b, a), s), &plus_scaled(c, &minus(d, c), t))
        };
        let distance = norm(&apart);
        let direction = scaled(&apart, distance.like(1.0) / distance);
        // Relative to the first corner, so that only differences round.
        let height = |k: usize| dot(&direction, &minus(&corners[k], &corners[0]));
        let (b, c, d) = (height(1), height(2), height(3));
        let zero = distance.like(0.0);
        let gap = match A {
            1 => zero - greater(greater(b, c), d),
            _ => lesser(b, zero) - greater(c, d),
        };
        Self { direction, distance, gap }
    }
}

/// How fast the frames of eight pairs move (m per motion).
struct Rates<S: Instructions> {
    /// How fast they approach along the direction.
    drift: WideLanes<S>,
    /// How fast they move relative to each other.
    speed: WideLanes<S>,
    /// How fast any of them moves.
    fastest: WideLanes<S>,
}

impl<S: Instructions> Rates<S> {
    #[inline(always)]
    fn new<const A: usize, const B: usize>(
        simd: S,
        apart: &Apart<S>,
        first: [&[u32; A]; LANES8],
        second: [&[u32; B]; LANES8],
        velocity: &[[f32; 3]],
    ) -> Self {
        let of_first = gather_wide(simd, velocity, first.map_inline(|vertices| vertices[0]));
        let (mut low, mut high) = (of_first, of_first);
        let mut least = dot(&apart.direction, &of_first);
        for k in 1..A {
            let v = gather_wide(simd, velocity, first.map_inline(|vertices| vertices[k]));
            least = lesser(dot(&apart.direction, &v), least);
            include(&mut low, &mut high, &v);
        }
        let v = gather_wide(simd, velocity, second.map_inline(|vertices| vertices[0]));
        let mut greatest = dot(&apart.direction, &v);
        include(&mut low, &mut high, &v);
        for k in 1..B {
            let v = gather_wide(simd, velocity, second.map_inline(|vertices| vertices[k]));
            greatest = greater(dot(&apart.direction, &v), greatest);
            include(&mut low, &mut high, &v);
        }
        let size = [0, 1, 2].map_inline(|k: usize| greater(low[k].magnitude(), high[k].magnitude()));
        Self { drift: greatest - least, speed: norm(&minus(&high, &low)), fastest: norm(&size) }
    }
}
