//! The detector's rules, one by one: sides, rest distances, exclusions, kinematic parts, refusals.

use cloth_contacts::gate::{Gate, Proposal};
use cloth_contacts::{Contacts, DetectError, Detector, Motion, Side};
use cloth_geom::TriMesh;
use cloth_geom::fixtures::sheet;
use nalgebra::{Point3, Vector3};

use crate::predictive::U;
use crate::predictive::reference::{Scene, at_rest};

/// Least motion (m) that lists are made for.
const SLACK: f32 = 0.5;

fn triangle(corners: [[f64; 3]; 3]) -> TriMesh {
    TriMesh::new(corners.map(Point3::from).to_vec(), vec![[0, 1, 2]])
}

/// A large triangle in the plane y = 0, and a small one above that points down at it with vertex 3.
fn dart() -> Scene {
    let floor = triangle([[0.0, 0.0, 0.0], [0.0, 0.0, 4.0], [4.0, 0.0, 0.0]]);
    let tip = triangle([[1.0, 0.05, 1.0], [1.1, 1.0, 1.0], [1.0, 1.0, 1.1]]);
    let mut scene = Scene::new(&[floor, tip], 0.05, 0.05);
    // At rest they are far apart, so that no rest distance plays in.
    scene.rest[3..].iter_mut().for_each(|p| p.y += 9.0);
    scene
}

/// The dart with its tip at height `y`, at rest.
fn with_tip_at(scene: &Scene, y: f32) -> Vec<Point3<f32>> {
    let mut positions = scene.rest.clone();
    positions[3..].iter_mut().for_each(|p| p.y += y - scene.rest[3].y);
    positions[3].y = y;
    positions
}

#[test]
fn a_point_pushed_through_a_triangle_keeps_its_side_until_it_returns() {
    let scene = dart();
    let surface = scene.surface();
    let mut detector = Detector::default();
    let mut contacts = Contacts::default();
    for y in [0.05, -0.03, -0.06, -0.02, 0.04] {
        let positions = with_tip_at(&scene, y);
        let motion = Motion { positions: &positions, displacements: &at_rest(6) };
        let stats = detector.detect(&surface, &motion, SLACK, &mut contacts).unwrap();
        let tip = contacts.point_triangles.iter().find(|c| c.vertex == 3).unwrap();
        assert_eq!((tip.side, tip.gap, tip.normal), (Side::Front, y, Vector3::y()));
        assert_eq!(stats.crossed > 0, y < 0.0);
    }
}

#[test]
fn without_history_a_point_belongs_where_it_is() {
    let scene = dart();
    let surface = scene.surface();
    let mut detector = Detector::default();
    let mut contacts = Contacts::default();
    for (y, reset) in [(0.05, false), (-0.03, true)] {
        if reset {
            detector.reset();
        }
        let positions = with_tip_at(&scene, y);
        let motion = Motion { positions: &positions, displacements: &at_rest(6) };
        let stats = detector.detect(&surface, &motion, SLACK, &mut contacts).unwrap();
        let tip = contacts.point_triangles.iter().find(|c| c.vertex == 3).unwrap();
        assert_eq!((tip.side == Side::Front, tip.gap), (y > 0.0, y.abs()));
        assert_eq!((stats.crossed, stats.searched), (0, true));
    }
}

#[test]
fn edges_that_were_pushed_through_each_other_keep_their_direction() {
    let along = triangle([[-2.0, 0.0, 0.0], [2.0, 0.0, 0.0], [0.0, -3.0, 0.1]]);
    let across = triangle([[0.1, 0.05, -2.0], [0.1, 0.05, 2.0], [0.1, 3.0, 0.0]]);
    let mut scene = Scene::new(&[along, across], 0.05, 0.05);
    scene.rest[3..].iter_mut().for_each(|p| p.y += 9.0);
    let surface = scene.surface();
    let mut detector = Detector::default();
    let mut contacts = Contacts::default();
    for y in [0.05f32, -0.03, -0.04, 0.05] {
        let mut positions = scene.rest.clone();
        (3..6).for_each(|v| positions[v].y = if v < 5 { y } else { 3.0 });
        let motion = Motion { positions: &positions, displacements: &at_rest(6) };
        detector.detect(&surface, &motion, SLACK, &mut contacts).unwrap();
        let pair = contacts.edge_edges.iter().find(|c| (c.a, c.b) == ([0, 1], [3, 4])).unwrap();
        // From the upper edge to the lower. The separation of 0.02 or more is off by 64 u of 4 m.
        assert!((pair.normal + Vector3::y()).norm() <= 64.0 * U * 4.0 / 0.02, "{y} {pair:?}");
        assert!((pair.gap - y).abs() <= 64.0 * U * 4.0, "{y} {pair:?}");
    }
}

