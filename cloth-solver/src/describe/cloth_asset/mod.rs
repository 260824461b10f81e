//! Cloth assets: a cloth that is checked and prepared once, and added any number of times.

mod check;
mod prepared;

use std::ops::Deref;
use std::sync::Arc;

use nalgebra::{Isometry3, Point3};

use crate::{BuildError, ClothDesc};
pub(crate) use check::{check_start, first_out_of_range};
pub(crate) use prepared::PreparedCloth;

/// A cloth, prepared for any number of instances in any number of simulations.
///
/// Preparing computes what follows from the description alone: adjacency, leaves of the search for pairs,
/// rest distances, rest geometry, masses, the elastic constraints and the graph of tethers. Clones share it,
/// and so do all simulations with an instance.
///
/// ```
/// use cloth_geom::fixtures::sheet;
/// use cloth_solver::nalgebra::Isometry3;
/// use cloth_solver::{ClothAsset, ClothDesc, Material, Settings, SimulationBuilder, Thickness};
///
/// let mesh = sheet(9, 9, [0.5, 0.5])?.mesh;
/// let thickness = Thickness::for_mesh(&mesh);
/// let flag = ClothAsset::new(ClothDesc::new(mesh, Material::SILK, thickness))?;
/// let mut scene = SimulationBuilder::new(Settings::game());
/// for k in 0..20 {
///     scene.add_instance(&flag, &Isometry3::translation(0.0, 0.0, k as f32));
/// }
/// assert_eq!(scene.build()?.cloth_count(), 20);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct ClothAsset {
    desc: Arc<ClothDesc>,
    prepared: Arc<PreparedCloth>,
}

impl ClothAsset {
    /// Checks and prepares a cloth.
    ///
    /// # Errors
    /// As [`SimulationBuilder::build`](crate::SimulationBuilder::build) for a scene of this cloth alone,
    /// which errors call cloth 0.
    pub fn new(desc: ClothDesc) -> Result<Self, BuildError> {
        let prepared = Arc::new(PreparedCloth::new(&desc, 0)?);
        Ok(Self { desc: Arc::new(desc), prepared })
    }

    /// The description.
    #[must_use]
    pub fn desc(&self) -> &ClothDesc {
        &self.desc
    }
}

/// A cloth of a scene: a description, where it starts, and what is prepared of it.
#[derive(Clone, Debug)]
pub(crate) struct SceneCloth {
    desc: Arc<ClothDesc>,
    /// The place of an instance relative to its description.
    pose: Option<Isometry3<f32>>,
    prepared: Option<Arc<PreparedCloth>>,
}

impl Deref for SceneCloth {
    type Target = ClothDesc;

    fn deref(&self) -> &ClothDesc {
        &self.desc
    }
}

impl From<ClothDesc> for SceneCloth {
    fn from(desc: ClothDesc) -> Self {
        Self { desc: Arc::new(desc), pose: None, prepared: None }
    }
}

impl SceneCloth {
    pub(crate) fn instance(asset: &ClothAsset, pose: &Isometry3<f32>) -> Self {
        let ClothAsset { desc, prepared } = asset.clone();
        Self { desc, pose: Some(*pose), prepared: Some(prepared) }
    }

    /// The description, for changes, after which it is prepared again.
    pub(crate) fn desc_mut(&mut self) -> &mut ClothDesc {
        self.prepared = None;
        Arc::make_mut(&mut self.desc)
    }

    pub(crate) fn into_desc(self) -> ClothDesc {
        Arc::unwrap_or_clone(self.desc)
    }

    /// What is prepared of it; `cloth` names it in errors.
    pub(crate) fn prepared(&self, cloth: usize) -> Result<Arc<PreparedCloth>, BuildError> {
        match &self.prepared {
            Some(prepared) => Ok(prepared.clone()),
            None => PreparedCloth::new(&self.desc, cloth).map(Arc::new),
        }
    }

    pub(crate) fn pose(&self) -> Option<&Isometry3<f32>> {
        self.pose.as_ref()
    }

    /// Positions (m) of its vertices at the start.
    pub(crate) fn start(&self) -> Vec<Point3<f32>> {
        match self.pose.map(Isometry3::cast::<f64>) {
            None => self.mesh.positions_f32(),
            Some(pose) => self.mesh.positions.iter().map(|p| (pose * p).cast()).collect(),
        }
    }
}
