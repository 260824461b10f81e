//! Checks every array of positions that a caller passes (its length, finite numbers), and converts it.

use cloth_contacts::Coordinate;
use cloth_contacts::intersect::IntersectError;
use nalgebra::Point3;

use crate::{CollisionMesh, InputError};

/// Positions (m) as points, without a copy.
pub(crate) fn as_points<T: Coordinate>(x: &[[T; 3]]) -> &[Point3<T>] {
    bytemuck::cast_slice(x)
}

/// The same, to be changed.
pub(crate) fn as_points_mut<T: Coordinate>(x: &mut [[T; 3]]) -> &mut [Point3<T>] {
    bytemuck::cast_slice_mut(x)
}

/// Positions (m) in `f64`, which represents them exactly.
pub(crate) fn exact<T: Coordinate>(x: &[[T; 3]]) -> Vec<Point3<f64>> {
    x.iter().map(|p| Point3::from(p.map(Into::into))).collect()
}

/// Checks that there is a finite position for each vertex.
pub(crate) fn check_finite<T: Coordinate>(
    mesh: &CollisionMesh,
    name: &'static str,
    x: &[[T; 3]],
) -> Result<(), InputError> {
    check_length(name, x.len(), mesh.vertex_count())?;
    match first(x, f64::is_finite) {
        Some((vertex, value)) => Err(InputError::NotFinite { name, vertex, value }),
        None => Ok(()),
    }
}

/// The same, and that each is within the limit of coordinates.
pub(crate) fn check_limit<T: Coordinate>(
    mesh: &CollisionMesh,
    name: &'static str,
    x: &[[T; 3]],
) -> Result<(), InputError> {
    check_finite(mesh, name, x)?;
    match first(x, |c| c.abs() <= CollisionMesh::LIMIT) {
        Some((vertex, value)) => Err(InputError::BeyondLimit { name, vertex, value }),
        None => Ok(()),
    }
}

/// Checks that an array has one entry a vertex.
pub(crate) fn check_length(name: &'static str, got: usize, expected: usize) -> Result<(), InputError> {
    if got == expected { Ok(()) } else { Err(InputError::Length { name, got, expected }) }
}

/// Checks that there is an inverse mass for each vertex with which no correction overflows.
pub(crate) fn check_masses<T: Coordinate>(mesh: &CollisionMesh, inv_mass: &[T]) -> Result<(), InputError> {
    check_length("inv_mass", inv_mass.len(), mesh.vertex_count())?;
    match inv_mass.iter().position(|&w| !is_inverse_mass(w)) {
        Some(vertex) => Err(InputError::InverseMass { vertex, value: inv_mass[vertex].into() }),
        None => Ok(()),
    }
}

/// Whether a number is 0, or above it with an inverse and a square that are finite for its type. Corrections
/// sum masses, and products of masses and displacements, in `f64`: the square of the inverse is finite there
/// too, so that no sum of 2^30 of them, each up to the limit of coordinates, overflows.
fn is_inverse_mass<T: Coordinate>(w: T) -> bool {
    let (w, is_finite) = (w.into(), |x: f64| T::nearest(x).into().is_finite());
    w == 0.0 || w > 0.0 && is_finite(1.0 / w) && is_finite(w * w) && (1.0 / (w * w)).is_finite()
}

/// Checks a distance.
pub(crate) fn check_distance(distance: f64) -> Result<(), InputError> {
    let is_good = (0.0..=CollisionMesh::LIMIT).contains(&distance);
    if is_good { Ok(()) } else { Err(InputError::Distance(distance)) }
}

/// The first position with a coordinate that is not as it should be.
fn first<T: Coordinate>(x: &[[T; 3]], is_good: impl Fn(f64) -> bool) -> Option<(usize, [f64; 3])> {
    let vertex = x.iter().position(|p| !p.iter().all(|&c| is_good(c.into())))?;
    Some((vertex, x[vertex].map(Into::into)))
}

/// The errors of judges that are left for positions that have been checked.
pub(crate) fn too_many(error: &IntersectError, mesh: &CollisionMesh) -> InputError {
    debug_assert!(matches!(error, IntersectError::TooManyFaces { .. }), "{error}");
    InputError::TooMany(mesh.surface.topology().faces().len())
}
