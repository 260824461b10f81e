//! `cloth untangle` as its user calls it: what it writes and leaves alone, its figures, exit status, and
//! errors of one line.

use std::fs;
use std::path::Path;

use cloth_geom::TriMesh;
use cloth_io::read_mesh;
use nalgebra::Point3;

use crate::support::{assert_refused, cloth, json, sheet, text, write};
use cloth_testing::corpus;

/// A sheet of quads with another one pushed through it, with texture coordinates, groups and materials.
fn rich_tangle() -> String {
    let mut text = String::from("# two sheets\nmtllib cloth.mtl\n");
    for (name, n, first) in [("lower", 12, 0), ("upper", 12, 144)] {
        text.push_str(&format!("o {name}\nusemtl {name}\n"));
        for (i, j) in (0..n).flat_map(|i| (0..n).map(move |j| (i, j))) {
            let [x, z] = [i, j].map(|k| 0.03 * f64::from(k));
            let y = if first == 0 {
                0.0
            } else {
                0.03 - 0.06 * (-((x - 0.16f64).powi(2) + (z - 0.15).powi(2)) / 0.003).exp()
            };
            let off = if first == 0 { 0.0 } else { 0.0041 };
            text.push_str(&format!("v {:.6} {y:.6} {:.6}\nvt 0.{i} 0.{j}\n", x + off, z + off));
        }
        for (i, j) in (0..n - 1).flat_map(|i| (0..n - 1).map(move |j| (i, j))) {
            let corners =
                [[i, j], [i, j + 1], [i + 1, j + 1], [i + 1, j]].map(|[i, j]| first + n * i + j + 1);
            text.push_str(&format!("f {}\n", corners.map(|v| format!("{v}/{v}")).join(" ")));
        }
    }
    text
}

fn check_intersections(path: &Path) -> u64 {
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("check.json");
    cloth(["check", &text(path), "--json", &text(&file)]);
    json(&file)["meshes"][0]["intersections"].as_u64().unwrap()
}

#[test]
fn an_untangled_obj_differs_from_its_input_only_in_positions() {
    let dir = tempfile::tempdir().unwrap();
    let at = |name: &str| dir.path().join(name);
    fs::write(at("in.obj"), rich_tangle()).unwrap();
    let ran =
        cloth(["untangle", &text(&at("in.obj")), &text(&at("out.obj")), "--json", &text(&at("out.json"))]);
    assert_eq!((ran.status, ran.err.as_str()), (0, ""), "{ran:?}");
    assert!(ran.out.starts_with(&format!("{}: clean after step ", text(&at("in.obj")))), "{}", ran.out);
    let lines = |name: &str| {
        let text = fs::read_to_string(at(name)).unwrap();
        let lines = text.lines().map(|line| if line.starts_with("v ") { "v" } else { line }.to_owned());
        lines.collect::<Vec<_>>()
    };
    assert_eq!(lines("in.obj"), lines("out.obj"));
    let found = json(&at("out.json"));
    let before = check_intersections(&at("in.obj"));
    assert!(before > 0);
    assert_eq!(
        (&found["before"], &found["after"], &found["written"]),
        (&before.into(), &0.into(), &true.into())
    );
    assert_eq!((&found["contours"], &found["interrupted"]), (&serde_json::json!([]), &false.into()));
    assert_eq!(check_intersections(&at("out.obj")), 0);
    let [old, new] = ["in.obj", "out.obj"].map(|name| read_mesh(&at(name)).unwrap().mesh.positions);
    let moved = old.iter().zip(&new).map(|(a, b)| (b - a).norm()).fold(0.0, f64::max);
    assert_eq!(found["max_displacement"], moved);
}

#[test]
fn a_clean_mesh_is_written_as_it_is() {
    let dir = tempfile::tempdir().unwrap();
    let (input, out) = (write(dir.path(), "s.obj", &sheet(4, 1.0 / 3.0)), dir.path().join("out.obj"));
    let ran = cloth(["untangle", &input, &text(&out)]);
    assert_eq!((ran.status, ran.err.as_str()), (0, ""), "{ran:?}");
    assert!(ran.out.contains("clean; nothing was changed"), "{}", ran.out);
    assert_eq!(fs::read(input).unwrap(), fs::read(out).unwrap());
}

