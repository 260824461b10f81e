//! Eight numbers one by one, for machines without vectors.
//!
//! Operations are spelled out, without a loop: functions that are written for vectors have hundreds of them,
//! and with a loop in each, compiling one such function took longer than five minutes.

use std::ops::{Add, AddAssign, BitAnd, BitOr, Div, Mul, Sub, SubAssign};

use fearless_simd::Fallback;

use super::{LANES8, Simd};
use crate::MapInline;

/// Eight numbers.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Eight([f32; LANES8]);

impl Eight {
    /// The same number eight times.
    #[inline(always)]
    pub(super) fn splat(_: Fallback, number: f32) -> Self {
        Self([number; LANES8])
    }

    /// Eight numbers of memory.
    #[inline(always)]
    pub(super) fn load_array_ref(_: Fallback, numbers: &[f32; LANES8]) -> Self {
        Self(*numbers)
    }
}

/// For which of eight numbers something holds.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct EightMask([bool; LANES8]);

/// One result for each lane. Where the module may have to run without vectors, all of it becomes one
/// function; where `CLOTH_SIMD=scalar` alone asks for it, that would take the compiler three times as long.
#[cfg_attr(target_arch = "wasm32", inline(always))]
#[cfg_attr(not(target_arch = "wasm32"), inline(never))]
fn each<T>(of: impl FnMut(usize) -> T) -> [T; LANES8] {
    [0, 1, 2, 3, 4, 5, 6, 7].map_inline(of)
}

macro_rules! operation {
    ($trait:ident, $name:ident, $type:ident) => {
        impl $trait for $type {
            type Output = Self;

            #[inline(always)]
            fn $name(self, other: Self) -> Self {
                Self(each(|l| self.0[l].$name(other.0[l])))
            }
        }
    };
    ($trait:ident, $name:ident, $assign:ident, $name_assign:ident) => {
        operation!($trait, $name, Eight);

        impl $assign for Eight {
            #[inline(always)]
            fn $name_assign(&mut self, other: Self) {
                *self = $trait::$name(*self, other);
            }
        }
    };
}

operation!(Add, add, AddAssign, add_assign);
operation!(Sub, sub, SubAssign, sub_assign);
operation!(Mul, mul, Eight);
operation!(Div, div, Eight);
operation!(BitAnd, bitand, EightMask);
operation!(BitOr, bitor, EightMask);

impl Simd for Eight {
    type Mask = EightMask;
    type Array = [f32; LANES8];

    #[inline(always)]
    fn like(self, number: f32) -> Self {
        Self([number; LANES8])
    }

    #[inline(always)]
    fn numbers(self) -> [f32; LANES8] {
        self.0
    }

    #[inline(always)]
    fn magnitude(self) -> Self {
        Self(each(|l| self.0[l].abs()))
    }

    #[inline(always)]
    fn bits(mask: EightMask) -> u32 {
        let [a, b, c, d, e, f, g, h] = each(|l| u32::from(mask.0[l]) << l);
        a | b | c | d | e | f | g | h
    }

    #[inline(always)]
    fn sqrt(self) -> Self {
        Self(each(|l| self.0[l].sqrt()))
    }

    #[inline(always)]
    fn is_less(self, than: Self) -> EightMask {
        EightMask(each(|l| self.0[l] < than.0[l]))
    }

    #[inline(always)]
    fn is_equal(self, to: Self) -> EightMask {
        EightMask(each(|l| self.0[l] == to.0[l]))
    }

    #[inline(always)]
    fn any(mask: EightMask) -> bool {
        Self::bits(mask) != 0
    }

    #[inline(always)]
    fn all(mask: EightMask) -> bool {
        Self::bits(mask) == u32::from(u8::MAX)
    }

    #[inline(always)]
    fn choose(mask: EightMask, a: Self, b: Self) -> Self {
        Self(each(|l| if mask.0[l] { a.0[l] } else { b.0[l] }))
    }

    #[inline(always)]
    fn fold(self, initial: f32, with: impl FnMut(f32, f32) -> f32) -> f32 {
        self.0.into_iter().fold(initial, with)
    }
}
