//! The generators hit what they aim at: contact, misses by a hair, later roots, and every stage of the
//! filter.

use cloth_ccd::conformance::{ChoiceSequence, FAMILIES, Family, QueryKind};
use cloth_ccd::{Ccd, Filtered, Query, Reference, Stage};
use cloth_geom::exact::{Sign, orient3d};

/// How many queries of one family and kind collide, and how many miss by less than a millionth of their
/// extent.
fn hits_and_hairs(family: Family, kind: QueryKind, count: u64) -> [u32; 2] {
    let mut counts = [0, 0];
    for seed in 0..count {
        let query = family.query(kind, &mut ChoiceSequence::seeded(seed));
        if !Reference.is_free(&query, 0.0).expect("finite") {
            counts[0] += 1;
        } else if !Filtered::default().is_free(&query, 1e-6 * extent(&query)).expect("finite") {
            counts[1] += 1;
        }
    }
    counts
}

/// The greatest coordinate (m).
fn extent(query: &Query) -> f64 {
    query.start().iter().chain(query.end()).map(|p| p.coords.amax()).fold(f64::MIN_POSITIVE, f64::max)
}

#[test]
fn contact_and_misses_by_a_hair_are_frequent_in_every_kind() {
    for kind in QueryKind::ALL {
        let counts = FAMILIES.map(|family| hits_and_hairs(family, kind, 40));
        let [hits, hairs] = [0, 1].map(|k| counts.iter().map(|c| c[k]).sum::<u32>());
        let all = 40 * FAMILIES.len() as u32;
        assert!((all / 5..all * 2 / 3).contains(&hits), "{hits} hits in {all} of {kind:?}");
        assert!(hairs > all / 10, "{hairs} misses by a hair in {all} of {kind:?}");
    }
}

#[test]
fn no_family_is_all_contact_or_without_aim() {
    for family in FAMILIES {
        let counts = QueryKind::ALL.map(|kind| hits_and_hairs(family, kind, 20));
        let [hits, hairs] = [0, 1].map(|k| counts.iter().map(|c| c[k]).sum::<u32>());
        assert!(hits < 64, "{hits} of 80 are hits: {family:?}");
        assert!(hits + hairs >= 10, "{hits} hits and {hairs} misses by a hair in 80: {family:?}");
    }
}

#[test]
fn a_query_with_several_roots_often_collides_at_a_later_one() {
    let family = FAMILIES.into_iter().find(|family| family.name == "several roots").expect("there is one");
    for kind in [QueryKind::PointTriangle, QueryKind::EdgeEdge] {
        let later = (0..200)
            .filter(|&seed| passes_before_it_hits(&family.query(kind, &mut ChoiceSequence::seeded(seed))))
            .count();
        assert!(later > 20, "{later} of 200 pass before they hit: {kind:?}");
    }
}

/// Whether the sign of the volume changes well before the impact, by samples.
fn passes_before_it_hits(query: &Query) -> bool {
    let Some(toi) = Reference.impact(query, 0.0).expect("finite") else { return false };
    let side_at = |t: f64| {
        let at = |i: usize| query.start()[i] * (1.0 - t) + query.end()[i].coords * t;
        orient3d(&at(0), &at(1), &at(2), &at(3))
    };
    let sides: Vec<Sign> = (0..=20).map(|k| side_at(toi.time * 0.99 * f64::from(k) / 20.0)).collect();
    sides.windows(2).any(|pair| pair[0] != pair[1])
}

#[test]
fn every_stage_of_the_filter_decides_some() {
    let mut counts = [0; Stage::ALL.len()];
    for kind in [QueryKind::PointTriangle, QueryKind::EdgeEdge] {
        for family in FAMILIES {
            for seed in 0..200 {
                let query = family.query(kind, &mut ChoiceSequence::seeded(seed));
                counts[Filtered::default().decide(&query).expect("finite").stage as usize] += 1;
            }
        }
    }
    let all: u32 = counts.iter().sum();
    assert!(counts.iter().all(|&count| count > all / 100), "{counts:?} of {all} by {:?}", Stage::ALL);
}
