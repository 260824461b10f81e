//! The predicted motion of a step.

use cloth_geom::MapInline;
use nalgebra::{Point3, Vector3};

use crate::{edge_edge, point_triangle};

/// Positions at the start of a step (m) and predicted displacements (m), one each per vertex.
#[derive(Clone, Copy, Debug)]
pub struct Motion<'a> {
    /// Positions at the start of the step.
    pub positions: &'a [Point3<f32>],
    /// Displacements (m): velocity times the duration of the step.
    pub displacements: &'a [Vector3<f32>],
}

impl<'a> Motion<'a> {
    #[inline]
    pub(crate) fn point_triangle(
        &self,
        vertex: u32,
        corners: [u32; 3],
    ) -> point_triangle::PointTriangleQuery<'a> {
        point_triangle::PointTriangleQuery {
            p: &self.positions[vertex as usize],
            d: &self.displacements[vertex as usize],
            corners: corners.map_inline(|v| &self.positions[v as usize]),
            displacements: corners.map_inline(|v| &self.displacements[v as usize]),
        }
    }

    #[inline]
    pub(crate) fn edge_edge(&self, a: [u32; 2], b: [u32; 2]) -> edge_edge::EdgeEdgeQuery<'a> {
        edge_edge::EdgeEdgeQuery {
            a: a.map_inline(|v| &self.positions[v as usize]),
            b: b.map_inline(|v| &self.positions[v as usize]),
            a_displacements: a.map_inline(|v| &self.displacements[v as usize]),
            b_displacements: b.map_inline(|v| &self.displacements[v as usize]),
        }
    }
}
