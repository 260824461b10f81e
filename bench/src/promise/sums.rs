//! The results of a contender in one line.

use crate::schema::{PushReport, PushResult};

/// A contender over all its cases.
pub(crate) struct PushSum<'a> {
    /// Its result in the first case, for what all have in common.
    pub(crate) first: &'a PushResult,
    /// Cases, and those without a crossing.
    pub(crate) cases: [usize; 2],
    /// The first step with a crossing, in any case.
    pub(crate) first_crossing: Option<usize>,
    /// Steps with a crossing, over all cases.
    pub(crate) crossings: usize,
    /// Least share of sideways motion that a case kept, apart and at contact.
    pub(crate) kept: [Option<f64>; 2],
    /// Mean time of a step (ms), over all cases.
    pub(crate) ms_per_step: Option<f64>,
}

/// One for each contender, in the order of the results.
pub(crate) fn sums(report: &PushReport) -> Vec<PushSum<'_>> {
    let sum = |name: &str| {
        let results: Vec<&PushResult> = report.results.iter().filter(|r| r.contender == name).collect();
        let least = |share: fn(&PushResult) -> Option<f64>| {
            results.iter().filter_map(|r| share(r)).min_by(f64::total_cmp)
        };
        let times: Vec<f64> = results.iter().filter_map(|r| r.ms_per_step).collect();
        Some(PushSum {
            first: results.first()?,
            cases: [results.len(), results.iter().filter(|r| r.crossings == 0).count()],
            first_crossing: results.iter().filter_map(|r| r.first_crossing).min(),
            crossings: results.iter().map(|r| r.crossings).sum(),
            kept: [least(|r| r.kept_apart), least(|r| r.kept_at_contact)],
            ms_per_step: (!times.is_empty()).then(|| times.iter().sum::<f64>() / times.len() as f64),
        })
    };
    let mut names: Vec<&str> = Vec::new();
    for result in &report.results {
        if !names.contains(&result.contender.as_str()) {
            names.push(&result.contender);
        }
    }
    names.into_iter().filter_map(sum).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixture;

    #[test]
    fn a_sum_is_over_all_cases_of_a_contender() {
        let report = fixture::pushes();
        let found = sums(&report);
        let planes = &found[1];
        assert_eq!((planes.cases, planes.first_crossing, planes.crossings), ([2, 1], Some(9), 412));
        assert_eq!((planes.kept, planes.ms_per_step), ([Some(0.984), Some(0.25)], Some(0.125)));
        assert_eq!((found[0].cases, found[0].crossings, found[2].cases), ([2, 2], 0, [1, 1]));
    }
}
