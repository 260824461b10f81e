//! Which crate may use which: each only those above it.
//!
//! The order is the design. A solver that asked the scenarios for help, or a broad phase that saw a velocity,
//! could not be used alone; dev-dependencies count, for a crate whose tests need the crates below cannot be
//! tested alone.

use super::manifest;
use super::tree::Tree;

/// The crates from top to bottom. Each may use those before it.
const ORDER: [&str; 12] = [
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
    ("tools/testing", &[]),
];

/// The package of `tools/testing`: tests of every crate may use it.
const TESTING: &str = "cloth-testing";

/// Programs of the project itself: they may use every crate, and no crate can use them.
const TOOLS: &str = "tools/";

/// The members of the workspace, with the text of their Cargo.toml.
pub(super) fn read(tree: &Tree) -> Vec<(String, String)> {
    let text = |path: &str| tree.text(path).unwrap_or_default();
    let members = manifest::members(&text("Cargo.toml")).into_iter();
    members.map(|name| (name.clone(), text(&format!("{name}/Cargo.toml")))).collect()
}

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

/// Complaints about a list of (crate, text of its Cargo.toml).
pub(super) fn violations(manifests: &[(String, String)]) -> Vec<String> {
    let mut complaints = Vec::new();
    for (name, text) in manifests {
        if rank(name).is_none()
            && !name.starts_with(TOOLS)
            && !OUTSIDE.iter().any(|(outside, _)| outside == name)
        {
            complaints
                .push(format!("{name} has no place in the order of crates: add it to xtask's layers.rs"));
        }
        for used in manifest::dependencies(text) {
            if used.starts_with("cloth") && used != TESTING && !may_use(name, &used) {
                complaints.push(format!("{name}/Cargo.toml uses {used}, which is not above it"));
            }
        }
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
    if name.starts_with(TOOLS) {
        return true;
    }
    if APART.contains(&(name, used)) {
        return false;
    }
    // `None` for unknown names: they may neither use, nor be used.
    rank(name).zip(rank(used)).is_some_and(|(below, above)| above < below)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn complaints(name: &str, section: &str, used: &str) -> usize {
        violations(&[(name.into(), format!("[{section}]\n{used}.workspace = true\n"))]).len()
    }

    #[test]
    fn allows_what_is_above() {
        assert_eq!(complaints("cloth-solver", "dependencies", "cloth-contacts"), 0);
        assert_eq!(complaints("cloth-cli", "dependencies", "cloth-show"), 0);
        assert_eq!(complaints("cloth-verify", "dependencies", "cloth-show"), 0);
        assert_eq!(complaints("cloth-cli", "dependencies", "cloth-io"), 0);
        assert_eq!(complaints("cloth-scene", "dependencies", "cloth-io"), 0);
        assert_eq!(complaints("cloth-verify", "dependencies", "clap"), 0);
    }

    #[test]
    fn finds_a_use_of_what_is_below_or_of_itself() {
        assert_eq!(complaints("cloth-contacts", "dependencies", "cloth-solver"), 1);
        assert_eq!(complaints("cloth-contacts", "dev-dependencies", "cloth-verify"), 1);
        assert_eq!(complaints("cloth-contacts", "dev-dependencies", "cloth-contacts"), 1);
        assert_eq!(complaints("cloth-show", "dependencies", "cloth-verify"), 1);
    }

    #[test]
    fn keeps_crates_outside_the_chain_to_their_lists() {
        assert_eq!(complaints("cloth-io", "dependencies", "cloth-geom"), 0);
        assert_eq!(complaints("cloth-io", "dependencies", "cloth-character"), 0);
        assert_eq!(complaints("cloth-character", "dependencies", "cloth-io"), 1);
        assert_eq!(complaints("cloth-io", "dependencies", "cloth-solver"), 1);
        assert_eq!(complaints("cloth-scene", "dependencies", "cloth-verify"), 1);
        assert_eq!(complaints("cloth-ccd", "dependencies", "cloth-broadphase"), 1);
        assert_eq!(complaints("cloth-character", "dependencies", "cloth-broadphase"), 1);
    }

    #[test]
    fn keeps_harness_and_command_apart() {
        assert_eq!(complaints("cloth-cli", "dev-dependencies", "cloth-verify"), 1);
        assert_eq!(complaints("cloth-verify", "dev-dependencies", "cloth-cli"), 1);
    }

    #[test]
    fn keeps_xtask_apart_from_the_crates_of_the_project() {
        assert_eq!(complaints("xtask", "dependencies", "cloth-cli"), 1);
        assert_eq!(complaints("xtask", "dependencies", "cloth-measure"), 0);
        assert_eq!(complaints("cloth-measure", "dependencies", "cloth-geom"), 1);
        assert_eq!(complaints("cloth-verify", "dependencies", "cloth-measure"), 1);
    }

    #[test]
    fn lets_tools_use_every_crate() {
        assert_eq!(complaints("tools/counts", "dependencies", "cloth-verify"), 0);
    }

    #[test]
    fn lets_tests_of_every_crate_use_what_tests_share() {
        assert_eq!(complaints("cloth-ccd", "dev-dependencies", "cloth-testing"), 0);
        assert_eq!(complaints("tools/testing", "dependencies", "cloth-geom"), 1);
    }

    #[test]
    fn finds_a_crate_without_a_place() {
        assert_eq!(violations(&[("cloth-new".into(), String::new())]).len(), 1);
    }
}
