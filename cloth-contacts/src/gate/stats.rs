//! Statistics of the gate.

/// Statistics of one certified motion.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct GateStats {
    /// Number of tests, once per pair and round.
    pub proofs: usize,
    /// Tests decided by a separating plane in `f32` with a bound on its rounding error.
    pub proved_in_f32: usize,
    /// Tests decided by exact detection, because no plane was found in `f64` either.
    pub exact: usize,
    /// Number of rounds; 1 if the proposed motion was certified unchanged.
    pub rounds: u32,
    /// Number of vertices whose end differs from the proposed one.
    pub corrected: usize,
    /// Number of corrected vertices that stay at their start.
    pub frozen: usize,
    /// Number of pairs of cloth and body that were released.
    pub released: usize,
    /// Number of pairs of cloth at distance zero at the start that could not be moved apart. None in a
    /// certified state, except for a vertex on a face whose corners are joined to it by edges.
    pub touching: usize,
    /// Number of guarded pairs that did not have to keep the distance of [`Gate::keep_distance`]: they start
    /// nearer, or a body moved into cloth that could not give way. They do not touch unless they are
    /// released.
    ///
    /// [`Gate::keep_distance`]: super::Gate::keep_distance
    pub near: usize,
}
