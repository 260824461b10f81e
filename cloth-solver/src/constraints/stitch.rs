//! Stitches: keep a vertex on a point of an edge, rigidly.
//!
//! The vector constraint `x_v - (1 - r) x_a - r x_b = 0` has the same weights in all three components, so
//! they are solved together; the weights sum to zero, so momentum is conserved.

use super::{BetweenLevels, ClothInput, Constraint, Pass, SceneInput};
use crate::bodies::{Bodies, movable};
use crate::colouring::coloured;

/// One stitch.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct StitchConstraint {
    pub(crate) v: [u32; 3],
    pub(crate) ratio: f32,
}

impl Constraint for Vec<StitchConstraint> {
    fn add_cloth(&mut self, cloth: &ClothInput<'_>) {
        self.extend(cloth.cloth.stitches.iter().map(|s| StitchConstraint {
            v: [s.vertex, s.edge[0], s.edge[1]].map(|v| cloth.shift(v)),
            ratio: s.ratio,
        }));
    }

    fn finish(&mut self, scene: &SceneInput<'_>) {
        *self = coloured(scene.rest.len(), self, |s| s.v);
    }

    fn project(&mut self, bodies: &mut Bodies<'_>, _: Pass, _: BetweenLevels<'_>) {
        for stitch in self {
            let v = stitch.v.map(|v| v as usize);
            let k = [1.0, stitch.ratio - 1.0, -stitch.ratio];
            let apart = movable(&(bodies.x[v[0]] + bodies.x[v[1]] * k[1] + bodies.x[v[2]] * k[2]), 0.0);
            let weight: f32 = (0..3).map(|i| bodies.w[v[i]] * k[i] * k[i]).sum();
            if weight > 0.0 {
                for i in 0..3 {
                    bodies.x[v[i]] -= apart * (bodies.w[v[i]] * k[i] / weight);
                }
            }
        }
    }
}
