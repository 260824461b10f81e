//! Interpolation of rotations and values, as the specification of glTF 2.0 (appendix C) has it.

use nalgebra::{Quaternion, UnitQuaternion, Vector3};

/// Rotations nearer than this angle (rad) are interpolated linearly: below it the ratio of sines has fewer
/// correct digits than the chord has error (angle squared / 8 relative to the arc, 1e-13).
const LINEAR_BELOW: f64 = 1.0e-6;

/// Spherical linear interpolation along the shorter arc: `a` at `amount` 0, `b` or `-b` at 1.
///
/// Source: glTF 2.0, appendix C.4. Sines and the arc cosine are those of `libm`, so that results have equal
/// bits on every platform.
#[must_use]
pub fn slerp(a: &UnitQuaternion<f64>, b: &UnitQuaternion<f64>, amount: f64) -> UnitQuaternion<f64> {
    let (a, b) = (a.coords, b.coords);
    let dot = a.dot(&b);
    let b = if dot < 0.0 { -b } else { b };
    // The angle from the chord and not from the cosine, which loses half of the digits of small angles.
    let half_chord = 0.5 * (b - a).norm();
    let angle = 2.0 * libm::asin(half_chord.min(1.0));
    let (from, to) = if angle < LINEAR_BELOW {
        (1.0 - amount, amount)
    } else {
        let sine = libm::sin(angle);
        (libm::sin(angle * (1.0 - amount)) / sine, libm::sin(angle * amount) / sine)
    };
    UnitQuaternion::new_normalize(Quaternion::from(a * from + b * to))
}

/// Normalised linear interpolation along the shorter arc: less costly than [`slerp`], at an uneven speed.
///
/// Between two rotations 90 degrees apart the error is at most 1 degree.
#[must_use]
pub fn nlerp(a: &UnitQuaternion<f64>, b: &UnitQuaternion<f64>, amount: f64) -> UnitQuaternion<f64> {
    let (a, b) = (a.coords, b.coords);
    let b = if a.dot(&b) < 0.0 { -b } else { b };
    UnitQuaternion::new_normalize(Quaternion::from(a * (1.0 - amount) + b * amount))
}

/// The angle of the rotation between two rotations, rad, from 0 to pi.
#[must_use]
pub fn angle_between(a: &UnitQuaternion<f64>, b: &UnitQuaternion<f64>) -> f64 {
    let (a, b) = (a.coords, b.coords);
    let b = if a.dot(&b) < 0.0 { -b } else { b };
    4.0 * libm::asin((0.5 * (b - a).norm()).min(1.0))
}

/// A weight that rises from 0 to 1 with a velocity of 0 at both ends: `3 s^2 - 2 s^3`, constant outside [0,
/// 1].
#[must_use]
pub fn smoothstep(s: f64) -> f64 {
    if s > 0.0 {
        let s = s.min(1.0);
        s * s * (3.0 - 2.0 * s)
    } else {
        0.0
    }
}

/// The four weights of a cubic Hermite spline at `s` in [0, 1] on an interval of `length` (s): of the value
/// and the tangent at its start, and of the value and the tangent at its end. Source: glTF 2.0, appendix C.5.
#[must_use]
pub(crate) fn hermite_weights(s: f64, length: f64) -> [f64; 4] {
    let (s2, s3) = (s * s, s * s * s);
    [2.0 * s3 - 3.0 * s2 + 1.0, length * (s3 - 2.0 * s2 + s), 3.0 * s2 - 2.0 * s3, length * (s3 - s2)]
}

/// The linear interpolation of vectors.
#[must_use]
pub(crate) fn lerp(a: &Vector3<f64>, b: &Vector3<f64>, amount: f64) -> Vector3<f64> {
    a + (b - a) * amount
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::testing::rotations;

    #[test]
    fn smoothstep_survives_every_argument() {
        assert_eq!(smoothstep(f64::NAN), 0.0);
        assert_eq!(smoothstep(-1.0), 0.0);
        assert_eq!(smoothstep(2.0), 1.0);
        assert_eq!(smoothstep(0.5), 0.5);
    }

    #[test]
    fn nlerp_errs_by_the_stated_angle_at_ninety_degrees() {
        let b = UnitQuaternion::from_axis_angle(&Vector3::y_axis(), std::f64::consts::FRAC_PI_2);
        let worst = (0..=100)
            .map(|i| f64::from(i) / 100.0)
            .map(|s| {
                angle_between(
                    &nlerp(&UnitQuaternion::identity(), &b, s),
                    &slerp(&UnitQuaternion::identity(), &b, s),
                )
            })
            .fold(0.0, f64::max);
        assert!(worst.to_degrees() < 1.0 && worst > 0.0, "{}", worst.to_degrees());
    }

    proptest! {
        #[test]
        fn slerp_moves_at_an_even_speed_along_the_shorter_arc(
            a in rotations(), b in rotations(), s in 0.0..1.0f64,
        ) {
            let whole = angle_between(&a, &b);
            prop_assert!((angle_between(&a, &slerp(&a, &b, s)) - s * whole).abs() < 1e-6);
            prop_assert!((angle_between(&slerp(&a, &b, s), &b) - (1.0 - s) * whole).abs() < 1e-6);
        }

        #[test]
        fn slerp_equals_that_of_nalgebra(a in rotations(), b in rotations(), s in 0.0..1.0f64) {
            // nalgebra takes the shorter arc as well, and gives up only where the rotations are opposite.
            prop_assume!(angle_between(&a, &b) < 3.0);
            let theirs = a.slerp(&b, s);
            prop_assert!(angle_between(&slerp(&a, &b, s), &theirs) < 1e-7);
        }

        #[test]
        fn slerp_of_rotations_that_nearly_agree_is_continuous(
            a in rotations(), tiny in 1e-9..1e-4f64, s in 0.0..1.0f64,
        ) {
            let b = a * UnitQuaternion::from_axis_angle(&Vector3::x_axis(), tiny);
            prop_assert!((angle_between(&a, &slerp(&a, &b, s)) - s * tiny).abs() < 1e-14);
        }
    }
}
