//! What authors may exempt.

use cloth_contacts::{Interaction, Interactions};
use nalgebra::Point3;

use super::{cloth, points, step};
use crate::audit::{AuditScene, Auditor, FindingKind};

/// A triangle in the plane y = 0, and one upright that falls through it: vertices 0 to 2, and 3 to 5.
const FACES: [[u32; 3]; 2] = [[0, 1, 2], [3, 4, 5]];

fn falling() -> [Vec<Point3<f32>>; 2] {
    let flat = [[-1.0, 0.0, -1.0], [1.0, 0.0, -1.0], [0.0, 0.0, 1.0]];
    let upright = |y: f32| [[-0.2, y + 0.5, 0.0], [0.2, y + 0.5, 0.0], [0.0, y, 0.0]];
    [0.25, -0.25].map(|y| points(&[&flat[..], &upright(y)[..]].concat()))
}

/// How many crossings are found in the fall.
fn crossings(scene: &AuditScene) -> u64 {
    let [t0, t1] = falling();
    let mut auditor = Auditor::new(scene, &t0).unwrap();
    step(&mut auditor, &t0, &t1);
    assert!(auditor.findings().iter().all(|f| f.kind == FindingKind::Crossing));
    auditor.figures().crossings
}

#[test]
fn cloth_that_falls_through_cloth_is_found() {
    assert!(crossings(&cloth(&FACES, 6)) >= 1);
}

#[test]
fn two_bodies_may_meet_and_a_body_and_cloth_may_not() {
    let bodies = |is_body: [bool; 2]| AuditScene {
        is_body: [is_body[0], is_body[1]].iter().flat_map(|b| [*b; 3]).collect(),
        part: vec![0, 0, 0, 1, 1, 1],
        ..cloth(&FACES, 6)
    };
    assert_eq!(crossings(&bodies([true, true])), 0);
    assert!(crossings(&bodies([true, false])) >= 1 && crossings(&bodies([false, true])) >= 1);
}

#[test]
fn an_excluded_pair_counts_as_one_vertex() {
    let excluded = |exclusions: Vec<[u32; 2]>| crossings(&AuditScene { exclusions, ..cloth(&FACES, 6) });
    // Vertex 5 alone meets the face, which has 0 for a corner.
    assert_eq!(excluded(vec![[5, 0]]), 0);
    assert!(excluded(vec![[3, 0]]) >= 1);
}

#[test]
fn regions_are_exempt_if_every_pairing_is_none() {
    let with = |table: Interactions| {
        crossings(&AuditScene { region_of_face: vec![1, 2], interactions: table, ..cloth(&FACES, 6) })
    };
    assert_eq!(with(Interactions::default().with(1, 2, Interaction::None)), 0);
    assert!(with(Interactions::default().with(1, 2, Interaction::Particles)) >= 1);
    assert!(with(Interactions::all(Interaction::None).with(2, 1, Interaction::FullMesh)) >= 1);
}

/// The flat triangle in two halves of regions 1 and 2 that share the edge (0, 2), on which the upright one,
/// of region 3, falls.
fn on_a_border(order: [usize; 2]) -> u64 {
    let halves = [([0, 1, 2], 1), ([0, 2, 6], 2)];
    let halves = order.map(|k| halves[k]);
    let flat = [[0.0, 0.0, -1.0], [1.0, 0.0, 0.0], [0.0, 0.0, 1.0]];
    let at = |y: f32| {
        let upright = [[-0.5, y, 0.1], [0.5, y, 0.1], [0.0, y + 0.5, 0.1]];
        points(&[&flat[..], &upright[..], &[[-1.0, 0.0, 0.0]]].concat())
    };
    let scene = AuditScene {
        region_of_face: vec![halves[0].1, halves[1].1, 3],
        interactions: Interactions::default().with(1, 3, Interaction::None).with(2, 3, Interaction::FullMesh),
        ..cloth(&[halves[0].0, halves[1].0, [3, 4, 5]], 7)
    };
    let mut auditor = Auditor::new(&scene, &at(0.25)).unwrap();
    step(&mut auditor, &at(0.25), &at(-0.125));
    auditor.figures().crossings
}

#[test]
fn a_border_edge_belongs_to_both_regions_in_any_face_order() {
    let found = on_a_border([0, 1]);
    // The edge of the border, and the vertex above the half that collides.
    assert!(found >= 2, "{found}");
    assert_eq!(on_a_border([1, 0]), found);
}

#[test]
fn a_scene_that_does_not_fit_is_refused() {
    let scene = cloth(&[[0, 1, 9]], 3);
    assert!(Auditor::new(&scene, &points(&[[0.0; 3]; 3])).is_err());
    let error = Auditor::new(&cloth(&[[0, 1, 2]], 3), &points(&[[0.0; 3]; 2])).unwrap_err();
    assert_eq!(error.to_string(), "2 positions for a scene of 3 vertices; pass one position for each vertex");
}
