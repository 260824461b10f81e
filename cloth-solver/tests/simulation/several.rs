//! Several cloths and bodies in one scene, and pairs that do not collide.

use cloth_geom::fixtures::jitter;
use cloth_solver::{
    Collider, MeshBodyDesc, Settings, Shape, Simulation, SimulationBuilder, StepError, Thickness,
};
use nalgebra::{Isometry3, Point3, Vector3};

use crate::ids::cloth_id;
use crate::scenes::{bare, cotton, furthest, points, run, sheet};

#[test]
fn cloths_keep_their_place_in_the_common_arrays() {
    let mut builder = SimulationBuilder::new(bare());
    let first = builder.add_cloth(cotton(sheet(4, 0.2)));
    let second = builder.add_cloth(cotton(sheet(5, 0.3).translated(Vector3::new(0.0, 1.0, 0.0))));
    let mesh = sheet(3, 1.0).translated(Vector3::new(0.0, -1.0, 0.0));
    let thickness = Thickness { radius: 0.01, scr: 0.01 };
    builder.add_mesh_body(MeshBodyDesc { mesh, thickness });
    let sim = builder.build().unwrap();
    assert_eq!(sim.cloth_count(), 2);
    assert_eq!((sim.cloth_vertices(first), sim.cloth_vertices(second)), (Some(0..16), Some(16..41)));
    assert_eq!((sim.cloth_faces(first), sim.cloth_faces(second)), (Some(0..18), Some(18..50)));
    assert_eq!((sim.cloth_vertices(cloth_id(2)), sim.positions().len()), (None, 50));
    assert!(sim.faces()[18..50].iter().flatten().all(|v| (16..41).contains(v)));
    assert!(sim.positions()[41..].iter().all(|p| p.y == -1.0));
}

/// Three sheets, the lowest on a floor, each a little above the other.
fn stack() -> Simulation {
    let mut builder = SimulationBuilder::new(bare());
    for k in 0..3u8 {
        let mesh = jitter(&sheet(10, 0.3), 1e-4, k.into()).unwrap();
        builder.add_cloth(cotton(mesh.translated(Vector3::new(0.0, 0.03 + 0.03 * f64::from(k), 0.0))));
    }
    builder.add_collider(Collider::new(Shape::Plane, Isometry3::identity(), 0.5).unwrap());
    builder.build().unwrap()
}

#[test]
fn sheets_that_fall_on_each_other_keep_their_order() {
    let mut sim = stack();
    run(&mut sim, 90);
    let height = |k: usize| points(&sim, k).iter().map(|p| p.y).sum::<f32>() / 100.0;
    let cloth = cotton(sheet(10, 0.3)).thickness;
    let radius = cloth.radius;
    // The lowest lies at its radius, each further one a diameter above, up to what gravity presses out in a
    // substep.
    for k in 0..3 {
        let expected = radius * (1.0 + 2.0 * k as f32);
        assert!((height(k) / expected - 1.0).abs() < 0.1, "sheet {k}: {} of {expected}", height(k));
    }
    assert!(sim.report().contacts > 100);
}

#[test]
fn without_self_collision_they_fall_into_each_other() {
    let mut settings = Settings { self_collision: false, ..bare() };
    settings.air_damping = 0.0;
    let mut builder = SimulationBuilder::new(settings);
    builder.add_cloth(cotton(sheet(6, 0.3).translated(Vector3::new(0.0, 0.1, 0.0))));
    builder.add_cloth(cotton(sheet(6, 0.3).translated(Vector3::new(0.0, 0.2, 0.0))));
    builder.add_collider(Collider::new(Shape::Plane, Isometry3::identity(), 0.5).unwrap());
    let mut sim = builder.build().unwrap();
    run(&mut sim, 60);
    assert_eq!((sim.report().contacts, sim.report().candidates), (0, 0));
    assert!(furthest(points(&sim, 0), points(&sim, 1)) < 1e-3, "colliders stay on, for both");
}

/// A cloth of two loose layers, of which the upper one falls on the pinned lower one.
fn layers(exclude: bool) -> Simulation {
    let mut mesh = sheet(5, 0.3);
    let upper = mesh.append(&sheet(5, 0.25).translated(Vector3::new(0.01, 0.05, 0.02)));
    let mut cloth = cotton(mesh);
    cloth.pins = (0..25).collect();
    if exclude {
        cloth.exclusions = (0..25).flat_map(|a| (25..50).map(move |b| [a, b])).collect();
    }
    assert_eq!(upper, 25);
    let mut builder = SimulationBuilder::new(bare());
    builder.add_cloth(cloth);
    builder.build().unwrap()
}

#[test]
fn excluded_layers_pass_through_each_other_and_others_do_not() {
    let (mut held, mut free) = (layers(false), layers(true));
    run(&mut held, 60);
    assert!(held.positions()[25..].iter().all(|p| p.y > 0.0));
    for _ in 0..60 {
        assert_eq!(free.step(1.0 / 60.0).unwrap().contacts, 0);
    }
    assert!(free.positions()[25..].iter().all(|p| p.y < -1.0));
}

#[test]
fn a_mesh_body_carries_cloth_where_the_caller_takes_it() {
    let mut builder = SimulationBuilder::new(bare());
    let cloth = cotton(sheet(8, 0.2).translated(Vector3::new(0.0, 0.03, 0.0)));
    let thickness = cloth.thickness;
    builder.add_cloth(cloth);
    let tray = sheet(12, 0.4);
    let body = builder.add_mesh_body(MeshBodyDesc { mesh: tray.clone(), thickness });
    let mut sim = builder.build().unwrap();
    let mut target = tray.positions_f32();
    for step in 0..90 {
        if step >= 30 {
            target.iter_mut().for_each(|p| p.y += 0.005);
        }
        sim.move_mesh_body(body, &target).unwrap();
        run(&mut sim, 1);
        assert_eq!(&sim.positions()[64..], &target[..], "step {step}");
    }
    let height = target[0].y;
    assert!((height - 0.3).abs() < 1e-5);
    assert!(points(&sim, 0).iter().all(|p| p.y > height && p.y < height + 0.1));
    let refused = sim.move_mesh_body(body, &target[1..]).unwrap_err();
    assert_eq!(refused, StepError::Length { what: "mesh body positions", got: 143, expected: 144 });
}

#[test]
fn a_collider_pushes_cloth_out_of_its_way() {
    let mut builder = SimulationBuilder::new(Settings { gravity: Vector3::zeros(), ..bare() });
    builder.add_cloth(cotton(sheet(9, 0.3)));
    let shape = Shape::Sphere { radius: 0.1 };
    let ball =
        builder.add_collider(Collider::new(shape, Isometry3::translation(0.0, -0.2, 0.0), 0.2).unwrap());
    let mut sim = builder.build().unwrap();
    for step in 1..=60 {
        // 1.2 m/s, through where the sheet was.
        let centre = Point3::new(0.0, -0.2 + 0.02 * step as f32, 0.0);
        sim.move_collider(ball, Isometry3::from(centre.coords)).unwrap();
        run(&mut sim, 1);
        let nearest = sim.positions().iter().map(|p| (p - centre).norm()).fold(f32::INFINITY, f32::min);
        // The plane of a contact turns with the ball's motion once a substep: 2 mm of chord on 10 cm, 2e-5 m
        // of arc.
        assert!(nearest > 0.1, "step {step}: {nearest}");
        assert_eq!(sim.colliders()[0].pose_t1.translation.vector, centre.coords);
    }
    assert!(sim.positions()[40].y > 0.9);
}
