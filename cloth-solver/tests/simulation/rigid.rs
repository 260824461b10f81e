//! Rigid bodies: closed forms of rolling and sliding, momentum, balance of forces, and the exact distance of
//! a caught ball.

use cloth_solver::{
    BuildError, ClothDesc, Collider, ColliderId, IntersectionFilter, Material, RigidBodyDesc, Settings,
    Shape, Simulation, SimulationBuilder, Sleep, StepError, Thickness,
};
use nalgebra::{Isometry3, Point3, Translation3, UnitQuaternion, Vector3};

use crate::ids::{cloth_id, collider_id};
use crate::scenes::{sheet, weightless};

const DT: f32 = 1.0 / 60.0;
const GRAVITY: f32 = 9.81;

fn ball(radius: f32, at: [f32; 3], mass: f32, friction: f32) -> RigidBodyDesc {
    let [x, y, z] = at;
    let pose = Isometry3::translation(x, y, z);
    RigidBodyDesc::new(Collider::new(Shape::Sphere { radius }, pose, friction).unwrap(), mass)
}

fn advance(sim: &mut Simulation, frames: usize) {
    for _ in 0..frames {
        sim.step(DT).unwrap();
    }
}

fn floor(friction: f32) -> Collider {
    Collider::new(Shape::Plane, Isometry3::identity(), friction).unwrap()
}

/// A scene without cloth: a floor and a body.
fn on_floor(body: RigidBodyDesc, friction: f32) -> (Simulation, ColliderId) {
    let mut builder = SimulationBuilder::new(Settings::default());
    builder.add_collider(floor(friction));
    let id = builder.add_rigid_body(body);
    (builder.build().unwrap(), id)
}

#[test]
fn a_ball_that_slides_ends_rolling_with_five_sevenths_of_its_speed() {
    let velocity = Vector3::new(2.0, 0.0, 0.0);
    let body = RigidBodyDesc { velocity, ..ball(0.1, [0.0, 0.1, 0.0], 0.5, 0.3) };
    let (mut sim, id) = on_floor(body, 0.3);
    for _ in 0..60 {
        sim.step(DT).unwrap();
    }
    let state = sim.rigid_body(id).unwrap();
    assert!((state.velocity.x - 2.0 * 5.0 / 7.0).abs() < 0.01, "{state:?}");
    // Rolling: the lowest point is at rest.
    let slip = state.velocity + state.angular_velocity.cross(&Vector3::new(0.0, -0.1, 0.0));
    assert!(slip.norm() < 1e-3, "{slip}");
    assert!((state.pose.translation.y - 0.1).abs() < 1e-4 && state.pose.translation.z.abs() < 1e-5);
}

#[test]
fn a_box_slides_until_friction_has_stopped_it() {
    let pose = Isometry3::translation(0.0, 0.05, 0.0);
    let shape = Shape::Cuboid { half_extents: Vector3::new(0.1, 0.05, 0.1) };
    let collider = Collider::new(shape, pose, 0.25).unwrap();
    let velocity = Vector3::new(1.5, 0.0, 0.0);
    let body = RigidBodyDesc { velocity, ..RigidBodyDesc::new(collider, 2.0) };
    // The coefficient of the pair is the geometric mean.
    let (mut sim, id) = on_floor(body, 0.36);
    for _ in 0..90 {
        sim.step(DT).unwrap();
    }
    let state = sim.rigid_body(id).unwrap();
    let distance = 1.5 * 1.5 / (2.0 * 0.3 * GRAVITY);
    assert!((state.pose.translation.x - distance).abs() < 0.01 * distance, "{state:?} {distance}");
    assert!(state.velocity.norm() < 1e-3 && state.angular_velocity.norm() < 1e-2, "{state:?}");
}

