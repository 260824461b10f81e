//! Which vector instructions the machine has, which are used, and code that is compiled for each of them.
//!
//! All of them give the same bits: a lane's operations are the same, in the same order.

use std::sync::OnceLock;

#[cfg(target_arch = "x86_64")]
use fearless_simd::SimdInto;
#[cfg(any(target_arch = "x86", target_arch = "x86_64"))]
use fearless_simd::x86::{Avx2, Avx512, Sse2};
use fearless_simd::{f32x4, f32x8};

use super::{LANES8, Simd, SimdBase, VectorCode};
pub use fearless_simd::Level;

#[cfg(not(any(
    all(any(target_arch = "x86", target_arch = "x86_64"), target_feature = "sse2"),
    all(target_arch = "aarch64", target_feature = "neon"),
    all(target_arch = "wasm32", target_feature = "simd128"),
)))]
compile_error!(
    "cloth needs vector instructions: x86 and x86-64 with SSE2, aarch64 with NEON, or wasm32 with simd128 \
     (RUSTFLAGS=\"-C target-feature=+simd128\")"
);

/// The environment variable that forces the instructions: one of [`NAMES`].
pub const VARIABLE: &str = "CLOTH_SIMD";

/// The names of instructions, narrowest first; a machine has some of them.
pub const NAMES: [&str; 5] = ["sse2", "avx2", "avx512", "neon", "simd128"];

/// [`VARIABLE`] names instructions that are unknown, or that this machine or program does not have.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{VARIABLE}={value} {problem}: set it to one of {}, or not at all", available().join(", "))]
pub struct InstructionsError {
    value: String,
    problem: &'static str,
}

/// The names of the instructions that this machine has, narrowest first.
#[must_use]
pub fn available() -> Vec<&'static str> {
    NAMES.into_iter().filter(|name| level_named(name).is_some()).collect()
}

/// The instructions with one of [`NAMES`], if this machine has them.
#[must_use]
pub fn level_named(name: &str) -> Option<Level> {
    match name {
        #[cfg(any(target_arch = "x86", target_arch = "x86_64"))]
        "sse2" => Level::new().as_sse2().map(Level::Sse2),
        #[cfg(any(target_arch = "x86", target_arch = "x86_64"))]
        "avx2" => Level::new().as_avx2().map(Level::Avx2),
        #[cfg(any(target_arch = "x86", target_arch = "x86_64"))]
        "avx512" => Level::new().as_avx512().map(Level::Avx512),
        #[cfg(target_arch = "aarch64")]
        "neon" => Level::new().as_neon().map(Level::Neon),
        #[cfg(target_arch = "wasm32")]
        "simd128" => Some(Level::new()),
        _ => None,
    }
}

/// The instructions that are used: those that [`VARIABLE`] names, else the widest of the machine. The
/// variable is read once.
///
/// # Errors
/// If it names instructions that are unknown, or that this machine does not have.
pub fn chosen_level() -> Result<Level, InstructionsError> {
    static CHOSEN: OnceLock<Result<Level, InstructionsError>> = OnceLock::new();
    let chosen = || match std::env::var(VARIABLE) {
        Ok(value) => level_from(&value),
        Err(std::env::VarError::NotPresent) => Ok(Level::new()),
        Err(std::env::VarError::NotUnicode(value)) => level_from(&value.to_string_lossy()),
    };
    CHOSEN.get_or_init(chosen).clone()
}

/// The instructions for a value of [`VARIABLE`].
fn level_from(value: &str) -> Result<Level, InstructionsError> {
    let problem = match value {
        "scalar" => "is what tests compare vectors with, and in no program",
        name if NAMES.contains(&name) => "is not available here",
        _ => "is unknown",
    };
    level_named(value).ok_or_else(|| InstructionsError { value: value.into(), problem })
}

/// [`chosen_level`], or the widest of the machine if the variable is wrong: for code that cannot say so.
#[must_use]
pub fn level() -> Level {
    chosen_level().unwrap_or_else(|_| Level::new())
}

/// The name of instructions.
#[must_use]
pub fn level_name(level: Level) -> &'static str {
    crate::dispatch_instructions!(level, simd => simd.name())
}

/// The instructions that every machine of the target has.
#[cfg(any(target_arch = "x86", target_arch = "x86_64"))]
pub type Baseline = Sse2;
/// The instructions that every machine of the target has.
#[cfg(target_arch = "aarch64")]
pub type Baseline = fearless_simd::aarch64::Neon;
/// The instructions that every machine of the target has.
#[cfg(target_arch = "wasm32")]
pub type Baseline = fearless_simd::wasm32::WasmSimd128;

/// The token of the instructions that every machine of the target has, for what is too short for
/// [`dispatch`](crate::lanes::dispatch).
#[inline(always)]
#[must_use]
pub fn baseline() -> Baseline {
    #[cfg(any(target_arch = "x86", target_arch = "x86_64"))]
    let token = Level::baseline().as_sse2();
    #[cfg(target_arch = "aarch64")]
    let token = Level::baseline().as_neon();
    #[cfg(target_arch = "wasm32")]
    let token = Level::baseline().as_wasm_simd128();
    match token {
        Some(token) => token,
        None => unreachable!("instructions of the target"),
    }
}

