//! The command line of `compare`.

use std::path::PathBuf;

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
    /// A page to write the comparison to, besides printing it.
    pub(crate) page: Option<PathBuf>,
}

pub(crate) const USAGE: &str = "cargo xtask compare OLD [NEW] [--scenario NAME]... [--size SIZE] [--runs N] [--threads N] [--gate on|off] [--page FILE]";

impl Options {
    pub(crate) fn parse(arguments: &[String]) -> Result<Self, String> {
        let mut options = Self {
            old: String::new(),
            new: None,
            scenarios: Vec::new(),
            size: "medium".into(),
            runs: 5,
            threads: 1,
            gate: "on".into(),
            page: None,
        };
        let mut commits = Vec::new();
        let mut words = arguments.iter();
        while let Some(word) = words.next() {
            let Some(name) = word.strip_prefix("--") else {
                commits.push(word.clone());
                continue;
            };
            let (name, value) = match name.split_once('=') {
                Some((name, value)) => (name, Some(value.to_owned())),
                None => (name, words.next().cloned()),
            };
            let value = value.ok_or_else(|| format!("xtask compare: `--{name}` needs a value; {USAGE}"))?;
            match name {
                "scenario" => options.scenarios.push(value),
                "size" => options.size = one_of(name, value, &["small", "medium", "large"])?,
                "page" => options.page = Some(value.into()),
                "gate" => options.gate = one_of(name, value, &["on", "off"])?,
                "runs" => options.runs = count(name, &value)?,
                "threads" => options.threads = count(name, &value)?,
                _ => return Err(format!("xtask compare: unknown option `--{name}`; {USAGE}")),
            }
        }
        let mut commits = commits.into_iter();
        options.old = commits.next().ok_or_else(|| format!("xtask compare: which commit? {USAGE}"))?;
        options.new = commits.next();
        match commits.next() {
            Some(third) => Err(format!("xtask compare: two commits at most, `{third}` is a third; {USAGE}")),
            None => Ok(options),
        }
    }
}

fn one_of(name: &str, value: String, allowed: &[&str]) -> Result<String, String> {
    match allowed.contains(&value.as_str()) {
        true => Ok(value),
        false => {
            Err(format!("xtask compare: `--{name}` is `{value}`; one of {} is allowed", allowed.join(", ")))
        }
    }
}

fn count(name: &str, value: &str) -> Result<usize, String> {
    match value.parse() {
        Ok(n @ 1..=1000) => Ok(n),
        _ => Err(format!("xtask compare: `--{name}` is `{value}`; 1 to 1000 is allowed")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(line: &str) -> Result<Options, String> {
        Options::parse(&line.split_whitespace().map(String::from).collect::<Vec<_>>())
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
