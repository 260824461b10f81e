//! The cases that `conformance_suite!` stamps: each asks a method, and panics with the first query whose
//! answer breaks the contract.

use super::contact::Contact;
use super::distances::{Approached, approached, nearly_approached};
use super::families::{CONTACTS, EXTREMES, FAMILIES, Family, parted};
use super::known;
use super::oracle::{Agreement, Expected, ask, attempt, check_answer};
use super::placement::{place, times_power};
use super::query_kind::positions;
use super::samples::{STEPS, distance_at_most, touches};
use super::symmetry::{degenerate_forms, image};
use super::trial::for_tapes;
use super::{ChoiceSequence, QueryKind};
use crate::{Ccd, CcdError, Query};

/// Queries of each family and kind: few, since each method is stamped on, and the reference takes its time.
const TAPES: u64 = 40;
/// Queries of each extreme family, for which the reference takes a thousand times as long.
const FEW: u64 = 5;

/// Every family, the extreme ones seldom.
fn families() -> impl Iterator<Item = (Family, u64)> {
    FAMILIES.map(|family| (family, TAPES)).into_iter().chain(EXTREMES.map(|family| (family, FEW)))
}

/// Every family, compared with the reference.
fn agrees(method: &dyn Ccd, agreement: Agreement, kind: QueryKind) {
    for (family, count) in families() {
        for_tapes(count, |choices| {
            check_answer(&[(method, agreement)], &family.query(kind, choices), 0.0)
                .map_err(|why| format!("{}: {why}", family.name))
        });
    }
}

/// Every family, seen in a mirror, from elsewhere, in another unit, in another order, backwards in time.
fn agrees_on_images(method: &dyn Ccd, agreement: Agreement, kind: QueryKind) {
    for (family, count) in families() {
        for_tapes(count, |choices| {
            let query = family.query(kind, choices);
            let expected = Expected::from_reference(&query, 0.0)?;
            let image = image(&query, choices);
            let expected = if image.same_times { expected } else { expected.at_any_time() };
            expected.check_answer(method, agreement, &image.query, 0.0).map_err(|why| {
                format!("{}, {}: {why}\nis the image of\n{}", family.name, image.how, super::code(&query))
            })
        });
    }
}

/// Two points.
pub fn agrees_on_two_points(method: &dyn Ccd, agreement: Agreement) {
    agrees(method, agreement, QueryKind::PointPoint);
}

/// A point and an edge.
pub fn agrees_on_points_and_edges(method: &dyn Ccd, agreement: Agreement) {
    agrees(method, agreement, QueryKind::PointEdge);
}

/// A point and a triangle.
pub fn agrees_on_points_and_triangles(method: &dyn Ccd, agreement: Agreement) {
    agrees(method, agreement, QueryKind::PointTriangle);
}

/// Two edges.
pub fn agrees_on_pairs_of_edges(method: &dyn Ccd, agreement: Agreement) {
    agrees(method, agreement, QueryKind::EdgeEdge);
}

/// Two points: what changes nothing.
pub fn agrees_on_images_of_two_points(method: &dyn Ccd, agreement: Agreement) {
    agrees_on_images(method, agreement, QueryKind::PointPoint);
}

/// A point and an edge: what changes nothing.
pub fn agrees_on_images_of_points_and_edges(method: &dyn Ccd, agreement: Agreement) {
    agrees_on_images(method, agreement, QueryKind::PointEdge);
}

/// A point and a triangle: what changes nothing.
pub fn agrees_on_images_of_points_and_triangles(method: &dyn Ccd, agreement: Agreement) {
    agrees_on_images(method, agreement, QueryKind::PointTriangle);
}

/// Two edges: what changes nothing.
pub fn agrees_on_images_of_pairs_of_edges(method: &dyn Ccd, agreement: Agreement) {
    agrees_on_images(method, agreement, QueryKind::EdgeEdge);
}

/// A point said as an edge or a triangle without extent, an edge as a triangle without area.
pub fn sees_no_difference_in_degenerate_forms(method: &dyn Ccd, agreement: Agreement) {
    for (family, count) in families() {
        for kind in [QueryKind::PointPoint, QueryKind::PointEdge] {
            for_tapes(count, |choices| {
                let query = family.query(kind, choices);
                let expected = Expected::from_reference(&query, 0.0)?;
                degenerate_forms(&query)
                    .iter()
                    .try_for_each(|form| expected.check_answer(method, agreement, form, 0.0))
            });
        }
    }
}

