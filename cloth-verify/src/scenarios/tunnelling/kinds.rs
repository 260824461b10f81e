//! One collider of every kind, each the size of a limb, placed so that what falls on its origin hits it.

use cloth_contacts::collider::{ColliderError, CompoundShape, HullShape, MeshShape, MeshSides};
use cloth_geom::fixtures::icosphere;
use cloth_solver::Shape;
use nalgebra::{Isometry3, Point3, UnitQuaternion, Vector3};
use parry3d::math::{IVector, Vector};
use parry3d::shape::SharedShape;

use crate::scenario::SetupError;

/// Radius, or half the thickness, of most of them (m): a forearm and its sleeve.
const R: f32 = 0.06;
/// Half the length of those that are long (m).
const HALF: f32 = 0.1;
/// Half the side of the sheets (m), narrower than what pulls past them.
const SHEET: f32 = 0.075;

/// A collider by its kind.
pub(super) struct CellCollider {
    pub(super) name: &'static str,
    pub(super) shape: Shape,
    /// How it lies in its cell, where cloth comes from above.
    pub(super) turn: UnitQuaternion<f32>,
}

/// All kinds. The plane is the first: it reaches everywhere.
pub(super) fn kinds() -> Result<Vec<CellCollider>, SetupError> {
    let upright = |name, shape| CellCollider { name, shape, turn: UnitQuaternion::identity() };
    let lying = |name, shape| CellCollider { name, shape, turn: lying() };
    Ok(vec![
        upright("plane", Shape::Plane),
        upright("sphere", Shape::Sphere { radius: R }),
        lying("capsule", Shape::Capsule { half_length: HALF, radius: R }),
        lying(
            "tapered capsule",
            Shape::TaperedCapsule { half_length: HALF, bottom_radius: 0.07, top_radius: 0.05 },
        ),
        lying("cylinder", Shape::Cylinder { half_length: HALF, radius: R }),
        lying("cone", Shape::Cone { half_length: HALF, radius: 0.1 }),
        upright("box", Shape::Cuboid { half_extents: Vector3::new(0.08, R, HALF) }),
        upright("hull", Shape::Hull(hull()?)),
        upright("closed mesh", Shape::Mesh(gutter()?)),
        upright("one-sided mesh", Shape::Mesh(roof(MeshSides::OneSided)?)),
        upright("two-sided mesh", Shape::Mesh(roof(MeshSides::TwoSided)?)),
        upright("compound", Shape::Compound(cross()?)),
        upright("voxels", voxels()?),
    ])
}

/// The y axis to the z axis.
fn lying() -> UnitQuaternion<f32> {
    let half = std::f32::consts::FRAC_1_SQRT_2;
    UnitQuaternion::new_unchecked(nalgebra::Quaternion::new(half, half, 0.0, 0.0))
}

/// A ball of flats, longer than wide.
fn hull() -> Result<HullShape, SetupError> {
    let ball = icosphere(1, 1.0)?;
    let points: Vec<_> =
        ball.positions_f32().iter().map(|p| Point3::new(1.2 * p.x, p.y, 1.5 * p.z) * R).collect();
    Ok(HullShape::new(&points)?)
}

/// A thick gutter, open above: cloth comes to lie in its hollow edge.
fn gutter() -> Result<MeshShape, ColliderError> {
    // Right half of the profile, then the left one: the lower rim first, counter-clockwise seen from +z.
    let profile = [[0.0, -R], [HALF, 0.0], [HALF, 2.0 * R], [0.0, R], [-HALF, 2.0 * R], [-HALF, 0.0]];
    let n = profile.len() as u32;
    let at = |z: f32| profile.iter().map(move |&[x, y]| Point3::new(x, y, z));
    let points: Vec<Point3<f32>> = at(-HALF).chain(at(HALF)).collect();
    let mut faces = Vec::new();
    for k in 0..n {
        let next = (k + 1) % n;
        faces.extend([[k, next, n + next], [k, n + next, n + k]]);
    }
    // The two ends, as two quadrilaterals each that share the middle.
    for quad in [[0, 1, 2, 3], [0, 3, 4, 5]] {
        let [a, b, c, d] = quad;
        faces.extend([[a, c, b], [a, d, c], [n + a, n + b, n + c], [n + a, n + c, n + d]]);
    }
    MeshShape::new(&points, &faces, MeshSides::Closed)
}

/// A low roof without thickness, its ridge along z.
fn roof(sides: MeshSides) -> Result<MeshShape, ColliderError> {
    let at = |x: f32, z: f32| Point3::new(x * SHEET, -0.2 * SHEET * x.abs(), z * SHEET);
    let points: Vec<_> = (0..6).map(|i| at((i % 3) as f32 - 1.0, 2.0 * (i / 3) as f32 - 1.0)).collect();
    let faces = [[0, 3, 1], [1, 3, 4], [1, 4, 2], [2, 4, 5]];
    MeshShape::new(&points, &faces, sides)
}

/// A bar and a ball on it.
fn cross() -> Result<CompoundShape, ColliderError> {
    let bar = Isometry3::from_parts(Vector3::new(0.0, -0.02, 0.0).into(), lying());
    CompoundShape::new(vec![
        (bar, Shape::Capsule { half_length: HALF, radius: 0.04 }),
        (Isometry3::identity(), Shape::Sphere { radius: R }),
    ])
}

/// Four by four by four cells without a corner: what parry alone knows.
fn voxels() -> Result<Shape, ColliderError> {
    let cells: Vec<IVector> = (0..64)
        .map(|i| IVector::new(i % 4 - 2, i / 4 % 4 - 2, i / 16 - 2))
        .filter(|c| *c != IVector::new(1, 1, 1))
        .collect();
    Shape::from_parry(&SharedShape::voxels(Vector::splat(0.5 * R), &cells))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_kind_of_shape_occurs_and_is_hit_near_its_origin() {
        let kinds = kinds().expect("usable");
        let discriminants: Vec<_> = kinds.iter().map(|k| std::mem::discriminant(&k.shape)).collect();
        let mut distinct = discriminants.clone();
        distinct.dedup();
        // Of meshes there are three.
        assert_eq!((kinds.len(), distinct.len()), (13, 11));
        for kind in &kinds {
            let down = |y: f32| kind.turn.inverse_transform_point(&Point3::new(0.004, y, 0.003));
            let heights = (0..300).map(|k| kind.shape.nearest(&down(0.15 - 1e-3 * k as f32)).distance);
            let lowest = heights.fold(f32::INFINITY, f32::min);
            assert!(lowest < 1e-3, "{} {lowest}", kind.name);
        }
    }
}
