//! Projection of vertices along a view direction, with rounding error bounds.
//!
//! A view is a matrix of two rows; its direction is the exact kernel `rows[0] x rows[1]` of the matrix as
//! stored. The direction therefore has no error, only the product has, with one bound for a whole contour.
//! The rows need not be orthogonal: an affine map does not change whether a curve is simple or star-shaped.

use nalgebra::{Point3, Vector2, Vector3};

/// Relative bound on a coordinate: a difference, a product and two sums make 4 units roundoff `2^-53`, and as
/// many are left for the bound's own roundings.
const ROUNDING: f64 = 4.0 * f64::EPSILON;

/// A view along `rows[0] x rows[1]`, which a positive normal product means to face.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct View {
    rows: [Vector3<f64>; 2],
}

impl View {
    /// The view with the given axes; they must not be parallel.
    #[must_use]
    pub(super) fn with_axes(rows: [Vector3<f64>; 2]) -> Self {
        Self { rows }
    }

    /// A view whose exact direction differs from `direction`, of unit length, by some roundings.
    #[must_use]
    pub(super) fn along(direction: &Vector3<f64>) -> Self {
        let side = direction.cross(&Vector3::ith(direction.iamin(), 1.0)).normalize();
        Self { rows: [side, direction.cross(&side)] }
    }

    /// Draws the closed curve through the vertices; `border` names positions that exist.
    pub(super) fn draw(&self, border: &[u32], positions: &[Point3<f64>], contour: &mut Contour) {
        contour.points.clear();
        let Some(&first) = border.first() else { return };
        let origin = positions[first as usize];
        let mut reach = 0.0f64;
        contour.points.extend(border.iter().map(|&v| {
            let offset = positions[v as usize] - origin;
            reach = reach.max(offset.amax());
            Vector2::new(self.rows[0].dot(&offset), self.rows[1].dot(&offset))
        }));
        let [a, b] = self.rows.map(|row| row.abs().sum());
        contour.error = ROUNDING * (a.max(b) * reach) + f64::MIN_POSITIVE;
    }
}

/// A closed curve in a view: points in order, each coordinate within `error` of the exact projection.
#[derive(Clone, Debug, Default)]
pub struct Contour {
    pub(super) points: Vec<Vector2<f64>>,
    pub(super) error: f64,
    /// Room for the tests of the curve.
    pub(super) scratch: Scratch,
}

/// Working memory.
#[derive(Clone, Debug, Default)]
pub(super) struct Scratch {
    pub(super) polygons: [Vec<Vector2<f64>>; 2],
    pub(super) order: Vec<u32>,
}

impl Contour {
    /// A bound, for rounded differences of which no coordinate exceeds `reach` and each is within `error` of
    /// the truth: what a cross or dot product of two exceeds has the sign that it seems to have, and keeps it
    /// while either difference moves by `error`.
    ///
    /// Four products `reach * error`, two `error^2`, and `6 * 2^-53` of `reach^2` for two products and a sum.
    pub(super) fn product_bound(reach: f64, error: f64) -> f64 {
        8.0 * (reach * error)
            + 4.0 * (error * error)
            + 4.0 * f64::EPSILON * (reach * reach)
            + f64::MIN_POSITIVE
    }
}

/// `a x b`.
#[inline]
pub(super) fn cross(a: Vector2<f64>, b: Vector2<f64>) -> f64 {
    a.x * b.y - a.y * b.x
}

#[cfg(test)]
impl Contour {
    /// A contour of exact points.
    pub(super) fn through(points: &[[f64; 2]]) -> Self {
        Self { points: points.iter().map(|&p| p.into()).collect(), ..Self::default() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn the_product_bound_covers_all_errors_and_is_at_most_threefold() {
        let bound = Contour::product_bound;
        for (reach, error) in [(1.0, 0.0), (1e3, 0.0), (1e-3, 1e-6), (1e3, 1e3), (0.0, 1.0)] {
            let least = 4.0 * reach * error + 2.0 * error * error + 3.0 * f64::EPSILON * reach * reach;
            assert!((least..=3.0 * least).contains(&bound(reach, error)), "{reach} {error}");
        }
    }

    proptest! {
        #[test]
        fn a_coordinate_is_as_near_to_the_truth_as_the_contour_says(
            points in proptest::collection::vec(proptest::array::uniform3(-1000i32..1000), 3),
            direction in proptest::array::uniform3(-1.0..1.0f64),
            scale in prop_oneof![Just(1.0), Just(0.1), Just(1e-7), Just(3e5)],
            offset in prop_oneof![Just(0.0), Just(1e6)],
        ) {
            let direction = Vector3::from(direction);
            prop_assume!(direction.norm() > 0.1);
            let view = View::along(&direction.normalize());
            let positions: Vec<Point3<f64>> =
                points.iter().map(|p| Point3::from(p.map(|c| f64::from(c) * scale + offset))).collect();
            let mut contour = Contour::default();
            view.draw(&[0, 1, 2], &positions, &mut contour);
            for (point, position) in contour.points.iter().zip(&positions) {
                for (row, seen) in view.rows.iter().zip([point.x, point.y]) {
                    prop_assert!((exact_product(row, position, &positions[0], seen)).abs() <= contour.error);
                }
            }
        }
    }

    /// `row . (p - origin) - seen`, with twice the digits: differences and products are split without error.
    fn exact_product(row: &Vector3<f64>, p: &Point3<f64>, origin: &Point3<f64>, seen: f64) -> f64 {
        let mut parts = vec![-seen];
        for k in 0..3 {
            for (factor, sign) in [(p[k], 1.0), (origin[k], -1.0)] {
                let high = row[k] * factor;
                parts.push(sign * high);
                parts.push(sign * row[k].mul_add(factor, -high));
            }
        }
        // Cancelling sums are exact in the order of size.
        let mut sum = 0.0;
        let mut lost = 0.0;
        parts.sort_by(|a, b| b.abs().total_cmp(&a.abs()));
        for part in parts {
            let next = sum + part;
            let back = next - sum;
            lost += (sum - (next - back)) + (part - back);
            sum = next;
        }
        sum + lost
    }

    #[test]
    fn a_view_along_a_direction_turns_as_the_direction_says() {
        for d in [Vector3::x(), -Vector3::y(), Vector3::new(1.0, -2.0, 0.5).normalize()] {
            let [a, b] = View::along(&d).rows;
            assert!((a.cross(&b) - d).norm() < 1e-15);
        }
    }
}