#[test]
fn a_tilted_box_falls_flat_and_a_capsule_lies_down() {
    let tilt = UnitQuaternion::from_axis_angle(&Vector3::z_axis(), 0.3);
    let pose = Isometry3::from_parts(Translation3::new(0.0, 0.4, 0.0), tilt);
    let cuboid = Shape::Cuboid { half_extents: Vector3::new(0.1, 0.05, 0.15) };
    let capsule = Shape::Capsule { half_length: 0.2, radius: 0.05 };
    for (shape, height) in [(cuboid, 0.05), (capsule, 0.05)] {
        let collider = Collider::new(shape, pose, 0.4).unwrap();
        let (mut sim, id) = on_floor(RigidBodyDesc::new(collider, 1.0), 0.4);
        for _ in 0..240 {
            sim.step(DT).unwrap();
        }
        let state = sim.rigid_body(id).unwrap();
        assert!((state.pose.translation.y - height).abs() < 1e-3, "{state:?}");
        assert!(state.velocity.norm() < 0.02, "{state:?}");
    }
}

fn cloth(n: usize, side: f64) -> ClothDesc {
    ClothDesc::new(sheet(n, side), Material::COTTON, Thickness::from_total(0.004, 0.2))
}

/// Mass (kg) of each vertex.
fn masses(sim: &Simulation) -> Vec<f32> {
    let mut masses = vec![0.0; sim.positions().len()];
    let mesh = &sim.scene().cloth(cloth_id(0)).unwrap().mesh;
    for face in sim.faces() {
        let [a, b, c] = face.map(|v| mesh.positions[v as usize].cast::<f32>());
        let area = 0.5 * (b - a).cross(&(c - a)).norm();
        face.iter().for_each(|&v| masses[v as usize] += area * Material::COTTON.density / 3.0);
    }
    masses
}

/// Linear and angular momentum (kg m/s, kg m2/s about the origin) of cloth and a ball.
fn momenta(sim: &Simulation, body: ColliderId, mass: f32, radius: f32) -> [Vector3<f32>; 2] {
    let state = sim.rigid_body(body).unwrap();
    let inertia = 0.4 * mass * radius * radius;
    let own = state.velocity * mass;
    let at = state.pose.translation.vector;
    let start = [own, at.cross(&own) + state.angular_velocity * inertia];
    let vertices = masses(sim).into_iter().zip(sim.positions().iter().zip(sim.velocities()));
    vertices.fold(start, |[p, l], (m, (x, v))| [p + v * m, l + x.coords.cross(&(v * m))])
}

/// What a ball that hits a free sheet loses of the linear and the angular momentum of both together, as
/// shares.
fn lost_momentum(is_guarded: bool, substeps: u32) -> [f32; 2] {
    let mut builder = SimulationBuilder::new(Settings { gate: true, substeps, ..weightless() });
    builder.add_cloth(cloth(25, 0.5));
    let (mass, radius) = (0.2, if is_guarded { 0.008 } else { 0.06 });
    let velocity = Vector3::new(0.3, -2.0, 0.1);
    let mut body = RigidBodyDesc { velocity, ..ball(radius, [0.05, 0.08, 0.02], mass, 0.5) };
    body.angular_velocity = Vector3::new(0.0, 5.0, 8.0);
    if is_guarded {
        body.collider = body.collider.guarded().unwrap();
    }
    let id = builder.add_rigid_body(body);
    let mut sim = builder.build().unwrap();
    let [p, l] = momenta(&sim, id, mass, radius);
    let mut impulse = Vector3::zeros();
    for _ in 0..12 {
        sim.step(DT).unwrap();
        impulse += sim.rigid_body(id).unwrap().impulse;
        assert_eq!(sim.report().gate.momentum_lost, 0.0);
    }
    let [p1, l1] = momenta(&sim, id, mass, radius);
    assert!(sim.intersections(IntersectionFilter::CLOTH).unwrap().is_clean());
    // The ball has met the sheet, and what it lost is what the cloth took.
    let state = sim.rigid_body(id).unwrap();
    assert!(state.velocity.y > -1.95 && impulse.y > 0.01, "{is_guarded}: {state:?} {impulse}");
    assert!(((state.velocity - velocity) * mass - impulse).norm() < 1e-5, "{is_guarded}: {impulse}");
    [(p1 - p).norm() / p.norm(), (l1 - l).norm() / l.norm()]
}

