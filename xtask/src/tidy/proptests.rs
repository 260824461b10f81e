//! Whether failures that proptest finds are kept, so that they are tried again first.
//!
//! The macro `proptest!` names its source file, and failures go to `proptest-regressions/` next to the folder
//! that has a `lib.rs` or `main.rs`. A runner that is made by hand keeps nothing until it is given the file;
//! nor does anything with the word [`OFF`].

use super::tree::Tree;

/// What throws failures away. In two parts, or this file would complain about itself.
const OFF: &str = concat!("failure_persistence: ", "None");

/// What makes a runner by hand.
const RUNNER: &str = concat!("TestRunner::", "new(");

/// A test that fails on purpose, to see what is printed then; to keep its failures would fill a file at each
/// run.
const FAILS_ON_PURPOSE: &str = "cloth-ccd/tests/ccd/agreement.rs";

/// Complaints about source files whose failures are not kept.
pub(super) fn forgetful(tree: &Tree) -> Vec<String> {
    let mut complaints = Vec::new();
    for (path, text) in tree.sources() {
        if path != FAILS_ON_PURPOSE && text.contains(OFF) {
            complaints.push(format!("{path} throws failures of proptest away: leave out `{OFF}`"));
        }
        if text.contains(RUNNER) && !text.contains("source_file: Some(file!())") {
            complaints.push(format!("{path} makes a runner that keeps no failures: set `source_file`"));
        }
    }
    complaints
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn finds_files_that_throw_failures_away_and_runners_without_a_source() {
        let runner = format!("let r = {RUNNER}config);");
        let tree = Tree::from_texts(&[
            ("a/src/off.rs", &format!("Config {{ {OFF}, ..d() }}")),
            (FAILS_ON_PURPOSE, &format!("Config {{ {OFF}, source_file: Some(file!()) }} {runner}")),
            ("a/tests/runner.rs", &runner),
            ("a/tests/kept.rs", &format!("Config {{ source_file: Some(file!()) }} {runner}")),
            ("a/src/macro.rs", "proptest! {}"),
        ]);
        let complaints = forgetful(&tree);
        assert_eq!(complaints.len(), 2, "{complaints:?}");
        assert!(complaints[0].starts_with("a/src/off.rs throws"), "{complaints:?}");
        assert!(complaints[1].starts_with("a/tests/runner.rs makes"), "{complaints:?}");
    }
}
