//! Jumps: teleport, reset, snapshot and restore.

use cloth_broadphase::ParryBvh;
use cloth_solver::{Attachment, ClothId, Simulation, StepError};
use nalgebra::{Isometry3, Quaternion, UnitQuaternion, Vector3};

use crate::scenes::{U, airless, alone, cotton, drape, last_corners, run, sheet, upright};

#[test]
fn a_snapshot_in_the_midst_of_contacts_goes_on_bit_for_bit() {
    let mut sim = drape::<ParryBvh>(14);
    run(&mut sim, 45);
    assert!(sim.report().contacts > 0 && sim.report().collider_contacts > 0);
    let snapshot = sim.snapshot();
    let hashes = |sim: &mut Simulation| -> Vec<u64> {
        (0..20).map(|_| sim.step(1.0 / 60.0).map(|_| ()).map(|()| sim.state_hash()).unwrap()).collect()
    };
    let first = hashes(&mut sim);
    sim.restore(&snapshot).unwrap();
    assert_eq!(hashes(&mut sim), first, "in the same simulation");
    let mut other = drape::<ParryBvh>(14);
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
    sim.pin(ClothId(0), 3).unwrap();
    sim.move_pin(ClothId(0), 35, sim.positions()[35] + Vector3::y() * 0.1).unwrap();
    let snapshot = sim.snapshot();
    run(&mut sim, 2);
    let after = sim.state_hash();
    sim.set_mass(ClothId(0), 3, 1.0).unwrap();
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
    let refused = sim.restore(&other).unwrap_err();
    assert_eq!(refused, StepError::Length { what: "snapshot vertices", got: 49, expected: 36 });
    assert_eq!(sim.state_hash(), before);
}

#[test]
fn reset_returns_to_the_start_and_runs_the_same_again() {
    let mut sim = drape::<ParryBvh>(12);
    let (start, fresh) = (sim.positions().to_vec(), sim.state_hash());
    run(&mut sim, 40);
    let first = sim.state_hash();
    sim.reset();
    assert_eq!((sim.positions(), sim.state_hash()), (&start[..], fresh));
    run(&mut sim, 40);
    assert_eq!(sim.state_hash(), first);
}

#[test]
fn teleport_moves_shape_and_velocities_rigidly() {
    let mut cloth = cotton(sheet(8, 0.3));
    cloth.pins = last_corners(8);
    let mut sim = alone(airless(), cloth);
    run(&mut sim, 20);
    let (x, v) = (sim.positions().to_vec(), sim.velocities().to_vec());
    let motion = Isometry3::new(Vector3::new(2.0, -1.0, 0.5), Vector3::new(0.4, -1.1, 0.7));
    sim.teleport(ClothId(0), &motion).unwrap();
    for i in 0..64 {
        // A rotation of numbers up to 3 costs a dozen roundings.
        assert!((sim.positions()[i] - motion * x[i]).norm() <= 16.0 * U * 3.0);
        assert!((sim.velocities()[i] - motion * v[i]).norm() <= 16.0 * U * 10.0);
        assert!(
            ((sim.positions()[i] - sim.positions()[0]).norm() - (x[i] - x[0]).norm()).abs() <= 32.0 * U * 3.0
        );
    }
    // Pins have gone along: they hold where they are now.
    let held = last_corners(8).map_to(|v| sim.positions()[v as usize]);
    run(&mut sim, 10);
    assert_eq!(last_corners(8).map_to(|v| sim.positions()[v as usize]), held);
}

#[test]
fn teleport_carries_the_targets_of_attachments_along() {
    let mut cloth = cotton(upright(8, 0.3));
    let hold =
        |v: u32| Attachment { vertex: v, target: cloth.mesh.positions[v as usize].cast(), compliance: 0.0 };
    cloth.attachments = last_corners(8).into_iter().map(hold).collect();
    let mut sim = alone(airless(), cloth);
    run(&mut sim, 10);
    // One target is on its way when the cloth jumps.
    let aim = sim.positions()[63] + Vector3::x() * 0.01;
    sim.move_attachment(1, aim).unwrap();
    let held = last_corners(8).map_to(|v| sim.positions()[v as usize]);
    let motion = Isometry3::new(Vector3::new(3.0, 1.0, 0.5), Vector3::new(0.0, 0.7, 0.2));
    sim.teleport(ClothId(0), &motion).unwrap();
    run(&mut sim, 10);
    let now = last_corners(8).map_to(|v| sim.positions()[v as usize]);
    assert!((now[0] - motion * held[0]).norm() < 1e-4, "{} was {}", now[0], motion * held[0]);
    assert!((now[1] - motion * aim).norm() < 1e-4, "{} was {}", now[1], motion * aim);
}

#[test]
fn teleport_by_nothing_changes_no_bit_of_the_state() {
    let mut sim = drape::<ParryBvh>(10);
    run(&mut sim, 20);
    let before = sim.state_hash();
    sim.teleport(ClothId(0), &Isometry3::identity()).unwrap();
    assert_eq!(sim.state_hash(), before);
}

#[test]
fn teleport_carries_a_cloth_through_another_without_touching_it() {
    let mut sim = drape::<ParryBvh>(10);
    run(&mut sim, 5);
    sim.teleport(ClothId(0), &Isometry3::translation(0.0, -5.0, 0.0)).unwrap();
    sim.teleport(ClothId(0), &Isometry3::translation(0.0, 8.0, 0.0)).unwrap();
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
        assert!(matches!(sim.teleport(ClothId(0), &motion), Err(StepError::Value { .. })), "{motion}");
        assert_eq!(sim.state_hash(), before);
    }
    let missing = StepError::NoSuch { what: "cloth", index: 1, count: 1 };
    assert_eq!(sim.teleport(ClothId(1), &Isometry3::identity()), Err(missing));
}

trait MapTo {
    fn map_to<T>(&self, f: impl Fn(u32) -> T) -> Vec<T>;
}

impl MapTo for Vec<u32> {
    fn map_to<T>(&self, f: impl Fn(u32) -> T) -> Vec<T> {
        self.iter().map(|&v| f(v)).collect()
    }
}
