//! Jumps: teleport, reset, snapshot and restore.

use cloth_geom::TriMesh;
use cloth_solver::{Attachment, ClothDesc, Settings, Simulation, SimulationBuilder, StepError};
use nalgebra::{Isometry3, Quaternion, UnitQuaternion, Vector3};

use crate::ids::cloth_id;
use crate::scenes::{U, airless, alone, cotton, drape, last_corners, run, sheet, upright, weightless};

#[test]
fn a_snapshot_in_the_midst_of_contacts_goes_on_bit_for_bit() {
    let mut sim = drape(14);
    run(&mut sim, 45);
    assert!(sim.report().contacts > 0 && sim.report().collider_contacts > 0);
    let snapshot = sim.snapshot();
    let hashes = |sim: &mut Simulation| -> Vec<u64> {
        (0..20).map(|_| sim.step(1.0 / 60.0).map(|_| ()).map(|()| sim.state_hash()).unwrap()).collect()
    };
    let first = hashes(&mut sim);
    sim.restore(&snapshot).unwrap();
    assert_eq!(hashes(&mut sim), first, "in the same simulation");
    let mut other = drape(14);
    other.restore(&snapshot).unwrap();
    assert_eq!(hashes(&mut other), first, "in one built alike");
    run(&mut other, 3);
    other.restore(&snapshot).unwrap();
    assert_eq!(hashes(&mut other), first, "again, from another state");
}

#[test]
fn a_snapshot_keeps_pins_goals_and_colliders() {
    let mut cloth = cotton(upright(6, 0.3));
    cloth.pins = last_corners(6);
    let mut sim = alone(airless(), cloth);
    run(&mut sim, 5);
    sim.pin(cloth_id(0), 3).unwrap();
    sim.move_pin(cloth_id(0), 35, sim.positions()[35] + Vector3::y() * 0.1).unwrap();
    let snapshot = sim.snapshot();
    run(&mut sim, 2);
    let after = sim.state_hash();
    sim.set_mass(cloth_id(0), 3, 1.0).unwrap();
    run(&mut sim, 2);
    sim.restore(&snapshot).unwrap();
    run(&mut sim, 2);
    assert_eq!(sim.state_hash(), after);
}

#[test]
fn refuses_a_snapshot_of_another_size() {
    let mut sim = alone(airless(), cotton(sheet(6, 0.3)));
    let other = alone(airless(), cotton(sheet(7, 0.3))).snapshot();
    let before = sim.state_hash();
    let difference = "cloth 0 has 49 vertices there and 36 here".into();
    assert_eq!(sim.restore(&other), Err(StepError::IncompatibleSnapshot { difference }));
    assert_eq!(sim.state_hash(), before);
}

#[test]
fn reset_returns_to_the_start_and_runs_the_same_again() {
    let mut sim = drape(12);
    let (start, fresh) = (sim.positions().to_vec(), sim.state_hash());
    run(&mut sim, 40);
    let first = sim.state_hash();
    sim.reset();
    assert_eq!((sim.positions(), sim.state_hash()), (&start[..], fresh));
    run(&mut sim, 40);
    assert_eq!(sim.state_hash(), first);
}

#[test]
fn reset_forgets_tangles_so_that_a_run_repeats_the_first() {
    let settings = Settings { gate: true, ..weightless() };
    let mut builder = SimulationBuilder::new(settings);
    let pinned = |mesh: TriMesh| {
        let pins = (0..mesh.positions.len() as u32).collect();
        ClothDesc { pins, ..cotton(mesh) }
    };
    builder.add_cloth(pinned(sheet(24, 2.3)));
    builder.add_cloth(pinned(upright(6, 0.3).mapped(|p| p + Vector3::new(0.011, 0.11, 0.017))));
    let mut sim = builder.build().unwrap();
    run(&mut sim, 1);
    let tangles = sim.tangles().to_vec();
    assert_eq!(tangles.len(), 1);
    // Apart, and together elsewhere: a tangle whose sides are not those of the start.
    for jump in [Vector3::new(0.5, 0.5, 0.0), Vector3::new(0.0, -0.5, 0.0)] {
        sim.teleport(cloth_id(1), &Isometry3::translation(jump.x, jump.y, jump.z)).unwrap();
        run(&mut sim, 1);
    }
    assert!(sim.tangles().len() == 1 && sim.tangles() != tangles);
    sim.reset();
    run(&mut sim, 1);
    assert_eq!(sim.tangles(), tangles);
}

/// A sheet that is pinned at every second vertex and one that has been pushed down through it, its contacts
/// on their wrong side; and a third far off. A step is a substep, so that its report is of one detection.
fn pushed_through() -> Simulation {
    let mut builder = SimulationBuilder::new(Settings { substeps: 1, ..weightless() });
    builder.add_cloth(ClothDesc { pins: (0..36).step_by(2).collect(), ..cotton(sheet(6, 0.3)) });
    let at = |x: f64, y: f64| sheet(6, 0.3).mapped(|p| p + Vector3::new(x + 0.013, y, 0.007));
    builder.add_cloth(ClothDesc { pins: (0..36).collect(), ..cotton(at(0.0, 0.02)) });
    builder.add_cloth(cotton(at(5.0, 0.0)));
    let mut sim = builder.build().unwrap();
    for _ in 0..10 {
        for v in 0..36 {
            let p = sim.positions()[36 + v as usize];
            sim.move_pin(cloth_id(1), v, p - Vector3::y() * 0.004).unwrap();
        }
        run(&mut sim, 1);
    }
    assert!(sim.report().warnings.crossed_contacts > 10);
    sim
}

