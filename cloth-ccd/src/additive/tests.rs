//! The additive method against known geometry, exact answers, and third-party data.

use super::*;
use crate::inclusion::corpus::check_answer;
use crate::inclusion::trials::{self, falling};

const METHOD: Additive = Additive { rescaling: 0.01, tolerance: 1e-9, max_iterations: 1000 };

trials::stamp!(METHOD);

#[test]
fn proves_translations_free_in_one_evaluation() {
    trials::proves_translations_free_in_one_evaluation(&Additive { max_iterations: 1, ..METHOD });
}

#[test]
fn is_not_late_by_one_bit() {
    trials::is_not_late_by_one_bit(&METHOD);
    trials::is_not_late_by_one_bit(&Additive { tolerance: 0.0, rescaling: 0.0, ..METHOD });
}

#[test]
fn stays_conservative_when_its_steps_run_out() {
    for max_iterations in [0, 1, 2] {
        trials::finds_made_up_touches(&Additive { max_iterations, ..METHOD });
    }
    for query in falling(1.0, 1.0) {
        let time =
            |max_iterations| Additive { max_iterations, ..METHOD }.impact(&query, 0.0).unwrap().unwrap().time;
        assert_eq!(time(0), 0.0);
        assert!(time(2) > time(1) && time(1) > 0.9);
    }
}

#[test]
fn takes_any_setting() {
    for wild in [0.0, -1.0, 2.0, f64::NAN, f64::INFINITY, f64::MAX, 5e-324] {
        for method in [Additive { tolerance: wild, ..METHOD }, Additive { rescaling: wild, ..METHOD }] {
            trials::finds_made_up_touches(&method);
        }
    }
}

/// `l_p` of the paper: the greatest displacement of each primitive, without the mean of all, added up.
fn paper_step(query: &Query) -> f64 {
    let moved: Vec<_> = query.start().iter().zip(query.end()).map(|(a, b)| b - a).collect();
    let mean = moved.iter().sum::<nalgebra::Vector3<f64>>() / moved.len() as f64;
    let greatest =
        |part: &[nalgebra::Vector3<f64>]| part.iter().fold(0.0, |most: f64, v| most.max((v - mean).norm()));
    let (first, second) = moved.split_at(query.first_corners());
    trials::distance_at(query, 0.0) / (greatest(first) + greatest(second))
}

#[test]
fn never_steps_shorter_than_the_paper() {
    let method = Additive { max_iterations: 1, ..METHOD };
    trials::for_random_motions(|query| {
        if let Some(toi) = method.impact(query, 0.0).unwrap() {
            let paper = (1.0 - method.rescaling) * paper_step(query);
            assert!(toi.time >= paper * (1.0 - 1e-9) - 1e-12, "{} < {paper}: {query:?}", toi.time);
        }
    });
}

/// False impacts of the additive method of a well-known library on the same queries, with its own default
/// settings.
fn judge_scene(scene: &str, of_others: usize) {
    let Some(faults) = check_answer(&METHOD, scene) else { return };
    for fault in faults {
        assert_eq!((fault.misses, fault.late), (0, 0), "{scene}");
    }
    let false_impacts = faults[0].false_impacts + faults[1].false_impacts;
    assert!(false_impacts <= of_others, "{scene}: {false_impacts}");
}

#[test]
fn judges_the_unit_tests_of_others() {
    judge_scene("unit-tests", 33);
}

#[test]
fn judges_cube_cliff_edges() {
    judge_scene("erleben-cube-cliff-edges", 192);
}

#[test]
fn judges_spikes_and_wedges() {
    judge_scene("erleben-spike-wedge", 14);
    judge_scene("erleben-wedges", 116);
    judge_scene("erleben-spike-crack", 0);
    judge_scene("erleben-sliding-spike", 0);
}
