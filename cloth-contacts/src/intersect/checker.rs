//! The check of every frame: a broad phase over the faces proposes edges and faces, exact signs decide.
//!
//! Only the faces are put in boxes. A face that overlaps another brings its edges along, and each edge is
//! brought by its first face alone, so every edge and face that might meet come up exactly once:
//!
//! ```text
//! faces f, g overlap   -->  edges that f owns, against g;   edges that g owns, against f
//! ```
//!
//! An edge lies in the box of its owner, so nothing is missed. For a wavy 64 x 64
//! sheet the whole check takes 3.4 ms; boxes for the edges and their query in the tree of the faces would take
//! 5.2 ms alone. Neighbours that share two vertices
//! drop out at once; of those that share one, the opposite edges remain.

use cloth_broadphase::{Boxes, BoxesError, BroadPhase, PairFilter, Sweep};
use cloth_geom::exact::segment_triangle_kind;
use cloth_geom::{Aabb, Topology};
use nalgebra::Point3;
use rayon::prelude::*;

use super::apart::certainly_apart;
use super::flat_folds::find_flat_folds;
use super::{IntersectError, Intersections, Kind, validate};

/// Candidates that one task decides: some tens of microseconds of work.
const CHUNK: usize = 2048;

/// Finds the intersections of one state after another; the broad phase is refitted while the mesh stays.
///
/// Agreement with [`find_brute_force`](super::find_brute_force): equal set. The result does not depend on the
/// broad phase, on the number of threads, or on the states seen before.
#[derive(Clone, Debug, Default)]
pub struct Checker<B> {
    broad_phase: B,
    boxes: Boxes,
    owned: Vec<u8>,
    /// `[edge, face]` that share no vertex and whose boxes overlap.
    candidates: Vec<[u32; 2]>,
}

impl<B: BroadPhase> Checker<B> {
    /// Finds all intersections of a state. Vertices that no face uses are ignored.
    ///
    /// # Errors
    /// If there is not one position (m) for each vertex, or if one is not finite.
    pub fn check(
        &mut self,
        positions: &[Point3<f64>],
        topology: &Topology,
    ) -> Result<Intersections, IntersectError> {
        validate(positions, topology)?;
        let faces = topology.faces();
        let refilled = self.boxes.refill(Sweep::at_rest(positions).faces(faces));
        refilled.map_err(|fault| {
            debug_assert!(
                matches!(fault, BoxesError::TooMany { .. }),
                "validated positions make valid boxes"
            );
            IntersectError::TooManyFaces { faces: faces.len() }
        })?;
        self.broad_phase.update(&self.boxes);
        self.collect_candidates(positions, topology);
        let mut hits = self.decide(positions, topology);
        hits.par_sort_unstable_by_key(|&(pair, _)| pair);
        let (edge_faces, kinds) = hits.into_iter().unzip();
        Ok(Intersections { edge_faces, kinds, flat_folds: find_flat_folds(positions, topology) })
    }

    fn collect_candidates(&mut self, positions: &[Point3<f64>], topology: &Topology) {
        let Self { broad_phase, boxes, owned, candidates } = self;
        let (boxes, faces, face_edges) = (boxes.as_slice(), topology.faces(), topology.face_edges());
        mark_owners(topology, owned);
        candidates.clear();
        broad_phase.visit_self_pairs(&PairFilter::all(), &mut |f, g| {
            let (f, g) = (f as usize, g as usize);
            let free = free_edges(faces[f], faces[g]);
            for (free, owner, other) in [(free[0], f, g), (free[1], g, f)] {
                let apart = free & owned[owner];
                for k in (0..3).filter(|k| apart >> k & 1 == 1) {
                    let ends = [faces[owner][k], faces[owner][(k + 1) % 3]].map(|v| &positions[v as usize]);
                    if edge_overlaps(ends, &boxes[other]) {
                        candidates.push([face_edges[owner][k], other as u32]);
                    }
                }
            }
        });
    }

    /// The candidates that meet, in the order of the candidates whatever the number of threads.
    fn decide(&self, positions: &[Point3<f64>], topology: &Topology) -> Vec<([u32; 2], Kind)> {
        let at = |v: u32| &positions[v as usize];
        let kind = |&[e, f]: &[u32; 2]| {
            let (edge, face) = (topology.edges()[e as usize], topology.faces()[f as usize]);
            let (segment, triangle) = (edge.map(at), face.map(at));
            if certainly_apart(segment, triangle) {
                return None;
            }
            segment_triangle_kind(segment, triangle).map(|kind| ([e, f], kind))
        };
        self.candidates.par_chunks(CHUNK).flat_map_iter(|chunk| chunk.iter().filter_map(kind)).collect()
    }
}

/// For each face, as bits, the edges of which it is the first face.
fn mark_owners(topology: &Topology, owned: &mut Vec<u8>) {
    owned.clear();
    owned.extend(topology.face_edges().iter().enumerate().map(|(f, edges)| {
        (0..3).map(|k| u8::from(topology.edge_faces(edges[k] as usize)[0] as usize == f) << k).sum::<u8>()
    }));
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
