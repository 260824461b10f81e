//! `cloth sweep` as its user calls it: shards, kills, tries, damage, and the manifest of all of it.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use serde_json::Value;

use crate::support::{Ran, assert_refused, cloth, json, sheet, text, write};

/// A sheet over a ball: 12 runs, of which those with `thickness = -1` have an error.
fn sweep_file(folder: &Path, thicknesses: &str) -> String {
    write(folder, "sheet.obj", &sheet(9, 0.5));
    let scene = "[settings]\nduration = 0.1\nsubsteps = 4\n[[garment]]\nname = \"sheet\"\nmesh = \"sheet.obj\"\n\
                 translate = [0, 0.21, 0]\nthickness = 0.01\n[[body]]\nkind = \"sphere\"\ncenter = [0, 0, 0]\nradius = 0.2\n";
    fs::write(folder.join("scene.toml"), scene).unwrap();
    let text_of = format!(
        "scene = \"scene.toml\"\noutputs = [\"cloth.pc2\", \"last.obj\"]\nsamples = 2\n\
         [[parameter]]\nkey = \"garment.sheet.thickness\"\nvalues = [{thicknesses}]\n\
         [[parameter]]\nkey = \"settings.friction\"\nfrom = 0.1\nto = 0.9\ncount = 2\n\
         [[parameter]]\nkey = \"garment.sheet.translate.1\"\nfrom = 0.21\nto = 0.25\n"
    );
    fs::write(folder.join("sweep.toml"), text_of).unwrap();
    text(&folder.join("sweep.toml"))
}

fn sweep(file: &str, out: &Path, more: &[&str]) -> Ran {
    cloth(["sweep", file, "--out", &text(out)].into_iter().chain(more.iter().copied()))
}

/// All files below a folder with their contents.
fn tree(folder: &Path) -> BTreeMap<PathBuf, Vec<u8>> {
    let mut found = BTreeMap::new();
    for entry in walkdir::WalkDir::new(folder).into_iter().map(|entry| entry.unwrap()) {
        if entry.file_type().is_file() {
            let name = entry.path().strip_prefix(folder).unwrap().to_owned();
            found.insert(name, fs::read(entry.path()).unwrap());
        }
    }
    found
}

