//! Prints the state hash of every frame on this machine, for scenes that are named: `cloth-web SIZE SCENE ...`.
//!
//! One line a scene: its name, and the hashes from the start on. `test/hashes.mjs` compares them with those of the
//! module.

use std::process::ExitCode;

use cloth_web::{Choice, Playback, find};

fn main() -> ExitCode {
    let mut arguments = std::env::args().skip(1);
    let size = arguments.next().unwrap_or_else(|| "small".into());
    for name in arguments {
        match hashes(&name, &size) {
            Ok(hashes) => println!("{name} {}", hashes.join(" ")),
            Err(error) => {
                eprintln!("{name}: {error}");
                return ExitCode::from(2);
            }
        }
    }
    ExitCode::SUCCESS
}

/// Of all frames of a scene, at most ten seconds of it.
fn hashes(name: &str, size: &str) -> Result<Vec<String>, Box<dyn std::error::Error>> {
    let mut playback = Playback::new(find(name)?, &Choice { size: size.into(), ..Choice::default() })?;
    let frames = playback.setup().frames.min(600);
    let hash = |playback: &Playback| format!("{:016x}", playback.simulation().state_hash());
    let mut hashes = vec![hash(&playback)];
    for _ in 0..frames {
        playback.step()?;
        hashes.push(hash(&playback));
    }
    Ok(hashes)
}
