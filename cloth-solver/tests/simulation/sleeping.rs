//! Sleeping: who falls asleep, what wakes them, and that nothing else changes.

use cloth_geom::fixtures;
use cloth_solver::{
    ClothDesc, Collider, Gusts, IntersectionFilter, MeshBodyDesc, MeshBodyId, RigidBodyDesc, Settings, Shape,
    Simulation, SimulationBuilder, Sleep, Snapshot, Thickness, Waypoints, Wind,
};
use nalgebra::{Isometry3, Point3, Vector3};

use crate::ids::{cloth_id, collider_id};
use crate::scenes::{cotton, last_corners, sheet, upright, weightless};

const DT: f32 = 1.0 / 60.0;
/// Numbers of colliders.
const FLOOR: usize = 0;
const BALL: usize = 1;

fn awake() -> Settings {
    Settings { sleep: None, ..Settings::game() }
}

/// A sheet of 30 cm, `height` (m) above the floor, `x` (m) to the side.
fn mat(x: f64, height: f64) -> ClothDesc {
    cotton(sheet(12, 0.3).translated([x, height, 0.0].into()))
}

fn world(settings: Settings, cloths: Vec<ClothDesc>) -> Simulation {
    let mut scene = SimulationBuilder::new(settings);
    for cloth in cloths {
        scene.add_cloth(cloth);
    }
    scene.add_collider(Collider::new(Shape::Plane, Isometry3::identity(), 0.5).unwrap());
    let ball = Shape::Sphere { radius: 0.1 };
    scene.add_collider(Collider::new(ball, Isometry3::translation(0.0, 3.0, 0.0), 0.5).unwrap());
    scene.build().unwrap()
}

/// Steps until everything sleeps; the number of steps.
fn settle(sim: &mut Simulation) -> usize {
    (1..400)
        .find(|_| {
            let sleeping = sim.step(DT).unwrap().sleeping;
            sleeping == sim.cloth_count()
        })
        .expect("everything sleeps within seven seconds")
}

fn is_asleep(sim: &Simulation, cloth: usize) -> bool {
    sim.is_asleep(cloth_id(cloth)).unwrap()
}

#[test]
fn resting_cloth_sleeps_after_half_a_second_and_then_costs_no_substep() {
    let mut sim = world(Settings::game(), vec![mat(0.0, 0.02)]);
    let steps = settle(&mut sim);
    assert!(steps > 30, "{steps} steps: it sleeps before half a second is over");
    let hash = sim.state_hash();
    let mut motions = 0;
    for _ in 0..100 {
        let report = sim.step_with(DT, &mut |_| motions += 1).unwrap();
        assert_eq!((report.substeps, report.sleeping, report.narrow_phase_tests), (0, 1, 0));
    }
    assert_eq!((sim.state_hash(), motions), (hash, 0));
    assert_eq!(sim.kinetic_energy(), 0.0);
    assert!(sim.intersections(IntersectionFilter::CLOTH).unwrap().is_clean());
}

#[test]
fn nothing_changes_before_the_first_cloth_sleeps() {
    let [mut sleepy, mut awake] =
        [Settings::game(), awake()].map(|settings| world(settings, vec![mat(0.0, 0.02), mat(0.1, 0.05)]));
    while sleepy.step(DT).unwrap().sleeping == 0 {
        awake.step(DT).unwrap();
        assert_eq!(sleepy.state_hash(), awake.state_hash());
    }
    awake.step(DT).unwrap();
    assert_eq!(sleepy.positions(), awake.positions(), "falling asleep only stops it");
}

#[test]
fn swinging_cloth_stays_awake_at_its_turning_points() {
    let mut sim = world(
        Settings::game(),
        vec![{
            let mesh = upright(12, 0.3).rotated(Vector3::x_axis(), 1.2).translated([0.0, 1.0, 0.0].into());
            ClothDesc { pins: last_corners(12), ..cotton(mesh) }
        }],
    );
    for step in 0..60 {
        assert_eq!(sim.step(DT).unwrap().sleeping, 0, "step {step}");
    }
}

