//! Instructions of the first frames of a run, counted by callgrind: no load of the machine changes them.

use std::path::Path;
use std::process::{Command, Stdio};

use super::worker::{Event, WorkerArguments};

/// The function of the worker within which instructions are counted.
const MEASURED: &str = "cloth_bench::run::worker::timed_step";

/// Mean instructions of a frame, over the frames that the worker finished within its limit.
///
/// # Errors
/// If valgrind is not installed, or the run failed.
pub(super) fn count(arguments: &WorkerArguments) -> Result<f64, String> {
    let report = arguments.states.with_extension("callgrind");
    let counted = run(arguments, &report);
    // Neither file need exist.
    drop(std::fs::remove_file(&report));
    drop(std::fs::remove_file(&arguments.states));
    counted
}

fn run(arguments: &WorkerArguments, report: &Path) -> Result<f64, String> {
    let worker = std::env::current_exe().map_err(|e| e.to_string())?;
    let output = Command::new("valgrind")
        .args(["--tool=callgrind", "--collect-atstart=no"])
        .arg(format!("--toggle-collect={MEASURED}"))
        .arg(format!("--callgrind-out-file={}", report.display()))
        .arg(worker)
        .args(arguments.command_line())
        .stdin(Stdio::null())
        .output()
        .map_err(|e| format!("valgrind: {e}"))?;
    if !output.status.success() {
        return Err(format!("the run under valgrind ended: {}", output.status));
    }
    let frames = frames(&String::from_utf8_lossy(&output.stdout));
    let text = std::fs::read_to_string(report).map_err(|e| format!("{}: {e}", report.display()))?;
    match total(&text) {
        Some(total) if total > 0 && frames > 0 => Ok(total as f64 / frames as f64),
        _ => Err(format!("callgrind has seen no call of {MEASURED}")),
    }
}

/// The frames that a worker reports on its standard output.
fn frames(text: &str) -> usize {
    let events = text.lines().filter_map(|line| serde_json::from_str::<Event>(line).ok());
    events.filter(|event| matches!(event, Event::Frame { .. })).count()
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

    #[test]
    fn counts_the_frames_and_not_other_lines() {
        let frame = r#"{"event":"frame","time":{"wall":1.0,"cpu":null},"peak_memory_bytes":null}"#;
        assert_eq!(frames(&format!("a line of a library\n{frame}\n{frame}\n")), 2);
    }
}
