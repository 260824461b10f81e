use std::collections::BTreeSet;
use std::io::Read;

use cloth_measure::program::{cargo, output};
use flate2::read::GzDecoder;

use super::*;
use crate::commands::root;
use crate::quick::Package;

fn assert_tidy(complaints: &[String]) {
    assert!(complaints.is_empty(), "\n  {}\n", complaints.join("\n  "));
}

fn tree() -> Tree {
    Tree::read(root())
}

fn members() -> Vec<Package> {
    quick::packages(root()).expect("metadata")
}

/// The members that others use as crates: xtask and the folders of `tools` are programs of the project
/// itself.
fn crates() -> impl Iterator<Item = String> {
    let names = members().into_iter().map(|package| package.folder);
    names.filter(|folder| folder != "xtask" && !folder.starts_with("tools/"))
}

#[test]
fn no_floor_has_more_code_than_its_limit() {
    let tree = tree();
    assert_tidy(&sizes::complaints(&sizes::read(&tree), &tree));
}

#[test]
fn every_path_that_prose_or_a_comment_names_exists() {
    assert_tidy(&paths::missing(&tree()));
}

#[test]
fn architecture_md_shows_the_members_of_the_workspace() {
    let tree = tree();
    let excluded =
        tree.text("Cargo.toml").split("exclude = [").nth(1).and_then(|list| list.split(']').next());
    let excluded = excluded.expect("workspaces of their own").split('"').skip(1).step_by(2).map(String::from);
    let shown: Vec<String> = members().into_iter().map(|package| package.folder).chain(excluded).collect();
    assert_tidy(&architecture::map_disagreements(tree.text("ARCHITECTURE.md"), &shown));
}

#[test]
fn crates_depend_only_on_those_above_them() {
    assert_tidy(&layers::violations(&members()));
}

#[test]
fn unsafe_code_is_in_three_crates_and_the_core_is_small() {
    const CRATES: [&str; 3] = ["bindings/c", "cloth-disjoint", "web/cloth-web"];
    const MAX_LINES: usize = 390;
    let tree = tree();
    let forbids = |text: &str| {
        text.contains("\nunsafe_code = \"forbid\"\n") || text.contains("\n[lints]\nworkspace = true\n")
    };
    let manifests = tree.below("").filter(|(path, _)| *path == "Cargo.toml" || path.ends_with("/Cargo.toml"));
    let allowing = manifests.filter(|(_, text)| !forbids(text)).filter_map(|(path, _)| path.rsplit_once('/'));
    assert_eq!(allowing.map(|(folder, _)| folder).collect::<Vec<_>>(), CRATES);
    let files = tree.below("cloth-disjoint/src/").filter(|(path, text)| sizes::is_counted(path, text));
    let lines: usize = files.map(|(path, text)| sizes::code_lines(path, text).len()).sum();
    assert!(
        lines <= MAX_LINES,
        "cloth-disjoint has {lines} code lines: what needs no proof belongs elsewhere"
    );
}

#[test]
fn modules_of_the_solver_import_only_those_above_them() {
    let imports = Imports::read(&tree());
    assert!(imports.passes(), "\n{}", imports.report());
}

#[test]
fn names_of_tests_can_be_typed() {
    const MAX_WORDS: usize = 12;
    let tree = tree();
    let sources = tree.below("").filter(|(path, _)| path.ends_with(".rs"));
    let behind = sources.flat_map(|(_, text)| text.split("#[test]\n").skip(1));
    let names = behind.filter_map(|rest| rest.split_once("fn ")?.1.split(['(', '<']).next());
    let long: Vec<&str> = names.filter(|name| name.split('_').count() > MAX_WORDS).collect();
    assert!(long.is_empty(), "more than {MAX_WORDS} words: {long:?}");
}

#[test]
fn the_readme_is_one_screen_with_a_program_that_is_run() {
    let tree = tree();
    let readme = tree.text("README.md");
    assert!(readme.lines().count() <= 84, "more belongs into docs/");
    let run = ["cloth-solver", "cloth-certify"].map(|name| tree.text(&format!("{name}/README.md"))).concat();
    let programs: Vec<&str> =
        readme.split("```rust\n").skip(1).filter_map(|rest| rest.split("```").next()).collect();
    assert!(!programs.is_empty() && programs.iter().all(|program| run.contains(program)), "{programs:?}");
}

#[test]
fn every_design_note_is_in_the_index() {
    let tree = tree();
    let index = tree.text("docs/design/README.md");
    let notes: Vec<&str> =
        tree.below("docs/design/").filter_map(|(path, _)| path.rsplit('/').next()).collect();
    assert!(notes.contains(&"gate.md"), "the notes lie elsewhere");
    let unlisted = |note: &&str| *note != "README.md" && !index.contains(&format!("({note})"));
    assert_eq!(notes.into_iter().filter(unlisted).collect::<Vec<_>>(), [""; 0]);
}

