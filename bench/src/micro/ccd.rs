//! Continuous collision detection of two primitives.

use cloth_ccd::{Additive, Ccd, Filtered, Inclusion, Query, Reference, Toi};
use parry3d::math::{Pose, Vector};
use parry3d::query::{NonlinearRigidMotion, cast_shapes_nonlinear};
use parry3d::shape::Segment;

use super::inputs::{MOTIONS, motions};
use super::kernels::vector;
use super::{Effort, time_calls};
use crate::contenders::version_of;
use crate::schema::CcdResult;

/// Why parry's shape cast cannot answer.
const DEFORMS: &str =
    "casts rigid shapes: corners of one primitive that move differently are no rigid motion";

/// All methods on all sets of queries.
pub(super) fn all(effort: Effort) -> Vec<CcdResult> {
    MOTIONS.iter().flat_map(|&(name, is_rigid)| set(name, is_rigid, effort)).collect()
}

/// The exact answer to each query; a query without one (not finite) does not occur.
fn exact(queries: &[Query]) -> Vec<Option<Toi>> {
    queries.iter().map(|q| Reference.impact(q, 0.0).ok().flatten()).collect()
}

fn set(name: &str, is_rigid: bool, effort: Effort) -> Vec<CcdResult> {
    let queries = motions(name, effort.queries);
    let exact = exact(&queries);
    let own = |method: &str, ccd: &dyn Ccd| {
        // An error would be no proof of a free motion.
        let call = |q: &Query| ccd.impact(q, 0.0).unwrap_or(Some(Toi::exact(0.0))).map(|toi| toi.time);
        judged(row(name, method, "cloth-ccd", true), &queries, &exact, effort, call)
    };
    let parry = row(name, "cast_shapes_nonlinear", "parry3d", false);
    let parry = if is_rigid {
        let casts: Vec<Cast> = queries.iter().map(Cast::new).collect();
        judged(parry, &casts, &exact, effort, Cast::time)
    } else {
        CcdResult { queries: queries.len(), unsupported: DEFORMS.into(), ..parry }
    };
    vec![
        own("filtered", &Filtered::default()),
        own("inclusion", &Inclusion::default()),
        own("additive", &Additive::default()),
        parry,
    ]
}

fn row(input: &str, method: &str, package: &str, own: bool) -> CcdResult {
    CcdResult {
        contender: format!("{package} {method}"),
        version: version_of(package),
        own,
        input: input.into(),
        ..CcdResult::default()
    }
}

/// Times a method, and compares its answers with the exact ones.
fn judged<I>(
    row: CcdResult,
    inputs: &[I],
    exact: &[Option<Toi>],
    effort: Effort,
    call: impl Fn(&I) -> Option<f64>,
) -> CcdResult {
    let answers: Vec<Option<f64>> = inputs.iter().map(&call).collect();
    let pairs = || answers.iter().zip(exact);
    let is_late = |(answer, exact): &(&Option<f64>, &Option<Toi>)| match (answer, exact) {
        (Some(time), Some(toi)) => *time > toi.time + toi.gap,
        _ => false,
    };
    let repetitions = effort.repetitions.min(5);
    CcdResult {
        queries: inputs.len(),
        positives: exact.iter().flatten().count(),
        false_negatives: pairs().filter(|(a, e)| a.is_none() && e.is_some()).count() as u64,
        false_positives: pairs().filter(|(a, e)| a.is_some() && e.is_none()).count() as u64,
        late: pairs().filter(is_late).count() as u64,
        ns: time_calls(inputs, repetitions, call),
        ..row
    }
}

/// Two segments in translation, as parry takes them.
struct Cast {
    segments: [Segment; 2],
    motions: [NonlinearRigidMotion; 2],
}

impl Cast {
    /// Of a query of two edges.
    fn new(query: &Query) -> Self {
        let (start, end) = (query.start(), query.end());
        let segment = |k: usize| Segment::new(vector(&start[k]), vector(&start[k + 1]));
        let motion = |k: usize| {
            let velocity = vector(&end[k]) - vector(&start[k]);
            NonlinearRigidMotion::new(Pose::IDENTITY, Vector::ZERO, velocity, Vector::ZERO)
        };
        Self { segments: [segment(0), segment(2)], motions: [motion(0), motion(2)] }
    }

    fn time(&self) -> Option<f64> {
        let ([a, b], [m, n]) = (&self.segments, &self.motions);
        let hit = cast_shapes_nonlinear(m, a, n, b, 0.0, 1.0, true).ok().flatten();
        hit.map(|hit| f64::from(hit.time_of_impact))
    }
}
