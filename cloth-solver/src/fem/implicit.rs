//! Backward Euler: one linear solve (Zhang et al. 2014, equation (7)), or Newton's method.
//!
//! The positions at the end of a step minimise the incremental potential
//!
//! ```text
//!   P(x) = |x - x*|_M^2 / (2 h^2) + W(x) + (x - x_0)^T C (x - x_0) / (2 h)
//!   x*: where external forces alone would lead
//! ```
//!
//! A Newton step from `x`, times `h^2`, is
//!
//! ```text
//!   (M + h^2 K + h C) dx = M (x* - x) + h^2 f(x) - h C (x - x_0)
//! ```
//!
//! From `x = x_0` it is equation (7) with `dx = h v`. A single iteration takes it whole: that is the method
//! of the paper. Several iterations search along it, and end when the gradient is small: backward Euler
//! proper. `K` is the projected derivative of the forces, so that the matrix is positive definite and every
//! step leads downhill.

use super::FemSettings;
use super::conjugate_gradients::{ConjugateGradients, Stop};
use super::global::GlobalStiffness;
use super::membrane::{Factors, Membrane};
use super::settings::Assembly;
use super::sparse::{BlockMatrix, PackedF64, dot};
use super::stepper::{FemReport, StepInput};

/// Memory of implicit steps.
#[derive(Clone, Debug, Default)]
pub(crate) struct Implicit {
    matrix: BlockMatrix,
    global: Option<GlobalStiffness>,
    solver: ConjugateGradients,
    free: Vec<bool>,
    masses: Vec<f64>,
    right: Vec<PackedF64>,
    step: Vec<PackedF64>,
    trial: Vec<PackedF64>,
    displacement: Vec<PackedF64>,
    viscous: Vec<PackedF64>,
}

/// Halvings of a step that does not lead downhill enough, and the share of the decrease that the slope
/// promises which is enough (Armijo; Nocedal and Wright 2006, section 3.1).
const HALVINGS: u32 = 20;
const DECREASE: f64 = 1e-4;

impl Implicit {
    pub(crate) fn new(membrane: &Membrane, settings: &FemSettings) -> Self {
        let count = membrane.vertex_count();
        let zeros = || vec![PackedF64::zeros(); count];
        Self {
            matrix: membrane.matrix(),
            global: (settings.assembly == Assembly::Global).then(|| GlobalStiffness::new(membrane)),
            solver: ConjugateGradients::new(count),
            free: vec![true; count],
            masses: vec![0.0; count],
            right: zeros(),
            step: zeros(),
            trial: zeros(),
            displacement: zeros(),
            viscous: zeros(),
        }
    }

    /// Writes the positions (m) at the end of the step to `x`.
    pub(crate) fn advance(
        &mut self,
        membrane: &Membrane,
        settings: &FemSettings,
        input: &StepInput<'_>,
        x: &mut [PackedF64],
    ) -> FemReport {
        for ((free, mass), &w) in self.free.iter_mut().zip(&mut self.masses).zip(input.w) {
            (*free, *mass) = (w > 0.0, if w > 0.0 { 1.0 / f64::from(w) } else { 0.0 });
        }
        x.copy_from_slice(input.x_t0);
        let searches = settings.newton_iterations > 1;
        if searches {
            // A search is over the vertices that can move; the others are at their place before it.
            for i in (0..x.len()).filter(|&i| !self.free[i]) {
                x[i] = input.predicted[i];
            }
        }
        let tolerance = f64::from(settings.tolerance);
        let mut report = FemReport::default();
        let mut scale = 0.0;
        for iteration in 0..settings.newton_iterations {
            let terms = self.evaluate(membrane, input, x);
            if iteration == 0 {
                scale = terms;
            } else {
                let gradient = dot(&self.right, &self.right).sqrt();
                report.gradient = Some(if gradient > 0.0 { gradient / scale } else { 0.0 });
                if gradient <= tolerance * scale || gradient.is_nan() {
                    break;
                }
            }
            self.assemble(membrane, input, x);
            let stop = Stop { tolerance, scale, iterations: settings.solver_iterations };
            let solve = self.solver.solve(&self.matrix, &self.right, &self.free, stop, &mut self.step);
            report.solve.iterations += solve.iterations;
            report.solve.residual = report.solve.residual.max(solve.residual);
            report.newton_iterations += 1;
            if !searches {
                x.iter_mut().zip(&self.step).for_each(|(x, step)| *x += step);
            } else if !self.search(membrane, input, x) {
                break;
            }
        }
        report
    }