/// A sheet, and apart from it two needles through each other: too thin to be simulated, they stay.
#[test]
fn what_gets_no_better_is_not_written_and_exits_with_1() {
    let dir = tempfile::tempdir().unwrap();
    let at = |name: &str| dir.path().join(name);
    let needle = |tip: [f64; 3], ends: [[f64; 3]; 2]| {
        TriMesh::new([ends[0], ends[1], tip].map(Point3::from).to_vec(), vec![[0, 1, 2]])
    };
    let mut mesh = sheet(4, 1.0);
    mesh.append(&needle([5.0, 0.0, 1e-9], [[4.0, 0.0, 0.0], [6.0, 0.0, 0.0]]));
    mesh.append(&needle([5.0 + 1e-9, 0.0, 5e-10], [[5.0, -1.0, 5e-10], [5.0, 1.0, 5e-10]]));
    let (input, out, file) = (write(dir.path(), "in.obj", &mesh), text(&at("out.obj")), text(&at("o.json")));
    let ran = cloth(["untangle", &input, &out, "--seconds", "0.05", "--json", &file]);
    assert_eq!(ran.status, 1, "{ran:?}");
    assert!(ran.out.contains("no state with fewer was found, and OUT is not written"), "{}", ran.out);
    assert!(!at("out.obj").exists());
    let found = json(&at("o.json"));
    assert_eq!((&found["written"], &found["best_step"]), (&false.into(), &serde_json::Value::Null));
    assert_eq!((&found["before"], &found["steps"]), (&found["after"], &3.into()));
    assert_eq!(found["contours"][0]["with_body"], false);
    assert!((found["contours"][0]["center"][0].as_f64().unwrap() - 5.0).abs() < 1e-3);
}

#[test]
fn a_body_pushes_the_cloth_out() {
    let dir = tempfile::tempdir().unwrap();
    let at = |name: &str| dir.path().join(name);
    let ball = cloth_geom::fixtures::icosphere(3, 0.1).unwrap();
    let cloth_mesh = sheet(16, 0.4).mapped(|p| Point3::new(p.x + 0.003, 0.08, p.z + 0.002));
    let (input, body) = (write(dir.path(), "in.obj", &cloth_mesh), write(dir.path(), "ball.obj", &ball));
    let ran = cloth(["untangle", &input, &text(&at("out.obj")), "--body", &body]);
    assert_eq!(ran.status, 0, "{ran:?}");
    let mut both = read_mesh(&at("out.obj")).unwrap().mesh;
    both.append(&ball);
    write(dir.path(), "both.obj", &both);
    assert_eq!(check_intersections(&at("both.obj")), 0);
}

#[test]
fn what_cannot_run_is_refused_on_one_line() {
    let dir = tempfile::tempdir().unwrap();
    let at = |name: &str| text(&dir.path().join(name));
    let input = write(dir.path(), "in.obj", &sheet(4, 1.0));
    assert_refused(&cloth(["untangle", &input, &at("out.fbx")]), &["out.fbx", "no mesh format"]);
    assert_refused(&cloth(["untangle", &input, &input]), &["read as IN", "OUT would write over it"]);
    assert_refused(&cloth(["untangle", &at("no.obj"), &at("out.obj")]), &["no.obj", "cannot read"]);
    assert_refused(&cloth(["untangle", &input, &at("out.obj"), "--seconds", "nan"]), &["--seconds"]);
    assert_refused(&cloth(["untangle", &input, &at("out.obj"), "--body", "b.fbx"]), &["b.fbx", "obj, ply"]);
    let frames = dir.path().join("frames");
    fs::create_dir(&frames).unwrap();
    for name in ["a_1.obj", "a_2.obj"] {
        write(&frames, name, &sheet(3, 1.0));
    }
    assert_refused(&cloth(["untangle", &text(&frames), &at("out.obj")]), &["has 2 states"]);
    // Panels side by side that no seam joins, and a third one through them.
    let mut panels = sheet(4, 1.0);
    panels.append(&sheet(4, 1.0).mapped(|p| Point3::new(p.x + 1.0, p.y, p.z)));
    panels.append(&sheet(4, 1.0).mapped(|p| Point3::new(p.x + 0.1, p.z + 0.1, p.y + 0.1)));
    let panels = write(dir.path(), "panels.obj", &panels);
    assert_refused(
        &cloth(["untangle", &panels, &at("out.obj")]),
        &["border lie exactly on others", "--weld 0"],
    );
    assert_eq!(cloth(["untangle", &panels, &at("out.obj"), "--weld", "0"]).status, 0);
}

/// A T-shirt of others, folded twice so that its folds intersect.
#[test]
fn a_folded_shirt_is_untangled() {
    let Some(shirt) = corpus("garments/diffcloth/tshirt1900-folding-biFolded.obj") else { return };
    let dir = tempfile::tempdir().unwrap();
    let out = dir.path().join("out.obj");
    let ran = cloth(["untangle", &text(&shirt), &text(&out)]);
    assert_eq!(ran.status, 0, "{ran:?}");
    assert_eq!((check_intersections(&shirt) > 0, check_intersections(&out)), (true, 0));
    let [old, new] = [&shirt, &out].map(|path| read_mesh(path).unwrap().mesh);
    assert_eq!(old.faces, new.faces);
}

/// Two sheets, the second with a bump through the first, as files of their own.
fn outfit(dir: &Path) -> [String; 2] {
    fs::write(dir.join("both.obj"), rich_tangle()).unwrap();
    let both = read_mesh(&dir.join("both.obj")).unwrap().mesh;
    let (half, faces) = (both.positions.len() / 2, both.faces.len() / 2);
    let upper = both.faces[faces..].iter().map(|face| face.map(|v| v - half as u32)).collect();
    let meshes = [
        TriMesh::new(both.positions[..half].to_vec(), both.faces[..faces].to_vec()),
        TriMesh::new(both.positions[half..].to_vec(), upper),
    ];
    [write(dir, "lower.obj", &meshes[0]), write(dir, "upper.obj", &meshes[1])]
}

