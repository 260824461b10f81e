//! Garments with regions: by group, by vertices, by box; what two of them do about each other, and the fabric
//! of each.

use std::fs;
use std::path::Path;

use crate::support::{Ran, assert_refused, cloth, json, sheet, text, write};

/// Two sheets on top of each other, the lower one pinned.
const SCENE: &str = "INTERACTIONS\n[settings]\nduration = 0.2\nsubsteps = 4\nthickness = 0.02\n\
    [[garment]]\nname = \"lower\"\nmesh = \"sheet.obj\"\npins = [{ min = [-9, -9, -9], max = [9, 9, 9] }]\n\
    [[garment]]\nname = \"upper\"\nmesh = \"sheet.obj\"\ntranslate = [0.01, 0.03, 0.01]\n\
    regions = [REGIONS]\n";

/// A sheet whose first half of faces is group `left`, the other `right`.
fn write_halves(folder: &Path) {
    let path = write(folder, "sheet.obj", &sheet(9, 0.5));
    let plain = fs::read_to_string(&path).unwrap();
    let faces = plain.lines().filter(|l| l.starts_with("f ")).count();
    let (mut lines, mut face) = (Vec::new(), 0);
    for line in plain.lines() {
        if line.starts_with("f ") {
            if face == 0 {
                lines.push("g left");
            } else if face == faces / 2 {
                lines.push("g right");
            }
            face += 1;
        }
        lines.push(line);
    }
    fs::write(&path, lines.join("\n")).unwrap();
}

fn run(folder: &Path, regions: &str, interactions: &str) -> Ran {
    let path = folder.join("scene.toml");
    fs::write(&path, SCENE.replace("REGIONS", regions).replace("INTERACTIONS", interactions)).unwrap();
    cloth(["simulate", &text(&path), "--json", &text(&folder.join("run.json"))])
}

/// The mean number of contacts of a frame.
fn contacts(regions: &str, interactions: &str) -> f64 {
    let dir = tempfile::tempdir().unwrap();
    write_halves(dir.path());
    let ran = run(dir.path(), regions, interactions);
    assert!(ran.status < 2, "{ran:?}");
    let report = json(&dir.path().join("run.json"));
    let scenario = report.get("scenarios").map_or(&report, |all| &all[0]);
    scenario["contacts"]["mean"].as_f64().unwrap_or_else(|| panic!("{report}"))
}

fn nothing(a: &str, b: &str) -> String {
    format!("[[interaction]]\nbetween = [\"{a}\", \"{b}\"]\nkind = \"none\"\n")
}

#[test]
fn of_groups_of_vertices_and_of_boxes_do_what_the_table_says() {
    let all = contacts("", "");
    assert!(all > 20.0, "{all}");
    let halves = "{ name = \"left\" }, { name = \"b\", group = \"right\" }";
    assert_eq!(contacts(halves, ""), all, "regions of which nothing is said collide");
    let half = contacts(halves, &nothing("left", "rest"));
    assert!(half > 0.2 * all && half < 0.8 * all, "{half} of {all}");
    let none = [nothing("left", "rest"), nothing("rest", "b")].concat();
    assert_eq!(contacts(halves, &none), 0.0);
    let everywhere = "{ name = \"all\", min = [-9, -9, -9], max = [9, 9, 9] }";
    assert_eq!(contacts(everywhere, &nothing("rest", "all")), 0.0);
    let corner = "{ name = \"corner\", vertices = [0, 1, 2, 9, 10, 11, 18, 19, 20] }";
    let without = contacts(corner, &nothing("corner", "rest"));
    assert!(without < all && without > 0.7 * all, "{without} of {all}");
}

#[test]
fn that_cannot_be_are_refused_in_one_line() {
    let dir = tempfile::tempdir().unwrap();
    write_halves(dir.path());
    let refused = |regions: &str, interactions: &str, words: &[&str]| {
        assert_refused(&run(dir.path(), regions, interactions), words);
    };
    refused(
        "{ name = \"sleeve\" }",
        "",
        &["scene.toml", "garment.regions", "`sleeve`", "no group", "`left`, `right`"],
    );
    refused("{ name = \"a\", vertices = [0, 99] }", "", &["`a`", "vertex 99 does not exist"]);
    refused("{ name = \"a\", vertices = [0, 1] }", "", &["`a`", "no face"]);
    refused("{ name = \"a\", min = [5, 5, 5], max = [6, 6, 6] }", "", &["`a`", "no face starts in the box"]);
    refused("{ name = \"a\", group = \"left\", vertices = [1] }", "", &["scene.toml:", "only one of"]);
    refused("{ name = \"a\", min = [1, 0, 0], max = [0, 1, 1] }", "", &["scene.toml:", "below"]);
    refused(
        "{ name = \"left\" }, { name = \"all\", min = [-9, -9, -9], max = [9, 9, 9] }",
        "",
        &["already in region"],
    );
    refused("", &nothing("nobody", "rest"), &["scene.toml", "nobody"]);
    let odd = "[[interaction]]\nbetween = [\"rest\", \"rest\"]\nkind = \"some\"\n";
    refused("", odd, &["scene.toml:3", "`some`", "interaction.kind"]);
}

#[test]
fn have_the_fabric_that_the_command_gives_them() {
    let dir = tempfile::tempdir().unwrap();
    write_halves(dir.path());
    let garment = text(&dir.path().join("sheet.obj"));
    let run = |more: &[&str]| {
        let all = ["simulate", "--garment", &garment, "--seconds", "0.05", "--body", "none"];
        cloth([&all[..], more].concat())
    };
    let halves = run(&["--material", "silk", "--material", "group:right=denim"]);
    assert!(halves.status < 2, "{halves:?}");
    let note = "64 triangles of silk (the rest), 64 triangles of denim (group `right`)";
    assert!(halves.out.contains(note), "{}", halves.out);
    assert_refused(&run(&["--material", "group:cuff=silk"]), &["sheet.obj", "`cuff`", "`left`, `right`"]);
    assert_refused(&run(&["--material", "group:left=wool"]), &["wool", "cotton, silk or denim"]);
    assert_refused(&run(&["--material", "silk", "--material", "denim"]), &["--material", "twice"]);
    let other = write(dir.path(), "other.obj", &sheet(9, 0.5));
    let several = ["--garment", &other, "--place", "asis", "--material", "group:left=silk"];
    assert_refused(&run(&several), &["--material group:NAME=FABRIC", "is of one garment"]);
}
