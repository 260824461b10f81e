//! Exact verdicts on states and motions.

use cloth_certify::{
    Coordinate, InputError, MotionWitness, Pair, Search, StateKind, StateWitness, StepLimit,
};

use crate::handle;
use crate::memory::{self, array};
use crate::mesh::cloth_mesh;
use crate::status::{Fault, cloth_error, cloth_status, run};
use crate::threads::{cloth_threads, within};

/// In the place of an id that there is none of.
pub const CLOTH_NONE: u32 = u32::MAX;

/// What is wrong at a place of a state.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum cloth_state_kind {
    /// An edge goes through a face from one side to the other: `edge`, `ends`, `faces[0]`.
    CLOTH_STATE_CROSSES = 0,
    /// An edge and a face touch in one point, or the face has no area: `edge`, `ends`, `faces[0]`.
    CLOTH_STATE_TOUCHES = 1,
    /// An edge lies in the plane of a face and meets it: `edge`, `ends`, `faces[0]`.
    CLOTH_STATE_COPLANAR = 2,
    /// A point without faces and edges lies on a face: `ends[0]`, `faces[0]`.
    CLOTH_STATE_POINT_ON_FACE = 3,
    /// Two faces on one edge lie flat on each other, their third corners in different places: `edge`, `ends`,
    /// `faces`.
    CLOTH_STATE_FLAT_FOLD = 4,
    /// A face, `faces[1]`, lies on another, `faces[0]`: both have the same three points.
    CLOTH_STATE_DOUBLED_FACE = 5,
}

/// One reason why a state is not clean. Ids that its kind does not name are `CLOTH_NONE`.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct cloth_state_witness {
    /// What is wrong.
    pub kind: cloth_state_kind,
    /// An edge, by the order of `cloth_mesh_get_edges`.
    pub edge: u32,
    /// The vertices of the edge, or the point.
    pub ends: [u32; 2],
    /// Faces, by the order of the description.
    pub faces: [u32; 2],
    /// Where (m), up to rounding.
    pub position: [f64; 3],
}

/// Which collisions of a motion are wanted.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum cloth_search {
    /// All of them, by time.
    CLOTH_SEARCH_ALL = 0,
    /// The first that is found: whether there is one, as fast as possible.
    CLOTH_SEARCH_FIRST = 1,
    /// The one that happens first.
    CLOTH_SEARCH_EARLIEST = 2,
}

/// What a pair consists of.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum cloth_pair_kind {
    /// A vertex and a face: `ids` are theirs, the first of `vertices` is the vertex.
    CLOTH_PAIR_VERTEX_FACE = 0,
    /// Two edges: `ids` are theirs, `vertices` has the two of each.
    CLOTH_PAIR_EDGE_EDGE = 1,
}

/// A pair of primitives, and when and where it collides.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct cloth_motion_witness {
    /// What the pair consists of.
    pub kind: cloth_pair_kind,
    /// Its two ids.
    pub ids: [u32; 2],
    /// The vertices of both.
    pub vertices: [u32; 4],
    /// It first touches in `[time, time + gap]`, shares of the motion in [0, 1].
    pub time: f64,
    /// Width of that interval.
    pub gap: f64,
    /// Where (m), up to rounding.
    pub position: [f64; 3],
}

/// Why a step is not the whole motion.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum cloth_limit {
    /// Nothing: the step is 1.
    CLOTH_LIMIT_NONE = 0,
    /// A pair collides, or comes within the distance.
    CLOTH_LIMIT_COLLISION = 1,
    /// The start has intersections: the step is 0.
    CLOTH_LIMIT_TANGLED = 2,
    /// A pair is within the distance at the start: the step is 0.
    CLOTH_LIMIT_TOO_NEAR = 3,
}

/// How far along a motion one may go.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct cloth_max_step {
    /// Share of the motion, in [0, 1].
    pub step: f64,
    /// What limits it.
    pub limit: cloth_limit,
    /// Number of intersections of the start, for `CLOTH_LIMIT_TANGLED`.
    pub intersections: usize,
    /// The pair that limits it, for `CLOTH_LIMIT_COLLISION` and `CLOTH_LIMIT_TOO_NEAR`; else zero. For the
    /// latter `time`, `gap` and `position` are zero.
    pub witness: cloth_motion_witness,
}

