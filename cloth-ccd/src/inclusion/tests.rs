//! The inclusion-based method against known geometry, exact answers, and third-party data.

use super::corpus::check_answer;
use super::*;
use crate::inclusion::trials::{self, falling};

const METHOD: Inclusion = Inclusion { tolerance: 1e-6, max_checks: 10_000 };

trials::stamp!(METHOD);

#[test]
fn proves_translations_free_in_one_evaluation() {
    trials::proves_translations_free_in_one_evaluation(&Inclusion { max_checks: 0, ..METHOD });
}

#[test]
fn is_not_late_by_one_bit() {
    trials::is_not_late_by_one_bit(&METHOD);
    trials::is_not_late_by_one_bit(&Inclusion { tolerance: 0.0, ..METHOD });
}

#[test]
fn stays_conservative_when_its_checks_run_out() {
    for max_checks in [0, 1, 3, 10] {
        trials::finds_made_up_touches(&Inclusion { max_checks, ..METHOD });
    }
    let [.., query] = falling(1.0, 1.0);
    let time = |max_checks| Inclusion { max_checks, ..METHOD }.impact(&query, 0.0).unwrap().unwrap().time;
    assert_eq!(time(0), 0.0);
    assert!(time(20) > 0.5 && time(200) > time(20), "more checks, a better time: {} {}", time(20), time(200));
}

#[test]
fn a_motion_proved_free_is_no_impact_even_within_the_tolerance() {
    // Within the tolerance, but one evaluation over the whole motion is a proof.
    let coarse = Inclusion { tolerance: 10.0, ..METHOD };
    for query in falling(1.0, 0.5) {
        assert_eq!(coarse.impact(&query, 0.0), Ok(None));
    }
    for query in falling(1.0, 2.0) {
        assert_eq!(coarse.impact(&query, 0.0), Ok(Some(Toi::no_earlier_than(0.0))));
    }
}

#[test]
fn takes_any_setting() {
    for tolerance in [0.0, -1.0, f64::NAN, f64::INFINITY, f64::MAX, 5e-324] {
        let method = Inclusion { tolerance, ..METHOD };
        for query in falling(1.0, 2.0) {
            assert!(method.impact(&query, 0.0).unwrap().unwrap().time <= 0.5);
        }
    }
}

/// False impacts of Tight-Inclusion on the same queries, with its own default settings.
fn judge_scene(scene: &str, of_tight_inclusion: usize) {
    let Some(faults) = check_answer(&METHOD, scene) else { return };
    for fault in faults {
        assert_eq!((fault.misses, fault.late), (0, 0), "{scene}");
    }
    let false_impacts = faults[0].false_impacts + faults[1].false_impacts;
    assert!(false_impacts <= of_tight_inclusion, "{scene}: {false_impacts}");
}

#[test]
fn judges_the_unit_tests_of_others() {
    judge_scene("unit-tests", 0);
}

#[test]
fn judges_cube_cliff_edges() {
    judge_scene("erleben-cube-cliff-edges", 172);
}

#[test]
fn judges_spikes_and_wedges() {
    judge_scene("erleben-spike-wedge", 2);
    judge_scene("erleben-wedges", 4);
    judge_scene("erleben-spike-crack", 0);
    judge_scene("erleben-sliding-spike", 0);
}
