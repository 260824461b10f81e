//! Several items at a time, each in a lane of its own: all SIMD code of the project.
//!
//! A lane's operations are those of nalgebra's vectors of three, in the same order and without a fused one,
//! so that what four or eight lanes compute is what one vector after the other would, bit for bit. The
//! functions are written once, for any number of lanes ([`Simd`]). [`WideLanes`] use the widest instructions
//! of the machine, in functions that are compiled for several ([`dispatch`]); [`Lanes`] those that every
//! machine has, anywhere. A [`Block`] is lanes in memory.

use std::fmt::Debug;
use std::ops::{Add, AddAssign, BitAnd, BitOr, Div, Index, Mul, Neg, Sub, SubAssign};

mod instructions;

use crate::MapInline;
use fearless_simd::{ExtractToken, Select, SimdFloat, SimdInto, SimdMask, f32x4, f32x8};
pub use fearless_simd::{Simd as VectorCode, SimdBase};
pub use instructions::{
    Baseline, Instructions, InstructionsError, Level, NAMES, VARIABLE, available, baseline, chosen_level,
    dispatch, level, level_name, level_named,
};

/// The vector instructions that the program is compiled for. They change no bit.
pub const INSTRUCTION_SET: &str = if cfg!(target_feature = "avx2") {
    "avx2"
} else if cfg!(target_feature = "sse2") {
    "sse2"
} else if cfg!(target_feature = "neon") {
    "neon"
} else {
    "simd128"
};

/// Lanes of [`Quad`].
pub const LANES: usize = 4;

/// Lanes of [`WideLanes`].
pub const LANES8: usize = 8;

/// One number of eight items, in the widest registers of the instructions for which code is compiled
/// ([`dispatch`]).
pub type WideLanes<S> = f32x8<S>;

/// One number of four items, or four of one item.
pub type Quad<S> = f32x4<S>;

/// One number of four items, in registers that every machine has.
pub type Lanes = Quad<Baseline>;

/// One vector of four items, by coordinate.
pub type Lanes3 = [Lanes; 3];

/// A number of several items, whatever their count: what the functions of this module need of it.
pub trait Simd:
    Copy
    + Debug
    + Add<Output = Self>
    + AddAssign
    + Sub<Output = Self>
    + SubAssign
    + Mul<Output = Self>
    + Div<Output = Self>
    + Neg<Output = Self>
{
    /// Whether something holds, for each item.
    type Mask: Copy + BitAnd<Output = Self::Mask> + BitOr<Output = Self::Mask>;

    /// The numbers in memory.
    type Array: Copy + Debug + Index<usize, Output = f32>;

    /// A number in as many lanes as this has.
    #[must_use]
    fn like(self, number: f32) -> Self;

    /// The numbers of all items.
    #[must_use]
    fn numbers(self) -> Self::Array;

    /// The magnitudes.
    #[must_use]
    fn magnitude(self) -> Self;

    /// Bit mask of the lanes of a mask that are set.
    #[must_use]
    fn bits(mask: Self::Mask) -> u32;

    /// The square roots.
    #[must_use]
    fn sqrt(self) -> Self;

    /// The lanes whose number is less.
    #[must_use]
    fn is_less(self, than: Self) -> Self::Mask;

    /// The lanes whose numbers are equal.
    #[must_use]
    fn is_equal(self, to: Self) -> Self::Mask;

    /// Whether a mask is set in any lane.
    fn any(mask: Self::Mask) -> bool;

    /// Whether a mask is set in all lanes.
    fn all(mask: Self::Mask) -> bool;

    /// The numbers of `a` in the lanes where the mask is set, else those of `b`.
    #[must_use]
    fn choose(mask: Self::Mask, a: Self, b: Self) -> Self;

    /// The lesser of two numbers; the other where one is not a number.
    #[must_use]
    fn or_lesser(self, other: Self) -> Self;

    /// The greater of two numbers; the other where one is not a number.
    #[must_use]
    fn or_greater(self, other: Self) -> Self;

    /// The result of `with` for an initial value and the first number, for that and the second, and so on.
    fn fold(self, initial: f32, with: impl FnMut(f32, f32) -> f32) -> f32;
}

