//! Where `cloth simulate` lets a garment start, how large it is and at which folds it rests; what it and
//! `cloth check` say of its size.

use std::fs;
use std::path::Path;

use cloth_geom::TriMesh;
use cloth_geom::fixtures::{SkirtShape, icosphere, skirt};
use cloth_io::Pc2Reader;
use nalgebra::{Point3, Vector3};

use crate::support::{Ran, assert_refused, cloth, json, sheet, text, write};

/// Runs two frames of a garment with further arguments, and gives its start too.
fn start(garment: &str, more: &[&str]) -> (Vec<Point3<f32>>, Ran) {
    let dir = tempfile::tempdir().unwrap();
    let cache = text(&dir.path().join("c.pc2"));
    let line = [
        "simulate",
        "--garment",
        garment,
        "--seconds",
        "0.04",
        "--fps",
        "50",
        "--substeps",
        "2",
        "--out",
        &cache,
    ];
    let ran = cloth(line.iter().chain(more).copied());
    let mut frame = Vec::new();
    if ran.status == 0 {
        Pc2Reader::open(Path::new(&cache)).unwrap().read_frame(0, &mut frame).unwrap();
    }
    (frame, ran)
}

/// A sheet of 0.3 m whose least corner is at the origin, as a file, and its corners.
fn patch(folder: &Path) -> (String, TriMesh) {
    let mesh = sheet(4, 0.3);
    let mesh = mesh.clone().translated(-mesh.bounds().min.coords);
    (write(folder, "patch.obj", &mesh), mesh)
}

fn assert_near(found: &[Point3<f32>], wanted: impl Iterator<Item = Point3<f64>>) {
    for (found, wanted) in found.iter().zip(wanted) {
        assert!((found.map(f64::from) - wanted).norm() < 1e-6, "{found} {wanted}");
    }
}

#[test]
fn asis_keeps_the_position_of_the_file_and_translate_adds_to_it() {
    let dir = tempfile::tempdir().unwrap();
    let (garment, mesh) = patch(dir.path());
    let (frame, ran) = start(&garment, &["--body", "none", "--place", "asis"]);
    assert_eq!(frame.len(), 16, "{ran:?}");
    assert_near(&frame, mesh.positions.iter().copied());
    let (frame, ran) = start(&garment, &["--body", "none", "--place", "asis", "--translate", "-1,2,0.5"]);
    assert_eq!(frame.len(), 16, "{ran:?}");
    assert_near(&frame, mesh.positions.iter().map(|p| p + Vector3::new(-1.0, 2.0, 0.5)));
}

#[test]
fn what_is_placed_is_moved_from_its_place() {
    let dir = tempfile::tempdir().unwrap();
    let (garment, _) = patch(dir.path());
    let (placed, _) = start(&garment, &["--body", "none"]);
    let (moved, _) = start(&garment, &["--body", "none", "--translate", "0,1,0"]);
    assert_eq!(placed.len(), 16);
    assert_near(&moved, placed.iter().map(|p| p.map(f64::from) + Vector3::y()));
}

#[test]
fn the_floor_is_below_a_garment_that_starts_below_the_origin() {
    let dir = tempfile::tempdir().unwrap();
    let (garment, _) = patch(dir.path());
    let (_, ran) = start(&garment, &["--body", "none", "--place", "asis", "--translate", "0,-3,0"]);
    assert!(ran.out.contains("placed as in its file; the floor is below it, at -3.00 m"), "{ran:?}");
}

#[test]
fn turns_follow_one_another_about_the_origin() {
    let dir = tempfile::tempdir().unwrap();
    let (garment, mesh) = patch(dir.path());
    let (frame, ran) =
        start(&garment, &["--body", "none", "--place", "asis", "--rotate", "x,-90", "--rotate", "z,90"]);
    assert_eq!(frame.len(), 16, "{ran:?}");
    // (x, 0, z) to (x, z, 0) to (-z, x, 0).
    assert_near(&frame, mesh.positions.iter().map(|p| Point3::new(-p.z, p.x, 0.0)));
}

