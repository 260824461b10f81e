//! A listener receives every accepted substep, complete and immutable.

use cloth_solver::{ClothDesc, Settings, Simulation, SimulationBuilder, StepError};
use nalgebra::{Point3, Vector3};

use crate::scenes::{bare, cotton, drape, run, sheet};

/// Positions at both ends of a motion.
type Ends = [Vec<Point3<f32>>; 2];

fn motions(sim: &mut Simulation, dt: f32) -> (Vec<Ends>, Result<(), StepError>) {
    let mut told = Vec::new();
    let taken = sim.step_with(dt, &mut |motion| {
        assert_eq!(motion.substep as usize, told.len());
        told.push([motion.x_t0.to_vec(), motion.x_t1.to_vec()]);
    });
    let taken = taken.map(|_| ());
    (told, taken)
}

#[test]
fn motions_are_contiguous_from_the_state_before_to_the_state_after() {
    let mut sim = drape(12);
    run(&mut sim, 30);
    for _ in 0..5 {
        let before = sim.positions().to_vec();
        let (told, taken) = motions(&mut sim, 1.0 / 60.0);
        taken.unwrap();
        assert_eq!(told.len(), sim.settings().substeps as usize);
        assert_eq!(told[0][0], before);
        assert!(told.windows(2).all(|pair| pair[0][1] == pair[1][0]));
        assert_eq!(told.last().unwrap()[1], sim.positions());
    }
}

#[test]
fn a_listener_changes_no_bit() {
    let (mut heard, mut alone) = (drape(12), drape(12));
    heard.record_examined(true);
    for _ in 0..40 {
        motions(&mut heard, 1.0 / 60.0).1.unwrap();
        alone.step(1.0 / 60.0).unwrap();
    }
    assert_eq!(heard.state_hash(), alone.state_hash());
}

#[test]
fn motions_of_a_failed_step_are_void_and_the_next_starts_there() {
    let mut sim = drape(12);
    run(&mut sim, 40);
    let before = sim.positions().to_vec();
    // Too short for f32: nothing moves, and 1 / h is infinite.
    let (told, taken) = motions(&mut sim, 1e-45);
    assert!(taken.is_err() && told.len() < sim.settings().substeps as usize);
    let (told, taken) = motions(&mut sim, 1.0 / 60.0);
    taken.unwrap();
    assert_eq!(told[0][0], before);
}

/// Two pinned sheets that nearly touch, as thick as 2 cm: 1e-6 m apart.
fn nearly_touching(gate: bool) -> Simulation {
    let mut builder = SimulationBuilder::new(Settings { gate, ..bare() });
    for height in [0.0, 1e-6] {
        let cloth = cotton(sheet(3, 0.08).mapped(|p| p + Vector3::new(0.0, height, 0.3 * height)));
        builder.add_cloth(ClothDesc { pins: (0..9).collect(), ..cloth });
    }
    builder.build().unwrap()
}

#[test]
fn examined_pairs_are_reported_on_request_and_with_a_gate() {
    let examined = |gate: bool, record: bool| {
        let (mut sim, mut counts) = (nearly_touching(gate), Vec::new());
        sim.record_examined(record);
        sim.step_with(1.0 / 60.0, &mut |motion| counts.push(motion.examined.map(<[_]>::to_vec))).unwrap();
        counts
    };
    assert!(examined(true, false).iter().all(Option::is_none));
    assert!(examined(false, true).iter().all(Option::is_none));
    for pairs in examined(true, true) {
        let pairs = pairs.unwrap();
        // Each vertex of the one sheet is above a vertex, and so in reach of a face, of the other.
        for v in 0..18 {
            assert!(pairs.iter().any(|p| p.split == 1 && p.vertices[0] == v && p.round == 1), "{v}");
        }
    }
}