/// Whether the instructions for the least and the greatest of two numbers give the second one where one is
/// not a number, or where both are zero.
const GIVES_SECOND: bool = cfg!(any(target_arch = "x86", target_arch = "x86_64"));

impl<S: VectorCode, L> Simd for L
where
    L: ExtractToken<S = S> + SimdFloat<S, Element = f32>,
    <L as SimdBase<S>>::Array: Index<usize, Output = f32>,
{
    type Mask = <L as SimdBase<S>>::Mask;
    type Array = <L as SimdBase<S>>::Array;

    #[inline(always)]
    fn like(self, number: f32) -> Self {
        SimdBase::splat(self.token(), number)
    }

    #[inline(always)]
    fn numbers(self) -> Self::Array {
        self.to_array()
    }

    #[inline(always)]
    fn magnitude(self) -> Self {
        self.abs()
    }

    #[inline(always)]
    fn bits(mask: Self::Mask) -> u32 {
        mask.to_bitmask() as u32
    }

    #[inline(always)]
    fn sqrt(self) -> Self {
        SimdFloat::sqrt(self)
    }

    #[inline(always)]
    fn is_less(self, than: Self) -> Self::Mask {
        self.simd_lt(than)
    }

    #[inline(always)]
    fn is_equal(self, to: Self) -> Self::Mask {
        self.simd_eq(to)
    }

    #[inline(always)]
    fn any(mask: Self::Mask) -> bool {
        mask.any_true()
    }

    #[inline(always)]
    fn all(mask: Self::Mask) -> bool {
        mask.all_true()
    }

    #[inline(always)]
    fn choose(mask: Self::Mask, a: Self, b: Self) -> Self {
        mask.select(a, b)
    }

    #[inline(always)]
    fn or_lesser(self, other: Self) -> Self {
        if GIVES_SECOND { self.min(other) } else { self.simd_lt(other).select(self, other) }
    }

    #[inline(always)]
    fn or_greater(self, other: Self) -> Self {
        if GIVES_SECOND { self.max(other) } else { other.simd_lt(self).select(self, other) }
    }

    #[inline(always)]
    fn fold(self, initial: f32, with: impl FnMut(f32, f32) -> f32) -> f32 {
        self.to_array().into_iter().fold(initial, with)
    }
}

/// Four points or vectors of a list.
///
/// # Panics
/// If the list is shorter.
#[inline(always)]
#[must_use]
pub fn gather<T: Copy + Into<[f32; 3]>>(list: &[T], v: [u32; LANES]) -> Lanes3 {
    // Spelled out: a closure takes more instructions here, whichever way the array is mapped.
    let [p, q, r, s]: [[f32; 3]; LANES] = [
        list[v[0] as usize].into(),
        list[v[1] as usize].into(),
        list[v[2] as usize].into(),
        list[v[3] as usize].into(),
    ];
    [lanes([p[0], q[0], r[0], s[0]]), lanes([p[1], q[1], r[1], s[1]]), lanes([p[2], q[2], r[2], s[2]])]
}

/// One number of four items.
#[inline(always)]
#[must_use]
pub fn lanes(numbers: [f32; LANES]) -> Lanes {
    numbers.simd_into(baseline())
}

/// The same number of four items.
#[inline(always)]
#[must_use]
pub fn splat(number: f32) -> Lanes {
    number.simd_into(baseline())
}

/// Eight points or vectors of a list, in the widest registers.
///
/// # Panics
/// If the list is shorter.
#[inline(always)]
#[must_use]
pub fn gather_wide<S: Instructions, T: Copy + Into<[f32; 3]>>(
    simd: S,
    list: &[T],
    v: [u32; LANES8],
) -> [WideLanes<S>; 3] {
    let all: [[f32; 3]; LANES8] = v.map_inline(|v| list[v as usize].into());
    let numbers = |k: usize| simd.load_eight(&all.map_inline(|v| v[k]));
    [numbers(0), numbers(1), numbers(2)]
}

