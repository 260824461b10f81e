//! `cloth simulate` as its user calls it: caches, pictures, JSON, exit status, and errors of one line.

use std::fs;
use std::path::Path;

use cloth_geom::fixtures::{TshirtShape, tshirt};
use cloth_io::{Pc2Reader, read_mesh};
use nalgebra::Point3;

use crate::placing::person;
use crate::scene_files;
use crate::support::{Ran, assert_refused, cloth, crossing, json, sheet, text, write};

/// Runs five frames of a garment with further arguments.
pub(crate) fn five_frames(garment: &str, more: &[&str]) -> Ran {
    let mut line =
        vec!["simulate", "--garment", garment, "--seconds", "0.1", "--fps", "50", "--substeps", "4"];
    line.extend(more);
    cloth(line)
}

/// A frame of a cache.
pub(crate) fn frame(cache: &str, sample: usize) -> Vec<Point3<f32>> {
    let mut frame = Vec::new();
    Pc2Reader::open(Path::new(cache)).unwrap().read_frame(sample, &mut frame).unwrap();
    frame
}

/// Writes a scene of a sheet, and gives its path.
pub(crate) fn scene(folder: &Path, content: &str) -> String {
    write(folder, "sheet.obj", &sheet(6, 0.5));
    let path = folder.join("scene.toml");
    fs::write(&path, content).unwrap();
    text(&path)
}

#[test]
fn drops_a_sheet_on_a_ball_and_writes_what_was_asked_for() {
    let dir = tempfile::tempdir().unwrap();
    let at = |name: &str| text(&dir.path().join(name));
    let garment = write(dir.path(), "sheet.obj", &sheet(8, 0.5));
    let (cache, file, shots) = (at("c.pc2"), at("r.json"), at("shots"));
    let more = ["--out", &cache, "--json", &file, "--pictures", &shots, "--picture-count", "2"];
    let ran = five_frames(&garment, &[&more[..], &["--picture-size", "32x24"]].concat());
    assert_eq!((ran.status, ran.err.as_str()), (0, ""), "{ran:?}");
    assert_eq!(ran.verdict(), "sheet: clean in 5 frames", "{}", ran.out);
    assert!(ran.out.contains("\n  pass-through between frames       0\n"), "{}", ran.out);
    let header = Pc2Reader::open(Path::new(&cache)).unwrap().header();
    assert_eq!((header.points, header.samples), (64, 6));
    let lowest = frame(&cache, 0).iter().map(|p| p.y).fold(f32::INFINITY, f32::min);
    // The ball's top is at 0.7 of the sheet's width, and the sheet starts 0.03 of it above.
    assert!((lowest - 0.73 * 0.5).abs() < 1e-6, "{lowest}");
    for picture in ["frame_0000.png", "frame_0005.png", "strip.png"] {
        assert_eq!(fs::read(Path::new(&shots).join(picture)).unwrap()[1..4], *b"PNG");
    }
    assert_eq!(cloth(["check", &garment, "--cache", &cache]).status, 0);
}

#[test]
fn its_json_has_the_fields_of_a_run() {
    let dir = tempfile::tempdir().unwrap();
    let garment = write(dir.path(), "sheet.obj", &sheet(8, 0.5));
    let file = dir.path().join("r.json");
    five_frames(&garment, &["--json", &text(&file), "--material", "silk", "--thickness", "0.004"]);
    let found = json(&file);
    for field in [
        "schema_version",
        "threads",
        "name",
        "gate",
        "particles",
        "triangles",
        "frames",
        "substeps",
        "thickness_m",
        "intersections",
        "contacts",
        "stretch",
        "deepest_penetration_m",
        "deepest_vertex_m",
        "ms_per_frame",
        "stage_ms",
        "state_hash",
        "frame_hashes",
        "pass",
        "failures",
        "per_frame",
        "notes",
    ] {
        assert!(!found[field].is_null(), "{field}");
    }
    for field in ["size", "broadphase", "control", "audit", "cases"] {
        assert!(found.get(field).is_none(), "{field} is of a scenario alone");
    }
    assert_eq!(
        (&found["frames"], &found["substeps"], &found["thickness_m"]),
        (&5.into(), &4.into(), &0.004.into())
    );
    assert_eq!(found["intersections"]["final"], 0);
    assert_eq!(found["frame_hashes"].as_array().unwrap().len(), 5);
    assert!(found["stretch"]["diagonal_p99"].is_null(), "a mesh of any origin has no known diagonals");
}

