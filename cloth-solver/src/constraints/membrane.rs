//! The membrane as an elastic model of its own, in the place of the constraints of stretch and shear.
//!
//! It acts first, on the predicted positions: it integrates the elastic forces over the substep from where
//! the substep starts. What follows are projections: bending, tethers, attachments, then contacts and
//! friction. With several iterations, each begins with another elastic solve, whose prediction is what the
//! projections have added to the last one, so that elasticity and contacts see each other within the substep.

use nalgebra::Vector3;

use super::custom::CustomStepper;
use super::spring_network::{self, NetworkSpring, SpringStepper};
use super::{BetweenLevels, ClothInput, Constraint, Pass, SceneInput};
use crate::StepError;
use crate::bodies::{self, Bodies};
use crate::describe::elastic_model::{ElasticModel, ElasticReport};
use crate::fem::{Element, FemStepper, Membrane, MembraneMaterial, PackedF64, StepInput, packed};

/// The elastic model of all cloths.
#[derive(Clone, Debug, Default)]
pub(crate) struct MembraneConstraints {
    model: ElasticModel,
    /// Only while the simulation is being built.
    elements: Vec<Element>,
    materials: Vec<MembraneMaterial>,
    springs: Vec<NetworkSpring>,
    vertices: usize,
    stepper: Option<Stepper>,
    x_t0: Vec<PackedF64>,
    predicted: Vec<PackedF64>,
    x: Vec<PackedF64>,
    /// Velocities (m/s) at the end of the substep beyond the displacement over it, for explicit integrators;
    /// else empty.
    excess: Vec<Vector3<f32>>,
    /// Displacement (m) by the last elastic solve of the substep.
    elastic: Vec<PackedF64>,
    report: ElasticReport,
    /// The first since the report was started.
    failure: Option<StepError>,
}

/// A model with its integrator.
#[derive(Clone, Debug)]
enum Stepper {
    Fem(Box<FemStepper>),
    MassSpring(Box<SpringStepper>),
    Custom(Box<CustomStepper>),
}

impl Stepper {
    fn set_inverse_masses(&mut self, inv_mass: &[f32]) {
        match self {
            Self::Fem(fem) => fem.membrane_mut().set_inverse_masses(inv_mass),
            Self::MassSpring(springs) => springs.set_inverse_masses(inv_mass),
            Self::Custom(custom) => custom.set_inverse_masses(inv_mass),
        }
    }

    fn end_velocities(&self) -> Option<&[PackedF64]> {
        match self {
            Self::Fem(fem) => fem.end_velocities(),
            Self::MassSpring(springs) => Some(springs.end_velocities()),
            Self::Custom(custom) => custom.end_velocities(),
        }
    }

    /// Writes the positions at the end of the substep.
    fn advance(&mut self, input: &StepInput<'_>, x: &mut [PackedF64]) -> Result<ElasticReport, StepError> {
        let report = match self {
            Self::Fem(fem) => fem.advance(input, x),
            Self::MassSpring(springs) => springs.advance(input, x),
            Self::Custom(custom) => return custom.advance(input, x),
        };
        report.map(Into::into).ok_or(StepError::ExplicitSteps)
    }
}

impl MembraneConstraints {
    /// Takes the solver of the caller's model, before the constraints are finished.
    pub(crate) fn set_custom(&mut self, custom: CustomStepper) {
        self.stepper = Some(Stepper::Custom(Box::new(custom)));
    }

    /// Makes the velocities (m/s) of vertices that can move those at the end of the substep; whether there is
    /// something to change.
    pub(crate) fn correct_velocities(&self, v: &mut [Vector3<f32>], w: &[f32]) -> bool {
        for ((v, excess), _) in v.iter_mut().zip(&self.excess).zip(w).filter(|(_, w)| **w > 0.0) {
            *v += excess;
        }
        !self.excess.is_empty()
    }

    /// Starts the report of a step.
    pub(crate) fn start_report(&mut self) {
        (self.report, self.failure) = (ElasticReport::default(), None);
    }

    /// What has been taken since [`MembraneConstraints::start_report`].
    ///
    /// # Errors
    /// If stability requires more explicit steps than the settings allow, or as the caller's model fails.
    pub(crate) fn report(&self) -> Result<ElasticReport, StepError> {
        self.failure.clone().map_or(Ok(self.report), Err)
    }
}

