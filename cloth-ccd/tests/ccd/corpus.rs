//! Every method on queries of others, whose answers were computed by others, exactly.

use cloth_ccd::{Ccd, Filtered, Reference};

use crate::labels::all;

/// Asserts the labels, and that the enclosure of the exact time and that of the method have a time in common.
fn check(method: &dyn Ccd, is_exact: bool) {
    for (name, set) in all() {
        let (mut hits, mut timed) = (0, 0);
        for (i, labelled) in set.iter().enumerate() {
            let impact = method.impact(&labelled.query, 0.0).expect("finite");
            if is_exact || labelled.collides {
                assert_eq!(impact.is_some(), labelled.collides, "{name}, query {i}");
            }
            if let (Some(toi), Some([low, high])) = (impact, labelled.first) {
                assert!(
                    toi.time <= high && toi.time + toi.gap >= low,
                    "{name}, query {i}: {toi:?}, [{low}, {high}]"
                );
                timed += 1;
            }
            hits += usize::from(labelled.collides);
        }
        assert_eq!(hits, timed, "{name}: each hit has a time");
    }
}

#[test]
fn the_reference_gives_the_answers_of_others() {
    check(&Reference, true);
}

#[test]
fn the_filtered_method_gives_the_answers_of_others() {
    check(&Filtered::default(), true);
    check(&Filtered::tight(), true);
}

#[cfg(feature = "comparison")]
#[test]
fn the_conservative_methods_miss_nothing_that_others_found() {
    check(&cloth_ccd::Inclusion::default(), false);
    check(&cloth_ccd::Additive::default(), false);
}

#[test]
fn there_are_hits_and_misses_of_both_kinds() {
    for kind in ["ee", "vf"] {
        let of_kind: Vec<_> = all().into_iter().filter(|(name, _)| name.ends_with(kind)).collect();
        let hits: usize =
            of_kind.iter().map(|(_, set)| set.iter().filter(|labelled| labelled.collides).count()).sum();
        let count: usize = of_kind.iter().map(|(_, set)| set.len()).sum();
        assert!(of_kind.is_empty() || (hits > 100 && count - hits > 100), "{hits} of {count} {kind} collide");
    }
}
