//! Targets: whatever the caller moves ends where it was told to, to the bit, and moves without gaps.

use cloth_geom::{TriMesh, fixtures};
use cloth_solver::{
    Attachment, ClothDesc, Collider, MeshBodyDesc, Settings, Shape, Simulation, SimulationBuilder, Thickness,
    Waypoints,
};
use cloth_testing::Dice;
use nalgebra::{Isometry3, Point3, Vector3};

use crate::ids::{body_id, cloth_id, collider_id};
use crate::scenes::{cotton, sheet, weightless};

const DT: f32 = 1.0 / 60.0;
const HALF_LENGTH: f32 = 0.04;

/// A random pose near a place: from one to the next nothing is faster than the velocity limit, beyond which it
/// would lag.
fn pose(dice: &mut Dice, x: f32) -> Isometry3<f32> {
    Isometry3::new(dice.vector(0.4) + Vector3::new(x, 0.0, 0.0), dice.vector(0.5))
}

/// A pinned sheet, a mesh body and a guarded bar, far from each other.
fn scene(gate: bool) -> (Simulation, [TriMesh; 2]) {
    let mut builder = SimulationBuilder::new(Settings { gate, substeps: 7, ..weightless() });
    let meshes = [sheet(6, 0.3), fixtures::icosphere(1, 0.1).unwrap()];
    let attachment = Attachment { vertex: 7, target: Point3::origin(), compliance: 0.1 };
    builder.add_cloth(ClothDesc {
        pins: (0..36).collect(),
        attachments: vec![attachment],
        ..cotton(meshes[0].clone())
    });
    let body = meshes[1].clone().translated([3.0, 0.0, 0.0].into());
    builder.add_mesh_body(MeshBodyDesc { thickness: Thickness::for_mesh(&body), mesh: body });
    let bar = Shape::Capsule { half_length: HALF_LENGTH, radius: 0.02 };
    let bar = Collider::new(bar, Isometry3::translation(6.0, 0.0, 0.0), 0.3).unwrap();
    builder.add_collider(bar.guarded().unwrap());
    (builder.build().unwrap(), meshes)
}

fn placed(mesh: &TriMesh, pose: &Isometry3<f32>) -> Vec<Point3<f32>> {
    mesh.positions.iter().map(|p| pose * p.cast::<f32>()).collect()
}

/// Waypoints at random places for everything.
fn detour(dice: &mut Dice, meshes: &[TriMesh; 2]) -> Waypoints {
    let mut waypoints = Waypoints::new(2).unwrap();
    for k in 0..2 {
        for (v, p) in (0..).zip(placed(&meshes[0], &pose(dice, 0.0))) {
            waypoints.set_pin(cloth_id(0), v, k, p).unwrap();
        }
        waypoints.set_mesh_body(body_id(0), k, &placed(&meshes[1], &pose(dice, 3.0))).unwrap();
        waypoints.set_collider(collider_id(0), k, pose(dice, 6.0)).unwrap();
        waypoints.set_attachment(0, k, pose(dice, 0.0) * Point3::origin()).unwrap();
    }
    waypoints
}

#[test]
fn everything_that_is_moved_ends_at_its_target_in_bits() {
    for gate in [false, true] {
        let (mut sim, meshes) = scene(gate);
        let dice = &mut Dice::new(1);
        for step in 0..60 {
            let [sheet, body] = [0, 1].map(|k| placed(&meshes[k], &pose(dice, 3.0 * k as f32)));
            let bar = pose(dice, 6.0);
            for (v, &p) in (0..).zip(&sheet) {
                sim.move_pin(cloth_id(0), v, p).unwrap();
            }
            sim.move_mesh_body(body_id(0), &body).unwrap();
            sim.move_collider(collider_id(0), bar).unwrap();
            sim.move_attachment(0, sheet[3]).unwrap();
            let waypoints = if step % 2 == 0 { Waypoints::default() } else { detour(dice, &meshes) };
            let (mut last, mut end) = (sim.colliders()[0].pose_t0, sim.positions().to_vec());
            sim.step_through(DT, &waypoints, &mut |motion| {
                assert_eq!(motion.colliders[0].pose_t0, last, "step {step}, substep {}", motion.substep);
                assert!(motion.x_t0 == end);
                last = motion.colliders[0].pose_t1;
                end = motion.x_t1.to_vec();
            })
            .unwrap();
            let axis = [-HALF_LENGTH, HALF_LENGTH].map(|y| bar * Point3::new(0.0, y, 0.0));
            let targets = [&sheet[..], &body, &axis].concat();
            let missed = targets.iter().zip(sim.positions()).filter(|(p, q)| p != q).count();
            assert_eq!(missed, 0, "of {} targets in step {step}, gate {gate}", targets.len());
            assert_eq!((last, sim.colliders()[0].pose_t0), (bar, bar));
        }
    }
}
