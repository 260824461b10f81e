//! `cloth simulate --character`: a skinned body from glTF, what it plays, and as what it collides.

use std::fs;
use std::path::Path;

use cloth_geom::TriMesh;
use nalgebra::Vector3;
use serde_json::Value;

use crate::simulate::frame;
use crate::support::{assert_refused, cloth, json, sheet, text, write};
use cloth_testing::corpus;

/// Writes a post of two bones, 1 m high and 0.2 m thick, whose upper half nods by 60 degrees within half a
/// second and back in the clip "Nod".
pub(crate) fn post(folder: &Path) -> String {
    post_that_ends(folder, [0.0, 0.0, 0.0, 1.0])
}

/// The same post, whose upper half has this rotation in the last key of the clip, at 1 s.
fn post_that_ends(folder: &Path, end: [f32; 4]) -> String {
    let mut bin: Vec<u8> = Vec::new();
    let mut views = Vec::new();
    let mut add = |bytes: Vec<u8>| {
        views.push(format!(r#"{{"buffer":0,"byteOffset":{},"byteLength":{}}}"#, bin.len(), bytes.len()));
        bin.extend(&bytes);
        bin.resize(bin.len().next_multiple_of(4), 0);
    };
    let floats = |values: &[f32]| values.iter().flat_map(|v| v.to_le_bytes()).collect::<Vec<u8>>();
    // Rings at five heights, and the two ends.
    let heights = [0.0f32, 0.3, 0.5, 0.7, 1.0];
    let ring = [[-0.1f32, -0.1], [-0.1, 0.1], [0.1, 0.1], [0.1, -0.1]];
    let positions: Vec<f32> =
        heights.iter().flat_map(|&y| ring.iter().flat_map(move |p| [p[0], y, p[1]])).collect();
    let mut indices: Vec<u16> = vec![0, 2, 1, 0, 3, 2, 16, 17, 18, 16, 18, 19];
    for k in 0..4u16 {
        for i in 0..4u16 {
            let [a, b, c, d] = [4 * k + i, 4 * k + (i + 1) % 4, 4 * k + 4 + i, 4 * k + 4 + (i + 1) % 4];
            indices.extend([a, b, d, a, d, c]);
        }
    }
    let joints: Vec<u8> = heights.iter().flat_map(|&y| [u8::from(y > 0.4), 0, 0, 0].repeat(4)).collect();
    let weights = [1.0f32, 0.0, 0.0, 0.0].repeat(20);
    let identity = |y: f32| [1.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, y, 0.0, 1.0f32];
    add(floats(&positions));
    add(indices.iter().flat_map(|i| i.to_le_bytes()).collect());
    add(joints);
    add(floats(&weights));
    add(floats(&[identity(0.0), identity(-0.5)].concat()));
    add(floats(&[0.0, 0.5, 1.0]));
    let (sin, cos) = (0.5f32, 0.866_025_4f32);
    add(floats(&[&[0.0, 0.0, 0.0, 1.0, 0.0, 0.0, sin, cos][..], &end].concat()));
    fs::write(folder.join("post.bin"), &bin).unwrap();
    let accessor = |view: usize, kind: u32, count: usize, shape: &str, extra: &str| {
        format!(r#"{{"bufferView":{view},"componentType":{kind},"count":{count},"type":"{shape}"{extra}}}"#)
    };
    let accessors = [
        accessor(0, 5126, 20, "VEC3", r#","min":[-0.1,0,-0.1],"max":[0.1,1,0.1]"#),
        accessor(1, 5123, indices.len(), "SCALAR", ""),
        accessor(2, 5121, 20, "VEC4", ""),
        accessor(3, 5126, 20, "VEC4", ""),
        accessor(4, 5126, 2, "MAT4", ""),
        accessor(5, 5126, 3, "SCALAR", r#","min":[0],"max":[1]"#),
        accessor(6, 5126, 3, "VEC4", ""),
    ];
    let document = format!(
        r#"{{"asset":{{"version":"2.0"}},"scene":0,"scenes":[{{"nodes":[0,2]}}],
        "nodes":[{{"name":"root","children":[1]}},{{"name":"tip","translation":[0,0.5,0]}},
          {{"name":"post","mesh":0,"skin":0}}],
        "meshes":[{{"name":"post",
          "primitives":[{{"attributes":{{"POSITION":0,"JOINTS_0":2,"WEIGHTS_0":3}},"indices":1}}]}}],
        "skins":[{{"joints":[0,1],"inverseBindMatrices":4}}],
        "animations":[{{"name":"Nod","channels":[{{"sampler":0,"target":{{"node":1,"path":"rotation"}}}}],
          "samplers":[{{"input":5,"output":6,"interpolation":"LINEAR"}}]}}],
        "buffers":[{{"uri":"post.bin","byteLength":{}}}],"bufferViews":[{}],"accessors":[{}]}}"#,
        bin.len(),
        views.join(","),
        accessors.join(",")
    );
    let path = folder.join("post.gltf");
    fs::write(&path, document).unwrap();
    text(&path)
}

/// A cloth 5 mm above the post.
fn cover(folder: &Path) -> String {
    let mesh: TriMesh = sheet(13, 0.5).translated(Vector3::new(0.0, 1.005, 0.0));
    write(folder, "cover.obj", &mesh)
}

fn arguments<'a>(garment: &'a str, character: &'a str) -> Vec<&'a str> {
    let flags = ["--pre-roll", "0.1", "--fps", "30", "--thickness", "0.004", "--place", "asis"];
    [&["simulate", "--garment", garment, "--character", character, "--clip", "Nod:0.5s"], &flags[..]].concat()
}

/// The last clip of the post is left bent by 60 degrees, and begins upright.
const BENT: [f32; 4] = [0.0, 0.0, 0.5, 0.866_025_4];

#[test]
fn a_clip_that_does_not_close_is_named_with_the_remedy() {
    let dir = tempfile::tempdir().unwrap();
    let cover = cover(dir.path());
    let (preview, bent) =
        (format!("--preview={}", text(&dir.path().join("p.png"))), post_that_ends(dir.path(), BENT));
    let notes = |clip: &str, more: &[&str]| {
        let line = ["simulate", "--garment", &cover, "--character", &bent, "--clip", clip, "--pre-roll", "0"];
        cloth(line.iter().chain(&["--place", "asis", &preview]).chain(more).copied()).out
    };
    let said = "post.gltf: clip \"Nod\" of 1.00 s is played for 1.50 s: it loops, and from its end to its \
                beginning tip turns by 60 degrees in one substep; --loop-transition 0.5 fades\n";
    let looped = notes("Nod:1.5s", &[]);
    assert!(looped.contains(said), "{looped}");
    // The remedy takes its time, and nothing turns in a substep.
    let closed = notes("Nod:2s", &["--loop-transition", "0.5"]);
    assert!(closed.contains("clip \"Nod\" of 1.50 s is played for 2.00 s: it loops\n"), "{closed}");
    for clip in ["Nod", "Nod:0.5s"] {
        assert!(!notes(clip, &[]).contains("loops"), "{clip} ends with the run");
    }
    post(dir.path());
    assert!(notes("Nod:1.5s", &[]).contains("is played for 1.50 s: it loops\n"), "a loop");
}

#[test]
fn a_clip_that_is_played_once_ends_in_its_last_pose() {
    let dir = tempfile::tempdir().unwrap();
    cover(dir.path());
    post_that_ends(dir.path(), BENT);
    let path = dir.path().join("scene.toml");
    // How far the top of the post leans at the end of the run (m).
    let lean = |keys: &str, seconds: f64| {
        let scene = format!(
            "[settings]\nduration = {seconds}\ndt = 0.03\n[[garment]]\nmesh = \"cover.obj\"\n\
             [character]\npath = \"post.gltf\"\nclips = [\"Nod\"]\npre_roll = 0\n{keys}"
        );
        fs::write(&path, scene).unwrap();
        let source = cloth_scene::SceneSource::File(path.clone());
        let mut built = cloth_scene::Scene::read(&path).unwrap().build(&source).unwrap();
        let mut simulation = built.desc.build(built.desc.settings).unwrap();
        let end = built.dt * built.frames as f64;
        built.move_through(&mut simulation, [end - built.dt, end]).unwrap();
        let skin = built.bodies.character().unwrap().positions();
        skin.iter().map(|p| p.x.abs()).fold(0.0, f32::max)
    };
    // The last of its 33 frames ends at 0.99 s, the last of 34 at 1.02 s: behind the end of the clip.
    assert!((lean("", 1.02) - lean("", 0.99)).abs() < 0.01, "it does not begin again");
    assert!(lean("", 1.02) > 0.4);
    // For longer it loops, without or with a transition.
    assert!(lean("", 1.05) < 0.2);
    let closing = |seconds| lean("loop_transition = 0.5\n", seconds);
    let leans: Vec<f32> = (0..20).map(|k| closing(0.99 + 0.03 * f64::from(k))).collect();
    let jump = leans.windows(2).map(|pair| (pair[1] - pair[0]).abs()).fold(0.0, f32::max);
    assert!(jump < 0.1 && leans[19] < 0.2, "no jump on the way back: {leans:?}");
}

#[test]
fn a_nodding_post_carries_its_cover_with_every_kind_of_body() {
    let dir = tempfile::tempdir().unwrap();
    let (garment, character) = (cover(dir.path()), post(dir.path()));
    let report = text(&dir.path().join("r.json"));
    for body in ["skin", "proxies", "both"] {
        let mut all = arguments(&garment, &character);
        // The proxies, of up to 73 mm more than the skin, hold the cover where it starts.
        all.extend(["--body", body, "--json", &report, "--max-depth", "0.1"]);
        let ran = cloth(all);
        assert!(ran.out.contains("intersections with the skin"), "{ran:?}");
        let found = json(Path::new(&report));
        // Pre-roll and clip: 0.6 s at 30 Hz.
        assert_eq!(found["frames"], 18, "{ran:?}");
        let on_skin = &found["character"];
        assert_eq!(on_skin["body"], body);
        assert_eq!(on_skin["cloth_cloth"]["max"], 0);
        assert_eq!(on_skin["fit"].is_null(), body == "skin");
        if body != "proxies" {
            assert_eq!((ran.status, on_skin["cloth_skin"]["max"].as_u64()), (0, Some(0)), "{ran:?}");
            assert_eq!(on_skin["deepest_m"], 0.0);
        }
    }
}

#[test]
fn a_scene_file_says_what_the_flags_say() {
    let dir = tempfile::tempdir().unwrap();
    let (garment, character) = (cover(dir.path()), post(dir.path()));
    let [by_flags, by_scene] = ["flags.json", "scene.json"].map(|name| text(&dir.path().join(name)));
    let mut all = arguments(&garment, &character);
    all.extend(["--json", &by_flags]);
    assert_eq!(cloth(all).status, 0);
    let scene = dir.path().join("scene.toml");
    let air = cloth_solver::Wind::STILL_AIR;
    let content = format!(
        "[settings]\ndt = {}\nduration = 0.6\n[[garment]]\nmesh = \"cover.obj\"\nthickness = 0.004\n\
         [character]\npath = \"post.gltf\"\nclips = [\"Nod:0.5s\"]\npre_roll = 0.1\n\
         [[body]]\nkind = \"plane\"\n[wind]\nvelocity = [0, 0, 0]\ndrag = {}\nlift = {}\n",
        1.0 / 30.0,
        air.drag,
        air.lift
    );
    fs::write(&scene, content).unwrap();
    assert_eq!(cloth(["simulate", &text(&scene), "--json", &by_scene]).status, 0);
    let [flags, scene] = [by_flags, by_scene].map(|path| json(Path::new(&path)));
    assert_eq!(flags["frame_hashes"], scene["frame_hashes"]);
}

/// The GLB file has the character with the motion of the run, and plays like the cache.
#[test]
fn a_glb_file_contains_character_and_garment() {
    let dir = tempfile::tempdir().unwrap();
    let (garment, character) = (cover(dir.path()), post(dir.path()));
    let out = text(&dir.path().join("all.glb"));
    let mut all = arguments(&garment, &character);
    all.extend(["--out", &out]);
    let ran = cloth(all);
    assert!(ran.status == 0 && ran.out.contains("all.glb: 19 frames"), "{ran:?}");
    let written = cloth_io::read_character(Path::new(&out)).unwrap().character;
    assert_eq!(written.clips.len(), 1);
    assert!((written.clips[0].duration() - 0.6).abs() < 1e-6);
    assert!(written.skeleton.find("tip").is_some());
    let report = text(&dir.path().join("check.json"));
    let checked = cloth(["check", &out, "--json", &report]);
    assert_eq!(checked.status, 0, "{checked:?}");
    let checked = &json(Path::new(&report))["meshes"][0];
    assert_eq!(checked["frames"].as_array().unwrap().len(), 19);
    assert_eq!((checked["vertices"].as_u64(), checked["triangles"].as_u64()), (Some(169), Some(288)));
    assert!(checked["notes"][0].as_str().unwrap().contains("without morph targets"), "{checked}");
}

#[test]
fn several_garments_are_worn_by_one_character() {
    let dir = tempfile::tempdir().unwrap();
    let (garment, character) = (cover(dir.path()), post(dir.path()));
    let above: TriMesh = sheet(9, 0.3).translated(Vector3::new(0.0, 1.03, 0.0));
    let second = write(dir.path(), "doily.obj", &above);
    let out = text(&dir.path().join("all.glb"));
    let mut all = arguments(&garment, &character);
    all.extend(["--garment", &second, "--out", &out]);
    let ran = cloth(all.clone());
    assert_eq!(ran.status, 0, "{ran:?}");
    let shapes = cloth_io::read_shapes(Path::new(&out)).unwrap().unwrap();
    assert_eq!((shapes.mesh.positions.len(), shapes.state_count()), (169 + 81, 19));
    let refused = |more: &[&str], words: &[&str]| {
        assert_refused(&cloth([&all[..], more].concat()), words);
    };
    refused(&["--pin", "0"], &["--pin is of one garment", "scene file"]);
    refused(&["--garment", &second], &["doily.obj is given twice"]);
    refused(&["--rest", &second], &["--rest MESH is of one garment"]);
    let falling = ["simulate", "--garment", &garment, "--garment", &second];
    assert_refused(&cloth(falling), &["would fall from one place", "--place asis"]);
}

/// A corner of the cover that is tied to the upper bone swings with it; one that follows the skin does the
/// same, both to rounding.
#[test]
fn pins_follow_a_joint_and_the_skin() {
    let dir = tempfile::tempdir().unwrap();
    let _ = (cover(dir.path()), post(dir.path()));
    let run = |follow: &str| {
        let scene = dir.path().join("scene.toml");
        let content = format!(
            "[settings]\ndt = 0.0333333333\nduration = 0.6\n[[garment]]\nmesh = \"cover.obj\"\n\
             thickness = 0.004\n\
             pins = [{{ vertex = 84, follow = \"{follow}\" }}]\n\
             [character]\npath = \"post.gltf\"\nclips = [\"Nod\"]\npre_roll = 0.1\n"
        );
        fs::write(&scene, content).unwrap();
        let cache = text(&dir.path().join("out.pc2"));
        let ran = cloth(["simulate", &text(&scene), "--out", &cache, "--out-units", "metres"]);
        (ran, cache)
    };
    // The middle of the cover, 5 mm above the top of the post, which is 0.5 m from the joint; 0.1 s of
    // pre-roll and 0.5 s of the clip.
    let (sin, cos) = (0.866_025_4f32, 0.5f32);
    let expected = Vector3::new(-0.505 * sin, 0.5 + 0.505 * cos, 0.0);
    for follow in ["joint:tip", "character", "body"] {
        let (ran, cache) = run(follow);
        assert_eq!(ran.status, 0, "{ran:?}");
        let last = frame(&cache, 18)[84].coords;
        assert!((last - expected).norm() < 1e-4, "{follow} {last} {expected}");
    }
    assert_refused(&run("joint:elbow").0, &["elbow", "--list"]);
}

#[test]
fn lists_what_a_character_has_and_names_what_it_lacks() {
    let dir = tempfile::tempdir().unwrap();
    let (garment, character) = (cover(dir.path()), post(dir.path()));
    let ran = cloth(["simulate", "--character", &character, "--list"]);
    assert_eq!(ran.status, 0, "{ran:?}");
    for words in ["1 clip\n  Nod  1.000 s", "2 joints\n  root\n    tip", "20 vertices, 36 triangles"] {
        assert!(ran.out.contains(words), "{words} in {}", ran.out);
    }
    let run = |more: &[&str]| cloth([&["simulate", "--garment", &garment], more].concat());
    assert_refused(&run(&["--character", &character, "--clip", "Bow"]), &["post.gltf", "Bow", "Nod"]);
    assert_refused(&run(&["--character", &character, "--body", "sphere"]), &["--body", "proxies"]);
    assert_refused(&run(&["--body", "both"]), &["--character"]);
    assert_refused(&run(&["--character", "none.glb"]), &["none.glb"]);
    let excluded = run(&["--character", &character, "--exclude-bone", "tip", "--seconds", "0.1"]);
    assert!(
        excluded.out.contains("18 of the 36 triangles") && excluded.out.contains("of tip"),
        "{excluded:?}"
    );
    assert_refused(&run(&["--character", &character, "--exclude-bone", "toe"]), &["toe", "--list"]);
    assert_refused(&run(&["--character", &character, "--exclude-bone", "root"]), &["no skin left"]);
    assert_refused(&run(&["--clip", "Nod"]), &["--character"]);
    assert_refused(&run(&["--character", &character, "--clip", "Nod:0s"]), &["longer than 0 s"]);
}

/// The skirt of the data folder on its mannequin through the first steps of a dance.
#[test]
fn a_skirt_dances_on_a_real_character() {
    let place = ["--scale", "1.35", "--translate", "0,-0.473,-0.019", "--pre-roll", "0.3"];
    let Some(found) = dressed("skirt2011.obj", &place) else { return };
    assert_eq!(figures(&found, "final"), [0, 0]);
    assert_eq!(figures(&found, "max")[0], 0, "cloth with cloth");
}

/// It starts with 86 intersections with the skin, which recovery resolves.
#[test]
fn a_shirt_comes_to_rest_on_a_real_character() {
    let place = ["--translate", "-0.003,0.416,-0.102", "--pre-roll", "0.5", "--settle", "0.2"];
    let Some(found) = dressed("tshirt1900.obj", &place) else { return };
    let notes = found["notes"].to_string();
    assert!(notes.contains("unit 0.1 m; --unit overrides"), "{notes}");
    assert_eq!(figures(&found, "final"), [0, 0]);
    assert_eq!(figures(&found, "max")[0], 0, "cloth with cloth");
    let frames = found["character"]["frames"].as_array().unwrap();
    assert!(
        !frames.is_empty() && frames.iter().all(|f| f["vertices"]["tshirt1900"][0].is_u64()),
        "{frames:?}"
    );
    assert_eq!(found["released"].as_array().map(Vec::len), Some(0));
}

/// Intersections of cloth with cloth and with the skin.
fn figures(report: &Value, which: &str) -> [u64; 2] {
    ["cloth_cloth", "cloth_skin"].map(|of| report["character"][of][which].as_u64().unwrap())
}

/// A garment of the data folder on its mannequin, which begins to dance; none without the data.
fn dressed(garment: &str, arguments: &[&str]) -> Option<Value> {
    let garment = corpus(&format!("garments/diffcloth/{garment}"))?;
    let character = corpus("characters/mesh2motion/human-addon-animations_9f6b66c.glb")?;
    let dir = tempfile::tempdir().unwrap();
    let report = text(&dir.path().join("r.json"));
    let (garment, character) = (text(&garment), text(&character));
    let mut all = vec!["simulate", "--garment", &garment, "--character", &character];
    all.extend(["--clip", "Dance Charleston:0.1s", "--json", &report]);
    all.extend(arguments);
    let ran = cloth(all);
    assert_eq!(ran.status, 0, "{ran:?}");
    Some(json(Path::new(&report)))
}