#[test]
fn a_teleport_leaves_the_contacts_of_other_cloths_on_their_sides() {
    let mut sim = pushed_through();
    let mut still = sim.clone();
    for step in 1..=5_u8 {
        sim.teleport(cloth_id(2), &Isometry3::translation(f32::from(step), 0.0, 0.0)).unwrap();
        run(&mut sim, 1);
        run(&mut still, 1);
        assert_eq!(sim.positions()[..72], still.positions()[..72], "step {step}");
    }
}

#[test]
fn a_teleport_turns_the_contacts_of_a_cloth_with_itself() {
    let mut both = sheet(6, 0.3);
    both.append(&sheet(6, 0.3).mapped(|p| p + Vector3::new(0.013, 0.02, 0.007)));
    let pins = (0..36).step_by(2).chain(36..72).collect();
    let mut sim = alone(weightless(), ClothDesc { pins, ..cotton(both) });
    for _ in 0..10 {
        for v in 36..72 {
            let p = sim.positions()[v as usize];
            sim.move_pin(cloth_id(0), v, p - Vector3::y() * 0.004).unwrap();
        }
        run(&mut sim, 1);
    }
    let edges_on_the_wrong_side =
        |sim: &Simulation| sim.contacts().edge_edges.iter().filter(|c| c.gap < 0.0).count();
    let mut turned = sim.clone();
    turned.teleport(cloth_id(0), &Isometry3::rotation(Vector3::x() * std::f32::consts::PI)).unwrap();
    [&mut sim, &mut turned].into_iter().for_each(|sim| run(sim, 1));
    let [here, there] = [&sim, &turned].map(edges_on_the_wrong_side);
    assert!(here > 20 && here.abs_diff(there) * 5 < here, "{here} edges, {there} if turned over");
}

#[test]
fn what_a_teleport_takes_a_cloth_into_is_a_tangle() {
    let mut builder = SimulationBuilder::new(Settings { gate: true, ..weightless() });
    builder.add_cloth(cotton(sheet(6, 0.3)));
    builder.add_cloth(cotton(upright(6, 0.3).mapped(|p| p + Vector3::new(0.011, 0.3, 0.017))));
    let mut sim = builder.build().unwrap();
    run(&mut sim, 1);
    assert!(sim.tangles().is_empty());
    sim.teleport(cloth_id(1), &Isometry3::translation(0.0, -0.2, 0.0)).unwrap();
    run(&mut sim, 1);
    assert_eq!(sim.tangles().len(), 1);
}

#[test]
fn jumps_forget_what_recovery_has_tried() {
    let mut builder = SimulationBuilder::new(Settings { recovery: true, ..weightless() });
    let pinned = |mesh: TriMesh| ClothDesc { pins: (0..36).collect(), ..cotton(mesh) };
    builder.add_cloth(pinned(sheet(6, 0.5)));
    builder.add_cloth(pinned(upright(6, 0.5).mapped(|p| p + Vector3::new(0.011, -0.21, 0.017))));
    let mut sim = builder.build().unwrap();
    run(&mut sim, 80);
    assert_eq!(sim.report().recovery.stuck, 1);
    let mut teleported = sim.clone();
    teleported.teleport(cloth_id(1), &Isometry3::identity()).unwrap();
    sim.reset();
    for sim in [&mut teleported, &mut sim] {
        run(sim, 1);
        assert!(sim.report().recovery.intersections > 0 && sim.report().recovery.stuck == 0);
    }
}

#[test]
fn reset_forgets_on_which_side_contacts_were() {
    let mut fresh = pushed_through();
    fresh.reset();
    let mut sim = fresh.clone();
    sim.teleport(cloth_id(1), &Isometry3::translation(0.0, -0.04, 0.0)).unwrap();
    run(&mut sim, 1);
    assert!(sim.report().contacts > 50);
    sim.reset();
    for sim in [&mut sim, &mut fresh] {
        run(sim, 1);
        assert_eq!(sim.report().warnings.crossed_contacts, 0);
    }
    assert_eq!(sim.state_hash(), fresh.state_hash());
}

#[test]
fn a_snapshot_keeps_where_the_targets_of_attachments_go() {
    let mut cloth = cotton(upright(6, 0.3));
    let target = cloth.mesh.positions[35].cast();
    cloth.attachments = vec![Attachment { vertex: 35, target, compliance: 1e-4 }];
    let mut sim = alone(airless(), cloth);
    run(&mut sim, 3);
    sim.move_attachment(0, target + Vector3::y() * 0.05).unwrap();
    let snapshot = sim.snapshot();
    run(&mut sim, 3);
    let hash = sim.state_hash();
    sim.move_attachment(0, target).unwrap();
    run(&mut sim, 1);
    sim.restore(&snapshot).unwrap();
    run(&mut sim, 3);
    assert_eq!(sim.state_hash(), hash);
}

