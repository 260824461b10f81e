//! Cuts: a body that is elsewhere, or turned about, in the next frame of its animation, and what is said of
//! it.

use std::fs;
use std::path::Path;

use cloth_geom::TriMesh;
use cloth_io::ObjSequenceWriter;
use nalgebra::{Isometry3, Point3, Vector3};

use crate::character::post;
use crate::support::{assert_refused, cloth, json, sheet, text, write};

/// A person made of one box.
pub(crate) fn body() -> TriMesh {
    let corners = (0..8).map(|k| {
        let side = |bit: usize, half: f64| if k >> bit & 1 == 0 { -half } else { half };
        Point3::new(side(0, 0.2), 0.75 + side(1, 0.75), side(2, 0.12))
    });
    let faces = [
        [0, 2, 3],
        [0, 3, 1],
        [4, 5, 7],
        [4, 7, 6],
        [0, 1, 5],
        [0, 5, 4],
        [2, 6, 7],
        [2, 7, 3],
        [0, 4, 6],
        [0, 6, 2],
        [1, 3, 7],
        [1, 7, 5],
    ];
    TriMesh::new(corners.collect(), faces.to_vec())
}

/// Writes a scene: a cape that is pinned to a body, which stands for four frames and is half turned and `by`
/// (m) away in the next three.
pub(crate) fn scene(folder: &Path, by: f64, settings: &str, fps: u32) -> String {
    let standing = body();
    let (count, faces) = (standing.positions.len(), &standing.faces);
    let mut writer = ObjSequenceWriter::create(&folder.join("cut"), "body", count, faces).unwrap();
    let motion = Isometry3::new(Vector3::new(by, 0.0, 0.25 * by), Vector3::y() * std::f64::consts::PI);
    for frame in 0..7 {
        let moved = standing.positions.iter().map(|p| if frame < 4 { *p } else { motion * p });
        writer.push(&moved.collect::<Vec<_>>()).unwrap();
    }
    write(folder, "body.obj", &standing);
    write(folder, "cape.obj", &sheet(9, 0.4).mapped(|p| Point3::new(p.x, 1.2 + p.z, -0.16)));
    let path = folder.join("scene.toml");
    let content = format!(
        "[settings]\nduration = 0.2\nthickness = 0.01\n{settings}\n\
         [[garment]]\nname = \"cape\"\nmesh = \"cape.obj\"\n\
         pins = [{{ min = [-1, 1.39, -1], max = [1, 1.41, 1], follow = \"person\" }}]\n\
         [[body]]\nname = \"person\"\nkind = \"mesh\"\npath = \"body.obj\"\nmotion = \"cut\"\n\
         motion_fps = {fps}\n"
    );
    fs::write(&path, content).unwrap();
    text(&path)
}

