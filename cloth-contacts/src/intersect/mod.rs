//! Exact self-intersection checks of a state.
//!
//! An *intersection* is an edge and a face that share no vertex and have a point in common, both closed. This
//! covers crossings, touches and coplanar overlaps: two faces that meet outside of their common vertices
//! always have an edge that meets the other face. The only exceptions are two faces that share an edge and
//! lie flat on each other, because each of their edges shares a vertex with the other face. Where their third
//! corners are in different places, this is a flat fold; otherwise one lies on the other, as a doubled face
//! with vertices of its own does. A state is clean if it has none of the three.
//!
//! | file | method | result |
//! |---|---|---|
//! | `brute_force` | all edges against all faces | the reference |
//! | `checker` | broad phase, or patches that are certified free of self-intersection | the same set |
//! | `doubled` | faces by their points | the faces that lie on others |
//!
//! Cloth that is sewn together meets at its seams. Where seams are declared, the caller removes the pairs
//! that they join: see [`Seams`].
//!
//! There is no tolerance; the verdict is correct for all finite positions.

mod apart;
mod brute_force;
mod checker;
mod collector;
mod doubled;
mod flat_folds;
mod known_mesh;
mod progress;
#[cfg(test)]
pub(crate) mod real_data_tests;
mod seams;
#[cfg(test)]
mod tests;

use cloth_broadphase::cull::CullError;
use cloth_geom::Topology;
pub use cloth_geom::exact::IntersectionKind;
use cloth_geom::sorted_unique;
use nalgebra::Point3;
use thiserror::Error;

pub use brute_force::find_brute_force;
pub use checker::Checker;
pub use doubled::doubled_faces;
pub use progress::{CheckProgress, Checked};
pub use seams::{ClosedSeams, Seam, Seams};

/// Errors of an intersection check.
#[derive(Clone, Debug, Error, PartialEq)]
#[non_exhaustive]
pub enum IntersectError {
    /// The positions do not belong to the topology.
    #[error("{positions} positions for a mesh of {vertices} vertices; pass one position for each vertex")]
    PositionCount {
        /// Number of positions.
        positions: usize,
        /// Number of vertices of the topology.
        vertices: usize,
    },
    /// A vertex of a face has a coordinate that is NaN or infinite.
    #[error(
        "vertex {vertex} is at {position}, which is not finite; the simulation or file that made it is at \
         fault"
    )]
    NotFinite {
        /// The vertex.
        vertex: usize,
        /// Its position (m).
        position: Point3<f64>,
    },
    /// There are more faces than a broad phase can number.
    #[error("{faces} faces exceed the supported number; check the parts of the mesh separately")]
    TooManyFaces {
        /// Number of faces.
        faces: usize,
    },
    /// The culling of patches fails for another reason.
    #[error(transparent)]
    Cull(CullError),
}

/// All intersections of one state; empty if and only if the state is clean.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Intersections {
    /// The `[edge, face]` that have a point in common, in lexicographic order.
    pub edge_faces: Vec<[u32; 2]>,
    /// How each of [`Intersections::edge_faces`] meets.
    pub kinds: Vec<IntersectionKind>,
    /// Edges on which two faces lie flat on each other, with their third corners in different places;
    /// ascending.
    pub flat_folds: Vec<u32>,
    /// The faces that lie on another, of the same three points: `[face, first]`, where `first` is the first
    /// face that is there. Ascending. Those with vertices of their own are in
    /// [`Intersections::edge_faces`] as well.
    pub doubled_faces: Vec<[u32; 2]>,
}

impl Intersections {
    /// Number of intersections: edges and faces that meet. Flat folds and doubled faces count apart.
    #[must_use]
    pub fn count(&self) -> usize {
        self.edge_faces.len()
    }

    /// Whether there is neither an intersection nor a flat fold, and no face lies on another.
    #[must_use]
    pub fn is_clean(&self) -> bool {
        self.edge_faces.is_empty() && self.flat_folds.is_empty() && self.doubled_faces.is_empty()
    }