/// A sheet of 7 x 7 vertices 0.25 m apart over a ball of 0.3 m, for two seconds.
fn coarse_sheet_on_a_ball(folder: &Path) -> String {
    let at = |i: usize| 0.25 * i as f64 - 0.75;
    let vertices = (0..49).map(|v| format!("v {} 1.0 {}\n", at(v / 7), at(v % 7)));
    let corners = (0..49).filter(|v| v % 7 < 6 && v / 7 < 6);
    let faces = corners.map(|v| format!("f {} {} {} {}\n", v + 1, v + 2, v + 9, v + 8));
    fs::write(folder.join("sheet.obj"), vertices.chain(faces).collect::<String>()).unwrap();
    let scene = folder.join("coarse.toml");
    let content = "[settings]\nduration = 2.0\n[[garment]]\nmesh = \"sheet.obj\"\n\
        [[body]]\nname = \"ball\"\nkind = \"sphere\"\ncenter = [0.0, 0.6, 0.0]\nradius = 0.3\n";
    fs::write(&scene, content).unwrap();
    text(&scene)
}

#[test]
fn a_ball_in_the_faces_of_coarse_cloth_is_measured_and_named() {
    let dir = tempfile::tempdir().unwrap();
    let (scene, file) = (coarse_sheet_on_a_ball(dir.path()), dir.path().join("r.json"));
    let off = ["simulate", &scene, "--face-contacts", "off"];
    let ran = cloth([&off[..], &["--json", &text(&file), "--max-depth", "0.005"]].concat());
    assert_eq!(ran.status, 1, "{ran:?}");
    let found = json(&file);
    let depth = found["deepest_penetration_m"].as_f64().unwrap();
    assert!((0.01695..0.0172).contains(&depth), "{depth}");
    assert_eq!((found["deepest_vertex_m"].as_f64(), found["max_depth_m"].as_f64()), (Some(0.0), Some(0.005)));
    let face = &found["deepest_face"];
    assert_eq!(
        (&face["cloth"], &face["body"], &face["collider"]),
        (&"sheet".into(), &"ball".into(), &0.into())
    );
    assert_eq!(face["vertices"].as_array().unwrap().len(), 3);
    let words = format!("in collider 0, ball, frame {}", face["frame"]);
    assert!(
        ran.out.contains("at most 5.00 mm expected (--max-depth)") && ran.out.contains(&words),
        "{}",
        ran.out
    );
    assert_eq!(cloth([&off[..], &["--max-depth", "0.0172"]].concat()).status, 0);
}

#[test]
fn faces_of_coarse_cloth_have_contacts_and_a_note() {
    let dir = tempfile::tempdir().unwrap();
    let (scene, file) = (coarse_sheet_on_a_ball(dir.path()), dir.path().join("r.json"));
    let ran = cloth(["simulate", &scene, "--json", &text(&file), "--max-depth", "0.001"]);
    assert_eq!(ran.status, 0, "{ran:?}");
    let note = "sheet: faces of 0.354 m on a body of 0.300 m (ball, collider 0)";
    assert!(
        ran.out.contains(note) && ran.out.contains("subdivide the garment to edges below 0.150 m"),
        "{}",
        ran.out
    );
    let depth = json(&file)["deepest_penetration_m"].as_f64().unwrap();
    assert!(depth <= 0.001, "{depth}");
}

#[test]
fn threads_change_no_bit() {
    let dir = tempfile::tempdir().unwrap();
    let garment = write(dir.path(), "sheet.obj", &sheet(8, 0.5));
    let hash = |threads: &str| {
        let file = dir.path().join(threads);
        five_frames(&garment, &["--threads", threads, "--json", &text(&file)]);
        json(&file)["state_hash"].clone()
    };
    assert_eq!(hash("1"), hash("2"));
}

