//! Settings of mass-spring, whose springs are in `cloth-solver/src/constraints/spring_network.rs`.

use crate::BuildError;
#[cfg(feature = "serde")]
use crate::number;

/// Settings of mass-spring.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(default, deny_unknown_fields))]
pub struct MassSpringSettings {
    /// Maximum number of explicit steps per substep; the step fails if stability requires more. Default:
    /// `1000`.
    #[cfg_attr(feature = "serde", serde(deserialize_with = "number::count"))]
    pub explicit_steps: u32,
    /// Damping time of structural and flexion springs (s); that of shear springs is
    /// [`Material::damping`](crate::Material::damping). Default: `0.0`.
    #[cfg_attr(feature = "serde", serde(deserialize_with = "number::non_negative"))]
    pub stretch_damping: f32,
}

impl Default for MassSpringSettings {
    fn default() -> Self {
        Self { explicit_steps: 1000, stretch_damping: 0.0 }
    }
}

impl MassSpringSettings {
    pub(crate) fn check(&self) -> Result<(), BuildError> {
        let fault = |name, value, requirement| Err(BuildError::Setting { name, value, requirement });
        if self.explicit_steps == 0 {
            return fault("model.explicit_steps", 0.0, "at least 1");
        }
        if !(self.stretch_damping.is_finite() && self.stretch_damping >= 0.0) {
            return fault("model.stretch_damping", self.stretch_damping, "finite and not negative");
        }
        Ok(())
    }
}
