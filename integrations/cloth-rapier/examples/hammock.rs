//! A chain of three balls, joined by rapier, falls into a sheet that is held at its corners.

use cloth_rapier::Coupling;
use cloth_solver::{ClothDesc, IntersectionFilter, Material, Settings, SimulationBuilder, Thickness};
use rapier3d::prelude::*;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut world = PhysicsWorld::new();
    let mut coupling = Coupling::default();
    let mesh = cloth_geom::fixtures::sheet(41, 41, [1.2, 1.2])?.mesh;
    let thickness = Thickness::for_mesh(&mesh);
    let mut cloth = ClothDesc::new(mesh, Material::COTTON, thickness);
    cloth.pins = vec![0, 40, 41 * 40, 41 * 41 - 1];
    let mut builder = SimulationBuilder::new(Settings::default());
    builder.add_cloth(cloth);

    let mut bodies = Vec::new();
    for k in 0..3 {
        let at = Vector::new(0.15 * (k as f32 - 1.0), 0.5, 0.02 * k as f32);
        let ball = ColliderBuilder::ball(0.06).mass(0.15).friction(0.4);
        let (body, collider) = world.insert(RigidBodyBuilder::dynamic().translation(at), ball);
        coupling.add_collider(&mut builder, &world, collider)?;
        bodies.push(body);
    }
    for pair in bodies.windows(2) {
        let joint = SphericalJointBuilder::new()
            .local_anchor1(Vector::new(0.075, 0.0, 0.0))
            .local_anchor2(Vector::new(-0.075, 0.0, 0.0));
        world.insert_impulse_joint(pair[0], pair[1], joint);
    }
    let mut simulation = builder.build()?;
    println!("time s, heights of the balls m, intersections");
    for frame in 0..=180 {
        if frame % 20 == 0 {
            let heights: Vec<String> =
                bodies.iter().map(|&b| format!("{:.3}", world.bodies[b].translation().y)).collect();
            println!(
                "{:.2}  {}  {}",
                frame as f32 / 60.0,
                heights.join(" "),
                simulation.intersections(IntersectionFilter::CLOTH)?.count()
            );
        }
        coupling.step(&mut world, &mut simulation, 1.0 / 60.0)?;
    }
    Ok(())
}
