//! The faults of this crate: what `fault!` makes of a value.

#![allow(non_snake_case, reason = "functions have the names of the faults")]

use cloth_geom::lanes::LANES8;

use crate::Surface;
use crate::gate::Pair;

/// Pairs of edges are not guarded.
pub(crate) fn SkipEdgeEdge(is_guarded: bool, pair: Pair, _: &Surface) -> bool {
    is_guarded && matches!(pair, Pair::PointTriangle(_))
}

/// One pair in a thousand, independent of its position, is never tested.
pub(crate) fn DropOneInAThousand(is_guarded: bool, pair: Pair, _: &Surface) -> bool {
    let (Pair::PointTriangle([a, b]) | Pair::EdgeEdge([a, b])) = pair;
    let hash = (a.wrapping_mul(0x9e37_79b1) ^ b.wrapping_mul(0x85eb_ca77)).wrapping_mul(0xc2b2_ae3d) >> 8;
    is_guarded && !hash.is_multiple_of(1000)
}

/// An edge or vertex belongs to the region of its first face only.
pub(crate) fn RegionOfFirstFace(is_guarded: bool, pair: Pair, surface: &Surface) -> bool {
    let Surface { topology, groups, .. } = surface;
    let first = |faces: &[u32]| faces.first().map(|&f| groups.of_face[f as usize]);
    let [a, b] = match pair {
        Pair::PointTriangle([v, f]) => [first(topology.vertex_faces(v as usize)), first(&[f])],
        Pair::EdgeEdge(edges) => edges.map(|e| first(topology.edge_faces(e as usize))),
    };
    is_guarded && a.zip(b).is_none_or(|(a, b)| groups.gated.interact(a, b))
}

/// Corrected pairs are not certified again.
pub(crate) fn SkipReproof(_: bool) -> bool {
    false
}

/// After a round, only pairs whose first vertex changed are certified again.
pub(crate) fn ReproveFirstVertexOnly(vertices: &[u32]) -> &[u32] {
    &vertices[..1]
}

/// A plane only has to separate at the end.
pub(crate) fn PlaneAtTheEndOnly(_: bool) -> bool {
    true
}

/// The results of the second task of exact detection are lost.
pub(crate) fn IgnoreAThread(meets: bool, second: Option<&[Pair]>, pair: &Pair) -> bool {
    meets && !second.is_some_and(|second| second.contains(pair))
}

/// The displacement of a vertex is taken for 1 % less than its bound.
pub(crate) fn DisplacementShort(bound: [f32; LANES8]) -> [f32; LANES8] {
    bound.map(|bound| bound * 0.99)
}

/// Pairs are listed for slacks that are 1 % shorter.
pub(crate) fn SlackShort(slack: f32) -> f32 {
    slack * 0.99
}

/// Budgets are 1 % longer than half of the least separation.
pub(crate) fn BudgetLong(budget: f32) -> f32 {
    budget * 1.01
}

/// Frames are used for 5 % longer than pairs are listed for.
pub(crate) fn EndLate(end: f32) -> f32 {
    end * 1.05
}

/// What frames approach before the search is not counted in the chord of a frame.
pub(crate) fn BeforeSearchIgnored(_: f32) -> f32 {
    0.0
}

/// The separation of a listed pair is rounded up instead of down.
pub(crate) fn SeparationUnrounded(error: f32) -> f32 {
    -error
}

/// One leaf in three is forgotten when slacks grow.
pub(crate) fn GrowthForgets(has_grown: bool, leaf: usize) -> bool {
    has_grown && !leaf.is_multiple_of(3)
}

/// Dormant vertices are not tested again although they move.
pub(crate) fn DormantMayMove(_: bool) -> bool {
    true
}

/// Dormant vertices are not tested against those that move.
pub(crate) fn DormantBesideMoving(_: bool, are_dormant: [bool; 2]) -> bool {
    are_dormant.contains(&true)
}

/// Pairs of vertices that were dormant are not searched when those wake.
pub(crate) fn DormantNeverExpire(_: bool) -> bool {
    false
}
