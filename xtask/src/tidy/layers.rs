//! Which crate may use which: each only those above it.
//!
//! The order is the design. A solver that asked the scenarios for help, or a broad phase that saw a velocity,
//! could not be used alone; dev-dependencies count, for a crate whose tests need the crates below cannot be
//! tested alone.

use crate::quick::Package;

/// The crates from top to bottom. Each may use those before it.
const ORDER: [&str; 13] = [
    "cloth-disjoint",
    "cloth-geom",
    "cloth-broadphase",
    "cloth-ccd",
    "cloth-contacts",
    "cloth-certify",
    "cloth-solver",
    "cloth-character",
    "cloth-io",
    "cloth-scene",
    "cloth-show",
    "cloth-cli",
    "cloth-verify",
];

/// What is above a crate and yet not for it: the harness judges what users call, not how they call it.
const APART: [(&str, &str); 1] = [("cloth-verify", "cloth-cli")];

/// Crates outside the chain, and what each may use of the project.
const OUTSIDE: [(&str, &[&str]); 6] = [
    ("cloth-ccd", &["cloth-geom"]),
    ("cloth-character", &["cloth-geom"]),
    ("cloth-io", &["cloth-geom", "cloth-character"]),
    ("cloth-measure", &[]),
    ("xtask", &["cloth-measure"]),
    (TESTING, &[]),
];

/// What tests of every crate may use. It uses none of them.
const TESTING: &str = "cloth-testing";

/// Programs of the project itself: they may use every crate, and no crate can use them.
const TOOLS: &str = "tools/";

/// The order, and what is against it.
pub(super) fn report(violations: &[String]) -> String {
    let apart = APART.map(|(name, used)| format!("{name} does not use {used}"));
    let outside = OUTSIDE.map(|(name, allowed)| match allowed {
        [] => format!("{name} uses none of them"),
        allowed => format!("{name} uses {} alone", allowed.join(" and ")),
    });
    let exceptions = [&apart[..], &outside].concat().join("; ");
    let mut text = format!("the crates, each above those that may use it:\n  {}\n", ORDER.join(" "));
    text.push_str(&format!("  {exceptions}\n"));
    violations.iter().for_each(|line| text.push_str(&format!("{line}\n")));
    text
}

/// Members of the workspace that use one that is not above them, or have no place.
pub(super) fn violations(packages: &[Package]) -> Vec<String> {
    let mut complaints = Vec::new();
    let judged = packages.iter().filter(|p| p.name == TESTING || !p.folder.starts_with(TOOLS));
    for Package { name, uses, tests_use, .. } in judged {
        if rank(name).is_none() && !OUTSIDE.iter().any(|(outside, _)| outside == name) {
            complaints
                .push(format!("{name} has no place in the order of crates: add it to xtask's layers.rs"));
        }
        let in_tests = tests_use.iter().filter(|used| *used != TESTING);
        let below =
            uses.iter().chain(in_tests).filter(|used| used.starts_with("cloth") && !may_use(name, used));
        complaints.extend(below.map(|used| format!("{name} uses {used}, which is not above it")));
    }
    complaints
}

fn rank(name: &str) -> Option<usize> {
    ORDER.iter().position(|&n| n == name)
}

fn may_use(name: &str, used: &str) -> bool {
    if let Some((_, allowed)) = OUTSIDE.iter().find(|(outside, _)| *outside == name) {
        return allowed.contains(&used);
    }
    // `None` for unknown names: they may neither use, nor be used.
    let is_above = rank(name).zip(rank(used)).is_some_and(|(below, above)| above < below);
    is_above && !APART.contains(&(name, used))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A member at a path of its name, whose tests use another.
    fn package(name: &str, used: &str) -> Package {
        Package { name: name.into(), folder: name.into(), uses: vec![], tests_use: vec![used.into()] }
    }

    /// Whether a crate may use another, in its tests and in its code.
    fn may(name: &str, used: &str) -> bool {
        let tests = package(name, used);
        let code = Package { uses: tests.tests_use.clone(), tests_use: vec![], ..tests.clone() };
        let [tests, code] = [tests, code].map(|package| violations(&[package]).is_empty());
        assert_eq!(tests, code, "{name} {used}");
        tests
    }

    #[test]
    fn a_crate_uses_only_what_is_above_it() {
        assert!(may("cloth-solver", "cloth-contacts"));
        assert!(may("cloth-cli", "cloth-show"));
        assert!(may("cloth-verify", "cloth-show"));
        assert!(may("cloth-cli", "cloth-io"));
        assert!(may("cloth-scene", "cloth-io"));
        assert!(may("cloth-verify", "clap"));
        assert!(may("cloth-solver", "cloth-disjoint"));
        assert!(!may("cloth-disjoint", "cloth-geom"));
        assert!(!may("cloth-contacts", "cloth-solver"));
        assert!(!may("cloth-contacts", "cloth-verify"));
        assert!(!may("cloth-contacts", "cloth-contacts"));
        assert!(!may("cloth-show", "cloth-verify"));
    }

    #[test]
    fn keeps_crates_outside_the_chain_to_their_lists() {
        assert!(may("cloth-io", "cloth-geom"));
        assert!(may("cloth-io", "cloth-character"));
        assert!(!may("cloth-character", "cloth-io"));
        assert!(!may("cloth-io", "cloth-solver"));
        assert!(!may("cloth-scene", "cloth-verify"));
        assert!(!may("cloth-ccd", "cloth-broadphase"));
        assert!(!may("cloth-character", "cloth-broadphase"));
        assert!(!may("cloth-cli", "cloth-verify"));
        assert!(!may("cloth-verify", "cloth-cli"));
        assert!(!may("xtask", "cloth-cli"));
        assert!(may("xtask", "cloth-measure"));
        assert!(!may("cloth-measure", "cloth-geom"));
        assert!(!may("cloth-verify", "cloth-measure"));
    }

    #[test]
    fn tools_use_every_crate_and_others_need_a_place() {
        assert!(may("tools/counts", "cloth-verify"));
        assert!(violations(&[package("cloth-ccd", TESTING)]).is_empty());
        assert!(!may(TESTING, "cloth-geom"));
        assert_eq!(violations(&[package("cloth-new", "clap")]).len(), 1);
    }
}
