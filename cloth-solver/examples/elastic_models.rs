//! Table 2 of Zhang et al. 2014: steps of 1 ms a second for a sheet hung by two corners, explicit and
//! implicit, with and without the gate.
//!
//! `cargo run --release -p cloth-solver --example elastic_models [SIDE | MODEL...]`, `explicit`, `implicit`,
//! `global` or `mass-spring`, say: models whose name contains one of the words, at each of the sides; all of
//! them at the sides of the paper, 64 and 128 by default.

use std::time::Instant;

use cloth_geom::fixtures::sheet;
use cloth_solver::fem::{Assembly, FemSettings, Integrator};
use cloth_solver::{
    ClothDesc, ElasticModel, MassSpringSettings, Material, Settings, Simulation, SimulationBuilder, Thickness,
};
use nalgebra::Point3;

/// The step of the paper (s).
const DT: f32 = 1e-3;
/// Simulated time before and during the measurement (s): the sheet swings.
const BEFORE: f32 = 0.2;
const MEASURED: f32 = 0.5;

/// Steps a second of the paper (table 2, a 2.66 GHz Core 2) by side, explicit and implicit.
const PAPER: [(usize, [f64; 2]); 5] = [
    (9, [144.75, 90.07]),
    (11, [88.05, 48.31]),
    (13, [52.53, 27.79]),
    (15, [37.55, 17.50]),
    (17, [28.09, 16.95]),
];

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let (sides, words): (Vec<_>, Vec<_>) =
        std::env::args().skip(1).partition(|argument| argument.parse::<usize>().is_ok());
    let sides: Vec<usize> = sides.iter().filter_map(|side| side.parse().ok()).collect();
    let sides = if sides.is_empty() { vec![9, 11, 13, 15, 17, 64, 128] } else { sides };
    let is_asked = |name: &str| words.is_empty() || words.iter().any(|word| name.contains(word.as_str()));
    println!(
        "| model | side | gate | steps/s | times the paper | solve, ms | explicit steps or iterations | \
         residual | largest stretch, % |"
    );
    println!("|---|---|---|---|---|---|---|---|---|");
    for side in sides {
        for (name, model) in models().into_iter().filter(|(name, _)| is_asked(name)) {
            for gate in [false, true] {
                measure(name, model, side, gate)?;
            }
        }
    }
    Ok(())
}

fn models() -> Vec<(&'static str, ElasticModel)> {
    // The paper's comparison is with the global stiffness.
    let global = FemSettings { assembly: Assembly::Global, ..FemSettings::default() };
    let explicit = FemSettings { integrator: Integrator::Explicit, ..FemSettings::default() };
    vec![
        ("fem explicit direct", ElasticModel::Fem(explicit)),
        (
            "fem explicit global",
            ElasticModel::Fem(FemSettings { integrator: Integrator::Explicit, ..global }),
        ),
        ("fem implicit direct", ElasticModel::Fem(FemSettings::default())),
        ("fem implicit global", ElasticModel::Fem(global)),
        ("mass-spring", ElasticModel::MassSpring(MassSpringSettings::default())),
        ("xpbd", ElasticModel::Xpbd),
    ]
}

/// A cotton sheet of a metre, upright, hung by its upper corners.
fn hung(model: ElasticModel, side: usize, gate: bool) -> Result<Simulation, Box<dyn std::error::Error>> {
    let mesh =
        sheet(side, side, [1.0, 1.0])?.mesh.mapped(|p| Point3::new(p.x, p.z, 0.01 * (9.0 * p.x).sin()));
    let thickness = Thickness::for_mesh(&mesh);
    let mut cloth = ClothDesc::new(mesh, Material::COTTON, thickness);
    let count = (side * side) as u32;
    cloth.pins = vec![count - side as u32, count - 1];
    let settings =
        Settings { model, substeps: 1, detect_interval: 1, gate, sleep: None, ..Settings::default() };
    let mut builder = SimulationBuilder::new(settings);
    builder.add_cloth(cloth);
    Ok(builder.build()?)
}

fn measure(
    name: &str,
    model: ElasticModel,
    side: usize,
    gate: bool,
) -> Result<(), Box<dyn std::error::Error>> {
    let mut sim = hung(model, side, gate)?;
    let rest = sim.positions().to_vec();
    for _ in 0..(BEFORE / DT) as usize {
        sim.step(DT)?;
    }
    // The larger sheets show a rate in fewer steps.
    let steps = (MEASURED / DT) as usize / (side / 32).max(1);
    let (mut counted, mut residual, mut solve) = (0_u64, 0.0_f64, 0.0);
    let started = Instant::now();
    for _ in 0..steps {
        let report = sim.step(DT)?;
        counted += u64::from(report.elastic.solver_iterations + report.elastic.explicit_steps);
        residual = residual.max(report.elastic.residual);
        solve += report.times.solve.as_secs_f64();
    }
    let rate = steps as f64 / started.elapsed().as_secs_f64();
    let x = sim.positions();
    let edges = sim.faces().iter().map(|&[a, b, _]| [a as usize, b as usize]);
    let stretch = edges.map(|[a, b]| (x[a] - x[b]).norm() / (rest[a] - rest[b]).norm() - 1.0);
    let gate = if gate { "on" } else { "off" };
    let paper =
        PAPER.iter().find(|(paper_side, _)| *paper_side == side).and_then(|(_, [explicit, implicit])| {
            if name.contains("explicit") {
                Some(explicit)
            } else {
                name.contains("implicit").then_some(implicit)
            }
        });
    let ratio = paper.map_or(String::new(), |paper| format!("{:.0}", rate / paper));
    println!(
        "| {name} | {side} | {gate} | {rate:.0} | {ratio} | {:.3} | {:.1} | {residual:.1e} | {:.2} |",
        1e3 * solve / steps as f64,
        counted as f64 / steps as f64,
        100.0 * stretch.fold(0.0, f32::max)
    );
    Ok(())
}
