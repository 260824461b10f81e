//! Settings of finite elements.

use super::law::{PlaneStress, Stiffening};
use super::membrane::MembraneMaterial;
use super::strain::StrainMeasure;
use super::strain_limit::StrainLimit;
#[cfg(feature = "serde")]
use crate::number;
use crate::{BuildError, Material};

/// How element forces are assembled to nodal forces. Both assemblies agree up to rounding.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "kebab-case"))]
pub enum Assembly {
    /// Summed over the elements.
    #[default]
    Direct,
    /// `K_g1 x - K_g2 x0` (Zhang et al. 2014, equation (2)): a sparse matrix is assembled and multiplied by
    /// the positions. Slower, and less accurate far from the origin.
    Global,
}

/// How the elastic forces of finite elements are integrated over a substep.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "kebab-case"))]
pub enum Integrator {
    /// Symplectic Euler, in as many equal steps per substep as stability requires: many for stiff or finely
    /// meshed cloth.
    Explicit,
    /// Backward Euler, linearised once (Zhang et al. 2014, equation (7)) or by Newton's method; stable at any
    /// step, and damps what it does not resolve.
    #[default]
    Implicit,
}

/// Settings of finite elements.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(default, deny_unknown_fields))]
pub struct FemSettings {
    /// Strain measure. Default: `Corotated`.
    pub strain: StrainMeasure,
    /// Assembly of forces. Default: `Direct`.
    pub assembly: Assembly,
    /// Integrator. Default: `Implicit`.
    pub integrator: Integrator,
    /// Maximum number of Newton iterations per substep. 1 is a single linear solve; more iterate to
    /// convergence, with a line search, until the gradient is below `tolerance`. Default: `1`.
    #[cfg_attr(feature = "serde", serde(deserialize_with = "number::count"))]
    pub newton_iterations: u32,
    /// Relative residual at which a linear solve stops, in units of the larger of the inertial and elastic
    /// terms. Default: `1e-6`.
    #[cfg_attr(feature = "serde", serde(deserialize_with = "number::tolerance"))]
    pub tolerance: f32,
    /// Maximum number of iterations of a linear solve. Default: `200`.
    #[cfg_attr(feature = "serde", serde(deserialize_with = "number::count"))]
    pub solver_iterations: u32,
    /// Maximum number of explicit steps per substep; the step fails if stability requires more. Default:
    /// `1000`.
    #[cfg_attr(feature = "serde", serde(deserialize_with = "number::count"))]
    pub explicit_steps: u32,
    /// Poisson ratio, between -1 and 1: the geometric mean of those along weft and warp. 0 means no lateral
    /// contraction, as with XPBD. Default: `0.0`.
    #[cfg_attr(feature = "serde", serde(deserialize_with = "number::poisson"))]
    pub poisson: f32,
    /// Damping time of stretch (s): Rayleigh's beta. That of shear is [`Material::damping`]. Limits the
    /// explicit integrator. Default: `0.0`.
    #[cfg_attr(feature = "serde", serde(deserialize_with = "number::non_negative"))]
    pub stretch_damping: f32,
    /// Stiffness along weft and warp by segments of strain. Default: `CONSTANT`.
    pub stiffening: Stiffening,
    /// Limit of the principal stretches of faces, by projections after the elastic solve. Default: `None`.
    #[cfg_attr(feature = "serde", serde(skip_serializing_if = "Option::is_none"))]
    pub strain_limit: Option<StrainLimit>,
}

impl Default for FemSettings {
    fn default() -> Self {
        Self {
            strain: StrainMeasure::Corotated,
            assembly: Assembly::Direct,
            integrator: Integrator::Implicit,
            newton_iterations: 1,
            tolerance: 1e-6,
            solver_iterations: 200,
            explicit_steps: 1000,
            poisson: 0.0,
            stretch_damping: 0.0,
            stiffening: Stiffening::CONSTANT,
            strain_limit: None,
        }
    }
}

impl FemSettings {
    /// The material of elements for a fabric.
    #[must_use]
    pub fn material(&self, fabric: &Material) -> MembraneMaterial {
        let moduli = [fabric.stretch_weft, fabric.stretch_warp].map(f64::from);
        let law = PlaneStress::orthotropic(moduli, f64::from(self.poisson), f64::from(fabric.shear));
        let law = law.with_curves([self.stiffening.weft, self.stiffening.warp]);
        MembraneMaterial::new(law, f64::from(self.stretch_damping), f64::from(fabric.damping))
    }

    pub(crate) fn check(&self) -> Result<(), BuildError> {
        let fault = |name, value, requirement| Err(BuildError::Setting { name, value, requirement });
        let counts = [
            ("model.newton_iterations", self.newton_iterations),
            ("model.solver_iterations", self.solver_iterations),
            ("model.explicit_steps", self.explicit_steps),
        ];
        if let Some((name, _)) = counts.into_iter().find(|&(_, n)| n == 0) {
            return fault(name, 0.0, "at least 1");
        }
        if !(self.poisson > -1.0 && self.poisson < 1.0) {
            return fault("model.poisson", self.poisson, "greater than -1 and less than 1");
        }
        if !(self.tolerance > 0.0 && self.tolerance < 1.0) {
            return fault("model.tolerance", self.tolerance, "greater than zero and less than 1");
        }
        if !(self.stretch_damping.is_finite() && self.stretch_damping >= 0.0) {
            return fault("model.stretch_damping", self.stretch_damping, "finite and not negative");
        }
        self.strain_limit.map_or(Ok(()), |limit| limit.check())?;
        self.stiffening.weft.check("model.stiffening.weft")?;
        self.stiffening.warp.check("model.stiffening.warp")
    }
}