/// Instructions: a token that proves that the machine has them, and how eight items are computed with them,
/// one part after the other.
pub trait Instructions: VectorCode {
    /// One number of each item of a part: of all eight, or of four where that is what a register holds.
    type Lanes: Simd;

    /// Items of a part.
    const COUNT: usize;

    /// One of [`NAMES`].
    fn name(self) -> &'static str;

    /// The same number in all lanes.
    fn splat(self, number: f32) -> Self::Lanes;

    /// The same number for eight items.
    #[inline(always)]
    fn splat_eight(self, number: f32) -> f32x8<Self> {
        SimdBase::splat(self, number)
    }

    /// One number of each of eight items.
    #[inline(always)]
    fn load_eight(self, numbers: &[f32; LANES8]) -> f32x8<Self> {
        SimdBase::load_array_ref(self, numbers)
    }

    /// The numbers of a part of eight items.
    fn load(self, numbers: &[f32; LANES8], part: usize) -> Self::Lanes;

    /// Sets the numbers of a part of eight items.
    fn store(self, lanes: Self::Lanes, numbers: &mut [f32; LANES8], part: usize);

    /// Four numbers of each item of a part, given by item. References, so that each is loaded as a whole.
    fn gather<'a>(self, item: impl Fn(usize) -> &'a [f32; 4]) -> [Self::Lanes; 4];

    /// Puts four numbers of each item of a part, by item, in any order.
    fn scatter(self, numbers: [Self::Lanes; 4], put: impl FnMut(usize, [f32; 4]));
}

/// Instructions whose registers hold `$count` numbers; `$zip` takes turns between the numbers of two, in each
/// half of four: `a0 b0 a1 b1` and `a2 b2 a3 b3`.
macro_rules! instructions {
    ($token:ty, $name:literal, $lanes:ident, $count:literal, $load:expr, $put:expr, $zip:expr) => {
        impl Instructions for $token {
            type Lanes = $lanes<Self>;

            const COUNT: usize = $count;

            #[inline(always)]
            fn name(self) -> &'static str {
                $name
            }

            #[inline(always)]
            fn splat(self, number: f32) -> Self::Lanes {
                SimdBase::splat(self, number)
            }

            #[inline(always)]
            fn load(self, numbers: &[f32; LANES8], part: usize) -> Self::Lanes {
                SimdBase::from_slice(self, &numbers[part * $count..][..$count])
            }

            #[inline(always)]
            fn store(self, lanes: Self::Lanes, numbers: &mut [f32; LANES8], part: usize) {
                lanes.store_slice(&mut numbers[part * $count..][..$count]);
            }

            #[inline(always)]
            fn gather<'a>(self, item: impl Fn(usize) -> &'a [f32; 4]) -> [Self::Lanes; 4] {
                let zip = $zip;
                let [p0, p1, p2, p3] = $load(self, item);
                let ([xy02, zw02], [xy13, zw13]) = (zip(self, p0, p2), zip(self, p1, p3));
                let ([x, y], [z, w]) = (zip(self, xy02, xy13), zip(self, zw02, zw13));
                [x, y, z, w]
            }

            #[inline(always)]
            fn scatter(self, [x, y, z, w]: [Self::Lanes; 4], put: impl FnMut(usize, [f32; 4])) {
                let zip = $zip;
                let ([xz01, xz23], [yw01, yw23]) = (zip(self, x, z), zip(self, y, w));
                let ([p0, p1], [p2, p3]) = (zip(self, xz01, yw01), zip(self, xz23, yw23));
                $put(self, [p0, p1, p2, p3], put);
            }
        }
    };
}

#[inline(always)]
fn zip_four<S: VectorCode>(simd: S, a: f32x4<S>, b: f32x4<S>) -> [f32x4<S>; 2] {
    [simd.zip_low_f32x4(a, b), simd.zip_high_f32x4(a, b)]
}

#[inline(always)]
fn load_four<'a, S: VectorCode>(simd: S, item: impl Fn(usize) -> &'a [f32; 4]) -> [f32x4<S>; 4] {
    let item = |k| SimdBase::load_array_ref(simd, item(k));
    [item(0), item(1), item(2), item(3)]
}

#[inline(always)]
fn put_four<S: VectorCode>(_: S, items: [f32x4<S>; 4], mut put: impl FnMut(usize, [f32; 4])) {
    for (k, item) in items.into_iter().enumerate() {
        put(k, item.into());
    }
}

macro_rules! four_lanes {
    ($token:ty, $name:literal) => {
        instructions!($token, $name, f32x4, 4, load_four, put_four, zip_four);
    };
}