/// Two layers 3 cm apart at rest, in as many parts as asked; contact is at 10 cm.
fn close_layers(parts: usize) -> Scene {
    let mut flat = sheet(5, 5, [1.0, 1.0]).unwrap().mesh;
    let above = flat.clone().mapped(|p| Point3::new(p.x + 0.02, 0.03, p.z + 0.04));
    if parts == 2 {
        return Scene::new(&[flat, above], 0.05, 0.02);
    }
    flat.append(&above);
    Scene::new(&[flat], 0.05, 0.02)
}

#[test]
fn close_pairs_of_one_cloth_keep_their_rest_distance() {
    let scene = close_layers(1);
    let surface = scene.surface();
    let mut contacts = Contacts::default();
    let motion = Motion { positions: &scene.rest, displacements: &at_rest(50) };
    Detector::default().detect(&surface, &motion, SLACK, &mut contacts).unwrap();
    assert!(contacts.point_triangles.len() > 20 && contacts.edge_edges.len() > 20);
    for c in contacts.point_triangles.iter().filter(|c| c.side != Side::Frozen) {
        assert!((c.distance - 0.03).abs() <= 1e-6 && (c.gap - 0.03).abs() <= 1e-6, "{c:?}");
    }
    assert_eq!(contacts, scene.contacts(surface.topology(), &motion));
}

#[test]
fn layers_resting_apart_or_of_two_cloths_have_the_full_distance() {
    let together = close_layers(2);
    let mut apart = close_layers(1);
    apart.rest[25..].iter_mut().for_each(|p| p.y = 1.0);
    for scene in [together, apart] {
        let mut positions = scene.rest.clone();
        positions[25..].iter_mut().for_each(|p| p.y = 0.03);
        let motion = Motion { positions: &positions, displacements: &at_rest(50) };
        let mut contacts = Contacts::default();
        Detector::default().detect(&scene.surface(), &motion, SLACK, &mut contacts).unwrap();
        assert!(contacts.point_triangles.len() > 20 && contacts.edge_edges.len() > 20);
        assert!(contacts.point_triangles.iter().all(|c| c.distance == 0.1));
        assert!(contacts.edge_edges.iter().all(|c| c.distance == 0.1));
    }
}

#[test]
fn a_thickness_whose_square_overflows_f32_finds_every_pair() {
    let flat = sheet(4, 4, [1.0, 1.0]).unwrap().mesh;
    let above = flat.clone().mapped(|p| Point3::new(p.x + 0.02, 0.03, p.z + 0.04));
    let scene = Scene::new(&[flat, above], 1e20, 1e20);
    let (surface, still) = (scene.surface(), at_rest(scene.rest.len()));
    let motion = Motion { positions: &scene.rest, displacements: &still };
    let mut contacts = Contacts::default();
    Detector::default().detect(&surface, &motion, SLACK, &mut contacts).unwrap();
    assert!(!contacts.is_empty());
    assert_eq!(contacts, scene.contacts(surface.topology(), &motion));
}

#[test]
fn excluded_vertices_let_their_primitives_pass_and_no_others() {
    let flat = sheet(4, 4, [1.0, 1.0]).unwrap().mesh;
    let above = flat.clone().mapped(|p| Point3::new(p.x + 0.02, 0.03, p.z + 0.04));
    let mut scene = Scene::new(&[flat, above], 0.05, 0.02);
    let positions = scene.rest.clone();
    let still = at_rest(32);
    let motion = Motion { positions: &positions, displacements: &still };
    let detect = |scene: &Scene| {
        let mut contacts = Contacts::default();
        Detector::default().detect(&scene.surface(), &motion, SLACK, &mut contacts).unwrap();
        contacts
    };
    let all = detect(&scene);
    scene.exclusions = vec![[21, 5]];
    let some = detect(&scene);
    assert!(some.len() < all.len());
    let touches =
        |a: &[u32], b: &[u32]| (a.contains(&5) && b.contains(&21)) || (a.contains(&21) && b.contains(&5));
    let mut expected = all.clone();
    expected.point_triangles.retain(|c| !touches(&[c.vertex], &c.corners));
    expected.edge_edges.retain(|c| !touches(&c.a, &c.b));
    assert_eq!(some, expected);
    scene.exclusions = vec![[5, 21], [21, 5]];
    assert_eq!(detect(&scene), expected, "either order, twice");
}

#[test]
fn kinematic_parts_ignore_each_other_and_themselves_but_not_cloth() {
    let flat = sheet(3, 3, [1.0, 1.0]).unwrap().mesh;
    let layer = |y: f64| flat.clone().mapped(|p| Point3::new(p.x + y, y, p.z + 0.1 * y));
    let mut scene = Scene::new(&[layer(0.0), layer(0.05), layer(0.1)], 0.05, 0.1);
    scene.kinematic = vec![true, false, true];
    let part = scene.part.clone();
    let surface = scene.surface();
    let mut contacts = Contacts::default();
    let motion = Motion { positions: &scene.rest, displacements: &at_rest(27) };
    Detector::default().detect(&surface, &motion, SLACK, &mut contacts).unwrap();
    let pairs = contacts.point_triangles.iter().map(|c| [c.vertex, c.corners[0]]);
    let parts: std::collections::BTreeSet<[u16; 2]> =
        pairs.map(|pair| pair.map(|v| part[v as usize])).collect();
    assert_eq!(parts.into_iter().collect::<Vec<_>>(), [[0, 1], [1, 0], [1, 2], [2, 1]]);
    assert_eq!(contacts, scene.contacts(surface.topology(), &motion));
}

