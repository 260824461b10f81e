//! Characters that other programs wrote: each is extended or rebuilt, and what is read back is what was
//! shown.

use std::fs;
use std::path::{Path, PathBuf};

use cloth_character::Transform;
use cloth_io::{GlbCharacter, GlbOptions, GlbScene, read_character};
use nalgebra::Vector3;

use super::{DT, garment, quad_frames, round_trip_error, turning_poses, validate, write};
use cloth_testing::corpus;

/// All files below a folder with one of these extensions, in order.
fn files(folder: &Path, found: &mut Vec<PathBuf>) {
    let mut entries: Vec<_> = fs::read_dir(folder).unwrap().map(|e| e.unwrap().path()).collect();
    entries.sort();
    for path in entries {
        let extension = path.extension().and_then(|e| e.to_str()).unwrap_or_default();
        if path.is_dir() {
            files(&path, found);
        } else if ["glb", "gltf", "bvh"].contains(&extension) {
            found.push(path);
        }
    }
}

#[test]
fn characters_of_other_programs_are_extended_and_rebuilt() {
    let Some(folder) = corpus("characters") else { return };
    let mut found = Vec::new();
    files(&folder, &mut found);
    for source in found {
        let character = read_character(&source).unwrap().character;
        let frames = quad_frames(4);
        let poses = turning_poses(&character, 4);
        let placement = Transform { scale: Vector3::repeat(0.01), ..Transform::IDENTITY };
        for source in [Some(source.as_path()), None] {
            let shown = GlbCharacter { character: &character, source, placement, poses: &poses };
            let scene = GlbScene { dt: DT, character: Some(shown), garments: vec![garment(&frames)] };
            let (_folder, path, report) = write(&scene, &GlbOptions::default());
            validate(&path);
            let error = round_trip_error(&character, &placement, &poses, &path);
            println!("{source:?}: {} bytes, {:?}, {error:.1e} of the size", report.bytes, report.notes);
            assert!(error < 3e-6, "{source:?}: {error}");
            assert!(report.notes.iter().all(|note| !note.contains("rebuilt")), "{:?}", report.notes);
        }
    }
}

#[test]
fn no_file_that_can_be_read_makes_a_glb_that_cannot() {
    let Some(folder) = corpus("stress") else { return };
    let mut found = Vec::new();
    files(&folder, &mut found);
    let (mut written, mut rebuilt) = (0, 0);
    for source in found {
        let Ok(loaded) = read_character(&source) else { continue };
        let character = loaded.character;
        let poses = vec![character.skeleton.rest_pose(); 2];
        let frames = quad_frames(2);
        let placement = Transform { scale: Vector3::repeat(2.0), ..Transform::IDENTITY };
        let shown = GlbCharacter { character: &character, source: Some(&source), placement, poses: &poses };
        let scene = GlbScene { dt: DT, character: Some(shown), garments: vec![garment(&frames)] };
        let (_folder, path, report) = write(&scene, &GlbOptions::default());
        let back = read_character(&path).unwrap_or_else(|e| panic!("{}: {e}", source.display())).character;
        assert!(back.meshes.len() > character.meshes.iter().filter(|m| !m.faces.is_empty()).count());
        written += 1;
        let note = report.notes.iter().find(|note| note.contains("is not extended"));
        note.iter().for_each(|note| println!("{}: {note}", source.display()));
        rebuilt += usize::from(note.is_some());
    }
    // The others are not valid, or require an extension that is not supported.
    assert_eq!((written, rebuilt), (41, 1));
}
