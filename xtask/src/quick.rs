//! `cargo xtask quick`: format, lints and tests of the crates that have changed, and of those that use them.
//!
//! Less than `cargo xtask ci`: no rustdoc, no scenarios, and nothing of the workspaces that are not members
//! of this one.

use std::collections::BTreeSet;
use std::path::Path;
use std::process::Command;

use cloth_measure::program::{cargo, output};
use serde_json::Value;

use crate::commands::Outcome;
use crate::options::Line;

/// Files that every crate is compiled from or with.
const OF_ALL: [&str; 3] = ["Cargo.toml", "Cargo.lock", "rustfmt.toml"];

/// The package whose tests look at every file of the repository.
const TIDY: &str = "xtask";

const USAGE: &str = "cargo xtask quick [--since COMMIT]";

/// Reads the command line; returns the commit from which on changes count.
pub(crate) fn since(arguments: &[String]) -> Result<String, String> {
    let read = || {
        let mut line = Line::read(arguments, &[])?;
        let since = line.all("since").pop().unwrap_or_else(|| "HEAD".into());
        line.end().map(|()| since)
    };
    read().map_err(|e: String| format!("xtask quick: {e}; {USAGE}"))
}

/// Checks what differs from a commit, the cheapest first, up to the first failure.
pub(crate) fn quick(since: &str, root: &Path) -> Result<Outcome, String> {
    let files = changed_files(since, root)?;
    if files.is_empty() {
        return Ok(Outcome { text: format!("nothing has changed since {since}\n"), passes: true });
    }
    let packages = packages(root)?;
    let selection = Selection::new(&files, &packages, |path| root.join(path).is_file());
    if !selection.elsewhere.is_empty() {
        let folders: Vec<&str> = selection.elsewhere.iter().copied().collect();
        println!("not checked, a workspace of its own: {}", folders.join(", "));
    }
    for step in selection.steps() {
        println!("cargo {}", step.join(" "));
        let status = cargo().args(step).current_dir(root).status();
        if !status.map_err(|e| format!("cannot start cargo: {e}"))?.success() {
            return Ok(Outcome { text: String::new(), passes: false });
        }
    }
    Ok(Outcome { text: String::new(), passes: true })
}

/// Files that differ from a commit, those that are gone and those that git does not know included.
fn changed_files(since: &str, root: &Path) -> Result<BTreeSet<String>, String> {
    let git = |arguments: &[&str]| output(Command::new("git").arg("-C").arg(root).args(arguments));
    let commit = git(&["rev-parse", "--verify", "--end-of-options", &format!("{since}^{{commit}}")])
        .map_err(|e| format!("`{since}` is no commit here: {e}"))?;
    let changed = git(&["diff", "--name-only", "--no-renames", "-z", commit.trim()])?;
    let unknown = git(&["ls-files", "--others", "--exclude-standard", "-z"])?;
    let names = changed.split('\0').chain(unknown.split('\0'));
    Ok(names.filter(|name| !name.is_empty()).map(String::from).collect())
}

/// A member of the workspace.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Package {
    pub(crate) name: String,
    /// Its path from the root.
    pub(crate) folder: String,
    /// Packages that it is compiled with, and those that only its tests are.
    pub(crate) uses: Vec<String>,
    pub(crate) tests_use: Vec<String>,
}

