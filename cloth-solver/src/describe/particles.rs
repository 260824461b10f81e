//! Particle collision: settings of vertices that collide as balls.
//!
//! [`Interaction::Particles`](crate::Interaction::Particles) selects the regions. A particle's radius is that
//! of its cloth's thickness.

use cloth_contacts::particles::{RestRule, Search};

use crate::BuildError;
#[cfg(feature = "serde")]
use crate::number;

/// Settings of particle contacts.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(default, deny_unknown_fields))]
pub struct ParticleSettings {
    /// Response of a contact. Default: `Distance`.
    pub response: ParticleResponse,
    /// Share of a violation that one pass corrects, above 0 and at most 1. Default: `1.0`.
    #[cfg_attr(feature = "serde", serde(deserialize_with = "number::positive_fraction"))]
    pub stiffness: f32,
    /// Treatment of vertices of one cloth that are nearer than their radii in the rest shape. Default:
    /// `Cull`.
    pub rest: RestRule,
    /// Friction between balls. Default: `Coulomb`.
    pub friction: ParticleFriction,
    /// Search structure for near pairs; it affects time only, not results. Default: `PointGrid`.
    pub search: Search,
}

impl Default for ParticleSettings {
    fn default() -> Self {
        Self {
            response: ParticleResponse::Distance,
            stiffness: 1.0,
            rest: RestRule::Cull,
            friction: ParticleFriction::Coulomb,
            search: Search::PointGrid,
        }
    }
}

/// Response of a particle contact.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "kebab-case"))]
pub enum ParticleResponse {
    /// Pushes the vertices apart along their current connecting line to the contact distance (NvCloth).
    #[default]
    Distance,
    /// Keeps the vertices on opposite sides of a plane whose normal is fixed when the contact is found (Lewin
    /// 2018, section 4.1): vertices that pass each other in a substep are brought back. Violated contacts
    /// recover as those of faces and edges do.
    Plane,
}

/// Friction between balls.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "kebab-case"))]
pub enum ParticleFriction {
    /// Coulomb friction with `Settings::self_friction`.
    #[default]
    Coulomb,
    /// Once per iteration each vertex of a pushed pair takes on this share, in [0, 1], of the pair's mean
    /// velocity (Cincotti, tip 5). Cheaper than Coulomb friction, independent of the normal force, and it
    /// also damps separation.
    Averaged(#[cfg_attr(feature = "serde", serde(deserialize_with = "number::fraction"))] f32),
}

/// Selection of the vertices of a cloth that collide as particles.
#[derive(Clone, Debug, Default, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "kebab-case"))]
pub enum ParticleChoice {
    /// All.
    #[default]
    All,
    /// Only these.
    Only(Vec<u32>),
    /// All except these.
    Except(Vec<u32>),
}

impl ParticleChoice {
    /// The vertices that it names.
    pub(crate) fn named(&self) -> &[u32] {
        match self {
            Self::All => &[],
            Self::Only(vertices) | Self::Except(vertices) => vertices,
        }
    }

    /// One entry a vertex; those that are named must exist.
    pub(crate) fn mask(&self, count: usize) -> Vec<bool> {
        let named = matches!(self, Self::Only(_));
        let mut mask = vec![!named; count];
        self.named().iter().for_each(|&v| mask[v as usize] = named);
        mask
    }
}

impl ParticleSettings {
    pub(crate) fn check(&self) -> Result<(), BuildError> {
        let fault = |name, value, requirement| Err(BuildError::Setting { name, value, requirement });
        if !(self.stiffness > 0.0 && self.stiffness <= 1.0) {
            return fault("particles.stiffness", self.stiffness, "above 0 and at most 1");
        }
        match self.friction {
            ParticleFriction::Averaged(share) if !(0.0..=1.0).contains(&share) => {
                fault("particles.friction", share, "a share between 0 and 1")
            }
            _ => Ok(()),
        }
    }
}
