//! Contacts that are kept for several steps: what is measured again, and what stays as found.

use cloth_contacts::{Contacts, Detector, Motion, Side};
use cloth_geom::TriMesh;
use nalgebra::{Point3, Rotation3, Vector3};

use crate::predictive::reference::{Scene, at_rest};

fn triangle(corners: [[f64; 3]; 3]) -> TriMesh {
    TriMesh::new(corners.map(Point3::from).to_vec(), vec![[0, 1, 2]])
}

/// The contacts of two triangles that are far apart at rest, so that no rest distance plays in.
fn contacts_of(scene: &mut Scene) -> (Contacts, Vec<Point3<f32>>) {
    let positions = scene.rest.clone();
    scene.rest[3..].iter_mut().for_each(|p| p.y += 9.0);
    let mut contacts = Contacts::default();
    let motion = Motion { positions: &positions, displacements: &at_rest(6) };
    let mut detector = Detector::default();
    detector.detect(&scene.surface(), &motion, 0.5, &mut contacts).unwrap();
    (contacts, positions)
}

/// A tip above a large triangle.
fn dart() -> Scene {
    let floor = triangle([[0.0, 0.0, 0.0], [0.0, 0.0, 4.0], [4.0, 0.0, 0.0]]);
    let tip = triangle([[1.0, 0.05, 1.0], [1.1, 1.0, 1.0], [1.0, 1.0, 1.1]]);
    Scene::new(&[floor, tip], 0.05, 0.05)
}

#[test]
fn a_remeasured_gap_is_the_present_signed_height_over_the_triangle() {
    let (mut contacts, mut positions) = contacts_of(&mut dart());
    for y in [0.03, 0.0, -0.02, 0.08] {
        positions[3].y = y;
        contacts.measure(&Motion { positions: &positions, displacements: &at_rest(6) });
        assert_eq!(contacts.point_triangles.len(), 1);
        assert_eq!((contacts.point_triangles[0].side, contacts.point_triangles[0].gap), (Side::Front, y));
    }
}

#[test]
fn normal_and_weights_of_a_point_follow_the_triangle() {
    let (mut contacts, mut positions) = contacts_of(&mut dart());
    let turn = Rotation3::from_axis_angle(&Vector3::x_axis(), 0.5_f32);
    positions.iter_mut().for_each(|p| *p = turn * *p);
    // Along the triangle, towards its second corner.
    positions[3] += turn * Vector3::new(0.0, 0.0, 0.4);
    contacts.measure(&Motion { positions: &positions, displacements: &at_rest(6) });
    let now = &contacts.point_triangles[0];
    approx::assert_relative_eq!(now.normal, turn * Vector3::y(), epsilon = 1e-6);
    approx::assert_relative_eq!(now.gap, 0.05, epsilon = 1e-6);
    // At (x, z) of (1, 1.4) on a right triangle with legs of 4.
    let [w0, w1, w2] = now.weights;
    approx::assert_relative_eq!(w0, 1.0 - 0.25 - 0.35, epsilon = 1e-6);
    approx::assert_relative_eq!(w1, 0.35, epsilon = 1e-6);
    approx::assert_relative_eq!(w2, 0.25, epsilon = 1e-6);
}

#[test]
fn edges_keep_their_direction_while_their_closest_points_follow_them() {
    let along = triangle([[-2.0, 0.0, 0.0], [2.0, 0.0, 0.0], [0.0, -3.0, 0.1]]);
    let across = triangle([[0.1, 0.05, -2.0], [0.1, 0.05, 2.0], [0.1, 3.0, 0.0]]);
    let (mut contacts, mut positions) = contacts_of(&mut Scene::new(&[along, across], 0.05, 0.05));
    let found = contacts.edge_edges[0];
    for gap in [0.02, -0.03, 0.07] {
        positions[3] = Point3::new(0.4, gap, -2.0);
        positions[4] = Point3::new(0.4, gap, 2.0);
        contacts.measure(&Motion { positions: &positions, displacements: &at_rest(6) });
        let now = contacts.edge_edges[0];
        approx::assert_relative_eq!(now.normal, found.normal, epsilon = 1e-5);
        let (along, across) = if now.a == [0, 1] { (now.s, now.t) } else { (now.t, now.s) };
        approx::assert_relative_eq!(along, 0.6, epsilon = 1e-6);
        approx::assert_relative_eq!(across, 0.5, epsilon = 1e-6);
        approx::assert_relative_eq!(now.gap, gap, epsilon = 1e-6);
    }
}

#[test]
fn a_plane_across_the_gap_separates_the_two_primitives_whole() {
    let (mut contacts, mut positions) = contacts_of(&mut dart());
    // Beyond the border of the triangle, where the normal no longer is the triangle's.
    for x in [-0.01, -0.03] {
        positions[3] = Point3::new(x, 0.02, 1.5);
        contacts.measure(&Motion { positions: &positions, displacements: &at_rest(6) });
        let now = &contacts.point_triangles[0];
        assert_eq!(now.side, Side::Frozen);
        approx::assert_relative_eq!(now.gap, (x * x + 0.02 * 0.02).sqrt(), epsilon = 1e-6);
        let highest = now.corners.map(|v| now.normal.dot(&positions[v as usize].coords));
        let height = now.normal.dot(&positions[3].coords);
        assert!(highest.into_iter().all(|corner| corner <= height - now.gap + 1e-6), "{now:?}");
    }
}
