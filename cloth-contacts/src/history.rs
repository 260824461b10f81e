//! The memory of sides: a contact keeps the side that it had in the step before.
//!
//! A solver may leave a contact so far violated that point and triangle, or two edges, end a step on each
//! other's wrong side. Taken by itself, the next state would then define the wrong side as the right one, and the
//! layers would stay locked into each other. So a pair that was in contact over the interior of both
//! primitives, and is again, but on the other side, has crossed; it keeps its side, its gap is negative, and the
//! solver brings it back. A pair that was not in contact in the step before has no history: it is taken as it is.

use crate::{Contacts, EdgeEdge, PointTriangle, Side};

/// Carries the sides of the previous step's contacts over; both must be in canonical order.
pub(crate) fn carry_over(previous: &Contacts, now: &mut Contacts) {
    let key = |c: &PointTriangle| [c.vertex, c.face];
    merge(&previous.point_triangles, &mut now.point_triangles, key, keep_side);
    merge(&previous.edge_edges, &mut now.edge_edges, |c: &EdgeEdge| c.edges, keep_direction);
}

/// Calls `carry` for each pair of entries with equal keys, of two lists sorted by key.
fn merge<C>(previous: &[C], now: &mut [C], key: fn(&C) -> [u32; 2], carry: fn(&C, &mut C)) {
    let mut old = previous.iter().peekable();
    for contact in now {
        while old.next_if(|o| key(o) < key(contact)).is_some() {}
        if let Some(before) = old.peek().filter(|o| key(o) == key(contact)) {
            carry(before, contact);
        }
    }
}

pub(crate) fn keep_side(before: &PointTriangle, now: &mut PointTriangle) {
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