/// Writes a sheet with a patch right through it, and gives its path.
fn pierced(folder: &Path) -> String {
    let mut mesh = sheet(8, 0.5);
    mesh.append(&crossing().scaled(0.05));
    mesh.faces.remove(mesh.faces.len() - 2);
    write(folder, "x.obj", &mesh)
}

#[test]
fn a_last_frame_that_intersects_exits_with_1() {
    let dir = tempfile::tempdir().unwrap();
    pierced(dir.path());
    // Nothing brings them apart in five frames.
    let garment = "[[garment]]\nmesh = \"x.obj\"\n[settings]\ndt = 0.02\nduration = 0.1\nrecovery = false\n";
    let ran = cloth(["simulate", &scene(dir.path(), garment)]);
    assert_eq!(ran.status, 1, "{ran:?}");
    assert!(ran.verdict().contains(": failed: the last frame has "), "{}", ran.out);
}

#[test]
fn what_starts_tangled_is_worked_open_by_itself() {
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("r.json");
    let ran = five_frames(&pierced(dir.path()), &["--body", "none", "--json", &text(&file)]);
    assert_eq!(ran.status, 0, "{ran:?}");
    let tangled = &json(&file)["tangled"];
    assert!(tangled["initial"].as_u64() > Some(0) && tangled["final"] == 0, "{tangled}");
}

#[test]
fn the_figure_wears_the_shirt_that_is_cut_for_its_arms() {
    let dir = tempfile::tempdir().unwrap();
    let shirt = tshirt(TshirtShape { spacing: 0.04, ..TshirtShape::default() }).unwrap().scaled(10.0);
    let garment = write(dir.path(), "shirt.obj", &shirt);
    let ran = five_frames(&garment, &["--unit", "0.1", "--body", "figure", "--arms", "40"]);
    assert_eq!(ran.status, 0, "{ran:?}");
    assert!(ran.out.starts_with("placed as in its file\n") && !ran.out.contains("beside"), "{}", ran.out);
    let ran = five_frames(&garment, &["--unit", "0.1", "--body", "figure", "--place", "above"]);
    assert!(ran.out.contains("shirt: placed above the bodies\n"), "{}", ran.out);
}

#[test]
fn a_body_may_be_a_mesh_in_the_coordinates_of_the_garment() {
    let dir = tempfile::tempdir().unwrap();
    let ball = cloth_geom::fixtures::icosphere(2, 0.2).unwrap();
    let body = write(dir.path(), "ball.obj", &ball);
    let above = sheet(8, 0.5).translated(nalgebra::Vector3::y() * 0.25);
    let file = dir.path().join("r.json");
    let garment = write(dir.path(), "s.obj", &above);
    let ran = five_frames(&garment, &["--body", &body, "--json", &text(&file)]);
    assert_eq!(ran.status, 0, "{ran:?}");
    assert!(ran.out.contains("placed as in its file"), "{}", ran.out);
    assert_eq!((&json(&file)["particles"], &json(&file)["triangles"]), (&64.into(), &98.into()));
}

#[test]
fn a_welded_garment_keeps_the_vertices_of_its_file_in_the_cache() {
    let dir = tempfile::tempdir().unwrap();
    let mut panels = sheet(4, 0.3);
    let width = panels.bounds().max.x - panels.bounds().min.x;
    let second = panels.clone().translated(nalgebra::Vector3::x() * width);
    panels.append(&second);
    let garment = write(dir.path(), "panels.obj", &panels);
    let frames = text(&dir.path().join("frames"));
    let ran = five_frames(&garment, &["--weld", "1e-9", "--out-obj", &frames]);
    assert_eq!(ran.status, 0, "{ran:?}");
    let last = read_mesh(&dir.path().join("frames/panels_0005.obj")).unwrap().mesh;
    assert_eq!((last.positions.len(), &last.faces), (32, &panels.faces));
    assert_eq!(cloth(["check", &frames, "--weld", "0"]).status, 0);
    let first = read_mesh(&dir.path().join("frames/panels_0000.obj")).unwrap().mesh;
    let moved = first.positions[0] - panels.positions[0];
    for (found, wanted) in first.positions.iter().zip(&panels.positions) {
        assert!((found - wanted - moved).norm() < 1e-6, "{found} {wanted}");
    }
}

