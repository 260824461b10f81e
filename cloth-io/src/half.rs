//! Half-precision numbers, which data sets are published in.

/// Said of positions that are read from them.
pub(crate) const HALF_NOTE: &str =
    "its positions are half-precision numbers (float16, 11 significant bits), which are taken exactly";

/// The number of these bits (binary16, IEEE 754); every one is an `f32`.
pub(crate) fn widen_half(bits: u16) -> f32 {
    /// The value of the last place of the smallest numbers, 2^-24.
    const LAST_PLACE: f32 = 1.0 / 16_777_216.0;
    let (exponent, fraction) = (u32::from(bits >> 10 & 0x1f), u32::from(bits & 0x3ff));
    let size = match exponent {
        0 => fraction as f32 * LAST_PLACE,
        0x1f => f32::from_bits(0xff << 23 | fraction << 13),
        _ => f32::from_bits((exponent + 112) << 23 | fraction << 13),
    };
    if bits >> 15 == 1 { -size } else { size }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_half_widens_to_its_value() {
        for bits in 0..=u16::MAX {
            let (sign, exponent, fraction) = (bits >> 15, i32::from(bits >> 10 & 31), f64::from(bits & 1023));
            let size = match exponent {
                0 => fraction * 2f64.powi(-24),
                31 if fraction == 0.0 => f64::INFINITY,
                31 => f64::NAN,
                _ => (1024.0 + fraction) * 2f64.powi(exponent - 25),
            };
            let (found, wanted) = (widen_half(bits), if sign == 1 { -size } else { size });
            assert!(f64::from(found) == wanted || found.is_nan() && wanted.is_nan(), "{bits:#x}: {found}");
            assert!(found.is_nan() || found.is_sign_negative() == (sign == 1), "{bits:#x}");
        }
        assert_eq!([0x3c00, 0x3555, 0x7bff].map(widen_half), [1.0, 0.333_251_95, 65504.0]);
    }
}