/// The four corners of eight pairs of primitives, by corner; as [`gather_wide`].
///
/// # Panics
/// If the list is shorter.
#[inline(always)]
#[must_use]
pub fn gather_corners<S: Instructions, T: Copy + Into<[f32; 3]>>(
    simd: S,
    list: &[T],
    corners: &[[u32; 4]; LANES8],
) -> [[WideLanes<S>; 3]; 4] {
    [
        gather_wide(simd, list, corners.map_inline(|of| of[0])),
        gather_wide(simd, list, corners.map_inline(|of| of[1])),
        gather_wide(simd, list, corners.map_inline(|of| of[2])),
        gather_wide(simd, list, corners.map_inline(|of| of[3])),
    ]
}

/// Gathers one value per item of a group of up to eight; the last one is repeated in unused lanes.
///
/// # Panics
/// If the group is empty.
#[inline(always)]
#[must_use]
pub fn lanes_of_group<T, U>(group: &[T], of: impl Fn(&T) -> U) -> [U; LANES8] {
    let last = group.len() - 1;
    [0, 1, 2, 3, 4, 5, 6, 7].map_inline(|l: usize| of(&group[last.min(l)]))
}

/// `a + b`.
#[inline(always)]
#[must_use]
pub fn plus<L: Simd>(a: &[L; 3], b: &[L; 3]) -> [L; 3] {
    [a[0] + b[0], a[1] + b[1], a[2] + b[2]]
}

/// `a - b`.
#[inline(always)]
#[must_use]
pub fn minus<L: Simd>(a: &[L; 3], b: &[L; 3]) -> [L; 3] {
    [a[0] - b[0], a[1] - b[1], a[2] - b[2]]
}

/// `a s`.
#[inline(always)]
#[must_use]
pub fn scaled<L: Simd>(a: &[L; 3], s: L) -> [L; 3] {
    [a[0] * s, a[1] * s, a[2] * s]
}

/// `a / s`, each coordinate divided.
#[inline(always)]
#[must_use]
pub fn divided<L: Simd>(a: &[L; 3], s: L) -> [L; 3] {
    [a[0] / s, a[1] / s, a[2] / s]
}

/// `a + b s`.
#[inline(always)]
#[must_use]
pub fn plus_scaled<L: Simd>(a: &[L; 3], b: &[L; 3], s: L) -> [L; 3] {
    [a[0] + b[0] * s, a[1] + b[1] * s, a[2] + b[2] * s]
}

/// Coordinate by coordinate.
#[inline(always)]
#[must_use]
pub fn times<L: Simd>(a: &[L; 3], b: &[L; 3]) -> [L; 3] {
    [a[0] * b[0], a[1] * b[1], a[2] * b[2]]
}

/// The scalar product.
#[inline(always)]
#[must_use]
pub fn dot<L: Simd>(a: &[L; 3], b: &[L; 3]) -> L {
    (a[0] * b[0] + a[1] * b[1]) + a[2] * b[2]
}

