//! A certified scene for bare `wasm32-unknown-unknown`: no clock, no threads, no imports.
//!
//! `run.mjs` runs it under node and compares the hash of each frame with the one that `main.rs` prints on the
//! host.

use std::error::Error;

use cloth_geom::fixtures::sheet;
use cloth_solver::nalgebra::{Isometry3, Vector3};
use cloth_solver::{
    ClothDesc, Collider, Material, Settings, Shape, Simulation, SimulationBuilder, Thickness,
};

const N: usize = 20;
const DT: f32 = 1.0 / 60.0;

/// Two sheets, turned against each other, that fall on a ball: contacts between cloths, with a collider, and
/// the gate.
fn scene() -> Result<Simulation, Box<dyn Error>> {
    let mut scene = SimulationBuilder::new(Settings::game());
    for k in 0..2_u8 {
        let k = f64::from(k);
        let turn = Isometry3::rotation(Vector3::y() * 0.4 * k);
        let flat = sheet(N, N, [0.5, 0.5])?.mesh;
        let mesh = flat.mapped(|p| turn * p).translated(Vector3::new(0.0, 0.22 + 0.03 * k, 0.0));
        let thickness = Thickness::for_mesh(&mesh);
        scene.add_cloth(ClothDesc::new(mesh, Material::COTTON, thickness));
    }
    let ball = Collider::new(Shape::Sphere { radius: 0.15 }, Isometry3::identity(), 0.3)?;
    scene.add_collider(ball);
    Ok(scene.build()?)
}

/// The state hash after this many frames; 0 if something failed or the state has an intersection.
#[must_use]
pub fn state_hash(frames: u32) -> u64 {
    let run = || -> Result<u64, Box<dyn Error>> {
        let mut sim = scene()?;
        for _ in 0..frames {
            sim.step(DT)?;
        }
        Ok(if sim.intersections(cloth_solver::IntersectionFilter::CLOTH)?.is_clean() {
            sim.state_hash()
        } else {
            0
        })
    };
    run().unwrap_or(0)
}

/// [`state_hash`] for the host of the module.
#[unsafe(no_mangle)]
pub extern "C" fn cloth_state_hash(frames: u32) -> u64 {
    state_hash(frames)
}