#[test]
fn a_scale_comes_on_top_of_the_unit() {
    let dir = tempfile::tempdir().unwrap();
    let (garment, _) = patch(dir.path());
    let (_, ran) = start(&garment, &["--unit", "2", "--scale", "1.5"]);
    assert!(ran.out.contains("0.90 x 0.00 x 0.90 m"), "{}", ran.out);
    fs::write(
        dir.path().join("s.toml"),
        "[[garment]]\nmesh = \"patch.obj\"\nunit = 2\nscale = 1.5\n[settings]\nduration = 0.02\n",
    )
    .unwrap();
    let ran = cloth(["simulate", &text(&dir.path().join("s.toml"))]);
    assert!(ran.out.contains("0.90 x 0.00 x 0.90 m"), "{}", ran.out);
}

/// A skirt whose seam down the back has each of its vertices twice, at one place.
fn unwelded_skirt(folder: &Path) -> (String, usize) {
    let shape = SkirtShape { waist_radius: 0.15, hem_radius: 0.3, length: 0.4, around: 48, along: 12 };
    let mut mesh = skirt(shape).unwrap();
    let back = |p: &Point3<f64>| p.x.abs() < 1e-9 && p.z < 0.0;
    let seam: Vec<u32> = (0u32..).zip(&mesh.positions).filter(|(_, p)| back(p)).map(|(v, _)| v).collect();
    for &v in &seam {
        let (p, twin) = (mesh.positions[v as usize], mesh.positions.len() as u32);
        mesh.positions.push(p);
        let positions = &mesh.positions;
        let is_left = |f: &[u32; 3]| f.iter().map(|&w| positions[w as usize].x).sum::<f64>() > 0.0;
        let left = mesh.faces.iter_mut().filter(|f| is_left(f));
        left.flatten().filter(|w| **w == v).for_each(|w| *w = twin);
    }
    assert!(seam.len() > 2, "the skirt has a line of vertices behind");
    (write(folder, "skirt.obj", &mesh), seam.len())
}

#[test]
fn a_weld_distance_of_zero_joins_equal_positions_in_every_command() {
    let dir = tempfile::tempdir().unwrap();
    let (garment, twice) = unwelded_skirt(dir.path());
    let report = text(&dir.path().join("r.json"));
    let initial = |more: &[&str]| {
        let line = [
            "simulate",
            "--garment",
            &garment,
            "--body",
            "none",
            "--place",
            "asis",
            "--seconds",
            "0.02",
            "--json",
            &report,
        ];
        let ran = cloth(line.iter().chain(more).copied());
        (json(Path::new(&report))["intersections"]["initial"].as_u64().unwrap(), ran)
    };
    let (torn, ran) = initial(&[]);
    assert!(torn > 0, "{ran:?}");
    let hint = format!(
        "{torn} of {torn} intersections are at coincident vertices, as in panels that are not joined; --weld \
         1e-"
    );
    assert!(ran.out.contains(&hint), "{ran:?}");
    let (joined, ran) = initial(&["--weld", "0"]);
    assert_eq!(joined, 0, "{ran:?}");
    assert!(ran.out.contains(&format!("welded {twice} vertices to others within 0 m")), "{ran:?}");
    assert!(!ran.out.contains("coincident vertices"), "{ran:?}");
    assert_eq!(cloth(["check", &garment, "--weld", "0"]).status, 0);
    // And in a scene file, where no key joins none.
    for (key, expected) in [("", torn), ("weld_distance = 0", 0)] {
        let scene = format!("[settings]\nduration = 0.02\n[[garment]]\nmesh = \"skirt.obj\"\n{key}\n");
        fs::write(dir.path().join("s.toml"), scene).unwrap();
        let ran = cloth(["simulate", &text(&dir.path().join("s.toml")), "--json", &report]);
        assert_eq!(json(Path::new(&report))["intersections"]["initial"], expected, "{ran:?}");
        assert_eq!(ran.out.contains("weld_distance = 1e-"), key.is_empty(), "{ran:?}");
    }
}

#[test]
fn a_vertex_of_no_face_counts_for_no_size_and_is_named() {
    let dir = tempfile::tempdir().unwrap();
    let shape = SkirtShape { waist_radius: 0.15, hem_radius: 0.3, length: 0.4, around: 24, along: 6 };
    let clean = skirt(shape).unwrap();
    let mut loose = clean.clone();
    loose.positions.push(Point3::new(9.0, 9.0, 9.0));
    let [clean, loose] =
        [("clean.obj", &clean), ("loose.obj", &loose)].map(|(name, m)| write(dir.path(), name, m));
    let after = |ran: &Ran, word: &str| -> String {
        let line = ran.out.lines().find(|line| line.contains(word)).unwrap_or_default();
        line.split_once(word).unwrap_or_default().1.to_owned()
    };
    for body in ["figure", "none", "sphere"] {
        let [a, b] = [&clean, &loose].map(|garment| start(garment, &["--body", body]).1);
        assert_eq!(after(&a, "triangles, "), after(&b, "triangles, "), "{b:?}");
        assert!(!b.out.contains("is large for cloth"), "{b:?}");
        assert!(b.out.contains("loose: 1 vertex of no face: 144; no size counts them"), "{b:?}");
        assert!(!a.out.contains("of no face"), "{a:?}");
    }
    let [a, b] = [&clean, &loose].map(|garment| cloth(["check", garment]));
    assert_eq!(after(&a, "bounds"), after(&b, "bounds"), "{b:?}");
}

