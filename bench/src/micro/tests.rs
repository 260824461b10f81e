use std::sync::LazyLock;

use super::*;
use crate::report::text;

const EFFORT: Effort = Effort { queries: 200, repetitions: 1, side: 16, frames: 20 };

/// Measured once for all tests.
static MEASURED: LazyLock<BenchReport> = LazyLock::new(|| {
    let mut report = crate::fixture::report();
    measure(&mut report, EFFORT).expect("measured");
    report
});

/// This project's exact predicates and its gate's CCD have no wrong answer, and its broad phases report
/// exactly the overlapping boxes.
#[test]
fn what_claims_to_be_exact_is_exact() {
    let report = &*MEASURED;
    let exact = ["exact::segment_meets_triangle", "exact::orient3d", "robust", "geometry-predicates"];
    for r in report.kernels.iter().filter(|r| exact.iter().any(|name| r.contender.contains(name))) {
        assert_eq!((r.wrong, r.queries), (0, EFFORT.queries), "{} on {}", r.contender, r.input);
    }
    for r in report.ccd.iter().filter(|r| r.own) {
        assert_eq!((r.false_negatives, r.late), (0, 0), "{} on {}", r.contender, r.input);
        assert!(r.positives > 0 && r.positives < r.queries, "{}: {} collide", r.input, r.positives);
    }
    for r in report.broad_phases.iter().filter(|r| r.own) {
        assert_eq!((r.missing, r.extra), (0, 0), "{}", r.contender);
        assert!(r.pairs > 0, "{}", r.contender);
    }
}

/// A comparison in which no inexact method is ever wrong has inputs that are too easy.
#[test]
fn near_degenerate_inputs_separate_exact_from_rounded() {
    let report = &*MEASURED;
    let naive = report.kernels.iter().find(|r| r.contender.starts_with("nalgebra") && r.input != "random");
    assert!(naive.is_some_and(|r| r.wrong > 0), "{naive:?}");
}

#[test]
fn every_part_has_peers_and_is_in_the_tables() {
    let report = &*MEASURED;
    assert!(report.kernels.iter().any(|r| !r.own) && report.broad_phases.iter().any(|r| !r.own));
    let parry = report.ccd.iter().filter(|r| r.contender.starts_with("parry3d"));
    let supported: Vec<bool> = parry.map(|r| r.unsupported.is_empty()).collect();
    assert_eq!(supported, [false, false, true], "rigid motions alone");
    let text = text(report);
    for part in [
        "parry3d Bvh",
        "kiddo ImmutableKdTree",
        "cloth-ccd filtered",
        "casts rigid shapes",
        "robust orient3d",
    ] {
        assert!(text.contains(part), "{part}\n{text}");
    }
}
