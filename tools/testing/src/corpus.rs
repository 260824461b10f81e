use std::env;
use std::fs::OpenOptions;
use std::io::Write;
use std::path::PathBuf;

/// A file or folder of the test data; `None`, and a word about it, where it is not there.
///
/// Data are looked for in the folder that `CLOTH_CORPUS` names, or in `../shared/data` next to the
/// repository. A test without its data says so and passes, because a fresh machine has none. So that nobody
/// takes that for a test that ran, every call adds a line to the file that `CLOTH_CORPUS_LOG` names, if it
/// names one; `.ci/run` counts the lines.
///
/// # Panics
/// If the file of `CLOTH_CORPUS_LOG` cannot be written.
#[must_use]
pub fn corpus(what: &str) -> Option<PathBuf> {
    let beside = concat!(env!("CARGO_MANIFEST_DIR"), "/../../../shared/data");
    let root = env::var_os("CLOTH_CORPUS").map_or_else(|| PathBuf::from(beside), PathBuf::from);
    let path = root.join(what);
    let is_there = path.exists();
    let thread = std::thread::current();
    let test = thread.name().unwrap_or("a thread without a name");
    if !is_there {
        eprintln!(
            "skipped: {test} finds no {}; set CLOTH_CORPUS to the folder of the test data",
            path.display()
        );
    }
    if let Some(log) = env::var_os("CLOTH_CORPUS_LOG") {
        let word = if is_there { "ran" } else { "skipped" };
        // Of the package whose tests cargo runs.
        let package = env::var("CARGO_PKG_NAME").unwrap_or_else(|_| "a package".into());
        // One write a line: several tests append at once.
        let line = format!("{word}\t{package}\t{test}\t{}\n", path.display());
        let mut log =
            OpenOptions::new().append(true).create(true).open(log).expect("CLOTH_CORPUS_LOG can be written");
        log.write_all(line.as_bytes()).expect("CLOTH_CORPUS_LOG can be written");
    }
    is_there.then_some(path)
}
