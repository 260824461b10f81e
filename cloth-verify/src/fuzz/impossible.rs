//! Pairs of features that cannot act in one scene, each with its reason.

use super::features::Feature::{self, *};

/// Why two features cannot act in one scene; none if they can.
#[must_use]
pub fn impossible(a: Feature, b: Feature) -> Option<&'static str> {
    IMPOSSIBLE.iter().find(|(x, y, _)| [(a, b), (b, a)].contains(&(*x, *y))).map(|entry| entry.2)
}

const NO_DETECTION: &str = "with cached contacts nothing is detected";

const IMPOSSIBLE: &[(Feature, Feature, &str)] = &[
    (Slippery, Rough, "a scene has one coefficient of friction"),
    (Small, Large, "a scene has one scale"),
    (Cached, Truncated, NO_DETECTION),
];
