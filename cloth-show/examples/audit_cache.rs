//! Audits a point cache: which frames intersect, and between which frames cloth passes through itself
//! although both are clean. Exits with 1 if there are any.
//!
//! `cargo run --release -p cloth-show --example audit_cache MESH CACHE.pc2`; without arguments it writes a
//! small cache with one such pass-through, and finds it.

use std::error::Error;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use cloth_certify::{CollisionMesh, Search};
use cloth_io::{Pc2Reader, Pc2Writer, read_mesh};
use nalgebra::Point3;

/// Prints every intersection and pass-through; returns how many frames and motions have some.
fn audit(mesh: &Path, cache: &Path) -> Result<usize, Box<dyn Error>> {
    let (faces, mut reader) = (read_mesh(mesh)?.mesh.faces, Pc2Reader::open(cache)?);
    let header = reader.header();
    let mesh = CollisionMesh::new(header.points, &faces).build()?;
    let (mut points, mut last, mut found): (Vec<Point3<f32>>, Option<Vec<[f32; 3]>>, _) =
        (Vec::new(), None, 0);
    for frame in 0..header.samples {
        reader.read_frame(frame, &mut points)?;
        let x: Vec<[f32; 3]> = points.iter().map(|p| p.coords.into()).collect();
        let state = mesh.check_state(&x)?;
        if !state.is_clean() {
            println!("frame {frame}: {state}");
        }
        let motion =
            last.map(|last| mesh.check_motion(&last, &x, Search::All)).transpose()?.unwrap_or_default();
        if let Some(first) = motion.witnesses().first() {
            let (count, time) = (motion.witnesses().len(), first.time.time);
            println!(
                "frames {} to {frame}: {count} collisions, first of {:?} at {time:.6}",
                frame - 1,
                first.pair
            );
        }
        found += usize::from(!state.is_clean()) + usize::from(!motion.is_clean());
        last = Some(x);
    }
    println!(
        "{} frames of {} faces: {found} with intersections or pass-throughs",
        header.samples,
        faces.len()
    );
    Ok(found)
}

/// Two quads, the upper one of which is below the other one in the last of three frames.
fn write_sample(folder: &Path) -> Result<[PathBuf; 2], Box<dyn Error>> {
    let [mesh, cache] = ["quads.obj", "quads.pc2"].map(|name| folder.join(name));
    let corners = [[0.0, 0.0], [1.0, 0.0], [1.0, 1.0], [0.0, 1.0]];
    let state = |height: f32| -> Vec<Point3<f32>> {
        let lower = corners.iter().map(|&[x, z]| Point3::new(x, 0.0, z));
        lower.chain(corners.iter().map(|&[x, z]| Point3::new(x + 0.1, height, z + 0.2))).collect()
    };
    let vertices: String = state(0.5).iter().map(|p| format!("v {} {} {}\n", p.x, p.y, p.z)).collect();
    std::fs::write(&mesh, vertices + "f 1 2 3 4\nf 5 6 7 8\n")?;
    let mut writer = Pc2Writer::create(&cache, 8, 0.0, 1.0)?;
    for height in [0.5, 0.25, -0.25] {
        writer.push(&state(height))?;
    }
    writer.finish()?;
    Ok([mesh, cache])
}

fn main() -> Result<ExitCode, Box<dyn Error>> {
    let arguments: Vec<PathBuf> = std::env::args_os().skip(1).map(PathBuf::from).collect();
    let found = match &arguments[..] {
        [mesh, cache] => audit(mesh, cache)?,
        [] => {
            let folder = tempfile::tempdir()?;
            let [mesh, cache] = write_sample(folder.path())?;
            let found = audit(&mesh, &cache)?;
            // All frames are clean; the last motion is not.
            return Ok(if found == 1 { ExitCode::SUCCESS } else { ExitCode::FAILURE });
        }
        _ => return Err("usage: audit_cache MESH CACHE.pc2".into()),
    };
    Ok(if found == 0 { ExitCode::SUCCESS } else { ExitCode::from(1) })
}
