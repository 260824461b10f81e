//! Motion through waypoints, and what is refused.

use nalgebra::{Translation3, UnitQuaternion, Vector3};

use super::*;
use crate::{
    ClothDesc, Collider, Material, MeshBodyDesc, Settings, Shape, Simulation, SimulationBuilder, Thickness,
};
use cloth_geom::fixtures::{icosphere, sheet};

/// A sheet with a pinned corner, a small mesh body 1 m below it, and a ball beside them.
fn simulation(sleep: bool) -> (Simulation, ClothId, MeshBodyId, ColliderId) {
    let settings = Settings {
        gravity: Vector3::zeros(),
        sleep: sleep.then(crate::Sleep::default),
        ..Settings::default()
    };
    let mut builder = SimulationBuilder::new(settings);
    let thickness = Thickness::from_total(0.004, 0.5);
    let mesh = sheet(6, 6, [0.3, 0.3]).unwrap().mesh;
    let cloth = ClothDesc { pins: vec![0], ..ClothDesc::new(mesh, Material::COTTON, thickness) };
    let cloth = builder.add_cloth(cloth);
    let mesh = icosphere(1, 0.1).unwrap().translated(Vector3::new(0.0, -1.0, 0.0));
    let body = builder.add_mesh_body(MeshBodyDesc { mesh, thickness });
    let pose = Isometry3::translation(3.0, 0.0, 0.0);
    let collider = builder.add_collider(Collider::new(Shape::Sphere { radius: 0.1 }, pose, 0.3).unwrap());
    (builder.build().unwrap(), cloth, body, collider)
}

fn shifted(points: &[Point3<f32>], by: Vector3<f32>) -> Vec<Point3<f32>> {
    points.iter().map(|p| p + by).collect()
}

/// The end of each substep on the way of a body vertex, and the pose of the collider.
#[test]
fn every_substep_ends_on_its_waypoint() {
    let (mut sim, cloth, body, collider) = simulation(false);
    let substeps = sim.settings().substeps;
    let count = substeps as usize - 1;
    let part = sim.body_part(body).unwrap().vertices.clone();
    let start = sim.positions()[part.clone()].to_vec();
    let pin = sim.positions()[0];
    // Out and back along an arc.
    let at = |k: usize| Vector3::new(0.0, 1.0e-4 * (k * k) as f32, 2.0e-4 * k as f32);
    let mut waypoints = Waypoints::new(count).expect("a few");
    for k in 0..count {
        waypoints.set_mesh_body(body, k, &shifted(&start, at(k + 1))).unwrap();
        waypoints.set_pin(cloth, 0, k, pin + at(k + 1)).unwrap();
        let pose = Isometry3::translation(3.0, 0.1 * (k + 1) as f32, 0.0);
        waypoints.set_collider(collider, k, pose).unwrap();
    }
    sim.move_mesh_body(body, &start).unwrap();
    let mut ends = Vec::new();
    sim.step_through(1.0 / 60.0, &waypoints, &mut |motion| {
        ends.push((motion.x_t1[part.start], motion.x_t1[0]));
    })
    .unwrap();
    for (k, (on_body, pinned)) in ends.iter().enumerate() {
        let by = if k + 1 == substeps as usize { Vector3::zeros() } else { at(k + 1) };
        // A displacement is a difference of positions of a metre.
        assert!((on_body - (start[0] + by)).norm() < 1e-6, "{k} {on_body}");
        assert!((pinned - (pin + by)).norm() < 1e-6, "{k} {pinned}");
    }
    // The next step without waypoints starts from the targets.
    sim.step(1.0 / 60.0).unwrap();
    assert_eq!(sim.positions()[part.start], start[0]);
    assert_eq!(sim.colliders()[0].pose_t1, Isometry3::translation(3.0, 0.0, 0.0));
}

