//! Pull constraint: moves the edge of an intersection relative to its face within the substep.
//!
//! An inequality, as a contact is: `d . (x_e - x_f) >= wanted`, of the displacement since the start of the
//! substep. What has moved far enough is unchanged, so constraints of successive substeps do not add up to
//! speed.

use nalgebra::Vector3;

use crate::bodies::{Bodies, Packed, dot, packed};

/// How far a vertex may go at most, in units of what is missing. Of movable vertices with equal masses none has to
/// go farther than 1.4.
const MOST: f32 = 2.0;

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

    /// Moves the five vertices until the target displacement is reached; immovable ones stay, and none goes
    /// farther than [`MOST`] of what is missing: where the movable ones have hardly any weight, as beside pins,
    /// they do not reach it.
    pub(crate) fn project(&self, bodies: &mut Bodies<'_>) {
        let (mut gone, mut yields, mut greatest) = (0.0, 0.0, 0.0f32);
        for (v, weight) in self.vertices.map(|v| v as usize).into_iter().zip(self.weights) {
            gone += dot(&self.direction, &(bodies.x[v] - bodies.x_t0[v])) * weight;
            yields += bodies.w[v] * weight * weight;
            greatest = greatest.max(bodies.w[v] * weight.abs());
        }
        let missing = self.wanted - gone;
        if missing > 0.0 && yields > 0.0 {
            let yields = yields.max(greatest / MOST);
            for (v, weight) in self.vertices.map(|v| v as usize).into_iter().zip(self.weights) {
                bodies.x[v] += self.direction * (missing * bodies.w[v] * weight / yields);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_vertex_of_hardly_any_weight_is_not_thrown() {
        // The end of an edge that is 1e-4 of the way from a pin; the face is pinned.
        let pull =
            PullConstraint::new([0, 1, 2, 3, 4], [1.0 - 1e-4, 1e-4, -0.25, -0.25, -0.5], Vector3::y(), 1e-3);
        let at = [Packed::zeros(); 5];
        let mut x = at;
        pull.project(&mut Bodies::without_chunks(&mut x, &at, &[0.0, 1e4, 0.0, 0.0, 0.0], 1e-3));
        assert!(x[1].y > 0.0 && x[1].y <= 2.001e-3, "{}", x[1].y);
    }
}