/// Finds everything that intersects in a state, exactly and for all finite positions: `*count` is 0 if and
/// only if the state is clean.
///
/// `x` has 3 coordinates (m) for each of `vertex_count` vertices. The first `capacity` of the `*count`
/// witnesses are written; `witnesses` may be null if `capacity` is 0. `threads` may be null.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cloth_check_state_f64(
    mesh: *const cloth_mesh,
    threads: *const cloth_threads,
    x: *const f64,
    vertex_count: usize,
    witnesses: *mut cloth_state_witness,
    capacity: usize,
    count: *mut usize,
    error: *mut cloth_error,
) -> cloth_status {
    // SAFETY: the caller keeps the rules of pointers.
    unsafe { run(error, || check_state(mesh, threads, x, vertex_count, (witnesses, capacity, count))) }
}

/// As `cloth_check_state_f64`, with positions in `float`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cloth_check_state_f32(
    mesh: *const cloth_mesh,
    threads: *const cloth_threads,
    x: *const f32,
    vertex_count: usize,
    witnesses: *mut cloth_state_witness,
    capacity: usize,
    count: *mut usize,
    error: *mut cloth_error,
) -> cloth_status {
    // SAFETY: the caller keeps the rules of pointers.
    unsafe { run(error, || check_state(mesh, threads, x, vertex_count, (witnesses, capacity, count))) }
}

/// Finds the pairs that touch while every vertex moves on a straight line from `x0` to `x1` (m), both ends
/// included, exactly and for all finite positions. Whether the start is clean is for `cloth_check_state_f64`.
///
/// `search` is a `cloth_search`. The first `capacity` of the `*count` witnesses are written; `witnesses` may
/// be null if `capacity` is 0. `threads` may be null.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cloth_check_motion_f64(
    mesh: *const cloth_mesh,
    threads: *const cloth_threads,
    x0: *const f64,
    x1: *const f64,
    vertex_count: usize,
    search: u32,
    witnesses: *mut cloth_motion_witness,
    capacity: usize,
    count: *mut usize,
    error: *mut cloth_error,
) -> cloth_status {
    // SAFETY: the caller keeps the rules of pointers.
    unsafe {
        let out = (witnesses, capacity, count);
        run(error, || check_motion(mesh, threads, [x0, x1], vertex_count, search, out))
    }
}

/// As `cloth_check_motion_f64`, with positions in `float`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cloth_check_motion_f32(
    mesh: *const cloth_mesh,
    threads: *const cloth_threads,
    x0: *const f32,
    x1: *const f32,
    vertex_count: usize,
    search: u32,
    witnesses: *mut cloth_motion_witness,
    capacity: usize,
    count: *mut usize,
    error: *mut cloth_error,
) -> cloth_status {
    // SAFETY: the caller keeps the rules of pointers.
    unsafe {
        let out = (witnesses, capacity, count);
        run(error, || check_motion(mesh, threads, [x0, x1], vertex_count, search, out))
    }
}

/// The largest share of the motion from `x0` to `x1` (m) after which all pairs are certified to have kept
/// farther apart than `min_distance` (m; 0: not to touch), for line searches. It is never too long. For a
/// distance above 0 no coordinate may be beyond 1e9 m.
///
/// `end`, if it is not null, gets the end of the step: the one that is certified, 3 coordinates a vertex. It
/// may be `x0` or `x1`. `threads` may be null.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cloth_max_step_f64(
    mesh: *const cloth_mesh,
    threads: *const cloth_threads,
    x0: *const f64,
    x1: *const f64,
    vertex_count: usize,
    min_distance: f64,
    end: *mut f64,
    step: *mut cloth_max_step,
    error: *mut cloth_error,
) -> cloth_status {
    // SAFETY: the caller keeps the rules of pointers.
    unsafe { run(error, || max_step(mesh, threads, [x0, x1], vertex_count, min_distance, (end, step))) }
}

