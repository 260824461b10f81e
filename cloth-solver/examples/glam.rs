//! A flag in an engine that uses glam: gravity and pins go in as `Vec3`, positions and normals come out as
//! `Vec3`.
//!
//! ```sh
//! cargo run --release -p cloth-solver --features glam --example glam
//! ```

use std::error::Error;

use cloth_geom::fixtures::sheet;
use cloth_solver::nalgebra::{Point3, Vector3};
use cloth_solver::{
    ClothDesc, Material, NormalWeights, Settings, Simulation, SimulationBuilder, Thickness, Wind,
};
use glam::Vec3;

const N: usize = 24;

fn main() -> Result<(), Box<dyn Error>> {
    let mesh = sheet(N, N, [1.0, 1.0])?.mesh.translated(Vector3::new(0.0, 1.0, 0.0));
    let thickness = Thickness::for_mesh(&mesh);
    let corners = vec![0, N as u32 - 1];
    let settings = Settings {
        gravity: Vec3::new(0.0, -9.81, 0.0).into(),
        wind: Wind { velocity: Vec3::new(0.0, 0.0, 4.0).into(), ..Wind::default() },
        ..Settings::game()
    };
    let mut builder = SimulationBuilder::new(settings);
    let pins = corners.clone();
    let flag = builder.add_cloth(ClothDesc { pins, ..ClothDesc::new(mesh, Material::SILK, thickness) });
    let mut sim: Simulation = builder.build()?;

    let mut normals = Vec::new();
    for frame in 0..120_u16 {
        // The pole sways: glam in, nalgebra inside.
        let sway = Vec3::X * 0.005 * (f32::from(frame) * 0.1).sin();
        for &corner in &corners {
            let pin: Vec3 = sim.cloth_positions(flag).ok_or("no such cloth")?[corner as usize].into();
            sim.move_pin(flag, corner, Point3::from(pin + sway))?;
        }
        sim.step(1.0 / 60.0)?;
    }
    let positions: Vec<Vec3> =
        sim.cloth_positions(flag).ok_or("no such cloth")?.iter().copied().map(Vec3::from).collect();
    sim.write_normals(NormalWeights::Area, &mut normals);
    let normal: Vec3 = normals[N * N - 1].into();
    println!("free corner at {:.3} m, normal {normal:.3}", positions[N * N - 1]);
    Ok(())
}
