//! The numbers on which skipping a pair rests. They must never err towards skipping.
//!
//! They have a file of their own because all culling rests on them. With the feature `mutations` a faulty
//! version replaces this file, to test that the suites find it.

use cloth_geom::lanes::Lanes8;

/// The correct numbers.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Skipping {}

impl Skipping {
    /// Upper bounds (m) of the displacements of eight vertices.
    #[inline(always)]
    pub(crate) fn displacement(self, bound: Lanes8) -> Lanes8 {
        bound
    }

    /// Greatest time for which pairs are listed, in units of the motion at the search.
    pub(crate) fn end(self, end: f32) -> f32 {
        end
    }

    /// Time in which frames move before the search, in units of the motion at the search.
    pub(crate) fn before_search(self, time: f32) -> f32 {
        time
    }

    /// Displacement (m) up to which all pairs of a vertex are listed.
    #[inline(always)]
    pub(crate) fn slack(self, slack: f32) -> f32 {
        slack
    }

    /// Lower bound (m) of the separation of a listed pair at the search, from what was measured and its
    /// error.
    #[inline(always)]
    pub(crate) fn separation(self, measured: f32, error: f32) -> f32 {
        measured - error
    }

    /// Displacement (m) below which none of the pairs of a primitive is due.
    #[inline(always)]
    pub(crate) fn budget(self, budget: f32) -> f32 {
        budget
    }

    /// Whether the pairs of a leaf with a vertex beyond its slack are searched again.
    pub(crate) fn grows(self, _leaf: usize) -> bool {
        true
    }
}
