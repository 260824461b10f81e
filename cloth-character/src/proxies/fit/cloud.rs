//! What the shapes of one bone are fitted to, and what a misfit costs.

use cloth_geom::Aabb;
use nalgebra::Point3;

use super::super::{Tolerances, WorldProxy, world::Taper};

/// A point of the skin and what it costs to miss it.
#[derive(Clone, Copy, Debug)]
pub(super) struct CloudPoint {
    pub(super) position: Point3<f64>,
    /// The weight of its undercut; 0 for the skin of other bones.
    pub(super) undercut: f64,
    /// The weight of its excess; 0 for vertices, which may be dense anywhere.
    pub(super) excess: f64,
}

/// The points of one bone and those of other bones near it.
#[derive(Clone, Debug)]
pub(super) struct Cloud {
    pub(super) points: Vec<CloudPoint>,
    pub(super) cost: Cost,
    /// Where centres may be: without a bound, a shape can grow a spike between the points in free space.
    pub(super) room: Aabb,
}

/// The cost of a depth below the surface of the shapes.
///
/// It is the loss of a quantile: where a share `c` of the points is covered at the minimum, an undercut
/// weighs `c / (1 - c)` times an excess. Beyond part of its tolerance each grows quadratically.
#[derive(Clone, Copy, Debug)]
pub(super) struct Cost {
    undercut_factor: f64,
    /// From where on the square of the excess counts, m, and its factor, 1/m.
    soft_excess: [f64; 2],
    /// The same for the undercut.
    soft_undercut: [f64; 2],
}

/// The share of a tolerance from which on the square counts.
const SOFT: f64 = 0.6;

/// The factor of the square, relative to the inverse of the tolerance.
const STEEPNESS: f64 = 4.0;

/// The factor of undercut for a coverage of 1, which would be infinite.
const MAX_FACTOR: f64 = 1000.0;

impl Cost {
    /// The cost for a character of this height.
    pub(super) fn new(tolerances: &Tolerances, height: f64) -> Self {
        let height = if height > 0.0 { height } else { 1.0 };
        let soft = |tolerance: f64| {
            let tolerance = (tolerance * height).max(f64::MIN_POSITIVE);
            [SOFT * tolerance, (STEEPNESS / tolerance).min(f64::MAX)]
        };
        let odds = tolerances.coverage / (1.0 - tolerances.coverage);
        Self {
            undercut_factor: odds.clamp(1.0, MAX_FACTOR),
            soft_excess: soft(tolerances.excess),
            soft_undercut: soft(tolerances.undercut),
        }
    }

    #[inline]
    pub(super) fn of_point(&self, point: &CloudPoint, depth: f64) -> f64 {
        let (weight, length, [from, factor]) = if depth >= 0.0 {
            (point.excess, depth, self.soft_excess)
        } else {
            (point.undercut * self.undercut_factor, -depth, self.soft_undercut)
        };
        let beyond = (length - from).max(0.0);
        weight * (length + factor * beyond * beyond)
    }
}

impl Cloud {
    /// Of each point the depth below the surface of the shapes; negative outside of all of them, minus
    /// infinity without any.
    pub(super) fn depths<'a>(&self, shapes: impl IntoIterator<Item = &'a WorldProxy>) -> Vec<f64> {
        let mut depths = vec![f64::NEG_INFINITY; self.points.len()];
        for shape in shapes {
            let taper = Taper::new(shape);
            for (depth, point) in depths.iter_mut().zip(&self.points) {
                *depth = depth.max(-taper.signed_distance(&point.position));
            }
        }
        depths
    }

    /// The cost of one shape with others in place, which reach the depths `others`; stops early above
    /// `limit`.
    pub(super) fn cost_with(&self, shape: &WorldProxy, others: &[f64], limit: f64) -> f64 {
        let taper = Taper::new(shape);
        let mut sum = 0.0;
        for (points, others) in self.points.chunks(32).zip(others.chunks(32)) {
            for (point, other) in points.iter().zip(others) {
                let depth = other.max(-taper.signed_distance(&point.position));
                sum += self.cost.of_point(point, depth);
            }
            if sum > limit {
                return sum;
            }
        }
        sum
    }

    /// The cost of all shapes of the bone together.
    pub(super) fn cost_of(&self, shapes: &[WorldProxy]) -> f64 {
        let depths = self.depths(shapes);
        self.points.iter().zip(&depths).map(|(point, &depth)| self.cost.of_point(point, depth)).sum()
    }
}