#[test]
fn a_cape_goes_along_and_every_report_and_cache_says_so() {
    let dir = tempfile::tempdir().unwrap();
    let at = |name: &str| text(&dir.path().join(name));
    let (scene, report, page) = (scene(dir.path(), 20.0, "", 60), at("r.json"), at("page"));
    let (pc2, glb, frames, cape) = (at("c.pc2"), at("c.glb"), at("frames"), at("cape.obj"));
    let line = ["simulate", &scene, "--json", &report, "--report", &page, "--out", &pc2, "--out-glb", &glb];
    let ran = cloth(line.iter().copied().chain(["--out-obj", &frames]));
    assert_eq!(ran.status, 0, "{ran:?}");
    for said in [
        "moves 20.6 m from frame 3 to 4 (1,237 m/s) and turns by 180 degrees: a cut? cloth that is fixed to \
         it is teleported there\n",
        "vertices, those of the garment's file, in its unit and axes; 60 frames a second, which the file \
         does not say; it cannot say where the garment is teleported: `cloth check` of it needs --cut 4\n",
        "cape: teleported at frame 4 with what it is fixed to, by 20.",
        ", teleported at frame 4\n",
        "teleported at frame 4: the motions before and after are certified\n",
    ] {
        assert!(ran.out.contains(said), "{said}\n{}", ran.out);
    }
    assert!(!ran.out.contains("every substep certified"), "{}", ran.out);
    let found = json(report.as_ref());
    let cuts = found["cuts"].as_array().unwrap();
    assert_eq!((cuts.len(), &cuts[0]["frame"], &cuts[0]["name"]), (1, &4.into(), &"cape".into()));
    assert!((cuts[0]["degrees"].as_f64().unwrap() - 180.0).abs() < 0.01, "{cuts:?}");
    assert_eq!(found["cut_options"], serde_json::json!({ "cape": "--cut 4" }));
    assert_eq!((&found["frame_chords"]["pairs"], &found["pass"]), (&0.into(), &true.into()));
    assert!(found["stretch"]["p99"].as_f64().unwrap() < 0.1, "{}", found["stretch"]);
    let data = fs::read_to_string(Path::new(&page).join("index.js")).unwrap();
    assert!(data.contains("\"cuts\":[{\"frame\":4,\"cloth\":0,\"name\":\"cape\""));

    let check = |line: &[&str]| {
        let ran = cloth(["check", "--json", &report].iter().chain(line));
        (ran.status, json(report.as_ref())["meshes"][0].clone(), ran.out)
    };
    let (status, found, _) = check(&[&cape, "--cache", &pc2]);
    assert!(status == 1 && found["frames"][4]["impacts"].as_u64() > Some(0), "{found}");
    for line in [&[&cape, "--cache", &pc2, "--cut", "4"][..], &[&frames, "--cut", "4"], &[&glb]] {
        let (status, found, out) = check(line);
        assert_eq!(
            (status, &found["cuts"], &found["clean"]),
            (0, &serde_json::json!([4.0]), &true.into()),
            "{out}"
        );
        let judged = |frame: usize| found["frames"][frame]["impacts"].as_u64();
        assert_eq!([judged(3), judged(4), judged(5)], [Some(0), None, Some(0)], "{out}");
        assert!(out.contains("clean in 13 frames, teleported at frame 4\n"), "{out}");
        assert!(out.contains("frame 4: no motion leads there, none was checked\n"), "{out}");
    }
}

#[test]
fn a_cut_between_frames_of_any_rate_takes_one_step() {
    for (by, settings, fps) in
        [(20.0, "", 30), (0.0, "", 30), (0.0, "", 24), (20.0, "dt = 0.02\nsubsteps = 3\nthreads = 2", 60)]
    {
        let dir = tempfile::tempdir().unwrap();
        let report = text(&dir.path().join("r.json"));
        let ran = cloth(["simulate", &scene(dir.path(), by, settings, fps), "--json", &report]);
        let found = json(report.as_ref());
        assert_eq!((ran.status, found["cuts"].as_array().unwrap().len()), (0, 1), "{by} {fps}: {ran:?}");
        assert!(found["stretch"]["p99"].as_f64().unwrap() < 0.1, "{by} {fps}: {}", found["stretch"]);
    }
}

#[test]
fn a_search_without_the_gate_leaves_the_cut_out() {
    let dir = tempfile::tempdir().unwrap();
    let report = text(&dir.path().join("r.json"));
    let scene = scene(dir.path(), 20.0, "", 60);
    let ran = cloth(["simulate", &scene, "--gate", "off", "--json", &report]);
    assert_eq!(ran.status, 0, "{ran:?}");
    let said = " teleported at frame 4: before and after no crossing in any substep\n";
    assert!(ran.out.contains(said), "{}", ran.out);
    let found = json(report.as_ref());
    assert_eq!((&found["path"]["pairs"], &found["frame_chords"]["pairs"]), (&0.into(), &0.into()));
}

#[test]
fn a_cut_is_named_at_the_start_with_what_would_teleport() {
    let dir = tempfile::tempdir().unwrap();
    let off = scene(dir.path(), 0.0, "teleport = false", 60);
    let preview = format!("--preview={}", text(&dir.path().join("p.png")));
    let out = |line: &[&str]| cloth(["simulate", &preview].iter().copied().chain(line.iter().copied())).out;
    let fact = "turns by 180 degrees from frame 3 to 4: a cut? ";
    let said = out(&[&off]);
    assert!(said.contains(&format!("{fact}teleport = true in [settings] teleports cloth")), "{said}");
    let said = out(&[&off, "--teleport", "on"]);
    assert!(said.contains(&format!("{fact}cloth that is fixed to it is teleported there")), "{said}");
    let [garment, body, motion] = ["cape.obj", "body.obj", "cut"].map(|name| text(&dir.path().join(name)));
    let line = ["--garment", &garment, "--body", &body, "--body-motion", &motion, "--teleport", "off"];
    let said = out(&line);
    assert!(said.contains(&format!("{fact}--teleport on teleports cloth")), "{said}");
}

