//! What to do about each kind of problem.

use crate::{Problem, ProblemKind};

/// What to do about a problem.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Action {
    /// Take the faces or vertices behind it out of the mesh.
    Drop,
    /// Refuse the mesh.
    Reject,
    /// Leave it.
    Keep,
}

/// What a repair may change. The fields say what is dropped.
///
/// The default drops faces and vertices that carry no surface, keeps what a simulation supports, and rejects
/// what only the author of the mesh can decide.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RepairPolicy {
    /// Weld vertices that are at most this far apart (m), each cluster to its first vertex. No two vertices
    /// farther apart become one: of a chain of near vertices that is longer, only parts do. `None` (the
    /// default) welds nothing, 0 welds equal positions. There is no default distance, because one that suits
    /// seams may close folds.
    pub weld_distance: Option<f64>,
    /// The vertex, and every face that uses it. Default: reject.
    pub non_finite_position: Action,
    /// The face. Default: reject.
    pub index_out_of_range: Action,
    /// The face; it carries no surface, welding makes such faces. Default: drop.
    pub repeated_vertex: Action,
    /// The face; it leaves a slit if its long edge is not its neighbour's. Default: reject.
    pub zero_area: Action,
    /// All faces of the same vertices but the first. Default: drop.
    pub duplicate_face: Action,
    /// All faces at the edge but the first two. Default: reject.
    pub non_manifold_edge: Action,
    /// Drops all faces at the vertex but those of its largest fan, the first of equals. Default: keep; two
    /// fans at one vertex can be simulated.
    pub non_manifold_vertex: Action,
    /// The later of the two faces. Default: reject.
    pub inconsistent_winding: Action,
    /// The vertex. Default: drop.
    pub unreferenced_vertex: Action,
}

impl Default for RepairPolicy {
    fn default() -> Self {
        Self {
            repeated_vertex: Action::Drop,
            duplicate_face: Action::Drop,
            non_manifold_vertex: Action::Keep,
            unreferenced_vertex: Action::Drop,
            ..Self::all(Action::Reject)
        }
    }
}

impl RepairPolicy {
    /// The same action for every kind, and no welding.
    #[must_use]
    pub fn all(action: Action) -> Self {
        Self {
            weld_distance: None,
            non_finite_position: action,
            index_out_of_range: action,
            repeated_vertex: action,
            zero_area: action,
            duplicate_face: action,
            non_manifold_edge: action,
            non_manifold_vertex: action,
            inconsistent_winding: action,
            unreferenced_vertex: action,
        }
    }

    /// The action for a kind of problem.
    #[must_use]
    pub fn action(&self, kind: ProblemKind) -> Action {
        match kind {
            ProblemKind::NonFinitePosition => self.non_finite_position,
            ProblemKind::IndexOutOfRange => self.index_out_of_range,
            ProblemKind::RepeatedVertex => self.repeated_vertex,
            ProblemKind::ZeroArea => self.zero_area,
            ProblemKind::DuplicateFace => self.duplicate_face,
            ProblemKind::NonManifoldEdge => self.non_manifold_edge,
            ProblemKind::NonManifoldVertex => self.non_manifold_vertex,
            ProblemKind::InconsistentWinding => self.inconsistent_winding,
            ProblemKind::UnreferencedVertex => self.unreferenced_vertex,
        }
    }
}

/// The vertex that dropping a problem takes away.
pub(super) fn vertex_to_drop(problem: &Problem) -> Option<u32> {
    match *problem {
        Problem::NonFinitePosition { vertex } | Problem::UnreferencedVertex { vertex } => Some(vertex),
        _ => None,
    }
}

/// The faces that dropping a problem takes away, apart from those that use a dropped vertex.
pub(super) fn faces_to_drop(problem: &Problem) -> Vec<u32> {
    match problem {
        Problem::NonFinitePosition { .. } | Problem::UnreferencedVertex { .. } => Vec::new(),
        Problem::IndexOutOfRange { face, .. }
        | Problem::RepeatedVertex { face, .. }
        | Problem::ZeroArea { face }
        | Problem::DuplicateFace { face, .. } => vec![*face],
        Problem::NonManifoldEdge { faces, .. } => faces[2..].to_vec(),
        Problem::NonManifoldVertex { fans, .. } => {
            let largest = fans.iter().map(Vec::len).max();
            let keep = fans.iter().position(|fan| Some(fan.len()) == largest);
            let others = fans.iter().enumerate().filter(|&(i, _)| Some(i) != keep);
            others.flat_map(|(_, fan)| fan.iter().copied()).collect()
        }
        Problem::InconsistentWinding { faces, .. } => vec![faces[1]],
    }
}