#[test]
fn a_ball_and_a_free_sheet_keep_their_momentum_together() {
    for is_guarded in [false, true] {
        let [coarse, fine] = [10, 40].map(|substeps| lost_momentum(is_guarded, substeps));
        // Linear momentum to the rounding of positions, which velocities amplify; angular momentum to the
        // order of the step.
        assert!(coarse[0] < 1e-5 && fine[0] < 4e-5, "{is_guarded}: {coarse:?} {fine:?}");
        assert!(fine[1] < 2e-3 && fine[1] < 0.5 * coarse[1], "{is_guarded}: {coarse:?} {fine:?}");
    }
}

/// A sheet of 0.8 m, held by its four corners, and a ball of 0.5 kg above it.
fn held_sheet(settings: Settings, height: f32, guarded: bool) -> (Simulation, ColliderId) {
    let mut builder = SimulationBuilder::new(settings);
    let mut cloth = cloth(41, 0.8);
    cloth.pins = vec![0, 40, 41 * 40, 41 * 41 - 1];
    builder.add_cloth(cloth);
    let mut body = ball(0.1, [0.02, height, 0.01], 0.5, 0.4);
    if guarded {
        body.collider = body.collider.guarded().unwrap();
    }
    let id = builder.add_rigid_body(body);
    (builder.build().unwrap(), id)
}

#[test]
fn a_held_sheet_carries_the_weight_of_a_ball() {
    let (mut sim, id) = held_sheet(Settings { air_damping: 1.0, ..Settings::default() }, 0.11, false);
    let (mut mean, mut slowest) = (Vector3::zeros(), f32::MAX);
    for frame in 0..480 {
        sim.step(DT).unwrap();
        if frame >= 360 {
            let state = sim.rigid_body(id).unwrap();
            mean += state.impulse / 120.0;
            slowest = slowest.min(state.velocity.norm());
        }
    }
    let expected = 0.5 * GRAVITY * DT;
    assert!((mean.y - expected).abs() < 0.03 * expected, "{mean} {expected} {slowest}");
    assert!(sim.intersections(IntersectionFilter::CLOTH).unwrap().is_clean());
}

/// The least distance (m) of the surface of a ball from any face.
fn distance(positions: &[Point3<f32>], faces: &[[u32; 3]], ball: &Collider) -> f64 {
    let Shape::Sphere { radius } = ball.shape else { panic!("a ball") };
    let centre = Point3::from(ball.pose_t1.translation.vector).cast::<f64>();
    let corner = |v: u32| positions[v as usize].cast::<f64>();
    let faces = faces.iter().map(|f| {
        let [a, b, c] = f.map(corner);
        cloth_geom::closest::point_triangle(&centre, [&a, &b, &c]).distance_sq.sqrt() - f64::from(radius)
    });
    faces.fold(f64::MAX, f64::min)
}

#[test]
fn a_falling_ball_is_caught_and_contains_no_face_in_any_substep() {
    let (mut sim, id) = held_sheet(Settings::default(), 1.1, true);
    let faces = sim.faces().to_vec();
    let (mut least, mut lowest, mut fastest) = (f64::MAX, f32::MAX, 0.0_f32);
    for _ in 0..90 {
        sim.step_with(DT, &mut |motion| {
            least = least.min(distance(motion.x_t1, &faces, &motion.colliders[id.index()]));
        })
        .unwrap();
        assert!(sim.intersections(IntersectionFilter::CLOTH).unwrap().is_clean());
        let state = sim.rigid_body(id).unwrap();
        (lowest, fastest) = (lowest.min(state.pose.translation.y), fastest.max(-state.velocity.y));
    }
    println!("least distance {least:.6} m, lowest centre {lowest} m, fastest {fastest} m/s");
    assert!(least > -1e-3, "{least}");
    assert!((4.43..4.9).contains(&fastest) && lowest < 0.0 && lowest > -0.4, "{fastest} {lowest}");
}

#[test]
fn rigid_bodies_keep_their_bits_after_a_restore_and_on_two_threads() {
    let run = |threads: u32| {
        let (mut sim, id) = held_sheet(Settings { threads, ..Settings::default() }, 0.3, true);
        advance(&mut sim, 20);
        let snapshot = sim.snapshot();
        advance(&mut sim, 20);
        let first = (sim.state_hash(), sim.rigid_body(id).unwrap());
        sim.restore(&snapshot).unwrap();
        advance(&mut sim, 20);
        assert_eq!(first, (sim.state_hash(), sim.rigid_body(id).unwrap()));
        first
    };
    assert_eq!(run(1), run(2));
}