/// As `cloth_max_step_f64`, with positions in `float`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cloth_max_step_f32(
    mesh: *const cloth_mesh,
    threads: *const cloth_threads,
    x0: *const f32,
    x1: *const f32,
    vertex_count: usize,
    min_distance: f64,
    end: *mut f32,
    step: *mut cloth_max_step,
    error: *mut cloth_error,
) -> cloth_status {
    // SAFETY: the caller keeps the rules of pointers.
    unsafe { run(error, || max_step(mesh, threads, [x0, x1], vertex_count, min_distance, (end, step))) }
}

/// Writes a distance (m) for each vertex: while every vertex moves on a straight line by at most its own, in
/// any direction, nothing touches. `distances` has room for `vertex_count` numbers. `threads` may be null.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cloth_safe_distances_f64(
    mesh: *const cloth_mesh,
    threads: *const cloth_threads,
    x: *const f64,
    vertex_count: usize,
    distances: *mut f64,
    error: *mut cloth_error,
) -> cloth_status {
    // SAFETY: the caller keeps the rules of pointers.
    unsafe { run(error, || safe_distances(mesh, threads, x, vertex_count, distances)) }
}

/// As `cloth_safe_distances_f64`, in `float`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cloth_safe_distances_f32(
    mesh: *const cloth_mesh,
    threads: *const cloth_threads,
    x: *const f32,
    vertex_count: usize,
    distances: *mut f32,
    error: *mut cloth_error,
) -> cloth_status {
    // SAFETY: the caller keeps the rules of pointers.
    unsafe { run(error, || safe_distances(mesh, threads, x, vertex_count, distances)) }
}

impl From<InputError> for Fault {
    fn from(error: InputError) -> Self {
        Self::argument(error)
    }
}

/// # Safety
/// The handles and pointers keep the rules.
unsafe fn check_state<T: Coordinate>(
    mesh: *const cloth_mesh,
    threads: *const cloth_threads,
    x: *const T,
    vertex_count: usize,
    (witnesses, capacity, count): (*mut cloth_state_witness, usize, *mut usize),
) -> Result<(), Fault> {
    // SAFETY: as demanded.
    unsafe {
        let mesh = handle::content(mesh)?;
        let x = array("x", x.cast::<[T; 3]>(), vertex_count)?;
        let out = ("witnesses", witnesses, capacity);
        memory::check_counted(out, count)?;
        let report = within(threads, || mesh.check_state(x))??;
        memory::fill_counted(out, count, &report.witnesses().iter().map(state_witness).collect::<Vec<_>>())
    }
}

/// # Safety
/// The handles and pointers keep the rules.
unsafe fn check_motion<T: Coordinate>(
    mesh: *const cloth_mesh,
    threads: *const cloth_threads,
    [x0, x1]: [*const T; 2],
    vertex_count: usize,
    search: u32,
    (witnesses, capacity, count): (*mut cloth_motion_witness, usize, *mut usize),
) -> Result<(), Fault> {
    // SAFETY: as demanded.
    unsafe {
        let mesh = handle::content(mesh)?;
        let x0 = array("x0", x0.cast::<[T; 3]>(), vertex_count)?;
        let x1 = array("x1", x1.cast::<[T; 3]>(), vertex_count)?;
        // By the numbers of `cloth_search`.
        let search = memory::choice("search", search, [Search::All, Search::First, Search::Earliest])?;
        let out = ("witnesses", witnesses, capacity);
        memory::check_counted(out, count)?;
        let report = within(threads, || mesh.check_motion(x0, x1, search))??;
        memory::fill_counted(out, count, &report.witnesses().iter().map(motion_witness).collect::<Vec<_>>())
    }
}