#[test]
fn neighbours_that_share_a_vertex_are_no_contacts() {
    let flat = sheet(5, 5, [1.0, 1.0]).unwrap().mesh;
    let scene = Scene::new(&[flat], 0.05, 0.01);
    let motion = Motion { positions: &scene.rest, displacements: &at_rest(25) };
    let mut contacts = Contacts::default();
    Detector::default().detect(&scene.surface(), &motion, SLACK, &mut contacts).unwrap();
    assert!(contacts.is_empty(), "{contacts:?}");
}

const BAD: [f32; 3] = [f32::NAN, f32::INFINITY, f32::NEG_INFINITY];

/// The answers to a coordinate of `vertex` that is not finite, in the positions and in the displacements, by
/// a detector that has seen the fine motion before or has not.
fn answers(vertex: usize, bad: f32, warm: bool) -> [Result<(), DetectError>; 2] {
    let scene = dart();
    let surface = scene.surface();
    let fine = (scene.rest.clone(), at_rest(6));
    let mut spoiled = [fine.clone(), fine.clone()];
    spoiled[0].0[vertex].y = bad;
    spoiled[1].1[vertex].z = bad;
    spoiled.map(|(positions, displacements)| {
        let mut detector = Detector::default();
        let mut contacts = Contacts::default();
        let good = Motion { positions: &fine.0, displacements: &fine.1 };
        if warm {
            assert!(detector.detect(&surface, &good, SLACK, &mut contacts).is_ok());
        }
        let motion = Motion { positions: &positions, displacements: &displacements };
        let answer = detector.detect(&surface, &motion, SLACK, &mut contacts).map(|_| ());
        assert!(detector.detect(&surface, &good, SLACK, &mut contacts).is_ok(), "it goes on after a failure");
        answer
    })
}

#[test]
fn refuses_what_is_not_finite() {
    for bad in BAD {
        assert_eq!(answers(0, bad, false), [const { Err(DetectError::NotFinite(0)) }; 2], "{bad}");
        for answer in answers(4, bad, false) {
            assert!(matches!(answer, Err(DetectError::NotFinite(_))), "{bad}");
        }
    }
}

#[test]
fn names_the_vertex_that_is_not_finite() {
    for bad in BAD {
        assert_eq!(answers(4, bad, false), [const { Err(DetectError::NotFinite(4)) }; 2], "{bad}");
    }
}

#[test]
fn refuses_what_is_not_finite_while_lists_are_reused() {
    for bad in BAD {
        for answer in answers(4, bad, true) {
            assert!(matches!(answer, Err(DetectError::NotFinite(_))), "{bad}");
        }
    }
}

#[test]
fn refuses_a_slack_or_an_inverse_mass_that_is_no_number() {
    let (scene, mut contacts) = (dart(), Contacts::default());
    let (surface, start) = (scene.surface(), scene.rest.clone());
    let motion = Motion { positions: &start, displacements: &at_rest(6) };
    for bad in [f32::NAN, f32::INFINITY, f32::NEG_INFINITY, -1.0] {
        let refused = Detector::default().detect(&surface, &motion, bad, &mut contacts);
        assert!(matches!(refused, Err(DetectError::Slack(_))), "{bad}");
        let certify = |slack: f32, inv_mass: &[f32]| {
            let mut end = start.clone();
            let mut proposal = Proposal { start: &start, end: &mut end, inv_mass, slack };
            Gate::default().certify(&surface.for_gate(), &mut proposal)
        };
        assert!(matches!(certify(bad, &[1.0; 6]), Err(DetectError::Slack(_))), "{bad}");
        let masses = [1.0, 0.0, 1.0, bad, 1.0, 1.0];
        assert!(matches!(certify(SLACK, &masses), Err(DetectError::InverseMass { vertex: 3, .. })), "{bad}");
    }
}

#[test]
fn refuses_a_motion_of_another_length() {
    let scene = dart();
    let mut contacts = Contacts::default();
    for (positions, displacements) in [(5, 6), (6, 7)] {
        let motion =
            Motion { positions: &vec![Point3::origin(); positions], displacements: &at_rest(displacements) };
        let refused = Detector::default().detect(&scene.surface(), &motion, SLACK, &mut contacts);
        let got = if positions == 6 { displacements } else { positions };
        assert_eq!(refused.unwrap_err(), DetectError::Length { got, expected: 6 });
    }
}