impl Constraint for MembraneConstraints {
    fn add_cloth(&mut self, cloth: &ClothInput<'_>) {
        self.model = cloth.model;
        self.vertices = cloth.offset as usize + cloth.cloth.mesh.positions.len();
        let prepared = cloth.prepared;
        match &self.model {
            ElasticModel::Xpbd => {}
            ElasticModel::MassSpring(settings) => {
                let springs = spring_network::springs(
                    cloth.topology,
                    &prepared.rest,
                    &prepared.materials,
                    &prepared.springs,
                    settings,
                );
                let shifted =
                    springs.into_iter().map(|s| NetworkSpring { v: s.v.map(|v| cloth.shift(v)), ..s });
                self.springs.extend(shifted);
            }
            ElasticModel::Fem(settings) => {
                let first = self.materials.len() as u32;
                let palette = prepared.materials.palette().iter();
                self.materials.extend(palette.map(|fabric| settings.material(fabric)));
                let start = cloth.start;
                for (face, (v, flat)) in (0..).zip(cloth.cloth.mesh.faces.iter().zip(&prepared.rest.flat)) {
                    let material = first + prepared.materials.number(face);
                    let start = v.map(|v| start[v as usize].coords.cast::<f64>());
                    let flat = flat.map(|corner| corner.map(f64::from));
                    self.elements.extend(Element::new(v.map(|v| cloth.shift(v)), &flat, &start, material));
                }
            }
        }
    }

    fn finish(&mut self, _scene: &SceneInput<'_>) {
        let count = self.vertices;
        let custom = self.stepper.take();
        self.stepper = match &self.model {
            ElasticModel::Xpbd => custom,
            ElasticModel::MassSpring(settings) => {
                let springs = std::mem::take(&mut self.springs);
                Some(Stepper::MassSpring(Box::new(SpringStepper::new(count, springs, settings))))
            }
            ElasticModel::Fem(settings) => {
                let (elements, materials) =
                    (std::mem::take(&mut self.elements), std::mem::take(&mut self.materials));
                let membrane = Membrane::new(count, elements, materials, settings.strain);
                Some(Stepper::Fem(Box::new(FemStepper::new(membrane, *settings))))
            }
        };
        if self.stepper.is_some() {
            for list in [&mut self.x_t0, &mut self.predicted, &mut self.x, &mut self.elastic] {
                *list = vec![PackedF64::zeros(); count];
            }
            let is_explicit = self.stepper.as_ref().is_some_and(|stepper| stepper.end_velocities().is_some());
            self.excess = vec![Vector3::zeros(); if is_explicit { count } else { 0 }];
        }
    }

    fn update_masses(&mut self, inv_mass: &[f32]) {
        if let Some(stepper) = &mut self.stepper {
            stepper.set_inverse_masses(&inv_mass[..self.vertices]);
        }
    }

    fn project(&mut self, bodies: &mut Bodies<'_>, pass: Pass, _: BetweenLevels<'_>) {
        let Some(stepper) = &mut self.stepper else { return };
        let wide = |p: &bodies::Packed| packed(&Vector3::new(p.x, p.y, p.z).cast::<f64>());
        for i in 0..self.vertices {
            self.x_t0[i] = wide(&bodies.x_t0[i]);
            self.predicted[i] = wide(&bodies.x[i]);
            if !pass.first {
                self.predicted[i] -= self.elastic[i];
            }
        }
        let input = StepInput {
            x_t0: &self.x_t0,
            predicted: &self.predicted,
            w: &bodies.w[..self.vertices],
            h: f64::from(bodies.h),
        };
        let report = stepper.advance(&input, &mut self.x);
        for i in 0..self.vertices {
            self.elastic[i] = self.x[i] - self.predicted[i];
            let x = self.x[i];
            if bodies.w[i] > 0.0 {
                bodies.x[i] = bodies::Packed::new(x.x as f32, x.y as f32, x.z as f32, bodies.w[i]);
            }
        }
        if let Some(v) = stepper.end_velocities().filter(|_| report.is_ok()) {
            for i in 0..self.vertices {
                let excess = v[i] - (self.x[i] - self.x_t0[i]) / input.h;
                self.excess[i] = Vector3::new(excess.x, excess.y, excess.z).cast();
            }
        }
        match report {
            Ok(report) => self.report.add(&report),
            Err(error) => self.failure = self.failure.take().or(Some(error)),
        }
    }
}
