//! The memory of sides: a contact keeps the side that it had in the step before.
//!
//! A solver may leave a contact so far violated that point and triangle, or two edges, end a step on each
//! other's wrong side. Taken by itself, the next state would then define the wrong side as the right one, and the
//! layers would stay locked into each other. So a pair that was in contact over the interior of both
//! primitives, and is again, but on the other side, has crossed; it keeps its side, its gap is negative, and the
//! solver brings it back. A pair that was not in contact in the step before has no history: it is taken as it is.

use crate::layers::Layers;
use crate::{Contacts, EdgeEdge, PointTriangle, Side};

/// Carries the sides of the previous step's contacts over; both must be in canonical order.
///
/// Contacts between layers are left as they are: their order has decided.
pub(crate) fn carry_over(layers: &Layers, previous: &Contacts, now: &mut Contacts) {
    let key = |c: &PointTriangle| [c.vertex, c.face];
    merge(&previous.point_triangles, &mut now.point_triangles, key, |before, now| {
        if layers.point_triangle(key(now)).is_none() {
            keep_side(before, now);
        }
    });
    merge(
        &previous.edge_edges,
        &mut now.edge_edges,
        |c: &EdgeEdge| c.edges,
        |before, now| {
            if layers.edge_edge(now.edges).is_none() {
                keep_direction(before, now);
            }
        },
    );
}

/// Calls `carry` for each pair of entries with equal keys, of two lists sorted by key.
fn merge<C>(previous: &[C], now: &mut [C], key: fn(&C) -> [u32; 2], carry: impl Fn(&C, &mut C)) {
    let mut old = previous.iter().peekable();
    for contact in now {
        while old.next_if(|o| key(o) < key(contact)).is_some() {}
        if let Some(before) = old.peek().filter(|o| key(o) == key(contact)) {
            carry(before, contact);
        }
    }
}

pub(crate) fn keep_side(before: &PointTriangle, now: &mut PointTriangle) {
    // Over an edge or a corner there is no side, but a contact that is on its wrong side has a direction to keep.
    let wrong = before.gap < 0.0 && before.side == Side::Frozen && now.side == Side::Frozen;
    if wrong && before.normal.dot(&now.normal) < 0.0 {
        now.normal = -now.normal;
        now.gap = -now.gap;
        return;
    }
    let crossed = before.side.sign() * now.side.sign() < 0.0;
    if crossed {
        now.side = if now.side == Side::Front { Side::Back } else { Side::Front };
        now.normal = -now.normal;
        now.gap = -now.gap;
    }
}

pub(crate) fn keep_direction(before: &EdgeEdge, now: &mut EdgeEdge) {
    if before.normal.dot(&now.normal) < 0.0 {
        now.normal = -now.normal;
        now.gap = -now.gap;
    }
}
