//! What an answer must be, given the truth.

use std::cmp::Ordering;
use std::panic::{AssertUnwindSafe, catch_unwind};

use super::code::code;
use crate::{Ccd, CcdError, Query, Reference, Toi};

/// What a method promises about its verdict.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Agreement {
    /// The verdict of the reference.
    Exact {
        /// Greatest gap of its times (share of the step).
        gap: f64,
        /// At a positive distance `d`, `Some` means that the primitives come within `d (1 + slack)`, ...
        slack: f64,
        /// ... or farther by this share of the extent of the query (its greatest difference of two
        /// coordinates on an axis).
        rounding: f64,
    },
    /// Never a miss; it may call a pair colliding that is free.
    OneSided,
}

/// Compares the answers of several methods with the reference, which is evaluated once.
///
/// # Errors
/// The first violation, with the query as Rust code.
pub fn check_answer(methods: &[(&dyn Ccd, Agreement)], query: &Query, distance: f64) -> Result<(), String> {
    let expected = Expected::from_reference(query, distance)?;
    methods
        .iter()
        .try_for_each(|&(method, agreement)| expected.check_answer(method, agreement, query, distance))
}

/// The exact verdict, and for a pair that collides its earliest time: between two numbers, neither of which
/// it is, or exactly the one that both are.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Expected(pub(super) Option<[f64; 2]>);

impl Expected {
    /// The truth by the reference. Its time is the greatest number that is not later than the exact one.
    pub(super) fn from_reference(query: &Query, distance: f64) -> Result<Self, String> {
        let answer = ask(&Reference, query, distance)?;
        Ok(Self(answer.map(|toi| [toi.time, toi.time + toi.gap])))
    }

    /// The same pair in reversed time: nothing is known of the earliest.
    pub(super) fn at_any_time(self) -> Self {
        Self(self.0.map(|_| [-1.0, 2.0]))
    }

    /// Compares a method's answer with the truth.
    pub(super) fn check_answer(
        self,
        method: &dyn Ccd,
        agreement: Agreement,
        query: &Query,
        distance: f64,
    ) -> Result<(), String> {
        let answer = ask(method, query, distance)?;
        let greatest_gap = match agreement {
            Agreement::Exact { gap, .. } if distance == 0.0 => gap,
            _ => 1.0,
        };
        let complaint = match (self.0, answer) {
            (None, None) => None,
            (Some(_), None) => Some("a miss".to_string()),
            (None, Some(toi)) => match agreement {
                Agreement::OneSided => malformed(&toi, greatest_gap),
                Agreement::Exact { slack, rounding, .. } if distance > 0.0 => {
                    let allowed = distance * (1.0 + slack) + rounding * extent(query);
                    let far = Self::from_reference(query, allowed)?.0.is_none();
                    far.then(|| format!("a hit farther than {allowed:e}"))
                        .or_else(|| malformed(&toi, greatest_gap))
                }
                Agreement::Exact { .. } => Some("a hit that is none".to_string()),
            },
            (Some(first), Some(toi)) => malformed(&toi, greatest_gap).or_else(|| wrong_time(&toi, first)),
        };
        complaint.map_or(Ok(()), |complaint| {
            let asked = format!("at a distance of {distance:?} of\n{}", code(query));
            Err(format!("{complaint}: {answer:?} instead of {:?} {asked}", self.0))
        })
    }
}

/// Asks, and takes a panic or an error for a complaint.
pub(super) fn ask(method: &dyn Ccd, query: &Query, distance: f64) -> Result<Option<Toi>, String> {
    let outcome = attempt(method, query, distance);
    outcome.and_then(|answer| answer.map_err(|error| format!("{error}: {}", code(query))))
}

/// Asks, and takes a panic for a complaint.
pub(super) fn attempt(
    method: &dyn Ccd,
    query: &Query,
    distance: f64,
) -> Result<Result<Option<Toi>, CcdError>, String> {
    catch_unwind(AssertUnwindSafe(|| method.impact(query, distance)))
        .map_err(|_| format!("a panic at a distance of {distance:?} of\n{}", code(query)))
}