#[test]
fn changes_wake_it() {
    type Change = (&'static str, fn(&mut Simulation));
    let changes: [Change; 11] = [
        ("wake", |sim| sim.wake(cloth_id(0)).unwrap()),
        ("velocity", |sim| sim.set_velocity(cloth_id(0), 3, Vector3::y()).unwrap()),
        ("mass", |sim| sim.set_mass(cloth_id(0), 3, 0.01).unwrap()),
        ("pin", |sim| sim.pin_all(cloth_id(0), &[3, 4]).unwrap()),
        ("gravity", |sim| sim.set_gravity(Vector3::new(1.0, -9.0, 0.0)).unwrap()),
        ("remove the floor", |sim| drop(sim.remove_collider(collider_id(FLOOR)).unwrap())),
        ("teleport", |sim| sim.teleport(cloth_id(0), &Isometry3::translation(0.0, 0.1, 0.0)).unwrap()),
        ("teleport the floor", |sim| {
            sim.teleport_collider(collider_id(FLOOR), Isometry3::translation(0.0, -1.0, 0.0)).unwrap();
        }),
        ("add a cloth", |sim| {
            sim.add_cloth(mat(2.0, 1.0)).unwrap();
        }),
        ("reset", Simulation::reset),
        ("edit nothing", |sim| sim.edit(|_| Ok(())).unwrap()),
    ];
    let mut asleep = world(Settings::game(), vec![mat(0.0, 0.02)]);
    settle(&mut asleep);
    for (name, change) in changes {
        let mut sim = asleep.clone();
        change(&mut sim);
        assert!(!is_asleep(&sim, 0), "{name}");
        assert_eq!(sim.step(DT).unwrap().substeps, Settings::game().substeps, "{name}");
    }
    let mut sim = asleep.clone();
    sim.set_gravity(sim.settings().gravity).unwrap();
    assert!(is_asleep(&sim, 0), "a setting that stays the same is no change");
    assert!(sim.wake(cloth_id(7)).is_err() && sim.is_asleep(cloth_id(7)).is_err());
}

#[test]
fn a_collider_wakes_it_when_it_comes_near_and_not_before() {
    let mut sim = world(Settings::game(), vec![mat(0.0, 0.02), mat(1.0, 0.02)]);
    settle(&mut sim);
    let mut height = 3.0;
    while height > 0.13 {
        assert!(is_asleep(&sim, 0), "the ball is still {height} m up");
        height -= 0.01;
        sim.move_collider(collider_id(BALL), Isometry3::translation(0.0, height, 0.0)).unwrap();
        sim.step(DT).unwrap();
    }
    sim.move_collider(collider_id(BALL), Isometry3::translation(0.0, 0.11, 0.0)).unwrap();
    sim.step(DT).unwrap();
    assert!(!is_asleep(&sim, 0) && is_asleep(&sim, 1), "only the mat under the ball wakes");
    // It cannot sleep while the ball goes on moving there, however slowly.
    for step in 0..60 {
        sim.move_collider(collider_id(BALL), Isometry3::translation(1e-5 * step as f32, 0.11, 0.0)).unwrap();
        sim.step(DT).unwrap();
        assert!(!is_asleep(&sim, 0));
    }
    settle(&mut sim);
}

#[test]
fn a_mesh_body_that_moves_away_drops_it() {
    let mut scene = SimulationBuilder::new(Settings::game());
    let table = sheet(6, 0.4);
    let body = MeshBodyDesc { mesh: table.clone(), thickness: Thickness::for_mesh(&table) };
    let body: MeshBodyId = scene.add_mesh_body(body);
    scene.add_cloth(mat(0.0, 0.05));
    let mut sim: Simulation = scene.build().unwrap();
    settle(&mut sim);
    let lowered: Vec<_> =
        table.positions.iter().map(|p| Point3::new(p.x as f32, -0.02, p.z as f32)).collect();
    sim.move_mesh_body(body, &lowered).unwrap();
    sim.step(DT).unwrap();
    assert!(!is_asleep(&sim, 0));
    settle(&mut sim);
    assert!(sim.aabb(cloth_id(0)).unwrap()[1].y < 0.02, "it has followed the table");
}

#[test]
fn a_moving_pin_wakes_it_and_a_target_in_place_does_not() {
    let hung =
        ClothDesc { pins: last_corners(12), ..cotton(upright(12, 0.3).translated([0.0, 1.0, 0.0].into())) };
    let mut sim = world(Settings::game(), vec![hung]);
    settle(&mut sim);
    let pin = last_corners(12)[0];
    let place = sim.positions()[pin as usize];
    sim.move_pin(cloth_id(0), pin, place).unwrap();
    assert_eq!(sim.step(DT).unwrap().substeps, 0);
    sim.move_pin(cloth_id(0), pin, place + Vector3::new(0.0, 0.001, 0.0)).unwrap();
    sim.step(DT).unwrap();
    assert!(!is_asleep(&sim, 0));
    assert!(sim.move_pin(cloth_id(0), 5, place).is_err(), "vertex 5 is not pinned, only asleep");
}

#[test]
fn cloths_that_touch_sleep_and_wake_together() {
    let mut sim = world(Settings::game(), vec![mat(0.0, 0.02), mat(0.05, 0.05), mat(2.0, 0.02)]);
    let mut before = [false; 3];
    while before != [true; 3] {
        sim.step(DT).unwrap();
        let now = [0, 1, 2].map(|cloth| is_asleep(&sim, cloth));
        assert_eq!(now[0], now[1], "the two that lie on each other");
        before = now;
    }
    // The lower one is pulled away; the upper one must not stay in the air.
    sim.set_velocity(cloth_id(0), 3, Vector3::y()).unwrap();
    sim.step(DT).unwrap();
    assert_eq!([0, 1, 2].map(|cloth| is_asleep(&sim, cloth)), [false, false, true]);
}

#[test]
fn falling_cloth_wakes_what_it_lands_on_and_crosses_nothing() {
    let mut sim = world(Settings::game(), vec![mat(0.0, 0.02), mat(0.05, 1.0)]);
    let (mut slept, mut woke) = (false, false);
    for _ in 0..240 {
        sim.step(DT).unwrap();
        slept |= is_asleep(&sim, 0) && !is_asleep(&sim, 1);
        woke |= slept && !is_asleep(&sim, 0);
        assert!(sim.intersections(IntersectionFilter::CLOTH).unwrap().is_clean());
    }
    assert!(slept && woke, "it slept: {slept}, it was woken: {woke}");
    settle(&mut sim);
}

#[test]
fn a_distant_sleeping_cloth_changes_no_bit_of_an_awake_one() {
    let hung = || {
        let mesh = upright(12, 0.3).rotated(Vector3::x_axis(), 1.2).translated([2.0, 1.0, 0.0].into());
        ClothDesc { pins: last_corners(12), ..cotton(mesh) }
    };
    let [mut sleepy, mut awake] =
        [Settings::game(), awake()].map(|settings| world(settings, vec![mat(0.0, 0.02), hung()]));
    let swing = sleepy.cloth_vertices(cloth_id(1)).unwrap();
    for _ in 0..120 {
        sleepy.step(DT).unwrap();
        awake.step(DT).unwrap();
        assert_eq!(sleepy.positions()[swing.clone()], awake.positions()[swing.clone()]);
    }
    assert!(is_asleep(&sleepy, 0) && !is_asleep(&sleepy, 1));
}

#[test]
fn sleeping_is_reproducible_over_snapshots_and_threads() {
    let scene = |threads| {
        let settings = Settings { threads, ..Settings::game() };
        world(settings, vec![mat(0.0, 0.02), mat(0.05, 1.0), mat(2.0, 0.02)])
    };
    let mut sims = [scene(1), scene(3), scene(1)];
    let mut other = 0;
    for step in 0..150 {
        if step % 7 == 0 {
            // The last one lives through snapshots, which hold who sleeps.
            let snapshot: Snapshot = sims[2].snapshot();
            sims[2] = scene(1);
            sims[2].restore(&snapshot).unwrap();
        }
        let after: Vec<_> = sims
            .iter_mut()
            .map(|sim| {
                let sleeping = sim.step(DT).unwrap().sleeping;
                (sleeping, sim.state_hash())
            })
            .collect();
        assert!(after.iter().all(|end| *end == after[0]), "step {step}: {after:?}");
        other = other.max(after[0].0);
    }
    assert!(other > 0, "some of them slept");
}

#[test]
fn bad_settings_are_errors() {
    for (after, speed) in [(-1.0, 0.1), (f32::NAN, 0.1), (0.5, f32::INFINITY), (0.5, -0.1)] {
        let settings = Settings { sleep: Some(Sleep { after, speed }), ..Settings::default() };
        let built = SimulationBuilder::new(settings).build();
        assert!(built.is_err_and(|error| error.to_string().contains("sleep.")));
    }
}

/// Settings in which cloth sleeps as soon as it may, and gusts in which it may not.
fn gusty() -> Settings {
    let gusts = Some(Gusts { strength: 3.0, ..Gusts::default() });
    let wind = Wind { gusts, ..Wind::default() };
    Settings { sleep: Some(Sleep { after: 0.0, speed: 0.5 }), wind, ..Settings::game() }
}

#[test]
fn no_cloth_falls_asleep_in_gusts_however_short_its_rest() {
    let mut sim = world(gusty(), vec![mat(0.0, 0.02), mat(1.0, 1.0)]);
    for step in 0..60 {
        assert_eq!(sim.step(DT).unwrap().sleeping, 0, "step {step}");
    }
}

#[test]
fn cloth_in_motion_stays_awake_however_short_its_rest() {
    let settings = Settings { sleep: Some(Sleep { after: 0.0, ..Sleep::default() }), ..Settings::game() };
    let mut sim = world(settings, vec![mat(0.0, 1.0)]);
    for step in 0..10 {
        assert_eq!(sim.step(DT).unwrap().sleeping, 0, "step {step}");
    }
    settle(&mut sim);
}

#[test]
fn cloth_that_slides_stays_awake_however_slow_it_is() {
    let settings = Settings { sleep: Some(Sleep::default()), ..weightless() };
    let drifting = |speed: f32| {
        let mut scene = SimulationBuilder::new(settings);
        scene.add_cloth(mat(0.0, 1.0));
        let mut sim = scene.build().unwrap();
        for v in 0..sim.positions().len() as u32 {
            sim.set_velocity(cloth_id(0), v, Vector3::x() * speed).unwrap();
        }
        (0..120).find(|_| sim.step(DT).unwrap().sleeping > 0)
    };
    let Sleep { speed, .. } = Sleep::default();
    assert_eq!(drifting(0.8 * speed), None);
    let slept = drifting(0.03 * speed).expect("it hardly moves");
    assert!((28..=32).contains(&slept), "{slept}");
}

#[test]
fn restore_and_rollback_keep_who_sleeps_in_any_settings() {
    let quick = Settings { sleep: Some(Sleep { after: 0.0, speed: 0.1 }), ..Settings::game() };
    let mut asleep = world(quick, vec![mat(0.0, 0.02), mat(2.0, 10.0)]);
    while !is_asleep(&asleep, 0) {
        asleep.step(DT).unwrap();
    }
    let saved = asleep.snapshot();
    for settings in [quick, gusty(), Settings { sleep: None, ..quick }] {
        let mut sim = asleep.clone();
        sim.set_settings(settings).unwrap();
        let mut other = sim.clone();
        (0..5).for_each(|_| _ = other.step(DT).unwrap());
        for sim in [&mut sim, &mut other] {
            sim.restore(&saved).unwrap();
            assert_eq!(sim.snapshot().difference(&saved), None);
            assert!(is_asleep(sim, 0));
            // Too short for `f32`: its inverse overflows.
            assert!(sim.step(1e-40).is_err());
            assert_eq!(sim.snapshot().difference(&saved), None, "after a step that failed");
            sim.step(DT).unwrap();
            assert_eq!(is_asleep(sim, 0), settings == quick);
        }
        assert_eq!(sim.snapshot().difference(&other.snapshot()), None);
    }
}

#[test]
fn a_difference_between_snapshots_is_named() {
    let mut sim = world(Settings::game(), vec![mat(0.0, 0.02)]);
    settle(&mut sim);
    let before = sim.snapshot();
    sim.wake_all();
    assert_eq!(before.difference(&sim.snapshot()).as_deref(), Some("masses"));
    sim.restore(&before).unwrap();
    sim.move_collider(collider_id(BALL), Isometry3::translation(0.0, 2.0, 0.0)).unwrap();
    assert_eq!(before.difference(&sim.snapshot()).as_deref(), Some("poses of colliders"));
}

/// A sheet that hangs from its upper row at rest in the plane z = 0, `x` (m) to the side and 1 m up, and a
/// rigid body that no gravity acts on.
fn curtain_and_body(settings: Settings, x: f64, body: &RigidBodyDesc) -> Simulation {
    let mut scene = SimulationBuilder::new(settings);
    let mesh = upright(12, 0.3).translated([x, 1.0, 0.0].into());
    scene.add_cloth(ClothDesc { pins: (132..144).collect(), ..cotton(mesh) });
    scene.add_rigid_body(RigidBodyDesc { gravity_scale: 0.0, ..body.clone() });
    scene.build().unwrap()
}

/// How far (m) a point is inside a box.
fn depth_in_box(p: &Point3<f32>, pose: &Isometry3<f32>, half: &Vector3<f32>) -> f32 {
    let local = pose.inverse_transform_point(p);
    (0..3).map(|k| half[k] - local[k].abs()).fold(f32::INFINITY, f32::min)
}

/// Settles the curtain, and lets a long box that spins beside it sweep through its place. How deep the cloth
/// is in the box at most (m), and the angular velocity (rad/s) that is left; the cloth moves in every substep
/// in which it touches the box.
fn sweep_with_a_box(settings: Settings, guarded: bool) -> (f32, f32) {
    let half = Vector3::new(0.5, 0.1, 0.02);
    let pose = Isometry3::translation(0.0, 1.0, -0.4);
    let collider = Collider::new(Shape::Cuboid { half_extents: half }, pose, 0.3).unwrap();
    let collider = if guarded { collider.guarded().unwrap() } else { collider };
    // The tip passes the plane of the curtain in its middle, from behind.
    let mut sim = curtain_and_body(settings, 0.3, &RigidBodyDesc::new(collider, 0.5));
    (0..90).for_each(|_| _ = sim.step(DT).unwrap());
    assert_eq!(is_asleep(&sim, 0), settings.sleep.is_some());
    let body = collider_id(0);
    sim.set_rigid_velocity(body, Vector3::zeros(), Vector3::new(0.0, -20.0, 0.0)).unwrap();
    let count = sim.cloth_vertices(cloth_id(0)).unwrap().end;
    let thickness = mat(0.0, 0.0).thickness;
    let (mut deepest, mut touching) = (0.0_f32, 0);
    for _ in 0..6 {
        sim.step_with(DT, &mut |motion| {
            let pose = motion.colliders[0].pose_t1;
            let deep = |p: &Point3<f32>| depth_in_box(p, &pose, &half);
            let now = motion.x_t1[..count].iter().map(deep).fold(f32::NEG_INFINITY, f32::max);
            deepest = deepest.max(now);
            if now > -thickness.radius {
                touching += 1;
                assert!(motion.x_t0[..count] != motion.x_t1[..count], "it is touched and does not move");
            }
        })
        .unwrap();
    }
    assert!(touching > 3, "{touching}");
    (deepest, sim.rigid_body(body).unwrap().angular_velocity.norm())
}

#[test]
fn a_spinning_body_wakes_what_it_sweeps_through() {
    for guarded in [false, true] {
        let [(asleep, spin), (awake, awake_spin)] =
            [Settings::game(), awake()].map(|settings| sweep_with_a_box(settings, guarded));
        println!("guarded {guarded}: {asleep} m deep at {spin} rad/s; awake {awake} m, {awake_spin} rad/s");
        // Half of the box is 20 mm thick.
        assert!(asleep.max(awake) < 0.008, "{asleep} m deep, awake {awake} m");
        assert!((spin / awake_spin - 1.0).abs() < 0.15, "{spin} rad/s is left, awake {awake_spin}");
    }
}

#[test]
fn a_fast_body_wakes_what_it_reaches_within_a_long_step() {
    let ball = Shape::Sphere { radius: 0.1 };
    let ball = Collider::new(ball, Isometry3::translation(0.0, 1.0, -3.0), 0.3).unwrap();
    let mut sim = curtain_and_body(Settings::game(), 0.0, &RigidBodyDesc::new(ball, 0.5));
    settle(&mut sim);
    let velocity = Vector3::new(0.0, 0.0, 10.0);
    sim.set_rigid_velocity(collider_id(0), velocity, Vector3::zeros()).unwrap();
    let count = sim.cloth_vertices(cloth_id(0)).unwrap().end;
    let mut reached = 0;
    sim.step_with(0.5, &mut |motion| {
        let [from, to] = [motion.colliders[0].pose_t0, motion.colliders[0].pose_t1];
        if from.translation.z < -0.1 && to.translation.z > -0.1 {
            reached += 1;
            assert!(motion.x_t0[..count] != motion.x_t1[..count], "it is reached and does not move");
        }
    })
    .unwrap();
    assert_eq!(reached, 1);
    assert!(!is_asleep(&sim, 0));
}

#[test]
fn falling_cloth_moves_sleeping_cloth_in_the_substep_of_contact() {
    let held = ClothDesc { pins: (0..144).collect(), ..mat(0.05, 0.3) };
    // Without air, or it would not be fast enough to be seen and to arrive within one step.
    let mut sim = world(Settings { wind: Wind::VACUUM, ..Settings::game() }, vec![mat(0.0, 0.02), held]);
    settle(&mut sim);
    sim.unpin_all(cloth_id(1), &(0..144).collect::<Vec<_>>()).unwrap();
    (0..144).for_each(|v| sim.set_velocity(cloth_id(1), v, Vector3::new(0.0, -25.0, 0.0)).unwrap());
    let [low, high] = [0, 1].map(|cloth| sim.cloth_vertices(cloth_id(cloth)).unwrap());
    let thickness = mat(0.0, 0.0).thickness;
    let mut first = None;
    for _ in 0..30 {
        let mut substep_of_contact = None;
        sim.step_with(DT, &mut |motion| {
            let lowest = motion.x_t1[high.clone()].iter().map(|p| p.y).fold(f32::INFINITY, f32::min);
            let top = motion.x_t0[low.clone()].iter().map(|p| p.y).fold(f32::NEG_INFINITY, f32::max);
            if first.is_none() && lowest < top + 2.5 * thickness.radius {
                let moves = motion.x_t0[low.clone()] != motion.x_t1[low.clone()];
                first = Some(moves);
                substep_of_contact = Some((motion.substep, motion.substeps));
            }
        })
        .unwrap();
        if let Some((substep, substeps)) = substep_of_contact {
            assert!(substep + 1 < substeps, "in the last substep the test proves nothing");
        }
        assert!(sim.intersections(IntersectionFilter::CLOTH).unwrap().is_clean());
    }
    assert_eq!(first, Some(true));
}

#[test]
fn a_body_that_leaves_and_returns_wakes_what_is_between() {
    let mut scene = SimulationBuilder::new(Settings::game());
    let ball = fixtures::icosphere(1, 0.05).unwrap().translated([0.0, 1.0, -0.5].into());
    let body = MeshBodyDesc { mesh: ball.clone(), thickness: Thickness::for_mesh(&ball) };
    let body = scene.add_mesh_body(body);
    let curtain = upright(12, 0.3).translated([0.0, 1.0, 0.0].into());
    scene.add_cloth(ClothDesc { pins: (132..144).collect(), ..cotton(curtain) });
    let mut sim = scene.build().unwrap();
    settle(&mut sim);
    let beyond: Vec<_> = ball.positions.iter().map(|p| p.cast() + Vector3::new(0.0, 0.0, 1.0)).collect();
    let mut waypoints = Waypoints::new(1).unwrap();
    waypoints.set_mesh_body(body, 0, &beyond).unwrap();
    sim.step_through(DT, &waypoints, &mut |_| {}).unwrap();
    assert!(!is_asleep(&sim, 0));
}
