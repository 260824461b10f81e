//! Which vector instructions the machine has, which are used, and code that is compiled for each of them.
//!
//! All of them give the same bits: a lane's operations are the same, in the same order.

use std::sync::OnceLock;

use fearless_simd::{Fallback, Simd, SimdInto, f32x8};

pub use fearless_simd::Level;

/// The environment variable that forces the instructions: one of [`NAMES`].
pub const VARIABLE: &str = "CLOTH_SIMD";

/// The names of instructions, narrowest first; a machine has some of them.
pub const NAMES: [&str; 6] = ["scalar", "sse2", "avx2", "avx512", "neon", "simd128"];

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
    let widest = Level::new();
    match name {
        "scalar" => Some(Level::fallback()),
        #[cfg(any(target_arch = "x86", target_arch = "x86_64"))]
        "sse2" => widest.as_sse2().map(Level::Sse2),
        #[cfg(any(target_arch = "x86", target_arch = "x86_64"))]
        "avx2" => widest.as_avx2().map(Level::Avx2),
        #[cfg(any(target_arch = "x86", target_arch = "x86_64"))]
        "avx512" => widest.as_avx512().map(Level::Avx512),
        #[cfg(target_arch = "aarch64")]
        "neon" => widest.as_neon().map(Level::Neon),
        #[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
        "simd128" => matches!(widest, Level::WasmSimd128(_)).then_some(widest),
        _ => {
            let _ = widest;
            None
        }
    }
}

/// The instructions that are used: those that [`VARIABLE`] names, else the widest of the machine. The variable is
/// read once.
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
    let problem = if NAMES.contains(&value) { "is not available here" } else { "is unknown" };
    level_named(value).ok_or_else(|| InstructionsError { value: value.into(), problem })
}

/// [`chosen_level`], or the widest of the machine if the variable is wrong: for code that has no way to say so.
#[must_use]
pub fn level() -> Level {
    chosen_level().unwrap_or_else(|_| Level::new())
}

/// The name of instructions.
#[must_use]
pub fn level_name(level: Level) -> &'static str {
    crate::dispatch_instructions!(level, simd => simd.name())
}

/// Instructions: a token that proves that the machine has them.
pub trait Instructions: Simd {
    /// One of [`NAMES`].
    fn name(self) -> &'static str;

    /// Takes turns between the first two numbers of `a` and `b`, and between their last two, in each half of four:
    /// `a0 b0 a1 b1 a4 b4 a5 b5` and `a2 b2 a3 b3 a6 b6 a7 b7`.
    fn zip_halves(self, a: f32x8<Self>, b: f32x8<Self>) -> [f32x8<Self>; 2];
}

/// Instructions of up to four lanes: halves are registers.
macro_rules! four_lanes {
    ($token:ty, $name:literal) => {
        impl Instructions for $token {
            #[inline(always)]
            fn name(self) -> &'static str {
                $name
            }

            #[inline(always)]
            fn zip_halves(self, a: f32x8<Self>, b: f32x8<Self>) -> [f32x8<Self>; 2] {
                let ((a0, a1), (b0, b1)) = (self.split_f32x8(a), self.split_f32x8(b));
                [
                    self.combine_f32x4(self.zip_low_f32x4(a0, b0), self.zip_low_f32x4(a1, b1)),
                    self.combine_f32x4(self.zip_high_f32x4(a0, b0), self.zip_high_f32x4(a1, b1)),
                ]
            }
        }
    };
}

/// Instructions of eight lanes and more, which zip within halves.
#[cfg(target_arch = "x86_64")]
macro_rules! eight_lanes {
    ($token:ident, $name:literal) => {
        impl Instructions for fearless_simd::x86::$token {
            #[inline(always)]
            fn name(self) -> &'static str {
                $name
            }

            #[inline(always)]
            fn zip_halves(self, a: f32x8<Self>, b: f32x8<Self>) -> [f32x8<Self>; 2] {
                use fearless_simd::x86::$token;
                fearless_simd::kernel!(
                    #[inline(always)]
                    fn zip(token: $token, a: f32x8<$token>, b: f32x8<$token>) -> [f32x8<$token>; 2] {
                        use std::arch::x86_64::{__m256, _mm256_unpackhi_ps, _mm256_unpacklo_ps};
                        let (a, b): (__m256, __m256) = (a.into(), b.into());
                        [_mm256_unpacklo_ps(a, b).simd_into(token), _mm256_unpackhi_ps(a, b).simd_into(token)]
                    }
                );
                zip(self, a, b)
            }
        }
    };
}

four_lanes!(Fallback, "scalar");
#[cfg(any(target_arch = "x86", target_arch = "x86_64"))]
four_lanes!(fearless_simd::x86::Sse2, "sse2");
#[cfg(target_arch = "x86")]
four_lanes!(fearless_simd::x86::Avx2, "avx2");
#[cfg(target_arch = "x86")]
four_lanes!(fearless_simd::x86::Avx512, "avx512");
#[cfg(target_arch = "x86_64")]
eight_lanes!(Avx2, "avx2");
#[cfg(target_arch = "x86_64")]
eight_lanes!(Avx512, "avx512");
#[cfg(target_arch = "aarch64")]
four_lanes!(fearless_simd::aarch64::Neon, "neon");
#[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
four_lanes!(fearless_simd::wasm32::WasmSimd128, "simd128");

/// Evaluates an expression with the token of a [`Level`], compiled for its instructions: all that it calls has to
/// be `#[inline(always)]`. SSE4.2 counts as SSE2, so that there is one version less.
#[macro_export]
#[doc(hidden)]
macro_rules! dispatch_instructions {
    ($level:expr, $simd:ident => $work:expr) => {{
        use $crate::lanes::{Level, VectorCode as _};
        let level: Level = $level;
        #[cfg(any(target_arch = "x86", target_arch = "x86_64"))]
        let level =
            if let Level::Sse4_2(_) = level { level.as_sse2().map_or(level, Level::Sse2) } else { level };
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
            #[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
            Level::WasmSimd128($simd) => $simd.vectorize(
                #[inline(always)]
                || $work,
            ),
            Level::Fallback($simd) => $simd.vectorize(
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
                    assert!(error.to_string().contains(&format!("{VARIABLE}={name} is not available")))
                }
            }
        }
        let error = level_from("sse9").expect_err("unknown").to_string();
        assert!(error.starts_with("CLOTH_SIMD=sse9 is unknown: set it to one of scalar"), "{error}");
        assert!(level_from("").is_err());
    }

    #[test]
    fn the_widest_instructions_are_among_the_available_ones() {
        let widest = level_name(Level::new());
        assert_eq!(available().last(), Some(&widest));
        assert_eq!(available()[0], "scalar");
    }
}
