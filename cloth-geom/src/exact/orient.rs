//! On which side of a plane, or of a line in a projection, a point lies: exactly.
//!
//! The filter bounds the rounding error of `(b - a) x (c - a) . (d - a)`. With unit roundoff `e = 2^-53`,
//! Shewchuk ("Adaptive precision floating-point arithmetic", 1997, section 4.3) proves `(7 + 56 e) e` times
//! the same expression with absolute values; `8 e` leaves one `e` for the two roundings that the guard adds.
//! Each product may also lose `2^-1075` to underflow, three pairs of them multiplied by `|d - a|`: the
//! guard `2^-1022 (1 + |d - a|)` is far above that. Overflow makes the bound infinite or NaN, which decides
//! nothing.

use nalgebra::{Point3, Vector3};
use robust::{Coord, Coord3D};

use super::{Sign, reference};

/// Relative bound of the filter: 8 units roundoff, see the module.
const ROUNDING: f64 = 4.0 * f64::EPSILON;

/// Expansions neither overflow nor underflow while coordinates are zero or within these bounds.
///
/// Every part of an expansion for a product of three is a multiple of `(2^(low - 52))^3`, and the least error
/// bound is `2^-101` of that: `low >= -255` keeps both normal. The greatest value is below `2^(3 high + 8)`:
/// `high <= 338`. All of `f32` lies within.
const ORDINARY: std::ops::RangeInclusive<f64> = two_to(-250)..=two_to(330);

/// A power of two of the normal range.
const fn two_to(exponent: i64) -> f64 {
    f64::from_bits(((exponent + 1023) as u64) << 52)
}

/// A coordinate axis, named when a projection drops it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Axis {
    /// Drops x, keeps (y, z).
    X,
    /// Drops y, keeps (z, x).
    Y,
    /// Drops z, keeps (x, y).
    Z,
}

impl Axis {
    /// All axes.
    pub const ALL: [Self; 3] = [Self::X, Self::Y, Self::Z];

    /// The point projected along the axis; counter-clockwise about the axis is preserved.
    fn drop_from(self, p: &Point3<f64>) -> Coord<f64> {
        let k = self as usize;
        Coord { x: p[(k + 1) % 3], y: p[(k + 2) % 3] }
    }
}

/// The sign of `(b - a) x (c - a) . (d - a)`: on which side of the plane `abc` the point `d` lies, exactly.
///
/// Positive on the side from which `a, b, c` run counter-clockwise, that is, where the right-handed normal
/// points. Zero if the four points are coplanar, or `a, b, c` collinear. Exact for all finite coordinates;
/// zero, which no caller should rely on, if one is not finite ([`super::check_finite`]).
#[must_use]
#[inline]
pub fn orient3d(a: &Point3<f64>, b: &Point3<f64>, c: &Point3<f64>, d: &Point3<f64>) -> Sign {
    Plane::through([a, b, c]).side(d)
}

/// The sign of the `axis` component of `(b - a) x (c - a)`: the orientation of `a, b, c` projected along the
/// axis, exactly.
///
/// Positive if they are counter-clockwise for a viewer to whom the axis points; zero if the projections are
/// collinear. Exactness and non-finite input as in [`orient3d`].
#[must_use]
pub fn orient2d(a: &Point3<f64>, b: &Point3<f64>, c: &Point3<f64>, axis: Axis) -> Sign {
    match Exponents::from_points(&[a, b, c]) {
        Exponents::Ordinary => {
            Sign::from_f64(robust::orient2d(axis.drop_from(a), axis.drop_from(b), axis.drop_from(c)))
        }
        Exponents::Extreme => reference::orient2d(a, b, c, axis),
        Exponents::NotFinite => Sign::Zero,
    }
}

/// A plane through three points, prepared for the sides of several others.
pub(super) struct Plane<'a> {
    corners: [&'a Point3<f64>; 3],
    /// Rounded `(b - a) x (c - a)`.
    normal: Vector3<f64>,
    /// The same with absolute values throughout.
    spread: Vector3<f64>,
}

