//! Lists skip nothing, in whatever world: tiny, huge, far from the origin, fast as a whole, and for a hundred
//! thousand steps.
//!
//! Two sheets tremble, drift and approach each other step by step. Every step is certified from lists and its
//! contacts are detected from lists; now and then both are compared with what comes of every pair there is,
//! and of lists that begin with this step.

use cloth_contacts::gate::{Gate, Proposal};
use cloth_contacts::{Contacts, Detector, Motion, Surface};
use cloth_geom::fixtures::sheet;
use nalgebra::{Point3, Vector3};

use crate::predictive::reference::Scene;
use cloth_testing::Dice;

#[derive(Clone, Copy, Debug)]
struct World {
    /// Size of a sheet (m).
    size: f32,
    /// Where it lies (m).
    origin: f32,
    /// What all of it moves in a step (m), to and fro.
    common: f32,
    /// Steps.
    steps: usize,
}

/// Steps from one comparison to the next: no divisor of how the sheets move.
const EVERY: usize = 61;

struct Run {
    world: World,
    surface: Surface,
    gated: Surface,
    inv_mass: Vec<f32>,
    at: Vec<Point3<f32>>,
    detector: Detector,
    gate: Gate,
    contacts: Contacts,
    dice: Dice,
    /// Pairs that were measured, contacts and changed vertices, for a run that proves something.
    acted: [usize; 3],
}

impl Run {
    fn new(world: World) -> Self {
        let flat = sheet(4, 4, [1.0, 1.0]).unwrap().mesh;
        let above = flat.clone().mapped(|p| Point3::new(0.9 * p.x + 0.03, 0.06, 1.1 * p.z + 0.02));
        let mut scene = Scene::new(&[flat, above], 0.01 * world.size, 0.005 * world.size);
        let origin = Vector3::repeat(world.origin);
        scene.rest.iter_mut().for_each(|p| *p = Point3::from(p.coords * world.size) + origin);
        let surface = scene.surface();
        Self {
            world,
            gated: surface.for_gate(),
            inv_mass: vec![1.0; scene.rest.len()],
            at: scene.rest.clone(),
            surface,
            detector: Detector::default(),
            gate: Gate::default(),
            contacts: Contacts::default(),
            dice: Dice::new(11),
            acted: [0; 3],
        }
    }

    /// Where the vertices are to be after a step: a common motion, a tremble, and an approach that turns
    /// round now and then.
    fn proposal(&mut self, step: usize) -> Vec<Point3<f32>> {
        let World { size, common, .. } = self.world;
        let phase = if (step / 97).is_multiple_of(2) { 1.0 } else { -1.0 };
        // Down for most of the time, so that the sheets press on each other.
        let approach = if step / 1009 % 4 == 3 { 4.0e-4 } else { -2.0e-4 } * size;
        let tremble = if (step / 5003).is_multiple_of(2) { 1.0e-3 } else { 1.0e-5 } * size;
        let (dice, at) = (&mut self.dice, &self.at);
        let move_one = |(v, p): (usize, &Point3<f32>)| {
            let own = if v < 16 { 0.0 } else { approach };
            p + Vector3::new(common * phase, own, 0.5 * common * phase) + dice.vector(tremble)
        };
        at.iter().enumerate().map(move_one).collect()
    }

    fn step(&mut self, step: usize) {
        let wanted = self.proposal(step);
        let displacements: Vec<Vector3<f32>> = wanted.iter().zip(&self.at).map(|(b, a)| b - a).collect();
        let motion = Motion { positions: &self.at, displacements: &displacements };
        let slack = 0.002 * self.world.size;
        let before = self.contacts.clone();
        let stats = self.detector.detect(&self.surface, &motion, slack, &mut self.contacts).unwrap();
        let mut end = wanted.clone();
        let mut proposal = Proposal { start: &self.at, end: &mut end, inv_mass: &self.inv_mass, slack };
        let changed = self
            .gate
            .certify_with_detector(&mut self.detector, &self.surface, &self.gated, &mut proposal)
            .unwrap();
        self.acted[0] += stats.narrow_phase_tests;
        self.acted[1] += self.contacts.len();
        self.acted[2] += changed.corrected;
        if step.is_multiple_of(EVERY) {
            let (mut all, mut fresh) = (wanted, Contacts::default());
            let mut proposal = Proposal { start: &self.at, end: &mut all, inv_mass: &self.inv_mass, slack };
            Gate::default().certify_all_pairs(&self.gated, &mut proposal).unwrap();
            assert_eq!(all, end, "{:?}: the gate, step {step}", self.world);
            let mut detector = Detector::default();
            detector.set_history(&before);
            detector.detect(&self.surface, &motion, slack, &mut fresh).unwrap();
            assert_eq!(fresh, self.contacts, "{:?}: contacts, step {step}", self.world);
        }
        self.at = end;
    }
}

fn check(world: World) {
    let mut run = Run::new(world);
    (0..world.steps).for_each(|step| run.step(step));
    println!("{world:?}: tests, contacts and changes {:?}", run.acted);
    assert!(run.acted.iter().all(|&n| n > world.steps / 100), "{:?}", run.acted);
}

#[test]
fn nothing_is_skipped_in_a_hundred_thousand_steps() {
    check(World { size: 1.0, origin: 0.0, common: 0.0, steps: 100_000 });
}

#[test]
fn nothing_is_skipped_in_a_world_of_a_tenth_of_a_millimetre() {
    check(World { size: 1.0e-4, origin: 0.0, common: 0.0, steps: 12_000 });
}

#[test]
fn nothing_is_skipped_in_a_world_of_ten_kilometres() {
    check(World { size: 1.0e4, origin: 0.0, common: 0.0, steps: 12_000 });
}

#[test]
fn nothing_is_skipped_a_hundred_kilometres_from_the_origin() {
    // A coordinate has steps of 8 mm there.
    check(World { size: 100.0, origin: 1.0e5, common: 0.0, steps: 12_000 });
}

#[test]
fn no_pair_is_missed_at_a_hundred_metres_per_second() {
    check(World { size: 1.0, origin: 0.0, common: 100.0 / 64.0 / 16.0, steps: 12_000 });
}
