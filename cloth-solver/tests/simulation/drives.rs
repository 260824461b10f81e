//! Drives: springs to a pose, how far from it the cloth may be, and what it may not enter behind it.

use cloth_solver::{Backstop, ClothDesc, Drive, Settings, Simulation, StepError};
use nalgebra::{Isometry3, Point3, Vector3};

use crate::ids::cloth_id;
use crate::scenes::{G, airless, alone, bare, cotton, furthest, run, sheet, upright, weightless};

fn driven(n: usize, drive: Drive) -> ClothDesc {
    let mut cloth = cotton(sheet(n, 0.4));
    cloth.drive = Some(drive);
    cloth
}

fn start(cloth: &ClothDesc) -> Vec<Point3<f32>> {
    cloth.mesh.positions_f32()
}

/// The greatest of a number of each vertex against its target.
fn greatest(sim: &Simulation, targets: &[Point3<f32>], of: impl Fn(Vector3<f32>) -> f32) -> f32 {
    sim.positions().iter().zip(targets).map(|(x, t)| of(x - t)).fold(f32::MIN, f32::max)
}

#[test]
fn a_driven_sheet_sags_by_gravity_over_stiffness_however_it_is_solved() {
    for (substeps, iterations) in [(1, 1), (1, 8), (8, 1)] {
        let cloth = driven(8, Drive { stiffness: 200.0, damping: 5.0, ..Drive::default() });
        let targets = start(&cloth);
        let mut sim = alone(Settings { substeps, iterations, ..airless() }, cloth);
        run(&mut sim, 600);
        for (x, t) in sim.positions().iter().zip(&targets) {
            let sag = t - x;
            assert!((sag.y / (G / 200.0) - 1.0).abs() < 0.01, "{substeps} x {iterations}: {sag}");
            assert!(sag.x.hypot(sag.z) < 1e-3, "{sag}");
        }
    }
}

#[test]
fn a_cloth_stays_within_its_greatest_distance_of_a_pose_that_runs() {
    let cloth = driven(10, Drive { max_distance: Some(vec![0.05; 100]), ..Drive::default() });
    let rest = start(&cloth);
    let mut sim = alone(bare(), cloth);
    for step in 1..90 {
        // At 3 m/s, turning once a second.
        let motion = Isometry3::new(
            Vector3::x() * (0.05 * step as f32),
            Vector3::y() * (std::f32::consts::TAU * step as f32 / 60.0),
        );
        let targets: Vec<_> = rest.iter().map(|p| motion * p).collect();
        sim.move_drive(cloth_id(0), &targets).unwrap();
        run(&mut sim, 1);
        // Contacts come later and may push; here a flat sheet has next to none. An ulp at 5 m is half a
        // micrometre.
        let most = greatest(&sim, &targets, |d| d.norm());
        assert!(most <= 0.05 + 2e-6, "step {step}: {most}");
        assert!(step < 30 || most > 0.049, "step {step}: {most}: nothing was held");
    }
}

#[test]
fn only_the_named_vertices_are_driven() {
    let vertices = vec![0, 7, 56, 63];
    let drive =
        Drive { vertices: Some(vertices.clone()), max_distance: Some(vec![0.0; 4]), ..Drive::default() };
    let cloth = driven(8, drive);
    let targets = start(&cloth);
    let mut sim = alone(bare(), cloth);
    run(&mut sim, 120);
    for v in 0..64 {
        let away = (sim.positions()[v] - targets[v]).norm();
        if vertices.contains(&(v as u32)) {
            assert!(away < 1e-6, "{v}: {away}");
        } else {
            assert!(away > 0.005, "{v}: {away}");
        }
    }
}

/// An upright sheet that a wind of gravity blows against the back of its pose.
fn blown_back(backstop: Backstop) -> (Simulation, Vec<Point3<f32>>) {
    let mut cloth = cotton(upright(8, 0.4));
    let drive = Drive { backstop: Some(vec![Some(backstop); 64]), stiffness: 1.0, ..Drive::default() };
    cloth.drive = Some(drive);
    let targets = start(&cloth);
    let [a, b, c] = cloth.mesh.faces[0].map(|v| targets[v as usize]);
    let normal = (b - a).cross(&(c - a)).normalize();
    (alone(Settings { gravity: normal * -G, ..bare() }, cloth), targets)
}

#[test]
fn a_backstop_keeps_cloth_outside_its_plane_and_its_ball() {
    for radius in [f32::INFINITY, 0.5] {
        let (mut sim, targets) = blown_back(Backstop { distance: 0.02, radius });
        let normal = sim.settings().gravity.normalize() * -1.0;
        let height = |d: Vector3<f32>| {
            if radius.is_infinite() {
                d.dot(&normal)
            } else {
                (d + normal * (0.02 + radius)).norm() - radius - 0.02
            }
        };
        run(&mut sim, 60);
        for _ in 0..60 {
            run(&mut sim, 1);
            let deepest = greatest(&sim, &targets, |d| -height(d));
            assert!(deepest <= 0.02 + 1e-6, "{deepest}");
            assert!(deepest > 0.019, "{deepest}: it never came there");
        }
    }
}

