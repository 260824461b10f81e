//! `cloth check` as its user calls it: figures, JSON, exit status, and errors of one line.

use std::fs::{self, File};
use std::io::Write;

use cloth_geom::TriMesh;
use cloth_io::Pc2Writer;
use nalgebra::{Point3, Vector3};

use crate::character::post;
use crate::support::{Ran, assert_refused, cloth, crossing, json, sheet, text, write};
use cloth_testing::corpus;

/// Writes a PC2 cache of these frames.
fn write_cache(path: &std::path::Path, frames: &[TriMesh]) -> String {
    let mut writer = Pc2Writer::create(path, frames[0].positions.len(), 10.0, 1.0).unwrap();
    for frame in frames {
        writer.push(&frame.positions_f32()).unwrap();
    }
    writer.finish().unwrap();
    text(path)
}

#[test]
fn a_clean_mesh_exits_with_0() {
    let dir = tempfile::tempdir().unwrap();
    let ran = cloth(["check", &write(dir.path(), "sheet.obj", &sheet(5, 1.0))]);
    assert_eq!((ran.status, ran.err.as_str()), (0, ""), "{ran:?}");
    assert!(ran.out.starts_with(&text(&dir.path().join("sheet.obj: clean\n"))), "{}", ran.out);
}

#[test]
fn a_crossing_exits_with_1_and_is_named_in_the_json() {
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("out.json");
    let ran = cloth(["check", &write(dir.path(), "x.obj", &crossing()), "--json", &text(&file)]);
    assert_eq!(ran.status, 1, "{ran:?}");
    let found = json(&file);
    assert_eq!((&found["schema_version"], &found["meshes"][0]["clean"]), (&3.into(), &false.into()));
    let mesh = &found["meshes"][0];
    assert_eq!((&mesh["vertices"], &mesh["triangles"]), (&6.into(), &2.into()));
    assert_eq!((&mesh["intersections"], &mesh["intersecting_triangle_pairs"]), (&2.into(), &1.into()));
    assert_eq!(mesh["examples"][0], serde_json::json!({ "edge": [3, 4], "face": 0, "proper": true }));
    assert_eq!((mesh["problems"].as_array(), mesh["frames"].as_array()), (Some(&vec![]), Some(&vec![])));
}

#[test]
fn a_refused_file_does_not_keep_the_others_from_being_judged() {
    let dir = tempfile::tempdir().unwrap();
    let nan = dir.path().join("nan.obj");
    fs::write(&nan, "v 0 0 0\nv nan 0 0\nv 0 0 1\nf 1 2 3\n").unwrap();
    let (bad, clean) = (write(dir.path(), "x.obj", &crossing()), write(dir.path(), "s.obj", &sheet(3, 1.0)));
    let file = dir.path().join("out.json");
    let ran = cloth(["check", &text(&nan), &bad, &clean, "--json", &text(&file)]);
    assert_refused(&ran, &["nan.obj:2", "nan"]);
    assert!(ran.out.contains("x.obj: 2 intersections") && ran.out.contains("s.obj: clean"), "{}", ran.out);
    let found = json(&file);
    assert_eq!(
        (found["meshes"].as_array().unwrap().len(), found["rejected"].as_array().unwrap().len()),
        (2, 1)
    );
}

#[test]
fn says_on_one_line_which_file_is_missing_or_unknown() {
    let dir = tempfile::tempdir().unwrap();
    assert_refused(&cloth(["check", &text(&dir.path().join("no.obj"))]), &["no.obj", "cannot read"]);
    assert_refused(&cloth(["check", "shirt.fbx"]), &["shirt.fbx", "obj, ply"]);
    assert_refused(&cloth(["check", &text(dir.path())]), &["holds no meshes", "obj, ply, stl"]);
    let sheet = write(dir.path(), "s.obj", &sheet(3, 1.0));
    assert_refused(&cloth(["check", &sheet, "--json", "no/such/folder/x.json"]), &["does the folder exist?"]);
    assert_refused(&cloth(["check", &sheet, "--weld", "-1"]), &["--weld", "negative"]);
}

