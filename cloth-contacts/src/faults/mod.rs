//! Fault injection, to test that the audits find faults.
//!
//! Compiled only with the feature `mutations`. The conditions on which guarantees rest are in files of their
//! own; with the feature, one of these files replaces each, forwards every call to it, and returns wrong
//! results where a fault was injected.
//!
//! | replaces | file |
//! |---|---|
//! | `lists/skipping.rs` | `faults/skipping.rs` |
//! | `lists/dormant.rs` | `faults/dormant.rs` |
//! | `gate/conditions.rs` | `faults/gate_conditions.rs` |

/// A fault to inject.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Weakness {
    /// No fault.
    #[default]
    None,
    /// Pairs of edges are not guarded.
    SkipEdgeEdge,
    /// Corrected pairs are not certified again.
    SkipReproof,
    /// One pair in a thousand is never tested.
    DropOneInAThousand,
    /// The displacement of a vertex is taken for 1 % less than its bound.
    DisplacementShort,
    /// Pairs are listed for slacks that are 1 % shorter.
    SlackShort,
    /// Budgets are 1 % longer than half of the least separation.
    BudgetLong,
    /// Frames are used for 5 % longer than pairs are listed for.
    EndLate,
    /// What frames approach before the search is not counted in the chord of a frame.
    BeforeSearchIgnored,
    /// The separation of a listed pair is as measured, without its error.
    SeparationUnrounded,
    /// One leaf in three is forgotten when slacks grow.
    GrowthForgets,
    /// The results of the second task of exact detection are lost.
    IgnoreAThread,
    /// A plane only has to separate at the end.
    PlaneAtTheEndOnly,
    /// After a round, only pairs whose first vertex changed are certified again.
    ReproveFirstVertexOnly,
    /// An edge or vertex belongs to the region of its first face only.
    RegionOfFirstFace,
    /// A failed step keeps the exemptions of the failure.
    UndoKeepsExemptions,
    /// A snapshot of any simulation is accepted; one that was taken without a gate removes the gate.
    ForeignSnapshot,
    /// An edit that ends an exemption does not have the state checked.
    EditAdmitsNothing,
    /// A teleport does not have the state checked.
    TeleportAdmitsNothing,
    /// A cloth that is cut keeps its velocities in the frame of before.
    CutKeepsVelocities,
    /// What lags stays where it is instead of going on in the next step.
    LagForgotten,
    /// The first kinematic vertex that was stopped stays where it was stopped.
    ThawForgetsVertex,
    /// A cut is passed off as motion: it is not reported, and the chord over it may be certified.
    CutUnreported,
    /// Restoring a state wakes all cloth.
    RestoreWakes,
    /// Cloth in motion falls asleep if it takes no time at rest.
    SleepsInMotion,
    /// A rigid body wakes cloth by its velocity alone, not by how it turns or what pushes it.
    SpinWakesNothing,
    /// Cloth that sleeps is not woken by cloth that touches it.
    TouchWakesNothing,
    /// Dormant vertices are not tested again although they move.
    DormantMayMove,
    /// Dormant vertices are not tested against those that move.
    DormantBesideMoving,
    /// Pairs of vertices that were dormant are not searched when those wake.
    DormantNeverExpire,
}
