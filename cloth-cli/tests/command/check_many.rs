//! `cloth check` of many meshes: lines, tables, folders and patterns, and runs that go on.

use std::fs;
use std::path::Path;
use std::process::Command;

use nalgebra::Vector3;

use crate::support::{assert_refused, cloth, crossing, ran, sheet, text, write};
use cloth_testing::corpus;

/// A clean sheet, two crossing faces and a file that is none.
fn folder() -> tempfile::TempDir {
    let dir = tempfile::tempdir().unwrap();
    fs::create_dir(dir.path().join("below")).unwrap();
    write(dir.path(), "a.obj", &sheet(5, 1.0));
    write(&dir.path().join("below"), "b.obj", &crossing());
    fs::write(dir.path().join("c.obj"), "v 0 0 nan\n").unwrap();
    fs::write(dir.path().join("notes.txt"), "no mesh").unwrap();
    dir
}

fn rows(file: &Path) -> Vec<serde_json::Value> {
    let text = fs::read_to_string(file).unwrap();
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

#[test]
fn a_folder_gets_a_line_for_each_mesh_and_a_total() {
    let dir = folder();
    let at = |name: &str| text(&dir.path().join(name));
    let csv = dir.path().join("table.csv");
    let ran = cloth(["check", &text(dir.path()), "--csv", &text(&csv)]);
    assert_eq!(ran.status, 2, "{ran:?}");
    let expected = format!(
        "{}: clean\n{}: 2 intersections\n3 meshes: 1 clean, 1 not clean, 1 refused\n",
        at("a.obj"),
        at("below/b.obj")
    );
    assert_eq!(ran.out, expected);
    assert!(ran.err.starts_with(&format!("cloth: {}:1: ", at("c.obj"))), "{}", ran.err);
    let table = fs::read_to_string(&csv).unwrap();
    let lines: Vec<&str> = table.lines().collect();
    assert!(lines[0].starts_with("mesh,outcome,verdict,frames,vertices,triangles,pieces,intersections,"));
    assert!(lines[2].contains("below/b.obj,not-clean,2 intersections,0,6,2,2,2,1,0,0"), "{table}");
    assert!(lines.len() == 4 && lines[3].contains("c.obj,refused,"), "{table}");
    let ran = cloth(["check", &at("a.obj"), &at("below/b.obj"), "--details"]);
    assert!(ran.out.contains("\n  vertices                          25\n"), "{}", ran.out);
}

#[test]
fn a_pattern_reaches_folders_below() {
    let dir = folder();
    let ran = cloth(["check", &text(&dir.path().join("**/b.obj"))]);
    assert!(ran.status == 1 && ran.out.contains("pieces                            2"), "one has its block");
    let ran = cloth(["check", &text(&dir.path().join("?.obj"))]);
    assert!(ran.status == 2 && ran.out.contains("2 meshes: 1 clean, 0 not clean, 1 refused"), "{ran:?}");
    assert_refused(&cloth(["check", &text(&dir.path().join("*.ply"))]), &["*.ply", "holds no meshes"]);
}

#[test]
fn a_run_goes_on_where_an_earlier_one_ended() {
    let dir = folder();
    let (meshes, lines) = (text(dir.path()), dir.path().join("table.jsonl"));
    let line = ["check", &meshes, "--jsonl", &text(&lines)];
    assert_eq!(cloth(line).status, 2);
    let first = rows(&lines);
    assert_eq!(
        first.iter().map(|row| row["outcome"].clone()).collect::<Vec<_>>(),
        ["clean", "not-clean", "refused"]
    );
    assert_eq!(first[1]["report"]["intersections"], 2);
    // The run was killed within its last line.
    let whole = fs::read_to_string(&lines).unwrap();
    fs::write(&lines, &whole[..whole.len() - 20]).unwrap();
    let resumed = || cloth(line.iter().chain(&["--resume"]));
    let ran = resumed();
    assert!(ran.status == 2 && ran.out.contains("1 refused, 2 of them by an earlier run"), "{ran:?}");
    assert_eq!(rows(&lines), first);
    // A file that has changed is judged anew, and so is all of it with other options.
    write(dir.path(), "c.obj", &sheet(3, 1.0));
    let ran = resumed();
    assert!(ran.status == 1 && ran.out.contains("2 clean, 1 not clean, 0 refused, 2 of them"), "{ran:?}");
    let ran = cloth(line.iter().chain(&["--resume", "--weld", "0"]));
    assert!(ran.status == 1 && ran.out.ends_with("2 clean, 1 not clean, 0 refused\n"), "{ran:?}");
    fs::write(&lines, "{}\n").unwrap();
    assert_refused(&resumed(), &["table.jsonl:1", "no line of --jsonl"]);
    assert_eq!(fs::read_to_string(&lines).unwrap(), "{}\n", "what is not ours stays");
    assert_refused(&cloth(["check", &meshes, "--resume"]), &["--jsonl"]);
}

#[test]
fn a_shard_judges_its_part_and_keeps_the_rows_of_others() {
    let dir = folder();
    let (meshes, lines) = (text(dir.path()), dir.path().join("table.jsonl"));
    let line = ["check", &meshes, "--jsonl", &text(&lines)];
    let shard = |word: &str, task: &str| {
        let command = &mut Command::new(env!("CARGO_BIN_EXE_cloth"));
        ran(command.args(line).args(["--resume", "--shard", word]).env("SLURM_ARRAY_TASK_ID", task))
    };
    let first = shard("auto/2", "3");
    assert!(first.out.ends_with("1 meshes (shard 2/2 of 3): 0 clean, 1 not clean, 0 refused\n"), "{first:?}");
    let expected = "2 meshes (shard 1/2 of 3): 1 clean, 0 not clean, 1 refused\n";
    assert!(shard("1/2", "").out.ends_with(expected));
    let numbers: Vec<_> = rows(&lines).iter().map(|row| row["number"].clone()).collect();
    assert_eq!(numbers, [1, 0, 2]);
    let whole = cloth(line.iter().chain(&["--resume"]));
    assert!(whole.out.ends_with("3 meshes: 1 clean, 1 not clean, 1 refused, 3 of them by an earlier run\n"));
    let none = shard("4/4", "");
    assert_eq!(
        (none.status, none.out.as_str()),
        (0, "0 meshes (shard 4/4 of 3): 0 clean, 0 not clean, 0 refused\n")
    );
    assert_refused(&shard("auto", "3"), &["--shard", "SLURM_ARRAY_TASK_COUNT", "give I/N"]);
}

#[test]
fn rows_get_the_key_of_the_present_list_and_none_is_lost() {
    let dir = folder();
    let (meshes, lines) = (text(dir.path()), dir.path().join("table.jsonl"));
    let line = ["check", &meshes, "--jsonl", &text(&lines), "--resume"];
    let keys = || {
        let key = |row: &serde_json::Value| {
            assert_eq!((&row["kind"], row["plan"].as_str().unwrap().len()), (&"check".into(), 8), "{row}");
            let name = row["name"].as_str().unwrap().rsplit('/').next().unwrap().to_owned();
            (name, row["number"].as_u64().unwrap(), row["of"].as_u64().unwrap())
        };
        rows(&lines).iter().map(key).collect::<Vec<_>>()
    };
    let all = |keys: &[(&str, u64, u64)]| -> Vec<(String, u64, u64)> {
        keys.iter().map(|&(name, number, of)| (name.to_owned(), number, of)).collect()
    };
    cloth(line);
    assert_eq!(keys(), all(&[("a.obj", 0, 3), ("b.obj", 1, 3), ("c.obj", 2, 3)]));
    assert!(fs::read_to_string(&lines).unwrap().starts_with("{\"kind\":\"check\",\"plan\":\""));
    // One more at the start of the list, one is gone, and one has changed.
    write(dir.path(), "0.obj", &sheet(3, 1.0));
    write(&dir.path().join("below"), "b.obj", &sheet(4, 1.0));
    fs::remove_file(dir.path().join("c.obj")).unwrap();
    let ran = cloth(line);
    assert!(
        ran.out.ends_with("3 meshes: 3 clean, 0 not clean, 0 refused, 1 of them by an earlier run\n"),
        "{ran:?}"
    );
    let expected = all(&[("a.obj", 1, 3), ("c.obj", 0, 1), ("0.obj", 0, 3), ("b.obj", 2, 3)]);
    assert_eq!(keys(), expected);
    let merged = cloth(["merge", &text(&lines), "--out", &text(&dir.path().join("m.jsonl"))]);
    assert!(merged.status == 0 && merged.out.ends_with("4 rows: 3 clean, 1 refused\n"), "{merged:?}");
}

#[test]
fn what_a_limit_kept_from_being_judged_is_judged_later() {
    let dir = folder();
    let (clean, file) = (text(&dir.path().join("a.obj")), dir.path().join("rows.jsonl"));
    let check = |more: &[&str]| {
        let first = ["check", &clean, "--jsonl", &text(&file), "--resume"];
        cloth(first.into_iter().chain(more.iter().copied()))
    };
    assert_refused(&check(&["--max-input", "10"]), &["more than 10 bytes"]);
    assert_eq!((rows(&file).len(), check(&[]).status, rows(&file).len()), (0, 0, 1));
}

#[test]
fn two_shards_do_not_write_to_one_file() {
    let dir = folder();
    let rows = dir.path().join("rows.jsonl");
    let held = fs::File::create(&rows).unwrap();
    held.lock().unwrap();
    let pattern = text(&dir.path().join("*.obj"));
    for more in [&["--resume"][..], &[]] {
        let ran = cloth(["check", &pattern, "--jsonl", &text(&rows)].into_iter().chain(more.iter().copied()));
        assert_refused(&ran, &["rows.jsonl", "is written by another process", "a file of its own"]);
    }
}

#[test]
fn files_are_frames_if_numbers_follow_and_topology_is_equal() {
    let dir = tempfile::tempdir().unwrap();
    let at = |height: f64| sheet(4, 1.0).translated(Vector3::y() * height);
    for (k, name) in ["f_08.obj", "f_09.obj", "f_10.obj"].into_iter().enumerate() {
        write(dir.path(), name, &at(k as f64));
    }
    let folder = text(dir.path());
    let ran = cloth(["check", &folder]);
    assert!(ran.out.contains("f_*.obj: clean in 3 frames\n"), "{}", ran.out);
    let said = "3 files of equal topology and consecutive numbers are frames of one mesh; --each";
    assert!(ran.out.contains(said) && ran.err.is_empty(), "{ran:?}");
    let each = cloth(["check", &folder, "--each"]);
    assert!(each.out.ends_with("3 meshes: 3 clean, 0 not clean, 0 refused\n"), "{}", each.out);
    fs::remove_file(dir.path().join("f_09.obj")).unwrap();
    let gap = cloth(["check", &folder]);
    assert!(gap.out.ends_with("2 meshes: 2 clean, 0 not clean, 0 refused\n"), "{}", gap.out);
    assert!(gap.err.contains("one by one: number 10 follows 8; --sequence"), "{}", gap.err);
    let forced = cloth(["check", &folder, "--sequence"]);
    assert!(forced.out.contains("f_*.obj: clean in 2 frames\n"), "{}", forced.out);
    write(dir.path(), "f_09.obj", &sheet(5, 1.0));
    let other = cloth(["check", &folder]);
    assert!(other.err.contains("one by one: the topology of ") && other.status == 0, "{other:?}");
    assert_refused(&cloth(["check", &folder, "--sequence"]), &["f_09.obj", "vertices"]);
}

#[test]
fn outputs_are_no_inputs() {
    let dir = folder();
    let at = |name: &str| text(&dir.path().join(name));
    assert_refused(&cloth(["check", &at("a.obj"), "--csv", &at("a.obj")]), &["read as MESH"]);
    let ran = cloth(["check", &at("a.obj"), "--csv", &at("t"), "--jsonl", &at("t")]);
    assert_refused(&ran, &["--csv and --jsonl are one file"]);
    let lines = cloth(["check", &at("a.obj"), "--jsonl", &at("none/t.jsonl")]);
    assert_refused(&lines, &["t.jsonl", "cannot write"]);
}

#[test]
fn singular_forms_are_used_for_one() {
    let dir = tempfile::tempdir().unwrap();
    let mut mesh = sheet(3, 1.0);
    mesh.positions.push(nalgebra::Point3::new(0.0, 9.0, 0.0));
    let ran = cloth(["check", &write(dir.path(), "m.obj", &mesh)]);
    assert!(ran.out.contains("1 vertex of no face: 9"), "{}", ran.out);
}

/// What nobody here made is judged without renaming a file.
#[test]
fn a_data_set_is_audited_with_one_command() {
    let Some(garments) = corpus("garments") else { return };
    let dir = tempfile::tempdir().unwrap();
    let csv = dir.path().join("table.csv");
    let ran = cloth(["check", &text(&garments), "--csv", &text(&csv)]);
    assert!(
        ran.status == 1 && ran.out.ends_with("26 meshes: 17 clean, 9 not clean, 0 refused\n"),
        "{}",
        ran.out
    );
    assert_eq!(fs::read_to_string(&csv).unwrap().lines().count(), 27);
}

#[test]
fn a_verdict_is_not_taken_over_of_other_seams_or_older_files() {
    let dir = tempfile::tempdir().unwrap();
    let at = |name: &str| dir.path().join(name);
    let touching = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 0\nv -1 0 0\nv 0 -1 0\nf 1 2 3\nf 4 5 6\n";
    fs::write(at("t.obj"), touching).unwrap();
    fs::write(at("s.txt"), "0 3\n").unwrap();
    let [mesh, seams, lines] = ["t.obj", "s.txt", "t.jsonl"].map(|name| text(&at(name)));
    let line = ["check", &mesh, "--stitches", &seams, "--seam-distance", "0", "--jsonl", &lines];
    let resumed = || cloth(line.iter().chain(&["--resume"]));
    assert_eq!(cloth(line).status, 0);
    let ran = resumed();
    assert!(ran.status == 0 && ran.out.ends_with("t.obj: clean (judged by an earlier run)\n"), "{ran:?}");
    // Of the same length.
    fs::write(at("s.txt"), "1 4\n").unwrap();
    assert_eq!(resumed().status, 1);
    fs::write(at("s.txt"), "0 3\n").unwrap();
    assert_eq!(cloth(line).status, 0);
    // An older file in its place.
    fs::write(at("old.obj"), touching.replace("v -1 0 0", "v 91 0 0")).unwrap();
    let long_ago = std::time::SystemTime::UNIX_EPOCH + std::time::Duration::from_secs(1);
    fs::File::options().append(true).open(at("old.obj")).unwrap().set_modified(long_ago).unwrap();
    fs::rename(at("old.obj"), at("t.obj")).unwrap();
    assert!(!resumed().out.contains("by an earlier run"));
    fs::write(at("t.jsonl"), "precious").unwrap();
    assert_refused(&resumed(), &["t.jsonl:1", "no line of --jsonl"]);
    let ran = cloth(["check", &mesh, "--csv", &text(&at("none/t.csv"))]);
    assert_refused(&ran, &["t.csv", "does the folder exist?"]);
    assert!(ran.out.is_empty(), "before anything is judged: {}", ran.out);
}