#[test]
fn names_problems_and_leaves_out_what_is_no_triangle() {
    let dir = tempfile::tempdir().unwrap();
    let mut mesh = sheet(3, 1.0);
    let faces = mesh.faces.len();
    mesh.faces.push([0, 0, 1]);
    mesh.faces.push(mesh.faces[2]);
    mesh.positions.push(Point3::new(0.0, 9.0, 0.0));
    let file = dir.path().join("out.json");
    let ran = cloth(["check", &write(dir.path(), "s.obj", &mesh), "--json", &text(&file)]);
    assert_eq!(ran.status, 1, "{ran:?}");
    let found = json(&file)["meshes"][0].clone();
    assert_eq!((&found["triangles"], &found["doubled_faces"]), (&(faces + 2).into(), &1.into()));
    assert_eq!(found["doubled_examples"], serde_json::json!([[faces + 1, 2]]));
    let kinds: Vec<_> = found["problems"].as_array().unwrap().iter().map(|p| p["kind"].clone()).collect();
    assert_eq!(kinds[0], "faces that use a vertex twice");
    assert_eq!(kinds[1], "doubled faces");
    assert!(kinds.contains(&"vertices of no face".into()), "{kinds:?}");
    assert!(ran.out.contains("left out of the check: 1 face"), "{}", ran.out);
}

#[test]
fn judges_each_frame_of_a_cache_with_the_faces_of_its_mesh() {
    let dir = tempfile::tempdir().unwrap();
    let apart = crossing().mapped(|p| if p.y == 0.0 { p - Vector3::y() * 5.0 } else { p });
    let mesh = write(dir.path(), "m.obj", &apart);
    let cache = write_cache(&dir.path().join("c.pc2"), &[apart.clone(), crossing(), apart]);
    let file = dir.path().join("out.json");
    let ran = cloth(["check", &mesh, "--cache", &cache, "--json", &text(&file)]);
    assert_eq!(ran.status, 1, "{ran:?}");
    assert!(
        ran.out.contains("1 of 3 frames intersect; the worst is frame 11 with 2 intersections\n"),
        "{}",
        ran.out
    );
    let frames = json(&file)["meshes"][0]["frames"].clone();
    let counts: Vec<_> = frames.as_array().unwrap().iter().map(|f| f["intersections"].clone()).collect();
    assert_eq!(counts, [0, 2, 0]);
    assert_eq!(frames[0]["frame"], 10.0);
}

#[test]
fn examples_are_those_of_the_first_of_the_worst_frames() {
    let dir = tempfile::tempdir().unwrap();
    let mut turned = crossing();
    turned.positions[3..].rotate_left(1);
    let mesh = write(dir.path(), "m.obj", &crossing());
    for (frames, edge) in [([crossing(), turned.clone()], [3, 4]), ([turned, crossing()], [3, 5])] {
        let cache = write_cache(&dir.path().join("c.pc2"), &frames);
        let file = dir.path().join("out.json");
        cloth(["check", &mesh, "--cache", &cache, "--json", &text(&file), "--examples", "1"]);
        let examples = json(&file)["meshes"][0]["examples"].clone();
        assert_eq!((examples.as_array().unwrap().len(), &examples[0]["edge"]), (1, &serde_json::json!(edge)));
    }
}

#[test]
fn judges_each_file_of_a_sequence_by_folder_and_by_pattern() {
    let dir = tempfile::tempdir().unwrap();
    write(dir.path(), "a_0003.obj", &crossing());
    write(
        dir.path(),
        "a_0004.obj",
        &crossing().mapped(|p| if p.y == 0.0 { p - Vector3::y() * 5.0 } else { p }),
    );
    for sequence in [text(dir.path()), text(&dir.path().join("a_*.obj"))] {
        let ran = cloth(["check", &sequence]);
        assert_eq!(ran.status, 1, "{ran:?}");
        assert!(
            ran.out.contains("1 of 2 frames intersect; the worst is frame 3 with 2 intersections\n"),
            "{}",
            ran.out
        );
    }
    assert_refused(&cloth(["check", &text(dir.path()), "--cache", "c.pc2"]), &["is a sequence"]);
}

