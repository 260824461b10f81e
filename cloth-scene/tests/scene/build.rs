//! From a scene file with its meshes to a simulation that moves.

use std::fs;
use std::path::Path;

use cloth_scene::{BuiltScene, ColliderDesc, Scene, ScenePart, SceneSource};
use cloth_solver::{Material, Settings};
use tempfile::TempDir;

/// A square of 9 vertices, 1 m up, and a tetrahedron below it.
const SQUARE: &str = "v 0 1 0\nv .1 1 0\nv .2 1 0\nv 0 1 .1\nv .1 1 .1\nv .2 1 .1\nv 0 1 .2\nv .1 1 .2\n\
    v .2 1 .2\n\
    g left\nf 1 4 2\nf 2 4 5\nf 4 7 5\nf 5 7 8\ng right\nf 2 5 3\nf 3 5 6\nf 5 8 6\nf 6 8 9\n";
const ROCK: &str = "v 0 0 0\nv .2 0 0\nv .1 0 .2\nv .1 .3 .1\nf 1 2 3\nf 1 4 2\nf 2 4 3\nf 3 4 1\n";

/// Builds a scene with these keys and the square, in a folder that has all its files.
fn build(text: &str) -> (TempDir, Result<BuiltScene, String>) {
    build_with(SQUARE, text)
}

/// The same with another mesh in the place of the square.
fn build_with(square: &str, text: &str) -> (TempDir, Result<BuiltScene, String>) {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("square.obj"), square).unwrap();
    fs::write(folder.path().join("rock.obj"), ROCK).unwrap();
    let path = folder.path().join("scene.toml");
    fs::write(&path, format!("[[garment]]\nmesh = \"square.obj\"\n{text}")).unwrap();
    let scene = Scene::read(&path).unwrap();
    let built = scene.build(&SceneSource::File(path)).map_err(|e| without_folder(&e.to_string(), &folder));
    (folder, built)
}

fn without_folder(text: &str, folder: &TempDir) -> String {
    text.replace(&format!("{}{}", folder.path().display(), std::path::MAIN_SEPARATOR), "")
}

#[test]
fn what_stands_in_the_file_is_built_in_its_order() {
    let (_folder, built) = build(
        "name = \"square\"\nfriction = 0.25\nlayer = 3\npins = [0, { nearest = [0.2, 1, 0] }]\n\
         regions = [{ name = \"left\" }]\n\
         [[body]]\nkind = \"plane\"\nfriction = 0.5\n\
         [[body]]\nname = \"ball\"\nkind = \"sphere\"\ncenter = [0.1, 1.2, 0.1]\nradius = 0.05\nmass = 0.1\n\
         [[body]]\nkind = \"mesh\"\npath = \"rock.obj\"\nfriction = 0.75\n\
         [[body]]\nkind = \"capsule\"\nstart = [2, 0, 0]\nend = [3, 0, 0]\nradius = 0.1\n\
         [[interaction]]\nbetween = [\"left\", \"left\"]\nkind = \"none\"\n\
         [[friction]]\nbetween = [\"square\", \"ball\"]\ncoefficient = 0.125\n",
    );
    let BuiltScene { desc, garments, bodies, .. } = built.unwrap();
    let cloth = &desc.cloths[0];
    assert_eq!((desc.cloths.len(), desc.mesh_bodies.len(), desc.colliders.len()), (1, 1, 3));
    assert_eq!((&cloth.mesh, &cloth.pins, cloth.layer), (&garments[0].mesh, &vec![0, 2], Some(3)));
    assert_eq!((cloth.regions[0].name.as_str(), desc.interactions.len()), ("left", 1));
    let is_rigid: Vec<bool> =
        desc.colliders.iter().map(|collider| matches!(collider, ColliderDesc::Rigid(_))).collect();
    assert_eq!(is_rigid, [false, true, false]);
    assert_eq!(bodies.name(1), Some("ball"));
    let cloth = ScenePart::Cloth(0);
    assert_eq!(desc.friction, [(cloth, 0.25), (ScenePart::Body(0), 0.75)]);
    assert_eq!(desc.pair_friction, [([cloth, ScenePart::Collider(1)], 0.125)]);
    assert_eq!(desc.colliders[0].collider().friction, 0.5);
}