#[test]
fn teleport_moves_shape_and_velocities_rigidly() {
    let mut cloth = cotton(sheet(8, 0.3));
    cloth.pins = last_corners(8);
    let mut sim = alone(airless(), cloth);
    run(&mut sim, 20);
    let (x, v) = (sim.positions().to_vec(), sim.velocities().to_vec());
    let motion = Isometry3::new(Vector3::new(2.0, -1.0, 0.5), Vector3::new(0.4, -1.1, 0.7));
    sim.teleport(cloth_id(0), &motion).unwrap();
    for i in 0..64 {
        // A rotation of numbers up to 3 costs a dozen roundings.
        assert!((sim.positions()[i] - motion * x[i]).norm() <= 16.0 * U * 3.0);
        assert!((sim.velocities()[i] - motion * v[i]).norm() <= 16.0 * U * 10.0);
        assert!(
            ((sim.positions()[i] - sim.positions()[0]).norm() - (x[i] - x[0]).norm()).abs() <= 32.0 * U * 3.0
        );
    }
    // Pins have gone along: they hold where they are now.
    let pinned = last_corners(8).map_to(|v| sim.positions()[v as usize]);
    run(&mut sim, 10);
    assert_eq!(last_corners(8).map_to(|v| sim.positions()[v as usize]), pinned);
}

#[test]
fn teleport_carries_the_targets_of_attachments_along() {
    let mut cloth = cotton(upright(8, 0.3));
    let attachment =
        |v: u32| Attachment { vertex: v, target: cloth.mesh.positions[v as usize].cast(), compliance: 0.0 };
    cloth.attachments = last_corners(8).into_iter().map(attachment).collect();
    let mut sim = alone(airless(), cloth);
    run(&mut sim, 10);
    // One target is on its way when the cloth jumps.
    let aim = sim.positions()[63] + Vector3::x() * 0.01;
    sim.move_attachment(1, aim).unwrap();
    let pinned = last_corners(8).map_to(|v| sim.positions()[v as usize]);
    let motion = Isometry3::new(Vector3::new(3.0, 1.0, 0.5), Vector3::new(0.0, 0.7, 0.2));
    sim.teleport(cloth_id(0), &motion).unwrap();
    run(&mut sim, 10);
    let now = last_corners(8).map_to(|v| sim.positions()[v as usize]);
    assert!((now[0] - motion * pinned[0]).norm() < 1e-4, "{} was {}", now[0], motion * pinned[0]);
    assert!((now[1] - motion * aim).norm() < 1e-4, "{} was {}", now[1], motion * aim);
}

#[test]
fn teleport_by_nothing_changes_no_bit_of_the_state() {
    let mut sim = drape(10);
    run(&mut sim, 20);
    let before = sim.state_hash();
    sim.teleport(cloth_id(0), &Isometry3::identity()).unwrap();
    assert_eq!(sim.state_hash(), before);
}

#[test]
fn teleport_carries_a_cloth_through_another_without_touching_it() {
    let mut sim = drape(10);
    run(&mut sim, 5);
    sim.teleport(cloth_id(0), &Isometry3::translation(0.0, -5.0, 0.0)).unwrap();
    sim.teleport(cloth_id(0), &Isometry3::translation(0.0, 8.0, 0.0)).unwrap();
    let report = *sim.step(1.0 / 60.0).unwrap();
    assert_eq!((report.contacts, report.warnings.crossed_contacts), (0, 0));
}

#[test]
fn refuses_a_teleport_to_nowhere_and_changes_nothing() {
    let mut sim = alone(airless(), cotton(sheet(5, 0.3)));
    run(&mut sim, 3);
    let before = sim.state_hash();
    let turned =
        |q: Quaternion<f32>| Isometry3::from_parts(Vector3::zeros().into(), UnitQuaternion::new_unchecked(q));
    let bad = [
        Isometry3::translation(f32::NAN, 0.0, 0.0),
        turned(Quaternion::new(1.0, f32::INFINITY, 0.0, 0.0)),
        turned(Quaternion::new(f32::NAN, 0.0, 0.0, 0.0)),
    ];
    for motion in bad {
        assert!(matches!(sim.teleport(cloth_id(0), &motion), Err(StepError::Value { .. })), "{motion}");
        assert_eq!(sim.state_hash(), before);
    }
    let missing = StepError::NotFound { what: "cloth", index: 1, count: 1 };
    assert_eq!(sim.teleport(cloth_id(1), &Isometry3::identity()), Err(missing));
}

trait MapTo {
    fn map_to<T>(&self, f: impl Fn(u32) -> T) -> Vec<T>;
}

impl MapTo for Vec<u32> {
    fn map_to<T>(&self, f: impl Fn(u32) -> T) -> Vec<T> {
        self.iter().map(|&v| f(v)).collect()
    }
}