#[test]
fn a_backstop_turns_with_the_surface_of_the_pose() {
    let (mut sim, targets) = blown_back(Backstop { distance: 0.0, radius: f32::INFINITY });
    let turn = |angle: f32| Isometry3::rotation(Vector3::y() * angle);
    let normal = sim.settings().gravity.normalize() * -1.0;
    for step in 1..=30 {
        let turned: Vec<_> = targets.iter().map(|p| turn(0.03 * step as f32) * p).collect();
        sim.move_drive(cloth_id(0), &turned).unwrap();
        run(&mut sim, 1);
        let front = turn(0.03 * step as f32) * normal;
        let deepest = greatest(&sim, &turned, |d| -d.dot(&front));
        assert!(deepest < 1e-5, "step {step}: {deepest}");
    }
}

#[test]
fn refused_targets_of_wrong_length_or_not_finite_change_nothing() {
    let cloth = driven(4, Drive { stiffness: 100.0, ..Drive::default() });
    let targets = start(&cloth);
    let (mut sim, mut unasked) = (alone(weightless(), cloth.clone()), alone(weightless(), cloth));
    let refused = sim.move_drive(cloth_id(0), &targets[1..]).unwrap_err();
    assert_eq!(refused, StepError::Length { what: "drive targets", got: 15, expected: 16 });
    let mut bad = targets.clone();
    bad[9].y = f32::NAN;
    let refused = sim.move_drive(cloth_id(0), &bad).unwrap_err().to_string();
    assert!(refused.contains("drive target of vertex 9 of cloth 0 is at NaN m"), "{refused}");
    let missing = StepError::NotFound { what: "cloth", index: 1, count: 1 };
    assert_eq!(sim.move_drive(cloth_id(1), &targets), Err(missing));
    let mut undriven = alone(weightless(), cotton(sheet(4, 0.4)));
    let refused = undriven.move_drive(cloth_id(0), &targets).unwrap_err();
    assert_eq!(
        refused.to_string(),
        "there is no drive of cloth 0: it was removed or never added (there are 0)"
    );
    run(&mut sim, 5);
    run(&mut unasked, 5);
    assert_eq!(sim.state_hash(), unasked.state_hash());
}

#[test]
fn a_snapshot_keeps_the_pose_and_its_goal() {
    let cloth = driven(6, Drive { stiffness: 300.0, damping: 2.0, ..Drive::default() });
    let targets: Vec<_> = start(&cloth).iter().map(|p| p + Vector3::y() * 0.1).collect();
    let mut sim = alone(airless(), cloth.clone());
    run(&mut sim, 3);
    sim.move_drive(cloth_id(0), &targets).unwrap();
    let snapshot = sim.snapshot();
    run(&mut sim, 5);
    let first = sim.state_hash();
    sim.move_drive(cloth_id(0), &start(&cloth)).unwrap();
    run(&mut sim, 2);
    sim.restore(&snapshot).unwrap();
    run(&mut sim, 5);
    assert_eq!(sim.state_hash(), first);
    // Of a simulation without a drive it is refused.
    let mut other = alone(airless(), cotton(sheet(6, 0.4)));
    let refused = other.restore(&snapshot).unwrap_err();
    let difference = "they differ in the drive of cloth 0".into();
    assert_eq!(refused, StepError::IncompatibleSnapshot { difference });
}

#[test]
fn teleport_carries_the_pose_along() {
    let cloth = driven(6, Drive { max_distance: Some(vec![0.01; 36]), ..Drive::default() });
    let targets = start(&cloth);
    let mut sim = alone(airless(), cloth);
    run(&mut sim, 10);
    let motion = Isometry3::new(Vector3::new(5.0, 1.0, -2.0), Vector3::new(0.3, 0.2, 0.1));
    sim.teleport(cloth_id(0), &motion).unwrap();
    let there = sim.positions().to_vec();
    run(&mut sim, 1);
    assert!(furthest(sim.positions(), &there) < 0.03, "it went back: {}", furthest(sim.positions(), &there));
    let moved: Vec<_> = targets.iter().map(|p| motion * p).collect();
    run(&mut sim, 60);
    assert!(greatest(&sim, &moved, |d| d.norm()) < 0.01 + 1e-5);
}

#[test]
fn reset_leaves_the_pose_where_it_is() {
    let cloth = driven(6, Drive { stiffness: f32::INFINITY, ..Drive::default() });
    let targets: Vec<_> = start(&cloth).iter().map(|p| p + Vector3::x() * 0.2).collect();
    let mut sim = alone(weightless(), cloth.clone());
    sim.move_drive(cloth_id(0), &targets).unwrap();
    run(&mut sim, 2);
    sim.reset();
    assert_eq!(sim.positions(), &start(&cloth)[..]);
    run(&mut sim, 1);
    assert!(furthest(sim.positions(), &targets) < 1e-5);
}
