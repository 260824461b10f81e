//! What the author of a surface said, as it was said: for those who derive from it what may meet by means of their own.

use crate::regions::Regions;
use crate::{Interaction, Interactions, Surface};

/// Regions and their table as they were given.
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
    /// The part (cloth or body) of a vertex; `None` for a vertex that the surface does not have.
    #[must_use]
    pub fn part_of_vertex(&self, vertex: u32) -> Option<u16> {
        self.part.get(vertex as usize).copied()
    }

    /// The region that a face was given to; 0 if none was named.
    #[must_use]
    pub fn region_of_face(&self, face: u32) -> u16 {
        self.authored_regions.region_of_face.get(face as usize).copied().unwrap_or(0)
    }

    /// The region that a vertex without a face was given to; 0 if none was named. A vertex with faces is of theirs.
    #[must_use]
    pub fn region_of_lone_vertex(&self, vertex: u32) -> u16 {
        self.authored_regions.region_of_vertex.get(vertex as usize).copied().unwrap_or(0)
    }

    /// How two regions interact, as the table was given.
    #[must_use]
    pub fn interaction(&self, a: u16, b: u16) -> Interaction {
        self.authored_regions.interactions.as_ref().map_or(Interaction::FullMesh, |table| table.between(a, b))
    }

    /// The pairs of vertices whose primitives do not collide (stitches and authored exclusions), each with the lesser vertex
    /// first, ascending.
    #[must_use]
    pub fn exclusions(&self) -> &[[u32; 2]] {
        &self.exclusions
    }
}
