//! Friction by cloth, body and pair: rules of the scene, and the table that the solver reads.
//!
//! The coefficient of a contact is that of the pair, if one is set. Otherwise it follows from those of the
//! two parts: their mean, as rigid-body engines combine them by default; that of one if only one is set; and
//! [`Settings::self_friction`](crate::Settings::self_friction) if neither is. A collider always has one
//! ([`Collider::friction`](crate::Collider::friction)).

use crate::registry::Registry;
use crate::{BuildError, ClothId, Collider, ColliderId, MeshBodyId};

/// A cloth, mesh body or collider, as a part of a contact.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum FrictionPart {
    /// A cloth.
    Cloth(ClothId),
    /// A mesh body.
    Body(MeshBodyId),
    /// A collider.
    Collider(ColliderId),
}

impl From<ClothId> for FrictionPart {
    fn from(id: ClothId) -> Self {
        Self::Cloth(id)
    }
}

impl From<MeshBodyId> for FrictionPart {
    fn from(id: MeshBodyId) -> Self {
        Self::Body(id)
    }
}

impl From<ColliderId> for FrictionPart {
    fn from(id: ColliderId) -> Self {
        Self::Collider(id)
    }
}

/// The coefficients that a scene sets; few, so lists.
#[derive(Clone, Debug, Default)]
pub(crate) struct FrictionRules {
    parts: Vec<(FrictionPart, f32)>,
    /// Each with its parts in ascending order.
    pairs: Vec<([FrictionPart; 2], f32)>,
}

impl FrictionRules {
    /// Forgets a part that is removed from the scene.
    pub(crate) fn remove(&mut self, part: FrictionPart) {
        self.parts.retain(|(p, _)| *p != part);
        self.pairs.retain(|(pair, _)| !pair.contains(&part));
    }

    /// Sets the coefficient of a cloth or mesh body; a collider has its own.
    pub(crate) fn set_part(&mut self, part: FrictionPart, coefficient: f32) {
        set(&mut self.parts, part, coefficient);
    }

    /// Sets the coefficient of a pair of parts, in either order.
    pub(crate) fn set_pair(&mut self, a: FrictionPart, b: FrictionPart, coefficient: f32) {
        set(&mut self.pairs, [a.min(b), a.max(b)], coefficient);
    }

    fn part(&self, part: FrictionPart) -> Option<f32> {
        self.parts.iter().find(|(p, _)| *p == part).map(|&(_, coefficient)| coefficient)
    }

    fn pair(&self, a: FrictionPart, b: FrictionPart) -> Option<f32> {
        let pair = [a.min(b), a.max(b)];
        self.pairs.iter().find(|(p, _)| *p == pair).map(|&(_, coefficient)| coefficient)
    }
}

/// Replaces the coefficient of a key, or adds it.
fn set<K: PartialEq>(rules: &mut Vec<(K, f32)>, key: K, coefficient: f32) {
    match rules.iter_mut().find(|(k, _)| *k == key) {
        Some((_, old)) => *old = coefficient,
        None => rules.push((key, coefficient)),
    }
}

/// Checks a coefficient of friction.
pub(crate) fn check_coefficient(coefficient: f32) -> Result<(), BuildError> {
    let is_valid = coefficient.is_finite() && coefficient >= 0.0;
    let requirement = "finite and not negative";
    if is_valid {
        Ok(())
    } else {
        Err(BuildError::Setting { name: "friction", value: coefficient, requirement })
    }
}

/// The coefficient of every contact of a step.
#[derive(Clone, Debug, Default)]
pub(crate) struct FrictionTable {
    /// Without rules: of all contacts between cloth.
    default: f32,
    /// Where the vertices of each part end; empty without rules.
    ends: Vec<u32>,
    /// Coefficients by pair of parts.
    pairs: Vec<f32>,
    /// By part and collider; NaN for the collider's own.
    colliders: Vec<f32>,
    collider_count: usize,
}

impl FrictionTable {
    /// Computes the table; allocates nothing if there are as many parts as before.
    ///
    /// `default` is the coefficient of contacts between cloth without rules, and `parts` those of the common
    /// arrays in their order, each with the end of its vertices.
    pub(crate) fn update(
        &mut self,
        default: f32,
        rules: &FrictionRules,
        colliders: &Registry<Collider>,
        parts: impl Iterator<Item = (FrictionPart, u32)> + Clone,
    ) {
        self.default = default;
        self.ends.clear();
        self.pairs.clear();
        self.colliders.clear();
        let guards = colliders.items().iter().any(|collider| collider.guarded_axis().is_some());
        if rules.parts.is_empty() && rules.pairs.is_empty() && !guards {
            return;
        }
        self.collider_count = colliders.len();
        self.ends.extend(parts.clone().map(|(_, end)| end));
        let parts = parts.map(|(part, _)| part);
        let own = |part| match part {
            FrictionPart::Collider(id) => colliders.get(id.0).map(|collider| collider.friction),
            _ => rules.part(part),
        };
        let combined = |a, b| match (own(a), own(b)) {
            (Some(a), Some(b)) => 0.5 * (a + b),
            (Some(one), None) | (None, Some(one)) => one,
            (None, None) => default,
        };
        for a in parts.clone() {
            self.pairs.extend(parts.clone().map(|b| rules.pair(a, b).unwrap_or_else(|| combined(a, b))));
            self.colliders.extend(colliders.iter().map(|(id, collider)| {
                let pair = rules.pair(a, FrictionPart::Collider(ColliderId(id)));
                let mean = || rules.part(a).map(|own| 0.5 * (own + collider.friction));
                pair.or_else(mean).unwrap_or(f32::NAN)
            }));
        }
    }

    /// The coefficient of a contact between two vertices.
    #[inline]
    pub(crate) fn between(&self, a: u32, b: u32) -> f32 {
        if self.ends.is_empty() {
            return self.default;
        }
        self.pairs[self.part(a) * self.ends.len() + self.part(b)]
    }

    /// The coefficient of a contact of a vertex with a collider that has `own`.
    #[inline]
    pub(crate) fn with_collider(&self, vertex: u32, collider: u32, own: f32) -> f32 {
        if self.ends.is_empty() {
            return own;
        }
        let coefficient = self.colliders[self.part(vertex) * self.collider_count + collider as usize];
        if coefficient.is_nan() { own } else { coefficient }
    }

    fn part(&self, vertex: u32) -> usize {
        self.ends.partition_point(|&end| end <= vertex)
    }

    /// One coefficient for all.
    #[cfg(test)]
    pub(crate) fn uniform(coefficient: f32) -> Self {
        Self { default: coefficient, ..Self::default() }
    }
}