/// A sheet over another, each of 9 vertices and 8 faces, and a vertex of no face half a metre below the upper
/// one.
fn two_sheets(height: f64) -> TriMesh {
    let mut mesh = sheet(3, 2.0);
    mesh.append(&sheet(3, 1.0).translated(Vector3::new(0.1, height, 0.05)));
    mesh.positions.push(Point3::new(0.1, height - 0.5, 0.15));
    mesh
}

/// Judges frames of the two sheets; gives the JSON of the mesh as well.
fn check_heights(heights: &[f64], more: &[&str]) -> (Ran, serde_json::Value) {
    let dir = tempfile::tempdir().unwrap();
    let mesh = write(dir.path(), "m.obj", &two_sheets(1.0));
    let frames: Vec<_> = heights.iter().map(|&h| two_sheets(h)).collect();
    let cache = write_cache(&dir.path().join("c.pc2"), &frames);
    let file = text(&dir.path().join("out.json"));
    let ran = cloth(["check", &mesh, "--cache", &cache, "--json", &file].iter().chain(more));
    let found = json(file.as_ref())["meshes"][0].clone();
    (ran, found)
}

#[test]
fn finds_what_jumps_through_between_clean_frames_and_says_where() {
    let (ran, found) = check_heights(&[1.0, 0.6, -0.6, 1.0, 0.8], &["--examples", "1"]);
    assert_eq!(ran.status, 1, "{ran:?}");
    let ways: Vec<_> = found["frames"].as_array().unwrap().iter().map(|f| f["impacts"].as_u64()).collect();
    let [None, Some(0), Some(down), Some(up), Some(0)] = ways[..] else { panic!("{ways:?}") };
    assert!(down > 9 && up == down, "{ways:?}");
    assert_eq!((&found["intersections"], &found["impacts"]["frames_with"]), (&0.into(), &2.into()));
    assert_eq!(found["impacts"]["pass_throughs"], down + up);
    // The middle of the large sheet passes through the small one's first quarter.
    assert_eq!(found["impacts"]["examples"], serde_json::json!([{ "vertex": 4, "face": 8 }]));
    let said = format!(
        "clean in 5 frames, but not between them: {} pairs crossed in the motion to frame 12, {} in total \
         in the motion to 2 frames\n",
        down,
        down + up
    );
    assert!(
        ran.out.contains(&said) && ran.out.contains("vertex 4 crosses face 8 in the motion to frame 12"),
        "{ran:?}"
    );
    assert!(ran.out.contains(&format!("{} pairs, in the motion to 2 frames", down + up)), "{ran:?}");
}

#[test]
fn ignores_a_loose_vertex_that_passes_through_between_frames() {
    let (ran, found) = check_heights(&[1.0, 0.001, 0.5], &[]);
    assert_eq!(ran.status, 0, "{ran:?}");
    assert!(ran.out.contains("clean in 3 frames\n"), "{}", ran.out);
    assert_eq!(found["impacts"], serde_json::json!({ "pass_throughs": 0, "frames_with": 0, "examples": [] }));
}

#[test]
fn checks_no_motion_with_frames_only_or_a_single_state() {
    let (ran, found) = check_heights(&[1.0, -1.0], &["--frames-only"]);
    assert_eq!(ran.status, 0, "{ran:?}");
    assert!(ran.out.contains("not checked"), "{}", ran.out);
    assert_eq!((&found["impacts"], &found["frames"][1]["impacts"]), (&().into(), &().into()));
    let (ran, found) = check_heights(&[1.0], &[]);
    assert_eq!((ran.status, &found["impacts"]), (0, &().into()), "{ran:?}");
}