    /// Keeps the pairs `[edge, face]` that `keep` is true for, with their kinds; flat folds and doubled faces
    /// stay.
    pub fn retain(&mut self, mut keep: impl FnMut([u32; 2]) -> bool) {
        let pairs = std::mem::take(&mut self.edge_faces).into_iter().zip(std::mem::take(&mut self.kinds));
        (self.edge_faces, self.kinds) = pairs.filter(|&(pair, _)| keep(pair)).unzip();
    }

    /// The intersecting pairs of faces: each face of the edge with the face that it meets.
    ///
    /// Sorted, without duplicates, smaller face first. `topology` must be the one that was checked; ids out
    /// of range are skipped.
    #[must_use]
    pub fn face_pairs(&self, topology: &Topology) -> Vec<[u32; 2]> {
        self.pairs_behind(topology, |_, _| true)
    }

    /// The faces of [`Intersections::face_pairs`], ascending.
    #[must_use]
    pub fn intersecting_faces(&self, topology: &Topology) -> Vec<u32> {
        sorted_unique(self.face_pairs(topology).into_flattened())
    }

    /// The pairs of faces that share no vertex and of which an edge properly crosses the other face.
    ///
    /// This is the count of most other tools: it excludes touches, coplanar overlaps and neighbours that
    /// share a vertex.
    #[must_use]
    pub fn proper_face_pairs(&self, topology: &Topology) -> Vec<[u32; 2]> {
        let faces = topology.faces();
        self.pairs_behind(topology, |kind, [g, f]| {
            let apart = faces[g as usize].iter().all(|v| !faces[f as usize].contains(v));
            kind == IntersectionKind::Proper && apart
        })
    }

    fn pairs_behind(
        &self,
        topology: &Topology,
        keep: impl Fn(IntersectionKind, [u32; 2]) -> bool,
    ) -> Vec<[u32; 2]> {
        let known =
            |[e, f]: [u32; 2]| (e as usize) < topology.edges().len() && (f as usize) < topology.faces().len();
        let hits = self.edge_faces.iter().zip(&self.kinds).filter(|&(&hit, _)| known(hit));
        let mut pairs = Vec::new();
        for (&[e, f], &kind) in hits {
            let behind = topology.edge_faces(e as usize).iter().map(|&g| [g.min(f), g.max(f)]);
            pairs.extend(behind.filter(|&pair| keep(kind, pair)));
        }
        pairs.sort_unstable();
        pairs.dedup();
        pairs
    }
}

/// Finds all intersections of one state.
///
/// Vertices without faces are ignored. For many states of one mesh, or for another broad phase than the
/// default, keep a [`Checker`].
///
/// # Errors
/// If the number of positions (m) is not that of the vertices, or if one is not finite.
pub fn find(positions: &[Point3<f64>], topology: &Topology) -> Result<Intersections, IntersectError> {
    Checker::default().check(positions, topology)
}

/// Checks that there is a finite position for every vertex of a face.
pub(crate) fn validate(positions: &[Point3<f64>], topology: &Topology) -> Result<(), IntersectError> {
    if positions.len() != topology.vertex_count() {
        let vertices = topology.vertex_count();
        return Err(IntersectError::PositionCount { positions: positions.len(), vertices });
    }
    if positions.iter().all(|p| p.iter().all(|c| c.is_finite())) {
        return Ok(());
    }
    // Vertices without a face may be anything.
    let used = topology.faces().iter().flatten().map(|&v| v as usize);
    let mut faulty = used.filter(|&v| !positions[v].iter().all(|c| c.is_finite()));
    // The smallest vertex, so that the message does not depend on the order of the faces.
    faulty.next().map_or(Ok(()), |first| {
        let vertex = faulty.fold(first, usize::min);
        Err(IntersectError::NotFinite { vertex, position: positions[vertex] })
    })
}