#[test]
fn reset_returns_a_body_to_its_start_and_teleports_move_it() {
    let (mut sim, id) = held_sheet(Settings::default(), 0.3, true);
    let start = sim.rigid_body(id).unwrap();
    advance(&mut sim, 30);
    let hash = sim.state_hash();
    sim.reset();
    let state = sim.rigid_body(id).unwrap();
    assert_eq!((state.pose, state.velocity), (start.pose, start.velocity));
    advance(&mut sim, 30);
    assert_eq!(sim.state_hash(), hash);
    // A turn about y turns its velocity too.
    let before = sim.rigid_body(id).unwrap();
    let turn = Isometry3::rotation(Vector3::y() * std::f32::consts::FRAC_PI_2);
    sim.teleport_all(&turn).unwrap();
    let after = sim.rigid_body(id).unwrap();
    assert!((after.velocity - turn * before.velocity).norm() < 1e-6);
    assert!((after.pose.translation.vector - turn * before.pose.translation.vector).norm() < 1e-6);
}

#[test]
fn a_coarse_sheet_catches_a_guarded_box_whose_corner_pierces_it_otherwise() {
    // Edges of 10 cm, and a box that is half as wide and falls on a corner.
    let caught = |guarded: bool| {
        let mut builder = SimulationBuilder::new(Settings::default());
        let mut cloth = cloth(11, 1.0);
        cloth.pins = (0..121).filter(|v| v % 11 == 0 || v % 11 == 10).collect();
        builder.add_cloth(cloth);
        let tilt = UnitQuaternion::from_euler_angles(0.6, 0.2, 0.7);
        let pose = Isometry3::from_parts(Translation3::new(0.033, 0.2, 0.047), tilt);
        let shape = Shape::Cuboid { half_extents: Vector3::new(0.02, 0.025, 0.03) };
        let collider = Collider::new(shape, pose, 0.4).unwrap();
        let collider = if guarded { collider.guarded().unwrap() } else { collider };
        let id = builder.add_rigid_body(RigidBodyDesc::new(collider, 0.1));
        let mut sim = builder.build().unwrap();
        for _ in 0..90 {
            sim.step(DT).unwrap();
            assert!(sim.intersections(IntersectionFilter::CLOTH).unwrap().is_clean());
        }
        sim.rigid_body(id).unwrap().pose.translation.y > -0.5
    };
    assert!(caught(true));
    assert!(!caught(false), "the coarse sheet does not hold it without its frame");
}

#[test]
fn cloth_under_a_body_stays_awake_and_bodies_can_be_removed() {
    let sleep = Some(Sleep { after: 0.2, speed: 0.5 });
    let (mut sim, id) = held_sheet(Settings { sleep, air_damping: 3.0, ..Settings::default() }, 0.11, false);
    advance(&mut sim, 240);
    assert!(!sim.is_asleep(cloth_id(0)).unwrap());
    let height = sim.rigid_body(id).unwrap().pose.translation.y;
    advance(&mut sim, 60);
    assert!((sim.rigid_body(id).unwrap().pose.translation.y - height).abs() < 0.05);
    sim.remove_collider(id).unwrap();
    assert!(matches!(sim.rigid_body(id), Err(StepError::NotFound { .. })));
    advance(&mut sim, 60);
    assert!(sim.colliders().is_empty());
}

#[test]
fn a_body_that_stays_keeps_its_motion_when_the_scene_is_edited() {
    let (mut sim, id) = held_sheet(Settings::default(), 0.5, true);
    advance(&mut sim, 10);
    let before = sim.rigid_body(id).unwrap();
    let second = sim.add_rigid_body(ball(0.05, [0.2, 0.4, 0.2], 0.1, 0.2)).unwrap();
    let after = sim.rigid_body(id).unwrap();
    assert_eq!((before.pose, before.velocity), (after.pose, after.velocity));
    sim.apply_rigid_impulse(second, Vector3::new(0.1, 0.0, 0.0), Vector3::zeros()).unwrap();
    assert!((sim.rigid_body(second).unwrap().velocity.x - 1.0).abs() < 1e-6);
}

