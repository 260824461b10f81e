//! Cost and quality of the presets: a sheet that falls on a ball, and three sheets on each other.
//!
//! `cargo run --release -p cloth-solver --example presets` prints the table of `docs/design/presets.md`.

use std::error::Error;
use std::time::Instant;

use cloth_geom::Topology;
use cloth_geom::fixtures::{jitter, sheet};
use cloth_solver::nalgebra::{Isometry3, Vector3};
use cloth_solver::{
    ClothDesc, Collider, IntersectionFilter, Material, Settings, Shape, Simulation, SimulationBuilder,
    Thickness, TriMesh,
};

const N: usize = 64;
const SIZE: f64 = 1.0;
const FRAMES: usize = 180;

fn flat(y: f64, turn: f64) -> Result<TriMesh, Box<dyn Error>> {
    let up = Vector3::y_axis();
    let flat = sheet(N, N, [SIZE, SIZE])?.mesh.rotated(up, turn).translated(Vector3::new(0.013, y, 0.007));
    Ok(jitter(&flat, 1e-3 * SIZE / N as f64, 7)?)
}

fn scene(settings: Settings, sheets: usize) -> Result<Simulation, Box<dyn Error>> {
    let mut builder = SimulationBuilder::new(settings);
    for k in 0..sheets {
        let mesh = flat(0.62 + 0.05 * k as f64, 0.5 * k as f64)?;
        let thickness = Thickness::for_mesh(&mesh);
        builder.add_cloth(ClothDesc::new(mesh, Material::COTTON, thickness));
    }
    let ball = Isometry3::translation(0.0, 0.3, 0.0);
    builder.add_collider(Collider::new(Shape::Sphere { radius: 0.25 }, ball, 0.3)?);
    builder.add_collider(Collider::new(Shape::Plane, Isometry3::identity(), 0.5)?);
    Ok(builder.build()?)
}

fn main() -> Result<(), Box<dyn Error>> {
    println!(
        "{:8} {:>6} {:>10} {:>8} {:>12} {:>12} {:>13}",
        "preset", "sheets", "median ms", "p95 ms", "stretch p99", "largest", "intersections"
    );
    for sheets in [1, 3] {
        let presets =
            [("game", Settings::game()), ("default", Settings::default()), ("film", Settings::film())];
        for (name, settings) in presets {
            let mut sim = scene(settings, sheets)?;
            let start = sim.positions().to_vec();
            let topology = Topology::new(start.len(), sim.faces())?;
            let rest = |&[a, b]: &[u32; 2]| (start[a as usize] - start[b as usize]).norm();
            let (mut times, mut stretches) = (Vec::new(), Vec::new());
            let mut intersections = 0;
            for _ in 0..FRAMES {
                let began = Instant::now();
                sim.step(1.0 / 60.0)?;
                times.push(1e3 * began.elapsed().as_secs_f64());
                intersections = intersections.max(sim.intersections(IntersectionFilter::CLOTH)?.count());
                let x = sim.positions();
                let length = |&[a, b]: &[u32; 2]| (x[a as usize] - x[b as usize]).norm();
                stretches.extend(topology.edges().iter().map(|e| (length(e) / rest(e) - 1.0).abs()));
            }
            times.sort_by(f64::total_cmp);
            stretches.sort_by(f32::total_cmp);
            let at = |share: f64, count: usize| (share * (count - 1) as f64) as usize;
            println!(
                "{name:8} {sheets:6} {:10.1} {:8.1} {:10.1} % {:10.1} % {intersections:13}",
                times[at(0.5, times.len())],
                times[at(0.95, times.len())],
                100.0 * stretches[at(0.99, stretches.len())],
                100.0 * stretches.last().copied().unwrap_or(0.0),
            );
        }
    }
    Ok(())
}
