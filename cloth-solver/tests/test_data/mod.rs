//! The folder of test data that is not in the repository, for the tests of every crate. Each crate that asks
//! for data has a copy of `xtask/src/test_data.rs`, because a package holds no file of another.
//!
//! Data are looked for in the folder that `CLOTH_CORPUS` names, or in `../shared/data` next to the
//! repository. A test without its data says so and passes, because a fresh machine has none. So that nobody
//! takes that for a test that ran, every call adds a line to the file that `CLOTH_CORPUS_LOG` names, if it
//! names one; `.ci/run` counts the lines.

use std::env;
use std::fs::OpenOptions;
use std::io::Write;
use std::path::PathBuf;

/// A file or folder of the test data; `None`, and a word about it, where it is not there.
pub(crate) fn corpus(what: &str) -> Option<PathBuf> {
    let beside = concat!(env!("CARGO_MANIFEST_DIR"), "/../../shared/data");
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
        // One write a line: several tests append at once.
        let line = format!("{word}\t{}\t{test}\t{}\n", env!("CARGO_PKG_NAME"), path.display());
        let mut log =
            OpenOptions::new().append(true).create(true).open(log).expect("CLOTH_CORPUS_LOG can be written");
        log.write_all(line.as_bytes()).expect("CLOTH_CORPUS_LOG can be written");
    }
    is_there.then_some(path)
}
