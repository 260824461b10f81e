//! Runs a program as its user does; the tests of `cloth` and of `cloth-verify` share this.

use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

/// What a run of a program left behind.
#[derive(Debug)]
pub(crate) struct Ran {
    /// Exit status; -1 if it was ended.
    pub(crate) status: i32,
    /// Standard output.
    pub(crate) out: String,
    /// Standard error without the lines about progress: how many there are depends on the machine.
    pub(crate) err: String,
}

pub(crate) fn ran(command: &mut Command) -> Ran {
    let output = command.output().expect("it starts");
    Ran {
        status: output.status.code().unwrap_or(-1),
        out: String::from_utf8_lossy(&output.stdout).into_owned(),
        err: without_progress(&String::from_utf8_lossy(&output.stderr)),
    }
}

fn without_progress(err: &str) -> String {
    let is_progress = |line: &str| line.ends_with(" so far") || line.ends_with(" left");
    err.split_inclusive('\n').filter(|line| !is_progress(line.trim_end())).collect()
}

/// Ends what hangs. No run that comes to an end is near it, on however loaded a machine: what a run must not
/// do, its tests see in what it counts.
pub(crate) const WATCHDOG: Duration = Duration::from_secs(900);

/// Runs a program on files of others, on which it might hang.
pub(crate) fn ran_watched(folder: &Path, command: &mut Command) -> Ran {
    // Files, not pipes: a full pipe would block the child, and nobody reads while it is waited for.
    let [out, err] = ["out", "err"].map(|name| folder.join(name));
    let file = |path: &Path| Stdio::from(std::fs::File::create(path).expect("a file"));
    let mut child = command.stdout(file(&out)).stderr(file(&err)).spawn().expect("it starts");
    let deadline = Instant::now() + WATCHDOG;
    let status = loop {
        match child.try_wait().expect("it can be waited for") {
            Some(status) => break status,
            None if Instant::now() > deadline => {
                child.kill().and_then(|()| child.wait()).expect("it can be ended");
                panic!("{command:?} hangs");
            }
            None => std::thread::sleep(Duration::from_millis(2)),
        }
    };
    let text = |path: &Path| String::from_utf8_lossy(&std::fs::read(path).expect("a file")).into_owned();
    Ran { status: status.code().unwrap_or(-1), out: text(&out), err: without_progress(&text(&err)) }
}

/// Asserts that a program refused to run, with one line that contains these words.
pub(crate) fn assert_refused(ran: &Ran, words: &[&str]) {
    assert_eq!(ran.status, 2, "{ran:?}");
    assert_eq!(ran.err.lines().count(), 1, "{ran:?}");
    let program = ran.err.split(": ").next().unwrap_or_default();
    assert!(
        ["cloth", "cloth-verify"].contains(&program) && words.iter().all(|w| ran.err.contains(w)),
        "{words:?} in {ran:?}"
    );
}

/// A path as an argument.
pub(crate) fn text(path: &Path) -> String {
    path.to_str().expect("UTF-8").to_owned()
}

/// Reads a JSON file.
pub(crate) fn json(path: &Path) -> serde_json::Value {
    serde_json::from_slice(&std::fs::read(path).expect("a file")).expect("JSON")
}