#[test]
fn a_body_that_something_else_keeps_apart_falls_through_the_floor() {
    let body = RigidBodyDesc { touches_colliders: false, ..ball(0.1, [0.0, 0.3, 0.0], 1.0, 0.3) };
    let (mut sim, id) = on_floor(body, 0.3);
    advance(&mut sim, 60);
    let height = sim.rigid_body(id).unwrap().pose.translation.y;
    assert!((height - (0.3 - 0.5 * GRAVITY)).abs() < 0.02, "{height}");
}

#[test]
fn what_cannot_be_a_rigid_body_is_refused() {
    let build = |body: RigidBodyDesc| {
        let mut builder = SimulationBuilder::new(Settings::default());
        builder.add_rigid_body(body);
        builder.build().map(|_| ()).unwrap_err()
    };
    for mass in [0.0, -1.0, f32::NAN, f32::INFINITY] {
        let error = build(ball(0.1, [0.0; 3], mass, 0.1));
        assert!(matches!(error, BuildError::RigidBody { name: "mass", .. }), "{error}");
    }
    let velocity = Vector3::new(0.0, f32::NAN, 0.0);
    let error = build(RigidBodyDesc { velocity, ..ball(0.1, [0.0; 3], 1.0, 0.1) });
    assert!(matches!(error, BuildError::RigidBody { .. }), "{error}");
    let error = build(RigidBodyDesc::new(floor(0.1), 1.0));
    assert!(error.to_string().contains("sphere, a capsule or a box"), "{error}");

    let (mut sim, id) = on_floor(ball(0.1, [0.0, 0.1, 0.0], 1.0, 0.1), 0.1);
    let error = sim.move_collider(id, Isometry3::identity()).unwrap_err();
    assert_eq!(error, StepError::MovesRigidBody(id.index()));
    assert!(sim.rigid_body(collider_id(0)).is_err() && sim.rigid_body(collider_id(7)).is_err());
    assert!(sim.set_rigid_velocity(id, velocity, Vector3::zeros()).is_err());
    // Too fast to be a number after a step: the step is undone.
    sim.set_rigid_velocity(id, Vector3::zeros(), Vector3::repeat(f32::MAX)).unwrap();
    let before = sim.rigid_body(id).unwrap();
    assert_eq!(sim.step(DT).map(|_| ()).unwrap_err(), StepError::RigidBodyDiverged(id.index()));
    assert_eq!(sim.rigid_body(id).unwrap().pose, before.pose);
}

#[test]
fn every_heavy_ball_on_cloth_on_the_floor_is_supported() {
    // The ball over the vertices with the larger numbers comes first, and the floor after a ceiling.
    let mut builder = SimulationBuilder::new(Settings::default());
    let mesh = sheet(41, 0.8).translated(Vector3::y() * 0.003);
    builder.add_cloth(ClothDesc::new(mesh, Material::COTTON, Thickness::from_total(0.004, 0.2)));
    let upside_down = UnitQuaternion::from_axis_angle(&Vector3::x_axis(), std::f32::consts::PI);
    let ceiling = Isometry3::from_parts(Translation3::new(0.0, 2.0, 0.0), upside_down);
    builder.add_collider(Collider::new(Shape::Plane, ceiling, 0.4).unwrap());
    let balls = [0.2, -0.2].map(|z| builder.add_rigid_body(ball(0.08, [0.01, 0.086, z], 20.0, 0.4)));
    builder.add_collider(floor(0.4));
    let mut sim = builder.build().unwrap();
    let mut least = f64::MAX;
    for _ in 0..60 {
        let faces = sim.faces().to_vec();
        sim.step_with(DT, &mut |motion| {
            for id in balls {
                least = least.min(distance(motion.x_t1, &faces, &motion.colliders[id.index()]));
            }
        })
        .unwrap();
    }
    let heights = balls.map(|id| sim.rigid_body(id).unwrap().pose.translation.y);
    println!("{heights:?} {least}");
    assert!((heights[0] - heights[1]).abs() < 2e-4, "{heights:?}");
    assert!(least > -1e-3, "{least}");
}
