//! Regions and interactions as given by the caller, for independent checks that derive from them which pairs
//! may collide.

use crate::regions::Regions;
use crate::{Interaction, Interactions, Surface};

/// Regions and their table as given.
#[derive(Clone, Debug, Default)]
pub(crate) struct AuthoredRegions {
    region_of_face: Vec<u16>,
    region_of_vertex: Vec<u16>,
    interactions: Option<Interactions>,
}

impl AuthoredRegions {
    pub(crate) fn new(regions: &Regions<'_>) -> Self {
        Self {
            region_of_face: regions.of_face.to_vec(),
            region_of_vertex: regions.of_vertex.to_vec(),
            interactions: regions.interactions.cloned(),
        }
    }
}

impl Surface {
    /// The part (cloth or body) of a vertex; `None` if the id is out of range.
    #[must_use]
    pub fn part_of_vertex(&self, vertex: u32) -> Option<u16> {
        self.part.get(vertex as usize).copied()
    }

    /// The region of a face as given; 0 by default.
    #[must_use]
    pub fn region_of_face(&self, face: u32) -> u16 {
        self.authored_regions.region_of_face.get(face as usize).copied().unwrap_or(0)
    }

    /// The region given for a vertex without faces; 0 by default. Other vertices belong to the regions of
    /// their faces.
    #[must_use]
    pub fn region_of_lone_vertex(&self, vertex: u32) -> u16 {
        self.authored_regions.region_of_vertex.get(vertex as usize).copied().unwrap_or(0)
    }

    /// The interaction of two regions as given.
    #[must_use]
    pub fn interaction(&self, a: u16, b: u16) -> Interaction {
        self.authored_regions.interactions.as_ref().map_or(Interaction::FullMesh, |table| table.between(a, b))
    }

    /// Pairs of vertices whose primitives do not collide (stitches and authored exclusions), sorted, each
    /// with the smaller id first.
    #[must_use]
    pub fn exclusions(&self) -> &[[u32; 2]] {
        &self.exclusions
    }
}
