//! How many frames each tangled start takes until nothing cuts anything, alone.
//!
//! `cargo run --release -p cloth-verify --example tangled_report [-- NAME]`

use cloth_contacts::intersect::Checker;
use cloth_solver::{Simulation, SimulationBuilder};
use cloth_verify::Size;
use cloth_verify::scenarios::tangled;
use nalgebra::Vector3;

const FRAMES: usize = 180;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let wanted = std::env::args().nth(1);
    let verbose = wanted.is_some();
    println!("start      recovery  gate   at the start  clean from frame  worst  at the end");
    for start in tangled::starts(tangled::vertices_along(Size::Medium))? {
        if wanted.as_ref().is_some_and(|w| w != start.name) {
            continue;
        }
        for (recovery, gate) in [(true, false), (true, true), (false, false)] {
            let mut builder =
                SimulationBuilder::new(cloth_solver::Settings { recovery, gate, ..tangled::settings() });
            for (cloth, _) in tangled::cloths(&start, Vector3::zeros())? {
                builder.add_cloth(cloth);
            }
            let mut sim = builder.build()?;
            let mut checker = Checker::default();
            let mut counts = vec![count(&mut checker, &sim)];
            for frame in 0..FRAMES {
                sim.step(1.0 / 60.0)?;
                counts.push(count(&mut checker, &sim));
                if verbose && recovery && (frame < 8 || frame % 5 == 0) {
                    let speed = sim.velocities().iter().map(Vector3::norm).fold(0.0, f32::max);
                    println!(
                        "{frame:4} {:4} {:?} fastest {speed} {:?}",
                        counts[frame + 1],
                        sim.report().recovery,
                        sim.report().gate
                    );
                }
            }
            let last_bad = counts.iter().rposition(|&n| n > 0);
            let clean = last_bad.map_or(0, |n| n + 1);
            let (first, worst, last) = (counts[0], counts.iter().max().copied().unwrap_or(0), counts[FRAMES]);
            let clean = if clean > FRAMES { "never".into() } else { clean.to_string() };
            println!("{:10} {recovery:8} {gate:5} {first:13} {clean:>17} {worst:6} {last:11}", start.name);
        }
    }
    Ok(())
}

fn count(checker: &mut Checker, sim: &Simulation) -> usize {
    let at: Vec<_> = sim.positions().iter().map(|p| p.cast::<f64>()).collect();
    checker.check(&at, sim.surface().topology()).map_or(usize::MAX, |found| found.count())
}