fn malformed(toi: &Toi, greatest_gap: f64) -> Option<String> {
    // A gap may be rounded up, so that its sum with the time is not less than the end of the step.
    let is_of_the_step = (0.0..=1.0).contains(&toi.time) && (0.0..=greatest_gap.next_up()).contains(&toi.gap);
    (!is_of_the_step).then(|| format!("a time outside of the step, or a gap above {greatest_gap:e}"))
}

/// The greatest difference of two coordinates of one axis (m), infinite if it overflows.
fn extent(query: &Query) -> f64 {
    let along = |axis: usize| {
        let all = || query.start().iter().chain(query.end()).map(move |p| p[axis]);
        all().fold(f64::NEG_INFINITY, f64::max) - all().fold(f64::INFINITY, f64::min)
    };
    along(0).max(along(1)).max(along(2))
}

/// A time that is late, or a gap that ends before the impact, which is between `low` and `high`.
fn wrong_time(toi: &Toi, [low, high]: [f64; 2]) -> Option<String> {
    if toi.time > low && toi.time >= high {
        return Some("late".into());
    }
    let end = compare_end(toi, low);
    let reached = if low < high { end.is_gt() } else { end.is_ge() };
    (!reached).then(|| "a gap that ends before the impact".into())
}

/// How `time + gap`, the sum taken exactly, compares with another number: Knuth's two terms of an addition.
fn compare_end(toi: &Toi, other: f64) -> Ordering {
    let sum = toi.time + toi.gap;
    let virtual_gap = sum - toi.time;
    let rest = (toi.time - (sum - virtual_gap)) + (toi.gap - virtual_gap);
    sum.total_cmp(&other).then(rest.total_cmp(&0.0))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn toi(time: f64, gap: f64) -> Toi {
        Toi { time, gap }
    }

    #[test]
    fn compares_sums_exactly() {
        let up = 0.5f64.next_up();
        assert!(compare_end(&toi(0.5, 0.0), 0.5).is_eq() && compare_end(&toi(0.5, 0.0), up).is_lt());
        assert!(compare_end(&toi(0.5, 1e-30), 0.5).is_gt() && compare_end(&toi(0.5, 1e-30), up).is_lt());
        // A sum that rounds up to one, and falls short of it by a quarter of the last bit.
        let short = toi(0.5, 0.5f64.next_down());
        assert!(short.time + short.gap == 1.0 && compare_end(&short, 1.0).is_lt());
    }

    #[test]
    fn a_time_is_late_past_the_last_number_before_the_impact() {
        let up = 0.25f64.next_up();
        assert_eq!(wrong_time(&toi(0.25, 0.0), [0.25; 2]), None);
        assert_eq!(wrong_time(&toi(up, 0.0), [0.25; 2]), Some("late".into()));
        assert_eq!(wrong_time(&toi(0.25, 1e-9), [0.25, up]), None);
        assert_eq!(wrong_time(&toi(up, 1e-9), [0.25, up]), Some("late".into()));
    }

    #[test]
    fn a_gap_must_reach_the_impact() {
        let complaint = Some("a gap that ends before the impact".into());
        assert_eq!(wrong_time(&toi(0.25, 0.125), [0.5; 2]), complaint);
        assert_eq!(wrong_time(&toi(0.25, 0.25), [0.5; 2]), None);
        assert_eq!(wrong_time(&toi(0.25, 0.25), [0.5, 0.5f64.next_up()]), complaint);
        assert_eq!(wrong_time(&toi(0.25, 0.25), [0.4, 0.6]), None);
    }

    #[test]
    fn nothing_is_known_of_the_time_of_a_reversed_motion() {
        let expected = Expected(Some([0.5; 2])).at_any_time().0.expect("still a hit");
        assert!([0.0, 0.3, 1.0].iter().all(|&time| wrong_time(&toi(time, 0.0), expected).is_none()));
    }
}