#[test]
fn a_cut_to_a_frame_that_there_is_not_is_refused() {
    let dir = tempfile::tempdir().unwrap();
    let folder = dir.path().join("frames");
    let mesh = sheet(3, 1.0);
    let mut writer = ObjSequenceWriter::create(&folder, "a", mesh.positions.len(), &mesh.faces).unwrap();
    for _ in 0..3 {
        writer.push(&mesh.positions).unwrap();
    }
    let (frames, alone) = (text(&folder), write(dir.path(), "alone.obj", &mesh));
    assert_eq!(cloth(["check", &frames, "--cut", "1,2"]).status, 0);
    let refused =
        |line: [&str; 3], words: &[&str]| assert_refused(&cloth(["check"].iter().chain(&line)), words);
    refused([&frames, "--cut", "0"], &["--cut 0", "nothing leads to the first frame"]);
    refused([&frames, "--cut", "1,3"], &["--cut 3", "there is no frame 3; frames are 0 to 2"]);
    refused([&alone, "--cut", "1"], &["--cut 1", "a mesh alone"]);
    refused([&frames, "--cut", "x"], &["--cut"]);
    let both = cloth(["check", &frames, "--cut", "1", "--frames-only"]);
    assert_refused(&both, &["--frames-only", "--cut"]);
}

/// Writes the post whose clip goes 20 m within a thirtieth of a second and stays there.
fn leaping_post(folder: &Path) -> String {
    let path = post(folder);
    let still = fs::read_to_string(&path).unwrap();
    let mut document: serde_json::Value = serde_json::from_str(&still).unwrap();
    let mut data = fs::read(folder.join("post.bin")).unwrap();
    let times = [0.0f32, 1.0 / 30.0, 0.5];
    let places = [0.0f32, 0.0, 0.0, 20.0, 0.0, 0.0, 20.0, 0.0, 0.0];
    for (view, values) in [(5usize, &times[..]), (6, &places[..])] {
        let first = document["bufferViews"][view]["byteOffset"].as_u64().unwrap() as usize;
        let bytes: Vec<u8> = values.iter().flat_map(|v| v.to_le_bytes()).collect();
        data[first..first + bytes.len()].copy_from_slice(&bytes);
    }
    document["accessors"][5]["max"] = serde_json::json!([0.5]);
    document["accessors"][6]["type"] = "VEC3".into();
    document["animations"][0]["channels"][0]["target"] =
        serde_json::json!({ "node": 0, "path": "translation" });
    fs::write(folder.join("post.bin"), data).unwrap();
    fs::write(&path, document.to_string()).unwrap();
    path
}

#[test]
fn a_clip_that_goes_elsewhere_between_two_keys_is_one_cut() {
    let dir = tempfile::tempdir().unwrap();
    let character = leaping_post(dir.path());
    let garment = write(dir.path(), "cover.obj", &sheet(13, 0.5).translated(Vector3::y() * 1.005));
    let report = text(&dir.path().join("r.json"));
    let mut line = vec!["simulate", "--garment", &garment, "--character", &character, "--clip", "Nod:0.4s"];
    line.extend(["--pre-roll", "0.1", "--thickness", "0.004", "--place", "asis", "--json", &report]);
    line.extend(["--pin", "0,1.005,0", "--pin", "0.05,1.005,0", "--pin", "0,1.005,0.05", "--pin-to-body"]);
    let ran = cloth(&line);
    let found = json(report.as_ref());
    assert!(ran.out.contains("moves 20.0 m from frame 6 to 8 (600 m/s): a cut? cloth"), "{ran:?}");
    let frames: Vec<_> = found["cuts"].as_array().unwrap().iter().map(|cut| &cut["frame"]).collect();
    assert_eq!((ran.status, frames), (0, vec![&8.into()]), "{ran:?}");
    assert!(found["stretch"]["p99"].as_f64().unwrap() < 0.1, "{}", found["stretch"]);
}
