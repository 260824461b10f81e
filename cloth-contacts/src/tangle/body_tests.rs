//! A sheet that hangs into a ball from above: which vertices are inside, and the direction of the push.

use cloth_geom::fixtures;
use nalgebra::{Point3, Vector3};

use super::{BodyOrientation, Contour, InteriorTraversal, PushDirection, body_crossings, trace};
use crate::gate::{Admission, Gate, RINGS};
use crate::point_triangle::Side;
use crate::{EdgeEdge, PointTriangle, Regions, Surface, SurfaceDesc, intersect};

const RADIUS: f64 = 0.5;

struct Scene {
    surface: Surface,
    at: Vec<Point3<f32>>,
    exact: Vec<Point3<f64>>,
    /// Vertices of the sheet; those of the ball come after.
    cloth: u32,
}

fn scene() -> Scene {
    let sheet = fixtures::sheet(9, 31, [0.3, 1.2]).unwrap().mesh;
    let hung = sheet.mapped(|p| Point3::new(p.x + 0.011, p.z + 0.61, 0.013));
    let ball = fixtures::icosphere(3, RADIUS).unwrap();
    let cloth = hung.positions.len() as u32;
    let faces: Vec<[u32; 3]> =
        hung.faces.iter().copied().chain(ball.faces.iter().map(|f| f.map(|v| v + cloth))).collect();
    let at: Vec<Point3<f32>> = hung.positions.iter().chain(&ball.positions).map(|p| p.cast()).collect();
    let surface = Surface::new(&SurfaceDesc {
        faces: &faces,
        radius: &vec![0.002; at.len()],
        half_scr: &vec![0.002; at.len()],
        part: &(0..at.len() as u32).map(|v| u16::from(v >= cloth)).collect::<Vec<_>>(),
        kinematic: &[false, true],
        rest: &at,
        exclusions: &[],
        regions: Regions::default(),
    })
    .unwrap();
    let exact = at.iter().map(|p| p.cast()).collect();
    Scene { surface, at, exact, cloth }
}

impl Scene {
    fn contour(&self) -> Contour {
        let hits = intersect::find(&self.exact, self.surface.topology()).unwrap().edge_faces;
        let contours = trace(&hits, self.surface.topology());
        assert_eq!(contours.len(), 1);
        contours.into_iter().next().unwrap()
    }

    fn off_centre(&self, v: u32) -> f64 {
        self.exact[v as usize].coords.norm()
    }

    /// The vertices of the sheet that are certainly in the ball, whose faces lie within a hundredth of it.
    fn is_in(&self, v: u32) -> bool {
        v < self.cloth && self.off_centre(v) < 0.99 * RADIUS
    }
}

#[test]
fn traversal_from_the_body_crossings_finds_all_cloth_inside_the_ball() {
    let scene = scene();
    let (contour, topology) = (scene.contour(), scene.surface.topology());
    let orientation = BodyOrientation::new(&scene.surface, &scene.at);
    let body = orientation.body_side(&contour, topology).unwrap();
    assert!(contour.sides[body].iter().all(|&f| topology.faces()[f as usize][0] >= scene.cloth));
    let all: Vec<_> = body_crossings(&contour, &orientation, &scene.exact, topology).collect();
    assert!(all.len() > 8);
    assert!(all.iter().all(|cut| scene.off_centre(cut.inner) < scene.off_centre(cut.outer)));
    let mut found = Vec::new();
    let mut traversal = InteriorTraversal::default();
    traversal.add(all.into_iter().map(|cut| (cut, Some(()))));
    traversal.follow(topology, |v, ()| found.push(v));
    found.sort_unstable();
    let wanted: Vec<u32> = (0..scene.cloth).filter(|&v| scene.off_centre(v) < RADIUS).collect();
    assert_eq!(found, wanted);
}

#[test]
fn the_gate_exempts_all_cloth_in_the_ball_and_none_far_away() {
    let scene = scene();
    let mut gate = Gate::default();
    let surface = scene.surface.for_gate();
    let found = gate.inspect(&surface, &scene.at, Admission::All).unwrap();
    let [tangle] = gate.tangles() else { panic!("{} tangles", gate.tangles().len()) };
    let cloth = tangle.iter().find(|side| side.iter().all(|&v| v < scene.cloth)).unwrap();
    assert!((0..scene.cloth).filter(|&v| scene.is_in(v)).all(|v| cloth.contains(&v)));
    // Cells are 4 cm wide, and the rings around the contour as many as the gate says.
    let far = RADIUS + 0.05 * (RINGS + 1) as f64;
    assert!((0..scene.cloth).any(|v| scene.off_centre(v) > far));
    assert!(!cloth.iter().any(|&v| scene.off_centre(v) > far), "{cloth:?}");
    let mut in_tangles: Vec<u32> = tangle.iter().flatten().copied().collect();
    in_tangles.sort_unstable();
    in_tangles.dedup();
    assert_eq!(found.vertices, in_tangles.len());
    assert!(found.vertices < scene.at.len());
}

#[test]
fn the_push_direction_is_relative_to_the_ball_in_either_order() {
    let scene = scene();
    let topology = scene.surface.topology();
    let orientation = BodyOrientation::new(&scene.surface, &scene.at);
    let top = (scene.cloth..scene.at.len() as u32)
        .max_by(|&a, &b| scene.at[a as usize].y.total_cmp(&scene.at[b as usize].y))
        .unwrap();
    let of_ball = topology.vertex_faces(top as usize)[0];
    let (face_of_cloth, edge_of_ball) = (0, topology.face_edges()[of_ball as usize][0]);
    let up = Vector3::y();
    // The normal leads from the second of both to the first.
    let point_triangle = |vertex: u32, face: u32, normal: Vector3<f32>| {
        let corners = topology.faces()[face as usize];
        let (side, weights) = (Side::Front, [1.0, 0.0, 0.0]);
        let contact = PointTriangle { vertex, face, corners, side, normal, weights, gap: 0.0, distance: 0.0 };
        orientation.push_of_point_triangle(&contact, &scene.exact, topology)
    };
    let edge_edge = |edges: [u32; 2], normal: Vector3<f32>| {
        let [a, b] = edges.map(|e| topology.edges()[e as usize]);
        let contact = EdgeEdge { edges, a, b, s: 0.0, t: 0.0, normal, gap: 0.0, distance: 0.0 };
        orientation.push_of_edge_edge(&contact, &scene.exact, topology)
    };
    for (away, stand) in [
        (up, PushDirection::Outward),
        (-up, PushDirection::Inward),
        (Vector3::x(), PushDirection::Tangential),
    ] {
        assert_eq!(point_triangle(0, of_ball, away), Some(stand));
        assert_eq!(point_triangle(top, face_of_cloth, -away), Some(stand));
        assert_eq!(edge_edge([0, edge_of_ball], away), Some(stand));
        assert_eq!(edge_edge([edge_of_ball, 0], -away), Some(stand));
    }
    assert_eq!(point_triangle(20, face_of_cloth, up), None);
}
