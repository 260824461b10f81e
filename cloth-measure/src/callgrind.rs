//! Instructions that a program executes within one of its functions, counted by callgrind: no load of the
//! machine changes them.

use std::path::Path;
use std::process::Command;

use crate::program::output;

/// Whether valgrind, of which callgrind is a part, can be started.
#[must_use]
pub fn is_installed() -> bool {
    output(Command::new("valgrind").arg("--version")).is_ok()
}

/// What was counted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Counted {
    /// Instructions within the function, over all of its calls.
    pub instructions: u64,
    /// What the program printed.
    pub output: String,
}

/// Runs a program and counts the instructions within a function, which callgrind knows by its full name: it
/// must neither be inlined nor generic. The report of callgrind is written to `file` and deleted.
///
/// # Errors
/// If valgrind is not installed, the program fails, or it never calls the function.
pub fn count(program: &Command, function: &str, file: &Path) -> Result<Counted, String> {
    let mut valgrind = Command::new("valgrind");
    valgrind.args(["--tool=callgrind", "--collect-atstart=no"]).arg(format!("--toggle-collect={function}"));
    valgrind.arg(format!("--callgrind-out-file={}", file.display()));
    valgrind.envs(program.get_envs().filter_map(|(name, value)| Some((name, value?))));
    valgrind.arg(program.get_program()).args(program.get_args()).stdin(std::process::Stdio::null());
    let output = output(&mut valgrind);
    let report = std::fs::read_to_string(file).map_err(|e| format!("{}: {e}", file.display()));
    // There is none if the program could not be started.
    let _ = std::fs::remove_file(file);
    let output = output?;
    match total(&report?) {
        Some(instructions) if instructions > 0 => Ok(Counted { instructions, output }),
        _ => Err(format!("callgrind has seen no call of {function}")),
    }
}

/// The instructions in a report of callgrind.
fn total(report: &str) -> Option<u64> {
    report.lines().find_map(|line| line.strip_prefix("totals:"))?.trim().parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_the_total_of_a_report() {
        assert_eq!(total("events: Ir\nfn=(1)\n1 5\ntotals: 1234\n"), Some(1234));
        assert_eq!(total("events: Ir\n"), None);
    }
}
