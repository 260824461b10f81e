//! Pairs whose closest approach is a distance known exactly: whole vectors of whole length.

use super::QueryKind;
use super::choices::ChoiceSequence;
use super::contact::{Contact, Frame};
use super::lattice::{Lattice, combine, cross};
use super::oracle::Expected;
use super::placement::{nudge, place, times_power};
use crate::Query;

/// Vectors of whole length, and it.
const QUADRUPLES: [(Lattice, i64); 7] = [
    ([0, 0, 1], 1),
    ([0, 3, 4], 5),
    ([1, 2, 2], 3),
    ([2, 3, 6], 7),
    ([1, 4, 8], 9),
    ([2, 6, 9], 11),
    ([6, 6, 7], 11),
];

/// A query about a distance, and when the pair first comes within it.
#[derive(Clone, Debug)]
pub(super) struct Approached {
    pub(super) query: Query,
    pub(super) distance: f64,
    pub(super) expected: Expected,
    /// Whether they never come nearer than the distance.
    pub(super) is_least: bool,
}

/// Two primitives that move rigidly, between two planes at a distance: closest at the instant, or first
/// within it then.
pub(super) fn approached(kind: QueryKind, choices: &mut ChoiceSequence) -> Approached {
    let (away, length) = choices.pick(&QUADRUPLES);
    let mut away = away;
    away.rotate_right(choices.below(3));
    away = away.map(|c| if choices.once_in(2) { -c } else { c });
    let size = choices.pick(&[2, 10, 1000]);
    let mut contact = Contact::draw(kind, choices, &Frame::SPACE, size);
    let sideways = |v: Lattice| cross(away, v);
    for (part, outward) in contact.parts.iter_mut().zip([1, -1]) {
        part.spins = [[0; 3]; 3];
        part.weights = part.weights.map(i64::abs);
        for k in 0..part.corners {
            // What carries no weight may lie farther off; what does lies in the plane.
            let beyond = if part.weights[k] == 0 { outward * choices.signed(2).abs() } else { 0 };
            part.places[k] = combine([(1, sideways(part.places[k])), (beyond, away)]);
        }
    }
    let speed = choices.pick(&[1, 3, 0]);
    contact.gap = away;
    contact.relative = combine([(1, sideways(contact.relative)), (-speed, away)]);
    let exponent = choices.pick(&[0, -10, -52, 300, -300]);
    let [t0, t1] = place(&contact.ends(), [exponent; 3]);
    let [m, n] = contact.instant.map(|c| c as f64);
    let (low, high) = ((m / n).next_down(), (m / n).next_up());
    let exact = n.log2().fract() == 0.0;
    let expected = match speed {
        0 => [-1.0, high],
        _ if exact => [m / n; 2],
        _ => [low, high],
    };
    Approached {
        query: kind.query(&t0, &t1),
        distance: times_power(length as f64, exponent),
        expected: Expected(Some(expected)),
        is_least: speed == 0,
    }
}

/// A pair of any such shape, nudged, and a distance near that of its closest approach.
pub(super) fn nearly_approached(kind: QueryKind, choices: &mut ChoiceSequence) -> (Query, f64) {
    let Approached { query, distance, .. } = approached(kind, choices);
    let mut positions = super::query_kind::positions(&query);
    nudge(choices, kind, &mut positions);
    let share = choices.pick(&[1.0, 1.0 - 1e-3, 1.0 + 1e-3, 1.0 - 1e-9, 1.0 + 1e-9, 0.5, 2.0, 1e-6]);
    (kind.query(&positions[0], &positions[1]), distance * share)
}
