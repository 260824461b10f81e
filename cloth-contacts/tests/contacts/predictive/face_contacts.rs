//! Contacts of faces: the detector against a test of each pair, and what contacts are for.

use cloth_contacts::collider::{
    ClothFaces, ClothPoints, Collider, ColliderDetector, FaceContact, LongestEdges, Shape,
    face_contacts_reference,
};
use cloth_contacts::{Motion, Surface, SurfaceDesc};
use cloth_geom::TriMesh;
use cloth_geom::fixtures::sheet;
use nalgebra::{Isometry3, Point3, UnitQuaternion, Vector3};

use crate::predictive::collider_shapes::{all, tapered};
use cloth_testing::Dice;

const RADIUS: f32 = 0.01;
const SCR: f32 = 0.02;

fn surface(mesh: &TriMesh) -> Surface {
    let count = mesh.positions.len();
    Surface::new(&SurfaceDesc {
        faces: &mesh.faces,
        radius: &vec![RADIUS; count],
        half_scr: &vec![0.5 * SCR; count],
        part: &vec![0; count],
        kinematic: &[false],
        rest: &mesh.positions_f32(),
        exclusions: &[],
        regions: Default::default(),
    })
    .unwrap()
}

fn longest_edges(mesh: &TriMesh) -> LongestEdges {
    let at = mesh.positions_f32();
    let edges = |f: &[u32; 3]| [0, 1, 2].map(|k| (at[f[k] as usize] - at[f[(k + 1) % 3] as usize]).norm());
    LongestEdges::new(mesh.faces.iter().map(|f| edges(f).into_iter().fold(0.0, f32::max)).collect())
}

/// Where a point of a sheet in the xz-plane is that is rolled up to a tube of a radius (m).
fn rolled(p: &Point3<f32>, radius: f32) -> Point3<f32> {
    let (sin, cos) = (p.x / radius).sin_cos();
    Point3::new(radius * sin, radius * (1.0 - cos), p.z)
}

#[test]
fn contacts_of_faces_are_those_of_all_pairs() {
    let mesh = sheet(13, 13, [1.5, 1.5]).unwrap().mesh;
    let (surface, longest_edges) = (surface(&mesh), longest_edges(&mesh));
    let mut dice = Dice::new(81);
    let inv_mass: Vec<f32> = (0..mesh.positions.len()).map(|v| if v % 7 == 0 { 0.0 } else { 1.0 }).collect();
    let pose = |dice: &mut Dice, size: f32, turn: f32| {
        Isometry3::from_parts(dice.vector(size).into(), UnitQuaternion::from_scaled_axis(dice.vector(turn)))
    };
    let small = [Shape::Sphere { radius: 0.05 }, tapered(0.3, 0.02, 0.1), tapered(0.1, 0.05, 0.3)];
    let shapes: Vec<Shape> = all().into_iter().chain(small).collect();
    let mut detector = ColliderDetector::default();
    let mut of_points = Vec::new();
    let (mut found, mut expected, mut seen) = (Vec::new(), Vec::new(), [0; 2]);
    for step in 0..120 {
        let colliders: Vec<Collider> = { shapes.iter().enumerate() }
            .map(|(k, shape)| {
                let still = Collider::new(shape.clone(), pose(&mut dice, 0.6, 2.0), 0.3).unwrap();
                let moved = pose(&mut dice, 0.1, 0.2) * still.pose_t1;
                still.moved_to(if k % 3 == 0 { still.pose_t1 } else { moved }).unwrap()
            })
            .collect();
        // Cloth that bends and is crumpled, but stretched by no more than a quarter.
        let (radius, placed) = (0.15 + 0.1 * (step % 8) as f32, pose(&mut dice, 0.5, 2.0));
        let crumpled = |p: Point3<f32>, dice: &mut Dice| placed * (p + dice.vector(0.007));
        let positions: Vec<_> =
            mesh.positions_f32().iter().map(|p| crumpled(rolled(p, radius), &mut dice)).collect();
        let moved = pose(&mut dice, 0.05, 0.1);
        let displacements: Vec<_> = positions.iter().map(|p| moved * p - p + dice.vector(0.005)).collect();
        let motion = Motion { positions: &positions, displacements: &displacements };
        let points = ClothPoints { motion, inv_mass: &inv_mass, surface: &surface };
        let cloth = ClothFaces { points, longest_edges: &longest_edges };
        let of_all = step % 2 == 0;
        detector.detect_with_faces(&colliders, &cloth, of_all, &mut of_points, &mut found);
        face_contacts_reference::face_contacts(&colliders, &cloth, of_all, &mut expected);
        assert_eq!(found, expected, "step {step}");
        seen[usize::from(of_all)] += found.len();
    }
    assert!(seen[0] > 400 && seen[1] > seen[0], "{seen:?}");
}

