//! tmp
use cloth_verify::scenario::{Scenario, Setup, SetupError};
use cloth_verify::{RunOptions, Size, run, scenarios};
fn build(size: Size) -> Result<Setup, SetupError> {
    let name = std::env::var("S").unwrap();
    let s = scenarios::all().iter().find(|s| s.name == name).unwrap();
    let mut setup = (s.build)(size)?;
    for word in std::env::var("W").unwrap().split(',') {
        match word {
            "iter" => setup.settings.iterations /= 2,
            "contact" => setup.settings.contact_iterations = 1,
            "cycles" => setup.settings.stretch_cycles = 0,
            "friction" => setup.colliders.iter_mut().for_each(|c| c.friction = 0.0),
            "selffriction" => setup.settings.self_friction = 0.0,
            "sub" => setup.settings.substeps /= 2,
            "none" => {}
            _ => panic!("{word}"),
        }
    }
    Ok(setup)
}
fn main() {
    let scenario = Scenario { name: "weak", about: "", build };
    let size: Size = std::env::args().nth(1).unwrap().parse().unwrap();
    let out = run(&scenario, size, &RunOptions::default(), &mut |_, _, _| {}).unwrap();
    println!(
        "{} {}: p99 {:?} pen {:?} max {} {:?}",
        std::env::var("S").unwrap(),
        std::env::var("W").unwrap(),
        out.report.stretch.p99,
        out.report.deepest_penetration_m,
        out.report.intersections.max,
        out.report.failures
    );
}
