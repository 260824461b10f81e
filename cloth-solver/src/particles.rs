//! Vertices that collide as balls: what a user chooses, and what a simulation keeps of it.
//!
//! Which regions do so says the table of interactions; each vertex' ball has the radius of its cloth's thickness.

use cloth_broadphase::BroadPhase;
use cloth_contacts::particles::{ParticleDetector, ParticleRules, PointPoint, RestRule, Search};

use crate::BuildError;
use crate::constraints::particle::ParticleConstraint;

/// How the contacts between balls act.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ParticleSettings {
    /// What a contact does to its two vertices. Default: `Distance`.
    pub response: ParticleResponse,
    /// Share of a violation that one pass corrects, above 0 and at most 1. Default: `1.0`.
    pub stiffness: f32,
    /// What becomes of vertices of one cloth that rest nearer than their radii. Default: `Cull`.
    pub rest: RestRule,
    /// Friction between balls. Default: `Coulomb`.
    pub friction: ParticleFriction,
    /// How near pairs are found; it changes times alone. Default: `PointGrid`.
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

/// What a contact does to its two vertices.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum ParticleResponse {
    /// It pushes them apart along the line between them as they are in each pass, to their distance at once (NvCloth).
    #[default]
    Distance,
    /// It keeps them on the two sides of a plane whose normal is frozen when the contact is found (Lewin 2018, section
    /// 4.1): vertices that have passed each other in a substep are brought back. A contact that begins too near
    /// recovers in the time that the contacts of faces and edges do.
    Plane,
}

/// Friction between balls.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub enum ParticleFriction {
    /// Coulomb's, with the coefficient of cloth against cloth.
    #[default]
    Coulomb,
    /// Each vertex of a pair that was pushed takes on this share, in [0, 1], of the pair's mean velocity, once in an
    /// iteration (Cincotti, tip 5): cheaper, blind to how hard the two press, and it also brakes their parting.
    Averaged(f32),
}

/// Which vertices of a cloth collide as balls, where its regions do.
#[derive(Clone, Debug, Default, PartialEq)]
pub enum ParticleChoice {
    /// All.
    #[default]
    All,
    /// These alone.
    Only(Vec<u32>),
    /// All but these.
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

/// What a simulation keeps of its balls.
#[derive(Clone, Debug)]
pub(crate) struct Particles<B> {
    pub(crate) rules: ParticleRules,
    pub(crate) detector: ParticleDetector<B>,
    pub(crate) contacts: Vec<PointPoint>,
    /// What the passes read and write of the contacts, scratch.
    pub(crate) pairs: Vec<ParticleConstraint>,
}

impl<B: BroadPhase> Particles<B> {
    pub(crate) fn new(rules: ParticleRules, search: Search) -> Self {
        Self { rules, detector: ParticleDetector::new(search), contacts: Vec::new(), pairs: Vec::new() }
    }
}