#[test]
fn waypoints_on_the_chord_change_no_more_than_rounding() {
    let run = |with: bool| {
        let (mut sim, _, body, _) = simulation(false);
        let part = sim.body_part(body).unwrap().vertices.clone();
        for step in 0..12 {
            let start = sim.state.kinematic_t1[part.clone()].to_vec();
            // Powers of two, so that the chord has no rounding.
            let by = Vector3::new(0.0, if step < 10 { 0.125 } else { -0.0625 }, 0.0);
            sim.move_mesh_body(body, &shifted(&start, by)).unwrap();
            let mut waypoints = Waypoints::new(1).expect("a few");
            if with {
                waypoints.set_mesh_body(body, 0, &shifted(&start, 0.5 * by)).unwrap();
            }
            sim.step_through(1.0 / 60.0, &waypoints, &mut |_| ()).unwrap();
        }
        sim.positions().to_vec()
    };
    let (with, without) = (run(true), run(false));
    let apart = with.iter().zip(&without).map(|(a, b)| (a - b).norm()).fold(0.0, f32::max);
    assert!(apart < 1e-4, "{apart}");
}

#[test]
fn a_path_that_returns_wakes_sleeping_cloth() {
    for moves in [false, true] {
        let (mut sim, cloth, body, _) = simulation(true);
        for _ in 0..60 {
            sim.step(1.0 / 60.0).unwrap();
        }
        assert!(sim.is_asleep(cloth).unwrap());
        let part = sim.body_part(body).unwrap().vertices.clone();
        let start = sim.positions()[part].to_vec();
        let mut waypoints = Waypoints::new(1).expect("a few");
        let up = Vector3::y() * if moves { 0.92 } else { 0.0 };
        waypoints.set_mesh_body(body, 0, &shifted(&start, up)).unwrap();
        sim.step_through(1.0 / 60.0, &waypoints, &mut |_| ()).unwrap();
        assert_eq!(sim.is_asleep(cloth).unwrap(), !moves);
    }
}

#[test]
fn times_between_knots_are_exact() {
    let share = |done, substeps, count| Knots::after(done, substeps, count);
    assert_eq!(share(0, 4, 3), Knots { from: 0, share: 0.0 });
    assert_eq!(share(3, 4, 3), Knots { from: 3, share: 0.0 });
    assert_eq!(share(1, 4, 1), Knots { from: 0, share: 0.5 });
    assert_eq!(share(4, 4, 1), Knots { from: 2, share: 0.0 });
    let path = [Isometry3::from_parts(
        Translation3::new(0.0, 1.0, 0.0),
        UnitQuaternion::from_axis_angle(&Vector3::y_axis(), 1.0),
    )];
    let ends = [Isometry3::identity(), Isometry3::translation(0.0, 0.0, 2.0)];
    assert_eq!(share(1, 2, 1).pose([&ends[0], &ends[1]], &path), path[0]);
    assert_eq!(share(2, 2, 1).pose([&ends[0], &ends[1]], &path), ends[1]);
}

#[test]
fn refuses_what_is_not_there() {
    let (mut sim, cloth, body, collider) = simulation(false);
    let mut waypoints = Waypoints::new(2).expect("a few");
    assert!(waypoints.set_pin(cloth, 0, 2, Point3::origin()).is_err());
    assert!(waypoints.set_collider(collider, 5, Isometry3::identity()).is_err());
    waypoints.set_mesh_body(body, 0, &[Point3::origin(); 3]).unwrap();
    assert!(waypoints.set_mesh_body(body, 1, &[Point3::origin(); 4]).is_err());
    let refused = |sim: &mut Simulation, waypoints: &Waypoints| {
        let before = sim.state_hash();
        let error = sim.step_through(0.01, waypoints, &mut |_| ()).unwrap_err().to_string();
        assert_eq!(sim.state_hash(), before);
        error
    };
    assert!(refused(&mut sim, &waypoints).contains("waypoint positions"));
    let mut waypoints = Waypoints::new(1).expect("a few");
    waypoints.set_pin(cloth, 1, 0, Point3::origin()).unwrap();
    assert!(refused(&mut sim, &waypoints).contains("pin it first"));
    let mut waypoints = Waypoints::new(1).expect("a few");
    waypoints.set_pin(cloth, 0, 0, Point3::new(f32::NAN, 0.0, 0.0)).unwrap();
    let nowhere = refused(&mut sim, &waypoints);
    assert!(nowhere.contains("vertex 0 of cloth 0 is at NaN m"), "{nowhere}");
    let mut waypoints = Waypoints::new(1).expect("a few");
    waypoints.set_attachment(7, 0, Point3::origin()).unwrap();
    assert!(refused(&mut sim, &waypoints).contains("attachment"));
    // Without any waypoint in the paths, it is a plain step.
    sim.step_through(0.01, &Waypoints::new(0).expect("a few"), &mut |_| ()).unwrap();
}