#[test]
fn reports_what_met_between_frames_that_intersect_without_making_more_of_it() {
    let (ran, found) = check_heights(&[1.0, 0.0, 0.0], &[]);
    assert_eq!(ran.status, 1, "{ran:?}");
    let worst = format!(
        "2 of 3 frames intersect; the worst is frame 11 with {} intersections\n",
        found["intersections"]
    );
    assert!(ran.out.contains(&worst), "{}", ran.out);
    assert!(found["frames"][2]["impacts"].as_u64() > Some(0), "resting on each other is a touch all the way");
}

#[test]
fn the_headline_names_the_motion_with_most_crossings_and_its_count() {
    // A corner of the small sheet goes down through a corner of the large one; it moves under its middle, and
    // all of it goes up.
    let dir = tempfile::tempdir().unwrap();
    let mesh = write(dir.path(), "m.obj", &two_sheets(1.0));
    let at_corner = |height: f64| {
        let mut mesh = two_sheets(height);
        let corner = mesh.positions[..9].iter().map(|p| p.x + p.z).fold(f64::NEG_INFINITY, f64::max);
        let least = mesh.positions[9..18].iter().map(|p| p.x + p.z).fold(f64::INFINITY, f64::min);
        let shift = 0.5 * (corner - least) - 0.04;
        mesh.positions[9..].iter_mut().for_each(|p| *p += Vector3::new(shift, 0.0, shift));
        mesh
    };
    let frames = [at_corner(1.0), at_corner(-1.0), two_sheets(-1.0), two_sheets(1.0)];
    let cache = write_cache(&dir.path().join("c.pc2"), &frames);
    let file = dir.path().join("out.json");
    let ran = cloth(["check", &mesh, "--cache", &cache, "--json", &text(&file)]);
    let frames = json(&file)["meshes"][0]["frames"].clone();
    let at = |k: usize| frames[k]["impacts"].as_u64().unwrap();
    assert!(0 < at(1) && at(1) < at(3), "{frames}");
    let said = format!("{} pairs crossed in the motion to frame 13, ", at(3));
    assert!(ran.out.contains(&said), "{}", ran.out);
}

/// Two sheets side by side, a column of each in the same places, and the pairs of vertices there.
fn sewn_sheets() -> (TriMesh, String) {
    let mut mesh = sheet(3, 1.0);
    let bounds = mesh.bounds();
    let right = mesh.clone().translated(Vector3::x() * (bounds.max.x - bounds.min.x));
    mesh.append(&right);
    let mut pairs = String::new();
    for a in 0..9 {
        let same = (9..18).find(|&b| (mesh.positions[b] - mesh.positions[a]).norm() < 1e-9);
        same.into_iter().for_each(|b| pairs.push_str(&format!("{a} {b}\n")));
    }
    assert_eq!(pairs.lines().count(), 3);
    (mesh, pairs)
}

#[test]
fn a_declared_seam_is_no_intersection_while_it_is_closed() {
    let dir = tempfile::tempdir().unwrap();
    let (mesh, pairs) = sewn_sheets();
    let (path, file) = (write(dir.path(), "m.obj", &mesh), text(&dir.path().join("out.json")));
    let stitches = text(&dir.path().join("seams.txt"));
    fs::write(&stitches, &pairs).unwrap();
    let mut open = mesh.clone();
    open.positions[9..].iter_mut().for_each(|p| p.x += 0.01);
    let cache = write_cache(&dir.path().join("c.pc2"), &[mesh.clone(), open, mesh]);
    let line = ["check", &path, "--cache", &cache, "--json", &file];
    assert_eq!(cloth(line).status, 1, "a seam that nobody declares touches");
    let with =
        |distance: &str| cloth(line.iter().chain(&["--stitches", &stitches, "--seam-distance", distance]));
    assert_eq!(with("0.001").status, 0, "it opens and closes again");
    let ran = with("0.02");
    assert_eq!(ran.status, 0, "{ran:?}");
    let seams = json(file.as_ref())["meshes"][0]["seams"].clone();
    assert_eq!((&seams["declared"], &seams["closed"]), (&3.into(), &3.into()));
    assert!(seams["raw_intersections"].as_u64() > Some(0), "{seams}");
    // A record of Codimensional IPC says the same.
    let records: String =
        pairs.lines().map(|l| l.replacen(' ', " 0 ", 1)).map(|l| format!("stitch {l} 1\n")).collect();
    let other = text(&dir.path().join("seams.obj"));
    fs::write(&other, records).unwrap();
    let ran = cloth(line.iter().chain(&["--stitches", &other, "--seam-distance", "0.02"]));
    assert_eq!(ran.status, 0, "{ran:?}");
    fs::write(&stitches, "0 18\n").unwrap();
    assert_refused(&with("0.02"), &["seams.txt", "vertex 18", "has 18"]);
    assert_refused(&cloth(line.iter().chain(&["--stitches", &stitches])), &["--seam-distance"]);
}

