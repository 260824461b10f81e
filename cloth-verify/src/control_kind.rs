//! What a control takes away from a scenario, and what it must show then.

use cloth_solver::fem::{FemSettings, StrainMeasure};
use cloth_solver::{ElasticModel, Settings};

/// What a scenario is compared with: the same scene, all else equal, without what keeps it right.
///
/// A scenario whose control does as well proves nothing, and fails.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum ControlKind {
    /// No self collision and no gate; colliders stay on. Its worst frame must have intersections.
    NoSelfCollision,
    /// This many substeps. Its stretch must exceed the scenario's own limit.
    Substeps(u32),
    /// Colliders that push out what is inside them at the end of a step, by the shortest way, instead of
    /// contacts that are predicted. It must fail at least one cell of each case.
    DiscreteColliders,
    /// Colliders that are not guarded, and no gate. Their axes must cross the cloth in some substep.
    UnguardedColliders,
    /// No colliders, the proxies of the wearer included. Cloth must then be deeper below the wearer's skin
    /// than the scenario allows.
    NoColliders,
    /// Finite elements with Cauchy strain in the frame of the start, which is not rotation-invariant;
    /// whatever the elastic model of the run. Its stretch must exceed the scenario's own limit.
    UncorrectedStrain,
}

impl ControlKind {
    /// The name of what the control takes away.
    #[must_use]
    pub fn name(self) -> String {
        match self {
            Self::NoSelfCollision => "no self collision".into(),
            Self::Substeps(1) => "1 substep".into(),
            Self::Substeps(n) => format!("{n} substeps"),
            Self::DiscreteColliders => "discrete colliders".into(),
            Self::UnguardedColliders => "unguarded colliders".into(),
            Self::NoColliders => "no colliders".into(),
            Self::UncorrectedStrain => "uncorrected strain".into(),
        }
    }

    /// The settings without it.
    #[must_use]
    pub fn applied_to(self, settings: Settings) -> Settings {
        match self {
            Self::NoSelfCollision => Settings { self_collision: false, gate: false, ..settings },
            Self::Substeps(substeps) => Settings { substeps, ..settings },
            // Another method, at the same settings.
            Self::DiscreteColliders => settings,
            Self::UnguardedColliders | Self::NoColliders => Settings { gate: false, ..settings },
            Self::UncorrectedStrain => {
                let fem = match settings.model {
                    ElasticModel::Fem(fem) => fem,
                    ElasticModel::Xpbd | ElasticModel::MassSpring(_) => FemSettings::default(),
                };
                let model = ElasticModel::Fem(FemSettings { strain: StrainMeasure::Cauchy, ..fem });
                Settings { model, gate: false, ..settings }
            }
        }
    }
}