#[test]
fn pins_are_named_and_one_far_from_the_garment_is_refused() {
    let dir = tempfile::tempdir().unwrap();
    let (garment, _) = patch(dir.path());
    let run = |pins: &[&str]| {
        let pins = pins.iter().flat_map(|pin| ["--pin", pin]);
        start(&garment, &["--body", "none", "--place", "asis"].into_iter().chain(pins).collect::<Vec<_>>()).1
    };
    let ran = run(&["3", "0,0.01,0"]);
    assert!(ran.status == 0 && ran.out.contains("patch: 2 vertices pinned: 0, 3"), "{ran:?}");
    assert!(!ran.out.contains("is that meant?"), "{ran:?}");
    let ran = run(&["0,0.02,0"]);
    assert!(ran.status == 0 && ran.out.contains("patch: the pin at (0, 0.02, 0) is 0.020 m from"), "{ran:?}");
    assert_refused(&run(&["0,0.5,0"]), &["is 0.500 m from the garment, which is 0.300 m long"]);
}

#[test]
fn pins_are_a_boundary_a_group_a_material_or_a_list() {
    let dir = tempfile::tempdir().unwrap();
    let shape = SkirtShape { waist_radius: 0.15, hem_radius: 0.3, length: 0.4, around: 24, along: 6 };
    let garment = write(dir.path(), "skirt.obj", &skirt(shape).unwrap());
    // The first row of faces, at the hem, is a group; the others have a material.
    let plain = fs::read_to_string(&garment).unwrap();
    let mut faces = 0;
    let with_names = plain.lines().map(|line| {
        faces += usize::from(line.starts_with("f "));
        let name = match (line.starts_with("f "), faces) {
            (true, 1) => "g hem\n",
            (true, 49) => "g\nusemtl denim\n",
            _ => "",
        };
        format!("{name}{line}\n")
    });
    let with_names: String = with_names.collect();
    fs::write(&garment, with_names).unwrap();
    fs::write(dir.path().join("pins.txt"), "# waist\n120 121\n143\n").unwrap();
    let list = format!("file:{}", text(&dir.path().join("pins.txt")));
    let said = |pin: &str| start(&garment, &["--body", "none", "--place", "asis", "--pin", pin]).1;
    for (pin, expected) in [
        ("loop:0,0.2,0.15", "skirt: 24 vertices pinned: 120, 121, 122"),
        ("loop:0,-0.2,0.3", "skirt: 24 vertices pinned: 0, 1, 2"),
        ("group:hem", "skirt: 48 vertices pinned: 0, 1, 2"),
        ("group:denim", "skirt: 120 vertices pinned: 24, 25, 26"),
        (&list, "skirt: 3 vertices pinned: 120, 121, 143"),
    ] {
        let ran = said(pin);
        assert!(ran.status == 0 && ran.out.contains(expected), "{pin}: {ran:?}");
    }
    assert_refused(&said("group:waist"), &["no group or material `waist`", "`hem`"]);
    let scene = "[settings]\nduration = 0.02\n[[garment]]\nmesh = \"skirt.obj\"\n\
                 pins = [{ loop = [0, 0.2, 0.15] }, { group = \"hem\" }, { file = \"pins.txt\" }]\n";
    fs::write(dir.path().join("s.toml"), scene).unwrap();
    let ran = cloth(["simulate", &text(&dir.path().join("s.toml"))]);
    assert!(ran.out.contains("skirt: 72 vertices pinned: 0, 1, 2"), "{ran:?}");
}

/// A strip that is folded at a right angle, and in two triangles beside the fold.
fn folded() -> TriMesh {
    let flat = sheet(7, 0.3);
    let flat = flat.clone().translated(-flat.bounds().min.coords);
    flat.mapped(|p| if p.x > 0.15 { Point3::new(0.15, p.x - 0.15, p.z) } else { p })
}

