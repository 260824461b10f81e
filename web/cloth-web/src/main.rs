//! What the tests of the page compare with, computed on this machine.
//!
//! `cloth-web hashes SIZE SCENE ...` prints a line for each scene: its name, and the state hash of every frame from the
//! start on. `cloth-web report FOLDER SCENARIO ...` writes the report of small scenarios, with all that can be played.

use std::path::Path;
use std::process::ExitCode;

use cloth_verify::report::write_report;
use cloth_verify::{PlayerChoice, Size, VerifyOptions, verify};
use cloth_web::{Choice, Playback, find};

type Outcome = Result<(), Box<dyn std::error::Error>>;

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let done = match &arguments[..] {
        [command, size, scenes @ ..] if command == "hashes" => {
            scenes.iter().try_for_each(|name| hashes(name, size))
        }
        [command, folder, scenarios @ ..] if command == "report" => report(Path::new(folder), scenarios),
        _ => Err("hashes SIZE SCENE ..., or report FOLDER SCENARIO ...".into()),
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("{error}");
            ExitCode::from(2)
        }
    }
}

/// Of all frames of a scene, at most ten seconds of it.
fn hashes(name: &str, size: &str) -> Outcome {
    let mut playback = Playback::new(find(name)?, &Choice { size: size.into(), ..Choice::default() })?;
    let frames = playback.setup().frames.min(600);
    let hash = |playback: &Playback| format!("{:016x}", playback.simulation().state_hash());
    let mut hashes = vec![hash(&playback)];
    for _ in 0..frames {
        playback.step()?;
        hashes.push(hash(&playback));
    }
    println!("{name} {}", hashes.join(" "));
    Ok(())
}

fn report(folder: &Path, scenarios: &[String]) -> Outcome {
    let options = VerifyOptions {
        scenarios: scenarios.to_vec(),
        size: Size::Small,
        player: PlayerChoice::All,
        ..VerifyOptions::default()
    };
    let outcome = verify(&options, &mut |_| {})?;
    write_report(folder, &outcome.report, &outcome.pictures, &outcome.recordings)?;
    Ok(())
}