    /// Writes the right side of the system at `x`; returns the norm of its largest term.
    fn evaluate(&mut self, membrane: &Membrane, input: &StepInput<'_>, x: &[PackedF64]) -> f64 {
        let h = input.h;
        self.right.fill(PackedF64::zeros());
        match &mut self.global {
            None => membrane.add_forces(x, &mut self.right),
            Some(global) => {
                global.assemble(membrane, x);
                global.add_forces(x, &mut self.right);
            }
        }
        for i in 0..x.len() {
            self.right[i] = if self.free[i] { self.right[i] * (h * h) } else { PackedF64::zeros() };
        }
        let elastic = dot(&self.right, &self.right).sqrt();
        self.viscous.fill(PackedF64::zeros());
        // At the start of the step nothing has moved.
        if x != input.x_t0 {
            self.difference(x, input.x_t0);
            membrane.add_viscous_forces(input.x_t0, &self.displacement, &mut self.viscous);
        }
        let mut inertia = 0.0;
        for i in 0..x.len() {
            if self.free[i] {
                let term = (input.predicted[i] - x[i]) * self.masses[i];
                inertia += term.norm_squared();
                self.right[i] += term + self.viscous[i] * h;
            }
        }
        elastic.max(inertia.sqrt())
    }

    fn difference(&mut self, a: &[PackedF64], b: &[PackedF64]) {
        for ((difference, a), b) in self.displacement.iter_mut().zip(a).zip(b) {
            *difference = a - b;
        }
    }

    /// Assembles the matrix at `x`, and writes the first guess of the step: the motion that is left without
    /// elasticity.
    fn assemble(&mut self, membrane: &Membrane, input: &StepInput<'_>, x: &[PackedF64]) {
        let h = input.h;
        self.matrix.set_diagonal(self.masses.iter().copied());
        let factors = Factors { stiffness: h * h, viscosity: h };
        // The same slice for both, where both are the same positions, saves half of the assembly.
        let x_viscous = if x == input.x_t0 { x } else { input.x_t0 };
        membrane.add_stiffness(x, x_viscous, factors, &mut self.matrix);
        for i in 0..x.len() {
            self.step[i] = input.predicted[i] - x[i];
        }
    }

    /// The potential times `h^2`.
    fn potential(&mut self, membrane: &Membrane, input: &StepInput<'_>, x: &[PackedF64]) -> f64 {
        let h = input.h;
        self.difference(x, input.x_t0);
        self.viscous.fill(PackedF64::zeros());
        membrane.add_viscous_forces(input.x_t0, &self.displacement, &mut self.viscous);
        let mut inertia = 0.0;
        for i in 0..x.len() {
            inertia += self.masses[i] * (x[i] - input.predicted[i]).norm_squared();
        }
        let lost = -dot(&self.displacement, &self.viscous);
        0.5 * (inertia + h * lost) + h * h * membrane.energy(x)
    }

    /// Goes along the step as far as the potential decreases enough; whether it does.
    fn search(&mut self, membrane: &Membrane, input: &StepInput<'_>, x: &mut [PackedF64]) -> bool {
        let before = self.potential(membrane, input, x);
        let slope = dot(&self.right, &self.step);
        // Close to the end the decrease is less than the rounding of the potential.
        let rounding = 4.0 * f64::EPSILON * before.abs();
        let mut trial = std::mem::take(&mut self.trial);
        let mut share = 1.0;
        let mut found = false;
        for _ in 0..HALVINGS {
            for ((trial, x), step) in trial.iter_mut().zip(&*x).zip(&self.step) {
                *trial = x + step * share;
            }
            let enough = before - DECREASE * share * slope + rounding;
            found = self.potential(membrane, input, &trial) <= enough;
            if found {
                x.copy_from_slice(&trial);
                break;
            }
            share *= 0.5;
        }
        self.trial = trial;
        found
    }
}
