//! `cloth check GARMENT... --body BODY`: what meets what, and what of cloth is inside of a body.

use std::path::Path;

use cloth_geom::TriMesh;
use cloth_geom::fixtures::icosphere;
use cloth_io::Pc2Writer;
use nalgebra::{Point3, Vector3};

use crate::character::post;
use crate::support::{assert_refused, cloth, json, sheet, text, write};
use cloth_testing::corpus;

fn ball() -> TriMesh {
    icosphere(3, 0.5).unwrap()
}

/// A sheet of 2 m at a height, around the y axis.
fn level(height: f64) -> TriMesh {
    let mesh = sheet(21, 2.0);
    let bounds = mesh.bounds();
    mesh.translated(Point3::new(0.0, height, 0.0) - nalgebra::center(&bounds.min, &bounds.max))
}

fn cache(path: &Path, frames: &[TriMesh]) -> String {
    let mut writer = Pc2Writer::create(path, frames[0].positions.len(), 0.0, 1.0).unwrap();
    frames.iter().for_each(|frame| writer.push(&frame.positions_f32()).unwrap());
    writer.finish().unwrap();
    text(path)
}

#[test]
fn a_garment_that_cuts_its_body_is_not_clean() {
    let dir = tempfile::tempdir().unwrap();
    let (body, cuts) = (write(dir.path(), "body.obj", &ball()), write(dir.path(), "cuts.obj", &level(0.3)));
    let alone = cloth(["check", &cuts, &body]);
    assert_eq!(alone.status, 0, "{alone:?}");
    assert!(alone.out.contains("2 meshes, judged one by one (--body judges"), "{}", alone.out);
    let file = text(&dir.path().join("out.json"));
    let ran = cloth(["check", &cuts, "--body", &body, "--json", &file]);
    assert_eq!(ran.status, 1, "{ran:?}");
    assert!(ran.out.contains("intersections of cloth with body, "), "{}", ran.out);
    let found = json(file.as_ref())["meshes"][0].clone();
    let kinds = found["intersections"].clone();
    assert!(kinds["cloth_body"].as_u64() > Some(20) && kinds["cloth_self"] == 0 && kinds["body_self"] == 0);
    assert!(found["vertices_inside"].as_u64() > Some(20), "{found}");
    let deepest = &found["deepest_face"];
    assert!((deepest["depth"].as_f64().unwrap() - 0.2).abs() < 4e-3, "{deepest}");
    assert!(deepest["path"] == cuts.as_str() && deepest["body"] == body.as_str(), "{deepest}");
    assert_eq!((&found["bodies"][0]["closed"], &found["bodies"][0]["turned"]), (&true.into(), &false.into()));
    let above = write(dir.path(), "above.obj", &level(0.6));
    let ran = cloth(["check", &above, "--body", &body]);
    assert_eq!((ran.status, ran.err.as_str()), (0, ""), "{ran:?}");
    assert!(ran.out.starts_with(&format!("{above} on {body}: clean\n")), "{}", ran.out);
}

#[test]
fn what_is_inside_altogether_meets_nothing_and_is_not_clean() {
    let dir = tempfile::tempdir().unwrap();
    let body = write(dir.path(), "body.obj", &ball());
    let inside = write(dir.path(), "in.obj", &level(0.0).scaled(0.1));
    let ran = cloth(["check", &inside, "--body", &body]);
    assert_eq!(ran.status, 1, "{ran:?}");
    assert!(ran.out.contains(": 441 vertices inside, deepest 4"), "{}", ran.out);
    assert!(ran.out.contains("area inside of a body             100.00 %"), "{}", ran.out);
}

#[test]
fn bodies_are_reported_and_never_decide() {
    let dir = tempfile::tempdir().unwrap();
    let mut twisted = ball();
    twisted.append(&ball().translated(Vector3::new(0.2, 0.1, 0.0)));
    twisted.faces.pop();
    let (body, other) = (write(dir.path(), "twisted.obj", &twisted), write(dir.path(), "o.obj", &ball()));
    let above = write(dir.path(), "above.obj", &level(0.9));
    let file = text(&dir.path().join("out.json"));
    let ran = cloth(["check", &above, "--body", &body, "--body", &other, "--json", &file]);
    assert_eq!(ran.status, 0, "{ran:?}");
    assert!(ran.out.contains(", does not count") && ran.out.contains("twisted.obj is open"), "{}", ran.out);
    assert!(ran.out.contains("may intersect itself"), "{}", ran.out);
    let found = json(file.as_ref())["meshes"][0].clone();
    assert!(found["intersections"]["body_self"].as_u64() > Some(0), "{found}");
    assert!(found["intersections"]["body_body"].as_u64() > Some(0), "{found}");
}

