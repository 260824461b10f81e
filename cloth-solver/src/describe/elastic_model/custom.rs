//! Elastic models of the caller: the contract, and how they lie in a scene and in the solver without their
//! types.

use std::error::Error;
use std::fmt::Debug;

use cloth_geom::Topology;
use nalgebra::{Point3, Vector3};

use super::ElasticReport;
use crate::MaterialMap;

/// An elastic model of the caller, in the place of [`Settings::model`](crate::Settings::model): what
/// resists stretch and shear, as a description from which a simulation builds its solver.
///
/// [`SimulationBuilder::set_elastic_model`](crate::SimulationBuilder::set_elastic_model) takes it. Contacts,
/// friction, recovery and the gate are those of every other model, so what is certified does not depend on
/// it. `cloth-solver/examples/own_elastic_model.rs` has one of implicit springs.
///
/// `Debug` must print every parameter that influences a result: snapshots carry a hash of it, and those of a
/// simulation with another hash are refused.
///
/// ```
/// use std::error::Error;
///
/// use cloth_geom::fixtures::sheet;
/// use cloth_solver::nalgebra::Point3;
/// use cloth_solver::{
///     ClothDesc, CustomElasticModel, ElasticCloth, ElasticReport, ElasticSolver, ElasticStep, Material,
///     Settings, SimulationBuilder, Thickness,
/// };
///
/// /// Resists nothing: vertices move by external forces, bending and contacts alone.
/// #[derive(Clone, Debug)]
/// struct Slack;
///
/// impl CustomElasticModel for Slack {
///     type Solver = Self;
///
///     fn name(&self) -> &str {
///         "slack"
///     }
///
///     fn build(&self, _: &[ElasticCloth<'_>]) -> Result<Self, Box<dyn Error + Send + Sync>> {
///         Ok(Self)
///     }
/// }
///
/// impl ElasticSolver for Slack {
///     fn advance(
///         &mut self,
///         _: &ElasticStep<'_>,
///         _x: &mut [Point3<f64>],
///     ) -> Result<ElasticReport, Box<dyn Error + Send + Sync>> {
///         // `_x` holds the predicted positions already.
///         Ok(ElasticReport::default())
///     }
/// }
///
/// let mesh = sheet(5, 5, [0.5, 0.5])?.mesh;
/// let thickness = Thickness::for_mesh(&mesh);
/// let mut scene = SimulationBuilder::new(Settings::default());
/// scene.add_cloth(ClothDesc::new(mesh, Material::COTTON, thickness));
/// scene.set_elastic_model(Slack);
/// scene.build()?.step(1.0 / 60.0)?;
/// # Ok::<(), Box<dyn Error>>(())
/// ```
pub trait CustomElasticModel: Debug + Send + Sync + 'static {
    /// What integrates it.
    type Solver: ElasticSolver;

    /// Its name, for errors.
    fn name(&self) -> &str;

    /// Whether it resists bending too; otherwise the hinges of XPBD do, by
    /// [`Material::bend`](crate::Material::bend). Default: `false`.
    fn replaces_bending(&self) -> bool {
        false
    }

    /// Makes the solver of a simulation with these cloths, one or more. Called when a simulation is built,
    /// and again after an edit that rebuilds it.
    ///
    /// # Errors
    /// If a parameter is out of range, or if the model cannot do with a cloth; the text becomes part of
    /// [`BuildError::ElasticModel`](crate::BuildError::ElasticModel).
    fn build(&self, cloths: &[ElasticCloth<'_>]) -> Result<Self::Solver, Box<dyn Error + Send + Sync>>;
}

/// What integrates the elastic forces of a [`CustomElasticModel`] over the vertices of all cloths.
///
/// **It has no state.** The end of a substep is a function of the arguments of [`advance`](Self::advance), of
/// what [`build`](CustomElasticModel::build) made and of the last masses, in every bit. Buffers and
/// decompositions may be kept; a start from the last solution may not, because neither a snapshot nor a step
/// that is undone would restore it. Positions and velocities, the only state, are kept by the simulation.
///
/// A simulation is reproducible if its solver is: no clock, no order of a hash map, and, with `rayon` within
/// the pool of the simulation, sums in a fixed order. A step allocates nothing if `advance` does not.
pub trait ElasticSolver: Clone + Debug + Send + Sync + 'static {
    /// Takes the inverse masses (1/kg) of all vertices, zero for immovable ones: before the first step, and
    /// whenever masses or pins change or cloth falls asleep or wakes. For what is prepared of them; every
    /// [`ElasticStep`] has them too.
    fn set_inverse_masses(&mut self, _inv_mass: &[f32]) {}

    /// Moves the vertices from `step.predicted`, which `x` (m) holds at the call, to where they are at the
    /// end of the substep under elastic forces. Those of immovable vertices are ignored. Called once per
    /// substep and iteration ([`Settings::iterations`](crate::Settings::iterations)); bending, attachments
    /// and contacts are projected after it.
    ///
    /// # Errors
    /// If there is no solution. The step fails with
    /// [`StepError::ElasticModel`](crate::StepError::ElasticModel), and the state is as it was before. So it
    /// does if a position is not finite.
    fn advance(
        &mut self,
        step: &ElasticStep<'_>,
        x: &mut [Point3<f64>],
    ) -> Result<ElasticReport, Box<dyn Error + Send + Sync>>;

    /// Velocities (m/s) of all vertices at the end of the substep, for explicit integrators that divide it:
    /// there the displacement over the substep is a mean, and continuing with it gains energy. `None`, the
    /// default, if the velocities are the displacements over the substep. Always the one or always the other,
    /// from the build on.
    fn end_velocities(&self) -> Option<&[Vector3<f64>]> {
        None
    }
}