/// How far apart (m) the two borders along the fold are after a second without gravity, in air that slows
/// them.
fn opened(folder: &Path, keys: &str) -> f64 {
    let mesh = folded();
    write(folder, "folded.obj", &mesh);
    let scene = format!(
        "[settings]\nduration = 1\ngravity = [0, 0, 0]\n[wind]\nvelocity = [0, 0, 0]\nair_damping = 8\n\
         [output]\ncache = \"c.pc2\"\n[[garment]]\nmesh = \"folded.obj\"\n{keys}\n\
         material = {{ density = 0.1, stretch = 500, shear = 50, bend = 1e-3 }}\n"
    );
    let path = folder.join("s.toml");
    fs::write(&path, scene).unwrap();
    let ran = cloth(["simulate", &text(&path)]);
    assert_eq!(ran.status, 0, "{ran:?}");
    let mut last = Vec::new();
    let mut reader = Pc2Reader::open(&folder.join("c.pc2")).unwrap();
    let samples = reader.header().samples;
    reader.read_frame(samples - 1, &mut last).unwrap();
    let at = |p: [f64; 3]| mesh.positions.iter().position(|q| (q - Point3::from(p)).norm() < 1e-9).unwrap();
    f64::from((last[at([0.0; 3])] - last[at([0.15, 0.15, 0.0])]).norm())
}

#[test]
fn a_fold_stays_or_opens_as_its_bend_rest_says() {
    let dir = tempfile::tempdir().unwrap();
    let folded = opened(dir.path(), "");
    assert!((folded - 0.15 * 2f64.sqrt()).abs() < 1e-3, "{folded}");
    assert_eq!(opened(dir.path(), "bend_rest = \"start\""), folded);
    let flat = opened(dir.path(), "bend_rest = \"flat\"");
    assert!(flat > 0.29, "{flat}");
}

#[test]
fn the_flag_bend_rest_changes_only_folded_garments() {
    let dir = tempfile::tempdir().unwrap();
    let hash = |mesh: &TriMesh, bend_rest: &str| {
        let (garment, file) = (write(dir.path(), "m.obj", mesh), dir.path().join("r.json"));
        let (_, ran) = start(&garment, &["--bend-rest", bend_rest, "--json", &text(&file)]);
        assert_eq!(ran.status, 0, "{ran:?}");
        json(&file)["state_hash"].clone()
    };
    assert_ne!(hash(&folded(), "start"), hash(&folded(), "flat"));
    assert_eq!(hash(&sheet(5, 0.3), "start"), hash(&sheet(5, 0.3), "flat"));
}

#[test]
fn a_garment_stays_beside_its_body_unless_it_is_to_be_above() {
    let dir = tempfile::tempdir().unwrap();
    let body = write(dir.path(), "ball.obj", &icosphere(2, 0.2).unwrap());
    let beside = sheet(4, 0.3).translated(Vector3::new(0.5, 0.1, 0.0));
    let garment = write(dir.path(), "s.obj", &beside);
    for place in [&[][..], &["--place", "asis"]] {
        let (frame, ran) = start(&garment, &[&["--body", &body], place].concat());
        assert_eq!(frame.len(), 16, "{ran:?}");
        assert_near(&frame, beside.positions.iter().copied());
    }
    let (frame, ran) = start(&garment, &["--body", &body, "--place", "above"]);
    assert!(ran.out.contains("placed above the bodies"), "{}", ran.out);
    let lowest = frame.iter().map(|p| p.y).fold(f32::INFINITY, f32::min);
    // The ball's top, and 0.03 of the sheet's width.
    assert!((lowest - 0.209).abs() < 1e-3, "{lowest}");
}

/// A skirt for the figure's waist, far from the figure.
fn far_skirt(folder: &Path) -> String {
    let shape = SkirtShape { waist_radius: 0.15, hem_radius: 0.3, length: 0.4, around: 48, along: 12 };
    write(folder, "skirt.obj", &skirt(shape).unwrap().translated(Vector3::new(5.0, -2.0, 3.0)))
}

/// The line that doubts where a garment starts.
fn doubt(ran: &Ran) -> Option<&str> {
    ran.out.lines().find(|line| line.contains("starts beside the body"))
}

