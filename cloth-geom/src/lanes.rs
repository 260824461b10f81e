//! Four vectors at a time, each in a lane of its own.
//!
//! A lane's operations are those of nalgebra's vectors of three, in the same order and without a fused one,
//! so that what four lanes compute is what one vector after the other would, bit for bit.

use wide::f32x4;

/// The vector instructions that the lanes are compiled to. They change no bit.
pub const INSTRUCTION_SET: &str = if cfg!(target_feature = "avx2") {
    "avx2"
} else if cfg!(target_feature = "sse2") {
    "sse2"
} else if cfg!(target_feature = "neon") {
    "neon"
} else if cfg!(target_feature = "simd128") {
    "simd128"
} else {
    "scalar"
};

/// One number of four items.
pub type Lanes = f32x4;

/// One vector of four items, by coordinate.
pub type Lanes3 = [Lanes; 3];

/// Four zero vectors.
pub const ZEROS: Lanes3 = [Lanes::ZERO; 3];

/// Four points or vectors of a list.
///
/// # Panics
/// If the list is shorter.
#[inline]
#[must_use]
pub fn gather<T: Copy + Into<[f32; 3]>>(list: &[T], v: [u32; 4]) -> Lanes3 {
    // Spelled out: `map` of arrays is not inlined.
    let [p, q, r, s]: [[f32; 3]; 4] = [
        list[v[0] as usize].into(),
        list[v[1] as usize].into(),
        list[v[2] as usize].into(),
        list[v[3] as usize].into(),
    ];
    [
        Lanes::new([p[0], q[0], r[0], s[0]]),
        Lanes::new([p[1], q[1], r[1], s[1]]),
        Lanes::new([p[2], q[2], r[2], s[2]]),
    ]
}

/// `a + b`.
#[inline]
#[must_use]
pub fn plus(a: &Lanes3, b: &Lanes3) -> Lanes3 {
    [a[0] + b[0], a[1] + b[1], a[2] + b[2]]
}

/// `a - b`.
#[inline]
#[must_use]
pub fn minus(a: &Lanes3, b: &Lanes3) -> Lanes3 {
    [a[0] - b[0], a[1] - b[1], a[2] - b[2]]
}

/// `a s`.
#[inline]
#[must_use]
pub fn scaled(a: &Lanes3, s: Lanes) -> Lanes3 {
    [a[0] * s, a[1] * s, a[2] * s]
}

/// `a / s`, each coordinate divided.
#[inline]
#[must_use]
pub fn divided(a: &Lanes3, s: Lanes) -> Lanes3 {
    [a[0] / s, a[1] / s, a[2] / s]
}

/// `a + b s`.
#[inline]
#[must_use]
pub fn plus_scaled(a: &Lanes3, b: &Lanes3, s: Lanes) -> Lanes3 {
    [a[0] + b[0] * s, a[1] + b[1] * s, a[2] + b[2] * s]
}

/// Coordinate by coordinate.
#[inline]
#[must_use]
pub fn times(a: &Lanes3, b: &Lanes3) -> Lanes3 {
    [a[0] * b[0], a[1] * b[1], a[2] * b[2]]
}

/// The scalar product.
#[inline]
#[must_use]
pub fn dot(a: &Lanes3, b: &Lanes3) -> Lanes {
    (a[0] * b[0] + a[1] * b[1]) + a[2] * b[2]
}

/// The cross product.
#[inline]
#[must_use]
pub fn cross(a: &Lanes3, b: &Lanes3) -> Lanes3 {
    [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
}

/// The length.
#[inline]
#[must_use]
pub fn norm(a: &Lanes3) -> Lanes {
    dot(a, a).sqrt()
}

/// `a` in the lanes where the mask is set, else `b`.
#[inline]
#[must_use]
pub fn chosen(mask: Lanes, a: &Lanes3, b: &Lanes3) -> Lanes3 {
    [0, 1, 2].map(|k| mask.bitselect(a[k], b[k]))
}

#[cfg(test)]
mod tests {
    use nalgebra::Vector3;
    use proptest::prelude::*;

    use super::*;

    fn vectors() -> impl Strategy<Value = [Vector3<f32>; 4]> {
        let coordinate = || prop_oneof![any::<f32>(), -1.0f32..1.0, Just(-0.0), Just(0.0)];
        prop::array::uniform4(prop::array::uniform3(coordinate()).prop_map(Vector3::from))
    }

    fn lanes(v: &[Vector3<f32>; 4]) -> Lanes3 {
        gather(v, [0, 1, 2, 3])
    }

    /// Not a number is not a number, whichever bits it has.
    fn bits(x: f32) -> u32 {
        if x.is_nan() { f32::NAN.to_bits() } else { x.to_bits() }
    }

    fn same(four: &Lanes3, one: [Vector3<f32>; 4]) -> Result<(), TestCaseError> {
        for (k, lanes) in four.iter().enumerate() {
            prop_assert_eq!(lanes.to_array().map(bits), one.map(|v| bits(v[k])));
        }
        Ok(())
    }

    proptest! {
        #[test]
        fn four_at_once_give_the_bits_that_vectors_give(a in vectors(), b in vectors()) {
            let (p, q) = (lanes(&a), lanes(&b));
            let each = |f: fn(&Vector3<f32>, &Vector3<f32>) -> Vector3<f32>| [0, 1, 2, 3].map(|l| f(&a[l], &b[l]));
            same(&plus(&p, &q), each(|a, b| a + b))?;
            same(&minus(&p, &q), each(|a, b| a - b))?;
            same(&cross(&p, &q), each(Vector3::cross))?;
            same(&times(&p, &q), each(Vector3::component_mul))?;
            same(&scaled(&p, q[0]), each(|a, b| a * b.x))?;
            same(&divided(&p, q[0]), each(|a, b| a / b.x))?;
            same(&plus_scaled(&p, &q, q[1]), each(|a, b| a + b * b.y))?;
            let dots = [0, 1, 2, 3].map(|l| bits(a[l].dot(&b[l])));
            prop_assert_eq!(dot(&p, &q).to_array().map(bits), dots);
            prop_assert_eq!(norm(&p).to_array().map(bits), a.map(|v| bits(v.norm())));
            let mask = p[0].simd_lt(q[0]);
            same(&chosen(mask, &p, &q), each(|a, b| if a.x < b.x { *a } else { *b }))?;
        }
    }
}
