//! Contact history: a contact keeps the side that it had in the previous step.
//!
//! A solver may leave a contact violated so far that vertex and face, or two edges, end a step on opposite
//! sides. Without history the next step would take the wrong side as the right one, and the layers would stay
//! interlocked. A pair that was in contact over the interior of both primitives and is so again on the
//! opposite side has crossed: it keeps its side, and its gap becomes negative, so that the solver brings it
//! back. A pair that was not in contact in the previous step takes its side from its positions.

use nalgebra::Vector3;

use crate::layers::Layers;
use crate::{EdgeEdge, PointTriangle, Side};

/// Carries the sides of the contacts of the previous step over; both lists must be in canonical order.
///
/// Contacts between layers are unchanged: the order of the layers decides their side.
pub(crate) fn carry_sides(layers: &Layers, previous: &[PointTriangle], now: &mut [PointTriangle]) {
    let key = |c: &PointTriangle| [c.vertex, c.face];
    merge(previous, now, key, |before, now| {
        if layers.point_triangle(key(now)).is_none() {
            let own = MeasuredSide { side: now.side, normal: now.normal, gap: now.gap };
            let MeasuredSide { side, normal, gap } = kept_side(before, own);
            (now.side, now.normal, now.gap) = (side, normal, gap);
        }
    });
}

/// Carries the directions of edge-edge contacts over; as [`carry_sides`].
pub(crate) fn carry_directions(layers: &Layers, previous: &[EdgeEdge], now: &mut [EdgeEdge]) {
    merge(
        previous,
        now,
        |c: &EdgeEdge| c.edges,
        |before, now| {
            if layers.edge_edge(now.edges).is_none() {
                (now.normal, now.gap) = kept_direction(&before.normal, now.normal, now.gap);
            }
        },
    );
}

/// Calls `carry` for each pair of entries with equal keys of two sorted lists.
fn merge<C>(previous: &[C], now: &mut [C], key: fn(&C) -> [u32; 2], carry: impl Fn(&C, &mut C)) {
    let mut old = previous.iter().peekable();
    for contact in now {
        while old.next_if(|o| key(o) < key(contact)).is_some() {}
        if let Some(before) = old.peek().filter(|o| key(o) == key(contact)) {
            carry(before, contact);
        }
    }
}

/// The side, normal and gap (m) of a contact, as measured.
#[derive(Clone, Copy, Debug)]
pub(crate) struct MeasuredSide {
    pub(crate) side: Side,
    pub(crate) normal: Vector3<f32>,
    pub(crate) gap: f32,
}

impl MeasuredSide {
    /// The same seen from the other side.
    fn turned_to(self, side: Side) -> Self {
        Self { side, normal: -self.normal, gap: -self.gap }
    }
}

/// What a contact keeps of its side, given what it was before.
///
/// By value: what has just been written to memory in parts is not read from it as a whole without a stall.
#[inline]
pub(crate) fn kept_side(before: &PointTriangle, measured: MeasuredSide) -> MeasuredSide {
    // Over an edge or a vertex there is no side, but a contact with a negative gap has a direction to keep.
    let wrong = before.gap < 0.0 && before.side == Side::Frozen && measured.side == Side::Frozen;
    if wrong && before.normal.dot(&measured.normal) < 0.0 {
        return measured.turned_to(measured.side);
    }
    match (before.side, measured.side) {
        (Side::Back, Side::Front) | (Side::Front, Side::Back) => measured.turned_to(before.side),
        _ => measured,
    }
}