#[test]
fn a_ball_that_rises_lifts_the_sheet_above_it() {
    let dir = tempfile::tempdir().unwrap();
    let middle = sheet(6, 0.5).bounds();
    let middle = nalgebra::center(&middle.min, &middle.max);
    let path = scene(
        dir.path(),
        &format!(
            "[settings]\ndt = 0.02\nduration = 0.1\nsubsteps = 10\ngravity = [0, 0, 0]\n\
             [[garment]]\nmesh = \"sheet.obj\"\n\
             [[body]]\nkind = \"sphere\"\ncenter = [{}, {}, {}]\nradius = 0.2\n\
             motion = [{{ time = 0 }}, {{ time = 0.1, translate = [0, 0.2, 0] }}]\n\
             [output]\ncache = \"run.pc2\"\n",
            middle.x,
            middle.y - 0.23,
            middle.z
        ),
    );
    let ran = cloth(["simulate", &path]);
    assert_eq!(ran.status, 0, "{ran:?}");
    let highest = frame(&text(&dir.path().join("run.pc2")), 5).iter().map(|p| p.y).fold(0.0, f32::max);
    assert!(highest > 0.1, "{highest}");
}

#[test]
fn two_garments_are_measured_each_by_its_own_lengths() {
    let dir = tempfile::tempdir().unwrap();
    write(dir.path(), "wide.obj", &sheet(5, 1.0));
    let file = dir.path().join("r.json");
    let path = scene(
        dir.path(),
        "[settings]\ndt = 0.02\nduration = 0.06\n\
         [[garment]]\nmesh = \"sheet.obj\"\n[[garment]]\nmesh = \"wide.obj\"\ntranslate = [0, 1, 0]\n\
         [output]\ncache = \"run.pc2\"\n",
    );
    let ran = cloth(["simulate", &path, "--json", &text(&file)]);
    assert_eq!(ran.status, 0, "{ran:?}");
    // Both fall freely: what little strain there is comes from rounding.
    assert!(json(&file)["stretch"]["max"].as_f64().unwrap() < 1e-3, "{ran:?}");
    assert_eq!(frame(&text(&dir.path().join("run_sheet.pc2")), 3).len(), 36);
    assert_eq!(frame(&text(&dir.path().join("run_wide.pc2")), 3).len(), 25);
}

#[test]
fn a_scene_file_moves_bodies_holds_pins_and_writes_beside_itself() {
    let dir = tempfile::tempdir().unwrap();
    let path = scene(
        dir.path(),
        "[settings]\ndt = 0.02\nduration = 0.1\nsubsteps = 5\nthickness = 0.01\n\
         [[garment]]\nmesh = \"sheet.obj\"\ntranslate = [0, 1, 0]\n\
         pins = [0, { nearest = [0.25, 1.2, 0.25] }]\n\
         [[body]]\nkind = \"sphere\"\ncenter = [0.25, 0.5, 0.25]\nradius = 0.1\n\
         motion = [{ time = 0 }, { time = 1, translate = [0, 1, 0] }]\n\
         [[body]]\nkind = \"plane\"\n\
         [output]\ncache = \"run.pc2\"\npictures = { count = 1, size = [16, 16] }\n",
    );
    let ran = cloth(["simulate", &path]);
    assert_eq!(ran.status, 0, "{ran:?}");
    assert!(dir.path().join("run.pictures/frame_0005.png").exists());
    let cache = text(&dir.path().join("run.pc2"));
    let (first, last) = (frame(&cache, 0), frame(&cache, 5));
    assert_eq!(first[0], last[0], "pinned");
    assert!(last[20].y < first[20].y - 0.02, "free");
}

