//! Pass-throughs between two states of a mesh: exact continuous collision detection of all primitives.
//!
//! Two states may both be free of intersections although a layer passed through another in between. Every
//! vertex moves linearly from one state to the other, and every vertex and face, and every two edges, that
//! share no vertex are tested for a collision during the motion. The result is complete: colliding primitives
//! have overlapping swept boxes, and the verdict for each pair is exact ([`Filtered`]).
//!
//! The linear motion is that between two frames, not that of the simulation: a frame of several substeps
//! follows a polyline. A pass-through between frames is what a viewer sees.

mod brute_force;
#[cfg(test)]
mod tests;

use cloth_broadphase::{AnyBroadPhase, Boxes, BoxesError, BroadPhase, Members, PairFilter, Sweep};
use cloth_geom::Topology;
use nalgebra::Point3;

use crate::ccd::{Ccd, Filtered};
use crate::gate::Pair;
use crate::intersect::{IntersectError, validate};
use crate::parallel;

pub use brute_force::find_brute_force;

/// Candidates that one task decides: some hundreds of microseconds of work.
const CHUNK: usize = 2048;

/// All pairs that touched between two states.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Impacts {
    /// `[vertex, face]` that touched, in lexicographic order.
    pub vertex_faces: Vec<[u32; 2]>,
    /// `[edge, edge]` that collide, smaller id first, in lexicographic order.
    pub edge_edges: Vec<[u32; 2]>,
}

impl Impacts {
    /// Number of pairs.
    #[must_use]
    pub fn count(&self) -> usize {
        self.vertex_faces.len() + self.edge_edges.len()
    }
}

/// Finds the impacts of pairs of states.
///
/// The result equals that of [`find_brute_force`] and does not depend on the broad phase or the number of
/// threads.
#[derive(Clone, Debug, Default)]
pub struct ImpactFinder {
    faces: SweptPrimitives,
    edges: SweptPrimitives,
    points: Boxes,
    candidates: Vec<Pair>,
}

/// The swept boxes of one kind of primitive, and their broad phase.
#[derive(Clone, Debug, Default)]
struct SweptPrimitives {
    broad_phase: AnyBroadPhase,
    boxes: Boxes,
}

impl ImpactFinder {
    /// A finder with this broad phase; the default is a [`BlockTree`](cloth_broadphase::BlockTree).
    #[must_use]
    pub fn with_broad_phase(broad_phase: impl BroadPhase) -> Self {
        let broad_phase = broad_phase.into_any();
        let [faces, edges] = [broad_phase.clone(), broad_phase]
            .map(|broad_phase| SweptPrimitives { broad_phase, boxes: Boxes::default() });
        Self { faces, edges, ..Self::default() }
    }

    /// Finds all pairs that collide while the vertices move linearly from `t0` to `t1` (m), both ends
    /// included.
    ///
    /// # Errors
    /// If the number of positions is not that of the vertices, or if one is not finite.
    pub fn find(
        &mut self,
        t0: &[Point3<f64>],
        t1: &[Point3<f64>],
        topology: &Topology,
    ) -> Result<Impacts, IntersectError> {
        let candidates = self.candidates(t0, t1, topology, 0.0)?;
        // Only non-finite motions have no answer, and they are rejected earlier; such a pair would count as
        // colliding.
        let meets =
            |pair: Pair| !Filtered::default().is_free(&pair.query(topology, [t0, t1]), 0.0).unwrap_or(false);
        let mut found = decide(candidates, |pair| meets(pair).then_some(pair));
        parallel::sort_by_key(&mut found, |&pair| pair);
        let mut impacts = Impacts::default();
        for pair in found {
            match pair {
                Pair::PointTriangle(ids) => impacts.vertex_faces.push(ids),
                Pair::EdgeEdge(ids) => impacts.edge_edges.push(ids),
            }
        }
        Ok(impacts)
    }

    /// The pairs that share no vertex and may come within `distance` (m) of each other while the vertices
    /// move linearly from `t0` to `t1` (m), unordered: those whose swept boxes do.
    ///
    /// # Errors
    /// As [`ImpactFinder::find`].
    pub fn candidates(
        &mut self,
        t0: &[Point3<f64>],
        t1: &[Point3<f64>],
        topology: &Topology,
        distance: f64,
    ) -> Result<&[Pair], IntersectError> {
        check_finite(t0, topology)?;
        check_finite(t1, topology)?;
        self.sweep(t0, t1, topology, distance)?;
        let (faces, edges) = (Members::Faces(topology.faces()), Members::Edges(topology.edges()));
        let Self { candidates, points, .. } = self;
        candidates.clear();
        let filter = PairFilter::no_shared_vertex(faces, Members::Points(t0.len()));
        self.faces.broad_phase.visit_pairs_with(points, &filter, &mut |f, v| {
            candidates.push(Pair::PointTriangle([v, f]));
        });
        let filter = PairFilter::no_shared_vertex(edges, edges);
        self.edges.broad_phase.visit_self_pairs(&filter, &mut |a, b| {
            candidates.push(Pair::EdgeEdge([a, b]));
        });
        Ok(candidates)
    }

    fn sweep(
        &mut self,
        t0: &[Point3<f64>],
        t1: &[Point3<f64>],
        topology: &Topology,
        distance: f64,
    ) -> Result<(), IntersectError> {
        let too_many = |_: BoxesError| IntersectError::TooManyFaces { faces: topology.faces().len() };
        let Ok(sweep) = Sweep::new(t0, t1) else {
            unreachable!("both states have one position for each vertex")
        };
        let sweep = sweep.inflated(distance);
        self.faces.boxes.refill(sweep.faces(topology.faces())).map_err(too_many)?;
        self.edges.boxes.refill(sweep.edges(topology.edges())).map_err(too_many)?;
        self.points.refill(sweep.points()).map_err(too_many)?;
        for side in [&mut self.faces, &mut self.edges] {
            side.broad_phase.update(&side.boxes);
        }
        Ok(())
    }
}

/// What `keep` makes of pairs, in their order; on the threads of the rayon pool in which it is called.
pub fn decide<U: Send>(pairs: &[Pair], keep: impl Fn(Pair) -> Option<U> + Send + Sync) -> Vec<U> {
    parallel::filter_map(pairs, CHUNK, |&pair| keep(pair))
}

/// All vertices are swept, so those that no face uses must be finite too.
fn check_finite(positions: &[Point3<f64>], topology: &Topology) -> Result<(), IntersectError> {
    validate(positions, topology)?;
    match positions.iter().position(|p| !p.iter().all(|c| c.is_finite())) {
        Some(vertex) => Err(IntersectError::NotFinite { vertex, position: positions[vertex] }),
        None => Ok(()),
    }
}