#[test]
fn cloth_that_is_sewn_through_itself_fails_although_its_seam_is_declared() {
    let dir = tempfile::tempdir().unwrap();
    let (mut mesh, pairs) = sewn_sheets();
    let stitches = text(&dir.path().join("seams.txt"));
    fs::write(&stitches, pairs).unwrap();
    // The right sheet is turned over about the seam and folded through the left one.
    let seam = mesh.positions[9..].iter().map(|p| p.x).fold(f64::INFINITY, f64::min);
    for p in &mut mesh.positions[9..] {
        let out = p.x - seam;
        *p = Point3::new(seam - out, if out > 0.7 { -0.1 } else { 0.3 * out }, p.z + 0.01 * out);
    }
    let path = write(dir.path(), "m.obj", &mesh);
    let ran = cloth(["check", &path, "--stitches", &stitches, "--seam-distance", "0.001"]);
    assert_eq!(ran.status, 1, "{ran:?}");
    assert!(ran.out.contains("closed seams                      3 of 3, within 0.001"), "{}", ran.out);
}

#[test]
fn refuses_a_cache_of_another_mesh() {
    let dir = tempfile::tempdir().unwrap();
    let mesh = write(dir.path(), "m.obj", &sheet(4, 1.0));
    let cache = write_cache(&dir.path().join("c.pc2"), &[crossing()]);
    assert_refused(&cloth(["check", &mesh, "--cache", &cache]), &["c.pc2", "6 points", "16 vertices"]);
    assert_refused(&cloth(["check", "--cache", &cache, &mesh, &mesh]), &["--cache", "follows no MESH"]);
    assert_refused(&cloth(["check", &mesh, "--cache", &mesh]), &["m.obj", "not a PC2 cache"]);
}

#[test]
fn welds_the_seam_of_panels_that_only_touch() {
    let dir = tempfile::tempdir().unwrap();
    let mut panels = sheet(3, 1.0);
    let width = panels.bounds().max.x - panels.bounds().min.x;
    let second = panels.clone().translated(Vector3::x() * width);
    panels.append(&second);
    let mesh = write(dir.path(), "m.obj", &panels);
    assert_eq!(cloth(["check", &mesh]).status, 1, "touching counts");
    let ran = cloth(["check", &mesh, "--weld", "1e-9"]);
    assert_eq!(ran.status, 0, "{ran:?}");
    assert!(ran.out.contains("welded to others: 3 of 18 points"), "{}", ran.out);
}

/// Proper crossings of faces that share no vertex, as others count them, in files that nobody here made.
#[test]
fn counts_what_others_count_in_garments_and_bodies() {
    let known = [
        ("garments/diffcloth/tshirt1900.obj", 0),
        ("garments/diffcloth/tshirt1900-folding-biFolded.obj", 48),
        ("garments/diffcloth/dress-v5k-f10k-v2.obj", 2),
        ("deforming/codim-rumba/shell0.obj", 492),
        ("deforming/horse-gallop/horse-gallop_0001.obj", 6),
    ];
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("out.json");
    for (name, pairs) in known {
        let Some(path) = corpus(name) else { continue };
        let ran = cloth(["check", &text(&path), "--json", &text(&file)]);
        assert_eq!(ran.status, i32::from(pairs > 0), "{name}");
        let mesh = json(&file)["meshes"][0].clone();
        assert_eq!(mesh["intersecting_triangle_pairs"], pairs, "{name}");
        if name.contains("dress") {
            assert_eq!(mesh["problems"][0]["kind"], "non-manifold vertices");
            assert_eq!(mesh["problems"][0]["count"], 2);
        }
    }
}

