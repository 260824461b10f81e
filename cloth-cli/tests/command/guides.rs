//! Every command of the README and of the guides, run as it is written, page by page in a fresh folder.
//!
//! Those of `cloth` are run; a line whose comment says `exit status 1` has to end so, all others with 0. What
//! cargo does apart from that (`xtask`, tests, benchmarks, examples of crates) compiles something else: of
//! these the tests of xtask know the words, and here the crate and the example have to exist. An array of
//! Slurm is imitated task by task; `python/engines/test` runs it on a Slurm, and what of the page is for
//! Python.

use std::path::{Path, PathBuf};
use std::process::Command;

use crate::support::ran;

/// The workspace.
fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

/// The lines of the shell blocks of a page, with the exit status that the comment behind says.
fn commands(page: &str) -> Vec<(String, i32)> {
    let text = std::fs::read_to_string(root().join(page)).expect("a page");
    let mut commands = Vec::new();
    let mut is_shell = false;
    for line in text.lines() {
        if line.starts_with("```") {
            is_shell = line == "```sh";
            continue;
        }
        let (command, comment) = line.split_once(" #").unwrap_or((line, ""));
        if is_shell && !line.starts_with('#') && !command.trim().is_empty() {
            let status = i32::from(comment.contains("exit status 1"));
            commands.extend(command.split(" && ").map(|one| (one.trim().to_owned(), status)));
        }
    }
    commands
}

/// The words of a command; quotes hold what is between them together.
fn words(command: &str) -> Vec<String> {
    let (mut words, mut quoted) = (vec![String::new()], false);
    for c in command.chars() {
        match c {
            '\'' => quoted = !quoted,
            ' ' if !quoted => words.push(String::new()),
            c => words.last_mut().expect("one").push(c),
        }
    }
    words.retain(|word| !word.is_empty());
    words
}

/// The numbers of the tasks of an array: `--array=3`, `--array=1-4`.
fn tasks(array: &str) -> std::ops::RangeInclusive<u32> {
    let range = array.strip_prefix("--array=").expect("an array");
    let (first, last) = range.split_once('-').unwrap_or((range, range));
    first.parse().expect("a number")..=last.parse().expect("a number")
}

/// Runs a command in a folder, or checks that it names what is there.
fn run(folder: &Path, command: &str, status: i32) {
    let words = words(command);
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    match words[..] {
        ["cloth", ref arguments @ ..]
        | ["cargo", "run", "--release", "-p", "cloth-cli", "--", ref arguments @ ..] => {
            let ran = ran(Command::new(env!("CARGO_BIN_EXE_cloth")).args(arguments).current_dir(folder));
            assert_eq!(ran.status, status, "{command}: {ran:?}");
        }
        ["cargo", "run", "--release", "-p", "cloth-scene", "--example", "write_scene", "--", name] => {
            std::fs::create_dir(folder.join(name)).expect("a folder");
            crate::scene_files::write_all(&folder.join(name)).expect("a scene");
        }
        ["cargo", "run", "--release", "-p", package, "--example", example] => {
            let examples = root().join(package).join("examples");
            assert!(
                examples.join(format!("{example}.rs")).is_file() || examples.join(example).is_dir(),
                "{command}"
            );
        }
        ["cargo", "bench", "-p", package] => {
            assert!(root().join(package).join("benches").is_dir(), "{command}");
        }
        ["sbatch", "--wait", array, "--wrap", wrapped] => {
            for task in tasks(array) {
                let words = self::words(wrapped);
                assert_eq!(words[0], "cloth", "{command}");
                let mut cloth = Command::new(env!("CARGO_BIN_EXE_cloth"));
                cloth.args(&words[1..]).current_dir(folder).env("SLURM_ARRAY_TASK_ID", task.to_string());
                let ran = ran(&mut cloth);
                assert_eq!(ran.status, status, "{command}: {ran:?}");
            }
        }
        ["python", "-m", "cloth.sweep", ..] => {}
        ["cp", from, to] => {
            let name = Path::new(from).file_name().expect("a name");
            let to = if to == "." { folder.join(name) } else { folder.join(to) };
            std::fs::copy(folder.join(from), to).expect("a copy");
        }
        ["cargo", "xtask", ..] | ["cargo", "test", "--workspace"] => {}
        _ => panic!("{command}: nobody knows whether this works"),
    }
}

fn run_page(page: &str) {
    let folder = tempfile::tempdir().expect("a folder");
    let commands = commands(page);
    assert!(!commands.is_empty(), "{page} has no commands");
    for (command, status) in commands {
        run(folder.path(), &command, status);
    }
}

#[test]
fn the_commands_of_the_readme_work() {
    run_page("README.md");
}

#[test]
fn the_commands_of_the_guide_for_artists_work() {
    run_page("docs/guide/artist.md");
}

#[test]
fn the_commands_of_the_guide_for_researchers_work() {
    run_page("docs/guide/researcher.md");
}

#[test]
fn the_commands_of_the_guide_for_data_sets_work() {
    run_page("docs/guide/datasets.md");
}

#[test]
fn the_commands_of_the_guide_to_many_machines_work() {
    run_page("docs/guide/many-machines.md");
}

#[test]
fn the_commands_of_the_guide_to_usd_work() {
    run_page("docs/guide/usd.md");
}

/// The crates that a program of a page names are in the dependencies above it, so that a reader can compile
/// it.
#[test]
fn programs_of_the_guides_name_the_crates_that_they_use() {
    for page in ["README.md", "docs/guide/engine.md", "docs/guide/researcher.md", "docs/guide/certify.md"] {
        let text = std::fs::read_to_string(root().join(page)).expect("a page");
        let (mut block, mut named) = ("", Vec::new());
        for line in text.lines() {
            if let Some(language) = line.strip_prefix("```") {
                block = if block.is_empty() { language } else { "" };
                continue;
            }
            let before = line.split_once(" = { path = ").map_or("", |(before, _)| before);
            named.extend(before.rsplit(['`', ' ']).next().map(|name| name.replace('-', "_")));
            let used = line.split(|c: char| !c.is_alphanumeric() && c != '_' && c != ':');
            let used = used.filter_map(|path| path.split_once("::")).map(|(name, _)| name);
            for name in used.filter(|name| name.starts_with("cloth_") || ["nalgebra", "rayon"].contains(name))
            {
                let is_named = named.iter().any(|known| known == name);
                assert!(is_named || !block.starts_with("rust"), "{page}: {name} in {line}");
            }
        }
    }
}