#[test]
fn garments_are_worn_together_and_with_each_one_by_one() {
    let dir = tempfile::tempdir().unwrap();
    let body = write(dir.path(), "body.obj", &ball());
    let flat = write(dir.path(), "flat.obj", &level(0.6));
    let across = level(0.6).mapped(|p| Point3::new(p.x, 0.7 + 0.2 * p.x + 0.013, p.z + 0.01));
    let across = write(dir.path(), "across.obj", &across);
    let ran = cloth(["check", &flat, &across, "--body", &body]);
    assert_eq!(ran.status, 1, "{ran:?}");
    assert!(ran.out.contains("intersections of cloth with cloth\n"), "{}", ran.out);
    let ran = cloth(["check", &flat, &across, "--body", &body, "--each"]);
    assert_eq!(ran.status, 0, "{ran:?}");
    assert!(ran.out.contains("2 meshes, each on its own with the bodies: 2 clean"), "{}", ran.out);
}

#[test]
fn a_moving_body_is_judged_in_every_frame_and_between_them() {
    let dir = tempfile::tempdir().unwrap();
    let at = |name: &str| dir.path().join(name);
    let (body, cloth_mesh) = (write(dir.path(), "b.obj", &ball()), write(dir.path(), "g.obj", &level(0.6)));
    let up = |y: f64| ball().translated(Vector3::new(0.0, y, 0.0));
    let body_cache = cache(&at("b.pc2"), &[up(0.0), up(0.4), up(-3.0), up(3.0)]);
    let file = text(&at("out.json"));
    let line = ["check", &cloth_mesh, "--body", &body, "--body-cache", &body_cache, "--json", &file];
    let ran = cloth(line);
    assert_eq!(ran.status, 1, "{ran:?}");
    assert!(ran.out.contains("1 of 4 frames not clean; the worst is frame 1 with "), "{}", ran.out);
    let frames = json(file.as_ref())["meshes"][0]["frames"].clone();
    let crossed = |k: usize| frames[k]["crossings"]["cloth_body"].as_u64();
    assert_eq!((crossed(0), frames[2]["intersections"]["cloth_body"].as_u64()), (None, Some(0)));
    assert!(crossed(1) > Some(0) && crossed(3) > Some(0), "{frames}");
    // The same with a cache of a garment that stands still, and with one of other length.
    let still = vec![level(0.6); 4];
    let own = cache(&at("g.pc2"), &still);
    let both = cloth(["check", &cloth_mesh, "--cache", &own, "--body", &body, "--body-cache", &body_cache]);
    let figures = |out: &str| out.lines().skip(2).map(str::to_owned).collect::<Vec<_>>();
    assert_eq!(figures(&both.out)[1..], figures(&ran.out)[1..]);
    let short = cache(&at("short.pc2"), &still[..3]);
    let ran = cloth(["check", &cloth_mesh, "--cache", &short, "--body", &body, "--body-cache", &body_cache]);
    assert_refused(&ran, &["b.pc2", "4 frames", "short.pc2 has 3"]);
}

#[test]
fn a_character_is_a_body_in_the_frames_of_its_clip() {
    let dir = tempfile::tempdir().unwrap();
    let post = post(dir.path());
    let far = write(dir.path(), "far.obj", &level(9.0));
    let ran = cloth(["check", &far, "--body", &post, "--clip", "Nod"]);
    assert!(ran.status == 0 && ran.out.contains("clean in 31 frames"), "{ran:?}");
    let ran = cloth(["check", &far, "--body", &post, "--clip", "Nod", "--clip-fps", "60"]);
    assert!(ran.status == 0 && ran.out.contains("clean in 61 frames"), "{ran:?}");
    assert_refused(&cloth(["check", &far, "--body", &post, "--clip", "Shake"]), &["Shake", "Nod"]);
}

#[test]
fn stitches_join_the_vertices_of_the_first_garment() {
    let dir = tempfile::tempdir().unwrap();
    let mut panels = sheet(3, 1.0);
    let width = panels.bounds().max.x - panels.bounds().min.x;
    panels.append(&panels.clone().translated(Vector3::x() * width));
    let mut pairs = String::new();
    for (a, b) in (0..9).flat_map(|a| (9..18).map(move |b| (a, b))) {
        if (panels.positions[a] - panels.positions[b]).norm() < 1e-9 {
            pairs.push_str(&format!("{a} {b}\n"));
        }
    }
    let (garment, body) = (
        write(dir.path(), "g.obj", &panels),
        write(dir.path(), "b.obj", &ball().translated(Vector3::y() * 9.0)),
    );
    let seams = text(&dir.path().join("seams.txt"));
    std::fs::write(&seams, pairs).unwrap();
    assert_eq!(cloth(["check", &garment, "--body", &body]).status, 1, "they touch");
    let sewn = ["--stitches", &seams, "--seam-distance", "1e-6"];
    assert_eq!(cloth(["check", &garment, "--body", &body].iter().chain(&sewn)).status, 0);
    std::fs::write(&seams, "0 18\n").unwrap();
    let ran = cloth(["check", &garment, "--body", &body].iter().chain(&sewn));
    assert_refused(&ran, &["seams.txt", "vertex 18", "has 18"]);
}

