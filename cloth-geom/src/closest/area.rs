//! The direction in which areas are measured, safe from squaring an area out of the scalar's range.

use nalgebra::{RealField, Vector3};

/// The normal divided by its greatest component; none if that is so small that its digits are lost.
///
/// Below `1 / (greatest number * machine epsilon)`, 2.4e-32 m² for `f32`, a product of lengths nears the
/// subnormal numbers. A shape with so little area is `area / M` wide: less than `64 u M` for `M > 1e-13` m.
#[inline]
pub(super) fn direction<T: RealField + Copy>(normal: &Vector3<T>) -> Option<Vector3<T>> {
    let size = normal.x.abs().max(normal.y.abs()).max(normal.z.abs());
    let greatest = T::max_value().unwrap_or_else(T::one);
    (size > T::one() / (greatest * T::default_epsilon())).then(|| normal * (T::one() / size))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn turns_away_areas_whose_digits_are_lost_and_no_others() {
        // The limit is 2^-105 in f32.
        let of_size = |exponent| Vector3::new(0.0, -4.0, 1.0) * 2f32.powi(exponent - 2);
        assert_eq!(direction(&of_size(-104)), Some(Vector3::new(0.0, -1.0, 0.25)));
        assert_eq!(direction(&of_size(-106)), None);
        assert_eq!(direction(&Vector3::<f64>::zeros()), None);
        assert!(direction(&Vector3::new(3e38f32, 1e38, 0.0)).is_some());
    }
}