#[test]
fn a_character_is_judged_in_its_bind_pose_and_its_clips() {
    let dir = tempfile::tempdir().unwrap();
    let (file, post) = (dir.path().join("out.json"), post(dir.path()));
    let ran = cloth(["check", &post, "--json", &text(&file)]);
    assert!(ran.status == 0 && ran.out.contains("frames 1 to 31 are clip \"Nod\""), "{ran:?}");
    let mesh = json(&file)["meshes"][0].clone();
    assert_eq!((mesh["frames"].as_array().unwrap().len(), mesh["cuts"][0].as_f64()), (32, Some(1.0)));
    assert_refused(&cloth(["check", &post, "--clip", "Shake"]), &["Shake", "Nod"]);
    let sheet = write(dir.path(), "sheet.obj", &sheet(5, 1.0));
    assert_refused(&cloth(["check", &sheet, "--clip", "Nod"]), &["sheet.obj", "has no clips"]);
    let Some(man) = corpus("characters/khronos/CesiumMan.glb") else { return };
    let ran = cloth(["check", &text(&man), "--clip", "clip 0"]);
    let worst = "61 of 62 frames intersect; the worst is frame 17 with 106 intersections";
    assert!(ran.status == 1 && ran.out.contains(worst), "{ran:?}");
}

/// An array of a NumPy archive.
fn npy(descr: &str, shape: &str, numbers: &[u8]) -> Vec<u8> {
    let header = format!("{{'descr': '{descr}', 'fortran_order': False, 'shape': ({shape}), }}\n");
    [b"\x93NUMPY\x01\x00", &(header.len() as u16).to_le_bytes()[..], header.as_bytes(), numbers].concat()
}

#[test]
fn a_numpy_archive_is_judged_frame_by_frame() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("run.npz");
    let crossed = crossing();
    // In the first frame the second face is far from the first.
    let apart = crossed
        .positions
        .iter()
        .enumerate()
        .map(|(v, p)| p + Vector3::x() * f64::from(u8::from(v > 2)) * 99.0);
    let frames: Vec<u8> = apart
        .chain(crossed.positions.iter().copied())
        .flat_map(<[f64; 3]>::from)
        .flat_map(f64::to_le_bytes)
        .collect();
    let faces: Vec<u8> = crossed.faces.iter().flatten().flat_map(|v| v.to_le_bytes()).collect();
    let mut zip = zip::ZipWriter::new(File::create(&path).unwrap());
    for (name, array) in [("faces", npy("<u4", "2, 3", &faces)), ("frames", npy("<f8", "2, 6, 3", &frames))] {
        zip.start_file(format!("{name}.npy"), zip::write::SimpleFileOptions::default()).unwrap();
        zip.write_all(&array).unwrap();
    }
    zip.finish().unwrap();
    let ran = cloth(["check", &text(&path)]);
    assert_eq!(ran.status, 1, "{ran:?}");
    assert!(ran.out.contains("run.npz: 1 of 2 frames intersect; the worst is frame 1"), "{}", ran.out);
    let of_cache = cloth(["check", &text(&path), "--cache", &text(&path)]);
    assert_eq!((of_cache.status, of_cache.out), (1, ran.out), "its faces, with the frames of the cache");
    fs::write(&path, "no archive").unwrap();
    assert_refused(&cloth(["check", &text(&path)]), &["run.npz", "is not a NumPy archive"]);
}

