//! What a resting scene costs: eight sheets that lie on the floor, alone and with a curtain that is shaken
//! next to them.
//!
//! ```sh
//! cargo run --release -p cloth-solver --example sleep
//! ```

use std::error::Error;
use std::time::Instant;

use cloth_geom::fixtures::sheet;
use cloth_solver::nalgebra::Isometry3;
use cloth_solver::{
    ClothDesc, Collider, Material, Settings, Shape, Simulation, SimulationBuilder, Sleep, Thickness,
};

const N: usize = 48;
const SHEETS: usize = 8;
const DT: f32 = 1.0 / 60.0;

/// Four pairs of sheets on the floor, one of each pair on the other.
fn scene(sleep: Option<Sleep>, has_curtain: bool) -> Result<Simulation, Box<dyn Error>> {
    let mut scene = SimulationBuilder::new(Settings { sleep, ..Settings::game() });
    let mesh = sheet(N, N, [0.8, 0.8])?.mesh;
    let thickness = Thickness::for_mesh(&mesh);
    for k in 0..SHEETS {
        let (x, y) = (1.5 * (k / 2) as f64, 0.03 + 0.05 * (k % 2) as f64);
        let mesh = mesh.clone().translated([x + 0.1 * (k % 2) as f64, y, 0.0].into());
        scene.add_cloth(ClothDesc::new(mesh, Material::COTTON, thickness));
    }
    if has_curtain {
        let mesh = mesh.mapped(|p| [p.x, 3.0 - p.z, 3.0].into());
        let pins = (0..(N * N) as u32).filter(|&v| mesh.positions[v as usize].y > 3.39).collect();
        scene.add_cloth(ClothDesc { pins, ..ClothDesc::new(mesh, Material::SILK, thickness) });
    }
    scene.add_collider(Collider::new(Shape::Plane, Isometry3::identity(), 0.5)?);
    Ok(scene.build()?)
}

/// Milliseconds a step, the median of 30, four seconds after the start; and how many cloths sleep then.
fn cost(mut sim: Simulation, curtain: Option<usize>) -> Result<(f64, usize), Box<dyn Error>> {
    let curtain = curtain.map(|position| sim.cloth_id(position)).transpose()?;
    let pins: Vec<u32> = match curtain {
        Some(id) => sim.scene().cloth(id).ok_or("a curtain")?.pins.clone(),
        None => Vec::new(),
    };
    let mut times = Vec::new();
    let mut sleeping = 0;
    for step in 0..270 {
        if let Some(id) = curtain {
            let first = sim.cloth_vertices(id).ok_or("a curtain")?.start;
            for &v in &pins {
                let mut target = sim.positions()[first + v as usize];
                target.z = 3.0 + 0.1 * (0.1 * step as f32).sin();
                sim.move_pin(id, v, target)?;
            }
        }
        let start = Instant::now();
        sleeping = sim.step(DT)?.sleeping;
        times.push(start.elapsed().as_secs_f64() * 1e3);
    }
    let last = &mut times[240..];
    last.sort_by(f64::total_cmp);
    Ok((last[15], sleeping))
}

fn main() -> Result<(), Box<dyn Error>> {
    println!("{SHEETS} sheets of {N} x {N} vertices at rest    ms a step   asleep");
    for (name, sleep, has_curtain) in [
        ("alone, without sleeping", None, false),
        ("alone", Some(Sleep::default()), false),
        ("with a curtain, without sleeping", None, true),
        ("with a curtain", Some(Sleep::default()), true),
    ] {
        let (ms, sleeping) = cost(scene(sleep, has_curtain)?, has_curtain.then_some(SHEETS))?;
        println!("{name:<36} {ms:>12.4} {sleeping:>8}");
    }
    let both = scene(None, true)?;
    let curtain = both.cloth_id(SHEETS)?;
    let mut alone = SimulationBuilder::new(*both.settings());
    alone.add_cloth(both.scene().cloth(curtain).ok_or("a curtain")?.clone());
    println!("{:<36} {:>12.4} {:>8}", "the curtain alone", cost(alone.build()?, Some(0))?.0, 0);
    Ok(())
}
