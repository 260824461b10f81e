//! An indexed triangle mesh: positions and faces, and nothing that could disagree with them.

use nalgebra::Point3;

/// An indexed triangle mesh.
///
/// Positions are `f64`: a mesh is data, and every `f32` or `f64` file fits without rounding. Simulation state
/// is `f32`; see [`TriMesh::positions_f32`]. Nothing is checked on construction: dirty input must be
/// representable so that it can be reported and repaired.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct TriMesh {
    /// Vertex positions (m).
    pub positions: Vec<Point3<f64>>,
    /// Vertex indices of each face, counter-clockwise seen from outside.
    pub faces: Vec<[u32; 3]>,
}

impl TriMesh {
    /// A mesh of the given positions (m) and faces.
    #[must_use]
    pub fn new(positions: Vec<Point3<f64>>, faces: Vec<[u32; 3]>) -> Self {
        Self { positions, faces }
    }

    /// The positions rounded to the nearest `f32`, as the simulation holds them.
    #[must_use]
    pub fn positions_f32(&self) -> Vec<Point3<f32>> {
        self.positions.iter().map(|p| p.map(|c| c as f32)).collect()
    }

    /// Appends another mesh, its indices shifted; returns the index of its first vertex here.
    pub fn append(&mut self, other: &Self) -> u32 {
        let offset = self.positions.len() as u32;
        self.positions.extend_from_slice(&other.positions);
        self.faces.extend(other.faces.iter().map(|f| f.map(|v| v + offset)));
        offset
    }
}
