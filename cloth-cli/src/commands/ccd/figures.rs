//! What a method got right and wrong: verdicts against labels, times against bounds.

use cloth_ccd::Toi;
use serde::Serialize;

use super::method::{Answer, Method, Stages};

/// An error of an answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, schemars::JsonSchema)]
#[serde(rename_all = "snake_case")]
pub(super) enum Fault {
    /// The pair collides, but the method says that it does not.
    FalseNegative,
    /// The pair does not collide, but the method says that it does.
    FalsePositive,
    /// The time is later than the exact one.
    LateToi,
    /// The time is not the exact one, though the method claims it.
    OutsideEnclosure,
    /// The exact time is later than the method's by more than the gap that it states.
    ShortGap,
}

impl Fault {
    pub(super) fn in_words(self) -> &'static str {
        match self {
            Self::FalseNegative => "misses a collision",
            Self::FalsePositive => "finds a collision that is none",
            Self::LateToi => "gives a time that is late",
            Self::OutsideEnclosure => "gives a time that is not the exact one",
            Self::ShortGap => "states a gap that ends before the exact time",
        }
    }
}

/// What judges times.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum TimesFrom {
    /// Bounds so close that a time claimed to be exact must lie between them.
    Enclosures,
    /// The answers of the exact method.
    ExactMethod,
}

/// Closed bounds of the exact time of an exact answer.
pub(super) fn bounds_of(Toi { time, gap }: Toi) -> [f64; 2] {
    // The sum is rounded; the next number is at least the true one.
    [time, if gap == 0.0 { time } else { (time + gap).next_up() }]
}

/// Counts over some queries; none of what could not be judged.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, schemars::JsonSchema)]
pub(super) struct Figures {
    pub(super) queries: usize,
    /// Queries that collide, by their labels.
    pub(super) positives: usize,
    pub(super) false_negatives: usize,
    pub(super) false_positives: usize,
    /// Times that were compared with bounds.
    pub(super) toi_checked: Option<usize>,
    pub(super) late_toi: Option<usize>,
    /// Of a method that claims exact times.
    pub(super) outside_enclosure: Option<usize>,
    pub(super) short_gap: Option<usize>,
    pub(super) stages: Stages,
}

impl Figures {
    /// No query yet, of a method whose times are judged or not, by enclosures or by wider bounds.
    pub(super) fn start(method: Method, times: Option<TimesFrom>) -> Self {
        let judged = times.map(|_| 0);
        let exactly = times == Some(TimesFrom::Enclosures) && method.claims_exact_times();
        Self {
            toi_checked: judged,
            late_toi: judged,
            short_gap: judged,
            outside_enclosure: exactly.then_some(0),
            ..Self::default()
        }
    }

    /// Counts an answer to a query with this label and these bounds of its time, and gives what is wrong with
    /// it.
    pub(super) fn add(&mut self, answer: &Answer, label: bool, bounds: Option<[f64; 2]>) -> Vec<Fault> {
        self.queries += 1;
        self.positives += usize::from(label);
        self.stages.add(answer.stage);
        match (label, answer.impact, bounds) {
            (true, None, _) => self.count(vec![Fault::FalseNegative]),
            (false, Some(_), _) => self.count(vec![Fault::FalsePositive]),
            (true, Some(toi), Some(bounds)) => {
                self.toi_checked = self.toi_checked.map(|n| n + 1);
                let wrong = self.wrong_time(toi, bounds);
                self.count(wrong)
            }
            _ => Vec::new(),
        }
    }

    fn wrong_time(&self, Toi { time, gap }: Toi, [low, high]: [f64; 2]) -> Vec<Fault> {
        // Comparisons that a NaN fails. `low` is an f64, so the rounded sum is below it only if the true one
        // is.
        let (on_time, reaches, inside) = (time <= high, time + gap >= low, (low..=high).contains(&time));
        let exactly = self.outside_enclosure.is_some();
        [(on_time, Fault::LateToi), (reaches, Fault::ShortGap), (inside || !exactly, Fault::OutsideEnclosure)]
            .into_iter()
            .filter_map(|(right, fault)| (!right).then_some(fault))
            .collect()
    }

    fn count(&mut self, faults: Vec<Fault>) -> Vec<Fault> {
        for fault in &faults {
            *match fault {
                Fault::FalseNegative => &mut self.false_negatives,
                Fault::FalsePositive => &mut self.false_positives,
                Fault::LateToi => self.late_toi.get_or_insert(0),
                Fault::OutsideEnclosure => self.outside_enclosure.get_or_insert(0),
                Fault::ShortGap => self.short_gap.get_or_insert(0),
            } += 1;
        }
        faults
    }

