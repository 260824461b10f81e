//! Turns pairs of faces into pairs of an edge and a face, and decides them in batches.
//!
//! Each edge is contributed by its first face alone, so every candidate occurs exactly once:
//!
//! ```text
//! faces f, g overlap   -->  edges owned by f, against g;   edges owned by g, against f
//! ```
//!
//! Faces that share two vertices contribute nothing; of those that share one, the opposite edges remain. Each
//! batch is decided in parallel before the next is collected, so memory is bounded by the intersections
//! found.

use std::ops::ControlFlow;

use cloth_geom::exact::segment_triangle_kind;
use cloth_geom::{Aabb, Topology};
use nalgebra::Point3;

use super::IntersectionKind;
use super::apart::certainly_apart;
use super::progress::{CheckProgress, ProgressCallback};
use crate::parallel;

/// Candidates that one task decides: some tens of microseconds of work.
const CHUNK: usize = 2048;

/// Number of face pairs per batch: some milliseconds of work. A clean sheet of 64 x 64 has fewer.
const BATCH: u64 = 1 << 16;

/// An `[edge, face]` that meet, and how.
pub(super) type Hit = ([u32; 2], IntersectionKind);

/// Turns pairs of faces into pairs of an edge and a face, and decides those.
pub(super) struct Collector<'a, W> {
    pub(super) positions: &'a [Point3<f64>],
    pub(super) topology: &'a Topology,
    /// By face: bit mask of the edges of which it is the first face.
    pub(super) owned: &'a [u8],
    /// `[edge, face]` that share no vertex and whose boxes overlap.
    pub(super) candidates: &'a mut Vec<[u32; 2]>,
    /// Intersections in the order of the candidates, independently of the number of threads.
    pub(super) hits: &'a mut Vec<Hit>,
    /// Memory of the tasks that decide.
    pub(super) tasks: &'a mut Vec<Vec<Hit>>,
    pub(super) pairs: u64,
    pub(super) on_progress: W,
}

impl<W: ProgressCallback> Collector<'_, W> {
    /// Adds a pair of faces; breaks if the caller stopped the check.
    ///
    /// `face_box` returns the box of a face; `neighbours` is called if the faces share two vertices, so that
    /// no edge can meet the other face.
    #[inline]
    pub(super) fn add_pair(
        &mut self,
        f: u32,
        g: u32,
        face_box: &impl Fn(u32) -> Aabb,
        neighbours: impl FnOnce(),
    ) -> ControlFlow<()> {
        if !self.add(f, g, face_box) {
            neighbours();
        }
        self.pairs += 1;
        if self.pairs.is_multiple_of(BATCH) { self.report() } else { ControlFlow::Continue(()) }
    }

    /// Decides the batch and reports progress.
    #[cold]
    fn report(&mut self) -> ControlFlow<()> {
        self.decide();
        (self.on_progress)(CheckProgress { pairs: self.pairs, intersections: self.hits.len() as u64 })
    }

    /// Moves the candidates that meet to the hits, and drops the others.
    pub(super) fn decide(&mut self) {
        let (positions, topology) = (self.positions, self.topology);
        let at = |v: u32| &positions[v as usize];
        let kind = |&[e, f]: &[u32; 2]| {
            let (edge, face) = (topology.edges()[e as usize], topology.faces()[f as usize]);
            let (segment, triangle) = (edge.map(at), face.map(at));
            if certainly_apart(segment, triangle) {
                return None;
            }
            segment_triangle_kind(segment, triangle).map(|kind| ([e, f], kind))
        };
        parallel::extend(self.hits, self.tasks, self.candidates, CHUNK, kind);
        self.candidates.clear();
    }

    /// Adds the edges without a face against every face; linear in the faces as long as hardly any of them is
    /// near.
    pub(super) fn add_loose(&mut self, loose: &[u32]) {
        if loose.is_empty() {
            return;
        }
        let (topology, positions) = (self.topology, self.positions);
        let ends = |e: u32| topology.edges()[e as usize];
        let around = Aabb::of_points(loose.iter().flat_map(|&e| ends(e).map(|v| positions[v as usize])));
        for (f, face) in topology.faces().iter().enumerate() {
            let target = Aabb::of_points(face.map(|v| positions[v as usize]));
            if !around.overlaps(&target) {
                continue;
            }
            let meets = |e: &u32| {
                let [a, b] = ends(*e);
                let is_apart = !face.contains(&a) && !face.contains(&b);
                is_apart && edge_overlaps([a, b].map(|v| &positions[v as usize]), &target)
            };
            self.candidates.extend(loose.iter().copied().filter(meets).map(|e| [e, f as u32]));
        }
    }

    /// Adds the owned edges of either face that overlap the other; false if the faces share two vertices, and
    /// so have no edge to add.
    #[inline]
    fn add(&mut self, f: u32, g: u32, face_box: &impl Fn(u32) -> Aabb) -> bool {
        let (faces, face_edges) = (self.topology.faces(), self.topology.face_edges());
        let (f, g) = (f as usize, g as usize);
        let free = free_edges(faces[f], faces[g]);
        for (free, owner, other) in [(free[0], f, g), (free[1], g, f)] {
            let apart = free & self.owned[owner];
            if apart == 0 {
                continue;
            }
            let target = face_box(other as u32);
            for k in (0..3).filter(|k| apart >> k & 1 == 1) {
                let ends = [faces[owner][k], faces[owner][(k + 1) % 3]].map(|v| &self.positions[v as usize]);
                if edge_overlaps(ends, &target) {
                    self.candidates.push([face_edges[owner][k], other as u32]);
                }
            }
        }
        free != [0, 0]
    }
}

/// For either face, as bits, its edges that share no vertex with the other face; edge `k` joins corners `k`
/// and `k + 1`.
#[inline]
fn free_edges(f: [u32; 3], g: [u32; 3]) -> [u8; 2] {
    let common = |v: u32, face: [u32; 3]| u8::from((v == face[0]) | (v == face[1]) | (v == face[2]));
    let corners = |a: [u32; 3], b| common(a[0], b) | common(a[1], b) << 1 | common(a[2], b) << 2;
    [corners(f, g), corners(g, f)].map(|shared| {
        let next = shared >> 1 | shared << 2 & 0b100;
        !(shared | next) & 0b111
    })
}

/// Whether the closed bounds of a segment overlap a box.
#[inline]
fn edge_overlaps([p, q]: [&Point3<f64>; 2], target: &Aabb) -> bool {
    (0..3).all(|k| p[k].min(q[k]) <= target.max[k] && target.min[k] <= p[k].max(q[k]))
}
