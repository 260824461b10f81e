//! The methods that are judged, each by its word.

use cloth_ccd::{Additive, Ccd, CcdError, Decision, Filtered, Inclusion, Query, Reference, Stage, Toi};

use crate::failure::Failure;

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
}