#[test]
fn a_garment_beside_the_figure_gets_the_flag_that_moves_it() {
    let dir = tempfile::tempdir().unwrap();
    let garment = far_skirt(dir.path());
    let (_, ran) = start(&garment, &["--body", "figure"]);
    let line = doubt(&ran).unwrap_or_else(|| panic!("{ran:?}"));
    assert!(line.starts_with("skirt: ") && line.contains("0.60 x 0.40 x 0.60 m, the body 1."), "{line}");
    let flag = line.split("--translate ").nth(1).and_then(|rest| rest.split(' ').next()).unwrap();
    let (frame, ran) = start(&garment, &["--body", "figure", "--translate", flag]);
    assert_eq!(doubt(&ran), None);
    let middle = frame.iter().fold(Vector3::zeros(), |sum, p| sum + p.coords) / frame.len() as f32;
    assert!(middle.x.abs() < 0.01 && middle.z.abs() < 0.1, "{middle}");
}

#[test]
fn a_scene_places_garments_as_they_are_or_above_the_bodies() {
    let dir = tempfile::tempdir().unwrap();
    far_skirt(dir.path());
    let top = |keys: &str| {
        let scene = format!(
            "[settings]\nduration = 0.01\ndt = 0.01\n[[garment]]\nmesh = \"skirt.obj\"\n{keys}\n\
             [[body]]\nkind = \"figure\"\nmotion = [{{ time = 0, translate = [1, 0, 0] }}]\n\
             [output]\ncache = \"c.pc2\"\n"
        );
        fs::write(dir.path().join("s.toml"), scene).unwrap();
        let ran = cloth(["simulate", &text(&dir.path().join("s.toml"))]);
        assert_eq!(ran.status, 0, "{ran:?}");
        let mut first = Vec::new();
        Pc2Reader::open(&dir.path().join("c.pc2")).unwrap().read_frame(0, &mut first).unwrap();
        let top = first.iter().copied().max_by(|a, b| a.y.total_cmp(&b.y)).unwrap();
        let middle = first.iter().map(|p| p.x).sum::<f32>() / first.len() as f32;
        (top.y, middle, ran)
    };
    let (asis, _, ran) = top("");
    assert!(doubt(&ran).is_some_and(|line| line.contains("; translate = [")), "{ran:?}");
    assert_eq!(asis, top("place = \"asis\"").0);
    let (above, middle, ran) = top("place = \"above\"");
    assert!(above > 1.75 + 0.4 && (middle - 1.0).abs() < 0.02, "{above} {middle}");
    assert!(ran.out.contains("skirt: placed above the bodies"), "{ran:?}");
    assert_eq!(doubt(&ran), None);
    let (higher, _, _) = top("place = \"above\"\ntranslate = [0, 0.1, 0]");
    assert!((higher - above - 0.1).abs() < 1e-5, "{higher} {above}");
}

#[test]
fn a_scene_has_to_say_what_can_be_done() {
    let dir = tempfile::tempdir().unwrap();
    far_skirt(dir.path());
    let refused = |keys: &str, words: &[&str]| {
        let path = dir.path().join("s.toml");
        fs::write(&path, format!("[[garment]]\nmesh = \"skirt.obj\"\n{keys}")).unwrap();
        assert_refused(&cloth(["simulate", &text(&path)]), words);
    };
    refused("place = \"below\"", &["s.toml:3", "`below`", "garment.place"]);
    refused("place = \"auto\"", &["s.toml:3", "`auto`", "garment.place", "asis", "above"]);
    refused("bend_rest = \"folded\"", &["s.toml:3", "`folded`", "garment.bend_rest"]);
    refused("unit = 0", &["s.toml:3", "garment.unit", "positive"]);
    refused("rest = \"uv\"\nbend_rest = \"start\"", &["s.toml", "garment.bend_rest", "pattern"]);
    refused("[[body]]\nkind = \"figure\"\narms = 120", &["s.toml:5", "body.arms", "from 0 to 90"]);
    for gone in ["height", "legs"] {
        let body = format!("[[body]]\nkind = \"figure\"\n{gone} = 1.7");
        refused(&body, &["s.toml:5", gone, "unknown key"]);
    }
}