#[test]
fn garments_are_untangled_together_and_counted_by_kind() {
    let dir = tempfile::tempdir().unwrap();
    let at = |name: &str| text(&dir.path().join(name));
    let [lower, upper] = outfit(dir.path());
    let [out_lower, out_upper, file] = ["l.obj", "u.ply", "o.json"].map(at);
    let ran = cloth(["untangle", &lower, &out_lower, "--garment", &upper, &out_upper, "--json", &file]);
    assert_eq!((ran.status, ran.err.as_str()), (0, ""), "{ran:?}");
    assert!(ran.out.starts_with(&format!("{lower}, {upper}: clean after step ")), "{}", ran.out);
    let last = ran.out.trim_end().lines().last().unwrap();
    assert!(last.starts_with("  thickness ") && last.ends_with(", the default"), "{last}");
    let found = json(Path::new(&file));
    let kinds = &found["before_by_kind"];
    assert_eq!((&kinds["cloth_with_itself"], &kinds["cloth_with_cloth"]), (&0.into(), &found["before"]));
    assert_eq!(found["before"], check_intersections(&dir.path().join("both.obj")));
    assert_eq!((&found["garments"][1]["input"], &found["vertices"]), (&upper.into(), &288.into()));
    assert!(found["thickness"] == found["attempts"][0]["thickness"] && found["stretch"]["p99"].is_f64());
    let mut both = read_mesh(Path::new(&out_lower)).unwrap().mesh;
    both.append(&read_mesh(Path::new(&out_upper)).unwrap().mesh);
    assert_eq!(check_intersections(Path::new(&write(dir.path(), "out.obj", &both))), 0);
}

#[test]
fn an_order_of_layers_is_compared_with_where_garments_lie() {
    let dir = tempfile::tempdir().unwrap();
    let at = |name: &str| text(&dir.path().join(name));
    let [lower, upper] = outfit(dir.path());
    let run = |layers: &str| {
        let (out, other, file) = (at("l.obj"), at("u.obj"), at("o.json"));
        let ran = cloth([
            "untangle",
            &lower,
            &out,
            "--garment",
            &upper,
            &other,
            "--layers",
            layers,
            "--seconds",
            "0.1",
            "--json",
            &file,
        ]);
        (ran.out, json(Path::new(&file)))
    };
    let (said, found) = run("lower,upper.obj");
    assert!(!said.contains("reversed") && found["layers"][0]["is_reversed"] == false, "{said}");
    assert_eq!((&found["layers"][0]["inner"], &found["after"]), (&lower.clone().into(), &0.into()));
    let (said, found) = run(&format!("upper,{lower}"));
    assert!(said.contains("the order seems reversed") && found["layers"][0]["is_reversed"] == true, "{said}");
    assert!(found["layers"][0]["wrong"].as_u64() > found["layers"][0]["right"].as_u64());
}

#[test]
fn wrong_names_of_garments_are_refused_on_one_line() {
    let dir = tempfile::tempdir().unwrap();
    let at = |name: &str| text(&dir.path().join(name));
    let [lower, upper] = outfit(dir.path());
    fs::create_dir(dir.path().join("more")).unwrap();
    let twin = write(&dir.path().join("more"), "lower.obj", &sheet(4, 1.0));
    let run = |other: &str, out: &str, layers: &[&str]| {
        let line = ["untangle", &lower, &at("l.obj"), "--garment", other, out];
        cloth(line.into_iter().chain(layers.iter().copied()).map(str::to_owned))
    };
    let out = at("u.obj");
    assert_refused(&run(&upper, &out, &["--layers", "lower,skirt"]), &["--layers", "`skirt` is none of"]);
    assert_refused(&run(&upper, &out, &["--layers", "lower,lower.obj"]), &["`lower.obj` is named twice"]);
    assert_refused(&run(&twin, &out, &["--layers", "lower,lower"]), &["`lower` is 2 garments"]);
    assert_refused(&run(&upper, &out, &["--layers", "lower"]), &["an order needs two garments"]);
    assert_refused(&run(&lower, &out, &[]), &["lower.obj", "given as two garments"]);
    assert_refused(&run(&upper, &upper, &[]), &["read as IN", "OUT would write over it"]);
    assert_refused(&run(&upper, &at("l.obj"), &[]), &["are one file"]);
    assert_refused(&cloth(["untangle", &lower, &out, "--layers", "lower,upper"]), &["--garment"]);
    fs::write(at("none.obj"), "v 0 0 0\nv 1 0 0\nv 0 1 0\n").unwrap();
    assert_refused(&run(&at("none.obj"), &out, &[]), &["none.obj"]);
    fs::write(at("nan.obj"), "v 0 nan 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n").unwrap();
    assert_refused(&run(&at("nan.obj"), &out, &[]), &["nan.obj"]);
    assert!(!Path::new(&out).exists());
}