#[test]
fn a_built_scene_moves_what_its_keyframes_and_pins_say() {
    let (_folder, built) = build(
        "pins = [{ vertex = 0, follow = \"rock\" }]\n\
         [settings]\ndt = 0.01\nduration = 0.1\ngravity = [0, 0, 0]\n\
         [[body]]\nname = \"rock\"\nkind = \"mesh\"\npath = \"rock.obj\"\n\
         motion = [{ time = 0 }, { time = 0.1, translate = [0, 0, 0.05] }]\n\
         [[body]]\nkind = \"sphere\"\ncenter = [9, 0, 0]\nradius = 0.1\n\
         motion = [{ time = 0 }, { time = 0.1, translate = [0, 0.02, 0] }]\n",
    );
    let mut scene = built.unwrap();
    assert_eq!(scene.frames, 10);
    let mut simulation = scene.desc.build(Settings { threads: 1, ..scene.desc.settings }).unwrap();
    for frame in 1..=scene.frames {
        let times = [(frame - 1) as f64 * scene.dt, frame as f64 * scene.dt];
        let waypoints = scene.move_through(&mut simulation, times).unwrap();
        simulation.step_through(scene.dt as f32, &waypoints, &mut |_| {}).unwrap();
    }
    let (pin, rock) = (simulation.positions()[0], simulation.positions()[9]);
    assert!((pin.z - 0.05).abs() < 1e-6 && (rock.z - 0.05).abs() < 1e-6, "{pin} {rock}");
    assert!((simulation.colliders()[0].pose_t1.translation.y - 0.02).abs() < 1e-6);
}

#[test]
fn what_the_files_do_not_have_is_refused_by_key() {
    let refused = |text: &str| build(text).1.err().unwrap();
    for (text, wanted) in [
        (
            "pins = [12]",
            "scene.toml:3:9: `garment.pins`: vertex 12 does not exist; the file has 9, counted from 0",
        ),
        ("rest = \"other.obj\"", "other.obj: cannot read"),
        (
            "regions = [{ name = \"hem\" }]",
            "scene.toml:3:12: `garment.regions`: `hem`: the mesh file has no group or material `hem`; it has \
             `left`, `right`",
        ),
        ("[settings]\nduration = 1e9", "scene.toml: `settings.duration`: 6e10 frames are too many"),
        ("thickness = 1e12", "scene.toml: `garment.thickness`: 1e12 m, as given, is not a thickness"),
        (
            "[[friction]]\nbetween = [\"a\", \"b\"]\ncoefficient = 1",
            "`friction.between`: there is no garment or body",
        ),
        ("[contacts]\nfile = \"c\"", "`contacts.file`: is for contacts that are computed once"),
    ] {
        assert!(refused(text).contains(wanted), "{text}: {}", refused(text));
    }
}

/// Two panels of two squares each, the lower one with a face of two corners first, and a double in between.
/// Faces are numbered from 0 in the order of the file, those without area included.
const PANELS: &str = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 1 1 0\nv 0 2 0\nv 1 2 0\n\
    g lower\nusemtl wool\nf 1 1 2\nf 1 2 3\nf 2 4 3\n\
    g upper\nf 2 4 3\nusemtl lace\nf 3 4 5\nusemtl upper\nf 4 6 5\n";

/// The fabrics of the faces of the panels that are left, by the first letters of their presets, and the
/// notes.
fn fabrics_of_panels(face_materials: &str) -> (String, Vec<String>) {
    let (_folder, built) = build_with(PANELS, &format!("face_materials = [{face_materials}]"));
    let built = built.unwrap();
    let cloth = &built.desc.cloths[0];
    assert_eq!(cloth.mesh.faces.len(), 4, "a face of two corners and a double are dropped");
    let map = cloth.material_map();
    let letter = |face| match *map.material(face) {
        Material::COTTON => 'c',
        Material::SILK => 's',
        Material::DENIM => 'd',
        _ => '?',
    };
    ((0..4).map(letter).collect(), built.notes)
}

