//! Which vertices may collide as balls, and at which distance: everything that no motion changes.

use nalgebra::Point3;

use crate::{Surface, SurfaceError};

/// How two vertices of one part are treated that are closer at rest than their radii.
///
/// No rule applies between parts, whose relative rest position has no meaning.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "kebab-case"))]
pub enum RestRule {
    /// The radii apply, against the springs of the cloth: for comparison; the result jitters.
    Ignore,
    /// The contact distance is `min(r_a + r_b, d_rest)` (Cincotti, tip 2).
    #[default]
    Limit,
    /// They do not collide at all (NvCloth): radii may then exceed half the spacing of the vertices.
    Cull,
}

/// What [`ParticleRules`] are made of.
#[derive(Clone, Copy, Debug)]
pub struct ParticleRulesDesc<'a> {
    /// Rest positions (m), one a vertex.
    pub rest: &'a [Point3<f32>],
    /// What becomes of vertices that rest near each other.
    pub rule: RestRule,
    /// Which vertices collide, one entry a vertex; empty if all do.
    pub collides: &'a [bool],
}

/// Which vertices of a surface may collide as balls, and at which distance.
#[derive(Clone, Debug, Default)]
pub struct ParticleRules {
    pub(crate) rest: Vec<Point3<f32>>,
    rule: RestRule,
    collides: Vec<bool>,
    /// The vertices that collide with any others, ascending.
    pub(crate) active: Vec<u32>,
    /// The group of each of them.
    pub(crate) groups: Vec<u16>,
}

impl ParticleRules {
    /// Rules for the vertices of a surface.
    ///
    /// # Errors
    /// If the length of a list is not the number of vertices, or a rest position is not finite.
    pub fn new(surface: &Surface, desc: &ParticleRulesDesc<'_>) -> Result<Self, SurfaceError> {
        let expected = surface.vertex_count();
        let length = |name, got| SurfaceError::Length { name, got, expected };
        if desc.rest.len() != expected {
            return Err(length("rest", desc.rest.len()));
        }
        if !(desc.collides.is_empty() || desc.collides.len() == expected) {
            return Err(length("collides", desc.collides.len()));
        }
        if let Some(v) = desc.rest.iter().position(|p| !p.iter().all(|c| c.is_finite())) {
            return Err(SurfaceError::Rest(v));
        }
        let group = |v: u32| surface.groups.of_vertex[v as usize];
        let meets = surface.groups.groups_of_particles();
        let collides = |v: u32| desc.collides.get(v as usize).copied().unwrap_or(true);
        let active: Vec<u32> =
            (0..expected as u32).filter(|&v| collides(v) && meets[usize::from(group(v))]).collect();
        Ok(Self {
            rest: desc.rest.to_vec(),
            rule: desc.rule,
            collides: (0..expected as u32).map(collides).collect(),
            groups: active.iter().map(|&v| group(v)).collect(),
            active,
        })
    }

    /// The contact distance (m) of two vertices; `None` if they do not collide.
    #[must_use]
    pub fn distance(&self, surface: &Surface, a: u32, b: u32) -> Option<f32> {
        let collides = |v: u32| self.collides.get(v as usize) == Some(&true);
        if a == b || !collides(a) || !collides(b) || !surface.particles_interact(a, b) {
            return None;
        }
        if surface.excluded(&[a], &[b]) {
            return None;
        }
        let contact = surface.contact_distance(a, b);
        if self.rule == RestRule::Ignore || !surface.same_part(a, b) {
            return Some(contact);
        }
        let rest = (self.rest[b as usize] - self.rest[a as usize]).norm();
        match self.rule {
            RestRule::Cull => (rest > contact).then_some(contact),
            _ => Some(contact.min(rest)),
        }
    }
}
