//! Unit roundoffs, and the share that a chain of roundings can cost.

/// Unit roundoff of `f32`: a single operation is off by at most this share of its result.
pub const U32: f64 = 1.0 / (1_u64 << 24) as f64;

/// Unit roundoff of `f64`.
pub const U64: f64 = 1.0 / (1_u64 << 53) as f64;

/// Share of the sum of magnitudes that `n` roundings of unit roundoff `u` can cost, at most:
/// `n u / (1 - n u)` (Higham, "Accuracy and Stability of Numerical Algorithms", 2002, lemma 3.1), rounded up.
///
/// Valid for `n u < 1/2`; a sum of products of `k` terms takes `n = k` for a product and the additions after
/// it.
#[must_use]
pub const fn gamma(n: u32, u: f64) -> f64 {
    let chain = n as f64 * u;
    // The quotient has three roundings of 2^-53 of its own.
    chain / (1.0 - chain) * (1.0 + 4.0 * f64::EPSILON)
}

/// `gamma(n, U32)` as an `f32`, rounded up.
#[must_use]
pub const fn gamma_f32(n: u32) -> f32 {
    ceil_f32(gamma(n, U32))
}

/// `1 + gamma(n, U32)` as an `f32`, rounded up: a factor for sums of squares, norms and the like in `f32`.
#[must_use]
pub const fn raise_f32(n: u32) -> f32 {
    ceil_f32(1.0 + gamma(n, U32))
}

pub(super) const fn ceil_f32(x: f64) -> f32 {
    let near = x as f32;
    if (near as f64) < x { near.next_up() } else { near }
}
