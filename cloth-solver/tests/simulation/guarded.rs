//! Guarded colliders: fingers that are thinner than the edges of a cape, and faster than its thickness a
//! substep.

use cloth_contacts::ccd::{Ccd, Filtered, Query};
use cloth_solver::{
    ClothDesc, Collider, IntersectionFilter, Material, ReleasedBody, Settings, Shape, Simulation,
    SimulationBuilder, Thickness, Waypoints,
};
use nalgebra::{Isometry3, Point3, Vector3};

use crate::ids::{cloth_id, collider_id};
use crate::scenes::sheet;

/// Radius of a finger (m) and half the length of its axis.
const FINGER: (f32, f32) = (0.004, 0.04);
/// Speed of the hand (m/s), and frames in which it moves.
const SPEED: f32 = 10.0;
const FRAMES: usize = 3;
const DT: f32 = 1.0 / 60.0;

fn finger(k: usize, z: f32) -> Isometry3<f32> {
    Isometry3::translation(0.013 + 0.02 * (k as f32 - 2.0), -0.02, z)
}

/// A cape of 17 x 17 vertices, 25 mm apart, held at its upper edge, and a hand of five fingers 90 mm in front
/// of it.
fn cape(guarded: bool, settings: Settings) -> Simulation {
    let mesh = sheet(17, 0.4).mapped(|p| Point3::new(p.x, p.z, 0.0));
    let top = mesh.positions.iter().map(|p| p.y).fold(f64::MIN, f64::max);
    let mut cloth = ClothDesc::new(mesh, Material::COTTON, Thickness::from_total(0.005, 0.2));
    cloth.pins = (0..289).filter(|&v| cloth.mesh.positions[v as usize].y == top).collect();
    let mut builder = SimulationBuilder::new(settings);
    builder.add_cloth(cloth);
    for k in 0..5 {
        let shape = Shape::Capsule { half_length: FINGER.1, radius: FINGER.0 };
        let collider = Collider::new(shape, finger(k, -0.09), 0.3).unwrap();
        builder.add_collider(if guarded { collider.guarded().unwrap() } else { collider });
    }
    builder.build().unwrap()
}

/// Pairs of an axis and the cloth that meet in the substeps of a frame, by exact detection of all pairs along
/// the poses.
fn crossings(sim: &mut Simulation, dt: f32) -> usize {
    let colliders = sim.colliders().to_vec();
    let count = sim.cloth_vertices(cloth_id(0)).unwrap().end;
    let topology = sim.surface().topology().clone();
    let mut met = 0;
    sim.step_with(dt, &mut |motion| {
        let share = |k: u32| k as f32 / motion.substeps as f32;
        for collider in &colliders {
            let part = collider.part_of_step(share(motion.substep), share(motion.substep + 1));
            let axis = [part.pose_t0, part.pose_t1]
                .map(|pose| [-FINGER.1, FINGER.1].map(|y| (pose * Point3::new(0.0, y, 0.0)).cast::<f64>()));
            let at = |v: u32| [motion.x_t0, motion.x_t1].map(|x| x[v as usize].cast::<f64>());
            let meets = |query: &Query| !Filtered::default().is_free(query, 0.0).unwrap();
            for &[a, b] in topology.edges().iter().filter(|edge| (edge[1] as usize) < count) {
                let ends = [0, 1].map(|t| [axis[t][0], axis[t][1], at(a)[t], at(b)[t]]);
                met += usize::from(meets(&Query::edge_edge(ends[0], ends[1])));
            }
            for &[a, b, c] in topology.faces() {
                for end in 0..2 {
                    let ends = [0, 1].map(|t| [axis[t][end], at(a)[t], at(b)[t], at(c)[t]]);
                    met += usize::from(meets(&Query::point_triangle(ends[0], ends[1])));
                }
            }
        }
    })
    .unwrap();
    met
}

/// Moves the hand through the cape; returns crossings and releases.
fn sweep(sim: &mut Simulation) -> [usize; 2] {
    let (mut met, mut released) = (0, 0);
    for frame in 1..=FRAMES + 2 {
        let z = -0.09 + SPEED * DT * frame.min(FRAMES) as f32;
        (0..5).for_each(|k| sim.move_collider(collider_id(k), finger(k, z)).unwrap());
        met += crossings(sim, DT);
        released += sim.report().gate.released;
    }
    [met, released]
}

#[test]
fn fast_fingers_pass_a_coarse_cape_only_if_they_are_not_guarded() {
    let mut sim = cape(true, Settings::default());
    assert_eq!(sweep(&mut sim), [0, 0]);
    assert!(sim.intersections(IntersectionFilter::CLOTH).unwrap().is_clean());
    let ahead = sim.cloth_positions(cloth_id(0)).unwrap().iter().filter(|p| p.z > 0.1).count();
    assert!(ahead > 50, "the hand takes the cape along: {ahead}");
    let [crossings, _] = sweep(&mut cape(false, Settings::default()));
    assert!(crossings > 20, "{crossings}");
}

#[test]
fn a_gate_of_its_own_keeps_fingers_out_without_any_contacts() {
    // Contacts are detected once in a frame, so the gate is alone in most substeps.
    let settings = Settings { detect_interval: 16, ..Settings::default() };
    assert_eq!(sweep(&mut cape(true, settings))[0], 0);
}