/// The same sheet twice, the second one turned over: with the vertices of the first, or with its own.
fn doubled_sheet(shares_vertices: bool) -> TriMesh {
    let mut mesh = sheet(12, 1.0);
    let turned: Vec<[u32; 3]> = mesh.faces.iter().map(|&[a, b, c]| [b, a, c]).collect();
    if shares_vertices {
        mesh.faces.extend(turned);
    } else {
        mesh.append(&TriMesh::new(mesh.positions.clone(), turned));
    }
    mesh
}

const DOUBLED: &str = "242 of 484 faces lie on others: a doubled mesh; --remove-doubled writes one side\n";

#[test]
fn a_doubled_mesh_gets_one_verdict_however_it_is_written() {
    let dir = tempfile::tempdir().unwrap();
    let shared = write(dir.path(), "shared.obj", &doubled_sheet(true));
    let split = write(dir.path(), "split.obj", &doubled_sheet(false));
    let lines: [&[&str]; 5] = [
        &[&shared],
        &[&shared, "--weld", "0"],
        &[&split],
        &[&split, "--weld", "0"],
        &[&split, "--weld", "1e-6"],
    ];
    for line in lines {
        let file = text(&dir.path().join("out.json"));
        let ran = cloth(["check"].iter().chain(line).chain(&["--json", &file]));
        assert_eq!(ran.status, 1, "{line:?}: {ran:?}");
        assert!(ran.out.lines().next().is_some_and(|l| format!("{l}\n").ends_with(DOUBLED)), "{}", ran.out);
        assert!(!ran.out.contains("not joined"), "{}", ran.out);
        let mesh = json(file.as_ref())["meshes"][0].clone();
        let figures = ["clean", "intersections", "flat_folds", "doubled_faces"].map(|key| mesh[key].clone());
        assert_eq!(serde_json::json!(figures), serde_json::json!([false, 0, 0, 242]), "{line:?}");
        let ran = cloth(["check", "--allow-folds"].iter().chain(line));
        assert_eq!(ran.status, 0, "{line:?}: {ran:?}");
        assert!(ran.out.lines().next().is_some_and(|l| l.ends_with(": clean")), "{}", ran.out);
    }
}

#[test]
fn one_side_of_a_doubled_mesh_is_written_and_judged() {
    let dir = tempfile::tempdir().unwrap();
    let out = text(&dir.path().join("one.obj"));
    for shares_vertices in [true, false] {
        let mesh = doubled_sheet(shares_vertices);
        let input = write(dir.path(), "in.obj", &mesh);
        let ran = cloth(["check", &input, "--remove-doubled", &out]);
        assert_eq!((ran.status, ran.err.as_str()), (0, ""), "{ran:?}");
        assert!(ran.out.starts_with(&format!("{out}: clean\n")), "{}", ran.out);
        assert!(ran.out.contains("written without 242 faces of"), "{}", ran.out);
        let one = cloth_io::read_mesh(out.as_ref()).unwrap().mesh;
        assert_eq!((one.positions, one.faces), (mesh.positions, sheet(12, 1.0).faces));
        assert_refused(&cloth(["check", &input, "--remove-doubled", &input]), &["read as MESH"]);
        assert_refused(&cloth(["check", &input, &input, "--remove-doubled", &out]), &["one MESH"]);
    }
}

/// Two layers that are the same faces in turn, first one, then the other: one side stays connected all the
/// same.
#[test]
fn one_side_is_connected_whichever_copy_comes_first() {
    let dir = tempfile::tempdir().unwrap();
    let split = doubled_sheet(false);
    let (front, back) = split.faces.split_at(242);
    let mixed = (0..242).flat_map(|f| if f % 2 == 0 { [front[f], back[f]] } else { [back[f], front[f]] });
    let input = write(dir.path(), "in.obj", &TriMesh::new(split.positions.clone(), mixed.collect()));
    let out = text(&dir.path().join("one.obj"));
    let ran = cloth(["check", &input, "--remove-doubled", &out]);
    assert_eq!(ran.status, 0, "{ran:?}");
    let one = cloth_io::read_mesh(out.as_ref()).unwrap().mesh;
    assert!(one.faces.len() == 242 && one.faces.iter().flatten().all(|&v| v < 144));
}

