//! Pull constraint: moves the edge of an intersection relative to its face within the substep.
//!
//! An inequality, as a contact is: `d . (x_e - x_f) >= wanted`, of the displacement since the start of the
//! substep. What has moved far enough is unchanged, so constraints of successive substeps do not add up to
//! speed.

use nalgebra::Vector3;

use crate::bodies::{Bodies, Packed, dot, packed};

/// The target displacement of an edge relative to a face.
#[derive(Clone, Copy, Debug)]
pub(crate) struct PullConstraint {
    vertices: [u32; 5],
    /// Weights of the intersection point: positive on the edge, negative on the face; they sum to zero.
    weights: [f32; 5],
    direction: Packed,
    /// Target displacement (m) in this substep.
    wanted: f32,
}

impl PullConstraint {
    /// A constraint on the two ends of an edge and the three corners of a face, along a unit direction.
    pub(super) fn new(vertices: [u32; 5], weights: [f32; 5], direction: Vector3<f32>, wanted: f32) -> Self {
        Self { vertices, weights, direction: packed(&direction), wanted }
    }

    /// Moves the five vertices until the target displacement is reached; immovable ones stay.
    pub(crate) fn project(&self, bodies: &mut Bodies<'_>) {
        let (mut gone, mut yields) = (0.0, 0.0);
        for (&v, weight) in self.vertices.iter().zip(self.weights) {
            let v = v as usize;
            gone += dot(&self.direction, &(bodies.x[v] - bodies.x_t0[v])) * weight;
            yields += bodies.w[v] * weight * weight;
        }
        let missing = self.wanted - gone;
        if missing > 0.0 && yields > 0.0 {
            for (&v, weight) in self.vertices.iter().zip(self.weights) {
                let v = v as usize;
                bodies.x[v] += self.direction * (missing * bodies.w[v] * weight / yields);
            }
        }
    }
}