#[test]
fn the_result_depends_on_neither_the_threads_nor_a_snapshot() {
    let run = |threads: u32| {
        let mut sim = cape(true, Settings { threads, ..Settings::default() });
        sweep(&mut sim);
        sim
    };
    let (mut one, mut four) = (run(1), run(4));
    assert_eq!(one.state_hash(), four.state_hash());
    let snapshot = one.snapshot();
    let mut other = cape(true, Settings::default());
    other.restore(&snapshot).unwrap();
    for sim in [&mut one, &mut four, &mut other] {
        sim.step(DT).unwrap();
    }
    assert_eq!(one.state_hash(), four.state_hash());
    assert_eq!(one.state_hash(), other.state_hash());
    assert!(cape(false, Settings::default()).restore(&snapshot).is_err());
}

/// The vertices of the axes follow the colliders, whatever happens to them.
fn axes_are_in_place(sim: &Simulation, count: usize) {
    let axes = &sim.positions()[sim.cloth_vertices(cloth_id(0)).unwrap().end..];
    assert_eq!(axes.len(), 2 * count);
    for (axis, collider) in axes.chunks(2).zip(sim.colliders()) {
        for (end, y) in axis.iter().zip([-FINGER.1, FINGER.1]) {
            let expected = collider.pose_t0 * Point3::new(0.0, y, 0.0);
            assert!((end - expected).norm() < 1e-6, "{end} {expected}");
        }
    }
}

#[test]
fn axes_follow_their_colliders_through_every_change() {
    let mut sim = cape(true, Settings::default());
    let turned = Isometry3::new(Vector3::new(0.1, 0.0, -0.2), Vector3::new(0.4, 0.1, 0.3));
    sim.move_collider(collider_id(1), turned).unwrap();
    sim.step(DT).unwrap();
    axes_are_in_place(&sim, 5);
    sim.teleport_collider(collider_id(2), turned * turned).unwrap();
    axes_are_in_place(&sim, 5);
    sim.step(DT).unwrap();
    sim.reset();
    axes_are_in_place(&sim, 5);
    let removed = sim.remove_collider(collider_id(1)).unwrap();
    assert_eq!(removed.pose_t1, turned);
    axes_are_in_place(&sim, 4);
    let ball =
        Collider::new(Shape::Sphere { radius: 0.1 }, Isometry3::translation(0.0, 9.0, 0.0), 0.3).unwrap();
    let (plain, guarded) =
        (sim.add_collider(ball.clone()).unwrap(), sim.add_collider(ball.guarded().unwrap()).unwrap());
    assert_eq!(sim.positions().len(), 289 + 4 * 2 + 1);
    sim.remove_collider(plain).unwrap();
    sim.move_collider(guarded, Isometry3::translation(1.0, 9.0, 0.0)).unwrap();
    sim.step(DT).unwrap();
    assert_eq!(sim.positions()[289 + 8], Point3::new(1.0, 9.0, 0.0));
    sim.teleport_all(&Isometry3::translation(0.0, 1.0, 0.0)).unwrap();
    sim.step(DT).unwrap();
    assert!((sim.positions()[289 + 8] - Point3::new(1.0, 10.0, 0.0)).norm() < 1e-5);
    assert_eq!(sim.report().gate.released, 0);
}

/// Two bars that close on a cape from both sides until their axes have passed each other.
#[test]
fn cloth_between_passing_bars_is_released_and_the_gate_continues() {
    let mut sim = cape(true, Settings::default());
    let mut released = 0;
    for frame in 1..=12 {
        for k in 0..5 {
            // Every other finger comes from behind, in the same column as its neighbour.
            let z = (0.06 - 0.01 * frame as f32) * if k % 2 == 0 { -1.0 } else { 1.0 };
            let pose = Isometry3::new(Vector3::new(0.013, -0.02, z), Vector3::new(0.0, 0.0, 0.3 * k as f32));
            if frame == 1 {
                sim.teleport_collider(collider_id(k), pose).unwrap();
            } else {
                sim.move_collider(collider_id(k), pose).unwrap();
            }
        }
        sim.step(DT).unwrap();
        assert_eq!(sim.report().gate.intersections_outside_tangles, 0);
        released += sim.released().len();
        let of_a_finger = |body| matches!(body, ReleasedBody::Collider(id) if id.index() < 5);
        assert!(sim.released().iter().all(|released| of_a_finger(released.body)));
    }
    assert!(released > 0);
}

#[test]
fn axes_follow_their_colliders_through_waypoints() {
    let mut sim = cape(true, Settings { substeps: 2, ..Settings::default() });
    let away = |z: f32| Isometry3::translation(3.0, 0.0, z);
    sim.teleport_collider(collider_id(0), away(0.0)).unwrap();
    let mut waypoints = Waypoints::new(1).unwrap();
    waypoints.set_collider(collider_id(0), 0, away(1.0)).unwrap();
    sim.move_collider(collider_id(0), away(0.5)).unwrap();
    let mut ends = Vec::new();
    sim.step_through(DT, &waypoints, &mut |motion| ends.push(motion.x_t1[289].z)).unwrap();
    assert!((ends[0] - 1.0).abs() < 1e-6 && (ends[1] - 0.5).abs() < 1e-6, "{ends:?}");
}
