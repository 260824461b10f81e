//! Pairs whose closest approach is a distance known exactly: whole vectors of whole length.

use super::Kind;
use super::contact::{Contact, Frame};
use super::judge::Truth;
use super::lattice::{Lattice, combine, cross};
use super::placement::{nudge, place, times_power};
use super::tape::Tape;
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
    pub(super) truth: Truth,
    /// Whether they never come nearer than the distance.
    pub(super) is_least: bool,
}

/// Two primitives that move rigidly, between two planes at a distance: closest at the instant, or first within it then.
pub(super) fn approached(kind: Kind, tape: &mut Tape) -> Approached {
    let (away, length) = tape.pick(&QUADRUPLES);
    let mut away = away;
    away.rotate_right(tape.below(3));
    away = away.map(|c| if tape.once_in(2) { -c } else { c });
    let size = tape.pick(&[2, 10, 1000]);
    let mut contact = Contact::draw(kind, tape, &Frame::SPACE, size);
    let sideways = |v: Lattice| cross(away, v);
    for (part, outward) in contact.parts.iter_mut().zip([1, -1]) {
        part.spins = [[0; 3]; 3];
        part.weights = part.weights.map(i64::abs);
        for k in 0..part.corners {
            // What carries no weight may lie farther off; what does lies in the plane.
            let beyond = if part.weights[k] == 0 { outward * tape.signed(2).abs() } else { 0 };
            part.places[k] = combine([(1, sideways(part.places[k])), (beyond, away)]);
        }
    }
    let speed = tape.pick(&[1, 3, 0]);
    contact.gap = away;
    contact.relative = combine([(1, sideways(contact.relative)), (-speed, away)]);
    let exponent = tape.pick(&[0, -10, -52, 300, -300]);
    let [t0, t1] = place(&contact.ends(), [exponent; 3]);
    let [m, n] = contact.instant.map(|c| c as f64);
    let (low, high) = ((m / n).next_down(), (m / n).next_up());
    let exact = n.log2().fract() == 0.0;
    let truth = match speed {
        0 => [-1.0, high],
        _ if exact => [m / n; 2],
        _ => [low, high],
    };
    Approached {
        query: kind.query(&t0, &t1),
        distance: times_power(length as f64, exponent),
        truth: Truth(Some(truth)),
        is_least: speed == 0,
    }
}

/// A pair of any such shape, nudged, and a distance near that of its closest approach.
pub(super) fn nearly_approached(kind: Kind, tape: &mut Tape) -> (Query, f64) {
    let Approached { query, distance, .. } = approached(kind, tape);
    let mut positions = super::kind::positions(&query);
    nudge(tape, kind, &mut positions);
    let share = tape.pick(&[1.0, 1.0 - 1e-3, 1.0 + 1e-3, 1.0 - 1e-9, 1.0 + 1e-9, 0.5, 2.0, 1e-6]);
    (kind.query(&positions[0], &positions[1]), distance * share)
}
