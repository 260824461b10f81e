//! Cuts: pins that are elsewhere in the next frame take their cloth with them.

use cloth_solver::{IntersectionFilter, Settings, Simulation, SimulationBuilder, Teleport};
use nalgebra::{Isometry3, UnitQuaternion, Vector3};

use crate::ids::cloth_id;
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
