//! Axis-aligned boxes with exact bounds; the only place where a box is rounded, and always outward.
//!
//! The bounds of points are exact, for `f32` and `f64` alike: taking a minimum rounds nothing. Only an
//! inflation rounds, and it rounds outward, so a box never loses a point that belongs to it.

use nalgebra::Point3;

/// A closed axis-aligned box with `f64` bounds (m).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Aabb {
    /// Least corner.
    pub min: Point3<f64>,
    /// Greatest corner.
    pub max: Point3<f64>,
}

impl Aabb {
    /// The box of no points: the identity of [`Aabb::union`].
    pub const EMPTY: Self = Self {
        min: Point3::new(f64::INFINITY, f64::INFINITY, f64::INFINITY),
        max: Point3::new(f64::NEG_INFINITY, f64::NEG_INFINITY, f64::NEG_INFINITY),
    };

    /// The exact bounds of some points. A NaN coordinate makes the box invalid, see [`Aabb::is_finite`].
    #[must_use]
    pub fn of_points(points: impl IntoIterator<Item = Point3<f64>>) -> Self {
        points.into_iter().fold(Self::EMPTY, Self::with_point)
    }

    /// The smallest box that contains this one and a point. NaN is propagated.
    #[must_use]
    pub fn with_point(self, p: Point3<f64>) -> Self {
        self.union(Self { min: p, max: p })
    }

    /// The smallest box that contains both. NaN is propagated.
    #[must_use]
    pub fn union(self, other: Self) -> Self {
        let pick = |keep_b: fn(&f64, &f64) -> bool, a: Point3<f64>, b: Point3<f64>| {
            Point3::from(a.coords.zip_map(&b.coords, |a, b| if keep_b(&b, &a) || b.is_nan() { b } else { a }))
        };
        Self { min: pick(f64::lt, self.min, other.min), max: pick(f64::gt, self.max, other.max) }
    }

    /// The box grown by `margin` (m) on every side, rounded outward.
    ///
    /// A zero margin changes nothing. The result contains every point within `margin` of the box in each
    /// coordinate: each bound moves one `f64` farther out than the rounded sum.
    #[must_use]
    pub fn inflated(self, margin: f64) -> Self {
        if margin == 0.0 {
            return self;
        }
        Self {
            min: self.min.map(|c| (c - margin).next_down()),
            max: self.max.map(|c| (c + margin).next_up()),
        }
    }

    /// Whether the closed boxes have a point in common.
    #[inline]
    #[must_use]
    pub fn overlaps(&self, other: &Self) -> bool {
        (0..3).all(|k| self.min[k] <= other.max[k] && other.min[k] <= self.max[k])
    }

    /// Whether the closed box contains the point.
    #[must_use]
    pub fn contains(&self, p: &Point3<f64>) -> bool {
        (0..3).all(|k| self.min[k] <= p[k] && p[k] <= self.max[k])
    }

    /// Whether all bounds are finite and ordered: false for the empty box and for any NaN.
    #[must_use]
    pub fn is_finite(&self) -> bool {
        (0..3).all(|k| self.min[k].is_finite() && self.max[k].is_finite() && self.min[k] <= self.max[k])
    }
}
