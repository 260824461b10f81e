//! glTF and BVH files that break loaders: each loads or is rejected in one line, and no change of bytes makes
//! the reader panic.

use std::{
    fs,
    path::{Path, PathBuf},
};

use cloth_character::Pose;
use cloth_io::{
    GlbGarment, GlbOptions, GlbScene, LoadedCharacter,
    character::{BvhOptions, parse_bvh, parse_gltf, parse_shapes},
    read_character, write_glb,
};
use nalgebra::Point3;
use proptest::test_runner::{RngAlgorithm, TestRng};

use cloth_testing::corpus;

fn files(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut entries: Vec<_> = fs::read_dir(folder).unwrap().map(|e| e.unwrap().path()).collect();
    entries.sort();
    for path in entries {
        if path.is_dir() {
            found.extend(files(&path));
        } else if path.extension().is_some_and(|e| e == "glb" || e == "gltf") {
            found.push(path);
        }
    }
    found
}

/// Poses what was loaded: what a reader accepts must not panic later either.
fn exercise(loaded: &LoadedCharacter) {
    let character = &loaded.character;
    let (mut pose, mut world, mut matrices) = (Pose::default(), Vec::new(), Vec::new());
    character
        .clips
        .iter()
        .for_each(|clip| clip.sample(&character.skeleton, 0.3 * clip.duration(), &mut pose));
    for pose in [&pose, &character.bind_pose()] {
        character.skeleton.compute_world(pose, &mut world);
        for mesh in &character.meshes {
            let mut positions = vec![Point3::origin(); mesh.skin.len()];
            mesh.skin.compute_matrices(&world, &mut matrices);
            mesh.skin.deform_positions(&matrices, &mut positions).unwrap();
            assert!(mesh.faces.iter().flatten().all(|&v| (v as usize) < positions.len()));
        }
    }
    assert!(loaded.notes.iter().all(|note| !note.contains('\n')), "{:?}", loaded.notes);
}

#[test]
fn corner_cases_load_or_are_rejected_in_one_line() {
    let (mut loaded, mut rejected) = (0, 0);
    for folder in ["stress/assimp-gltf", "stress/gltf-validator"] {
        let Some(folder) = corpus(folder) else { return };
        for path in files(&folder) {
            let short = path.strip_prefix(&folder).unwrap().display();
            match read_character(&path) {
                Ok(character) => {
                    println!("{short}: {} meshes {:?}", character.character.meshes.len(), character.notes);
                    exercise(&character);
                    loaded += 1;
                }
                Err(error) => {
                    let line = error.to_string();
                    println!("{short}: {}", error.problem);
                    assert!(!line.contains('\n') && line.len() < 700, "{line}");
                    rejected += 1;
                }
            }
        }
    }
    println!("{loaded} loaded, {rejected} rejected");
    assert!(loaded > 10 && rejected > 50, "{loaded} loaded, {rejected} rejected");
}

/// Flips bits, overwrites words and cuts the file, `rounds` times with a new start each.
fn fuzz(bytes: &[u8], rounds: usize, mut read: impl FnMut(&[u8])) {
    use proptest::prelude::Rng as _;
    let mut rng = TestRng::from_seed(RngAlgorithm::ChaCha, &[7; 32]);
    for round in 0..rounds {
        let mut changed = bytes.to_vec();
        // Half of the changes are in the first kilobytes, where the structure is.
        let reach = if round % 2 == 0 { bytes.len() } else { bytes.len().min(8192) };
        for _ in 0..1 + rng.next_u32() % 4 {
            let at = rng.next_u64() as usize % reach;
            // A digit for a digit leaves the text a document and changes a count, an index or an offset.
            let digit = changed[at].is_ascii_digit() && round % 4 != 0;
            match if digit { 9 } else { rng.next_u32() % 4 } {
                9 => changed[at] = b'0' + (rng.next_u32() % 10) as u8,
                0 => changed[at] ^= 1 << (rng.next_u32() % 8),
                1 => changed[at] = rng.next_u32() as u8,
                2 => changed[at] = b"0123456789{}[],:\"-e."[rng.next_u32() as usize % 20],
                _ => changed[at] = if rng.next_u32().is_multiple_of(2) { 0 } else { 0xFF },
            }
        }
        if round % 16 == 0 {
            changed.truncate(rng.next_u64() as usize % (bytes.len() + 1));
        }
        read(&changed);
    }
}

#[test]
fn damaged_gltf_files_do_not_panic() {
    let small = ["SimpleSkin.gltf", "rigged_simple.gltf", "Fox.glb"];
    for (name, rounds) in small.into_iter().zip([4000, 1000, 300]) {
        let Some(path) = corpus(&format!("characters/khronos/{name}")) else { return };
        let bytes = fs::read(&path).unwrap();
        let (mut loaded, mut rejected) = (0, 0);
        fuzz(&bytes, rounds, |changed| match parse_gltf(&path, changed) {
            Ok(character) => {
                exercise(&character);
                loaded += 1;
            }
            Err(error) => {
                assert!(!error.to_string().contains('\n'));
                rejected += 1;
            }
        });
        println!("{name}: {loaded} loaded, {rejected} rejected");
        assert!(loaded > 0 && rejected > 0, "{name}");
    }
}

#[test]
fn damaged_files_with_shape_keys_do_not_panic() {
    let corners = [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [1.0, 1.0, 0.5]].map(Point3::from);
    let frames: Vec<Vec<Point3<f32>>> =
        (0..4).map(|k| corners.map(|p| Point3::new(p.x, p.y, p.z + 0.1 * k as f32)).to_vec()).collect();
    let faces = [[0, 1, 2], [1, 3, 2]];
    let garment =
        GlbGarment { name: "quad", faces: &faces, uvs: &[], color: [1.0; 4], frames: &frames, cuts: &[] };
    let scene = GlbScene { dt: 0.1, garments: vec![garment], ..GlbScene::default() };
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("quad.glb");
    write_glb(&path, &scene, &GlbOptions::default()).unwrap();
    let (mut loaded, mut rejected) = (0, 0);
    fuzz(&fs::read(&path).unwrap(), 4000, |changed| match parse_shapes(&path, changed) {
        Ok(None) => {}
        Ok(Some(shapes)) => {
            let vertices = shapes.mesh.positions.len();
            assert!((0..shapes.state_count()).all(|state| shapes.positions(state).len() == vertices));
            assert!(shapes.mesh.faces.iter().flatten().all(|&v| (v as usize) < vertices));
            loaded += 1;
        }
        Err(error) => {
            assert!(!error.to_string().contains('\n'));
            rejected += 1;
        }
    });
    assert!(loaded > 100 && rejected > 100, "{loaded} loaded, {rejected} rejected");
}

#[test]
fn damaged_bvh_files_do_not_panic() {
    let Some(path) = corpus("characters/makehuman/walk1.bvh") else { return };
    let bytes = fs::read(&path).unwrap();
    let (mut loaded, mut rejected) = (0, 0);
    fuzz(&bytes, 300, |changed| match parse_bvh(&path, changed, &BvhOptions::default()) {
        Ok(character) => {
            exercise(&character);
            loaded += 1;
        }
        Err(_) => rejected += 1,
    });
    println!("{loaded} loaded, {rejected} rejected");
    assert!(loaded > 0 && rejected > 0);
}
