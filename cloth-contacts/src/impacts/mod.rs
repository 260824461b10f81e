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

use crate::ccd::{Ccd, Filtered, Query};
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
    candidates: Vec<[u32; 2]>,
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
        check_finite(t0, topology)?;
        check_finite(t1, topology)?;
        self.sweep(t0, t1, topology)?;
        let motion = LinearMotion { t0, t1, topology };
        let (faces, edges) = (Members::Faces(topology.faces()), Members::Edges(topology.edges()));
        let Self { candidates, .. } = self;
        candidates.clear();
        let filter = PairFilter::no_shared_vertex(faces, Members::Points(t0.len()));
        self.faces.broad_phase.visit_pairs_with(&self.points, &filter, &mut |f, v| candidates.push([v, f]));
        let vertex_faces = touching(candidates, |pair| motion.vertex_face(pair));
        candidates.clear();
        let filter = PairFilter::no_shared_vertex(edges, edges);
        self.edges.broad_phase.visit_self_pairs(&filter, &mut |a, b| candidates.push([a, b]));
        let edge_edges = touching(candidates, |pair| motion.edge_edge(pair));
        Ok(Impacts { vertex_faces, edge_edges })
    }

    fn sweep(
        &mut self,
        t0: &[Point3<f64>],
        t1: &[Point3<f64>],
        topology: &Topology,
    ) -> Result<(), IntersectError> {
        let too_many = |_: BoxesError| IntersectError::TooManyFaces { faces: topology.faces().len() };
        let Ok(sweep) = Sweep::new(t0, t1) else {
            unreachable!("both states have one position for each vertex")
        };
        self.faces.boxes.refill(sweep.faces(topology.faces())).map_err(too_many)?;
        self.edges.boxes.refill(sweep.edges(topology.edges())).map_err(too_many)?;
        self.points.refill(sweep.points()).map_err(too_many)?;
        for side in [&mut self.faces, &mut self.edges] {
            side.broad_phase.update(&side.boxes);
        }
        Ok(())
    }
}

/// All vertices are swept, so those that no face uses must be finite too.
fn check_finite(positions: &[Point3<f64>], topology: &Topology) -> Result<(), IntersectError> {
    validate(positions, topology)?;
    match positions.iter().position(|p| !p.iter().all(|c| c.is_finite())) {
        Some(vertex) => Err(IntersectError::NotFinite { vertex, position: positions[vertex] }),
        None => Ok(()),
    }
}

/// The colliding pairs, sorted.
fn touching(candidates: &[[u32; 2]], query: impl Fn([u32; 2]) -> Query + Sync) -> Vec<[u32; 2]> {
    // Only non-finite motions have no answer, and they are rejected earlier; such a pair would count as
    // colliding.
    let touches = |pair: &[u32; 2]| !Filtered::default().is_free(&query(*pair), 0.0).unwrap_or(false);
    let mut found = Vec::new();
    parallel::extend(&mut found, &mut Vec::new(), candidates, CHUNK, |pair| touches(pair).then_some(*pair));
    parallel::sort_by_key(&mut found, |&pair| pair);
    found
}

/// A mesh in linear motion.
#[derive(Clone, Copy)]
struct LinearMotion<'a> {
    t0: &'a [Point3<f64>],
    t1: &'a [Point3<f64>],
    topology: &'a Topology,
}

impl LinearMotion<'_> {
    fn vertex_face(&self, [v, f]: [u32; 2]) -> Query {
        let [a, b, c] = self.topology.faces()[f as usize];
        let corners = [v, a, b, c];
        Query::point_triangle(corners.map(|v| self.t0[v as usize]), corners.map(|v| self.t1[v as usize]))
    }

    fn edge_edge(&self, pair: [u32; 2]) -> Query {
        let [[a, b], [c, d]] = pair.map(|e| self.topology.edges()[e as usize]);
        let corners = [a, b, c, d];
        Query::edge_edge(corners.map(|v| self.t0[v as usize]), corners.map(|v| self.t1[v as usize]))
    }
}
