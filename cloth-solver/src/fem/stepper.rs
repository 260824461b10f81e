//! A membrane with an integrator: the elastic part of a substep.

use super::conjugate_gradients::SolveReport;
use super::explicit::{self, ForceAssembly, Moving};
use super::global::GlobalStiffness;
use super::implicit::Implicit;
use super::membrane::Membrane;
use super::settings::{Assembly, FemSettings, Integrator};
use super::sparse::PackedF64;

/// Share of the stable step that the explicit integrator takes: the bound is that of the start of a substep,
/// and the membrane stiffens within it.
const STABLE_SHARE: f64 = 0.9;

/// Positions and masses of a step.
#[derive(Clone, Copy, Debug)]
pub struct StepInput<'a> {
    /// Positions (m) at its start.
    pub x_t0: &'a [PackedF64],
    /// Positions (m) at its end without elasticity. Immovable vertices end there.
    pub predicted: &'a [PackedF64],
    /// Inverse masses (1/kg); zero is immovable.
    pub w: &'a [f32],
    /// Its length (s).
    pub h: f64,
}

/// What a step has taken.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct FemReport {
    /// Iterations of all linear solves together, and the largest residual among them.
    pub solve: SolveReport,
    /// Newton iterations of the implicit integrator.
    pub newton_iterations: u32,
    /// Norm of the gradient of the incremental potential at the end, in units of the largest term at the
    /// start; none for a single iteration, which does not evaluate it.
    pub gradient: Option<f64>,
    /// Parts of the step that the explicit integrator has taken.
    pub explicit_steps: u32,
    /// The longest stable explicit step (s) at the start; zero for the implicit integrator, which does not
    /// evaluate it.
    pub stable_step: f64,
}

/// A membrane with an integrator and its memory.
#[derive(Clone, Debug, Default)]
pub struct FemStepper {
    membrane: Membrane,
    settings: FemSettings,
    memory: Memory,
}

#[derive(Clone, Debug)]
enum Memory {
    Explicit(Box<Explicit>),
    Implicit(Box<Implicit>),
}

impl Default for Memory {
    fn default() -> Self {
        Self::Explicit(Box::default())
    }
}

/// Memory of explicit steps.
#[derive(Clone, Debug, Default)]
struct Explicit {
    global: Option<GlobalStiffness>,
    v: Vec<PackedF64>,
    forces: Vec<PackedF64>,
}

impl FemStepper {
    /// A membrane at the settings.
    #[must_use]
    pub fn new(membrane: Membrane, settings: FemSettings) -> Self {
        let zeros = || vec![PackedF64::zeros(); membrane.vertex_count()];
        let memory = match settings.integrator {
            Integrator::Explicit => {
                let global = (settings.assembly == Assembly::Global).then(|| GlobalStiffness::new(&membrane));
                Memory::Explicit(Box::new(Explicit { global, v: zeros(), forces: zeros() }))
            }
            Integrator::Implicit => Memory::Implicit(Box::new(Implicit::new(&membrane, &settings))),
        };
        Self { membrane, settings, memory }
    }

    /// The membrane.
    #[must_use]
    pub fn membrane(&self) -> &Membrane {
        &self.membrane
    }

    /// The membrane, to change its masses.
    pub fn membrane_mut(&mut self) -> &mut Membrane {
        &mut self.membrane
    }

    /// Writes the positions (m) at the end of a step. Allocates nothing.
    ///
    /// All arrays have a length of [`Membrane::vertex_count`]; nothing happens if they do not. `None` if the
    /// explicit integrator would need more steps than [`FemSettings::explicit_steps`]: `x` is then
    /// `predicted`.
    pub fn advance(&mut self, input: &StepInput<'_>, x: &mut [PackedF64]) -> Option<FemReport> {
        let count = self.membrane.vertex_count();
        if [input.x_t0.len(), input.predicted.len(), input.w.len(), x.len()] != [count; 4] {
            return Some(FemReport::default());
        }
        let report = self.integrate(input, x)?;
        if let Some(limit) = &self.settings.strain_limit {
            limit.apply(&self.membrane, input.w, x);
        }
        Some(report)
    }

    /// Velocities (m/s) at the end of the last step of the explicit integrator; none for the implicit one,
    /// whose velocities are the displacements over the step.
    ///
    /// After several explicit steps the displacement over the step is the mean velocity. Continuing with it
    /// would gain energy where the step is about half a period.
    #[must_use]
    pub fn end_velocities(&self) -> Option<&[PackedF64]> {
        match &self.memory {
            Memory::Explicit(explicit) => Some(&explicit.v),
            Memory::Implicit(_) => None,
        }
    }

    fn integrate(&mut self, input: &StepInput<'_>, x: &mut [PackedF64]) -> Option<FemReport> {
        match &mut self.memory {
            Memory::Implicit(implicit) => Some(implicit.advance(&self.membrane, &self.settings, input, x)),
            Memory::Explicit(explicit) => {
                let Explicit { global, v, forces } = &mut **explicit;
                let stable_step = self.membrane.stable_step(input.x_t0);
                let parts = libm::ceil(input.h / (STABLE_SHARE * stable_step)).max(1.0);
                if parts > f64::from(self.settings.explicit_steps) || parts.is_nan() {
                    x.copy_from_slice(input.predicted);
                    return None;
                }
                x.copy_from_slice(input.x_t0);
                for ((v, to), from) in v.iter_mut().zip(input.predicted).zip(input.x_t0) {
                    *v = (to - from) / input.h;
                }
                let assembly = global.as_mut().map_or(ForceAssembly::Direct, ForceAssembly::Global);
                let mut moving = Moving { x, v, w: input.w };
                let explicit_steps = parts as u32;
                let steps = explicit::Steps { count: explicit_steps, h: input.h / parts };
                explicit::advance(&self.membrane, assembly, &mut moving, steps, forces);
                Some(FemReport { explicit_steps, stable_step, ..FemReport::default() })
            }
        }
    }
}
