//! Bodies of rapier and cloth push each other.

use cloth_rapier::{Coupling, CouplingError};
use cloth_solver::{
    ClothDesc, IntersectionFilter, Material, Settings, Simulation, SimulationBuilder, Thickness,
};
use rapier3d::prelude::*;

const DT: f32 = 1.0 / 60.0;

/// A sheet of 1 m, held by its four corners.
fn sheet() -> SimulationBuilder {
    let mesh = cloth_geom::fixtures::sheet(33, 33, [1.0, 1.0]).unwrap().mesh;
    let mut cloth = ClothDesc::new(mesh, Material::COTTON, Thickness::from_total(0.006, 0.2));
    cloth.pins = vec![0, 32, 33 * 32, 33 * 33 - 1];
    cloth.damping.stretch = 10.0;
    let mut builder = SimulationBuilder::new(Settings::default());
    builder.add_cloth(cloth);
    builder
}

fn run(coupling: &Coupling, world: &mut PhysicsWorld, cloth: &mut Simulation, frames: usize) {
    for frame in 0..frames {
        coupling.step(world, cloth, DT).unwrap();
        assert!(cloth.intersections(IntersectionFilter::CLOTH).unwrap().is_clean(), "frame {frame}");
    }
}

#[test]
fn a_ball_of_rapier_is_caught_and_its_weight_carried() {
    let mut world = PhysicsWorld::new();
    let ball = ColliderBuilder::ball(0.1).mass(0.5).friction(0.4);
    let start = RigidBodyBuilder::dynamic().translation(Vector::new(0.02, 0.4, 0.01)).linear_damping(1.0);
    let (body, collider) = world.insert(start, ball);
    let mut builder = sheet();
    let mut coupling = Coupling::default();
    let image = coupling.add_collider(&mut builder, &world, collider).unwrap();
    let mut cloth = builder.build().unwrap();
    run(&coupling, &mut world, &mut cloth, 300);
    let mut impulse = 0.0;
    for _ in 0..120 {
        coupling.step(&mut world, &mut cloth, DT).unwrap();
        impulse += cloth.rigid_body(image).unwrap().impulse.y / 120.0;
    }
    let height = world.bodies[body].translation().y;
    assert!((-0.4..0.1).contains(&height), "{height}");
    let weight = 0.5 * 9.81 * DT;
    assert!((impulse - weight).abs() < 0.1 * weight, "{impulse} {weight}");
}

#[test]
fn a_rapier_stack_stays_on_cloth_on_a_rapier_table() {
    // The table is fixed, the two boxes are dynamic, and rapier keeps the upper one on the lower.
    let mut world = PhysicsWorld::new();
    let table = RigidBodyBuilder::fixed().translation(Vector::new(0.0, -0.1, 0.0));
    let (_, table) = world.insert(table, ColliderBuilder::cuboid(0.6, 0.1, 0.6).friction(0.5));
    let boxes: Vec<_> = [0.06, 0.165]
        .map(|y| {
            let body = RigidBodyBuilder::dynamic().translation(Vector::new(0.01, y, 0.02));
            world.insert(body, ColliderBuilder::cuboid(0.08, 0.05, 0.08).mass(0.3).friction(0.5))
        })
        .to_vec();
    let mesh = cloth_geom::fixtures::sheet(33, 33, [1.0, 1.0]).unwrap().mesh;
    let mesh = mesh.translated(cloth_solver::nalgebra::Vector3::y() * 0.005);
    let mut builder = SimulationBuilder::new(Settings { substeps: 2, ..Settings::default() });
    builder.add_cloth(ClothDesc::new(mesh, Material::COTTON, Thickness::from_total(0.006, 0.2)));
    let mut coupling = Coupling::default().with_parts(8);
    coupling.add_collider(&mut builder, &world, table).unwrap();
    for &(_, collider) in &boxes {
        coupling.add_collider(&mut builder, &world, collider).unwrap();
    }
    let mut cloth = builder.build().unwrap();
    run(&coupling, &mut world, &mut cloth, 90);
    let heights: Vec<f32> = boxes.iter().map(|(body, _)| world.bodies[*body].translation().y).collect();
    assert!((0.045..0.075).contains(&heights[0]), "{heights:?}");
    assert!((heights[1] - heights[0] - 0.1).abs() < 0.01, "{heights:?}");
    // The cloth lies between the table and the lower box.
    let sheet = cloth.cloth_id(0).unwrap();
    let lowest = cloth.cloth_positions(sheet).unwrap().iter().map(|p| p.y).fold(f32::MAX, f32::min);
    assert!(lowest > -0.25 && lowest < 0.01, "{lowest}");
}

#[test]
fn cloth_does_not_touch_what_rapier_does_alone() {
    // A ball that meets no cloth moves as in a world without.
    let fall = |coupled: bool| {
        let mut world = PhysicsWorld::new();
        let start =
            RigidBodyBuilder::dynamic().translation(Vector::new(3.0, 1.0, 0.0)).angvel(Vector::X * 2.0);
        let (body, collider) = world.insert(start, ColliderBuilder::ball(0.1));
        let mut builder = sheet();
        let mut coupling = Coupling::default();
        if coupled {
            coupling.add_collider(&mut builder, &world, collider).unwrap();
        }
        let mut cloth = builder.build().unwrap();
        run(&coupling, &mut world, &mut cloth, 30);
        (*world.bodies[body].position(), world.bodies[body].linvel())
    };
    assert_eq!(fall(true), fall(false));
}

#[test]
fn what_cannot_be_coupled_is_refused() {
    let mut world = PhysicsWorld::new();
    let (body, _) = world.insert(RigidBodyBuilder::dynamic(), ColliderBuilder::ball(0.1));
    let second = world.insert_collider(ColliderBuilder::ball(0.2), Some(body));
    let mut builder = sheet();
    let mut coupling = Coupling::default();
    let error = coupling.add_collider(&mut builder, &world, second).unwrap_err();
    assert!(matches!(error, CouplingError::SeveralColliders(2)), "{error}");
    let (_, cone) = world.insert(RigidBodyBuilder::dynamic(), ColliderBuilder::cone(0.1, 0.1));
    let error = coupling.add_collider(&mut builder, &world, cone).unwrap_err();
    assert!(matches!(error, CouplingError::DynamicShape), "{error}");
    world.remove_collider(cone);
    let error = coupling.add_collider(&mut builder, &world, cone).unwrap_err();
    assert!(matches!(error, CouplingError::Missing("collider")), "{error}");
}

#[test]
fn a_time_step_that_is_no_time_moves_nothing() {
    let mut world = PhysicsWorld::new();
    let (body, _) = world.insert(RigidBodyBuilder::dynamic(), ColliderBuilder::ball(0.1));
    let mut cloth = sheet().build().unwrap();
    for dt in [f32::NAN, f32::INFINITY, 0.0, -DT] {
        let error = Coupling::default().step(&mut world, &mut cloth, dt).unwrap_err();
        assert!(error.to_string().contains("greater than zero"), "{error}");
    }
    assert_eq!(world.bodies[body].translation(), Vector::ZERO);
}
