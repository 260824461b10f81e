//! Axes of guarded colliders: parts of the collision surface that follow the poses of their colliders.
//!
//! The axis of a capsule is two vertices and an edge without a face, that of a sphere one vertex, and the
//! frame of a box eight vertices and twelve edges. To detection, contacts, friction and the gate it is a mesh
//! body with the radius of the collider; `docs/design/capsules.md` says why.

use std::ops::Range;

use cloth_contacts::PartShape;
use cloth_contacts::collider::{Axis, AxisEnd};
use cloth_geom::Topology;
use nalgebra::{Isometry3, Point3};

/// Largest radius (m) of an axis, in mean edges of the coarsest cloth.
///
/// Vertices that keep a distance of `R` from an axis hold the middle of an edge of length `L` at
/// `sqrt(R^2 - L^2 / 4)`, at least `0.86 R` if the shape is as thick as an edge is long. So with `0.8 L` the
/// axis of a thicker shape makes contacts only where those of vertices have failed, and costs hardly anything
/// until then.
const MAX_RADIUS_PER_EDGE: f32 = 0.8;

/// The axis of a guarded collider.
#[derive(Clone, Debug)]
pub(crate) struct ColliderAxis {
    /// The id of the collider.
    pub(crate) collider: usize,
    /// Its vertices in the common arrays.
    pub(crate) vertices: Range<usize>,
    axis: Axis,
}

impl ColliderAxis {
    pub(crate) fn new(collider: usize, axis: Axis, first_vertex: usize) -> Self {
        Self { collider, vertices: first_vertex..first_vertex + axis.ends().len(), axis }
    }

    /// Its vertices with their places (m) at a pose of the collider.
    pub(crate) fn at<'a>(
        &'a self,
        pose: &'a Isometry3<f32>,
    ) -> impl Iterator<Item = (usize, Point3<f32>)> + 'a {
        self.vertices.clone().zip(self.axis.ends()).map(move |(v, end)| (v, pose * end.at))
    }

    /// What its contacts see: radii (m) of its vertices, for cloths whose mean edges are at most `edge` (m)
    /// long.
    pub(crate) fn radii(&self, edge: f32) -> Vec<f32> {
        let radius = |end: &AxisEnd| end.radius.min(MAX_RADIUS_PER_EDGE * edge);
        self.axis.ends().iter().map(radius).collect()
    }

    /// Its shape as a part of the surface, given its rest positions and radii (m).
    pub(crate) fn shape(
        &self,
        rest: &[Point3<f32>],
        radii: Vec<f32>,
    ) -> Result<PartShape, cloth_contacts::SurfaceError> {
        PartShape::with_radii(Topology::with_loose_edges(rest.len(), &[], self.axis.edges())?, rest, radii)
    }
}