/// Positive distances: about that of a known closest approach, and about a share of the extent of every
/// family.
pub fn agrees_at_a_distance(method: &dyn Ccd, agreement: Agreement) {
    for kind in QueryKind::ALL {
        for_tapes(2 * TAPES, |choices| {
            let (query, distance) = nearly_approached(kind, choices);
            check_answer(&[(method, agreement)], &query, distance)
        });
        for family in FAMILIES {
            for_tapes(FEW, |choices| {
                let query = family.query(kind, choices);
                check_answer(&[(method, agreement)], &query, distance_for(&query, choices))
            });
        }
    }
}

/// From the extent of a query down to its last bits.
fn distance_for(query: &Query, choices: &mut ChoiceSequence) -> f64 {
    let greatest = query.start().iter().chain(query.end()).flat_map(|p| p.iter().copied());
    let greatest = greatest.fold(0.0f64, |most, c| most.max(c.abs()));
    times_power(greatest.min(1e300), choices.pick(&[-3, 0, -6, -10, -20, -40, -52]))
}

/// The time at which a known distance is reached, and that it is not reached where it is less than the least.
pub fn arrives_exactly_at_a_distance(method: &dyn Ccd, agreement: Agreement) {
    for kind in QueryKind::ALL {
        for_tapes(5 * TAPES, |choices| {
            let Approached { query, distance, expected, is_least } = approached(kind, choices);
            expected.check_answer(method, agreement, &query, distance)?;
            // A 64th below is more than the slack of any method that is called exact.
            let below = Expected(None);
            if is_least && agreement != Agreement::OneSided {
                below.check_answer(method, agreement, &query, distance * (1.0 - 1.0 / 64.0))?;
            }
            Ok(())
        });
    }
}

/// Samples at 17 instants: contact exactly, a distance from above.
pub fn never_misses_what_a_sample_sees(method: &dyn Ccd, agreement: Agreement) {
    for kind in QueryKind::ALL {
        for family in FAMILIES {
            for_tapes(FEW, |choices| {
                let query = family.query(kind, choices);
                contact_is_not_missed(method, agreement, &query)?;
                distance_is_not_missed(method, agreement, &query, distance_for(&query, choices))
            });
        }
    }
}

/// The first sample that touches bounds the time; a time that is exact and a sample must be one of contact.
fn contact_is_not_missed(method: &dyn Ccd, agreement: Agreement, query: &Query) -> Result<(), String> {
    let first = (0..=STEPS).find(|&step| touches(query, step) == Some(true));
    if let Some(step) = first {
        seen_at(step).check_answer(method, agreement, query, 0.0)?;
    }
    let Some(toi) = ask(method, query, 0.0)?.filter(|_| agreement != Agreement::OneSided) else {
        return Ok(());
    };
    let step = toi.time * f64::from(STEPS);
    let is_contact = toi.gap > 0.0 || step.fract() != 0.0 || touches(query, step as u32) != Some(false);
    if is_contact { Ok(()) } else { Err(format!("no contact at {toi:?} of\n{}", super::code(query))) }
}

fn distance_is_not_missed(
    method: &dyn Ccd,
    agreement: Agreement,
    query: &Query,
    distance: f64,
) -> Result<(), String> {
    let first =
        (0..=STEPS).find(|&step| distance_at_most(query, step).is_some_and(|least| least <= distance));
    first.map_or(Ok(()), |step| seen_at(step).check_answer(method, agreement, query, distance))
}

/// A pair that is in contact at a sample, or has been before.
fn seen_at(step: u32) -> Expected {
    no_later_than(f64::from(step) / f64::from(STEPS))
}

fn no_later_than(time: f64) -> Expected {
    Expected(Some([-1.0, time.next_up()]))
}

/// Contacts by construction, before any perturbation: found, and not later than the instant.
pub fn finds_contacts_made_by_construction(method: &dyn Ccd, agreement: Agreement) {
    for kind in QueryKind::ALL {
        for contact in CONTACTS {
            for_tapes(TAPES, |choices| {
                let contact: Contact = contact(kind, choices);
                let [t0, t1] = place(&contact.ends(), [0; 3]);
                let [m, n] = contact.instant.map(|c| c as f64);
                // The quotient is rounded, perhaps down.
                let expected = no_later_than((m / n).next_up());
                let query = kind.query(&t0, &t1);
                if contact.is_made() { expected.check_answer(method, agreement, &query, 0.0) } else { Ok(()) }
            });
        }
    }
}

