//! Whether three points lie on one line, decided exactly.
//!
//! A triangle has zero area if and only if its projections along the three axes do. Each projection is the sign of
//! a 2x2 determinant: adaptive arithmetic (Shewchuk, through `robust`) certifies that a healthy face is healthy;
//! what it calls zero, or cannot tell because a product left the range of `f64`, is decided over integers.

use dashu_int::IBig;
use nalgebra::Point3;
use robust::{Coord, orient2d};

/// The determinants whose sign is taken as it is. `robust` is exact unless a product leaves the range of `f64`: one
/// that falls below it changes the result by less than 1e-300, one that rises above it makes the result infinite
/// or NaN.
const TRUSTED: std::ops::Range<f64> = 1e-200..1e200;

/// Whether the corners, which must be finite, lie on one line.
pub(super) fn is_zero_area(corners: &[Point3<f64>; 3]) -> bool {
    let planes = [[0, 1], [1, 2], [2, 0]];
    let surely_not = planes.iter().any(|&[u, v]| {
        let [a, b, c] = corners.map(|p| Coord { x: p[u], y: p[v] });
        TRUSTED.contains(&orient2d(a, b, c).abs())
    });
    !surely_not && planes.iter().all(|&plane| is_collinear_over_integers(corners, plane))
}

/// The determinant over integers: every finite `f64` is one, times a power of two that all share.
fn is_collinear_over_integers(corners: &[Point3<f64>; 3], [u, v]: [usize; 2]) -> bool {
    let parts = corners.map(|p| [p[u], p[v]].map(decompose));
    let least = parts.iter().flatten().filter(|(m, _)| *m != 0).map(|&(_, e)| e).min().unwrap_or(0);
    // Zero has the least exponent of all; shifting it nowhere keeps the subtraction from going below zero.
    let [a, b, c] = parts.map(|p| p.map(|(m, e)| IBig::from(m) << (e.max(least) - least) as usize));
    let [au, av] = a;
    let ([bu, bv], [cu, cv]) = (b, c);
    (bu - &au) * (cv - &av) == (bv - av) * (cu - au)
}

/// A finite `f64` as `mantissa * 2^exponent`.
fn decompose(c: f64) -> (i64, i32) {
    let bits = c.to_bits();
    let (raw, fraction) = ((bits >> 52 & 0x7ff) as i32, (bits & ((1 << 52) - 1)) as i64);
    let (mantissa, exponent) = if raw == 0 { (fraction, -1074) } else { (fraction | 1 << 52, raw - 1075) };
    (if c < 0.0 { -mantissa } else { mantissa }, exponent)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn triangle(c: [[f64; 3]; 3]) -> [Point3<f64>; 3] {
        c.map(Point3::from)
    }

    #[test]
    fn decomposes_without_loss() {
        for c in [0.0, 1.0, -0.1, f64::MIN_POSITIVE, -f64::MIN_POSITIVE / 8.0, f64::MAX] {
            let (m, e) = decompose(c);
            // In two steps: neither power of two leaves the range.
            assert_eq!(m as f64 * 2f64.powi(e / 2) * 2f64.powi(e - e / 2), c);
        }
    }

    #[test]
    fn tells_one_unit_in_the_last_place_from_none() {
        // The third point is twice the second: on the line from the origin, for any rounding of the inputs.
        let [x, y, z] = [0.1, 0.7, -0.3];
        let on = triangle([[0.0; 3], [x, y, z], [2.0 * x, 2.0 * y, 2.0 * z]]);
        assert!(is_zero_area(&on));
        for k in 0..3 {
            for nudge in [f64::next_up as fn(f64) -> f64, f64::next_down] {
                let mut off = on;
                off[2][k] = nudge(off[2][k]);
                assert!(!is_zero_area(&off), "coordinate {k}");
            }
        }
    }

    #[test]
    fn decides_where_products_leave_the_range_of_f64() {
        for scale in [1e-300, 1e-160, 1.0, 1e160, 1e300] {
            let s = scale;
            assert!(!is_zero_area(&triangle([[0.0; 3], [s, 0.0, 0.0], [0.0, s, 0.0]])), "{s}");
            assert!(is_zero_area(&triangle([[s, s, s], [-s, -s, -s], [4.0 * s, 4.0 * s, 4.0 * s]])), "{s}");
        }
        assert!(!is_zero_area(&triangle([[-f64::MAX, 0.0, 0.0], [f64::MAX, 0.0, 0.0], [0.0, 5e-324, 0.0]])));
        assert!(is_zero_area(&triangle([[-f64::MAX, 0.0, 0.0], [f64::MAX, 0.0, 0.0], [5e-324, 0.0, 0.0]])));
    }

    #[test]
    fn coinciding_corners_have_no_area() {
        let p = [0.1, 0.2, 0.3];
        assert!(is_zero_area(&triangle([p, p, [1.0, 5.0, 2.0]])));
        assert!(is_zero_area(&triangle([p, p, p])));
    }
}
