//! Writes a GLB of a character in a clip and a mesh that sways beside it, and what another program has to
//! find in it: for `tools/oracle`.
//!
//! `cargo run --release -p cloth-io --example sway_glb -- CHARACTER CLIP MESH.obj FRAMES OUT [SCALE]` writes
//! `OUT.glb`, `OUT.garment.pc2` and `OUT.skin.pc2` with the world positions of each frame at 60 Hz (m).
//! `CHARACTER` may be `-`, and `CLIP` for the rest pose. With the variable `REBUILD` the file of the
//! character is not extended. `SCALE` is metres per unit of the character's file.

use std::{env, error::Error, path::Path};

use cloth_character::{Pose, Transform};
use cloth_io::{
    GlbCharacter, GlbGarment, GlbOptions, GlbScene, Pc2Writer, read_character, read_mesh, write_glb,
};
use nalgebra::{Point3, Vector3};

const DT: f64 = 1.0 / 60.0;

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = env::args().skip(1).collect();
    let [file, clip, mesh, frames, out, more @ ..] = arguments.as_slice() else {
        return Err("usage: sway_glb CHARACTER CLIP MESH.obj FRAMES OUT [SCALE]".into());
    };
    let frames: usize = frames.parse()?;
    let scale: f64 = more.first().map_or(Ok(1.0), |word| word.parse())?;
    let mesh = read_mesh(Path::new(mesh))?.mesh;
    let positions: Vec<_> = (0..frames).map(|k| sway(&mesh.positions, k as f64 * DT)).collect();
    write_frames(&format!("{out}.garment.pc2"), &positions)?;

    let loaded = (file != "-").then(|| read_character(Path::new(file))).transpose()?;
    let placement = Transform { scale: Vector3::repeat(scale), ..Transform::IDENTITY };
    let mut poses = vec![Pose::default(); frames];
    if let Some(loaded) = &loaded {
        let character = &loaded.character;
        poses.fill(character.skeleton.rest_pose());
        if clip != "-" {
            let clip = &character.clips[character.find_clip(clip)?];
            for (k, pose) in poses.iter_mut().enumerate() {
                clip.sample(&character.skeleton, (k as f64 * DT) % clip.duration(), pose);
            }
        }
        let skinned: Result<Vec<_>, _> = poses.iter().map(|pose| skin(character, pose, scale)).collect();
        let skinned = skinned?;
        if skinned.iter().any(|frame| !frame.is_empty()) {
            write_frames(&format!("{out}.skin.pc2"), &skinned)?;
        }
    }
    let character = loaded.as_ref().map(|loaded| GlbCharacter {
        character: &loaded.character,
        source: env::var_os("REBUILD").is_none().then_some(Path::new(file)),
        placement,
        poses: &poses,
    });
    let color = [0.05, 0.2, 0.6, 1.0];
    let garment =
        GlbGarment { name: "garment", faces: &mesh.faces, uvs: &[], color, frames: &positions, cuts: &[] };
    for normals in [false, true] {
        let options = GlbOptions { normals, ..GlbOptions::default() };
        let scene = GlbScene { dt: DT, character: character.clone(), garments: vec![garment] };
        let report = write_glb(Path::new(&format!("{out}.glb")), &scene, &options)?;
        println!("normals {normals}: {} bytes, a key every {} frames", report.bytes, report.every);
        report.notes.iter().for_each(|note| println!("note: {note}"));
    }
    Ok(())
}

/// Positions that swing and bend, so that no two frames are alike.
fn sway(positions: &[Point3<f64>], time: f64) -> Vec<Point3<f32>> {
    let at = |p: &Point3<f64>| {
        let phase = 4.0 * time + 3.0 * p.y;
        (p + Vector3::new(0.2 * libm::sin(phase), 0.05 * libm::cos(2.0 * phase), 0.1 * time)).cast()
    };
    positions.iter().map(at).collect()
}

/// World positions of all meshes in a pose, m.
fn skin(
    character: &cloth_character::Character,
    pose: &Pose,
    scale: f64,
) -> Result<Vec<Point3<f32>>, Box<dyn Error>> {
    let (mut world, mut matrices, mut all) = (Vec::new(), Vec::new(), Vec::new());
    character.skeleton.compute_world(pose, &mut world);
    for mesh in &character.meshes {
        let mut positions = vec![Point3::origin(); mesh.skin.len()];
        mesh.skin.compute_matrices(&world, &mut matrices);
        mesh.skin.deform_positions(&matrices, &mut positions)?;
        all.extend(positions.iter().map(|p| p * scale as f32));
    }
    Ok(all)
}

fn write_frames(path: &str, frames: &[Vec<Point3<f32>>]) -> Result<(), Box<dyn Error>> {
    let points = frames.first().map_or(0, Vec::len);
    let mut writer = Pc2Writer::create(Path::new(path), points, 0.0, 1.0)?;
    frames.iter().try_for_each(|frame| writer.push(frame))?;
    Ok(writer.finish()?)
}