fn rows(out: &Path) -> Vec<Value> {
    let manifest = fs::read_to_string(out.join("manifest.jsonl")).unwrap();
    manifest.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

#[test]
fn shards_in_any_order_have_the_bytes_of_the_whole() {
    let dir = tempfile::tempdir().unwrap();
    let file = sweep_file(dir.path(), "0.006, 0.01, 0.014");
    let [whole, parts] = ["whole", "parts"].map(|name| dir.path().join(name));
    let ran = sweep(&file, &whole, &["--jobs", "2"]);
    assert!(ran.status == 0 && ran.out.contains("12 runs: 12 clean, 0 not clean, 0 failed\n"), "{ran:?}");
    assert_eq!((tree(&whole).len(), rows(&whole).len()), (2 + 3 * 12, 12));
    for shard in ["3/5", "1/5", "5/5", "3/5", "2/5"] {
        assert_eq!(sweep(&file, &parts, &["--shard", shard, "--jobs", "1"]).status, 0);
    }
    assert_refused(&cloth(["merge", &text(&parts)]), &["2 of 12 rows", "3, 8", "--partial"]);
    let ran = sweep(&file, &parts, &["--shard", "4/5"]);
    assert!(ran.out.contains("shard 4/5, 2 runs: 2 clean"), "{ran:?}");
    assert_eq!(cloth(["merge", &text(&parts)]).status, 0);
    assert_eq!(tree(&parts), tree(&whole));
    // Called again, it changes nothing.
    let ran = sweep(&file, &whole, &[]);
    assert!(
        ran.status == 0 && ran.out.contains("12 clean, 0 not clean, 0 failed, 12 of them before"),
        "{ran:?}"
    );
    assert_eq!(tree(&parts), tree(&whole));
}

#[test]
fn a_row_has_the_figures_of_cloth_simulate_and_no_folder() {
    let dir = tempfile::tempdir().unwrap();
    let (file, out) = (sweep_file(dir.path(), "0.01"), dir.path().join("out"));
    assert_eq!(sweep(&file, &out, &[]).status, 0);
    let row = rows(&out).remove(3);
    let height = row["parameters"]["garment.sheet.translate.1"].as_f64().unwrap();
    let scene = fs::read_to_string(dir.path().join("scene.toml")).unwrap();
    let scene = scene.replace("0.21", &format!("{height:?}")).replace("substeps", "friction = 0.9\nsubsteps");
    let [path, report] = ["same.toml", "report.json"].map(|name| dir.path().join(name));
    fs::write(&path, scene).unwrap();
    let cache = dir.path().join("same.pc2");
    let ran = cloth(["simulate", &text(&path), "--json", &text(&report), "--out", &text(&cache)]);
    assert_eq!(ran.status, 0, "{ran:?}");
    assert_eq!(fs::read(cache).unwrap(), fs::read(out.join("runs/000/000003/cloth.pc2")).unwrap());
    let simulated = json(&report);
    let figures = row["report"].as_object().unwrap();
    assert!(figures.len() > 30);
    for (key, figure) in figures.iter().filter(|(key, _)| *key != "name") {
        assert_eq!(figure, &simulated[key], "{key}");
    }
    assert_eq!(row["verdict"], "clean in 6 frames");
    let manifest = fs::read_to_string(out.join("manifest.jsonl")).unwrap()
        + &fs::read_to_string(out.join("sweep.json")).unwrap();
    assert!(!manifest.contains(&text(dir.path())) && !manifest.contains("_ms") && !manifest.contains("time"));
}

#[test]
fn an_error_of_the_scene_is_tried_twice_and_recorded() {
    let dir = tempfile::tempdir().unwrap();
    let (file, out) = (sweep_file(dir.path(), "0.01, 0.5"), dir.path().join("out"));
    fs::remove_file(dir.path().join("sheet.obj")).unwrap();
    let ran = sweep(&file, &out, &[]);
    assert!(ran.status == 1 && ran.out.contains("8 runs: 0 clean, 0 not clean, 8 failed"), "{ran:?}");
    let row = rows(&out).remove(0);
    assert_eq!(
        (&row["outcome"], &row["report"], &row["files"]),
        (&"failed".into(), &Value::Null, &serde_json::json!({}))
    );
    assert!(row["verdict"].as_str().unwrap().starts_with("sheet.obj: cannot read: "), "{row}");
    assert_eq!(tree(&out).len(), 2 + 8, "no try is left, and no log");
    // The second try of a run whose first one is noted is the last.
    fs::remove_dir_all(out.join("runs/000/000005")).unwrap();
    fs::write(out.join("runs/000/.000005.try"), "before").unwrap();
    let before = tree(&out);
    assert_eq!(sweep(&file, &out, &[]).status, 1);
    assert!(tree(&out).len() == before.len() && !out.join("runs/000/.000005.try").exists());
    // With its mesh the sweep is the same, and what failed is recorded.
    write(dir.path(), "sheet.obj", &sheet(9, 0.5));
    let recorded = tree(&out);
    assert_eq!(sweep(&file, &out, &[]).status, 1);
    assert_eq!(tree(&out), recorded);
}

#[test]
fn what_killed_runs_leave_is_removed_and_begun_again_last() {
    let dir = tempfile::tempdir().unwrap();
    let (file, out) = (sweep_file(dir.path(), "0.01"), dir.path().join("out"));
    for name in [".000001.x.part", ".000003.y.part", ".000003.z.part"] {
        let part = out.join("runs/000").join(name);
        fs::create_dir_all(&part).unwrap();
        fs::write(part.join("cloth.pc2"), "half").unwrap();
    }
    let ran = sweep(&file, &out, &[]);
    assert!(ran.status == 0 && ran.out.contains("4 runs: 4 clean"), "{ran:?}");
    let clean = dir.path().join("clean");
    assert_eq!(sweep(&file, &clean, &[]).status, 0);
    assert_eq!(tree(&out), tree(&clean));
    assert_eq!(fs::read_dir(out.join("runs/000")).unwrap().count(), 4);
}

#[test]
fn a_damaged_run_is_moved_aside_and_done_again() {
    let dir = tempfile::tempdir().unwrap();
    let (file, out) = (sweep_file(dir.path(), "0.01"), dir.path().join("out"));
    assert_eq!(sweep(&file, &out, &[]).status, 0);
    let whole = tree(&out);
    let run = out.join("runs/000/000002");
    for damage in [
        &(|| fs::write(run.join("cloth.pc2"), "half").unwrap()) as &dyn Fn(),
        &|| fs::remove_file(run.join("row.json")).unwrap(),
        &|| fs::write(run.join("row.json"), "{\"kind\":\"sweep\"").unwrap(),
        &|| fs::remove_file(run.join("last.obj")).unwrap(),
    ] {
        damage();
        assert_refused(&cloth(["merge", &text(&out)]), &["000002", "run the shard of run 2 again"]);
        let ran = sweep(&file, &out, &[]);
        assert!(ran.status == 0 && ran.out.contains("3 of them before"), "{ran:?}");
    }
    let kept = fs::read(out.join("damaged/000002-0/cloth.pc2")).unwrap();
    assert_eq!((kept, fs::read_dir(out.join("damaged")).unwrap().count()), (b"half".to_vec(), 4));
    let log = fs::read_to_string(out.join("log/shard-1-of-1.log")).unwrap();
    assert!(log.lines().count() == 4 && log.contains(" run 2: "), "{log}");
    for name in ["damaged", "log"] {
        fs::remove_dir_all(out.join(name)).unwrap();
    }
    assert_eq!(tree(&out), whole);
}

#[test]
fn a_limit_of_the_machine_leaves_runs_undone() {
    let dir = tempfile::tempdir().unwrap();
    let (file, out) = (sweep_file(dir.path(), "0.01"), dir.path().join("out"));
    let ran = sweep(&file, &out, &["--max-input", "1k"]);
    assert!(ran.status == 2 && ran.out.contains("4 undone, call it again"), "{ran:?}");
    assert_eq!(fs::read_dir(out.join("runs/000")).unwrap().count(), 0);
    assert!(sweep(&file, &out, &[]).out.contains("4 clean"));
}

#[test]
fn many_processes_on_one_folder_and_merges_beside_them_agree() {
    let dir = tempfile::tempdir().unwrap();
    let file = sweep_file(dir.path(), "0.006, 0.01, 0.014");
    let [whole, many] = ["whole", "many"].map(|name| dir.path().join(name));
    assert_eq!(sweep(&file, &whole, &[]).status, 0);
    let run = |run: &dyn Fn() -> Ran| assert_eq!(run().status, 0);
    std::thread::scope(|scope| {
        for shard in ["1/1", "2/2", "1/2", "3/3", "1/1"] {
            let (file, many) = (&file, &many);
            scope.spawn(move || run(&|| sweep(file, many, &["--shard", shard, "--jobs", "2"])));
        }
    });
    std::thread::scope(|scope| {
        (0..8).for_each(|_| drop(scope.spawn(|| run(&|| cloth(["merge", &text(&many)])))));
    });
    assert_eq!(tree(&many), tree(&whole));
    for place in ["sweep.json", "runs/000/000001/row.json", "runs/000/new"] {
        let out = text(&many.join(place));
        assert_refused(
            &cloth(["merge", &text(&many), "--out", &out]),
            &["is a part of", "name another file"],
        );
    }
    assert_eq!(tree(&many), tree(&whole));
}

#[test]
fn outputs_of_two_garments_do_not_share_a_file() {
    let dir = tempfile::tempdir().unwrap();
    let file = sweep_file(dir.path(), "0.01");
    let add = |name: &str, from: &str, to: &str| {
        let path = dir.path().join(name);
        fs::write(&path, fs::read_to_string(&path).unwrap().replace(from, to)).unwrap();
    };
    let other = "[[garment]]\nname = \"a_sheet\"\nmesh = \"sheet.obj\"\ntranslate = [0, 1, 0]\n[[body]]";
    add("scene.toml", "[[body]]", other);
    add("sweep.toml", "\"last.obj\"", "\"cloth_a.pc2\"");
    assert_refused(&sweep(&file, &dir.path().join("out"), &[]), &["cloth_a_sheet.pc2", "are one file"]);
}

#[test]
fn the_folder_of_another_sweep_or_version_is_refused() {
    let dir = tempfile::tempdir().unwrap();
    let (file, out) = (sweep_file(dir.path(), "0.01"), dir.path().join("out"));
    assert_eq!(sweep(&file, &out, &[]).status, 0);
    let whole = tree(&out);
    let plan = out.join("sweep.json");
    let changed = |from: &str, to: &str| {
        let text = fs::read_to_string(&plan).unwrap();
        assert!(text.contains(from));
        fs::write(&plan, text.replace(from, to)).unwrap();
        let ran = sweep(&file, &out, &[]);
        fs::write(&plan, text).unwrap();
        ran
    };
    assert_refused(&changed("\"cloth\": \"0", "\"cloth\": \"9"), &["sweep.json", "another version of cloth"]);
    assert_refused(
        &changed("\"samples\": 2", "\"samples\": 3"),
        &["of a sweep file that says something else"],
    );
    assert_refused(
        &changed("\"duration\": 0.1", "\"duration\": 0.2"),
        &["of a scene that says something else"],
    );
    assert_refused(&changed("{", "["), &["no plan of a sweep", "name another folder"]);
    assert_eq!(tree(&out), whole);
    assert_refused(&sweep(&file, &dir.path().join("sweep.toml"), &[]), &["sweep.toml", "folder"]);
    assert_refused(&sweep("none.toml", &out, &[]), &["none.toml: cannot read"]);
    assert_refused(&sweep(&file, &out, &["--shard", "5/4"]), &["--shard", "I/N"]);
}

#[cfg(unix)]
#[test]
fn a_signal_leaves_runs_undone_and_nothing_temporary() {
    use crate::signalled::{signal, started, status, until};
    let dir = tempfile::tempdir().unwrap();
    let (file, out) = (sweep_file(dir.path(), "0.01"), dir.path().join("swept"));
    let scene = fs::read_to_string(dir.path().join("scene.toml")).unwrap();
    fs::write(dir.path().join("scene.toml"), scene.replace("duration = 0.1", "duration = 1000.0")).unwrap();
    let mut command = std::process::Command::new(env!("CARGO_BIN_EXE_cloth"));
    let mut child = started(dir.path(), command.args(["sweep", &file, "--out", &text(&out)]));
    let names = || fs::read_dir(out.join("runs/000")).map_or(0, Iterator::count);
    until(&mut child, "a run", || names() > 0);
    signal(&child, "INT");
    assert_eq!((status(child), names()), (Some(130), 0));
}
