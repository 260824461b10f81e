//! Contacts with a table of regions are those of every pair that some regions of both let touch; and what a
//! table leaves out costs nothing.

use cloth_broadphase::BruteForce;
use cloth_contacts::{Contacts, Detector, Interaction, Interactions, Motion};
use cloth_geom::fixtures::sheet;
use cloth_geom::{Topology, TriMesh};
use nalgebra::Point3;

use crate::predictive::reference::Scene;
use cloth_testing::Dice;

/// Crumpled sheets through each other: every region is near every other one.
fn crumple(seed: u64) -> Scene {
    let mut dice = Dice::new(seed);
    let mut mesh = || -> TriMesh {
        let flat = sheet(9, 9, [1.0, 1.0]).unwrap().mesh;
        flat.mapped(|p| {
            let off = dice.vector(0.08);
            Point3::new(0.3 * p.x + f64::from(off.x), f64::from(off.y), 0.6 * p.z + f64::from(off.z))
        })
    };
    let parts = [mesh(), mesh()];
    let mut scene = Scene::new(&parts, 0.01, 0.02);
    scene.rest.iter_mut().zip(0u8..).for_each(|(p, v)| p.y += f32::from(v));
    // Regions by a rule that cuts through both parts; region 3 is only of the second.
    let first = parts[0].faces.len();
    scene.regions = (0..scene.faces.len())
        .map(|f| if f < first { (f % 3) as u16 } else { 1 + (f / 40) as u16 % 3 })
        .collect();
    scene
}

/// A table by a number of three bits an entry, over four regions.
fn table(number: u32) -> Interactions {
    let pairs = (0..4u16).flat_map(|a| (0..=a).map(move |b| (a, b)));
    pairs.zip(0..).fold(Interactions::default(), |table, ((a, b), place)| {
        let kinds = [Interaction::FullMesh, Interaction::None, Interaction::Particles];
        table.with(a, b, kinds[(number / 3u32.pow(place) % 3) as usize])
    })
}

fn detected(scene: &Scene, motion: &Motion<'_>) -> Contacts {
    let (mut contacts, mut again) = (Contacts::default(), Contacts::default());
    let surface = scene.surface();
    Detector::default().detect(&surface, motion, 0.01, &mut contacts).unwrap();
    let mut other = Detector::with_broad_phase(BruteForce::default());
    other.detect(&surface, motion, 0.01, &mut again).unwrap();
    assert_eq!(contacts, again);
    contacts
}

#[test]
fn contacts_with_a_table_are_those_of_every_pair_that_may_touch() {
    let mut dice = Dice::new(5);
    for seed in 0..12 {
        let mut scene = crumple(seed);
        let topology = Topology::new(scene.rest.len(), &scene.faces).unwrap();
        let positions: Vec<_> =
            scene.rest.iter().zip(0u8..).map(|(p, v)| Point3::new(p.x, p.y - f32::from(v), p.z)).collect();
        let displacements: Vec<_> = positions.iter().map(|_| dice.vector(0.02)).collect();
        let motion = Motion { positions: &positions, displacements: &displacements };
        let all = detected(&scene, &motion);
        assert_eq!(all, scene.contacts(&topology, &motion));

        scene.interactions = table(seed as u32 * 7_919 + 12_345);
        let wanted = scene.contacts(&topology, &motion);
        let some = 50..all.len() - 50;
        assert!(some.contains(&wanted.len()), "{} of {}", wanted.len(), all.len());
        assert_eq!(detected(&scene, &motion), wanted);
    }
}

#[test]
fn the_order_of_the_faces_does_not_change_who_touches_whom() {
    let mut dice = Dice::new(6);
    for seed in 0..4 {
        let mut scene = crumple(seed);
        let positions: Vec<_> =
            scene.rest.iter().zip(0u8..).map(|(p, v)| Point3::new(p.x, p.y - f32::from(v), p.z)).collect();
        let displacements: Vec<_> = positions.iter().map(|_| dice.vector(0.02)).collect();
        let motion = Motion { positions: &positions, displacements: &displacements };
        scene.interactions = table(seed as u32 * 7_919 + 12_345);
        // Edges are numbered by their vertices, whatever the faces. Which face stands for a corner or an edge
        // depends on their order, and so does whether the same is counted once more where another face is
        // nearer.
        let touching = |scene: &Scene| {
            let found = detected(scene, &motion);
            let inside = found.point_triangles.iter().filter(|c| c.weights.iter().all(|&w| w > 0.0)).count();
            (inside, found.edge_edges)
        };
        let before = touching(&scene);
        scene.faces.reverse();
        scene.regions.reverse();
        assert_eq!(touching(&scene), before);
    }
}

#[test]
fn a_table_of_nothing_leaves_no_candidates() {
    let mut scene = crumple(3);
    scene.interactions = Interactions::all(Interaction::None);
    let surface = scene.surface();
    let still = crate::predictive::reference::at_rest(scene.rest.len());
    let positions: Vec<_> = scene.rest.iter().map(|p| Point3::new(p.x, 0.0, p.z)).collect();
    let motion = Motion { positions: &positions, displacements: &still };
    let stats = Detector::default().detect(&surface, &motion, 0.01, &mut Contacts::default()).unwrap();
    assert_eq!((stats.candidates, stats.narrow_phase_tests, surface.collides_in_full()), (0, 0, false));
}
