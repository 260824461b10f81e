//! Shapes of parry: their distances against parry's own, and what is refused.

use cloth_contacts::collider::{ColliderError, MeshSides, Shape};
use nalgebra::Point3;
use parry3d::math::{Pose, Vector};
use parry3d::shape::{SharedShape, TriMeshFlags};

use crate::predictive::U;
use crate::predictive::collider_shapes::step;
use cloth_testing::Dice;

fn vectors(points: &[Point3<f32>]) -> Vec<Vector> {
    points.iter().map(|p| Vector::new(p.x, p.y, p.z)).collect()
}

fn trimesh(flags: TriMeshFlags) -> SharedShape {
    let mesh = step();
    SharedShape::trimesh_with_flags(vectors(&mesh.positions_f32()), mesh.faces, flags).unwrap()
}

fn cloud() -> Vec<Vector> {
    let mut dice = Dice::new(90);
    vectors(&(0..30).map(|_| dice.point(0.5)).collect::<Vec<_>>())
}

/// How far our distance exceeds parry's at most, and how far parry's exceeds ours; outside alone or
/// everywhere.
fn excess(shape: &SharedShape, inside_too: bool) -> [f32; 2] {
    let (ours, mut dice, mut excess) = (Shape::from_parry(shape).unwrap(), Dice::new(91), [0.0_f32; 2]);
    for _ in 0..2000 {
        let p = dice.point(1.2);
        let at = Vector::new(p.x, p.y, p.z);
        let found = shape.project_local_point(at, false);
        let distance = (found.point - at).length();
        let theirs = if found.is_inside { -distance } else { distance };
        if inside_too || !found.is_inside {
            let more = ours.nearest(&p).distance - theirs;
            excess = [excess[0].max(more), excess[1].max(-more)];
        }
    }
    excess
}

#[test]
fn shapes_with_formulas_have_the_distances_that_parry_gives_them() {
    let pose = Pose::new(Vector::new(0.1, 0.2, -0.3), Vector::new(0.5, -0.2, 0.9));
    let ball = SharedShape::ball(0.3);
    let shapes = [
        ball.clone(),
        SharedShape::cuboid(0.3, 0.1, 0.5),
        SharedShape::capsule_y(0.4, 0.2),
        SharedShape::capsule(Vector::new(0.1, 0.0, 0.3), Vector::new(-0.5, 0.2, 0.0), 0.2),
        SharedShape::halfspace(Vector::new(0.6, 0.0, -0.8)),
        SharedShape::triangle(Vector::X, Vector::Y * 0.5, Vector::Z * -0.7),
        trimesh(TriMeshFlags::ORIENTED),
        trimesh(TriMeshFlags::empty()),
        SharedShape::compound(vec![(pose, SharedShape::cuboid(0.3, 0.1, 0.2))]),
        SharedShape::voxels(
            Vector::splat(0.25),
            &[parry3d::math::IVector::new(0, 0, 0), parry3d::math::IVector::new(1, 0, 0)],
        ),
    ];
    for shape in &shapes {
        // Two codes of some 32 roundings each, of coordinates up to 2 m.
        let [more, less] = excess(shape, true);
        assert!(more.max(less) <= 64.0 * U * 2.0, "{:?} {more} {less}", shape.shape_type());
    }
}

#[test]
fn shapes_that_parry_searches_are_never_farther_than_what_it_finds() {
    let shapes = [
        SharedShape::cylinder(0.4, 0.2),
        SharedShape::cone(0.4, 0.3),
        SharedShape::convex_hull(&cloud()).unwrap(),
        SharedShape::round_cuboid(0.3, 0.1, 0.2, 0.05),
        SharedShape::round_cylinder(0.3, 0.2, 0.05),
        SharedShape::round_cone(0.3, 0.2, 0.05),
        SharedShape::round_convex_hull(&cloud(), 0.1).unwrap(),
    ];
    for shape in &shapes {
        // What its search finds lies on the shape but need not be the nearest: ours is never farther.
        let [more, less] = excess(shape, false);
        assert!(more <= 64.0 * U * 2.0 && less <= 0.02, "{:?} {more} {less}", shape.shape_type());
    }
}

#[test]
fn what_has_a_counterpart_becomes_it() {
    let ours = |shape: &SharedShape| Shape::from_parry(shape).unwrap();
    assert_eq!(ours(&SharedShape::ball(0.3)), Shape::Sphere { radius: 0.3 });
    assert_eq!(ours(&SharedShape::halfspace(Vector::Y)), Shape::Plane);
    assert_eq!(ours(&SharedShape::capsule_y(0.4, 0.2)), Shape::Capsule { half_length: 0.4, radius: 0.2 });
    assert_eq!(ours(&SharedShape::cylinder(0.4, 0.2)), Shape::Cylinder { half_length: 0.4, radius: 0.2 });
    let sides = |flags| match ours(&trimesh(flags)) {
        Shape::Mesh(mesh) => mesh.sides(),
        other => panic!("{other:?}"),
    };
    assert_eq!(sides(TriMeshFlags::ORIENTED), MeshSides::Closed);
    assert_eq!(sides(TriMeshFlags::empty()), MeshSides::TwoSided);
}

#[test]
fn unusable_shapes_of_parry_are_refused_by_name() {
    let refused = |shape: SharedShape| Shape::from_parry(&shape).unwrap_err().to_string();
    assert!(refused(SharedShape::segment(Vector::X, Vector::Y)).contains("segment"));
    assert!(refused(SharedShape::polyline(vec![Vector::X, Vector::Y], None)).contains("polyline"));
    assert!(refused(SharedShape::ball(-1.0)).contains("radius is -1"));
    assert!(refused(SharedShape::ball(f32::NAN)).contains("radius is NaN"));
    assert!(refused(SharedShape::cuboid(1.0, 0.0, 1.0)).contains("half extent is 0"));
    assert!(refused(SharedShape::round_cylinder(1.0, 1.0, -0.5)).contains("border radius is -0.5"));
    assert!(refused(SharedShape::halfspace(Vector::ZERO)).contains("half-space"));
    let nowhere = SharedShape::capsule(Vector::new(f32::INFINITY, 0.0, 0.0), Vector::X, 0.2);
    assert_eq!(Shape::from_parry(&nowhere), Err(ColliderError::Point(0)));
    let ball = Shape::from_parry(&SharedShape::compound(vec![(Pose::IDENTITY, SharedShape::ball(-1.0))]));
    assert!(ball.is_err());
}