#[test]
fn refuses_what_is_no_place_no_vector_and_no_turn() {
    let dir = tempfile::tempdir().unwrap();
    let (garment, _) = patch(dir.path());
    let refused = |more: &[&str], words: &[&str]| assert_refused(&start(&garment, more).1, words);
    refused(&["--translate", "1,2"], &["--translate", "three finite numbers", "0,1.5,0"]);
    refused(&["--translate", "1,nan,0"], &["--translate", "three finite numbers"]);
    refused(&["--translate", "0,1e300,0"], &["from the origin"]);
    refused(&["--rotate", "90"], &["--rotate", "x,90"]);
    refused(&["--rotate", "w,90"], &["--rotate", "x,90"]);
    refused(&["--scale", "-1"], &["--scale", "greater than zero"]);
    refused(&["--scale", "1e300"], &["patch.obj", "unit"]);
    refused(&["--place", "below"], &["--place", "below", "asis"]);
    refused(&["--place", "auto"], &["--place", "'auto'", "asis", "above"]);
    refused(&["--body", "figure", "--arms", "91"], &["--arms", "from 0 to 90 degrees"]);
    refused(&["--body", "none", "--arms", "9"], &["--arms", "--body figure"]);
    refused(&["--bend-rest", "uv"], &["--bend-rest", "flat"]);
    refused(&["--place-above"], &["--place-above", "--place"]);
}

#[test]
fn a_garment_of_odd_size_gets_a_hint() {
    let dir = tempfile::tempdir().unwrap();
    let hint = |width: f64, more: &[&str]| {
        let garment = write(dir.path(), "odd.obj", &sheet(4, width));
        let ran = start(&garment, more).1;
        let lines: Vec<String> =
            ran.out.lines().filter(|l| l.contains("unit right?")).map(str::to_owned).collect();
        assert!(lines.len() < 2, "{lines:?}");
        lines.into_iter().next()
    };
    let large = hint(12.0, &[]).unwrap();
    assert!(large.contains("odd: 12.0 m long is large") && large.contains("--unit 0.1"), "{large}");
    let small = hint(1.0, &["--unit", "0.001"]).unwrap();
    assert!(
        small.contains("1.00 mm long is small") && small.contains("in metres (--unit 1) it is 1.00 m"),
        "{small}"
    );
    assert_eq!(hint(1.0, &[]), None);
    let cm = hint(70.0, &[]).unwrap();
    assert!(cm.contains("right? in centimetres (--unit 0.01) it is 0.70 m"), "{cm}");
}

#[test]
fn check_reports_size_unit_and_seams() {
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("c.json");
    let one = sheet(4, 0.3);
    let mut panels = one.clone();
    let width = one.bounds().max.x - one.bounds().min.x;
    panels.append(&one.clone().translated(Vector3::x() * width));
    let ran = cloth(["check", &write(dir.path(), "panels.obj", &panels), "--json", &text(&file)]);
    assert!(ran.out.contains("bounds ") && ran.out.contains("0.600 x 0.000 x 0.300 m"), "{}", ran.out);
    assert!(ran.out.contains("at coincident vertices") && ran.out.contains("--weld 1e-6"), "{}", ran.out);
    assert!(!ran.out.contains("unit right?"), "{}", ran.out);
    let bounds = &json(&file)["meshes"][0]["bounds"];
    assert!((bounds["max"][0].as_f64().unwrap() - bounds["min"][0].as_f64().unwrap() - 0.6).abs() < 1e-6);
    let welded = cloth(["check", &text(&dir.path().join("panels.obj")), "--weld", "1e-6"]);
    assert!(welded.status == 0 && !welded.out.contains("coincident"), "{welded:?}");
    let large = cloth(["check", &write(dir.path(), "large.obj", &sheet(4, 120.0))]);
    assert!(
        large.out.contains("120 m long is large for cloth")
            && large.out.contains("in centimetres it is 1.20 m"),
        "{}",
        large.out
    );
}

/// A closed box (m) between two corners.
fn closed_box(min: [f64; 3], max: [f64; 3]) -> TriMesh {
    let corner =
        |i: usize| Point3::from(std::array::from_fn(|k| if i >> k & 1 == 0 { min[k] } else { max[k] }));
    let quads = [[0, 2, 3, 1], [4, 5, 7, 6], [0, 1, 5, 4], [2, 6, 7, 3], [0, 4, 6, 2], [1, 3, 7, 5]];
    let faces = quads.iter().flat_map(|&[a, b, c, d]| [[a, b, c], [a, c, d]]).collect();
    TriMesh::new((0..8).map(corner).collect(), faces)
}

/// What a person is in a box (m).
pub(crate) fn person() -> TriMesh {
    closed_box([-0.2, 0.0, -0.12], [0.2, 1.5, 0.12])
}

