//! One shape of every kind, and those at the edge of what is allowed.

use cloth_contacts::collider::{CompoundShape, HullShape, MeshShape, MeshSides, Shape};
use cloth_geom::TriMesh;
use cloth_geom::fixtures::{icosphere, sheet};
use nalgebra::{Isometry3, Point3, UnitQuaternion, Vector3};

use cloth_testing::Dice;

pub(crate) fn tapered(half_length: f32, bottom_radius: f32, top_radius: f32) -> Shape {
    Shape::TaperedCapsule { half_length, bottom_radius, top_radius }
}

pub(crate) fn mesh(mesh: &TriMesh, sides: MeshSides) -> Shape {
    Shape::Mesh(MeshShape::new(&mesh.positions_f32(), &mesh.faces, sides).unwrap())
}

pub(crate) fn hull(points: &[Point3<f32>]) -> Shape {
    Shape::Hull(HullShape::new(points).unwrap())
}

/// A polygon in x and y, counter-clockwise and seen whole from its first corner, drawn out from z = -0.5 to
/// 0.5.
pub(crate) fn prism(profile: &[[f64; 2]]) -> TriMesh {
    let n = profile.len() as u32;
    let at = |z: f64| profile.iter().map(move |&[x, y]| Point3::new(x, y, z));
    let mut faces = Vec::new();
    for k in 0..n {
        let next = (k + 1) % n;
        faces.extend([[k, next, n + next], [k, n + next, n + k]]);
    }
    for k in 1..n - 1 {
        faces.extend([[0, k + 1, k], [n, n + k, n + k + 1]]);
    }
    TriMesh::new(at(-0.5).chain(at(0.5)).collect(), faces)
}

/// A step: a solid with a hollow edge, where floor and wall meet.
pub(crate) fn step() -> TriMesh {
    prism(&[[0.0, 0.0], [-0.75, 0.0], [-0.75, -0.5], [0.75, -0.5], [0.75, 0.5], [0.0, 0.5]])
}

/// A sheet in waves, facing up.
pub(crate) fn waves() -> TriMesh {
    let flat = sheet(6, 6, [1.5, 1.5]).unwrap().mesh;
    let upward = flat.faces.iter().all(|f| {
        let [a, b, c] = f.map(|v| flat.positions[v as usize]);
        (b - a).cross(&(c - a)).y > 0.0
    });
    let mut wave = flat.mapped(|p| Point3::new(p.x, 0.15 * (5.0 * p.x).sin() * (4.0 * p.z).cos(), p.z));
    if !upward {
        wave.faces.iter_mut().for_each(|f| f.swap(0, 1));
    }
    wave
}

/// Voxels in the form of an L, which parry alone knows; none without the feature `parry`.
#[cfg(feature = "parry")]
pub(crate) fn voxels() -> Option<Shape> {
    use parry3d::math::{IVector, Vector};
    use parry3d::shape::SharedShape;

    let cells =
        [[0, 0, 0], [-1, 0, 0], [-2, 0, 0], [0, 1, 0], [0, 2, 0]].map(|[x, y, z]| IVector::new(x, y, z));
    Some(Shape::from_parry(&SharedShape::voxels(Vector::splat(0.25), &cells)).unwrap())
}

#[cfg(not(feature = "parry"))]
pub(crate) fn voxels() -> Option<Shape> {
    None
}

/// Shapes whose surface encloses them.
pub(crate) fn solids() -> Vec<Shape> {
    let mut dice = Dice::new(60);
    let cloud: Vec<_> = (0..40).map(|_| dice.point(0.6)).collect();
    let grid: Vec<_> =
        (0..27).map(|i| Point3::new(i % 3, i / 3 % 3, i / 9).map(|c| 0.4 * c as f32 - 0.4)).collect();
    let pose = Isometry3::from_parts(
        Vector3::new(0.3, -0.1, 0.2).into(),
        UnitQuaternion::from_scaled_axis(Vector3::new(0.4, 1.0, -0.3)),
    );
    let parts = vec![
        (pose, tapered(0.4, 0.1, 0.25)),
        (Isometry3::translation(-0.3, 0.0, 0.0), Shape::Cylinder { half_length: 0.2, radius: 0.3 }),
    ];
    vec![
        Shape::Sphere { radius: 0.5 },
        Shape::Capsule { half_length: 0.5, radius: 0.25 },
        tapered(0.5, 0.4, 0.125),
        tapered(0.5, 0.125, 0.4),
        tapered(0.5, 0.25, 0.25),
        tapered(0.125, 0.5, 0.125),
        tapered(0.25, 0.25, 0.75),
        tapered(0.25, 0.25, 0.7499),
        tapered(0.0, 0.3, 0.3),
        Shape::Cylinder { half_length: 0.5, radius: 0.25 },
        Shape::Cylinder { half_length: 0.01, radius: 0.5 },
        Shape::Cone { half_length: 0.5, radius: 0.25 },
        Shape::Cone { half_length: 0.05, radius: 0.75 },
        Shape::Cuboid { half_extents: Vector3::new(0.5, 0.02, 0.25) },
        hull(&cloud),
        hull(&grid),
        mesh(&icosphere(1, 0.5).unwrap(), MeshSides::Closed),
        mesh(&step(), MeshSides::Closed),
        Shape::Compound(CompoundShape::new(parts).unwrap()),
    ]
}

/// All kinds.
pub(crate) fn all() -> Vec<Shape> {
    let mut all = solids();
    all.push(Shape::Plane);
    all.push(mesh(&waves(), MeshSides::OneSided));
    all.push(mesh(&waves(), MeshSides::TwoSided));
    all
}