#[test]
fn a_doubled_mesh_that_moves_is_named_in_every_frame() {
    let dir = tempfile::tempdir().unwrap();
    for shares_vertices in [true, false] {
        let mesh = doubled_sheet(shares_vertices);
        let input = write(dir.path(), "m.obj", &mesh);
        let frames = [0.0, 0.5, 2.0].map(|y| mesh.clone().mapped(|p| Point3::new(p.x, p.y + y * p.x, p.z)));
        let cache = write_cache(&dir.path().join("c.pc2"), &frames);
        let file = text(&dir.path().join("out.json"));
        let ran = cloth(["check", &input, "--cache", &cache, "--json", &file]);
        assert_eq!(ran.status, 1, "{ran:?}");
        let said = format!("3 of 3 frames not clean; the worst is frame 10 with {DOUBLED}");
        assert!(ran.out.contains(&said), "{}", ran.out);
        assert_eq!(json(file.as_ref())["meshes"][0]["impacts"]["pass_throughs"], 0);
        assert_eq!(cloth(["check", &input, "--cache", &cache, "--allow-folds"]).status, 0);
    }
}

#[test]
fn a_flat_fold_is_not_clean_unless_it_is_allowed() {
    let dir = tempfile::tempdir().unwrap();
    let fold = [[0.0; 3], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.25, 0.5, 0.0]].map(Point3::from);
    let fold = write(dir.path(), "fold.obj", &TriMesh::new(fold.to_vec(), vec![[0, 1, 2], [1, 0, 3]]));
    let ran = cloth(["check", &fold]);
    assert_eq!(ran.status, 1, "{ran:?}");
    assert!(ran.out.starts_with(&format!("{fold}: 1 flat fold\n")), "{}", ran.out);
    let ran = cloth(["check", &fold, "--allow-folds"]);
    assert_eq!((ran.status, ran.out.starts_with(&format!("{fold}: clean\n"))), (0, true), "{ran:?}");
}

#[test]
fn a_check_that_leaves_faces_out_is_not_clean() {
    let dir = tempfile::tempdir().unwrap();
    let file = text(&dir.path().join("out.json"));
    // Vertices 0.02 m apart.
    let fine = write(dir.path(), "fine.obj", &sheet(51, 1.0));
    let ran = cloth(["check", &fine, "--weld", "0.05", "--json", &file]);
    assert_eq!(ran.status, 1, "{ran:?}");
    let first = ran.out.lines().next().unwrap();
    assert!(!first.contains("clean") && first.contains("faces left out of the check"), "{first}");
    assert!(ran.out.contains("degenerate by welding: "), "{}", ran.out);
    let mesh = json(file.as_ref())["meshes"][0].clone();
    assert!(mesh["left_out_faces"].as_u64().is_some_and(|n| 50 < n && n < 5000), "{mesh}");
    assert_refused(&cloth(["check", &fine, "--weld", "1e300"]), &["no face to check", "weld by less"]);
    let out = text(&dir.path().join("out.obj"));
    assert_refused(&cloth(["untangle", &fine, &out, "--weld", "1e300"]), &["no face to check"]);
    assert_eq!(cloth(["check", &fine, "--weld", "0.01"]).status, 0);
    // One face of many that is no triangle is named and accepted, and two of ten are not.
    for (side, status) in [(12, 0), (3, 1)] {
        let mut mesh = sheet(side, 1.0);
        mesh.faces.push([0, 0, 1]);
        mesh.faces.push([2, 2, 1]);
        let path = write(dir.path(), "few.obj", &mesh);
        assert_eq!(cloth(["check", &path]).status, status);
        assert_eq!(cloth(["check", &path, "--allow-left-out"]).status, 0);
        assert_eq!(cloth(["untangle", &path, &out]).status, status);
        assert_eq!(cloth(["untangle", &path, &out, "--allow-left-out"]).status, 0);
    }
}
