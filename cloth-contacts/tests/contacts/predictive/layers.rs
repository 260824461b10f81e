//! An authored order of layers: it changes nothing about layers that are right, and turns the contacts of
//! those that are not.

use cloth_contacts::{Contacts, Detector, Motion, PointTriangle, Side, Surface, SurfaceError};
use cloth_geom::fixtures::{jitter, sheet};
use nalgebra::{Point3, Vector3};

use crate::predictive::reference::{Scene, at_rest};
use cloth_testing::Dice;

/// Thickness: radius and half SCR (m).
const RADIUS: f32 = 0.01;
const HALF_SCR: f32 = 0.0025;
/// Vertices along a side of a sheet.
const SIDE: usize = 9;
const COUNT: usize = SIDE * SIDE;
const DEPTH: f32 = 0.05;

/// Two flat sheets of 0.4 m, faces up, both at the height 0 in their rest pose.
fn sheets() -> Scene {
    let flat = |seed| {
        let mesh = sheet(SIDE, SIDE, [0.4, 0.4]).expect("a sheet").mesh;
        jitter(&mesh, 0.005, seed).expect("a jittered sheet")
    };
    Scene::new(&[flat(1), flat(2)], RADIUS, HALF_SCR)
}

/// The second sheet is the outer one.
fn ordered(scene: &Scene) -> Surface {
    let ranks: Vec<_> = (0..2 * COUNT).map(|v| Some(u16::from(v >= COUNT))).collect();
    scene.surface().with_layers(&ranks, DEPTH).expect("an order")
}

/// The second sheet moved up by `height` (m).
fn apart(scene: &Scene, height: f32) -> Vec<Point3<f32>> {
    let mut positions = scene.rest.clone();
    positions[..COUNT].iter_mut().for_each(|p| p.y *= 0.1);
    positions[COUNT..].iter_mut().for_each(|p| p.y = 0.1 * p.y + height);
    positions
}

fn detect(surface: &Surface, positions: &[Point3<f32>], displacements: &[Vector3<f32>]) -> Contacts {
    let mut contacts = Contacts::default();
    let motion = Motion { positions, displacements };
    Detector::default().detect(surface, &motion, 0.01, &mut contacts).expect("contacts");
    contacts
}

#[test]
fn layers_in_order_have_the_same_contacts_as_without_an_order() {
    let scene = sheets();
    let (plain, ordered) = (scene.surface(), ordered(&scene));
    let mut dice = Dice::new(5);
    for height in [0.012, 0.02, 0.03] {
        let positions = apart(&scene, height);
        let displacements: Vec<_> = (0..2 * COUNT).map(|_| dice.vector(0.01)).collect();
        let contacts = detect(&plain, &positions, &displacements);
        assert!(contacts.point_triangles.len() > 50, "{height}: {}", contacts.point_triangles.len());
        assert_eq!(detect(&ordered, &positions, &displacements), contacts, "{height}");
    }
}

#[test]
fn layers_that_changed_places_are_pushed_back_to_theirs() {
    let scene = sheets();
    let surface = ordered(&scene);
    let positions = apart(&scene, -0.03);
    let contacts = detect(&surface, &positions, &at_rest(2 * COUNT));
    let across = |v: u32| (v as usize) < COUNT;
    let pairs: Vec<_> =
        contacts.point_triangles.iter().filter(|c| across(c.vertex) != across(c.corners[0])).collect();
    // Each vertex that lies over the other sheet is near one of its faces at least.
    assert!(pairs.len() >= 2 * (SIDE - 2) * (SIDE - 2), "{}", pairs.len());
    for c in pairs {
        let outer = c.vertex as usize >= COUNT;
        assert!(c.gap < 0.0 && c.normal.y * if outer { 1.0 } else { -1.0 } > 0.5, "{c:?}");
        assert_ne!(c.side, if outer { Side::Back } else { Side::Front }, "{c:?}");
    }
    let crossed: Vec<_> = contacts.edge_edges.iter().filter(|c| across(c.a[0]) != across(c.b[0])).collect();
    assert!(!crossed.is_empty());
    for c in crossed {
        // The normal leads from the second edge to the first, which is of the inner sheet.
        assert!(c.normal.y < 0.0 && c.gap < 0.0, "{c:?}");
    }
}

