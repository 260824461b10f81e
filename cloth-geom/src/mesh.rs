//! An indexed triangle mesh: positions and faces, and nothing that could disagree with them.

use crate::Aabb;
use nalgebra::{Point3, Unit, Vector3};
use std::f64::consts::FRAC_PI_2;

/// An indexed triangle mesh.
///
/// Positions are `f64`: a mesh is data, and every `f32` or `f64` file fits without rounding. Simulation state
/// is `f32`; see [`TriMesh::positions_f32`]. Nothing is checked on construction: dirty input must be
/// representable so that it can be reported and repaired.
#[derive(Clone, Debug, Default, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(deny_unknown_fields))]
pub struct TriMesh {
    /// Vertex positions (m).
    pub positions: Vec<Point3<f64>>,
    /// Vertex indices of each face, counter-clockwise viewed from outside.
    pub faces: Vec<[u32; 3]>,
}

impl TriMesh {
    /// A mesh of the given positions (m) and faces.
    #[must_use]
    pub fn new(positions: Vec<Point3<f64>>, faces: Vec<[u32; 3]>) -> Self {
        Self { positions, faces }
    }

    /// The positions rounded to the nearest `f32`, as in the simulation.
    #[must_use]
    pub fn positions_f32(&self) -> Vec<Point3<f32>> {
        self.positions.iter().map(|p| p.map(|c| c as f32)).collect()
    }

    /// The exact bounds of all vertices; not finite if a coordinate is not, or if there is no vertex.
    #[must_use]
    pub fn bounds(&self) -> Aabb {
        Aabb::of_points(self.positions.iter().copied())
    }

    /// The exact bounds of the vertices that some face uses: a vertex of no face is no part of the surface.
    /// Not finite if a coordinate is not, or if there is no face.
    #[must_use]
    pub fn face_bounds(&self) -> Aabb {
        Aabb::of_points(self.faces.iter().flatten().filter_map(|&v| self.positions.get(v as usize)).copied())
    }

    /// Appends another mesh, its indices shifted; returns the index of its first vertex here.
    ///
    /// An index of `other` that is out of range stays out of range: it stops at `u32::MAX`.
    pub fn append(&mut self, other: &Self) -> u32 {
        let offset = self.positions.len() as u32;
        self.positions.extend_from_slice(&other.positions);
        self.faces.extend(other.faces.iter().map(|f| f.map(|v| v.saturating_add(offset))));
        offset
    }

    /// The same faces over positions moved by `to`.
    #[must_use]
    pub fn mapped(mut self, to: impl FnMut(Point3<f64>) -> Point3<f64>) -> Self {
        self.positions = self.positions.into_iter().map(to).collect();
        self
    }

    /// Moved by `offset` (m).
    #[must_use]
    pub fn translated(self, offset: Vector3<f64>) -> Self {
        self.mapped(|p| p + offset)
    }

    /// Scaled about the origin; a negative factor mirrors and turns the faces inside out.
    #[must_use]
    pub fn scaled(self, factor: f64) -> Self {
        self.mapped(|p| p * factor)
    }

    /// Turned about an axis through the origin by `angle` (rad, right-handed).
    ///
    /// Multiples of `FRAC_PI_2` turn without rounding about the coordinate axes, so that an upright sheet is
    /// upright to the last bit. Sine and cosine are `libm`'s: the same bytes on every platform.
    #[must_use]
    pub fn rotated(self, axis: Unit<Vector3<f64>>, angle: f64) -> Self {
        let (sin, cos) = sin_cos(angle);
        let k = axis.into_inner();
        self.mapped(|p| {
            Point3::from(p.coords * cos + k.cross(&p.coords) * sin + k * (k.dot(&p.coords) * (1.0 - cos)))
        })
    }
}

/// Sine and cosine, exact for multiples of `FRAC_PI_2`.
fn sin_cos(angle: f64) -> (f64, f64) {
    let quarters = angle / FRAC_PI_2;
    if quarters != quarters.round() {
        return (libm::sin(angle), libm::cos(angle));
    }
    match quarters.rem_euclid(4.0) {
        0.0 => (0.0, 1.0),
        1.0 => (1.0, 0.0),
        2.0 => (0.0, -1.0),
        _ => (-1.0, 0.0),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use approx::assert_relative_eq;

    fn point(x: f64, y: f64, z: f64) -> TriMesh {
        TriMesh::new(vec![Point3::new(x, y, z)], vec![])
    }

    #[test]
    fn a_quarter_turn_is_exact_and_right_handed() {
        let turned =
            |axis, quarters: f64| point(0.1, 0.2, 0.3).rotated(axis, quarters * FRAC_PI_2).positions[0];
        assert_eq!(turned(Vector3::y_axis(), 1.0), Point3::new(0.3, 0.2, -0.1));
        assert_eq!(turned(Vector3::x_axis(), 1.0), Point3::new(0.1, -0.3, 0.2));
        assert_eq!(turned(Vector3::z_axis(), -1.0), Point3::new(0.2, -0.1, 0.3));
        assert_eq!(turned(Vector3::z_axis(), 2.0), Point3::new(-0.1, -0.2, 0.3));
        assert_eq!(turned(Vector3::x_axis(), 8.0), Point3::new(0.1, 0.2, 0.3));
    }

    #[test]
    fn turns_as_a_rotation_matrix_does() {
        let axis = Unit::new_normalize(Vector3::new(1.0, -2.0, 0.5));
        for angle in [0.3, -2.0, 7.0] {
            let expected = nalgebra::Rotation3::from_axis_angle(&axis, angle) * Point3::new(0.1, 0.2, 0.3);
            let found = point(0.1, 0.2, 0.3).rotated(axis, angle).positions[0];
            assert_relative_eq!(found, expected, epsilon = 16.0 * f64::EPSILON);
        }
    }

    #[test]
    fn appending_shifts_indices_and_never_overflows() {
        let mut mesh = point(0.0, 0.0, 0.0);
        let other = TriMesh::new(vec![Point3::origin(); 3], vec![[0, 1, 2], [0, 1, u32::MAX]]);
        assert_eq!(mesh.append(&other), 1);
        assert_eq!(mesh.faces, [[1, 2, 3], [1, 2, u32::MAX]]);
    }

    #[test]
    fn bounds_contain_every_vertex_and_reveal_nan() {
        let mut mesh = point(1.0, 2.0, 3.0);
        mesh.append(&point(-1.0, 5.0, 0.0).scaled(2.0).translated(Vector3::new(0.0, 1.0, 0.0)));
        assert_eq!(
            mesh.bounds(),
            Aabb { min: Point3::new(-2.0, 2.0, 0.0), max: Point3::new(1.0, 11.0, 3.0) }
        );
        assert!(!point(f64::NAN, 0.0, 0.0).bounds().is_finite());
        let mut loose = TriMesh::new(mesh.positions[..1].to_vec(), vec![[0, 0, 9]]);
        loose.append(&point(9.0, 9.0, 9.0));
        loose.faces.truncate(1);
        assert_eq!(loose.face_bounds(), point(1.0, 2.0, 3.0).bounds());
    }
}
