//! Prints the skinned vertices of a character at times of a clip, a line `x y z` each, meshes in their order:
//! for comparison with other programs.
//!
//! `cargo run --release -p cloth-io --example skin_at -- FILE CLIP TIME...`; each time begins with a line
//! `time T`. Without a clip the program lists the clips.

use std::{env, error::Error, io::Write, path::Path};

use cloth_character::Pose;
use cloth_io::read_character;
use nalgebra::Point3;

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = env::args().skip(1).collect();
    let file = arguments.first().ok_or("usage: skin_at FILE CLIP TIME...")?;
    let loaded = read_character(Path::new(file))?;
    loaded.notes.iter().for_each(|note| eprintln!("note: {note}"));
    let character = &loaded.character;
    let mut out = std::io::BufWriter::new(std::io::stdout().lock());
    let Some(name) = arguments.get(1) else {
        for clip in &character.clips {
            writeln!(out, "{} {} s", clip.name(), clip.duration())?;
        }
        return Ok(());
    };
    let clip = &character.clips[character.find_clip(name)?];
    let (mut pose, mut world, mut matrices) = (Pose::default(), Vec::new(), Vec::new());
    for time in &arguments[2..] {
        clip.sample(&character.skeleton, time.parse()?, &mut pose);
        character.skeleton.compute_world(&pose, &mut world);
        writeln!(out, "time {time}")?;
        for mesh in &character.meshes {
            let mut positions = vec![Point3::origin(); mesh.skin.len()];
            mesh.skin.compute_matrices(&world, &mut matrices);
            mesh.skin.deform_positions(&matrices, &mut positions)?;
            for p in positions {
                writeln!(out, "{} {} {}", p.x, p.y, p.z)?;
            }
        }
    }
    out.flush()?;
    Ok(())
}
