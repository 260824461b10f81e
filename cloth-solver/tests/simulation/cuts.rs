//! Cuts: pins that are elsewhere in the next frame take their cloth with them.

use cloth_geom::fixtures;
use cloth_solver::{
    ClothDesc, Collider, IntersectionFilter, Material, MeshBodyDesc, Settings, Shape, Simulation,
    SimulationBuilder, Teleport, Thickness,
};
use nalgebra::{Isometry3, UnitQuaternion, Vector3};

use crate::ids::{cloth_id, collider_id};
use crate::scenes::{cotton, run, upright};

const FRAME: f32 = 1.0 / 60.0;

fn cutting() -> Settings {
    Settings { teleport: Some(Teleport::default()), ..Settings::default() }
}

/// A sheet that hangs by its upper border.
fn cape(settings: Settings) -> (Simulation, Vec<u32>) {
    let mut builder = SimulationBuilder::new(settings);
    let mut cloth = cotton(upright(10, 0.9));
    let top = cloth.mesh.positions.iter().map(|p| p.y).fold(f64::MIN, f64::max);
    cloth.pins = (0..100).filter(|&v| cloth.mesh.positions[v as usize].y > top - 1e-6).collect();
    let pins = cloth.pins.clone();
    builder.add_cloth(cloth);
    (builder.build().expect("a scene"), pins)
}

fn place(sim: &mut Simulation, pins: &[u32], motion: &Isometry3<f32>) {
    for &v in pins {
        let target = motion * sim.positions()[v as usize];
        sim.move_pin(cloth_id(0), v, target).expect("a pin");
    }
}

#[test]
fn pins_that_go_far_take_their_cloth_along() {
    let (mut sim, pins) = cape(cutting());
    run(&mut sim, 20);
    let before = sim.positions().to_vec();
    let velocities = sim.velocities().to_vec();
    let half = UnitQuaternion::from_axis_angle(&Vector3::y_axis(), std::f32::consts::PI);
    let motion = Isometry3::from_parts(Vector3::new(20.0, 1.0, -3.0).into(), half);
    place(&mut sim, &pins, &motion);
    let mut starts = Vec::new();
    sim.step_with(FRAME, &mut |motion| starts.push((motion.x_t0.to_vec(), motion.cuts.len())))
        .expect("a step");
    let cut = sim.cuts();
    assert!(cut.len() == 1 && (cut[0].degrees - 180.0).abs() < 0.01, "{cut:?}");
    assert_eq!((sim.report().cuts, starts[0].1, starts[1].1), (1, 1, 0));
    let farthest =
        (starts[0].0.iter().zip(&before)).map(|(now, p)| (now - motion * p).norm()).fold(0.0, f32::max);
    assert!(farthest < 1e-4, "{farthest} m from where the motion takes it");
    let change = (sim.velocities().iter().zip(&velocities)).map(|(now, v)| (now - half * v).norm());
    assert!(change.fold(0.0, f32::max) < 0.5, "velocities are those of before, turned");
    run(&mut sim, 1);
    assert!(sim.cuts().is_empty() && sim.intersections(IntersectionFilter::ALL).expect("finite").is_clean());
}

/// A patch of a tenth of a metre, held by one side on a hand that is 0.3 m from the axis it turns about.
#[test]
fn a_patch_on_a_fast_hand_is_never_teleported() {
    for rate in [30.0, 60.0, 240.0_f32] {
        let mut builder = SimulationBuilder::new(cutting());
        let mut cloth = cotton(upright(5, 0.1));
        cloth.pins = (20..25).collect();
        builder.add_cloth(cloth);
        let mut sim = builder.build().expect("a patch");
        let start: Vec<_> = (20..25).map(|v| sim.positions()[v as usize]).collect();
        for frame in 0..rate as usize / 2 {
            // 10 m/s from the first frame on, and back after a quarter of a second.
            let time = (frame + 1) as f32 / rate;
            let along = if time < 0.25 { 10.0 * time } else { 5.0 - 10.0 * time };
            for (v, p) in (20..25).zip(&start) {
                sim.move_pin(cloth_id(0), v, p + Vector3::x() * along).expect("a pin");
            }
            sim.step(1.0 / rate).expect("a step");
            assert!(sim.cuts().is_empty(), "frame {frame} at {rate} Hz: {:?}", sim.cuts());
        }
    }
}

