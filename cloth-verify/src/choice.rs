//! What a caller chooses by a word: the size of a scene, how cloth collides with itself, its elastic model.

use cloth_show::choices;
use cloth_solver::fem::{FemSettings, Integrator, StrainMeasure};
use cloth_solver::{ElasticModel, MassSpringSettings};

/// How large a scene is built. The scene is the same; only its resolution, or its number of cloths, differs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Size {
    /// A second or less, for tests.
    Small,
    /// The size that figures are quoted for.
    #[default]
    Medium,
    /// As long as it needs.
    Large,
}

/// How the cloth of a scene collides with itself, whatever the scene says.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum SelfCollision {
    /// Vertices with faces, edges with edges, at the scene's thickness.
    Full,
    /// Vertices as balls, three quarters of the spacing apart; see
    /// [`crate::scenario::Setup::make_particles`].
    Particles,
}

/// The elastic model of a run, whatever the scene says.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ModelChoice {
    /// [`ElasticModel::Xpbd`].
    Xpbd,
    /// [`ElasticModel::MassSpring`] at its default settings.
    MassSpring,
    /// [`ElasticModel::Fem`] with the implicit integrator.
    Fem,
    /// [`ElasticModel::Fem`] with the explicit integrator.
    FemExplicit,
    /// [`ElasticModel::Fem`] with the implicit integrator and Green strain, for large shear.
    FemGreen,
}

choices!(Size, "size", { Small = "small", Medium = "medium", Large = "large" });
choices!(SelfCollision, "self collision", { Full = "full", Particles = "particles" });
choices!(ModelChoice, "elastic model", {
    Xpbd = "xpbd",
    MassSpring = "mass-spring",
    Fem = "fem",
    FemExplicit = "fem-explicit",
    FemGreen = "fem-green",
});

impl ModelChoice {
    /// The model. What else a scene says of a model of the same kind is kept; otherwise its settings are the
    /// defaults.
    #[must_use]
    pub fn applied_to(self, model: ElasticModel) -> ElasticModel {
        let settings = if let ElasticModel::Fem(fem) = model { fem } else { FemSettings::default() };
        let fem = |integrator| ElasticModel::Fem(FemSettings { integrator, ..settings });
        match (self, model) {
            (Self::Xpbd, _) => ElasticModel::Xpbd,
            (Self::MassSpring, ElasticModel::MassSpring(_)) => model,
            (Self::MassSpring, _) => ElasticModel::MassSpring(MassSpringSettings::default()),
            (Self::Fem, _) => fem(Integrator::Implicit),
            (Self::FemExplicit, _) => fem(Integrator::Explicit),
            (Self::FemGreen, _) => {
                let (strain, integrator) = (StrainMeasure::Green, Integrator::Implicit);
                ElasticModel::Fem(FemSettings { strain, integrator, ..settings })
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_choice_reads_back_from_its_word() {
        for size in Size::ALL {
            assert_eq!(size.to_string().parse(), Ok(size));
        }
        for choice in SelfCollision::ALL {
            assert_eq!(choice.to_string().parse(), Ok(choice));
        }
        for choice in ModelChoice::ALL {
            assert_eq!(choice.to_string().parse(), Ok(choice));
        }
    }

    #[test]
    fn a_chosen_model_keeps_the_scenes_settings_of_its_kind() {
        let fem = FemSettings { poisson: 0.2, integrator: Integrator::Explicit, ..FemSettings::default() };
        let scene = ElasticModel::Fem(fem);
        assert_eq!(ModelChoice::FemExplicit.applied_to(scene), scene);
        let implicit = ElasticModel::Fem(FemSettings { integrator: Integrator::Implicit, ..fem });
        assert_eq!(ModelChoice::Fem.applied_to(scene), implicit);
        let green = FemSettings { strain: StrainMeasure::Green, integrator: Integrator::Implicit, ..fem };
        assert_eq!(ModelChoice::FemGreen.applied_to(scene), ElasticModel::Fem(green));
        assert_eq!(ModelChoice::Xpbd.applied_to(scene), ElasticModel::Xpbd);
        let default = ElasticModel::Fem(FemSettings::default());
        assert_eq!(ModelChoice::Fem.applied_to(ElasticModel::Xpbd), default);
        let springs =
            ElasticModel::MassSpring(MassSpringSettings { explicit_steps: 7, ..Default::default() });
        assert_eq!(ModelChoice::MassSpring.applied_to(springs), springs);
        assert_eq!(ModelChoice::MassSpring.applied_to(scene), ElasticModel::MassSpring(Default::default()));
    }

    #[test]
    fn an_unknown_word_is_answered_with_the_known_ones() {
        let error = "huge".parse::<Size>().expect_err("no size");
        assert_eq!(error.to_string(), "unknown size `huge`; use small, medium, large");
        assert!("Small".parse::<Size>().is_err() && "".parse::<Size>().is_err());
    }
}
