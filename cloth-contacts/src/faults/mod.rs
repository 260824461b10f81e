//! Ways to be wrong, on purpose: a campaign that does not notice them proves nothing.
//!
//! This folder is compiled with the feature `mutations` alone. What a guarantee rests on stands in files of its own (`conditions.rs` beside what
//! uses them); with the feature, one of these takes the place of each, passes every question on to it, and answers wrongly where it is told to.
//!
//! | in place of | file |
//! |---|---|
//! | `detect/motion/conditions.rs` | `faults/motion_bounds.rs` |
//! | `gate/conditions.rs` | `faults/gate_conditions.rs` |

/// What a weakened gate does wrong.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Weakness {
    /// Nothing.
    #[default]
    None,
    /// No edge is kept apart from an edge.
    SkipEdgeEdge,
    /// What was pulled back is not proved again.
    SkipReproof,
    /// One pair in a thousand is never looked at.
    DropOneInAThousand,
    /// Bounds of motion are those of the middle of a patch, as if all its vertices moved alike.
    CentreForBound,
    /// What the second task of exact detection finds is lost.
    IgnoreAThread,
    /// A plane has to separate at the end alone.
    PlaneAtTheEndOnly,
    /// After a round, only pairs whose first vertex was touched are proved again.
    ReproveFirstVertexOnly,
    /// The paths of patches relative to each other are summed in `f32`, so that short steps after a long path are swallowed.
    PathInF32,
    /// An edge and a vertex are of the region of their first face alone.
    RegionOfFirstFace,
    /// A step that fails leaves the exemptions as they were when it failed.
    UndoKeepsBook,
    /// A snapshot of any simulation is accepted; one that was taken without a gate removes it.
    ForeignSnapshot,
}
