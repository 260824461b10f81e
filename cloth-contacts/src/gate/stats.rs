//! What the gate did to one motion.

/// Counts of one motion.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct GateStats {
    /// Pairs that were judged, once for each round that touched them.
    pub proofs: usize,
    /// Of those, proved by a separating plane in `f32`, with a bound of its rounding error.
    pub proved_in_f32: usize,
    /// Of the others, decided by exact detection, where no plane was found in `f64` either.
    pub exact: usize,
    /// Rounds; 1 if all was proved as proposed.
    pub rounds: u32,
    /// Vertices that do not end where it was proposed.
    pub corrected: usize,
    /// Of those, the ones that stayed where they were.
    pub frozen: usize,
    /// Pairs of cloth and body that were let go.
    pub released: usize,
    /// Pairs that touched from the start and could not be parted: none in a certified state, but for a vertex that lies on a face
    /// with whose corners all its edges are joined.
    pub touching: usize,
}