/// Items `k` and `k + 4` in one register.
#[cfg(target_arch = "x86_64")]
#[inline(always)]
fn load_eight<'a, S: VectorCode>(simd: S, item: impl Fn(usize) -> &'a [f32; 4]) -> [f32x8<S>; 4] {
    let item = |k| SimdBase::load_array_ref(simd, item(k));
    let halves = |k| simd.combine_f32x4(item(k), item(k + 4));
    [halves(0), halves(1), halves(2), halves(3)]
}

#[cfg(target_arch = "x86_64")]
#[inline(always)]
fn put_eight<S: VectorCode>(simd: S, items: [f32x8<S>; 4], mut put: impl FnMut(usize, [f32; 4])) {
    for (k, halves) in items.into_iter().enumerate() {
        let (low, high) = simd.split_f32x8(halves);
        put(k, low.into());
        put(k + 4, high.into());
    }
}

/// Portable zips of eight cross the halves, and the compiler does not undo that.
#[cfg(target_arch = "x86_64")]
macro_rules! eight_lanes {
    ($token:ident, $zip:ident, $name:literal) => {
        #[inline(always)]
        fn $zip(simd: $token, a: f32x8<$token>, b: f32x8<$token>) -> [f32x8<$token>; 2] {
            fearless_simd::kernel!(
                #[inline(always)]
                fn zip(token: $token, a: f32x8<$token>, b: f32x8<$token>) -> [f32x8<$token>; 2] {
                    use std::arch::x86_64::{__m256, _mm256_unpackhi_ps, _mm256_unpacklo_ps};
                    let (a, b): (__m256, __m256) = (a.into(), b.into());
                    [_mm256_unpacklo_ps(a, b).simd_into(token), _mm256_unpackhi_ps(a, b).simd_into(token)]
                }
            );
            zip(simd, a, b)
        }
        instructions!($token, $name, f32x8, 8, load_eight, put_eight, $zip);
    };
}

#[cfg(any(target_arch = "x86", target_arch = "x86_64"))]
four_lanes!(Sse2, "sse2");
#[cfg(target_arch = "x86")]
four_lanes!(Avx2, "avx2");
#[cfg(target_arch = "x86")]
four_lanes!(Avx512, "avx512");
#[cfg(target_arch = "x86_64")]
eight_lanes!(Avx2, zip_avx2, "avx2");
#[cfg(target_arch = "x86_64")]
eight_lanes!(Avx512, zip_avx512, "avx512");
#[cfg(target_arch = "aarch64")]
four_lanes!(Baseline, "neon");
#[cfg(target_arch = "wasm32")]
four_lanes!(Baseline, "simd128");

/// Evaluates an expression with the token of a [`Level`], compiled for its instructions: all that it calls
/// has to be `#[inline(always)]`. SSE4.2 counts as SSE2, so that there is one version less.
#[macro_export]
#[doc(hidden)]
macro_rules! dispatch_instructions {
    ($level:expr, $simd:ident => $work:expr) => {{
        use $crate::lanes::{Level, VectorCode as _};
        let level = match $level {
            #[cfg(any(target_arch = "x86", target_arch = "x86_64"))]
            level @ Level::Sse4_2(_) => level.as_sse2().map_or(level, Level::Sse2),
            level => level,
        };
        match level {
            #[cfg(any(target_arch = "x86", target_arch = "x86_64"))]
            Level::Avx512($simd) => $simd.vectorize(
                #[inline(always)]
                || $work,
            ),
            #[cfg(any(target_arch = "x86", target_arch = "x86_64"))]
            Level::Avx2($simd) => $simd.vectorize(
                #[inline(always)]
                || $work,
            ),
            #[cfg(any(target_arch = "x86", target_arch = "x86_64"))]
            Level::Sse2($simd) => $simd.vectorize(
                #[inline(always)]
                || $work,
            ),
            #[cfg(target_arch = "aarch64")]
            Level::Neon($simd) => $simd.vectorize(
                #[inline(always)]
                || $work,
            ),
            #[cfg(target_arch = "wasm32")]
            Level::WasmSimd128($simd) => $simd.vectorize(
                #[inline(always)]
                || $work,
            ),
            _ => unreachable!("instructions of another processor"),
        }
    }};
}
pub use dispatch_instructions as dispatch;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_value_names_instructions_of_this_machine_or_is_an_error() {
        for name in NAMES {
            match level_from(name) {
                Ok(level) => assert_eq!(level_name(level), name),
                Err(error) => {
                    assert!(error.to_string().contains(&format!("{VARIABLE}={name} is not available")));
                }
            }
        }
        let error = level_from("sse9").expect_err("unknown").to_string();
        let names = available().join(", ");
        assert_eq!(error, format!("CLOTH_SIMD=sse9 is unknown: set it to one of {names}, or not at all"));
        let error = level_from("scalar").expect_err("of no program").to_string();
        assert!(error.starts_with("CLOTH_SIMD=scalar is what tests compare vectors with"), "{error}");
        assert!(level_from("").is_err());
    }

    #[test]
    fn the_widest_instructions_are_among_the_available_ones() {
        let widest = level_name(Level::new());
        assert_eq!(available().last(), Some(&widest));
    }
}
