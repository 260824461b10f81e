//! Damping removes the requested part, and neither momentum nor rigid motion.

use cloth_geom::fixtures::jitter;
use cloth_solver::{Damping, RestShape, Settings, Simulation};
use nalgebra::{Point3, Vector3};

use crate::ids::cloth_id;
use crate::scenes::{
    airless, alone, angular_momentum, cotton, kinetic_energy, last_corners, masses, momentum, run, sheet,
    upright, weightless,
};

const KINDS: [Damping; 3] = [
    Damping { stretch: 30.0, bending: 0.0, global: 0.0 },
    Damping { stretch: 0.0, bending: 30.0, global: 0.0 },
    Damping { stretch: 0.0, bending: 0.0, global: 30.0 },
];

/// A sheet released from a pose that is squeezed, sheared, bent and uneven.
fn let_go(damping: Damping, substeps: u32) -> (Simulation, Vec<f64>) {
    let flat = sheet(12, 0.4);
    let squeezed = |p: Point3<f64>| Point3::new(0.95 * p.x + 0.1 * p.z, 0.3 * p.x * p.x, 1.02 * p.z);
    let mut cloth = cotton(jitter(&flat.clone().mapped(squeezed), 0.002, 7).unwrap());
    cloth.rest = RestShape::Positions(flat.positions.clone());
    cloth.damping = damping;
    let settings = Settings { self_collision: false, substeps, ..weightless() };
    (alone(settings, cloth), masses(&flat, 0.15))
}

#[test]
fn every_kind_takes_energy_and_moves_nothing_as_a_whole() {
    let energy = |damping| {
        let (mut sim, masses) = let_go(damping, 20);
        let (mut peak, mut energy) = (0.0f64, 0.0);
        for step in 0..30 {
            run(&mut sim, 1);
            let (sum, amount) = momentum(&sim, &masses);
            peak = peak.max(amount);
            assert!(sum.norm() <= 1e-3 * peak, "{damping:?}: {sum} of {peak}");
            energy += if step < 6 { kinetic_energy(&sim, &masses) } else { 0.0 };
        }
        energy
    };
    let undamped = energy(Damping::default());
    // Of edges that swing about their length the solver leaves little: with damping, 1.5 % less remains.
    for (damping, most) in KINDS.into_iter().zip([0.99, 0.9, 0.9]) {
        let left = energy(damping);
        assert!(left < most * undamped, "{damping:?}: {left} J of {undamped} J, over a tenth of a second");
    }
}

#[test]
fn a_sheet_that_tumbles_goes_on_tumbling() {
    let all = Damping { stretch: 30.0, bending: 30.0, global: 30.0 };
    let turned = |damping| {
        let mut cloth = cotton(sheet(10, 0.3));
        cloth.damping = damping;
        let settings = Settings { self_collision: false, substeps: 40, ..weightless() };
        let mut sim = alone(settings, cloth);
        // Set turning about y by pins that go round, then set free.
        let corners = [0u32, 9, 90, 99];
        corners.iter().for_each(|&v| sim.pin(cloth_id(0), v).unwrap());
        for step in 1..=20 {
            let turn = nalgebra::Rotation3::from_axis_angle(&Vector3::y_axis(), 0.05 * step as f32);
            for v in corners {
                let target = turn * sheet(10, 0.3).positions[v as usize].cast::<f32>();
                sim.move_pin(cloth_id(0), v, target).unwrap();
            }
            run(&mut sim, 1);
        }
        let weights = masses(&sheet(10, 0.3), 0.15);
        corners.iter().for_each(|&v| sim.set_mass(cloth_id(0), v, weights[v as usize] as f32).unwrap());
        run(&mut sim, 1);
        let before = angular_momentum(&sim, &weights).0.y;
        run(&mut sim, 30);
        angular_momentum(&sim, &weights).0.y / before
    };
    let (without, with) = (turned(Damping::default()), turned(all));
    // Implicit steps themselves let the turning fade; damping adds next to nothing.
    assert!((with - without).abs() < 0.05, "{with} of the turning is left, {without} without damping");
    assert!(with > 0.7, "{with}");
}

#[test]
fn damping_brings_a_hung_sheet_to_rest_sooner_in_the_same_place() {
    let hung = |damping| {
        let mut cloth = cotton(jitter(&upright(12, 0.5), 2e-3, 1).unwrap());
        cloth.pins = last_corners(12);
        cloth.damping = damping;
        let mut sim = alone(Settings { self_collision: false, ..airless() }, cloth);
        run(&mut sim, 60);
        let early = sim.velocities().iter().map(Vector3::norm).sum::<f32>();
        run(&mut sim, 1200);
        (early, sim.positions()[5].y)
    };
    let (early, height) = hung(Damping::default());
    for damping in KINDS {
        let (early_damped, height_damped) = hung(damping);
        assert!(early_damped < early, "{damping:?}: {early_damped}, without {early}");
        assert!((height - height_damped).abs() < 0.02, "{damping:?}: {height_damped} m, without {height} m");
    }
}

#[test]
fn all_rates_of_zero_change_no_bit() {
    let hash = |damping| {
        let (mut sim, _) = let_go(damping, 10);
        run(&mut sim, 10);
        sim.state_hash()
    };
    assert_eq!(hash(Damping::default()), hash(Damping { stretch: 0.0, bending: 0.0, global: 0.0 }));
    assert_ne!(hash(Damping::default()), hash(KINDS[0]));
}
