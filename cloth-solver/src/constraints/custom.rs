//! The solver of an elastic model of the caller, in the arrays of the membrane.

use nalgebra::{Point3, Vector3};

use crate::describe::elastic_model::{ElasticReport, ElasticStep, ErasedElasticSolver};
use crate::fem::{PackedF64, StepInput, packed, vector};
use crate::{BuildError, StepError};

/// A solver of the caller, and what it reads and writes.
///
/// Nothing that it answers reaches the simulation unchecked: a step with a number that is not finite, or with
/// velocities for other vertices, fails.
#[derive(Clone, Debug)]
pub(crate) struct CustomStepper {
    /// Of the model.
    name: String,
    solver: Box<dyn ErasedElasticSolver>,
    x_t0: Vec<Point3<f64>>,
    predicted: Vec<Point3<f64>>,
    x: Vec<Point3<f64>>,
    /// Velocities (m/s) at the end of the substep, for explicit integrators.
    v: Option<Vec<PackedF64>>,
}

impl CustomStepper {
    /// A solver over `count` vertices.
    ///
    /// # Errors
    /// If it has velocities for another number of vertices.
    pub(crate) fn new(
        name: &str,
        solver: Box<dyn ErasedElasticSolver>,
        count: usize,
    ) -> Result<Self, BuildError> {
        let given = solver.velocities().map(<[_]>::len);
        if let Some(given) = given.filter(|&given| given != count) {
            let fault = format!("it has {given} velocities for {count} vertices");
            return Err(BuildError::ElasticModel { name: name.into(), fault });
        }
        let points = || vec![Point3::origin(); count];
        let v = given.map(|count| vec![PackedF64::zeros(); count]);
        Ok(Self { name: name.into(), solver, x_t0: points(), predicted: points(), x: points(), v })
    }

    pub(crate) fn set_inverse_masses(&mut self, inv_mass: &[f32]) {
        self.solver.set_masses(inv_mass);
    }

    pub(crate) fn end_velocities(&self) -> Option<&[PackedF64]> {
        self.v.as_deref()
    }

    /// Writes the positions (m) at the end of the substep; on error those of vertices that come after the
    /// fault are predicted ones.
    pub(crate) fn advance(
        &mut self,
        input: &StepInput<'_>,
        x: &mut [PackedF64],
    ) -> Result<ElasticReport, StepError> {
        x.copy_from_slice(input.predicted);
        self.solve(input, x).map_err(|fault| StepError::ElasticModel { name: self.name.clone(), fault })
    }

    fn solve(&mut self, input: &StepInput<'_>, x: &mut [PackedF64]) -> Result<ElasticReport, String> {
        for (to, from) in [(&mut self.x_t0, input.x_t0), (&mut self.predicted, input.predicted)] {
            to.iter_mut().zip(from).for_each(|(to, from)| to.coords = vector(from));
        }
        self.x.copy_from_slice(&self.predicted);
        let step =
            ElasticStep { x_t0: &self.x_t0, predicted: &self.predicted, inv_mass: input.w, h: input.h };
        let report = self.solver.advance_to(&step, &mut self.x)?;
        for (vertex, end) in self.x.iter().enumerate().filter(|&(vertex, _)| input.w[vertex] > 0.0) {
            x[vertex] = finite(&end.coords).ok_or_else(|| format!("vertex {vertex} became non-finite"))?;
        }
        let given = self.solver.velocities();
        match (&mut self.v, given) {
            (None, None) => {}
            (Some(v), Some(given)) if v.len() == given.len() => {
                for (vertex, end) in given.iter().enumerate().filter(|&(vertex, _)| input.w[vertex] > 0.0) {
                    let fault = || format!("the velocity of vertex {vertex} became non-finite");
                    v[vertex] = finite(end).ok_or_else(fault)?;
                }
            }
            (v, given) => {
                let [before, now] = [v.as_ref().map_or(0, Vec::len), given.map_or(0, <[_]>::len)];
                return Err(format!("it had {before} velocities when it was built and has {now} now"));
            }
        }
        Ok(report)
    }
}

/// A vector, packed; `None` if it is not finite in the precision of the simulation.
fn finite(v: &Vector3<f64>) -> Option<PackedF64> {
    v.iter().all(|&c| (c as f32).is_finite()).then(|| packed(v))
}
