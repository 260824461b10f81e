//! What a simulation needs of a cloth that follows from its description alone, whatever else is in the scene.

use std::sync::Arc;

use cloth_contacts::{PartShape, SurfaceError};
use cloth_geom::Topology;
use nalgebra::{Point3, Vector2};

use super::check::{check_borders, check_cloth};
use crate::BuildError;
use crate::constraints::PreparedConstraints;
use crate::describe::cloth::ClothDesc;
use crate::error::{MASS_RANGE, is_mass};
use crate::rest::RestGeometry;

/// Maximum thickness in mean edge lengths: beyond it everything is in contact with everything, and a step
/// takes minutes.
const MAX_THICKNESS_RATIO: f32 = 4.0;

/// A prepared cloth, in its own vertex numbers. Shared by all instances of an asset.
#[derive(Debug)]
pub(crate) struct PreparedCloth {
    pub(crate) shape: Arc<PartShape>,
    /// Rest positions (m).
    pub(crate) rest: Vec<Point3<f32>>,
    /// Inverse masses (1/kg) without pins; zero for a vertex without mass.
    pub(crate) free_inv_mass: Vec<f32>,
    /// Mean length of an edge (m); 0 without edges.
    pub(crate) mean_edge: f32,
    /// The longest rest edge (m) of each face.
    pub(crate) longest_edges: Vec<f32>,
    /// Thickness in mean edges.
    pub(crate) thickness_ratio: f32,
    pub(crate) constraints: PreparedConstraints,
}

impl PreparedCloth {
    /// Checks and prepares a cloth; `cloth` names it in errors.
    pub(crate) fn new(desc: &ClothDesc, cloth: usize) -> Result<Self, BuildError> {
        check_cloth(desc, cloth)?;
        let topology =
            Topology::new(desc.mesh.positions.len(), &desc.mesh.faces).map_err(SurfaceError::from)?;
        check_borders(desc, &topology, cloth)?;
        let geometry = RestGeometry::new(desc).map_err(|face| BuildError::DegenerateFace { cloth, face })?;
        let mean_edge = mean_edge(&topology, &geometry);
        let thickness_ratio = if mean_edge > 0.0 { desc.thickness.total() / mean_edge } else { 0.0 };
        if thickness_ratio > MAX_THICKNESS_RATIO {
            let requirement = "at most 4 times the mean edge of the mesh, and at best half its shortest \
                               (Thickness::for_mesh); is the unit of either wrong?";
            let value = desc.thickness.total();
            return Err(BuildError::Value { cloth, name: "thickness", value, requirement });
        }
        let materials = desc.material_map();
        let masses = match &desc.masses {
            Some(masses) => masses.clone(),
            None => geometry.masses(&topology, &materials),
        };
        // A vertex without a face has none.
        if let Some(&value) = masses.iter().find(|&&mass| mass != 0.0 && !is_mass(mass)) {
            let name = "mass of a vertex (area times density)";
            return Err(BuildError::Value { cloth, name, value, requirement: MASS_RANGE });
        }
        let rest: Vec<Point3<f32>> = geometry.positions(desc).iter().map(|p| p.cast::<f32>()).collect();
        Ok(Self {
            // A vertex without mass belongs to no face and is immovable.
            free_inv_mass: masses.iter().map(|&m| if m > 0.0 { 1.0 / m } else { 0.0 }).collect(),
            mean_edge,
            longest_edges: longest_edges(&topology, &geometry),
            thickness_ratio,
            constraints: PreparedConstraints::new(desc, &topology, geometry, materials),
            shape: Arc::new(PartShape::new(topology, &rest, desc.thickness.radius)?),
            rest,
        })
    }

    pub(crate) fn topology(&self) -> &Topology {
        self.shape.topology()
    }
}

/// The longest rest edge (m) of each face.
fn longest_edges(topology: &Topology, rest: &RestGeometry) -> Vec<f32> {
    let faces = 0..topology.faces().len() as u32;
    faces
        .map(|face| {
            [0, 1, 2].map(|k| Vector2::from(rest.edge(face, k)).norm()).into_iter().fold(0.0, f32::max)
        })
        .collect()
}

/// Mean length (m) of the edges, each as often as faces have it; 0 without edges.
fn mean_edge(topology: &Topology, rest: &RestGeometry) -> f32 {
    let faces = topology.faces().len();
    let edges = (0..faces as u32).flat_map(|face| [0, 1, 2].map(|k| rest.edge(face, k)));
    let sum: f64 = edges.map(|[x, y]| f64::from(x).hypot(f64::from(y))).sum();
    (sum / (3 * faces).max(1) as f64) as f32
}