    /// Adds the figures of other queries.
    pub(super) fn sum(&mut self, other: &Self) {
        self.queries += other.queries;
        self.positives += other.positives;
        self.false_negatives += other.false_negatives;
        self.false_positives += other.false_positives;
        for (total, own) in [
            (&mut self.toi_checked, other.toi_checked),
            (&mut self.late_toi, other.late_toi),
            (&mut self.outside_enclosure, other.outside_enclosure),
            (&mut self.short_gap, other.short_gap),
        ] {
            *total = total.map_or(own, |total| Some(total + own.unwrap_or(0)));
        }
        self.stages.sum(&other.stages);
    }

    /// Whether the method kept its word: nobody misses a collision or is late, and who claims to be exact is.
    pub(super) fn pass(&self, method: Method) -> bool {
        let counted = [self.late_toi, self.outside_enclosure, self.short_gap];
        let false_positives = if method.claims_exact_verdicts() { self.false_positives } else { 0 };
        self.false_negatives + false_positives + counted.into_iter().flatten().sum::<usize>() == 0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const CLOSE: [f64; 2] = [0.25, 0.5];

    fn all(tight: bool) -> Vec<Method> {
        Method::parse("all", tight).unwrap()
    }

    /// The faults of an answer to a query with close bounds, and the figures with it alone.
    fn judged(method: Method, impact: Option<Toi>, label: bool) -> (Vec<Fault>, Figures) {
        let mut figures = Figures::start(method, Some(TimesFrom::Enclosures));
        let faults = figures.add(&Answer { impact, stage: None }, label, label.then_some(CLOSE));
        (faults, figures)
    }

    #[test]
    fn false_negatives_fail_every_method_and_false_positives_only_exact_ones() {
        for method in all(false) {
            let (faults, figures) = judged(method, None, true);
            assert_eq!((faults, figures.false_negatives), (vec![Fault::FalseNegative], 1));
            assert!(!figures.pass(method) && figures.toi_checked == Some(0));
            let (faults, figures) = judged(method, Some(Toi::exact(0.5)), false);
            assert_eq!((faults, figures.false_positives), (vec![Fault::FalsePositive], 1));
            assert_eq!(figures.pass(method), !method.claims_exact_verdicts());
            let (faults, figures) = judged(method, None, false);
            assert!(faults.is_empty() && figures.pass(method));
        }
    }

    #[test]
    fn a_late_time_fails_everyone() {
        for method in all(false) {
            let (faults, figures) = judged(method, Some(Toi::exact(0.5f64.next_up())), true);
            assert!(faults.contains(&Fault::LateToi) && figures.late_toi == Some(1) && !figures.pass(method));
            let (faults, figures) = judged(method, Some(Toi::exact(0.5)), true);
            assert_eq!((faults, figures.late_toi, figures.toi_checked), (vec![], Some(0), Some(1)));
            assert!(figures.pass(method));
            assert!(judged(method, Some(Toi::exact(f64::NAN)), true).0.contains(&Fault::LateToi));
        }
    }

    #[test]
    fn an_early_time_is_outside_for_those_alone_that_claim_exact_times() {
        let early = Some(Toi { time: 0.25f64.next_down(), gap: 1.0 });
        for method in [all(false), all(true)].concat() {
            let (_, figures) = judged(method, early, true);
            let outside = method.claims_exact_times().then_some(1);
            assert_eq!((figures.outside_enclosure, figures.pass(method)), (outside, outside.is_none()));
            let by_another = Figures::start(method, Some(TimesFrom::ExactMethod));
            assert_eq!(by_another.outside_enclosure, None, "an answer of a method is no enclosure");
        }
    }

    #[test]
    fn a_gap_must_reach_the_exact_time() {
        let with_gap = |method, gap| judged(method, Some(Toi { time: 0.125, gap }), true);
        for method in all(false) {
            assert!(!with_gap(method, 0.125).0.contains(&Fault::ShortGap));
            let (faults, figures) = with_gap(method, 0.0625);
            assert!(faults.contains(&Fault::ShortGap));
            assert_eq!((figures.short_gap, figures.pass(method)), (Some(1), false));
        }
    }

    #[test]
    fn times_that_nobody_can_judge_are_not_counted_as_right() {
        let exact = all(false)[0];
        let mut unjudged = Figures::start(exact, None);
        unjudged.add(&Answer { impact: Some(Toi::exact(0.75)), stage: None }, true, None);
        assert_eq!((unjudged.late_toi, unjudged.toi_checked, unjudged.outside_enclosure), (None, None, None));
        let mut total = unjudged;
        total.sum(&unjudged);
        assert_eq!((total.queries, total.positives, total.late_toi), (2, 2, None));
        total.sum(&judged(exact, Some(Toi::exact(0.5)), true).1);
        assert_eq!((total.queries, total.late_toi, total.toi_checked), (3, Some(0), Some(1)));
    }

    #[test]
    fn bounds_of_an_exact_answer_reach_its_end() {
        assert_eq!(bounds_of(Toi::exact(0.5)), [0.5, 0.5]);
        let [low, high] = bounds_of(Toi { time: 1.0 / 3.0, gap: 1e-17 });
        assert!(low == 1.0 / 3.0 && high > low);
    }
}
