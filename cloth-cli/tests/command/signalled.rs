//! Programs that are sent signals; the tests of `cloth` and of `cloth-verify` share this.

use std::fs;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use super::process::WATCHDOG;

/// Starts a program, its standard output in the file `out` of a folder.
pub(crate) fn started(folder: &Path, command: &mut Command) -> Child {
    let file = |name: &str| Stdio::from(fs::File::create(folder.join(name)).expect("a file"));
    command.stdout(file("out")).stderr(file("err")).spawn().expect("it starts")
}

pub(crate) fn signal(child: &Child, name: &str) {
    signal_with_each(child, &[name]);
}

/// Sends signals at once: starting a program for each might take long.
pub(crate) fn signal_with_each(child: &Child, names: &[&str]) {
    let each: String = names.iter().map(|name| format!("kill -s {name} {}; ", child.id())).collect();
    assert!(Command::new("sh").args(["-ec", &each]).status().expect("it starts").success());
}

/// Waits until something is true, of a child that goes on until then.
pub(crate) fn until(child: &mut Child, what: &str, mut is_true: impl FnMut() -> bool) {
    let deadline = Instant::now() + WATCHDOG;
    while !is_true() {
        assert!(child.try_wait().expect("it can be asked").is_none(), "it ended before {what}");
        assert!(Instant::now() < deadline, "waited too long for {what}");
        std::thread::sleep(Duration::from_millis(5));
    }
}

/// Waits until a child has worked for so long (s of CPU time): a loaded machine takes longer for that, and
/// then the child has come no farther.
pub(crate) fn until_worked(child: &mut Child, seconds: f64) {
    let process = child.id();
    match cpu_seconds(process) {
        None => std::thread::sleep(Duration::from_secs_f64(seconds)),
        Some(_) => until(child, "some work", || cpu_seconds(process).is_some_and(|worked| worked >= seconds)),
    }
}

/// CPU time (s) that a process has taken; `None` where the system does not tell.
fn cpu_seconds(process: u32) -> Option<f64> {
    let told = fs::read_to_string(format!("/proc/{process}/stat")).ok()?;
    // Behind the name, which may have any signs: 11 other fields, then the time of the user and of the
    // system, in hundredths.
    let fields = told.rsplit_once(')')?.1.split_whitespace().skip(11).take(2);
    fields.map(|ticks| ticks.parse::<f64>().ok()).sum::<Option<f64>>().map(|ticks| ticks / 100.0)
}

/// Waits for the end of a child that has been asked to end, and gives its exit status.
pub(crate) fn status(mut child: Child) -> Option<i32> {
    let deadline = Instant::now() + WATCHDOG;
    loop {
        if let Some(status) = child.try_wait().expect("it can be asked") {
            return status.code();
        }
        if Instant::now() > deadline {
            child.kill().and_then(|()| child.wait()).expect("it can be ended");
            panic!("it goes on after a signal");
        }
        std::thread::sleep(Duration::from_millis(5));
    }
}
