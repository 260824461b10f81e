//! The check of every frame: what may meet is proposed, exact signs decide.
//!
//! The first state of a mesh goes through a broad phase. From the second on, patches that certainly do not meet
//! themselves are spared (`cloth_broadphase::cull`): in a clean state hardly a pair of faces remains.
//!
//! Only the faces are put in boxes. A face that overlaps another brings its edges along, and each edge is
//! brought by its first face alone, so every edge and face that might meet come up exactly once:
//!
//! ```text
//! faces f, g overlap   -->  edges that f owns, against g;   edges that g owns, against f
//! ```
//!
//! An edge lies in the box of its owner, and no certificate spares a pair of faces that meet, so nothing is missed. For a wavy 64 x 64
//! sheet the whole check takes 3.4 ms; boxes for the edges and their query in the tree of the faces would take
//! 5.2 ms alone. Neighbours that share two vertices
//! drop out at once; of those that share one, the opposite edges remain.

use cloth_broadphase::cull::{Certificate, CullError, Culler};
use cloth_broadphase::{Boxes, BoxesError, BroadPhase, PairFilter, Sweep};
use cloth_geom::exact::segment_triangle_kind;
use cloth_geom::{Aabb, Topology};
use nalgebra::Point3;
use rayon::prelude::*;

use super::apart::certainly_apart;
use super::flat_folds::flat_folds_among;
use super::known_mesh::KnownMesh;
use super::{IntersectError, Intersections, Kind, validate};

/// Candidates that one task decides: some tens of microseconds of work.
const CHUNK: usize = 2048;

/// Finds the intersections of one state after another; what depends on the mesh alone is kept while it stays.
///
/// Agreement with [`find_brute_force`](super::find_brute_force): equal set. The result does not depend on the
/// broad phase, on the number of threads, or on the states seen before.
#[derive(Clone, Debug, Default)]
pub struct Checker<B> {
    broad_phase: B,
    boxes: Boxes,
    mesh: KnownMesh,
    never_culls: bool,
    /// `[edge, face]` that share no vertex and whose boxes overlap.
    candidates: Vec<[u32; 2]>,
    /// Edges on which faces may lie flat on each other.
    creases: Vec<u32>,
}

impl<B: BroadPhase + Default> Checker<B> {
    /// A checker that puts every state through the broad phase: to compare with, in time and in result.
    #[must_use]
    pub fn without_culling() -> Self {
        Self { never_culls: true, ..Self::default() }
    }
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
        self.mesh.become_mesh(topology, !self.never_culls);
        self.collect_candidates(positions, topology)?;
        let mut hits = self.decide(positions, topology);
        hits.par_sort_unstable_by_key(|&(pair, _)| pair);
        let (edge_faces, kinds) = hits.into_iter().unzip();
        Ok(Intersections {
            edge_faces,
            kinds,
            flat_folds: flat_folds_among(&self.creases, positions, topology),
        })
    }

    /// Fills the candidates, and the creases in ascending order.
    fn collect_candidates(
        &mut self,
        positions: &[Point3<f64>],
        topology: &Topology,
    ) -> Result<(), IntersectError> {
        let Self { broad_phase, boxes, mesh, candidates, creases, .. } = self;
        let (owned, culler) = mesh.parts();
        candidates.clear();
        creases.clear();
        let mut collector = Collector { positions, topology, owned, candidates };
        if let Some(culler) = culler {
            cull(&mut collector, creases, culler)?;
            creases.sort_unstable();
            creases.dedup();
        } else {
            overlap(&mut collector, broad_phase, boxes)?;
            creases.extend(0..topology.edges().len() as u32);
        }
        Ok(())
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

/// Candidates from the patches that are not certified, and the common edges of their faces.
fn cull<C: Certificate>(
    collector: &mut Collector<'_>,
    creases: &mut Vec<u32>,
    culler: &mut Culler<C>,
) -> Result<(), IntersectError> {
    let (positions, topology) = (collector.positions, collector.topology);
    let face_box = |f: u32| Aabb::of_points(topology.faces()[f as usize].map(|v| positions[v as usize]));
    let visited = culler.visit_candidates(positions, &mut |f, g| {
        if !collector.add(f, g, &face_box) {
            let [f, g] = [f, g].map(|f| topology.face_edges()[f as usize]);
            creases.extend(f.into_iter().filter(|e| g.contains(e)));
        }
    });
    visited.map_err(|fault| match fault {
        CullError::PositionCount { positions, vertices } => {
            IntersectError::PositionCount { positions, vertices }
        }
        CullError::NotFinite { vertex, position } => IntersectError::NotFinite { vertex, position },
    })
}

/// Candidates from the boxes of all faces.
fn overlap(
    collector: &mut Collector<'_>,
    broad_phase: &mut impl BroadPhase,
    boxes: &mut Boxes,
) -> Result<(), IntersectError> {
    let faces = collector.topology.faces();
    boxes.refill(Sweep::at_rest(collector.positions).faces(faces)).map_err(|fault| {
        debug_assert!(matches!(fault, BoxesError::TooMany { .. }), "validated positions make valid boxes");
        IntersectError::TooManyFaces { faces: faces.len() }
    })?;
    broad_phase.update(boxes);
    let face_box = |f: u32| boxes.as_slice()[f as usize];
    broad_phase.visit_self_pairs(&PairFilter::all(), &mut |f, g| {
        collector.add(f, g, &face_box);
    });
    Ok(())
}

/// Turns pairs of faces into pairs of an edge and a face.
struct Collector<'a> {
    positions: &'a [Point3<f64>],
    topology: &'a Topology,
    owned: &'a [u8],
    candidates: &'a mut Vec<[u32; 2]>,
}

impl Collector<'_> {
    /// Adds the owned edges of either face that overlap the other; false if the faces share two vertices, and so
    /// have no edge to add.
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
