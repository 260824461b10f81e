//! Ways to be wrong, on purpose: a campaign that does not notice them proves nothing.
//!
//! They exist with the feature `mutations` alone. Without it nothing can be weakened, and every question here is `false` when
//! it is compiled.

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

/// A weakness, if there may be one.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Weak {
    #[cfg(feature = "mutations")]
    pub(crate) of: Weakness,
}

impl Weak {
    /// Whether this is what is wrong.
    #[inline(always)]
    pub(crate) fn is(self, what: Weakness) -> bool {
        #[cfg(feature = "mutations")]
        let is = self.of == what;
        #[cfg(not(feature = "mutations"))]
        let is = {
            let _ = what;
            false
        };
        is
    }
}