/// The contacts of one face at rest with a shape at the origin.
fn of_face(corners: [[f32; 3]; 3], shape: Shape, of_all: bool) -> Vec<FaceContact> {
    let mesh = TriMesh::new(corners.map(|c| Point3::from(c).cast()).to_vec(), vec![[0, 1, 2]]);
    let (surface, longest_edges) = (surface(&mesh), longest_edges(&mesh));
    let (positions, displacements) = (corners.map(Point3::from), [Vector3::zeros(); 3]);
    let motion = Motion { positions: &positions, displacements: &displacements };
    let points = ClothPoints { motion, inv_mass: &[1.0; 3], surface: &surface };
    let collider = Collider::new(shape, Isometry3::identity(), 0.3).unwrap();
    let mut found = Vec::new();
    let cloth = ClothFaces { points, longest_edges: &longest_edges };
    ColliderDetector::default().detect_with_faces(&[collider], &cloth, of_all, &mut Vec::new(), &mut found);
    found
}

#[test]
fn a_face_has_its_contact_where_the_axis_is_nearest() {
    let face = [[-1.0, 0.25, -1.0], [1.0, 0.25, -1.0], [0.0, 0.25, 2.0]];
    let shapes = [
        Shape::Sphere { radius: 0.3 },
        Shape::TaperedCapsule { half_length: 0.1, bottom_radius: 0.3, top_radius: 0.2 },
        Shape::Cylinder { half_length: 0.3, radius: 0.2 },
    ];
    for (shape, gap) in shapes.into_iter().zip([-0.05, -0.05, -0.05]) {
        let found = of_face(face, shape.clone(), false);
        assert_eq!(found.len(), 1, "{shape:?}");
        let FaceContact { weights, normal, distance, .. } = found[0];
        assert!((found[0].gap - gap).abs() < 1e-3, "{found:?}");
        assert!((normal - Vector3::y()).norm() < 1e-2 && distance == RADIUS, "{found:?}");
        let z = weights[2] * 2.0 - weights[0] - weights[1];
        assert!(matches!(shape, Shape::Cylinder { .. }) || z.abs() < 1e-3, "{found:?}");
    }
}

#[test]
fn fine_faces_corners_and_boxes_make_no_contacts() {
    let ball = Shape::Sphere { radius: 0.3 };
    let small = [[-0.05, 0.29, -0.05], [0.05, 0.29, -0.05], [0.0, 0.29, 0.05]];
    assert_eq!([false, true].map(|of_all| of_face(small, ball.clone(), of_all).len()), [0, 1]);
    let on_a_corner = [[0.0, 0.29, 0.0], [1.0, 1.0, 0.0], [0.0, 1.0, 1.0]];
    assert_eq!(of_face(on_a_corner, ball, false), []);
    let half_extents = Vector3::repeat(0.3);
    let wide = [[-1.0, 0.25, -1.0], [1.0, 0.25, -1.0], [0.0, 0.25, 2.0]];
    assert_eq!(of_face(wide, Shape::Cuboid { half_extents }, true), []);
}