#[test]
fn pins_that_do_not_move_alike_are_not_cut() {
    let (mut sim, pins) = cape(cutting());
    run(&mut sim, 5);
    // All of them go 1.5 m, and apart by a fifth of the sheet.
    for (k, &v) in pins.iter().enumerate() {
        let by = Vector3::new(1.5, 0.0, 0.0) + Vector3::z() * (0.2 * (k % 2) as f32);
        sim.move_pin(cloth_id(0), v, sim.positions()[v as usize] + by).expect("a pin");
    }
    sim.step(FRAME).expect("a step");
    assert!(sim.cuts().is_empty(), "{:?}", sim.cuts());
}

#[test]
fn what_goes_on_as_fast_is_cut_once() {
    let (mut sim, pins) = cape(cutting());
    let mut cuts = Vec::new();
    for _ in 0..4 {
        place(&mut sim, &pins, &Isometry3::translation(1.6, 0.0, 0.0));
        sim.step(FRAME).expect("a step");
        cuts.push(sim.report().cuts);
    }
    assert_eq!(cuts, [1, 0, 0, 0], "a motion of 96 m/s is none from its second frame on");
}

/// A sheet around a ball, which is a collider or a mesh body, and without pins.
fn robe(as_mesh: bool) -> Simulation {
    let mut builder = SimulationBuilder::new(cutting());
    let mesh = fixtures::icosphere(2, 0.2).expect("a ball").mapped(|p| p + Vector3::y() * 1.2);
    let cloth = ClothDesc::new(mesh, Material::COTTON, Thickness::from_total(0.004, 0.4));
    builder.add_cloth(cloth);
    let ball = fixtures::icosphere(2, 0.18).expect("a ball").mapped(|p| p + Vector3::y() * 1.2);
    if as_mesh {
        builder.add_mesh_body(MeshBodyDesc { mesh: ball, thickness: Thickness::from_total(0.004, 0.4) });
    } else {
        let pose = Isometry3::translation(0.0, 1.2, 0.0);
        builder.add_collider(Collider::new(Shape::Sphere { radius: 0.18 }, pose, 0.3).expect("a ball"));
    }
    builder.add_collider(Collider::new(Shape::Plane, Isometry3::identity(), 0.3).expect("a floor"));
    builder.build().expect("a scene")
}

#[test]
fn a_garment_without_pins_goes_with_what_is_under_it() {
    for as_mesh in [false, true] {
        let mut sim = robe(as_mesh);
        run(&mut sim, 10);
        let before = sim.positions().to_vec();
        let motion = Isometry3::translation(-8.0, 0.5, 3.0);
        if as_mesh {
            let body = sim.mesh_body_id(0).expect("a body");
            let first = before.len() - 162;
            let there: Vec<_> = before[first..].iter().map(|p| motion * p).collect();
            sim.move_mesh_body(body, &there).expect("a body");
        } else {
            sim.move_collider(collider_id(0), motion * sim.colliders()[0].pose_t0).expect("a ball");
        }
        sim.step(FRAME).expect("a step");
        assert_eq!(sim.report().cuts, 1, "as a mesh: {as_mesh}");
        let moved = |v: usize| (sim.positions()[v] - motion * before[v]).norm();
        assert!((0..162).map(moved).fold(0.0, f32::max) < 0.02, "as a mesh: {as_mesh}");
        assert_eq!(sim.report().gate.released, 0);
        assert!(sim.intersections(IntersectionFilter::ALL).expect("finite").is_clean());
    }
}

#[test]
fn a_cut_is_part_of_what_a_snapshot_restores() {
    let (mut sim, pins) = cape(cutting());
    run(&mut sim, 3);
    place(&mut sim, &pins, &Isometry3::translation(5.0, 0.0, 0.0));
    run(&mut sim, 1);
    let snapshot = sim.snapshot();
    let on = |sim: &mut Simulation| {
        place(sim, &pins, &Isometry3::translation(5.0, 0.0, 0.0));
        run(sim, 2);
        sim.state_hash()
    };
    let hash = on(&mut sim);
    sim.restore(&snapshot).expect("its own");
    assert_eq!(on(&mut sim), hash);
}

