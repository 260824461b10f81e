//! `cargo xtask counts`: instructions of kernels and of steps, compared with the committed baseline.
//!
//! The number of instructions depends on neither the load of the machine nor its speed; docs/design/counts.md
//! says what it can and cannot show.

mod baseline;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;

use baseline::{Baseline, Change};
use cloth_measure::callgrind;
use cloth_measure::program::{cargo, output};

use crate::commands::Outcome;
use crate::options::Line;

/// Instructions by workload.
type Counts = BTreeMap<String, u64>;

/// The function of tools/counts within which instructions are counted.
const MEASURED: &str = "cloth_counts::measured";

/// What is to be counted, and whether the baseline is replaced.
#[derive(Debug, PartialEq)]
pub(crate) struct Options {
    /// Write the counts to the baseline instead of comparing them.
    updates: bool,
    /// Parts of names; all workloads if there is none.
    names: Vec<String>,
}

impl Options {
    /// Reads the arguments; the error is one line.
    pub(crate) fn parse(arguments: &[String]) -> Result<Self, String> {
        Self::read(arguments).map_err(|e| format!("xtask counts: {e}; use --update and parts of names"))
    }

    fn read(arguments: &[String]) -> Result<Self, String> {
        let mut line = Line::read(arguments, &["update"])?;
        let updates = line.last("update", |value| match value.is_empty() {
            true => Ok(()),
            false => Err(format!("`--update` takes no value, got `{value}`")),
        })?;
        Ok(Self { updates: updates.is_some(), names: line.words()? })
    }

    fn selects(&self, name: &str) -> bool {
        self.names.is_empty() || self.names.iter().any(|part| name.contains(part))
    }
}

/// Set where the counts have to be compared: in CI on a machine with valgrind and with the toolchain of the
/// baseline.
const REQUIRE: &str = "CI_REQUIRE_COUNTS";

/// The command that accepts new counts.
const UPDATE: &str = "cargo xtask counts --update";

/// The vector instructions with which the workloads are counted: what every x86-64 has, and the widest that
/// valgrind knows.
const INSTRUCTIONS: [&str; 2] = ["sse2", "avx2"];

/// What the program says if the machine does not have the instructions; every other failure is one.
const LACKING: &str = "is not available here";

/// Counts all workloads with each of [`INSTRUCTIONS`], and compares them with the baseline or replaces it;
/// passes if nothing has grown, and nothing that is required is missing.
pub(crate) fn counts(options: &Options, root: &Path) -> Result<Outcome, String> {
    let is_required = std::env::var_os(REQUIRE).is_some_and(|value| !value.is_empty());
    if !callgrind::is_installed() {
        let text = "skipped: valgrind is not installed\n".to_owned();
        return Ok(Outcome { text, passes: !is_required && !options.updates });
    }
    let binary = build(root)?;
    let path = root.join(baseline::PATH);
    let mut baseline = Baseline::read(&path)?;
    let mut all = Outcome { text: String::new(), passes: true };
    for name in INSTRUCTIONS {
        let outcome = match Counted::new(&binary, name)? {
            Some(counted) => counted.compare(options, &mut baseline, is_required)?,
            None => {
                Outcome { text: format!("{name}: skipped, this machine does not have it\n"), passes: true }
            }
        };
        all.text.push_str(&outcome.text);
        all.passes &= outcome.passes;
    }
    if options.updates {
        baseline.write(&path)?;
    }
    Ok(all)
}

/// The workloads with some instructions.
struct Counted<'a> {
    binary: &'a Path,
    instructions: &'static str,
    /// What counts are comparable within: the compiler, and the instructions that the program was compiled
    /// for and that it uses.
    key: String,
}

impl<'a> Counted<'a> {
    /// `None` if this machine does not have the instructions.
    fn new(binary: &'a Path, instructions: &'static str) -> Result<Option<Self>, String> {
        let rustc = std::env::var_os("RUSTC").unwrap_or_else(|| "rustc".into());
        let version = output(Command::new(rustc).arg("--version"))?;
        let mut counted = Self { binary, instructions, key: String::new() };
        let used = match output(counted.program().arg("--instruction-set")) {
            Ok(used) => used,
            Err(error) if error.contains(LACKING) => return Ok(None),
            Err(error) => return Err(error),
        };
        counted.key = format!("{}, {}", version.trim(), used.trim());
        Ok(Some(counted))
    }