/// A garment around the middle of that person.
fn tube() -> TriMesh {
    let shape = SkirtShape { waist_radius: 0.27, hem_radius: 0.27, length: 0.6, around: 16, along: 7 };
    skirt(shape).unwrap().translated(Vector3::y() * 0.8)
}

/// The lines of a preview in which a garment or its body is doubted, with further arguments.
fn doubts(folder: &Path, garment: &TriMesh, body: &TriMesh, more: &[&str]) -> Vec<String> {
    let [garment, body] =
        [("garment.obj", garment), ("body.obj", body)].map(|(name, m)| write(folder, name, m));
    let preview = format!("--preview={}", text(&folder.join("p.png")));
    let line = ["simulate", "--garment", &garment, "--body", &body, &preview];
    let ran = cloth(line.iter().chain(more).copied());
    let words = ["right?", "beside the body", "inside a body", "lies along z"];
    let is_doubt = |line: &&str| words.iter().any(|word| line.contains(word));
    ran.out.lines().filter(is_doubt).map(str::to_owned).collect()
}

#[test]
fn cloth_beside_a_body_where_it_belongs_gets_no_hint() {
    let dir = tempfile::tempdir().unwrap();
    let hanging = |gap: f64| {
        let upright = sheet(6, 0.9).mapped(|p| Point3::new(p.x, p.z + 0.9, 0.0));
        upright.translated(Vector3::new(0.0, 0.0, -0.12 - gap))
    };
    // A cape behind the back, and farther away, where only its pins say so.
    assert_eq!(doubts(dir.path(), &hanging(0.04), &person(), &[]), [""; 0]);
    let far = hanging(0.4);
    assert_eq!(doubts(dir.path(), &far, &person(), &["--pin", "0", "--pin-to-body"]), [""; 0]);
    let said = doubts(dir.path(), &far, &person(), &[]);
    assert!(said.len() == 1 && said[0].contains("starts beside the body"), "{said:?}");
}

#[test]
fn an_option_that_moves_cloth_into_a_body_is_not_printed() {
    let dir = tempfile::tempdir().unwrap();
    // Nowhere around its middle is the body thin enough for this hoop.
    let shape = SkirtShape { waist_radius: 0.1, hem_radius: 0.1, length: 0.6, around: 16, along: 7 };
    let narrow = skirt(shape).unwrap().translated(Vector3::new(3.0, 0.8, 0.0));
    let said = doubts(dir.path(), &narrow, &person(), &[]);
    assert_eq!(said.len(), 1, "{said:?}");
    assert!(said[0].ends_with("; --place above lets it fall on the body"), "{said:?}");
    let there = narrow.translated(Vector3::new(-3.0, 0.0, 0.0));
    let said = doubts(dir.path(), &there, &person(), &[]);
    assert_eq!(said, ["garment: is wholly inside a body; --place above lets it fall on the body"]);
    let said = doubts(dir.path(), &there, &person(), &["--translate", "0,0,0.01"]);
    assert!(
        said[0].ends_with("; --place above --translate 0.000,0.000,0.000 lets it fall on the body"),
        "{said:?}"
    );
    let wide = tube().translated(Vector3::new(3.0, 0.0, 0.0));
    let said = doubts(dir.path(), &wide, &person(), &[]);
    assert!(said.len() == 1 && said[0].contains("; --translate -3.000,-0.050,0.000 puts it"), "{said:?}");
}

#[test]
fn the_unit_of_a_body_is_doubted_and_its_garment_named() {
    let dir = tempfile::tempdir().unwrap();
    let centimetres = person().scaled(100.0);
    let said = doubts(dir.path(), &tube(), &centimetres, &[]);
    assert_eq!(
        said,
        [
            "garment: is wholly inside a body",
            "the body is 150 m tall; is its unit right? --body-unit 0.01 makes it 1.50 m"
        ]
    );
    assert_eq!(doubts(dir.path(), &tube(), &centimetres, &["--body-unit", "0.01"]), [""; 0]);
    // A body has the unit of the garment, unless another is given.
    let said = doubts(dir.path(), &tube().scaled(100.0), &person(), &["--unit", "0.01"]);
    assert!(
        said.iter().any(|s| s.contains("is 15.00 mm tall; is its unit right? --body-unit 1 ")),
        "{said:?}"
    );
    // So what says the unit of the garment says that of the body too.
    let said = doubts(dir.path(), &tube().scaled(100.0), &person(), &[]);
    assert!(said[0].contains("in centimetres (--unit 0.01 --body-unit 1) it is 0.60 m"), "{said:?}");
    let said = doubts(dir.path(), &tube().scaled(100.0), &centimetres, &[]);
    assert!(said[0].contains("(--unit 0.01 --body-unit 0.01) it is 0.60 m"), "{said:?}");
}

