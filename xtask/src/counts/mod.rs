//! `cargo xtask counts`: instructions of kernels and of steps, compared with the committed baseline.
//!
//! ```text
//! options    the command line
//! callgrind  one workload of tools/counts -> its number of instructions
//! baseline   the file of counts, by toolchain and instruction set
//! ```
//!
//! The number of instructions depends on neither the load of the machine nor its speed; docs/design/counts.md
//! says what it can and cannot show.

mod baseline;
mod callgrind;
mod options;

use std::collections::BTreeMap;
use std::path::Path;

use baseline::{Baseline, Change};
pub(crate) use options::Options;

/// Instructions by workload.
type Counts = BTreeMap<String, u64>;

/// What the command found.
pub(crate) struct Outcome {
    /// What is to be printed.
    pub(crate) text: String,
    /// Whether nothing has grown, and nothing that is required is missing.
    pub(crate) passes: bool,
}

/// Set where the counts have to be compared: in CI on a machine with valgrind and with the toolchain of the
/// baseline.
const REQUIRE: &str = "CI_REQUIRE_COUNTS";

/// The command that accepts new counts.
const UPDATE: &str = "cargo xtask counts --update";

/// Counts all workloads, and compares them with the baseline or replaces it.
pub(crate) fn counts(options: &Options, root: &Path) -> Result<Outcome, String> {
    let is_required = std::env::var_os(REQUIRE).is_some_and(|value| !value.is_empty());
    if !callgrind::is_installed() {
        let text = "skipped: valgrind is not installed\n".to_owned();
        return Ok(Outcome { text, passes: !is_required && !options.updates });
    }
    let binary = callgrind::build(root)?;
    let key = callgrind::toolchain(&binary)?;
    let (path, mut counts) = (root.join(baseline::PATH), Counts::new());
    for name in callgrind::workloads(&binary)?.iter().filter(|name| options.selects(name)) {
        let count = callgrind::count(&binary, name)?;
        eprintln!("{name}: {count} instructions");
        counts.insert(name.clone(), count);
    }
    if counts.is_empty() {
        return Err("no workload has such a name; `cargo xtask counts` counts all".to_owned());
    }
    let mut baseline = Baseline::read(&path)?;
    if options.updates {
        baseline.update(&key, counts, options.is_selective());
        baseline.write(&path)?;
        return Ok(Outcome { text: format!("wrote {} for {key}\n", baseline::PATH), passes: true });
    }
    match baseline.changes(&key, &counts) {
        Some(changes) => Ok(judge(&changes)),
        None => {
            let text = format!("no baseline for {key}: `{UPDATE}` adds one to {}\n", baseline::PATH);
            Ok(Outcome { text, passes: !is_required })
        }
    }
}

/// The table, and what to do about what has grown.
fn judge(changes: &[Change]) -> Outcome {
    let mut text = String::new();
    changes.iter().for_each(|change| text.push_str(&change.line()));
    let names = |is: fn(&Change) -> bool| {
        let names: Vec<&str> = changes.iter().filter(|c| is(c)).map(|change| change.name.as_str()).collect();
        names.join(", ")
    };
    let (grown, shrunk) = (names(Change::has_grown), names(Change::has_shrunk));
    if !shrunk.is_empty() {
        text.push_str(&format!(
            "fewer instructions than the baseline: {shrunk}; `{UPDATE}` keeps the gain\n"
        ));
    }
    if !grown.is_empty() {
        text.push_str(&format!(
            "MORE INSTRUCTIONS than the baseline: {grown}; if it has to be so, `{UPDATE}`\n"
        ));
    }
    Outcome { text, passes: grown.is_empty() }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn change(name: &str, old: Option<u64>, new: u64) -> Change {
        Change { name: name.into(), old, new }
    }

    #[test]
    fn growth_beyond_the_tolerance_fails_with_the_name_and_the_command() {
        let outcome = judge(&[change("a", Some(1000), 1021), change("b", Some(1000), 1000)]);
        assert!(!outcome.passes);
        let expected = format!("MORE INSTRUCTIONS than the baseline: a; if it has to be so, `{UPDATE}`");
        assert_eq!(outcome.text.lines().last(), Some(expected.as_str()));
    }

    #[test]
    fn noise_gains_and_new_workloads_pass() {
        let within = change("a", Some(1000), 1019);
        let gained = change("b", Some(1000), 900);
        let new = change("c", None, 5);
        let outcome = judge(&[within, gained, new]);
        assert!(outcome.passes, "{}", outcome.text);
        assert!(outcome.text.contains("fewer instructions than the baseline: b;"), "{}", outcome.text);
    }
}