/// A cloth, for [`CustomElasticModel::build`].
#[derive(Clone, Copy, Debug)]
pub struct ElasticCloth<'a> {
    /// The number among all vertices of its vertex 0.
    pub first_vertex: u32,
    /// Vertices, edges and faces, in its own numbers.
    pub topology: &'a Topology,
    /// For each face the (weft, warp) coordinates (m) of its corners in the rest shape.
    pub flat: &'a [[[f32; 2]; 3]],
    /// Start positions (m), which may differ from the rest shape.
    pub start: &'a [Point3<f32>],
    /// The fabric of each face.
    pub materials: &'a MaterialMap,
}

/// A substep, for [`ElasticSolver::advance`]. The arrays are over the vertices of all cloths, in the order in
/// which these were added.
#[derive(Clone, Copy, Debug)]
pub struct ElasticStep<'a> {
    /// Positions (m) at its start.
    pub x_t0: &'a [Point3<f64>],
    /// Positions (m) at its end without elasticity. Immovable vertices end there.
    pub predicted: &'a [Point3<f64>],
    /// Inverse masses (1/kg); zero is immovable.
    pub inv_mass: &'a [f32],
    /// Its length (s).
    pub h: f64,
}

/// [`CustomElasticModel`] as a trait object.
pub(crate) trait ErasedElasticModel: Debug + Send + Sync {
    fn model_name(&self) -> &str;
    fn has_bending(&self) -> bool;
    fn build_boxed(&self, cloths: &[ElasticCloth<'_>]) -> Result<Box<dyn ErasedElasticSolver>, String>;
}

impl<M: CustomElasticModel> ErasedElasticModel for M {
    fn model_name(&self) -> &str {
        self.name()
    }

    fn has_bending(&self) -> bool {
        self.replaces_bending()
    }

    fn build_boxed(&self, cloths: &[ElasticCloth<'_>]) -> Result<Box<dyn ErasedElasticSolver>, String> {
        match self.build(cloths) {
            Ok(solver) => Ok(Box::new(solver)),
            Err(fault) => Err(fault.to_string()),
        }
    }
}

/// [`ElasticSolver`] as a trait object.
pub(crate) trait ErasedElasticSolver: Debug + Send + Sync {
    fn set_masses(&mut self, inv_mass: &[f32]);
    fn advance_to(&mut self, step: &ElasticStep<'_>, x: &mut [Point3<f64>]) -> Result<ElasticReport, String>;
    fn velocities(&self) -> Option<&[Vector3<f64>]>;
    fn boxed_clone(&self) -> Box<dyn ErasedElasticSolver>;
}

impl<S: ElasticSolver> ErasedElasticSolver for S {
    fn set_masses(&mut self, inv_mass: &[f32]) {
        self.set_inverse_masses(inv_mass);
    }

    fn advance_to(&mut self, step: &ElasticStep<'_>, x: &mut [Point3<f64>]) -> Result<ElasticReport, String> {
        self.advance(step, x).map_err(|fault| fault.to_string())
    }

    fn velocities(&self) -> Option<&[Vector3<f64>]> {
        self.end_velocities()
    }

    fn boxed_clone(&self) -> Box<dyn ErasedElasticSolver> {
        Box::new(self.clone())
    }
}

impl Clone for Box<dyn ErasedElasticSolver> {
    fn clone(&self) -> Self {
        (**self).boxed_clone()
    }
}
