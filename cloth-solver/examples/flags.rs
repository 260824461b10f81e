//! Twenty flags from one build: clones of a simulation share its assets (topology, colours, coarse levels, rest shape).
//!
//! ```sh
//! cargo run --release -p cloth-solver --example flags
//! ```

use std::error::Error;
use std::time::Instant;

use cloth_geom::fixtures::sheet;
use cloth_solver::nalgebra::{Isometry3, Vector3};
use cloth_solver::{ClothDesc, Material, Settings, Simulation, SimulationBuilder, Thickness, Wind};

const N: usize = 48;
const FLAGS: usize = 20;

fn flag() -> Result<Simulation, Box<dyn Error>> {
    // Hangs from its pole, the edge x = 0.
    let mesh = sheet(N, N, [1.5, 1.0])?.mesh.mapped(|p| [p.x, -p.z, 0.0].into());
    let pins = (0..mesh.positions.len() as u32).filter(|&v| mesh.positions[v as usize].x < -0.74).collect();
    let thickness = Thickness::for_mesh(&mesh);
    let wind = Wind { velocity: Vector3::new(5.0, 0.0, 1.0), ..Wind::default() };
    let mut scene = SimulationBuilder::new(Settings { wind, ..Settings::game() });
    scene.add_cloth(ClothDesc { pins, ..ClothDesc::new(mesh, Material::SILK, thickness) });
    Ok(scene.build()?)
}

fn main() -> Result<(), Box<dyn Error>> {
    let start = Instant::now();
    let prototype = flag()?;
    let build = start.elapsed();

    let start = Instant::now();
    let mut flags = Vec::with_capacity(FLAGS);
    for k in 0..FLAGS {
        let mut flag = prototype.clone();
        flag.teleport_all(&Isometry3::translation(0.0, 0.0, 2.0 * k as f32))?;
        flags.push(flag);
    }
    let clones = start.elapsed();

    for flag in &mut flags {
        for _ in 0..30 {
            flag.step(1.0 / 60.0)?;
        }
    }
    let clean = flags.iter_mut().map(|flag| Ok(flag.intersections()?.is_clean()));
    let clean = clean.collect::<Result<Vec<_>, Box<dyn Error>>>()?.into_iter().filter(|&clean| clean).count();
    println!("one flag of {N} x {N} vertices: {:.1} ms to build", build.as_secs_f64() * 1e3);
    println!(
        "{FLAGS} flags cloned and placed: {:.1} ms, {:.2} ms each",
        clones.as_secs_f64() * 1e3,
        clones.as_secs_f64() * 1e3 / FLAGS as f64
    );
    println!("after 30 frames {clean} of {FLAGS} are free of intersections");
    Ok(())
}