/// # Safety
/// The handles and pointers keep the rules.
unsafe fn max_step<T: Coordinate>(
    mesh: *const cloth_mesh,
    threads: *const cloth_threads,
    [x0, x1]: [*const T; 2],
    vertex_count: usize,
    min_distance: f64,
    (end, step): (*mut T, *mut cloth_max_step),
) -> Result<(), Fault> {
    // SAFETY: as demanded.
    unsafe {
        let mesh = handle::content(mesh)?;
        let x0 = array("x0", x0.cast::<[T; 3]>(), vertex_count)?;
        let x1 = array("x1", x1.cast::<[T; 3]>(), vertex_count)?;
        memory::check_place("step", step)?;
        let longest = within(threads, || mesh.max_step(x0, x1, min_distance))??;
        if !end.is_null() {
            let mut ends = x0.to_vec();
            longest.advance(x0, x1, &mut ends)?;
            memory::fill("end", end.cast::<[T; 3]>(), vertex_count, &ends)?;
        }
        let no_pair = MotionWitness {
            pair: Pair::PointTriangle([0, 0]),
            vertices: [0; 4],
            time: cloth_certify::ccd::Toi { time: 0.0, gap: 0.0 },
            position: [0.0; 3],
        };
        let (limit, witness, intersections) = match &longest.limit {
            StepLimit::None => (cloth_limit::CLOTH_LIMIT_NONE, no_pair, 0),
            StepLimit::Collision(witness) => (cloth_limit::CLOTH_LIMIT_COLLISION, *witness, 0),
            StepLimit::Tangled(report) => {
                (cloth_limit::CLOTH_LIMIT_TANGLED, no_pair, report.witnesses().len())
            }
            &StepLimit::TooNear(pair) => {
                let vertices = pair.vertices(mesh.topology()).unwrap_or_default();
                (cloth_limit::CLOTH_LIMIT_TOO_NEAR, MotionWitness { pair, vertices, ..no_pair }, 0)
            }
        };
        let witness = motion_witness(&witness);
        memory::write("step", step, cloth_max_step { step: longest.step, limit, intersections, witness })
    }
}

/// # Safety
/// The handles and pointers keep the rules.
unsafe fn safe_distances<T: Coordinate>(
    mesh: *const cloth_mesh,
    threads: *const cloth_threads,
    x: *const T,
    vertex_count: usize,
    distances: *mut T,
) -> Result<(), Fault> {
    // SAFETY: as demanded.
    unsafe {
        let mesh = handle::content(mesh)?;
        let x = array("x", x.cast::<[T; 3]>(), vertex_count)?;
        memory::check_buffer("distances", distances, vertex_count)?;
        let found = within(threads, || mesh.safe_distances(x))??;
        memory::fill("distances", distances, vertex_count, &found)
    }
}

pub(crate) fn state_witness(witness: &StateWitness) -> cloth_state_witness {
    let &StateWitness { kind, edge, ends, face, other_face, position } = witness;
    let kind = match kind {
        StateKind::Crosses => cloth_state_kind::CLOTH_STATE_CROSSES,
        StateKind::Touches => cloth_state_kind::CLOTH_STATE_TOUCHES,
        StateKind::Coplanar => cloth_state_kind::CLOTH_STATE_COPLANAR,
        StateKind::PointOnFace => cloth_state_kind::CLOTH_STATE_POINT_ON_FACE,
        StateKind::FlatFold => cloth_state_kind::CLOTH_STATE_FLAT_FOLD,
        StateKind::DoubledFace => cloth_state_kind::CLOTH_STATE_DOUBLED_FACE,
    };
    let id = |id: Option<u32>| id.unwrap_or(CLOTH_NONE);
    cloth_state_witness { kind, edge: id(edge), ends: ends.map(id), faces: [face, id(other_face)], position }
}

fn motion_witness(&MotionWitness { pair, vertices, time, position }: &MotionWitness) -> cloth_motion_witness {
    let (kind, ids) = match pair {
        Pair::PointTriangle(ids) => (cloth_pair_kind::CLOTH_PAIR_VERTEX_FACE, ids),
        Pair::EdgeEdge(ids) => (cloth_pair_kind::CLOTH_PAIR_EDGE_EDGE, ids),
    };
    cloth_motion_witness { kind, ids, vertices, time: time.time, gap: time.gap, position }
}
