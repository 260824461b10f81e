//! The detector against enumeration, over many steps of a cloth in disorder, while its candidate lists are
//! reused.
//!
//! What it reports is what the rule gives for all pairs, entry for entry, in canonical order.

use cloth_broadphase::{BroadPhase, BruteForce, ParryBvh};
use cloth_contacts::{Contacts, Detector, Motion, Surface};
use cloth_geom::fixtures::{jitter, sheet};
use cloth_geom::{Topology, TriMesh};
use nalgebra::{Point3, Vector3};

use crate::predictive::reference::{Scene, keep_sides};
use cloth_testing::Dice;

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
    searches: usize,
    crossed: usize,
}

fn run<B: BroadPhase>(scene: &Scene, wander: &mut Wander, steps: usize, slack: f32) -> (Seen, Vec<Contacts>) {
    let surface = scene.surface();
    let mut detector = Detector::with_broad_phase(B::default());
    let (mut before, mut found) = (Contacts::default(), Contacts::default());
    let (mut seen, mut all) = (Seen::default(), Vec::new());
    for step in 0..steps {
        let motion = wander.motion();
        let stats = detector.detect(&surface, &motion, slack, &mut found).unwrap();
        let mut expected = scene.contacts(surface.topology(), &motion);
        keep_sides(&before, &mut expected);
        assert_eq!(found, expected, "step {step}");
        seen.contacts += found.len();
        seen.searches += usize::from(stats.searched);
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
        let (seen, _) = run::<ParryBvh>(&scene, &mut wander, 24, slack);
        assert!(seen.contacts > 24 * 50, "too few contacts to prove anything: {}", seen.contacts);
        assert!(seen.searches < 24, "pairs were searched in every step");
        assert!(seen.crossed > 0, "nothing ever crossed: the memory of sides was not tried");
    }
}

#[test]
fn many_sheets_in_many_moods_lose_no_contact() {
    for (seed, speed, slack) in [(11, 0.0002, 0.001), (12, 0.002, 0.002), (13, 0.02, 0.002)] {
        let scene = heap(14, seed);
        let mut wander = Wander::new(&scene, speed, seed);
        let (seen, _) = run::<ParryBvh>(&scene, &mut wander, 8, slack);
        assert!(seen.contacts > 8 * 150, "{}", seen.contacts);
    }
}

#[test]
fn dormant_cloth_has_no_contacts_with_itself_until_it_moves() {
    for (seed, speed) in [(21, 0.0005), (22, 0.005), (23, 0.02)] {
        let scene = heap(8, seed);
        let surface = scene.surface();
        let dormant = 0..64;
        let mut wander = Wander::new(&scene, speed, seed);
        let mut detector = Detector::default();
        let (mut before, mut found) = (Contacts::default(), Contacts::default());
        let (mut left_out, mut with_others) = (0, 0);
        for step in 0..24 {
            let is_dormant = (6..14).contains(&step);
            if step == 6 {
                detector.set_dormant(&surface, [&dormant]);
            }
            if is_dormant {
                wander.displacements[dormant.clone()].fill(Vector3::zeros());
            }
            let motion = wander.motion();
            detector.detect(&surface, &motion, 0.01, &mut found).unwrap();
            let mut expected = scene.contacts(surface.topology(), &motion);
            let all = expected.len();
            if is_dormant {
                let is_awake = |v: [u32; 4]| v.iter().any(|&v| !dormant.contains(&(v as usize)));
                expected.point_triangles.retain(|contact| is_awake(contact.vertices()));
                expected.edge_edges.retain(|contact| is_awake(contact.vertices()));
                left_out += all - expected.len();
                with_others += expected.len();
            }
            keep_sides(&before, &mut expected);
            assert_eq!(found, expected, "seed {seed}, step {step}");
            before.clone_from(&found);
            let at = wander.positions.clone();
            wander.advance();
            if (6..13).contains(&step) {
                wander.positions[dormant.clone()].copy_from_slice(&at[dormant.clone()]);
            }
        }
        // From step 14 on it moves, and nobody has said so.
        assert!(left_out > 100 && with_others > 20, "{left_out} left out, {with_others} with others");
    }
}

#[test]
fn cloth_that_trembles_on_the_spot_keeps_its_lists() {
    let scene = heap(8, 14);
    let surface = scene.surface();
    let mut detector = Detector::default();
    let (mut found, mut dice) = (Contacts::default(), Dice::new(14));
    for step in 0..200 {
        let trembling: Vec<_> = scene.rest.iter().map(|p| p + dice.vector(1e-4)).collect();
        let displacements: Vec<_> = scene.rest.iter().map(|_| dice.vector(1e-4)).collect();
        let motion = Motion { positions: &trembling, displacements: &displacements };
        let stats = detector.detect(&surface, &motion, 0.004, &mut found).unwrap();
        assert!(step == 0 || stats.lists == 0, "step {step}: {} lists", stats.lists);
        assert!(step == 0 || stats.narrow_phase_tests < stats.candidates, "step {step}: all were tested");
    }
}

