//! From a scene file with its meshes to a simulation that moves.

use std::fs;
use std::path::Path;

use cloth_scene::{BuiltScene, ColliderDesc, Scene, SceneSource};
use cloth_solver::{ColliderId, FrictionPart, MeshBodyId, Settings};
use tempfile::TempDir;

/// A square of 9 vertices, 1 m up, and a tetrahedron below it.
const SQUARE: &str = "v 0 1 0\nv .1 1 0\nv .2 1 0\nv 0 1 .1\nv .1 1 .1\nv .2 1 .1\nv 0 1 .2\nv .1 1 .2\nv .2 1 .2\n\
    g left\nf 1 4 2\nf 2 4 5\nf 4 7 5\nf 5 7 8\ng right\nf 2 5 3\nf 3 5 6\nf 5 8 6\nf 6 8 9\n";
const ROCK: &str = "v 0 0 0\nv .2 0 0\nv .1 0 .2\nv .1 .3 .1\nf 1 2 3\nf 1 4 2\nf 2 4 3\nf 3 4 1\n";

/// Builds a scene with these keys besides the square, in a folder that has all its files.
fn build(text: &str) -> (TempDir, Result<BuiltScene, String>) {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("square.obj"), SQUARE).unwrap();
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
    assert_eq!(bodies.name(ColliderId(1)), Some("ball"));
    let cloth = FrictionPart::Cloth(cloth_solver::ClothId(0));
    assert_eq!(desc.friction, [(cloth, 0.25), (FrictionPart::Body(MeshBodyId(0)), 0.75)]);
    assert_eq!(desc.pair_friction, [([cloth, FrictionPart::Collider(ColliderId(1))], 0.125)]);
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
            "scene.toml: `garment.pins`: vertex 12 does not exist; the file has 9, counted from 0",
        ),
        ("rest = \"other.obj\"", "other.obj: cannot read"),
        (
            "regions = [{ name = \"hem\" }]",
            "`garment.regions`: `hem`: the mesh file has no group or material `hem`; it has `left`, `right`",
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
