//! What a step refuses and reports; a step that fails leaves the state as it was.

use cloth_solver::StepError;
use nalgebra::{Isometry3, Point3};

use crate::ids::{body_id, cloth_id, collider_id};
use crate::scenes::{alone, cotton, drape, run, sheet, weightless};

#[test]
fn refuses_a_step_of_no_length_and_changes_nothing() {
    let mut sim = drape(12);
    let mut twin = sim.clone();
    run(&mut sim, 40);
    run(&mut twin, 40);
    let before = sim.state_hash();
    for dt in [0.0, -0.0, -1.0 / 60.0, f32::NAN, f32::INFINITY, f32::NEG_INFINITY] {
        assert!(matches!(sim.step(dt), Err(StepError::InvalidTimeStep(_))), "{dt}");
        assert_eq!(sim.state_hash(), before);
    }
    run(&mut sim, 5);
    run(&mut twin, 5);
    assert_eq!(sim.state_hash(), twin.state_hash(), "as if nobody had asked");
}

#[test]
fn a_step_that_diverges_is_undone() {
    let mut sim = drape(12);
    run(&mut sim, 40);
    let (before, positions) = (sim.state_hash(), sim.positions().to_vec());
    // Too short for f32: 1 / h or 1 / h^2 is infinite.
    for dt in [1e-45, 1e-40, 1e-30, 1e-20] {
        let refused = sim.step(dt).map(|_| ()).unwrap_err();
        assert!(matches!(refused, StepError::Diverged { .. } | StepError::Detect(_)), "{dt}: {refused}");
        assert_eq!((sim.state_hash(), sim.positions()), (before, &positions[..]), "{dt}");
    }
    run(&mut sim, 30);
    assert!(sim.positions().iter().all(|p| p.coords.norm() < 1.0), "and it goes on");
}

#[test]
fn steps_of_any_usable_length_are_taken() {
    let mut sim = drape(10);
    for dt in [1e-4, 1.0 / 240.0, 1.0 / 60.0, 1.0 / 30.0, 0.1, 1e-3, 0.01] {
        for _ in 0..10 {
            sim.step(dt).unwrap();
        }
    }
    assert!(sim.positions().iter().all(|p| p.y > -0.01 && p.coords.norm() < 1.5));
}

#[test]
fn an_empty_scene_and_a_cloth_without_faces_take_steps_too() {
    let mut empty = cloth_solver::SimulationBuilder::default().build().unwrap();
    run(&mut empty, 2);
    assert!(empty.positions().is_empty());
    let lone = cloth_geom::TriMesh::new(vec![Point3::new(1.0, 2.0, 3.0)], vec![]);
    let desc = cloth_solver::ClothDesc::new(
        lone,
        Default::default(),
        cloth_solver::Thickness::from_total(0.01, 0.5),
    );
    let mut sim = alone(Default::default(), desc);
    run(&mut sim, 2);
    assert_eq!(sim.positions(), [Point3::new(1.0, 2.0, 3.0)], "without mass nothing moves it");
}

#[test]
fn reports_the_time_of_each_stage() {
    let mut sim = drape(12);
    let report = *sim.step(1.0 / 60.0).unwrap();
    let names = report.times.named().map(|(name, _)| name);
    assert_eq!(names, ["animate", "predict", "detect", "recover", "solve", "gate", "update"]);
    assert_eq!(report.times.total(), report.times.named().iter().map(|(_, t)| *t).sum());
    assert!(report.broad_phase_queries >= 1 && report.rebuilt_lists >= 1);
    assert_eq!(&report, sim.report());
}

#[test]
fn refuses_what_does_not_exist_or_is_nowhere() {
    let mut sim = drape(5);
    let before = sim.state_hash();
    let nowhere = Point3::new(0.0, f32::NAN, 0.0);
    let missing = |what, index, count| Err(StepError::NotFound { what, index, count });
    assert_eq!(sim.pin(cloth_id(1), 0), missing("cloth", 1, 1));
    assert_eq!(sim.pin(cloth_id(0), 25), missing("vertex", 25, 25));
    assert_eq!(sim.move_pin(cloth_id(0), 99, Point3::origin()), missing("vertex", 99, 25));
    assert_eq!(sim.move_attachment(0, Point3::origin()), missing("attachment", 0, 0));
    assert_eq!(sim.move_collider(collider_id(2), Isometry3::identity()), missing("collider", 2, 2));
    assert_eq!(sim.move_mesh_body(body_id(0), &[]), missing("mesh body", 0, 0));
    assert_eq!(sim.move_attachment(0, nowhere), missing("attachment", 0, 0));
    let refused = sim.move_pin(cloth_id(0), 0, Point3::origin()).unwrap_err();
    assert!(refused.to_string().contains("not pinned"), "{refused}");
    sim.pin(cloth_id(0), 0).unwrap();
    assert!(matches!(sim.move_pin(cloth_id(0), 0, nowhere), Err(StepError::Place { .. })));
    let astray = Isometry3::translation(f32::INFINITY, 0.0, 0.0);
    assert!(matches!(sim.move_collider(collider_id(0), astray), Err(StepError::Place { .. })));
    for mass in [0.0, -1.0, f32::NAN] {
        assert!(matches!(sim.set_mass(cloth_id(0), 1, mass), Err(StepError::Value { what: "mass", .. })));
    }
    assert_eq!(sim.state_hash(), before);
}

#[test]
fn a_sheet_without_forces_stays_where_it_is() {
    let mut sim = alone(weightless(), cotton(sheet(6, 0.3)));
    let start = sim.positions().to_vec();
    run(&mut sim, 10);
    let moved = crate::scenes::furthest(sim.positions(), &start);
    // A substep rounds a position by up to 1.5e-8 m, half an ulp at 0.25 m, and carries that on as a
    // velocity: 160 such roundings add up to 1.5e-8 m * 160^1.5 / sqrt(3).
    assert!(moved < 1.7e-5, "{moved}");
}
