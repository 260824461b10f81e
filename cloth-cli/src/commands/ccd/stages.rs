//! How many queries each stage of the filter decided.

use std::fmt::Write;

use cloth_ccd::Stage;
use serde::{Serialize, Serializer};

use crate::console::count;

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

#[cfg(feature = "schema")]
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
