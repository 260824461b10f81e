//! Whether a state is free of intersections: decided exactly, for every edge and face of a mesh.
//!
//! An *intersection* is an edge and a face that share no vertex and have a point in common, both closed.
//! Whatever crosses, touches or lies in a common plane is found; two faces that meet otherwise than in their
//! common vertices always have an edge that meets the other face. Only two faces that share an edge and lie
//! flat on each other escape the rule, because each of their edges shares a vertex with the other face: they
//! are reported apart, as flat folds.
//!
//! | file | answers | |
//! |---|---|---|
//! | `brute_force` | all edges against all faces | the reference |
//! | `checker` | the same through a broad phase, or by patches that certify themselves | equal set |
//!
//! Cloth that is sewn together meets at its seams. Where seams are declared, the caller leaves out of the result what they join: see [`Seams`].
//!
//! No number is chosen here: there is no tolerance, and the verdict is right for all finite positions.

mod apart;
mod brute_force;
mod checker;
mod collector;
mod flat_folds;
mod known_mesh;
mod progress;
#[cfg(test)]
pub(crate) mod real_data_tests;
mod seams;
#[cfg(test)]
mod tests;

use cloth_broadphase::BroadPhase;
use cloth_geom::Topology;
pub use cloth_geom::exact::IntersectionKind;
use nalgebra::Point3;
use thiserror::Error;

pub use brute_force::find_brute_force;
pub use checker::Checker;
pub use progress::{CheckProgress, Checked};
pub use seams::{ClosedSeams, Seam, Seams};

/// Why a state cannot be judged.
#[derive(Clone, Debug, Error, PartialEq)]
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
        "vertex {vertex} is at {position}, which is not finite; the simulation or file that made it is at fault"
    )]
    NotFinite {
        /// The vertex.
        vertex: usize,
        /// Its position (m).
        position: Point3<f64>,
    },
    /// There are more faces than a broad phase can number.
    #[error("{faces} faces are too many to number; check the parts of the mesh apart")]
    TooManyFaces {
        /// Number of faces.
        faces: usize,
    },
}

/// All intersections of one state; empty if and only if the state is clean.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Intersections {
    /// The `[edge, face]` that have a point in common, in lexicographic order.
    pub edge_faces: Vec<[u32; 2]>,
    /// How each of [`Intersections::edge_faces`] meets.
    pub kinds: Vec<IntersectionKind>,
    /// Edges on which two faces lie flat on each other, ascending.
    pub flat_folds: Vec<u32>,
}

impl Intersections {
    /// Number of intersections: edges and faces that meet. Flat folds count apart.
    #[must_use]
    pub fn count(&self) -> usize {
        self.edge_faces.len()
    }

    /// Whether there is neither an intersection nor a flat fold.
    #[must_use]
    pub fn is_clean(&self) -> bool {
        self.edge_faces.is_empty() && self.flat_folds.is_empty()
    }

    /// The pairs of faces behind the intersections: each face on the edge, with the face that it meets.
    ///
    /// Each pair once, the lesser face first, in lexicographic order. `topology` is the one that was checked;
    /// ids that it does not have are skipped.
    #[must_use]
    pub fn face_pairs(&self, topology: &Topology) -> Vec<[u32; 2]> {
        self.pairs_behind(topology, |_, _| true)
    }

    /// The pairs of faces that share no vertex and of which an edge crosses the inside of the other.
    ///
    /// This is what most other tools count: it leaves out what only touches, what lies in a common plane, and
    /// neighbours that share a vertex.
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
/// Vertices that no face uses are ignored. For many states of one mesh, keep a [`Checker`].
///
/// # Errors
/// If there is not one position (m) for each vertex, or if one is not finite.
pub fn find<B: BroadPhase>(
    positions: &[Point3<f64>],
    topology: &Topology,
) -> Result<Intersections, IntersectError> {
    Checker::<B>::default().check(positions, topology)
}

/// Makes sure that there is a finite position for every vertex of a face.
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
    // The least vertex, so that the message does not depend on the order of the faces.
    faulty.next().map_or(Ok(()), |first| {
        let vertex = faulty.fold(first, usize::min);
        Err(IntersectError::NotFinite { vertex, position: positions[vertex] })
    })
}
