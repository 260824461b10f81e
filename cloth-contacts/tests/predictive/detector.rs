//! The detector against enumeration, over many steps of a cloth in disorder, while its candidate lists are reused.
//!
//! What it reports must be what the rule gives, entry for entry. What the rule gives it must report if the pair
//! does come within reach on its way; for a pair that never does (a point that slides past a corner,
//! whose frozen half-space reaches further than the corner itself) it is free to.

use std::collections::BTreeMap;

use cloth_broadphase::{BroadPhase, BruteForce, ParryBvh};
use cloth_contacts::{Contacts, Detector, Horizon, Motion, Surface};
use cloth_geom::fixtures::{jitter, sheet};
use cloth_geom::{Topology, TriMesh};
use nalgebra::{Point3, Vector3};

use crate::dice::Dice;
use crate::reference::{Scene, keep_sides};

/// A sheet of `n` x `n` folded into layers that are within reach of each other, and a second one through it.
fn heap(n: usize, seed: u64) -> Scene {
    let spacing = 1.0 / (n - 1) as f64;
    let folded = |p: Point3<f64>| {
        let phase = (p.x + 0.5) * 3.0;
        let zigzag = (phase - 2.0 * (phase / 2.0).round()).abs();
        Point3::new(zigzag * 0.33, phase * 0.1 * spacing * 4.0, p.z)
    };
    let flat = sheet(n, n, [1.0, 1.0]).unwrap().mesh;
    let accordion = jitter(&flat.clone().mapped(folded), 0.2 * spacing, seed).unwrap();
    let upright = flat.mapped(|p| Point3::new(p.x * 0.3 + 0.15, p.z * 0.4, p.x * 0.2));
    let upright = jitter(&upright, 0.2 * spacing, seed + 1).unwrap();
    Scene::new(&[accordion, upright], 0.1 * spacing as f32, 0.1 * spacing as f32)
}

/// A motion that is smooth in the large, unruly in the small, and never the same.
struct Wander {
    positions: Vec<Point3<f32>>,
    displacements: Vec<Vector3<f32>>,
    dice: Dice,
    speed: f32,
}

impl Wander {
    fn new(scene: &Scene, speed: f32, seed: u64) -> Self {
        let mut dice = Dice::new(seed);
        let (drift, spin) = (dice.vector(3.0 * speed), dice.vector(2.0 * speed));
        let displacements =
            scene.rest.iter().map(|p| drift + spin.cross(&p.coords) + dice.vector(speed)).collect();
        Self { positions: scene.rest.clone(), displacements, dice, speed }
    }

    fn motion(&self) -> Motion<'_> {
        Motion { positions: &self.positions, displacements: &self.displacements }
    }

    /// Goes where it was predicted to, nearly; then changes its mind, a little.
    fn advance(&mut self) {
        let Self { dice, speed, .. } = self;
        for (p, d) in self.positions.iter_mut().zip(&mut self.displacements) {
            *p += *d + dice.vector(0.1 * *speed);
            *d += dice.vector(0.1 * *speed);
        }
    }
}

/// What a run has seen.
#[derive(Default)]
struct Seen {
    contacts: usize,
    rebuilds: usize,
    crossed: usize,
    sliding_past: usize,
}

/// Compares one step; returns how many pairs of the rule were left out because they never meet.
fn compare<K: Ord + std::fmt::Debug, C: Clone + PartialEq + std::fmt::Debug>(
    found: &[C],
    expected: &[C],
    key: impl Fn(&C) -> K,
    meets: impl Fn(&C) -> bool,
) -> usize {
    assert!(found.is_sorted_by(|a, b| key(a) < key(b)), "not in canonical order, or twice");
    let rule: BTreeMap<K, &C> = expected.iter().map(|c| (key(c), c)).collect();
    for contact in found {
        assert_eq!(rule.get(&key(contact)), Some(&contact), "not what the rule gives");
    }
    let reported: BTreeMap<K, ()> = found.iter().map(|c| (key(c), ())).collect();
    let missing = expected.iter().filter(|c| !reported.contains_key(&key(c)));
    missing.inspect(|c| assert!(!meets(c), "lost {c:?}")).count()
}

fn run<B: BroadPhase>(
    scene: &Scene,
    wander: &mut Wander,
    steps: usize,
    horizon: Horizon,
) -> (Seen, Vec<Contacts>) {
    let surface = scene.surface();
    let mut detector = Detector::<B>::default();
    let (mut before, mut found) = (Contacts::default(), Contacts::default());
    let (mut seen, mut all) = (Seen::default(), Vec::new());
    for _ in 0..steps {
        let motion = wander.motion();
        let stats = detector.detect(&surface, &motion, horizon, &mut found).unwrap();
        let mut expected = scene.contacts(surface.topology(), &motion);
        keep_sides(&before, &mut expected);
        seen.sliding_past += compare(
            &found.point_triangles,
            &expected.point_triangles,
            |c| (c.vertex, c.face),
            |c| scene.point_triangle_meets(&motion, c),
        ) + compare(
            &found.edge_edges,
            &expected.edge_edges,
            |c| c.edges,
            |c| scene.edge_edge_meets(&motion, c),
        );
        assert!(stats.candidates >= found.len());
        seen.contacts += found.len();
        seen.rebuilds += usize::from(stats.rebuilt);
        seen.crossed += stats.crossed;
        before.clone_from(&found);
        all.push(found.clone());
        wander.advance();
    }
    (seen, all)
}

