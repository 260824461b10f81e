//! The contacts of a step.

use crate::{EdgeEdge, PointTriangle};

/// The contacts of one step, in canonical order.
#[derive(Clone, Debug, Default, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Contacts {
    /// Vertex against face, by (vertex, face).
    pub point_triangles: Vec<PointTriangle>,
    /// Edge against edge, by (edge, edge).
    pub edge_edges: Vec<EdgeEdge>,
}

impl Contacts {
    /// How many contacts there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.point_triangles.len() + self.edge_edges.len()
    }

    /// Whether there are no contacts.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Removes all contacts, keeping the allocations.
    pub fn clear(&mut self) {
        self.point_triangles.clear();
        self.edge_edges.clear();
    }
}