#[test]
fn one_thread_judges_as_two_do() {
    let dir = tempfile::tempdir().unwrap();
    let (body, cuts) = (write(dir.path(), "b.obj", &ball()), write(dir.path(), "g.obj", &level(0.3)));
    let frames: Vec<TriMesh> = (0..7).map(|k| level(0.7 - 0.1 * f64::from(k))).collect();
    let moved = cache(&dir.path().join("g.pc2"), &frames);
    let ran = |threads: &str| {
        let mut command = std::process::Command::new(env!("CARGO_BIN_EXE_cloth"));
        let arguments = ["check", &cuts, "--cache", &moved, "--body", &body, "--examples", "9"];
        crate::support::ran(command.args(arguments).env("RAYON_NUM_THREADS", threads))
    };
    let [one, three] = ["1", "3"].map(ran);
    assert_eq!((one.status, &one.out), (1, &three.out));
}

/// A dress on a mannequin that nobody here made: the mannequin is open and cuts itself.
#[test]
fn a_dress_is_free_of_the_mannequin_that_wears_it() {
    let Some(path) = corpus("garments/codim-ipc/dress_knife_drape.obj") else { return };
    let both = cloth_io::read_mesh(&path).unwrap().mesh;
    let first = both.positions.len() - 12_811;
    let (body, dress): (Vec<[u32; 3]>, Vec<_>) =
        both.faces.iter().copied().partition(|face| face[0] as usize >= first);
    let body: Vec<[u32; 3]> = body.iter().map(|face| face.map(|v| v - first as u32)).collect();
    let dir = tempfile::tempdir().unwrap();
    let body = write(dir.path(), "body.obj", &TriMesh::new(both.positions[first..].to_vec(), body));
    let dress = write(dir.path(), "dress.obj", &TriMesh::new(both.positions[..first].to_vec(), dress));
    let file = text(&dir.path().join("out.json"));
    cloth(["check", &dress, "--body", &body, "--json", &file]);
    let found = json(file.as_ref())["meshes"][0].clone();
    let kinds = ["cloth_self", "cloth_body", "body_self"].map(|kind| found["intersections"][kind].as_u64());
    assert_eq!(kinds, [528, 0, 499].map(Some));
    assert_eq!((&found["vertices_inside"], &found["bodies"][0]["closed"]), (&0.into(), &false.into()));
}

#[test]
fn a_piece_that_points_the_other_way_is_named() {
    let dir = tempfile::tempdir().unwrap();
    let mut body = ball();
    let mut turned = ball().scaled(0.5).translated(Vector3::x() * 3.0);
    turned.faces.iter_mut().for_each(|face| face.swap(0, 1));
    body.append(&turned);
    let body = write(dir.path(), "body.obj", &body);
    let garment = write(dir.path(), "g.obj", &level(9.0));
    let ran = cloth(["check", &garment, "--body", &body]);
    assert!(ran.status == 0 && ran.out.contains("1 of 2 pieces points the other way"), "{ran:?}");
    assert_refused(&cloth(["check", &garment, "--body", &garment]), &["g.obj", "is named twice"]);
    let ran = cloth(["check", &garment, "--body", &body, "--clip", "Walk"]);
    assert_refused(&ran, &["g.obj", "no body has clips"]);
}

#[test]
fn the_copy_of_a_doubled_garment_is_as_far_inside() {
    let dir = tempfile::tempdir().unwrap();
    let body = write(dir.path(), "body.obj", &ball());
    let once = level(0.3);
    let mut twice = once.clone();
    twice.append(&once);
    let file = text(&dir.path().join("out.json"));
    let inside = |mesh: &TriMesh| {
        let garment = write(dir.path(), "g.obj", mesh);
        cloth(["check", &garment, "--body", &body, "--json", &file]);
        let found = json(file.as_ref())["meshes"][0].clone();
        (found["vertices_inside"].as_u64().unwrap(), found["share_inside"].as_f64().unwrap())
    };
    let ((vertices, share), (of_both, share_of_both)) = (inside(&once), inside(&twice));
    assert!(vertices > 0 && of_both == 2 * vertices, "{vertices} {of_both}");
    assert!((share - share_of_both).abs() < 0.01 * share, "{share} {share_of_both}");
}