/// The members of the workspace, as cargo knows them.
pub(crate) fn packages(root: &Path) -> Result<Vec<Package>, String> {
    let mut cargo = cargo();
    cargo.args(["metadata", "--no-deps", "--format-version", "1", "--manifest-path"]);
    let text = output(cargo.arg(root.join("Cargo.toml")))?;
    let metadata: Value = serde_json::from_str(&text).map_err(|e| format!("cargo metadata: {e}"))?;
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let list = |value: &Value| value.as_array().cloned().unwrap_or_default();
    let package = |value: &Value| {
        let manifest = text(&value["manifest_path"]);
        let folder = Path::new(&manifest).parent()?.strip_prefix(root).ok()?;
        let all = list(&value["dependencies"]);
        let (tests, others): (Vec<&Value>, Vec<&Value>) = all.iter().partition(|used| used["kind"] == "dev");
        let [uses, tests_use] = [others, tests].map(|used| used.iter().map(|d| text(&d["name"])).collect());
        let folder = folder.to_string_lossy().replace('\\', "/");
        Some(Package { name: text(&value["name"]), folder, uses, tests_use })
    };
    Ok(list(&metadata["packages"]).iter().filter_map(package).collect())
}

/// What is to be checked.
#[derive(Debug, PartialEq, Eq)]
struct Selection<'a> {
    /// Packages with files that have changed.
    changed: BTreeSet<&'a str>,
    /// These, and packages that are compiled with them or whose tests are.
    affected: BTreeSet<&'a str>,
    /// Folders with files that have changed and a manifest, but no member of this workspace.
    elsewhere: BTreeSet<&'a str>,
}

impl<'a> Selection<'a> {
    /// For files that have changed; `exists` is asked for manifests.
    fn new(files: &'a BTreeSet<String>, packages: &'a [Package], exists: impl Fn(&str) -> bool) -> Self {
        let (mut changed, mut elsewhere) = (BTreeSet::new(), BTreeSet::new());
        for file in files {
            if OF_ALL.contains(&file.as_str()) {
                changed.extend(packages.iter().map(|package| package.name.as_str()));
            }
            // The innermost folder above it that has a manifest.
            let folders = file.rmatch_indices('/').map(|(at, _)| &file[..at]);
            let with_manifest = |folder: &&str| {
                packages.iter().any(|p| p.folder == *folder) || exists(&format!("{folder}/Cargo.toml"))
            };
            let Some(folder) = { folders }.find(with_manifest) else { continue };
            match packages.iter().find(|package| package.folder == folder) {
                Some(package) => changed.insert(package.name.as_str()),
                None => elsewhere.insert(folder),
            };
        }
        let mut compiled = changed.clone();
        let uses =
            |list: &[String], set: &BTreeSet<&str>| list.iter().any(|used| set.contains(used.as_str()));
        loop {
            let before = compiled.len();
            let users = packages.iter().filter(|p| uses(&p.uses, &compiled)).map(|p| p.name.as_str());
            compiled.extend(users.collect::<Vec<_>>());
            if compiled.len() == before {
                break;
            }
        }
        let tested = packages.iter().filter(|p| p.name == TIDY || uses(&p.tests_use, &compiled));
        let tested: Vec<&str> = tested.map(|p| p.name.as_str()).collect();
        Self { changed, affected: compiled.into_iter().chain(tested).collect(), elsewhere }
    }

    /// Arguments of cargo.
    fn steps(&self) -> Vec<Vec<&'a str>> {
        let of = |packages: &BTreeSet<&'a str>| packages.iter().flat_map(|&p| ["--package", p]).collect();
        let (changed, affected): (Vec<&str>, Vec<&str>) = (of(&self.changed), of(&self.affected));
        let format = [&["fmt", "--check"], &changed[..]].concat();
        let lints = [&["clippy"], &affected[..], &["--all-targets", "--", "-D", "warnings"]].concat();
        let tests = [&["test"], &affected[..]].concat();
        // Without a package, cargo would format all.
        let format = (!changed.is_empty()).then_some(format);
        format.into_iter().chain([lints, tests]).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// geom <- solver <- cli; the tests of geom and of xtask use more.
    fn tree() -> Vec<Package> {
        let package = |name: &str, folder: &str, uses: &[&str], tests_use: &[&str]| {
            let [uses, tests_use] = [uses, tests_use].map(|list| list.iter().map(|&n| n.into()).collect());
            Package { name: name.into(), folder: folder.into(), uses, tests_use }
        };
        vec![
            package("geom", "geom", &["nalgebra"], &["proptest"]),
            package("fixtures", "tools/fixtures", &["geom"], &[]),
            package("solver", "solver", &["geom"], &["fixtures"]),
            package("cli", "cli", &["solver"], &[]),
            package("xtask", "xtask", &[], &[]),
        ]
    }

