//! `.ci/corpus-tests` distinguishes tests that ran from tests that skipped, and every test asks for its data
//! by `cloth_testing::corpus`.

use std::path::{Path, PathBuf};
use std::process::Command;

use crate::commands::root;

/// A file below the folder of temporary files, of a name that no other test has.
fn scratch(name: &str) -> PathBuf {
    std::env::temp_dir().join(format!("cloth-corpus-{}-{name}", std::process::id()))
}

/// Runs the script over a log; gives its status and all that it says.
fn count(name: &str, log: &str, folder: &Path) -> (i32, String) {
    let file = scratch(name);
    std::fs::write(&file, log).expect("a file");
    let run =
        Command::new(root().join(".ci/corpus-tests")).arg(&file).arg(folder).output().expect("it starts");
    std::fs::remove_file(file).expect("it is there");
    let text = [run.stdout, run.stderr].concat();
    (run.status.code().unwrap_or(-1), String::from_utf8_lossy(&text).into_owned())
}

const RAN: &str = "ran\tcloth-io\tloads\t/d/a\nran\tcloth-io\tloads\t/d/b\nran\tcloth-cli\tloads\t/d/a\n";
const SKIPPED: &str = "ran\tcloth-cli\tchecks\t/d/a\nskipped\tcloth-cli\tchecks\t/d/c\n";

#[test]
fn counts_each_test_once_and_passes_where_all_ran() {
    let (status, text) = count("all", RAN, root());
    assert_eq!((status, text.as_str()), (0, "tests on the data of others: 2 ran, 0 skipped\n"));
}

#[test]
fn fails_when_the_data_exist_and_a_test_skipped_or_none_ran() {
    let (status, text) = count("one", &format!("{RAN}{SKIPPED}"), root());
    assert_eq!(status, 1, "{text}");
    assert!(text.starts_with("tests on the data of others: 2 ran, 1 skipped\n"), "{text}");
    assert!(text.contains("cloth-cli: checks: /d/c"), "{text}");
    let (status, text) = count("none", "", root());
    assert!(status == 1 && text.contains("no test has looked"), "{text}");
}

#[test]
fn says_so_and_passes_where_there_are_no_data() {
    let nowhere = scratch("nowhere");
    let (status, text) = count("fresh", SKIPPED, &nowhere);
    assert_eq!(status, 0, "{text}");
    assert!(text.contains("0 ran, 1 skipped") && text.contains("set CLOTH_CORPUS"), "{text}");
}

#[test]
fn the_script_of_the_checks_counts() {
    let script = std::fs::read_to_string(root().join(".ci/run")).expect("a script");
    assert!(script.contains("CLOTH_CORPUS_LOG=$logs/corpus cargo test --workspace"));
    assert!(script.contains(".ci/corpus-tests \"$logs/corpus\""));
}

/// Rust files below a folder.
fn sources(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).expect("a folder").flatten() {
        let path = entry.path();
        if path.is_dir() {
            sources(&path, found);
        } else if path.extension().is_some_and(|e| e == "rs") {
            found.push(path);
        }
    }
}

#[test]
fn every_test_asks_for_its_data_by_one_function() {
    let mut files = Vec::new();
    for entry in std::fs::read_dir(root()).expect("a folder").flatten() {
        for part in ["src", "tests"] {
            let folder = entry.path().join(part);
            if folder.is_dir() {
                sources(&folder, &mut files);
            }
        }
    }
    assert!(files.len() > 100, "{files:?}");
    let asks =
        |file: &PathBuf| std::fs::read_to_string(file).is_ok_and(|text| text.contains("\"CLOTH_CORPUS\""));
    let asking: Vec<PathBuf> = files.into_iter().filter(asks).collect();
    assert!(asking.is_empty(), "skips uncounted; these are to use `cloth_testing::corpus`: {asking:?}");
}