#[test]
fn a_unit_that_leaves_the_garment_in_the_body_is_not_printed() {
    let dir = tempfile::tempdir().unwrap();
    // Whatever the unit of the body, it is around the garment.
    let hall = closed_box([-30.0; 3], [30.0; 3]);
    let small = sheet(4, 0.3);
    let said = doubts(dir.path(), &small, &hall, &[]);
    assert_eq!(said, ["garment: is wholly inside a body", "the body is 60.0 m tall; is its unit right?"]);
}

#[test]
fn a_body_with_z_up_gets_the_axis_where_the_boxes_overlap() {
    let dir = tempfile::tempdir().unwrap();
    let lying = |p: Point3<f64>| Point3::new(p.x, -p.z, p.y);
    // Around the origin both boxes overlap; on their feet they do not.
    for height in [-0.75, 0.0] {
        let up = Vector3::y() * height;
        let (garment, body) = (tube().translated(up), person().translated(up).mapped(lying));
        let said = doubts(dir.path(), &garment, &body, &[]);
        assert!(said.len() == 1 && said[0].ends_with("; --body-up z puts it on the body"), "{said:?}");
        assert_eq!(doubts(dir.path(), &garment, &body, &["--body-up", "z"]), [""; 0]);
    }
    // In centimetres as well.
    let body = person().mapped(lying).scaled(100.0);
    let said = doubts(dir.path(), &tube(), &body, &[]);
    assert!(
        said.iter().any(|s| s.contains("right? --body-unit 0.01 --body-up z makes it 1.50 m")),
        "{said:?}"
    );
    // A body that lies, with cloth over it that is a little too low, is meant so.
    let over = sheet(6, 0.8).translated(Vector3::new(0.0, 0.1, 0.6));
    assert_eq!(doubts(dir.path(), &over, &person().mapped(lying), &[]), [""; 0]);
}

#[test]
fn a_scene_names_the_keys_of_the_body_that_is_doubted() {
    let dir = tempfile::tempdir().unwrap();
    write(dir.path(), "tube.obj", &tube());
    write(dir.path(), "body.obj", &person().scaled(100.0));
    fs::write(
        dir.path().join("s.toml"),
        "[settings]\nduration = 0.01\n[[garment]]\nmesh = \"tube.obj\"\n\
         [[body]]\nname = \"dummy\"\nkind = \"mesh\"\npath = \"body.obj\"\n",
    )
    .unwrap();
    let preview = format!("--preview={}", text(&dir.path().join("p.png")));
    let ran = cloth(["simulate", &text(&dir.path().join("s.toml")), &preview]);
    let hint =
        "the body dummy is 150 m tall; is its unit right? scale = 0.01 of the body dummy makes it 1.50 m";
    assert!(ran.out.contains(hint), "{ran:?}");
}

#[test]
fn no_hint_says_that_welding_joins_what_it_does_not() {
    let dir = tempfile::tempdir().unwrap();
    let one = sheet(5, 0.3);
    let mut doubled = one.clone();
    doubled.append(&one);
    let doubled = write(dir.path(), "doubled.obj", &doubled);
    // Two garments that touch are not welded to each other.
    let width = one.bounds().max.x - one.bounds().min.x;
    let [left, right] = [("left.obj", 0.0), ("right.obj", width)]
        .map(|(name, x)| write(dir.path(), name, &one.clone().translated(Vector3::x() * x)));
    let preview = format!("--preview={}", text(&dir.path().join("p.png")));
    for line in [
        vec!["check", &doubled],
        vec!["simulate", "--garment", &doubled, "--body", "none", &preview],
        vec![
            "simulate",
            "--garment",
            &left,
            "--garment",
            &right,
            "--body",
            "none",
            "--place",
            "asis",
            &preview,
        ],
        vec!["untangle", &doubled, &text(&dir.path().join("out.obj"))],
    ] {
        let ran = cloth(line);
        assert!(!ran.out.contains("--weld") && !ran.err.contains("--weld"), "{ran:?}");
    }
}