    /// Names of the packages that are formatted, those that are tested, and folders that are left out.
    fn selected(files: &[&str]) -> [String; 3] {
        let (files, tree) = (files.iter().map(|&file| file.into()).collect(), tree());
        let selection = Selection::new(&files, &tree, |path| path == "bench/Cargo.toml");
        let Selection { changed, affected, elsewhere } = selection;
        [changed, affected, elsewhere].map(|set| set.into_iter().collect::<Vec<_>>().join(" "))
    }

    #[test]
    fn a_leaf_is_checked_alone_and_a_root_with_all_above() {
        assert_eq!(selected(&["cli/src/main.rs"]), ["cli", "cli xtask", ""]);
        assert_eq!(selected(&["geom/src/lib.rs"]), ["geom", "cli fixtures geom solver xtask", ""]);
    }

    #[test]
    fn users_of_a_crate_whose_tests_changed_are_not_tested() {
        // The tests of the solver use the fixtures, and the command is compiled without them.
        assert_eq!(selected(&["tools/fixtures/src/lib.rs"]), ["fixtures", "fixtures solver xtask", ""]);
    }

    #[test]
    fn files_of_no_crate_are_for_the_tests_of_xtask() {
        assert_eq!(selected(&["README.md", "docs/design/x.md"]), ["", "xtask", ""]);
        assert_eq!(selected(&["bench/src/lib.rs"]), ["", "xtask", "bench"]);
        let (files, tree) = (["README.md".to_owned()].into(), tree());
        let steps = Selection::new(&files, &tree, |_| false).steps();
        assert_eq!(steps.len(), 2, "nothing to format: {steps:?}");
    }

    #[test]
    fn manifest_and_lock_file_concern_every_crate() {
        for file in OF_ALL {
            assert_eq!(selected(&[file])[0], "cli fixtures geom solver xtask", "{file}");
        }
        assert_eq!(selected(&["cli/Cargo.toml"])[0], "cli");
    }

    #[test]
    fn steps_name_every_package_and_deny_warnings() {
        let (files, tree) = (["cli/a.rs".to_owned()].into(), tree());
        let steps = Selection::new(&files, &tree, |_| false).steps();
        let lines: Vec<String> = steps.iter().map(|step| step.join(" ")).collect();
        assert_eq!(
            lines,
            [
                "fmt --check --package cli",
                "clippy --package cli --package xtask --all-targets -- -D warnings",
                "test --package cli --package xtask",
            ]
        );
    }

    #[test]
    fn packages_of_this_workspace_are_known_with_their_uses() {
        let all = packages(crate::commands::root()).expect("metadata");
        let found = |name: &str| all.iter().find(|p| p.name == name).expect("a member");
        assert_eq!(found("cloth-counts").folder, "tools/counts");
        assert!(found("cloth-solver").uses.contains(&"cloth-contacts".to_owned()));
        assert!(found("cloth-ccd").tests_use.contains(&"proptest".to_owned()));
    }

    #[test]
    fn only_a_commit_is_asked_for() {
        let since = |line: &str| since(&crate::options::tests::line(line));
        assert_eq!((since("").unwrap(), since("--since=HEAD~3").unwrap()), ("HEAD".into(), "HEAD~3".into()));
        assert!(since("HEAD~3").unwrap_err().contains("`HEAD~3` is no option"));
        assert!(since("--size small").unwrap_err().contains("unknown option `--size`"));
        let message = changed_files("no-such-commit", crate::commands::root()).unwrap_err();
        assert!(message.starts_with("`no-such-commit` is no commit here"), "{message}");
    }
}