/// A plane between the two at both ends, at a distance of one lattice step.
pub fn respects_gaps_made_by_construction(method: &dyn Ccd, agreement: Agreement) {
    for kind in QueryKind::ALL {
        for_tapes(5 * TAPES, |choices| {
            let [t0, t1] = place(&parted(kind, choices), [choices.pick(&[0, -30, 900, -1074]); 3]);
            Expected(None).check_answer(method, agreement, &kind.query(&t0, &t1), 0.0)
        });
    }
}

/// Ladders of offsets beside edges, corners and ends.
pub fn knows_crossings_beside_every_border(method: &dyn Ccd, agreement: Agreement) {
    known::check(method, agreement, known::beside_borders(), 29);
}

/// Contact at the very start, the very end, or a hair off.
pub fn knows_arrivals_and_departures(method: &dyn Ccd, agreement: Agreement) {
    known::check(method, agreement, known::at_the_ends(), 17);
}

/// Motions that are coplanar throughout.
pub fn knows_motions_within_a_plane(method: &dyn Ccd, agreement: Agreement) {
    known::check(method, agreement, known::in_a_plane(), 13);
}

/// Double roots, and what becomes of them when they are shifted.
pub fn knows_roots_that_meet_and_part(method: &dyn Ccd, agreement: Agreement) {
    known::check(method, agreement, known::of_two_roots(), 29);
}

/// Triple roots, and several roots one of which is a hit.
pub fn knows_which_of_three_roots_is_a_hit(method: &dyn Ccd, agreement: Agreement) {
    known::check(method, agreement, known::of_three_roots(), 13);
}

/// No motion, common motion, common corners, identical primitives.
pub fn knows_pairs_at_rest(method: &dyn Ccd, agreement: Agreement) {
    known::check(method, agreement, known::still(), 13);
}

/// The greatest and the least coordinates.
pub fn knows_the_ends_of_the_range_of_numbers(method: &dyn Ccd, agreement: Agreement) {
    known::check(method, agreement, known::enormous(), 3);
}

/// NaN and infinity in every coordinate.
pub fn refuses_what_is_not_finite(method: &dyn Ccd, _: Agreement) {
    for kind in QueryKind::ALL {
        let query = FAMILIES[0].query(kind, &mut ChoiceSequence::seeded(1));
        for (slot, value) in
            (0..6 * kind.count()).flat_map(|i| [f64::NAN, f64::INFINITY, -f64::INFINITY].map(|v| (i, v)))
        {
            let (point, axis) = (slot / 3, slot % 3);
            let mut at = positions(&query);
            at[point / kind.count()][point % kind.count()][axis] = value;
            let spoiled = kind.query(&at[0], &at[1]);
            for distance in [0.0, 0.5, f64::NAN] {
                match attempt(method, &spoiled, distance) {
                    Ok(Err(CcdError::NotFinite(error))) if (error.point, error.axis) == (point, axis) => {}
                    other => panic!("{other:?} for {value} in point {point}, axis {axis} of {kind:?}"),
                }
                assert!(method.is_free(&spoiled, distance).is_err(), "{kind:?} is called free or not");
            }
        }
    }
}

/// Distances below zero, infinite, or no numbers.
pub fn refuses_distances_that_are_none(method: &dyn Ccd, _: Agreement) {
    for kind in QueryKind::ALL {
        let query = FAMILIES[0].query(kind, &mut ChoiceSequence::seeded(1));
        for distance in [-1.0, -5e-324, f64::INFINITY, f64::NEG_INFINITY, f64::NAN] {
            match attempt(method, &query, distance) {
                Ok(Err(CcdError::Distance(named))) if named.to_bits() == distance.to_bits() => {}
                other => panic!("{other:?} for a distance of {distance}"),
            }
            assert!(method.is_free(&query, distance).is_err(), "a distance of {distance} has a verdict");
        }
        let (zero, minus_zero) = (method.impact(&query, 0.0), method.impact(&query, -0.0));
        assert_eq!(zero, minus_zero, "the sign of zero");
    }
}

/// The two questions of a method have one answer.
pub fn says_free_just_when_it_finds_no_impact(method: &dyn Ccd, _: Agreement) {
    for kind in QueryKind::ALL {
        for family in FAMILIES {
            for_tapes(FEW, |choices| {
                let query = family.query(kind, choices);
                for distance in [0.0, distance_for(&query, choices)] {
                    let (impact, free) = (ask(method, &query, distance)?, method.is_free(&query, distance));
                    if free != Ok(impact.is_none()) {
                        return Err(format!("{impact:?}, but free: {free:?}, of\n{}", super::code(&query)));
                    }
                }
                Ok(())
            });
        }
    }
}