    fn program(&self) -> Command {
        let mut program = Command::new(self.binary);
        program.env("CLOTH_SIMD", self.instructions);
        program
    }

    fn count(&self, options: &Options) -> Result<Counts, String> {
        let mut counts = Counts::new();
        let report = std::env::temp_dir().join(format!("cloth-counts-{}.out", std::process::id()));
        // Without arguments the program lists its workloads.
        for name in output(&mut self.program())?.lines().filter(|name| options.selects(name)) {
            let counted = callgrind::count(self.program().arg(name), MEASURED, &report);
            let count = counted.map_err(|e| format!("{name}: {e}"))?.instructions;
            eprintln!("{}: {name}: {count} instructions", self.instructions);
            counts.insert(name.to_owned(), count);
        }
        if counts.is_empty() {
            return Err("no workload has such a name; `cargo xtask counts` counts all".to_owned());
        }
        Ok(counts)
    }

    fn compare(
        &self,
        options: &Options,
        baseline: &mut Baseline,
        is_required: bool,
    ) -> Result<Outcome, String> {
        let (key, counts) = (&self.key, self.count(options)?);
        if options.updates {
            baseline.update(key, counts, !options.names.is_empty());
            return Ok(Outcome { text: format!("{} has counts for {key}\n", baseline::PATH), passes: true });
        }
        Ok(match baseline.changes(key, &counts) {
            Some(changes) => judge(self.instructions, &changes),
            None => {
                let text = format!("no baseline for {key}: `{UPDATE}` adds one to {}\n", baseline::PATH);
                Outcome { text, passes: !is_required }
            }
        })
    }
}

/// Builds the workloads by the profile `release`, whose single code generation unit per crate makes code the
/// same in every folder; returns the program.
fn build(root: &Path) -> Result<PathBuf, String> {
    let mut cargo = cargo();
    cargo.args(["build", "--quiet", "--release", "--package", "cloth-counts", "--manifest-path"]);
    let status = cargo.arg(root.join("Cargo.toml")).status();
    if !status.map_err(|e| format!("cannot start cargo: {e}"))?.success() {
        return Err("tools/counts cannot be built".to_owned());
    }
    let target = std::env::var_os("CARGO_TARGET_DIR").map_or_else(|| root.join("target"), PathBuf::from);
    Ok(target.join("release").join(format!("cloth-counts{}", std::env::consts::EXE_SUFFIX)))
}

/// The table, and what to do about what has grown.
fn judge(instructions: &str, changes: &[Change]) -> Outcome {
    let mut text = format!("{instructions}:\n");
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
    use crate::options::tests::line;

    #[test]
    fn reads_names_and_refuses_unknown_options() {
        let parse = |text: &str| Options::parse(&line(text));
        let options = parse("--update step/hang").unwrap();
        assert!(options.updates && options.selects("step/hang") && !options.selects("step/pile"));
        assert!(parse("").unwrap().selects("step/pile"));
        assert!(parse("--updte=x").unwrap_err().contains("--updte"));
        assert!(parse("--updte").unwrap_err().contains("--updte"));
    }

    fn change(name: &str, old: Option<u64>, new: u64) -> Change {
        Change { name: name.into(), old, new }
    }

    #[test]
    fn growth_beyond_the_tolerance_fails_with_the_name_and_the_command() {
        let outcome = judge("avx2", &[change("a", Some(1000), 1021), change("b", Some(1000), 1000)]);
        assert!(!outcome.passes);
        let expected = format!("MORE INSTRUCTIONS than the baseline: a; if it has to be so, `{UPDATE}`");
        assert_eq!(outcome.text.lines().last(), Some(expected.as_str()));
    }

    #[test]
    fn noise_gains_and_new_workloads_pass() {
        let within = change("a", Some(1000), 1019);
        let gained = change("b", Some(1000), 900);
        let new = change("c", None, 5);
        let outcome = judge("avx2", &[within, gained, new]);
        assert!(outcome.passes, "{}", outcome.text);
        assert!(outcome.text.contains("fewer instructions than the baseline: b;"), "{}", outcome.text);
    }
}
