//! Friction by cloth, body and pair: rules of the scene, and the table that the solver reads.
//!
//! The coefficient of a contact is that of the pair, if one is set. Otherwise it follows from those of the
//! two parts: their mean, as rigid-body engines combine them by default; that of one if only one is set; and
//! [`Settings::self_friction`](crate::Settings::self_friction) if neither is. A collider always has one
//! ([`Collider::friction`](crate::Collider::friction)).

use crate::assets::Part;
use crate::{BuildError, ClothId, ColliderId, MeshBodyId, SimulationBuilder};

/// A cloth, mesh body or collider, as a part of a contact.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
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

fn check(coefficient: f32) -> Result<(), BuildError> {
    let is_valid = coefficient.is_finite() && coefficient >= 0.0;
    let requirement = "finite and not negative";
    if is_valid {
        Ok(())
    } else {
        Err(BuildError::Setting { name: "friction", value: coefficient, requirement })
    }
}

impl SimulationBuilder {
    /// Sets the Coulomb friction coefficient of a part. Between two parts it is the mean of both, or that of
    /// one if only one is set; between cloths and bodies without any it is
    /// [`Settings::self_friction`](crate::Settings::self_friction).
    ///
    /// # Errors
    /// If there is no such part, or if the coefficient is negative or not finite.
    pub fn set_friction(
        &mut self,
        part: impl Into<FrictionPart>,
        coefficient: f32,
    ) -> Result<(), BuildError> {
        let part = part.into();
        self.check_part(part)?;
        check(coefficient)?;
        match part {
            FrictionPart::Collider(id) => {
                let collider = self.colliders.get_mut(id.0);
                collider.into_iter().for_each(|collider| collider.friction = coefficient);
            }
            _ => set(&mut self.friction.parts, part, coefficient),
        }
        Ok(())
    }

    /// Sets the Coulomb friction coefficient of a pair of parts, in either order, whatever the two have
    /// alone. Both may be the same cloth. At least one has to be a cloth for it to have an effect.
    ///
    /// # Errors
    /// If there is no such part, or if the coefficient is negative or not finite.
    pub fn set_pair_friction(
        &mut self,
        a: impl Into<FrictionPart>,
        b: impl Into<FrictionPart>,
        coefficient: f32,
    ) -> Result<(), BuildError> {
        let (a, b) = (a.into(), b.into());
        self.check_part(a)?;
        self.check_part(b)?;
        check(coefficient)?;
        set(&mut self.friction.pairs, [a.min(b), a.max(b)], coefficient);
        Ok(())
    }

    fn check_part(&self, part: FrictionPart) -> Result<(), BuildError> {
        let (what, index, is_there, count) = match part {
            FrictionPart::Cloth(ClothId(id)) => {
                ("cloth", id, self.cloths.index(id).is_some(), self.cloths.len())
            }
            FrictionPart::Body(MeshBodyId(id)) => {
                ("mesh body", id, self.bodies.index(id).is_some(), self.bodies.len())
            }
            FrictionPart::Collider(ColliderId(id)) => {
                ("collider", id, self.colliders.index(id).is_some(), self.colliders.len())
            }
        };
        if is_there { Ok(()) } else { Err(BuildError::not_found(what, index, count)) }
    }

    /// The parts in the order of the common arrays: cloths, mesh bodies, axes of guarded colliders.
    fn parts(&self) -> impl Iterator<Item = FrictionPart> {
        let cloths = self.cloths.iter().map(|(id, _)| FrictionPart::Cloth(ClothId(id)));
        let bodies = self.bodies.iter().map(|(id, _)| FrictionPart::Body(MeshBodyId(id)));
        let axes = self.guarded().map(|(id, _)| FrictionPart::Collider(ColliderId(id)));
        cloths.chain(bodies).chain(axes)
    }

    /// The coefficient of a part alone; `None` if it has none.
    fn own_friction(&self, part: FrictionPart) -> Option<f32> {
        match part {
            FrictionPart::Collider(id) => self.colliders.get(id.0).map(|collider| collider.friction),
            _ => self.friction.part(part),
        }
    }

    /// Whether every contact of cloth has the same coefficient.
    fn has_one_friction(&self) -> bool {
        self.friction.parts.is_empty() && self.friction.pairs.is_empty() && self.guarded().next().is_none()
    }
}

/// The coefficient of every contact of a step.
#[derive(Clone, Debug, Default)]
pub(crate) struct FrictionTable {
    /// Without rules: of all contacts between cloth.
    default: f32,
    /// Where the vertices of each part end; empty without rules.
    ends: Vec<u32>,
    /// By pair of parts.
    pairs: Vec<f32>,
    /// By part and collider; NaN for the collider's own.
    colliders: Vec<f32>,
    collider_count: usize,
}

impl FrictionTable {
    /// Computes the table; allocates nothing if the scene has as many parts as before.
    pub(crate) fn update(&mut self, scene: &SimulationBuilder, parts: &[Part]) {
        let rules = &scene.friction;
        self.default = scene.settings.self_friction;
        self.ends.clear();
        self.pairs.clear();
        self.colliders.clear();
        if scene.has_one_friction() {
            return;
        }
        self.collider_count = scene.colliders.len();
        self.ends.extend(parts.iter().map(|part| part.vertices.end as u32));
        let combined = |a, b| match (scene.own_friction(a), scene.own_friction(b)) {
            (Some(a), Some(b)) => 0.5 * (a + b),
            (Some(one), None) | (None, Some(one)) => one,
            (None, None) => self.default,
        };
        for a in scene.parts() {
            self.pairs.extend(scene.parts().map(|b| rules.pair(a, b).unwrap_or_else(|| combined(a, b))));
            self.colliders.extend(scene.colliders.iter().map(|(id, collider)| {
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
