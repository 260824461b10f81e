//! Twenty flags in one simulation and in twenty, from one build: an asset is prepared once, instances and
//! clones share it.
//!
//! ```sh
//! cargo run --release -p cloth-solver --example flags
//! ```

use std::error::Error;
use std::time::{Duration, Instant};

use cloth_geom::fixtures::sheet;
use cloth_solver::nalgebra::{Isometry3, Vector3};
use cloth_solver::{
    ClothAsset, ClothDesc, IntersectionFilter, Material, RestShape, Settings, Simulation, SimulationBuilder,
    Thickness, Wind,
};

const N: usize = 48;
const FLAGS: usize = 20;
const RUNS: usize = 5;

/// A flag that hangs from its pole, the edge x = 0.
fn flag() -> Result<ClothDesc, Box<dyn Error>> {
    let mesh = sheet(N, N, [1.5, 1.0])?.mesh.mapped(|p| [p.x, -p.z, 0.0].into());
    let pins = (0..mesh.positions.len() as u32).filter(|&v| mesh.positions[v as usize].x < -0.74).collect();
    let thickness = Thickness::for_mesh(&mesh);
    Ok(ClothDesc { pins, ..ClothDesc::new(mesh, Material::SILK, thickness) })
}

fn place(k: usize) -> Isometry3<f32> {
    Isometry3::translation(0.0, 0.0, 2.0 * k as f32)
}

fn scene() -> SimulationBuilder {
    let wind = Wind { velocity: Vector3::new(5.0, 0.0, 1.0), ..Wind::default() };
    SimulationBuilder::new(Settings { wind, ..Settings::game() })
}

/// Flags as separate cloths, each with a mesh of its own.
fn separate(count: usize) -> Result<Simulation, Box<dyn Error>> {
    let mut scene = scene();
    for k in 0..count {
        let flag = flag()?;
        let rest = RestShape::Positions(flag.mesh.positions.clone());
        let mesh = flag.mesh.mapped(|p| place(k).cast::<f64>() * p);
        scene.add_cloth(ClothDesc { mesh, rest, ..flag });
    }
    Ok(scene.build()?)
}

/// Flags as instances of an asset.
fn instances(asset: &ClothAsset, count: usize) -> Result<Simulation, Box<dyn Error>> {
    let mut scene = scene();
    (0..count).for_each(|k| {
        scene.add_instance(asset, &place(k));
    });
    Ok(scene.build()?)
}

/// Prints the shortest time of some runs, and what one leaves allocated.
fn measure<T>(what: &str, mut build: impl FnMut() -> Result<T, Box<dyn Error>>) -> Result<T, Box<dyn Error>> {
    let mut best = Duration::MAX;
    for _ in 0..RUNS {
        let start = Instant::now();
        std::hint::black_box(build()?);
        best = best.min(start.elapsed());
    }
    let mut built = None;
    let allocated = allocation_counter::measure(|| built = Some(build()));
    println!("{what}: {:.1} ms, {:.1} MB", best.as_secs_f64() * 1e3, allocated.bytes_current as f64 / 1e6);
    built.unwrap_or_else(build)
}

fn main() -> Result<(), Box<dyn Error>> {
    println!("flags of {N} x {N} vertices: shortest time of {RUNS} builds, memory that is kept");
    let prototype = measure("one flag", || separate(1))?;
    let apart = measure(&format!("{FLAGS} flags in one simulation, added one by one"), || separate(FLAGS))?;
    let asset = measure("the asset of a flag", || Ok(ClothAsset::new(flag()?)?))?;
    let mut together = measure(&format!("{FLAGS} instances in one simulation"), || instances(&asset, FLAGS))?;
    assert_eq!(apart.state_hash(), together.state_hash());
    let clones = || {
        let clone = |k: usize| -> Result<Simulation, Box<dyn Error>> {
            let mut clone = prototype.clone();
            clone.teleport_all(&place(k))?;
            Ok(clone)
        };
        (0..FLAGS).map(clone).collect::<Result<Vec<_>, _>>()
    };
    measure(&format!("{FLAGS} simulations, clones of one"), clones)?;

    for _ in 0..30 {
        together.step(1.0 / 60.0)?;
    }
    println!(
        "after 30 frames the instances intersect {} times",
        together.intersections(IntersectionFilter::CLOTH)?.count()
    );
    Ok(())
}
