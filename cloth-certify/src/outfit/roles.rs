//! Which parts are cloth and which are bodies, and what a pair of primitives belongs to.

use std::ops::Add;

use cloth_geom::Topology;

use crate::MeshError;

/// What two primitives that meet belong to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum PairKind {
    /// Both to one cloth.
    ClothSelf,
    /// To two cloths.
    ClothCloth,
    /// To a cloth and a body.
    ClothBody,
    /// Both to one body.
    BodySelf,
    /// To two bodies.
    BodyBody,
}

impl PairKind {
    /// All of them, in order.
    pub const ALL: [Self; 5] =
        [Self::ClothSelf, Self::ClothCloth, Self::ClothBody, Self::BodySelf, Self::BodyBody];

    /// Whether cloth is in it.
    #[must_use]
    pub fn has_cloth(self) -> bool {
        matches!(self, Self::ClothSelf | Self::ClothCloth | Self::ClothBody)
    }

    /// In words.
    #[must_use]
    pub fn in_words(self) -> &'static str {
        match self {
            Self::ClothSelf => "cloth with itself",
            Self::ClothCloth => "cloth with cloth",
            Self::ClothBody => "cloth with body",
            Self::BodySelf => "body with itself",
            Self::BodyBody => "body with body",
        }
    }
}

/// How many pairs there are of each kind.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct KindCounts {
    /// Of one cloth.
    pub cloth_self: usize,
    /// Of two cloths.
    pub cloth_cloth: usize,
    /// Of a cloth and a body.
    pub cloth_body: usize,
    /// Of one body.
    pub body_self: usize,
    /// Of two bodies.
    pub body_body: usize,
}

impl KindCounts {
    /// Those of a kind.
    #[must_use]
    pub fn of(&self, kind: PairKind) -> usize {
        match kind {
            PairKind::ClothSelf => self.cloth_self,
            PairKind::ClothCloth => self.cloth_cloth,
            PairKind::ClothBody => self.cloth_body,
            PairKind::BodySelf => self.body_self,
            PairKind::BodyBody => self.body_body,
        }
    }

    /// Counts a pair.
    pub fn count(&mut self, kind: PairKind) {
        *match kind {
            PairKind::ClothSelf => &mut self.cloth_self,
            PairKind::ClothCloth => &mut self.cloth_cloth,
            PairKind::ClothBody => &mut self.cloth_body,
            PairKind::BodySelf => &mut self.body_self,
            PairKind::BodyBody => &mut self.body_body,
        } += 1;
    }

    /// Those with cloth in them.
    #[must_use]
    pub fn with_cloth(&self) -> usize {
        self.cloth_self + self.cloth_cloth + self.cloth_body
    }

    /// All of them.
    #[must_use]
    pub fn total(&self) -> usize {
        self.with_cloth() + self.body_self + self.body_body
    }
}

impl Add for KindCounts {
    type Output = Self;

    fn add(self, other: Self) -> Self {
        Self {
            cloth_self: self.cloth_self + other.cloth_self,
            cloth_cloth: self.cloth_cloth + other.cloth_cloth,
            cloth_body: self.cloth_body + other.cloth_body,
            body_self: self.body_self + other.body_self,
            body_body: self.body_body + other.body_body,
        }
    }
}

impl FromIterator<PairKind> for KindCounts {
    fn from_iter<I: IntoIterator<Item = PairKind>>(kinds: I) -> Self {
        let mut counts = Self::default();
        kinds.into_iter().for_each(|kind| counts.count(kind));
        counts
    }
}

/// Of which part each vertex is, and which parts are bodies.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Roles {
    part: Vec<u16>,
    is_body: Vec<bool>,
}

impl Roles {
    /// `part` has an entry a vertex, from 0, and `is_body` one a part.
    ///
    /// # Errors
    /// If a vertex is of a part that `is_body` does not have.
    pub fn new(part: Vec<u16>, is_body: Vec<bool>) -> Result<Self, MeshError> {
        let missing = part.iter().position(|&part| usize::from(part) >= is_body.len());
        if let Some(vertex) = missing {
            let (part, count) = (part[vertex], is_body.len());
            return Err(MeshError::Part { vertex, part, name: "is_body", count });
        }
        Ok(Self { part, is_body })
    }

    /// Number of vertices.
    #[must_use]
    pub fn vertex_count(&self) -> usize {
        self.part.len()
    }

    /// The part of each vertex.
    #[must_use]
    pub fn parts(&self) -> &[u16] {
        &self.part
    }

    /// Whether each part is a body.
    #[must_use]
    pub fn is_body(&self) -> &[bool] {
        &self.is_body
    }

    /// Whether a vertex is of a body.
    ///
    /// # Panics
    /// If there is no such vertex.
    #[must_use]
    pub fn is_of_body(&self, vertex: u32) -> bool {
        self.is_body[usize::from(self.part[vertex as usize])]
    }

    /// What two primitives belong to, of each of which one vertex is named.
    ///
    /// # Panics
    /// If there is no such vertex.
    #[must_use]
    pub fn kind(&self, a: u32, b: u32) -> PairKind {
        let is_one = self.part[a as usize] == self.part[b as usize];
        match (self.is_of_body(a), self.is_of_body(b), is_one) {
            (false, false, true) => PairKind::ClothSelf,
            (false, false, false) => PairKind::ClothCloth,
            (true, true, true) => PairKind::BodySelf,
            (true, true, false) => PairKind::BodyBody,
            _ => PairKind::ClothBody,
        }
    }
    /// The faces of cloth behind these `[edge, face]` that meet, of which one is of cloth and the other of a
    /// body; ascending.
    ///
    /// # Panics
    /// If there is no such edge, face or vertex.
    #[must_use]
    pub fn crossing_faces(&self, pairs: impl IntoIterator<Item = [u32; 2]>, topology: &Topology) -> Vec<u32> {
        let mut crossing = Vec::new();
        for [edge, face] in pairs {
            let [end, _] = topology.edges()[edge as usize];
            match (self.is_of_body(end), self.is_of_body(topology.faces()[face as usize][0])) {
                (true, false) => crossing.push(face),
                (false, true) => crossing.extend_from_slice(topology.edge_faces(edge as usize)),
                _ => {}
            }
        }
        crossing.sort_unstable();
        crossing.dedup();
        crossing
    }
}