#[test]
fn the_example_with_every_key_runs_as_it_stands() {
    let dir = tempfile::tempdir().unwrap();
    let at = |name: &str| text(&dir.path().join(name));
    scene_files::write_all(dir.path()).unwrap();
    let ran = cloth(["simulate", &at("scene.toml"), "--json", &at("r.json")]);
    let found = json(Path::new(&at("r.json")));
    assert_eq!((&found["frames"], &found["substeps"]), (&60.into(), &16.into()), "{ran:?}");
    // The borders of a closed seam touch: that is not an intersection, and it is reported.
    assert_eq!((ran.status, found["failures"].as_array().unwrap().len()), (0, 0), "{ran:?}");
    let seams = &found["seams"];
    assert_eq!(
        (&seams["declared"], &seams["closed"], &seams["distance_m"]),
        (&16.into(), &16.into(), &0.0015.into())
    );
    assert!(seams["raw_intersections"]["max"].as_u64() > found["intersections"]["max"].as_u64(), "{seams}");
    let (band, cape) = (at("scene_band.pc2"), at("scene_cape.pc2"));
    fs::write(at("band_seams.txt"), "0 24\n75 99\n150 174\n").unwrap();
    // The band's file is in centimetres, and so is its cache.
    for (mesh, cache, stitches, distance) in
        [("band.obj", &band, "band_seams.txt", "0.15"), ("cape.ply", &cape, "cape_seams.txt", "0.0015")]
    {
        let line =
            ["check", &at(mesh), "--cache", cache, "--stitches", &at(stitches), "--seam-distance", distance];
        let judged = cloth(line);
        assert!(judged.status == 0 && judged.out.contains("clean in 61 frames"), "{judged:?}");
    }
    let (first, last) = (frame(&band, 0), frame(&band, 60));
    assert_eq!(first[162], last[162], "pinned");
    assert!((last[0] - last[24]).norm() < 0.1 * (first[0] - first[24]).norm(), "stitched");
    assert!(dir.path().join("scene.pictures/strip.png").exists());
}

#[test]
fn the_example_without_its_seams_is_clean() {
    let dir = tempfile::tempdir().unwrap();
    scene_files::write_all(dir.path()).unwrap();
    let path = dir.path().join("scene.toml");
    let whole = fs::read_to_string(&path).unwrap();
    let seamless: Vec<&str> = whole.lines().filter(|line| !line.starts_with("stitches")).collect();
    assert_eq!(whole.lines().count() - seamless.len(), 2);
    fs::write(&path, seamless.join("\n")).unwrap();
    let ran = cloth(["simulate", &text(&path)]);
    assert_eq!(ran.status, 0, "{ran:?}");
    assert!(ran.verdict().ends_with(": clean in 60 frames"), "{}", ran.out);
}

#[test]
fn names_the_key_of_a_scene_that_cannot_be_done() {
    let dir = tempfile::tempdir().unwrap();
    let garment = "[[garment]]\nmesh = \"sheet.obj\"\n";
    let refused = |more: &str, words: &[&str]| {
        let ran = cloth(["simulate", &scene(dir.path(), &format!("{garment}{more}"))]);
        assert_refused(&ran, words);
    };
    refused("pins = [36]", &["scene.toml", "garment.pins", "36"]);
    refused("stitches = [[0, 99]]", &["scene.toml", "garment.stitches", "99"]);
    refused("excluded_pairs = [[0, 99]]", &["garment.excluded_pairs"]);
    refused("rest = \"uv\"", &["garment.rest", "texture coordinates"]);
    refused("rest = \"no.obj\"", &["no.obj"]);
    refused("friction = -1", &["garment.friction", "-1"]);
    let pair = |a: &str, b: &str| format!("[[friction]]\nbetween = [\"{a}\", \"{b}\"]\ncoefficient = 0.1");
    refused(&pair("coat", "coat"), &["friction.between", "coat"]);
    let ball = "[[body]]\nname = \"ball\"\nkind = \"sphere\"\ncenter = [0, 0, 0]\nradius = 1\n";
    refused(&format!("{ball}{}", pair("ball", "ball")), &["friction.between", "garment"]);
    refused("[output]\nformat = \"obj\"", &["output.format"]);
    refused("[settings]\nthreads = 4294967295", &["settings.threads", "at most 1024"]);
    refused("thicknes = 0.1", &["scene.toml:3", "did you mean `thickness`"]);
}

