//! The meshes of the campaign's cloths.

use cloth_geom::TriMesh;
use cloth_geom::fixtures::{self, FixtureError, TubeShape};
use nalgebra::Point3;
use serde::{Deserialize, Serialize};

/// A mesh.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub enum FuzzMesh {
    /// A flat sheet with this many vertices along either side, that far apart (m).
    Sheet {
        /// Vertices along either side.
        vertices: [usize; 2],
        /// Their distance (m).
        spacing: f32,
    },
    /// A sheet folded over in the middle, its halves this far apart (m) at the fold and at the far end: if
    /// one is negative, they cross.
    Fold {
        /// Vertices along either side.
        vertices: [usize; 2],
        /// Their distance (m).
        spacing: f32,
        /// Distance of the halves (m) at the fold and at the far end.
        gap: [f32; 2],
    },
    /// A disc of rings.
    Disc {
        /// Rings around the middle.
        rings: usize,
        /// Distance of the rings (m).
        spacing: f32,
    },
    /// A tube with this many vertices around and along, about that far apart (m).
    Tube {
        /// Vertices around and along.
        vertices: [usize; 2],
        /// Their distance (m).
        spacing: f32,
    },
    /// Sheets that share one border, whose edges have as many faces as there are sheets: not a manifold.
    Fan {
        /// Vertices across and along each sheet.
        vertices: [usize; 2],
        /// Their distance (m).
        spacing: f32,
        /// Number of sheets, each at another angle.
        sheets: usize,
    },
}

impl FuzzMesh {
    /// Whether one half of it lies on the other.
    pub(super) fn is_flat_fold(&self) -> bool {
        matches!(self, Self::Fold { gap: [0.0, 0.0], .. })
    }

    /// The mesh without tension.
    pub(super) fn rest(&self) -> Result<TriMesh, FixtureError> {
        let side = |n: usize, spacing: f32| f64::from(spacing) * n.saturating_sub(1) as f64;
        Ok(match *self {
            Self::Sheet { vertices: [nx, ny], spacing } | Self::Fold { vertices: [nx, ny], spacing, .. } => {
                fixtures::sheet(nx, ny, [side(nx, spacing), side(ny, spacing)])?.mesh
            }
            Self::Disc { rings, spacing } => fixtures::disc(f64::from(spacing) * rings as f64, rings)?,
            Self::Tube { vertices: [around, along], spacing } => fixtures::tube(TubeShape {
                radius: f64::from(spacing) * around as f64 / std::f64::consts::TAU,
                length: side(along, spacing),
                around,
                along,
            })?,
            Self::Fan { vertices: [nx, ny], spacing, sheets } => {
                let sheet = fixtures::sheet(nx, ny, [side(nx, spacing), side(ny, spacing)])?.mesh;
                fan(&sheet, sheets)
            }
        })
    }

    /// The mesh as it starts.
    pub(super) fn start(&self, rest: &TriMesh) -> TriMesh {
        let Self::Fold { vertices, spacing, gap } = *self else { return rest.clone() };
        let half = 0.5 * f64::from(spacing) * vertices[0].saturating_sub(1) as f64;
        let [near, far] = gap.map(f64::from);
        let folded = |p: &Point3<f64>| match p.x > 0.0 {
            true => Point3::new(-p.x, near + (far - near) * (p.x / half), p.z),
            false => *p,
        };
        TriMesh::new(rest.positions.iter().map(folded).collect(), rest.faces.clone())
    }

    /// Distance of neighbouring vertices (m).
    pub(super) fn spacing(&self) -> f32 {
        match *self {
            Self::Sheet { spacing, .. }
            | Self::Fold { spacing, .. }
            | Self::Disc { spacing, .. }
            | Self::Tube { spacing, .. }
            | Self::Fan { spacing, .. } => spacing,
        }
    }

    /// The numbers of vertices, of which fewer make a smaller mesh.
    pub(super) fn counts_mut(&mut self) -> Vec<&mut usize> {
        match self {
            Self::Sheet { vertices, .. } | Self::Fold { vertices, .. } | Self::Tube { vertices, .. } => {
                vertices.iter_mut().collect()
            }
            Self::Fan { vertices: [nx, ny], sheets, .. } => vec![nx, ny, sheets],
            Self::Disc { rings, .. } => vec![rings],
        }
    }

    /// A bound on the number of vertices.
    pub(super) fn vertex_bound(&self) -> usize {
        match *self {
            Self::Sheet { vertices: [nx, ny], .. }
            | Self::Fold { vertices: [nx, ny], .. }
            | Self::Tube { vertices: [nx, ny], .. } => nx.saturating_mul(ny),
            Self::Disc { rings, .. } => rings.saturating_mul(rings.saturating_add(1)).saturating_mul(4),
            Self::Fan { vertices: [nx, ny], sheets, .. } => {
                nx.saturating_mul(ny).saturating_mul(sheets.max(1))
            }
        }
    }
}

/// Sheets that share the vertices of the border of least x, at equal angles over three quarters of a turn.
fn fan(sheet: &TriMesh, sheets: usize) -> TriMesh {
    let least = sheet.positions.iter().fold(f64::INFINITY, |least, p| least.min(p.x));
    let is_shared: Vec<bool> = sheet.positions.iter().map(|p| p.x == least).collect();
    let mut mesh = TriMesh::new(Vec::new(), Vec::new());
    let mut first: Vec<u32> = Vec::new();
    for k in 0..sheets.max(1) {
        let angle = 1.5 * std::f64::consts::PI * k as f64 / sheets.max(1) as f64;
        let (sin, cos) = (libm::sin(angle), libm::cos(angle));
        let mut numbers = Vec::with_capacity(sheet.positions.len());
        for (v, p) in sheet.positions.iter().enumerate() {
            if is_shared[v] && k > 0 {
                numbers.push(first[v]);
            } else {
                let x = p.x - least;
                numbers.push(mesh.positions.len() as u32);
                mesh.positions.push(Point3::new(cos * x, sin * x, p.z));
            }
        }
        mesh.faces.extend(sheet.faces.iter().map(|face| face.map(|v| numbers[v as usize])));
        if k == 0 {
            first = numbers;
        }
    }
    mesh
}

#[cfg(test)]
mod tests {
    use super::*;
    use cloth_geom::Topology;

    #[test]
    fn the_shared_edges_of_a_fan_have_a_face_for_each_sheet() {
        let fan = FuzzMesh::Fan { vertices: [3, 4], spacing: 0.1, sheets: 3 };
        let mesh = fan.rest().unwrap();
        let topology = Topology::of_mesh(&mesh).unwrap();
        let most = (0..topology.edges().len()).map(|e| topology.edge_faces(e).len()).max();
        assert_eq!((mesh.positions.len(), most), (4 + 3 * 8, Some(3)));
        assert!(mesh.positions.len() <= fan.vertex_bound());
    }
}
