//! `cloth merge`: what shards wrote becomes what one run would have written.

use std::fs;
use std::path::Path;

use crate::support::{assert_refused, cloth, crossing, sheet, text, write};

/// Ten meshes, of which two are not clean and one is none.
fn meshes(folder: &Path) {
    (0..7).for_each(|k| drop(write(folder, &format!("{k}-sheet.obj"), &sheet(3 + k, 1.0))));
    (7..9).for_each(|k| drop(write(folder, &format!("{k}-crossing.obj"), &crossing())));
    fs::write(folder.join("9-none.obj"), "v 0 0 nan\n").unwrap();
}

/// Checks a folder of meshes by a shard, into a file.
fn check(folder: &Path, lines: &str, more: &[&str]) {
    let ran = cloth([&["check", &text(folder), "--each", "--jsonl", lines], more].concat());
    assert!(ran.status <= 2 && !ran.out.is_empty(), "{ran:?}");
}

#[test]
fn shards_of_a_check_are_merged_into_what_one_run_wrote() {
    let dir = tempfile::tempdir().unwrap();
    let [own, at] = [dir.path().join("meshes"), dir.path().to_path_buf()];
    let at = |name: &str| text(&at.join(name));
    let manifest = |name: &str, inputs: &[&String]| {
        let inputs: Vec<&str> = inputs.iter().map(|input| input.as_str()).collect();
        let ran = cloth([&["merge", "--out", &at(name)], inputs.as_slice()].concat());
        assert_eq!((ran.status, ran.err.as_str()), (0, ""), "{ran:?}");
        assert_eq!(ran.out, format!("{}: 10 rows: 7 clean, 2 not-clean, 1 refused\n", at(name)));
        fs::read_to_string(at(name)).unwrap()
    };
    fs::create_dir(&own).unwrap();
    meshes(&own);
    check(&own, &at("whole"), &[]);
    let whole = manifest("whole.jsonl", &[&at("whole")]);
    assert!(!whole.contains("judged") && !whole.contains("modified"), "{whole}");
    // Another time of the files, and shards that run in another order.
    meshes(&own);
    let shards = [3, 1, 2].map(|shard| {
        let lines = at(&format!("{shard}"));
        check(&own, &lines, &["--shard", &format!("{shard}/3")]);
        lines
    });
    assert_eq!(manifest("parts.jsonl", &shards.each_ref()), whole);
    let [a, b, c] = &shards;
    assert_eq!(manifest("again.jsonl", &[b, a, &at("parts.jsonl"), c, b]), whole);
}

#[test]
fn gaps_cut_lines_and_other_plans_are_refused() {
    let dir = tempfile::tempdir().unwrap();
    let [own, at] = [dir.path().join("meshes"), dir.path().to_path_buf()];
    let at = |name: &str| text(&at.join(name));
    fs::create_dir(&own).unwrap();
    meshes(&own);
    check(&own, &at("1"), &["--shard", "1/2"]);
    check(&own, &at("2"), &["--shard", "2/2"]);
    let out = at("m.jsonl");
    let merge = |more: &[&str]| cloth([&["merge", &at("1"), "--out", &out], more].concat());
    assert_refused(
        &merge(&[]),
        &["/1: 5 of 10 rows of check ", "are missing: 1, 3, 5, 7, 9 (from 0)", "--partial"],
    );
    // Killed within its last line.
    let second = fs::read_to_string(at("2")).unwrap();
    fs::write(at("2"), &second[..second.len() - 9]).unwrap();
    assert_refused(&merge(&[&at("2")]), &["/1: 1 of 10 rows", "missing: 9 "]);
    assert!(!Path::new(&out).exists(), "nothing is written");
    let partial = merge(&[&at("2"), "--partial"]);
    assert!(partial.status == 0 && partial.out.ends_with("2 not-clean, 1 missing\n"), "{partial:?}");
    // Resumed, it is whole.
    check(&own, &at("2"), &["--shard", "2/2", "--resume"]);
    assert_eq!(merge(&[&at("2")]).status, 0);
    // Other options are another plan, of which the other half is missing.
    check(&own, &at("2"), &["--shard", "2/2", "--weld", "0"]);
    assert_refused(&merge(&[&at("2")]), &["5 of 10 rows of check"]);
    fs::write(at("2"), second.replace("2 intersections", "3 intersections")).unwrap();
    let ran = cloth(["merge", &at("2"), &out, "--out", &at("n.jsonl")]);
    assert_refused(&ran, &["differs from", "/2:4"]);
    fs::write(at("2"), format!("{second}precious\n")).unwrap();
    assert_refused(&merge(&[&at("2")]), &["/2:6: is no row"]);
    assert_refused(&cloth(["merge", &at("1"), "--out", &at("1")]), &["read as IN"]);
    assert_refused(&cloth(["merge", &at("1")]), &["--out"]);
    assert_refused(&cloth(["merge", &text(&own)]), &["is no folder of a sweep"]);
    assert_refused(&cloth(["check", &text(&own), "--shard", "1/2"]), &["--jsonl"]);
}