#[test]
fn parts_of_a_garment_have_their_own_fabric() {
    let of = |text: &str| fabrics_of_panels(text).0;
    assert_eq!(of(""), "cccc");
    assert_eq!(of("{ group = \"lower\", material = \"denim\" }"), "ddcc");
    assert_eq!(of("{ group = \"lace\", material = \"silk\" }"), "ccsc", "a material of the file");
    assert_eq!(of("{ group = \"upper\", material = \"silk\" }"), "ccss", "a group goes before a material");
    assert_eq!(of("{ min = [0, 1, 0], max = [1, 2, 0], material = \"denim\" }"), "ccdd");
    assert_eq!(of("{ vertices = [0, 1, 2], material = \"denim\" }"), "dccc");
}

#[test]
fn the_last_fabric_of_a_face_counts_and_a_note_says_so() {
    let (fabrics, notes) = fabrics_of_panels(
        "{ group = \"wool\", material = \"denim\" }, { min = [0, 0, 0], max = [1, 1, 0], material = \
         \"cotton\" }, { vertices = [0, 1, 2, 3], material = { density = 1, stretch = 1, shear = 1, bend = 1 \
         } }, { group = \"lace\", material = \"silk\" }",
    );
    assert_eq!(fabrics, "??sc");
    let note = "square: 1 triangle of cotton (the rest), 0 triangles of denim (group `wool`), \
                0 triangles of cotton (in a box), 2 triangles of a material of its own (between 4 vertices), \
                1 triangle of silk (group `lace`)";
    assert!(notes.iter().any(|n| n == note), "{notes:?}");
    let none = fabrics_of_panels("").1;
    assert!(!none.iter().any(|n| n.contains("cotton")), "{none:?}");
}

#[test]
fn a_fabric_for_what_is_not_there_is_refused_at_its_line() {
    let refused = |square: &str, text: &str| build_with(square, text).1.err().unwrap();
    let entry = "[[garment.face_materials]]\ngroup = \"lower\"\nmaterial = \"silk\"\n\
                 [[garment.face_materials]]\n  group = \"cuff\"\nmaterial = \"silk\"\n";
    assert_eq!(
        refused(PANELS, entry),
        "scene.toml:7:11: `garment.face_materials`: the mesh file has no group or material `cuff`; it has \
         `lace`, `lower`, `upper`, `wool`"
    );
    let entry = |place: &str| format!("face_materials = [{{ {place}, material = \"silk\" }}]");
    assert_eq!(
        refused(PANELS, &entry("vertices = [99]")),
        "scene.toml:3:19: `garment.face_materials`: vertex 99 does not exist; the file has 6, counted from 0"
    );
    let gone = "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\ng gone\nf 1 1 2\n";
    let error = refused(gone, &entry("group = \"gone\""));
    assert!(error.contains("nothing of group `gone` is left after the repair"), "{error}");
    let error = refused(gone, &entry("min = [5, 5, 5], max = [6, 6, 6]"));
    assert!(error.contains("no face starts in the box"), "{error}");
}

#[test]
fn numbers_that_vanish_in_32_bits_are_refused_with_their_line() {
    let error = |key: &str| {
        let sphere =
            "[[garment]]\nmesh = \"a\"\n[[body]]\nkind = \"sphere\"\ncenter = [0, 0, 0]\nradius = 1\n";
        Scene::parse(Path::new("s.toml"), &format!("{sphere}{key}\n")).unwrap_err().to_string()
    };
    for (key, wanted) in [
        ("mass = 1e-60", "s.toml:7:8: `body.mass` must be zero or at least 1e-45"),
        ("mass = 1e60", "s.toml:7:8: `body.mass` must be at most 3.4028235e38"),
        ("friction = 1e39", "s.toml:7:12: `body.friction` must be at most"),
        ("motion = [{ time = 0, translate = [0, 1e50, 0] }]", "must be at most"),
    ] {
        assert!(error(key).contains(wanted), "{key}: {}", error(key));
    }
}
