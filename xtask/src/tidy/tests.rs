use cloth_measure::program::{cargo, output};

use super::*;
use crate::commands::root;

fn assert_tidy(complaints: &[String]) {
    assert!(complaints.is_empty(), "\n  {}\n", complaints.join("\n  "));
}

fn architecture_text() -> String {
    std::fs::read_to_string(root().join("ARCHITECTURE.md")).unwrap_or_else(|e| {
        panic!("ARCHITECTURE.md cannot be read ({e}): write it at the root of the repository")
    })
}

fn members() -> Vec<String> {
    manifest::members(&Tree::read(root()).text("Cargo.toml").expect("Cargo.toml at the root"))
}

/// The members that others use as crates: xtask and the folders of `tools` are programs of the project
/// itself.
fn crates() -> Vec<String> {
    members().into_iter().filter(|member| member != "xtask" && !member.starts_with("tools/")).collect()
}

#[test]
fn every_path_that_prose_or_a_comment_names_exists() {
    assert_tidy(&paths::missing(&Tree::read(root())));
}

#[test]
fn lines_of_sources_and_prose_have_at_most_110_columns() {
    assert_tidy(&lines::too_long(&Tree::read(root())));
}

#[test]
fn architecture_md_shows_the_members_of_the_workspace() {
    let root_manifest = Tree::read(root()).text("Cargo.toml").unwrap_or_default();
    let shown = [members(), manifest::excluded(&root_manifest)].concat();
    assert_tidy(&architecture::map_disagreements(&architecture_text(), &shown));
}

#[test]
fn modules_of_the_solver_import_only_those_above_them() {
    let imports = Imports::read(&Tree::read(root()));
    assert!(imports.passes(), "\n{}", imports.report());
}

#[test]
fn a_type_name_occurs_once_per_crate() {
    assert_tidy(&types::repeated(&Tree::read(root())));
}

#[test]
fn types_in_signatures_can_be_named_from_their_crate() {
    assert_tidy(&reexports::missing(&Tree::read(root()), &crates()));
}

#[test]
fn public_errors_are_non_exhaustive() {
    assert_tidy(&errors::exhaustive(&Tree::read(root())));
}

#[test]
fn names_of_tests_can_be_typed() {
    assert_tidy(&test_names::too_long(&Tree::read(root())));
}

#[test]
fn the_readme_is_one_screen_with_a_program_that_is_run() {
    let tree = Tree::read(root());
    let text = |path: &str| tree.text(path).unwrap_or_default();
    assert_tidy(&readme::complaints(
        &text("README.md"),
        &(text("cloth-solver/README.md") + &text("cloth-certify/README.md")),
    ));
}

#[test]
fn links_in_prose_lead_to_files() {
    let root = root();
    let tree = Tree::read(root);
    let pages = tree.below("").filter(|(path, _)| path.ends_with(".md"));
    let broken =
        pages.flat_map(|(path, page)| readme::broken_links(path, page, |file| root.join(file).exists()));
    assert_tidy(&broken.collect::<Vec<_>>());
}

#[test]
fn every_design_note_is_in_the_index() {
    const FOLDER: &str = "docs/design/";
    let tree = Tree::read(root());
    let notes = tree.below(FOLDER).filter_map(|(path, _)| path.strip_prefix(FOLDER));
    let notes: Vec<&str> = notes.filter(|name| *name != "README.md").collect();
    assert!(notes.contains(&"gate.md"), "the notes lie elsewhere");
    assert_tidy(&readme::unlisted(&tree.text(&format!("{FOLDER}README.md")).unwrap_or_default(), &notes));
}

#[test]
fn every_crate_has_a_readme_and_examples() {
    assert_tidy(&files::incomplete_crates(&Tree::read(root()), &crates()));
}

#[test]
fn every_published_crate_has_the_licences_of_the_project() {
    let tree = Tree::read(root());
    let mut complaints = Vec::new();
    for member in crates() {
        for licence in ["LICENSE-APACHE", "LICENSE-MIT"] {
            let file = format!("{member}/{licence}");
            if std::fs::read(root().join(&file)).ok() != std::fs::read(root().join(licence)).ok() {
                complaints.push(format!("{file} is not a copy of {licence}, which its archive needs"));
            }
        }
        if !tree.text(&format!("{member}/Cargo.toml")).unwrap_or_default().contains("readme = \"README.md\"")
        {
            complaints.push(format!("{member}/Cargo.toml names no readme"));
        }
    }
    assert_tidy(&complaints);
}

#[test]
fn stages_of_detection_use_only_those_before_them() {
    let tree = Tree::read(root());
    let texts = tree
        .sources()
        .filter_map(|(path, text)| Some((path.strip_prefix(stages::FOLDER)?.to_owned(), text.to_owned())));
    let texts: Vec<(String, String)> = texts.collect();
    assert!(texts.iter().any(|(path, _)| path == "lists/list.rs"), "the stages lie elsewhere");
    assert_tidy(&stages::violations(&texts));
}

#[test]
fn every_fault_that_is_for_tests_has_one() {
    let tree = Tree::read(root());
    let below = faults::FOLDERS.into_iter().flat_map(|folder| tree.below(folder));
    let files: Vec<(&str, &str)> = below.filter(|(path, _)| path.ends_with(".rs")).collect();
    assert_tidy(&faults::violations(&files, &crate::faults::names().collect()));
}

#[test]
fn files_are_opened_to_be_read_in_one_place() {
    let tree = Tree::read(root());
    let below = readers::FOLDERS.into_iter().flat_map(|folder| tree.below(folder));
    let files: Vec<(&str, &str)> = below.filter(|(path, _)| path.ends_with(".rs")).collect();
    assert!(files.iter().any(|(path, _)| path.ends_with("obj/mod.rs")), "the readers lie elsewhere");
    assert_tidy(&readers::violations(&files));
}

#[test]
fn crates_depend_only_on_those_above_them() {
    assert_tidy(&layers::violations(&layers::read(&Tree::read(root()))));
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
fn no_file_names_a_directory_of_somebodys_machine() {
    assert_tidy(&files::machine_paths(&Tree::read(root())));
}

#[test]
fn every_small_number_in_contact_detection_is_derived() {
    assert_tidy(&literals::small(&Tree::read(root())));
}

#[test]
fn failures_that_proptest_finds_are_kept() {
    assert_tidy(&proptests::forgetful(&Tree::read(root())));
}

#[test]
fn the_player_of_reports_is_made_from_its_sources() {
    let compressed = std::fs::read(root().join(player::PLAYER)).expect("the player");
    assert!(compressed.len() <= player::MAX_BYTES, "{} bytes", compressed.len());
    let mut text = String::new();
    std::io::Read::read_to_string(&mut flate2::read::GzDecoder::new(&*compressed), &mut text).expect("gzip");
    assert_tidy(player::stale_player(&text, &Tree::read(root())).as_slice());
}
