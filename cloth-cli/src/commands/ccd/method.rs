//! The methods that are judged, each by its word, and the stages in which they decide.

use std::fmt::Write;

use cloth_ccd::{Additive, Ccd, CcdError, Decision, Filtered, Inclusion, Query, Reference, Stage, Toi};
use cloth_show::program::Failure;
use cloth_show::program::console::count;
use serde::{Serialize, Serializer};

/// A method of continuous collision detection.
#[derive(Clone, Copy, Debug)]
pub(super) enum Method {
    Exact,
    Filtered(Filtered),
    Inclusion(Inclusion),
    Additive(Additive),
}

/// What a method says about a query.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Answer {
    pub(super) impact: Option<Toi>,
    /// Which stage decided, of a method that has any.
    pub(super) stage: Option<Stage>,
}

impl Method {
    /// The methods of a word; `tight` asks for times that are exact to the last bit, of those that can.
    pub(super) fn parse(word: &str, tight: bool) -> Result<Vec<Self>, Failure> {
        let filtered = if tight { Filtered::tight() } else { Filtered::default() };
        let all = [
            Self::Exact,
            Self::Filtered(filtered),
            Self::Inclusion(Inclusion::default()),
            Self::Additive(Additive::default()),
        ];
        if word == "all" {
            return Ok(all.to_vec());
        }
        let known = all.map(Self::name).join(", ");
        let one = all.into_iter().find(|method| method.name() == word);
        one.map(|method| vec![method])
            .ok_or_else(|| Failure::new(format!("--method: unknown method `{word}`; use {known}, or all")))
    }

    /// Its word.
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Exact => "exact",
            Self::Filtered(_) => "filtered",
            Self::Inclusion(_) => "inclusion",
            Self::Additive(_) => "additive",
        }
    }

    /// Whether a verdict of it must never be wrong.
    pub(super) fn claims_exact_verdicts(self) -> bool {
        matches!(self, Self::Exact | Self::Filtered(_))
    }

    /// Whether a time of it must be exact to the last bit.
    pub(super) fn claims_exact_times(self) -> bool {
        match self {
            Self::Exact => true,
            Self::Filtered(filtered) => filtered.max_gap == 0.0,
            Self::Inclusion(_) | Self::Additive(_) => false,
        }
    }

    /// Whether and when the primitives of a query touch.
    pub(super) fn answer(self, query: &Query) -> Result<Answer, CcdError> {
        let plain = |impact| Answer { impact, stage: None };
        match self {
            Self::Exact => Reference.impact(query, 0.0).map(plain),
            Self::Filtered(filtered) => {
                filtered.decide(query).map(|Decision { impact, stage }| Answer { impact, stage: Some(stage) })
            }
            Self::Inclusion(inclusion) => inclusion.impact(query, 0.0).map(plain),
            Self::Additive(additive) => additive.impact(query, 0.0).map(plain),
        }
    }
}

/// Counts by stage; all zero for a method without stages.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Stages {
    counts: [usize; Stage::ALL.len()],
}

impl Stages {
    /// Counts one query.
    pub(super) fn add(&mut self, stage: Option<Stage>) {
        if let Some(place) = Stage::ALL.iter().position(|&known| Some(known) == stage) {
            self.counts[place] += 1;
        }
    }

    /// Adds the counts of other queries.
    pub(super) fn sum(&mut self, other: &Self) {
        self.counts.iter_mut().zip(other.counts).for_each(|(total, count)| *total += count);
    }

    fn total(&self) -> usize {
        self.counts.iter().sum()
    }

    /// Each stage with its count and share, and the share that took integers; none if there are no stages.
    pub(super) fn text(&self) -> Option<String> {
        let total = self.total();
        let percent = |part: usize| 100.0 * part as f64 / total as f64;
        let mut text = String::new();
        for (stage, n) in Stage::ALL.iter().zip(self.counts).filter(|&(_, n)| n > 0) {
            let _ = write!(text, "{} {} ({:.2} %), ", stage.name(), count(n), percent(n));
        }
        let exact: usize = Stage::ALL
            .iter()
            .zip(self.counts)
            .filter(|(stage, _)| stage.is_exact_call())
            .map(|(_, n)| n)
            .sum();
        let _ = write!(text, "in integers {:.2} %", percent(exact));
        (total > 0).then_some(text)
    }
}

impl schemars::JsonSchema for Stages {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "Stages".into()
    }

    fn json_schema(generator: &mut schemars::SchemaGenerator) -> schemars::Schema {
        let mut schema = std::collections::BTreeMap::<String, usize>::json_schema(generator);
        let text = "Answers by the stage of the method that gave them; empty for methods without stages.";
        schema.insert("description".into(), text.into());
        schema
    }
}

/// A map from the name of each stage to its count, in the order of the stages; empty without stages.
impl Serialize for Stages {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let counts = if self.total() > 0 { &self.counts[..] } else { &[] };
        serializer.collect_map(Stage::ALL.iter().map(|stage| stage.name()).zip(counts))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_word_names_one_method_or_all() {
        let names = |word, tight| {
            Method::parse(word, tight).map(|all| all.into_iter().map(Method::name).collect::<Vec<_>>())
        };
        assert_eq!(names("all", false), Ok(vec!["exact", "filtered", "inclusion", "additive"]));
        assert_eq!(names("exact", false), Ok(vec!["exact"]));
        assert!(names("fast", false).unwrap_err().to_string().contains("`fast`; use exact, filtered"));
    }

    #[test]
    fn the_filter_claims_exact_times_where_it_is_asked_for_them() {
        let claims = |tight| {
            Method::parse("all", tight)
                .unwrap()
                .into_iter()
                .map(Method::claims_exact_times)
                .collect::<Vec<_>>()
        };
        assert_eq!(claims(false), [true, false, false, false]);
        assert_eq!(claims(true), [true, true, false, false]);
    }

    #[test]
    fn counts_each_stage_and_says_nothing_without_any() {
        let mut stages = Stages::default();
        stages.add(None);
        assert_eq!((stages.text(), serde_json::to_string(&stages).unwrap()), (None, "{}".to_owned()));
        for stage in Stage::ALL.into_iter().chain([Stage::ALL[0]]) {
            stages.add(Some(stage));
        }
        let mut twice = stages;
        twice.sum(&stages);
        let json = serde_json::to_string(&twice).unwrap();
        assert!(
            json.starts_with(&format!("{{\"{}\":4,\"{}\":2,", Stage::ALL[0].name(), Stage::ALL[1].name())),
            "{json}"
        );
        let exact = Stage::ALL.iter().filter(|stage| stage.is_exact_call()).count();
        let share = 100.0 * exact as f64 / (Stage::ALL.len() + 1) as f64;
        assert!(stages.text().unwrap().ends_with(&format!("in integers {share:.2} %")));
    }
}
