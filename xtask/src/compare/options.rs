//! The command line of `compare`.

use std::path::PathBuf;

use crate::options::{Line, count};

/// What to compare, and how.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Options {
    /// The commit to compare with.
    pub(crate) old: String,
    /// The commit that is compared; none for the working tree as it is.
    pub(crate) new: Option<String>,
    /// Names of scenarios; none for all.
    pub(crate) scenarios: Vec<String>,
    /// Size of the scenes.
    pub(crate) size: String,
    /// Runs of each revision.
    pub(crate) runs: usize,
    /// Threads of a run.
    pub(crate) threads: usize,
    /// Whether the gate is `on` or `off`.
    pub(crate) gate: String,
    /// A page to write the comparison to, in addition to printing it.
    pub(crate) page: Option<PathBuf>,
}

const USAGE: &str = "cargo xtask compare OLD [NEW] [--scenario NAME]... [--size SIZE] [--runs N] [--threads \
                     N] [--gate on|off] [--page FILE]";

impl Options {
    pub(crate) fn parse(arguments: &[String]) -> Result<Self, String> {
        Self::read(arguments).map_err(|e| format!("xtask compare: {e}; {USAGE}"))
    }

    fn read(arguments: &[String]) -> Result<Self, String> {
        let mut line = Line::read(arguments, &[])?;
        let mut number = |name: &str| line.last(name, |value| count(name, &value, 1000));
        let (runs, threads) = (number("runs")?.unwrap_or(5), number("threads")?.unwrap_or(1));
        let scenarios = line.all("scenario");
        let size = line.size()?.unwrap_or_else(|| "medium".into());
        let gate = line.one_of("gate", &["on", "off"])?.unwrap_or_else(|| "on".into());
        let page = line.all("page").pop().map(PathBuf::from);
        let mut commits = line.words()?.into_iter();
        let (old, new) = (commits.next().ok_or("which commit?")?, commits.next());
        match commits.next() {
            Some(third) => Err(format!("two commits at most, `{third}` is a third")),
            None => Ok(Self { old, new, scenarios, size, runs, threads, gate, page }),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::options::tests::line;

    fn parse(text: &str) -> Result<Options, String> {
        Options::parse(&line(text))
    }

    #[test]
    fn takes_one_commit_or_two_and_options_between_them() {
        let one = parse("HEAD~1").unwrap();
        assert_eq!((one.old.as_str(), one.new, one.runs, one.threads), ("HEAD~1", None, 5, 1));
        let two = parse("a --scenario pile --scenario=hang b --size small --runs 3 --gate off").unwrap();
        assert_eq!((two.old.as_str(), two.new.as_deref()), ("a", Some("b")));
        assert_eq!(
            (two.scenarios.join(" "), two.size, two.runs, two.gate),
            ("pile hang".into(), "small".into(), 3, "off".into())
        );
    }

    #[test]
    fn says_what_is_wrong_with_a_command_line() {
        for (line, what) in [
            ("", "which commit?"),
            ("a b c", "`c` is a third"),
            ("a --runs 0", "1 to 1000"),
            ("a --threads x", "1 to 1000"),
            ("a --size huge", "small, medium, large"),
            ("a --gate maybe", "on, off"),
            ("a --scenario", "needs a value"),
            ("a --speed 3", "unknown option `--speed`"),
        ] {
            let message = parse(line).unwrap_err();
            assert!(message.contains(what), "{line}: {message}");
        }
    }
}