/// Normal and gap (m) of a contact of two edges, given the normal it had before; as [`kept_side`].
#[inline]
pub(crate) fn kept_direction(before: &Vector3<f32>, normal: Vector3<f32>, gap: f32) -> (Vector3<f32>, f32) {
    if before.dot(&normal) < 0.0 { (-normal, -gap) } else { (normal, gap) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Contacts;
    use nalgebra::Vector3;

    fn point_triangle(vertex: u32, side: Side, normal: Vector3<f32>, gap: f32) -> PointTriangle {
        let (corners, weights) = ([10, 11, 12], [0.2, 0.3, 0.5]);
        PointTriangle { vertex, face: 0, corners, side, normal, weights, gap, distance: 0.1 }
    }

    fn edge_edge(edges: [u32; 2], normal: Vector3<f32>, gap: f32) -> EdgeEdge {
        EdgeEdge { edges, a: [0, 1], b: [2, 3], s: 0.5, t: 0.5, normal, gap, distance: 0.1 }
    }

    /// Side, height of the normal and gap of a contact, given the previous one.
    fn kept(before: (Side, f32, f32), now: (Side, f32, f32)) -> (Side, f32, f32) {
        let contact = |(side, y, gap)| point_triangle(0, side, Vector3::new(0.0, y, 0.0), gap);
        let (before, now) = (contact(before), contact(now));
        let own = MeasuredSide { side: now.side, normal: now.normal, gap: now.gap };
        let MeasuredSide { side, normal, gap } = kept_side(&before, own);
        (side, normal.y, gap)
    }

    #[test]
    fn a_contact_that_crossed_keeps_its_side_and_has_a_negative_gap() {
        let (front, back) = ((Side::Front, 1.0, 0.02), (Side::Back, -1.0, 0.01));
        assert_eq!(kept(front, back), (Side::Front, 1.0, -0.01));
        assert_eq!(kept(back, front), (Side::Back, -1.0, -0.02));
        assert_eq!(kept(front, front), front);
        assert_eq!(kept(back, back), back);
    }

    #[test]
    fn an_edge_contact_keeps_its_direction_only_on_the_wrong_side() {
        let now = (Side::Frozen, 1.0, 0.01);
        assert_eq!(kept((Side::Frozen, -1.0, -0.02), now), (Side::Frozen, -1.0, -0.01));
        assert_eq!(kept((Side::Frozen, 1.0, -0.02), now), now);
        assert_eq!(kept((Side::Frozen, -1.0, 0.02), now), now);
        assert_eq!(kept((Side::Frozen, -1.0, 0.0), now), now);
        assert_eq!(kept((Side::Front, -1.0, -0.02), now), now);
    }

    #[test]
    fn two_edges_keep_their_direction_and_take_another_at_right_angles() {
        let before = edge_edge([0, 1], Vector3::y(), 0.01);
        let after = |normal: Vector3<f32>| kept_direction(&before.normal, normal, 0.01);
        assert_eq!(after(-Vector3::y()), (Vector3::y(), -0.01));
        assert_eq!(after(Vector3::x()), (Vector3::x(), 0.01));
        assert_eq!(after(Vector3::y()), (Vector3::y(), 0.01));
    }

    #[test]
    fn each_contact_takes_over_from_the_one_with_its_key() {
        let up = Vector3::y();
        let points = |sides: &[(u32, Side)]| -> Vec<PointTriangle> {
            sides.iter().map(|&(vertex, side)| point_triangle(vertex, side, up * side.sign(), 0.01)).collect()
        };
        let previous = Contacts {
            point_triangles: points(&[(1, Side::Front), (3, Side::Front), (4, Side::Back), (9, Side::Front)]),
            edge_edges: vec![edge_edge([0, 5], up, 0.01), edge_edge([2, 3], up, 0.01)],
        };
        let mut now = Contacts {
            point_triangles: points(&[(1, Side::Back), (2, Side::Back), (4, Side::Back), (9, Side::Back)]),
            edge_edges: vec![edge_edge([0, 4], -up, 0.01), edge_edge([2, 3], -up, 0.01)],
        };
        carry_sides(&Layers::default(), &previous.point_triangles, &mut now.point_triangles);
        carry_directions(&Layers::default(), &previous.edge_edges, &mut now.edge_edges);
        let gaps: Vec<f32> = now.point_triangles.iter().map(|c| c.gap).collect();
        assert_eq!(gaps, [-0.01, 0.01, 0.01, -0.01]);
        let gaps: Vec<f32> = now.edge_edges.iter().map(|c| c.gap).collect();
        assert_eq!(gaps, [0.01, -0.01]);
    }
}