#[test]
fn refuses_bad_flags_and_files_on_one_line() {
    let dir = tempfile::tempdir().unwrap();
    let garment = write(dir.path(), "s.obj", &sheet(4, 0.3));
    assert_refused(&cloth(["simulate"]), &["SCENE.toml"]);
    assert_refused(&cloth(["simulate", "no.toml"]), &["no.toml", "cannot read"]);
    assert_refused(&five_frames("no.obj", &[]), &["no.obj"]);
    assert_refused(&five_frames(&garment, &["--material", "wool"]), &["wool", "cotton, silk or denim"]);
    assert_refused(&five_frames(&garment, &["--body", "no.ply"]), &["no.ply"]);
    assert_refused(&five_frames(&garment, &["--out", "no/such/c.pc2"]), &["does the folder exist?"]);
    assert_refused(&five_frames(&garment, &["--json", "no/such/r.json"]), &["does the folder exist?"]);
    assert_refused(&five_frames(&garment, &["--thickness", "1e20"]), &["s.obj", "1e20 m", "unit"]);
    assert_refused(&five_frames(&garment, &["--unit", "1e20"]), &["s.obj", "from the origin", "unit"]);
    assert_refused(&five_frames(&garment, &["--thickness", "nan"]), &["--thickness", "finite"]);
}

#[test]
fn cloth_stretched_beyond_use_is_noted_and_not_called_certified() {
    let dir = tempfile::tempdir().unwrap();
    let mesh = sheet(3, 0.3);
    let garment = write(dir.path(), "g.obj", &mesh);
    let rest = write(dir.path(), "rest.obj", &mesh.scaled(0.02));
    let file = dir.path().join("r.json");
    let held =
        ["--pin", "0", "--pin", "2", "--pin", "6", "--pin", "8", "--place", "asis", "--seconds", "0.04"];
    let run = |more: &[&str]| {
        let line = ["simulate", "--garment", &garment, "--body", "none", "--json", &text(&file)];
        cloth(line.iter().chain(&held).chain(more).copied())
    };
    let ran = run(&["--rest", &rest]);
    assert!(ran.out.contains(" the substeps are no motion of cloth, which is stretched by"), "{ran:?}");
    assert!(!ran.out.contains("certified"), "{ran:?}");
    let note = ran.out.lines().find(|line| line.starts_with("stretch p99 is ")).unwrap_or_default();
    assert!(note.contains("above 50 % from frame 1 on: it starts so; is its rest shape"), "{ran:?}");
    let report = json(&file);
    assert_eq!(report["notes"].as_array().unwrap().last().unwrap(), note);
    assert_eq!(report["path"]["checked_by"], "gate");
    let ran = run(&[]);
    assert!(ran.out.contains(" every substep certified\n"), "{ran:?}");
    assert!(!ran.out.contains("stretch p99 is "), "{ran:?}");
}

#[test]
fn pins_that_jump_are_named_where_cloth_is_stretched() {
    let dir = tempfile::tempdir().unwrap();
    let upright = |p: Point3<f64>| Point3::new(p.x, 1.0 + 2.0 * p.z, -0.16);
    let garment = write(dir.path(), "g.obj", &sheet(4, 0.4).mapped(upright));
    let standing = person();
    let body = write(dir.path(), "body.obj", &standing);
    // It grows to one side: its pins do not move alike, so nothing carries the cloth.
    for (frame, x) in [0.0, 0.0, 1.0, 1.0].into_iter().enumerate() {
        let moved = standing.clone().mapped(|p| Point3::new(if p.x > 0.0 { p.x + x } else { p.x }, p.y, p.z));
        write(dir.path(), &format!("frame_{frame}.obj"), &moved);
    }
    let motion = text(&dir.path().join("frame_*.obj"));
    let line = ["simulate", "--garment", &garment, "--body", &body, "--body-motion", &motion];
    let pins = ["-0.2", "-0.0667", "0.0667", "0.2"].map(|x| format!("{x},1.4,-0.16"));
    let pins = pins.iter().flat_map(|pin| ["--pin", pin]);
    let held = ["--body-motion-fps", "60", "--pin-to-body", "--seconds", "0.05"];
    let ran = cloth(line.into_iter().chain(pins).chain(held).chain(["--teleport", "off"]));
    let note = ran.out.lines().find(|line| line.starts_with("stretch p99 is ")).unwrap_or_default();
    let said = "its pins move 0.99 m to frame 2; if that is a cut, --teleport on teleports the cloth";
    assert!(note.contains(said), "{ran:?}");
}