impl<'a> Plane<'a> {
    #[inline]
    pub(super) fn through(corners: [&'a Point3<f64>; 3]) -> Self {
        let [a, b, c] = corners;
        let (u, v) = (b - a, c - a);
        let (plus_x, minus_x) = (u.y * v.z, u.z * v.y);
        let (plus_y, minus_y) = (u.z * v.x, u.x * v.z);
        let (plus_z, minus_z) = (u.x * v.y, u.y * v.x);
        Self {
            corners,
            normal: Vector3::new(plus_x - minus_x, plus_y - minus_y, plus_z - minus_z),
            spread: Vector3::new(
                plus_x.abs() + minus_x.abs(),
                plus_y.abs() + minus_y.abs(),
                plus_z.abs() + minus_z.abs(),
            ),
        }
    }

    /// The side of the plane on which a point lies, as [`orient3d`] defines it.
    #[inline]
    pub(super) fn side(&self, d: &Point3<f64>) -> Sign {
        let w = d - self.corners[0];
        let (n, s) = (&self.normal, &self.spread);
        let (x, y, z) = (w.x.abs(), w.y.abs(), w.z.abs());
        let determinant = w.x * n.x + w.y * n.y + w.z * n.z;
        let spread = x * s.x + y * s.y + z * s.z;
        let bound = ROUNDING * spread + f64::MIN_POSITIVE * (1.0 + (x + y + z));
        if determinant > bound {
            Sign::Positive
        } else if -determinant > bound {
            Sign::Negative
        } else {
            let [a, b, c] = self.corners;
            orient3d_unfiltered(a, b, c, d)
        }
    }
}

#[cold]
#[inline(never)]
fn orient3d_unfiltered(a: &Point3<f64>, b: &Point3<f64>, c: &Point3<f64>, d: &Point3<f64>) -> Sign {
    let coord = |p: &Point3<f64>| Coord3D { x: p.x, y: p.y, z: p.z };
    match Exponents::from_points(&[a, b, c, d]) {
        // `robust` is positive below the plane.
        Exponents::Ordinary => {
            Sign::from_f64(robust::orient3d(coord(a), coord(b), coord(c), coord(d))).opposite()
        }
        Exponents::Extreme => reference::orient3d(a, b, c, d),
        Exponents::NotFinite => Sign::Zero,
    }
}

/// Which arithmetic can hold some coordinates.
enum Exponents {
    /// Expansions of `f64`.
    Ordinary,
    /// Integers only.
    Extreme,
    /// None.
    NotFinite,
}

impl Exponents {
    fn from_points(points: &[&Point3<f64>]) -> Self {
        let mut coordinates = points.iter().flat_map(|p| p.iter());
        if coordinates.clone().all(|c| *c == 0.0 || ORDINARY.contains(&c.abs())) {
            Self::Ordinary
        } else if coordinates.all(|c| c.is_finite()) {
            Self::Extreme
        } else {
            Self::NotFinite
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const CORNERS: [Point3<f64>; 3] =
        [Point3::new(0.0, 0.0, 0.0), Point3::new(1.0, 0.0, 0.0), Point3::new(0.0, 1.0, 0.0)];

    #[test]
    fn is_positive_where_the_right_handed_normal_points() {
        let [a, b, c] = &CORNERS;
        for height in [1.0, 1e-300, 5e-324] {
            assert_eq!(orient3d(a, b, c, &Point3::new(7.0, -3.0, height)), Sign::Positive);
            assert_eq!(orient3d(a, b, c, &Point3::new(7.0, -3.0, -height)), Sign::Negative);
            assert_eq!(orient3d(b, a, c, &Point3::new(7.0, -3.0, height)), Sign::Negative);
        }
        assert_eq!(orient3d(a, b, c, &Point3::new(7.0, -3.0, 0.0)), Sign::Zero);
    }

    #[test]
    fn turns_counter_clockwise_about_the_axis_that_is_dropped() {
        for k in 0..3 {
            let along = |i: usize| Point3::from(Vector3::ith((k + i) % 3, 1.0));
            let turn = |axis| orient2d(&Point3::origin(), &along(1), &along(2), axis);
            assert_eq!(turn(Axis::ALL[k]), Sign::Positive);
            assert_eq!(turn(Axis::ALL[(k + 1) % 3]), Sign::Zero);
            assert_eq!(turn(Axis::ALL[(k + 2) % 3]), Sign::Zero);
        }
    }

    #[test]
    fn decides_where_products_underflow_or_overflow() {
        // Cubes of these lengths leave the range of f64, in which adaptive expansions would answer zero or
        // NaN.
        for size in [5e-324, 1e-310, 1e-150, 1e-110, 1e110, 1e120, 1e200, 8e307] {
            let scaled = |p: Point3<f64>| p * size;
            let [a, b, c] = CORNERS.map(scaled);
            let above = scaled(Point3::new(1.0, 1.0, 1.0));
            let below = scaled(Point3::new(1.0, 1.0, -1.0));
            assert_eq!(orient3d(&a, &b, &c, &above), Sign::Positive, "{size:e}");
            assert_eq!(orient3d(&a, &b, &c, &below), Sign::Negative, "{size:e}");
            assert_eq!(orient3d(&a, &b, &c, &scaled(Point3::new(1.0, 1.0, 0.0))), Sign::Zero, "{size:e}");
            assert_eq!(orient2d(&a, &b, &c, Axis::Z), Sign::Positive, "{size:e}");
            assert_eq!(orient2d(&a, &c, &b, Axis::Z), Sign::Negative, "{size:e}");
        }
    }

    #[test]
    fn decides_at_both_ends_of_the_ordinary_range() {
        for size in [*ORDINARY.start(), *ORDINARY.end()] {
            // One unit in the last place off the plane x + y + z = 3, which holds the three corners.
            let corner = |x: f64, y: f64, z: f64| Point3::new(x, y, z) * size;
            let (a, b, c) = (corner(1.0, 1.0, 1.0), corner(1.5, 0.5, 1.0), corner(1.0, 0.75, 1.25));
            let on = corner(0.75, 1.25, 1.0);
            let off = |z: f64| Point3::new(on.x, on.y, z);
            assert_eq!(orient3d(&a, &b, &c, &on), Sign::Zero);
            let up = orient3d(&a, &b, &c, &off(on.z.next_up()));
            assert_ne!(up, Sign::Zero);
            assert_eq!(up, reference::orient3d(&a, &b, &c, &off(on.z.next_up())));
            assert_eq!(orient3d(&a, &b, &c, &off(on.z.next_down())), up.opposite());
        }
    }

    #[test]
    fn answers_zero_for_what_is_not_finite() {
        let [a, b, c] = &CORNERS;
        for bad in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
            for axis in 0..3 {
                let mut d = Point3::new(1.0, 1.0, 1.0);
                d[axis] = bad;
                assert_eq!(orient3d(a, b, c, &d), Sign::Zero);
                assert_eq!(orient3d(&d, b, c, a), Sign::Zero);
                assert_eq!(orient2d(a, b, &d, Axis::X), Sign::Zero);
            }
        }
    }
}