/// Without a cut: the lag falls in each step, at the velocity limit, and the cloth goes along.
#[test]
fn pins_that_are_too_fast_lag_and_take_their_cloth_along() {
    let (mut sim, pins) = cape(Settings::default());
    run(&mut sim, 20);
    let start = sim.positions().to_vec();
    place(&mut sim, &pins, &Isometry3::translation(12.0, 0.0, 0.0));
    let mut lag = 12.0;
    for step in 1..=8 {
        sim.step(FRAME).expect("a step");
        let now = sim.report().gate.pin_lag_m;
        let expected = (12.0 - 100.0 * FRAME * step as f32).max(0.0);
        assert!(
            now < lag && (now - expected).abs() < 1e-3,
            "step {step}: {now} m behind, expected {expected}"
        );
        lag = now;
        let apart = |v: usize| ((sim.positions()[v] - sim.positions()[90]) - (start[v] - start[90])).norm();
        assert!((0..100).map(apart).fold(0.0, f32::max) < 0.1, "step {step}: the sheet keeps its shape");
    }
    assert_eq!(lag, 0.0);
    let there =
        pins.iter().map(|&v| (sim.positions()[v as usize] - start[v as usize] - Vector3::x() * 12.0).norm());
    assert!(there.fold(0.0, f32::max) < 1e-5);
    run(&mut sim, 10);
    assert_eq!(sim.report().gate.frozen_vertices, 0);
}

/// A sheet that is held at both ends, one of which leaves: nothing can follow that.
#[test]
fn cloth_that_is_pulled_apart_is_an_error_that_names_it() {
    let mut builder = SimulationBuilder::new(Settings::default());
    let mut cloth = cotton(upright(10, 0.5));
    cloth.pins = vec![90, 99];
    builder.add_cloth(cloth);
    let mut sim = builder.build().expect("a sheet");
    run(&mut sim, 2);
    sim.move_pin(cloth_id(0), 99, sim.positions()[99] + Vector3::x() * 50.0).expect("a pin");
    let failed = (0..40).find_map(|_| {
        let before = sim.state_hash();
        let error = sim.step(FRAME).map(|_| ()).err()?;
        assert_eq!(sim.state_hash(), before, "the step is undone");
        Some(error.to_string())
    });
    let error = failed.expect("an error");
    assert!(error.contains("of cloth 0 is") && error.contains("from what holds it"), "{error}");
}

#[test]
fn a_lag_goes_on_from_snapshots_and_after_failed_steps() {
    let mut builder = SimulationBuilder::new(Settings::default());
    let mut cloth = cotton(upright(10, 0.9));
    cloth.pins = (90..100).collect();
    builder.add_cloth(cloth);
    let pose = Isometry3::translation(0.3, 0.4, -0.3);
    builder.add_collider(Collider::new(Shape::Sphere { radius: 0.2 }, pose, 0.3).expect("a ball"));
    let mut sim = builder.build().expect("a scene");
    let pins: Vec<u32> = (90..100).collect();
    run(&mut sim, 3);
    let away = Isometry3::translation(12.0, 0.0, 0.0);
    place(&mut sim, &pins, &away);
    sim.move_collider(collider_id(0), away * pose).expect("a ball");
    run(&mut sim, 2);
    let behind = (sim.colliders()[0].pose_t1.translation.vector - (away * pose).translation.vector).norm();
    assert!((behind - 12.0 + 2.0 * 100.0 * FRAME).abs() < 0.01, "the ball goes along: {behind} m behind");
    let snapshot = sim.snapshot();
    let on = |sim: &mut Simulation| {
        run(sim, 10);
        assert_eq!(sim.colliders()[0].pose_t1, away * pose, "it arrives");
        sim.state_hash()
    };
    let hash = on(&mut sim);
    sim.restore(&snapshot).expect("its own");
    assert_eq!(on(&mut sim), hash);
    sim.restore(&snapshot).expect("its own");
    assert!(sim.step(1e-40).is_err(), "1 / h is infinite");
    assert_eq!(on(&mut sim), hash);
}
