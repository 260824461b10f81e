//! Shapes that cannot be used are refused by name, whatever they are made of.

use cloth_contacts::collider::{
    Collider, ColliderError, CompoundShape, HullShape, MeshShape, MeshSides, Shape,
};
use nalgebra::{Isometry3, Point3, Vector3};

use crate::predictive::collider_shapes::{step, tapered, waves};

fn refused(shape: Shape) -> String {
    Collider::new(shape, Isometry3::identity(), 0.0).unwrap_err().to_string()
}

#[test]
fn every_dimension_is_refused_by_its_name() {
    for bad in [-1.0, f32::NAN, f32::INFINITY] {
        let cases = [
            (Shape::Sphere { radius: bad }, "radius"),
            (Shape::Capsule { half_length: bad, radius: 1.0 }, "half_length"),
            (tapered(bad, 1.0, 1.0), "half_length"),
            (tapered(1.0, bad, 1.0), "bottom_radius"),
            (tapered(1.0, 1.0, bad), "top_radius"),
            (Shape::Cylinder { half_length: bad, radius: 1.0 }, "half_length"),
            (Shape::Cylinder { half_length: 1.0, radius: bad }, "radius"),
            (Shape::Cone { half_length: bad, radius: 1.0 }, "half_length"),
            (Shape::Cone { half_length: 1.0, radius: bad }, "radius"),
            (Shape::Cuboid { half_extents: Vector3::new(1.0, 1.0, bad) }, "half extent"),
        ];
        for (shape, name) in cases {
            let text = format!("collider {name} is {bad}; it must be finite and greater than zero");
            assert_eq!(refused(shape), text);
        }
    }
    assert!(refused(Shape::Cylinder { half_length: 0.0, radius: 1.0 }).contains("half_length is 0"));
    assert!(Collider::new(tapered(0.0, 1.0, 1.0), Isometry3::identity(), 0.0).is_ok());
}

#[test]
fn hulls_of_nothing_or_of_flat_points_are_refused() {
    let hull = |points: &[[f32; 3]]| {
        let points: Vec<Point3<f32>> = points.iter().map(|&p| p.into()).collect();
        HullShape::new(&points).unwrap_err()
    };
    assert_eq!(hull(&[]), ColliderError::Flat(0));
    assert_eq!(hull(&[[1.0, 2.0, 3.0]; 7]), ColliderError::Flat(7));
    assert_eq!(hull(&[[0.0; 3]; 4]), ColliderError::Flat(4));
    let line: Vec<_> = (0..9).map(|i| [i as f32, 2.0 * i as f32, 0.5]).collect();
    assert_eq!(hull(&line), ColliderError::Flat(9));
    let square: Vec<_> = (0..9).map(|i| [0.1 * (i % 3) as f32, 0.3, 0.1 * (i / 3) as f32]).collect();
    assert_eq!(hull(&square), ColliderError::Flat(9));
    assert_eq!(hull(&[[0.0; 3], [1.0, f32::NAN, 0.0]]), ColliderError::Point(1));
    assert_eq!(hull(&[[2.0e18, 0.0, 0.0]]), ColliderError::Point(0));
    let tiny = [[0.0, 0.0, 0.0], [1e-30, 0.0, 0.0], [0.0, 1e-30, 0.0], [0.0, 0.0, 1e-30]].map(Point3::from);
    assert!(HullShape::new(&tiny).is_ok());
}

#[test]
fn meshes_that_do_not_keep_what_their_sides_promise_are_refused() {
    let points = |n: usize| vec![Point3::new(0.0, 0.0, 0.0); n];
    assert_eq!(MeshShape::new(&points(3), &[], MeshSides::TwoSided), Err(ColliderError::Empty("mesh")));
    let flat = MeshShape::new(&points(3), &[[0, 1, 2]], MeshSides::TwoSided);
    assert_eq!(flat, Err(ColliderError::FaceWithoutArea(0)));
    let missing = MeshShape::new(&points(3), &[[0, 1, 3]], MeshSides::TwoSided).unwrap_err().to_string();
    assert!(missing.contains("face 0 uses vertex 3"), "{missing}");
    let with = |mesh: &cloth_geom::TriMesh, sides| MeshShape::new(&mesh.positions_f32(), &mesh.faces, sides);
    assert!(matches!(with(&waves(), MeshSides::Closed), Err(ColliderError::Open(_))));
    let mut turned = step();
    turned.faces.iter_mut().for_each(|f| f.swap(0, 1));
    assert_eq!(with(&turned, MeshSides::Closed), Err(ColliderError::InsideOut));
    let mut one_turned = step();
    one_turned.faces[3].swap(0, 1);
    assert!(matches!(with(&one_turned, MeshSides::Closed), Err(ColliderError::Edge(_, 2))));
    assert!(with(&one_turned, MeshSides::TwoSided).is_ok());
    let mut doubled = step();
    doubled.faces.push(doubled.faces[0]);
    assert!(matches!(with(&doubled, MeshSides::OneSided), Err(ColliderError::Edge(_, 3))));
    let mut broken = step();
    broken.positions[4].y = f64::NAN;
    assert_eq!(with(&broken, MeshSides::Closed), Err(ColliderError::Point(4)));
}

#[test]
fn a_compound_is_refused_for_its_parts() {
    assert_eq!(CompoundShape::new(vec![]), Err(ColliderError::Empty("compound")));
    let bad = CompoundShape::new(vec![(Isometry3::identity(), Shape::Sphere { radius: 0.0 })]);
    assert!(bad.unwrap_err().to_string().contains("radius is 0"));
    let nowhere = Isometry3::translation(f32::NAN, 0.0, 0.0);
    assert_eq!(CompoundShape::new(vec![(nowhere, Shape::Plane)]), Err(ColliderError::Pose));
}