#[test]
fn reusing_candidate_lists_loses_no_contact() {
    for (seed, speed, slack) in [(1, 0.002, 0.01), (2, 0.01, 0.01), (3, 0.02, 0.05), (4, 0.0005, 0.002)] {
        let scene = heap(8, seed);
        let mut wander = Wander::new(&scene, speed, seed);
        let (seen, _) = run::<ParryBvh>(&scene, &mut wander, 24, Horizon { steps: 5, slack });
        assert!(seen.contacts > 24 * 50, "too few contacts to prove anything: {}", seen.contacts);
        assert!(seen.rebuilds < 12, "lists were hardly reused: {} rebuilds", seen.rebuilds);
        assert!(seen.sliding_past * 50 < seen.contacts, "{} of {}", seen.sliding_past, seen.contacts);
        assert!(seen.crossed > 0, "nothing ever crossed: the memory of sides was not tried");
    }
}

#[test]
fn rebuilding_every_step_loses_no_contact_at_any_speed() {
    for (seed, speed) in [(5, 0.1), (6, 0.5), (7, 3.0)] {
        let scene = heap(7, seed);
        let mut wander = Wander::new(&scene, speed, seed);
        let (seen, _) = run::<ParryBvh>(&scene, &mut wander, 4, Horizon { steps: 1, slack: 0.0 });
        assert_eq!(seen.rebuilds, 4);
        assert!(seen.contacts > 100, "{}", seen.contacts);
    }
}

#[test]
fn the_broad_phase_changes_nothing() {
    let scene = heap(8, 8);
    let horizon = Horizon { steps: 4, slack: 0.01 };
    let (_, brute) = run::<BruteForce>(&scene, &mut Wander::new(&scene, 0.01, 8), 12, horizon);
    let (_, bvh) = run::<ParryBvh>(&scene, &mut Wander::new(&scene, 0.01, 8), 12, horizon);
    assert_eq!(brute, bvh);
}

#[test]
fn a_falling_sheet_needs_no_new_lists() {
    let scene = heap(8, 9);
    let surface = scene.surface();
    let mut detector = Detector::<ParryBvh>::default();
    let (mut positions, mut contacts) = (scene.rest.clone(), Contacts::default());
    for step in 0..20u8 {
        let fall = Vector3::new(0.0, -0.01 * f32::from(step), 0.0);
        let motion = Motion { positions: &positions, displacements: &vec![fall; positions.len()] };
        let horizon = Horizon { steps: 20, slack: 0.002 };
        let stats = detector.detect(&surface, &motion, horizon, &mut contacts).unwrap();
        assert_eq!(stats.rebuilt, step == 0, "step {step}");
        positions.iter_mut().for_each(|p| *p += fall);
    }
}

#[test]
fn a_stray_vertex_makes_new_lists_and_is_found() {
    let flat = sheet(4, 4, [1.0, 1.0]).unwrap().mesh;
    let lone = TriMesh::new(
        vec![Point3::new(0.1, 5.0, 0.1), Point3::new(0.2, 6.0, 0.1), Point3::new(0.1, 6.0, 0.3)],
        vec![[0, 1, 2]],
    );
    let scene = Scene::new(&[flat, lone], 0.01, 0.01);
    let surface = scene.surface();
    let mut detector = Detector::<ParryBvh>::default();
    let mut contacts = Contacts::default();
    let mut displacements = vec![Vector3::zeros(); scene.rest.len()];
    let horizon = Horizon { steps: 100, slack: 0.01 };
    let mut detect = |displacements: &[Vector3<f32>]| {
        let motion = Motion { positions: &scene.rest, displacements };
        let stats = detector.detect(&surface, &motion, horizon, &mut contacts).unwrap();
        (stats.rebuilt, contacts.len())
    };
    assert_eq!(detect(&displacements), (true, 0));
    assert_eq!(detect(&displacements), (false, 0));
    displacements[16] = Vector3::new(0.0, -5.5, 0.0);
    let (rebuilt, count) = detect(&displacements);
    assert!(rebuilt && count > 0);
}

#[test]
fn the_surface_has_the_topology_of_its_faces() {
    let scene = heap(5, 10);
    let surface: Surface = scene.surface();
    assert_eq!(surface.topology(), &Topology::new(scene.rest.len(), &scene.faces).unwrap());
}