#[test]
fn no_contact_keeps_a_layer_where_it_crosses_another() {
    let scene = sheets();
    // The middle of the outer sheet hangs through the inner one.
    let mut positions = apart(&scene, 0.02);
    for p in &mut positions[COUNT..] {
        p.y -= if p.x.abs() < 0.12 && p.z.abs() < 0.12 { 0.04 } else { 0.0 };
    }
    // Of vertices of the outer sheet against the inner one, which is flat: how far each contact pushes down,
    // 1 for straight down.
    let downward = |surface: &Surface| {
        let contacts = detect(surface, &positions, &at_rest(2 * COUNT)).point_triangles;
        let of_outer = |c: &&PointTriangle| (c.vertex as usize) >= COUNT && (c.corners[0] as usize) < COUNT;
        contacts.iter().filter(of_outer).map(|c| -c.normal.y).fold(f32::NEG_INFINITY, f32::max)
    };
    assert!(downward(&scene.surface()) > 0.9, "without an order a contact keeps it there");
    assert!(downward(&ordered(&scene)) < 0.05, "{}", downward(&ordered(&scene)));
    // Edges of the outer sheet against those of the inner one; the normal leads from the second edge to the
    // first.
    let edges = detect(&ordered(&scene), &positions, &at_rest(2 * COUNT)).edge_edges;
    let across = edges.iter().filter(|c| (c.a[0] as usize) < COUNT && (c.b[0] as usize) >= COUNT);
    let up = across.map(|c| c.normal.y).fold(f32::NEG_INFINITY, f32::max);
    assert!(up < 0.5, "no edge of the inner sheet is kept above one of the outer: {up}");
}

#[test]
fn without_an_order_they_are_taken_as_they_are() {
    let scene = sheets();
    let contacts = detect(&scene.surface(), &apart(&scene, -0.02), &at_rest(2 * COUNT));
    assert!(!contacts.is_empty());
    assert!(contacts.point_triangles.iter().all(|c| c.gap >= 0.0));
}

#[test]
fn deeper_than_the_depth_nothing_is_found() {
    let scene = sheets();
    let reach = 2.0 * (RADIUS + HALF_SCR);
    let at = |height| {
        let contacts = detect(&ordered(&scene), &apart(&scene, height), &at_rest(2 * COUNT));
        contacts.point_triangles.iter().filter(|c| c.gap < 0.0).count()
    };
    assert!(at(-(reach + DEPTH) * 0.9) > 0);
    assert_eq!(at(-(reach + DEPTH) * 1.1), 0);
}

#[test]
fn layers_that_face_away_from_each_other_are_not_entangled() {
    let mut scene = sheets();
    // The outer sheet is turned over: the back of a garment, seen from its front.
    let first = scene.faces.len() / 2;
    scene.faces[first..].iter_mut().for_each(|f| f.swap(1, 2));
    let positions = apart(&scene, -0.02);
    let contacts = detect(&ordered(&scene), &positions, &at_rest(2 * COUNT));
    assert_eq!(contacts, detect(&scene.surface(), &positions, &at_rest(2 * COUNT)));
}

#[test]
fn an_order_that_does_not_fit_is_refused() {
    let scene = sheets();
    let short = scene.surface().with_layers(&[Some(1); 3], DEPTH).expect_err("too short");
    assert_eq!(short, SurfaceError::Length { name: "layers", got: 3, expected: 2 * COUNT });
    for depth in [-1.0, f32::INFINITY] {
        let refused = scene.surface().with_layers(&[None; 2 * COUNT], depth).expect_err("no depth");
        assert_eq!(refused, SurfaceError::Depth(depth));
    }
}
