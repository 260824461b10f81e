//! The elastic model: what resists stretch and shear.

mod custom;

use crate::BuildError;
use crate::describe::mass_spring::MassSpringSettings;
use crate::fem::{FemReport, FemSettings};
pub use custom::{CustomElasticModel, ElasticCloth, ElasticSolver, ElasticStep};
pub(crate) use custom::{ErasedElasticModel, ErasedElasticSolver};

/// What resists stretch and shear. Everything else of a step is the same: bending (except with mass-spring),
/// tethers, attachments, drives, contacts, friction, recovery and the gate act after the elastic solve of a
/// substep, as projections.
///
/// For a model of your own see [`CustomElasticModel`].
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub enum ElasticModel {
    /// Constraints of edges and faces, projected by XPBD over several levels. The fastest, and the one that
    /// all presets are tuned for.
    #[default]
    Xpbd,
    /// Structural, shear and flexion springs with explicit integration (Provot 1995; Tourniaire, section
    /// 3.3.1): a baseline.
    MassSpring(MassSpringSettings),
    /// Finite elements (Zhang et al. 2014, section 3.2): a continuum with the moduli of the fabric.
    Fem(FemSettings),
}

impl ElasticModel {
    /// The models by name, at their default settings.
    #[must_use]
    pub fn named() -> [(&'static str, Self); 3] {
        [
            ("xpbd", Self::Xpbd),
            ("mass-spring", Self::MassSpring(MassSpringSettings::default())),
            ("fem", Self::Fem(FemSettings::default())),
        ]
    }

    /// Its name.
    #[must_use]
    pub fn name(&self) -> &'static str {
        match self {
            Self::Xpbd => "xpbd",
            Self::MassSpring(_) => "mass-spring",
            Self::Fem(_) => "fem",
        }
    }

    pub(crate) fn check(&self) -> Result<(), BuildError> {
        match self {
            Self::Xpbd => Ok(()),
            Self::MassSpring(settings) => settings.check(),
            Self::Fem(settings) => settings.check(),
        }
    }
}

/// What the elastic model has taken over a step; all zero for XPBD.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct ElasticReport {
    /// Iterations of linear solves, summed over the substeps.
    pub solver_iterations: u32,
    /// The largest residual of a linear solve, in units of the larger of inertial and elastic terms.
    pub residual: f64,
    /// Newton iterations, summed over the substeps.
    pub newton_iterations: u32,
    /// Explicit steps, summed over the substeps.
    pub explicit_steps: u32,
}

impl ElasticReport {
    /// Adds what another solve has taken.
    pub(crate) fn add(&mut self, other: &Self) {
        self.solver_iterations += other.solver_iterations;
        self.residual = self.residual.max(other.residual);
        self.newton_iterations += other.newton_iterations;
        self.explicit_steps += other.explicit_steps;
    }
}

impl From<FemReport> for ElasticReport {
    fn from(report: FemReport) -> Self {
        Self {
            solver_iterations: report.solve.iterations,
            residual: report.solve.residual,
            newton_iterations: report.newton_iterations,
            explicit_steps: report.explicit_steps,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_model_has_its_name() {
        assert!(ElasticModel::named().iter().all(|(name, model)| model.name() == *name));
    }
}