#[test]
fn making_lists_in_every_step_loses_no_contact_at_any_speed() {
    for (seed, speed) in [(5, 0.1), (6, 0.5), (7, 3.0)] {
        let scene = heap(7, seed);
        let mut wander = Wander::new(&scene, speed, seed);
        let (seen, _) = run::<ParryBvh>(&scene, &mut wander, 4, 0.0);
        assert!(seen.contacts > 100, "{}", seen.contacts);
    }
}

#[test]
fn the_broad_phase_changes_nothing() {
    let scene = heap(8, 8);
    let (_, brute) = run::<BruteForce>(&scene, &mut Wander::new(&scene, 0.01, 8), 12, 0.01);
    let (_, bvh) = run::<ParryBvh>(&scene, &mut Wander::new(&scene, 0.01, 8), 12, 0.01);
    assert_eq!(brute, bvh);
}

#[test]
fn a_falling_sheet_needs_no_new_lists() {
    let scene = heap(8, 9);
    let surface = scene.surface();
    let mut detector = Detector::default();
    let (mut positions, mut contacts) = (scene.rest.clone(), Contacts::default());
    for step in 0..20u8 {
        let fall = Vector3::new(0.0, -0.01 * f32::from(step), 0.0);
        let motion = Motion { positions: &positions, displacements: &vec![fall; positions.len()] };
        let stats = detector.detect(&surface, &motion, 0.002, &mut contacts).unwrap();
        assert_eq!(stats.lists > 0, step == 0, "step {step}");
        positions.iter_mut().for_each(|p| *p += fall);
    }
}

#[test]
fn sheets_that_drift_together_from_afar_are_found_in_time() {
    let flat = sheet(8, 8, [1.0, 1.0]).unwrap().mesh;
    let above = flat.clone().mapped(|p| Point3::new(p.x + 0.03, p.y + 0.25, p.z + 0.02));
    let scene = Scene::new(&[flat, above], 0.02, 0.02);
    let surface = scene.surface();
    let mut detector = Detector::default();
    let (mut positions, mut found) = (scene.rest.clone(), Contacts::default());
    let sinks = |v: usize| Vector3::new(0.0, if v < 64 { 0.0 } else { -0.004 }, 0.0);
    let displacements: Vec<_> = (0..128).map(sinks).collect();
    let mut searches = 0;
    for step in 0..60 {
        let motion = Motion { positions: &positions, displacements: &displacements };
        searches += u32::from(detector.detect(&surface, &motion, 0.001, &mut found).unwrap().searched);
        assert_eq!(found, scene.contacts(surface.topology(), &motion), "step {step}");
        positions.iter_mut().zip(&displacements).for_each(|(p, d)| *p += d);
    }
    assert!(!found.is_empty(), "they never met");
    // Frames follow the sheets, for as long as lists are planned.
    assert!(searches <= 40, "{searches} searches");
}

#[test]
fn a_lone_triangle_that_comes_from_afar_is_found() {
    let flat = sheet(4, 4, [1.0, 1.0]).unwrap().mesh;
    let lone = TriMesh::new(
        vec![Point3::new(0.1, 5.0, 0.1), Point3::new(0.2, 6.0, 0.1), Point3::new(0.1, 6.0, 0.3)],
        vec![[0, 1, 2]],
    );
    let scene = Scene::new(&[flat, lone], 0.01, 0.01);
    let surface = scene.surface();
    let mut detector = Detector::default();
    let mut contacts = Contacts::default();
    let mut displacements = vec![Vector3::zeros(); scene.rest.len()];
    let mut detect = |displacements: &[Vector3<f32>]| {
        let motion = Motion { positions: &scene.rest, displacements };
        let stats = detector.detect(&surface, &motion, 0.01, &mut contacts).unwrap();
        (stats.searched, contacts.len())
    };
    assert_eq!(detect(&displacements), (true, 0));
    assert_eq!(detect(&displacements), (false, 0));
    displacements[16] = Vector3::new(0.0, -5.5, 0.0);
    let (searched, count) = detect(&displacements);
    assert!(searched && count > 0);
}

#[test]
fn the_surface_has_the_topology_of_its_faces() {
    let scene = heap(5, 10);
    let surface: Surface = scene.surface();
    assert_eq!(surface.topology(), &Topology::new(scene.rest.len(), &scene.faces).unwrap());
}