/// The cross product.
#[inline(always)]
#[must_use]
pub fn cross<L: Simd>(a: &[L; 3], b: &[L; 3]) -> [L; 3] {
    [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
}

/// The length.
#[inline(always)]
#[must_use]
pub fn norm<L: Simd>(a: &[L; 3]) -> L {
    dot(a, a).sqrt()
}

/// `a` in the lanes where the mask is set, else `b`.
#[inline(always)]
#[must_use]
pub fn chosen<L: Simd>(mask: L::Mask, a: &[L; 3], b: &[L; 3]) -> [L; 3] {
    [L::choose(mask, a[0], b[0]), L::choose(mask, a[1], b[1]), L::choose(mask, a[2], b[2])]
}

/// The lesser of two numbers; `b` where one is not a number.
#[inline(always)]
#[must_use]
pub fn lesser<L: Simd>(a: L, b: L) -> L {
    a.or_lesser(b)
}

/// The greater of two numbers; `b` where one is not a number.
#[inline(always)]
#[must_use]
pub fn greater<L: Simd>(a: L, b: L) -> L {
    a.or_greater(b)
}

/// Includes vectors in the ranges from `low` to `high`.
#[inline(always)]
pub fn include<L: Simd>(low: &mut [L; 3], high: &mut [L; 3], v: &[L; 3]) {
    for c in 0..3 {
        low[c] = lesser(v[c], low[c]);
        high[c] = greater(v[c], high[c]);
    }
}

/// The least number of all lanes, of those that are numbers.
#[inline(always)]
#[must_use]
pub fn least_lane<L: Simd>(a: L) -> f32 {
    a.fold(f32::INFINITY, |least, x| if x < least { x } else { least })
}

/// The greatest number of all lanes, of those that are numbers.
#[inline(always)]
#[must_use]
pub fn greatest_lane<L: Simd>(a: L) -> f32 {
    a.fold(f32::NEG_INFINITY, |greatest, x| if x > greatest { x } else { greatest })
}

/// `N` numbers of each of eight items.
#[derive(Clone, Copy, Debug, PartialEq)]
#[repr(align(32))]
pub struct Block<const N: usize>([[f32; LANES8]; N]);

impl<const N: usize> Default for Block<N> {
    fn default() -> Self {
        Self([[0.0; LANES8]; N])
    }
}

impl<const N: usize> Block<N> {
    /// Number `k` of each item.
    #[inline(always)]
    #[must_use]
    pub fn numbers(&self, k: usize) -> &[f32; LANES8] {
        &self.0[k]
    }

    /// Number `k` of each item, in the widest registers.
    #[inline(always)]
    #[must_use]
    pub fn wide<S: Instructions>(&self, simd: S, k: usize) -> WideLanes<S> {
        simd.load_eight(&self.0[k])
    }

    /// The numbers from `k` on, as a vector of each item.
    #[inline(always)]
    #[must_use]
    pub fn wide_vectors<S: Instructions>(&self, simd: S, k: usize) -> [WideLanes<S>; 3] {
        [self.wide(simd, k), self.wide(simd, k + 1), self.wide(simd, k + 2)]
    }

    /// Number `k` of an item, in all lanes.
    #[inline(always)]
    #[must_use]
    pub fn wide_splat<S: Instructions>(&self, simd: S, k: usize, lane: usize) -> WideLanes<S> {
        simd.splat_eight(self.0[k][lane])
    }

    /// The vector of an item from number `k` on, in all lanes.
    #[inline(always)]
    #[must_use]
    pub fn wide_splat_vector<S: Instructions>(&self, simd: S, k: usize, lane: usize) -> [WideLanes<S>; 3] {
        [
            self.wide_splat(simd, k, lane),
            self.wide_splat(simd, k + 1, lane),
            self.wide_splat(simd, k + 2, lane),
        ]
    }

    /// Sets number `k` of each item.
    #[inline(always)]
    pub fn set_numbers(&mut self, k: usize, numbers: [f32; LANES8]) {
        self.0[k] = numbers;
    }

    /// Sets the numbers from `k` on to a vector of each item.
    #[inline(always)]
    pub fn set_vectors<S: Instructions>(&mut self, k: usize, [x, y, z]: [WideLanes<S>; 3]) {
        self.set_numbers(k, x.numbers());
        self.set_numbers(k + 1, y.numbers());
        self.set_numbers(k + 2, z.numbers());
    }
}

impl Block<3> {
    /// Of eight points or vectors of a list.
    ///
    /// # Panics
    /// If the list is shorter.
    #[inline(always)]
    #[must_use]
    pub fn gather<T: Copy + Into<[f32; 3]>>(list: &[T], ids: &[u32; LANES8]) -> Self {
        let mut block = Self::default();
        for (lane, &id) in ids.iter().enumerate() {
            let v: [f32; 3] = list[id as usize].into();
            for k in 0..3 {
                block.0[k][lane] = v[k];
            }
        }
        block
    }

    /// The vector of an item.
    #[inline(always)]
    #[must_use]
    pub fn item(&self, lane: usize) -> [f32; 3] {
        [self.0[0][lane], self.0[1][lane], self.0[2][lane]]
    }
}

/// Bit mask of the lanes of a block that are occupied, if `count` items are stored in blocks of eight.
#[inline(always)]
#[must_use]
pub fn occupied_lanes(count: usize, block: usize) -> u32 {
    let left = count.saturating_sub(block * LANES8).min(LANES8);
    (1 << left) - 1
}

/// The places of the bits that are set, ascending.
#[inline(always)]
pub fn set_bits(mut bits: u32) -> impl Iterator<Item = usize> {
    std::iter::from_fn(move || {
        let place = (bits != 0).then(|| bits.trailing_zeros() as usize);
        bits &= bits.wrapping_sub(1);
        place
    })
}

#[cfg(test)]
mod tests;