#[test]
fn every_published_crate_has_readme_examples_and_licences() {
    let tree = tree();
    let mut complaints = Vec::new();
    for member in crates() {
        for licence in ["LICENSE-APACHE", "LICENSE-MIT"] {
            let file = format!("{member}/{licence}");
            if tree.text(&file) != tree.text(licence) {
                complaints.push(format!("{file} is not a copy of {licence}, which its archive needs"));
            }
        }
        if !tree.has(&format!("{member}/README.md")) || !tree.has_file_below(&format!("{member}/examples/")) {
            complaints.push(format!("{member} has no README.md or no file in examples/"));
        }
        if !tree.text(&format!("{member}/Cargo.toml")).contains("readme = \"README.md\"") {
            complaints.push(format!("{member}/Cargo.toml names no readme"));
        }
    }
    assert_tidy(&complaints);
}

/// What `.github/workflows/release.yml` publishes under one tag.
#[test]
fn every_manifest_has_the_version_of_the_workspace() {
    let tree = tree();
    let own = ["bindings/c", "integrations/cloth-rapier", "python", "web/cloth-web"];
    let own = own.map(|folder| format!("{folder}/Cargo.toml"));
    let blender = "integrations/blender/cloth_judge/blender_manifest.toml";
    let others = ["Cargo.toml", "CITATION.cff", "web/cloth-web/npm/package.json", blender].map(String::from);
    let mut versions = BTreeSet::new();
    for file in own.iter().chain(&others) {
        let of_file = tree.text(file).lines().filter_map(|line| {
            let line = line.trim_start().trim_start_matches('"');
            let is_own = line.starts_with("version") || line.contains("{ path = \"cloth-");
            let number = line.split_once("version")?.1.trim_start_matches(['"', ':', '=', ' ']);
            is_own.then(|| number.split(['"', ',']).next().unwrap_or_default())
        });
        let before = versions.len();
        versions.extend(of_file.map(|version| (version, file.as_str())));
        assert!(versions.len() > before, "{file} has no version");
    }
    let numbers: BTreeSet<&str> = versions.iter().map(|&(version, _)| version).collect();
    assert_eq!(numbers.len(), 1, "{versions:?}");
}

/// On the pages of registries there is nothing for other links to lead to.
#[test]
fn published_readmes_link_only_to_addresses_and_to_themselves() {
    let tree = tree();
    let is_published =
        |folder: &String| !tree.text(&format!("{folder}/Cargo.toml")).contains("\npublish = false");
    let folders = crates().filter(is_published).chain(["python", "web/cloth-web/npm"].map(String::from));
    let mut complaints = Vec::new();
    for readme in folders.map(|folder| format!("{folder}/README.md")) {
        let targets = tree.text(&readme).split("](").skip(1).filter_map(|rest| rest.split(')').next());
        let leading_out = targets.filter(|target| !target.contains("://") && !target.starts_with('#'));
        complaints.extend(leading_out.map(|target| format!("{readme} links to {target}: name it in words")));
    }
    assert_tidy(&complaints);
}

#[test]
fn crates_compile_as_few_packages_as_they_need() {
    let complaints = packages::LIMITS.into_iter().filter_map(|(options, limit)| {
        let mut cargo = cargo();
        cargo.args("tree --locked --edges normal --prefix none --target x86_64-unknown-linux-gnu".split(' '));
        cargo.arg("--manifest-path").arg(root().join("Cargo.toml")).arg("--package").args(options.split(' '));
        let listed = output(&mut cargo).expect("cargo lists packages");
        packages::complaint(options, limit, &listed)
    });
    assert_tidy(&complaints.collect::<Vec<_>>());
}

#[test]
fn every_fault_has_a_test_and_every_test_a_fault() {
    let tree = tree();
    let sources =
        tree.below("cloth-").filter(|(path, _)| path.contains("/src/") && !path.ends_with("/fault.rs"));
    let calls = sources.flat_map(|(_, text)| text.split("fault!(").skip(1));
    let names = calls.filter_map(|call| call.split(',').next()).flat_map(|names| names.split('|'));
    let used: BTreeSet<&str> = names.map(str::trim).collect();
    assert_eq!(used, crate::faults::names().collect(), "the tests are those of xtask/src/faults.rs");
}

#[test]
fn no_file_names_a_directory_of_somebodys_machine() {
    let tree = tree();
    // Put together here, so that this file does not hold what it searches for.
    let forbidden = ["work", "tmp", "home", "root"].map(|directory| format!("/{directory}/"));
    let is_absolute =
        |(before, _): (&str, &str)| !before.ends_with(|c: char| c.is_alphanumeric() || "._-})".contains(c));
    let names = |text: &str| {
        forbidden
            .iter()
            .any(|word| text.match_indices(word.as_str()).any(|(at, _)| is_absolute(text.split_at(at))))
    };
    assert_eq!(
        tree.below("").filter(|(_, text)| names(text)).map(|(path, _)| path).collect::<Vec<_>>(),
        [""; 0]
    );
}

/// Every program that writes reports carries it.
#[test]
fn the_player_of_reports_is_small_and_made_from_its_sources() {
    let path = "cloth-show/assets/player.js.gz";
    let compressed = std::fs::read(root().join(path)).expect("the player");
    assert!(compressed.len() <= 250_000, "{} bytes", compressed.len());
    let mut text = String::new();
    GzDecoder::new(&*compressed).read_to_string(&mut text).expect("gzip");
    let (hash, stated) = player::hashes(&text, &tree()).expect("what it was made from");
    assert_eq!(hash, stated, "{path}: `npm ci --prefix web && node web/build.mjs --player`");
}
