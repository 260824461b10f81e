//! Blocks of eight items as structure of arrays, for SIMD.
//!
//! Each lane performs the operations of scalar code in the same order without fusing, so results do not
//! depend on the SIMD width.

use wide::f32x8;

/// Items in a block.
pub(crate) const LANES: usize = 8;

/// A vector of each item of a block, by coordinate.
pub(crate) type Vectors = [f32x8; 3];

/// `N` numbers of each of eight items.
#[derive(Clone, Copy, Debug, PartialEq)]
#[repr(align(32))]
pub(crate) struct Block<const N: usize>([[f32; LANES]; N]);

impl<const N: usize> Default for Block<N> {
    fn default() -> Self {
        Self([[0.0; LANES]; N])
    }
}

impl<const N: usize> Block<N> {
    /// Number `k` of each item.
    #[inline(always)]
    pub(crate) fn numbers(&self, k: usize) -> f32x8 {
        f32x8::new(self.0[k])
    }

    /// The numbers from `k` on, as a vector of each item.
    #[inline(always)]
    pub(crate) fn vectors(&self, k: usize) -> Vectors {
        [self.numbers(k), self.numbers(k + 1), self.numbers(k + 2)]
    }

    #[inline(always)]
    pub(crate) fn set_numbers(&mut self, k: usize, numbers: f32x8) {
        self.0[k] = numbers.to_array();
    }

    #[inline(always)]
    pub(crate) fn set_vectors(&mut self, k: usize, [x, y, z]: Vectors) {
        self.set_numbers(k, x);
        self.set_numbers(k + 1, y);
        self.set_numbers(k + 2, z);
    }

    /// Number `k` of an item, in all lanes.
    #[inline(always)]
    pub(crate) fn splat(&self, k: usize, lane: usize) -> f32x8 {
        f32x8::splat(self.0[k][lane])
    }

    /// The vector of an item from number `k` on, in all lanes.
    #[inline(always)]
    pub(crate) fn splat_vector(&self, k: usize, lane: usize) -> Vectors {
        [self.splat(k, lane), self.splat(k + 1, lane), self.splat(k + 2, lane)]
    }

    /// Copies an item of another block.
    #[inline(always)]
    pub(crate) fn copy_item(&mut self, lane: usize, other: &Self, other_lane: usize) {
        for k in 0..N {
            self.0[k][lane] = other.0[k][other_lane];
        }
    }
}

impl Block<3> {
    /// Of eight points or vectors of a list.
    #[inline(always)]
    pub(crate) fn gather<T: Copy + Into<[f32; 3]>>(list: &[T], ids: &[u32; LANES]) -> Self {
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
    pub(crate) fn item(&self, lane: usize) -> [f32; 3] {
        [self.0[0][lane], self.0[1][lane], self.0[2][lane]]
    }
}

/// Bit mask of the lanes of a block that are occupied, if `count` items are stored in blocks of eight.
#[inline(always)]
pub(crate) fn occupied_lanes(count: usize, block: usize) -> u32 {
    let left = count.saturating_sub(block * LANES).min(LANES);
    (1 << left) - 1
}

/// The places of the bits that are set, ascending.
#[inline(always)]
pub(crate) fn set_bits(mut bits: u32) -> impl Iterator<Item = usize> {
    std::iter::from_fn(move || {
        let place = (bits != 0).then(|| bits.trailing_zeros() as usize);
        bits &= bits.wrapping_sub(1);
        place
    })
}

/// `a - b`.
#[inline(always)]
pub(crate) fn minus(a: &Vectors, b: &Vectors) -> Vectors {
    [a[0] - b[0], a[1] - b[1], a[2] - b[2]]
}

/// The scalar product.
#[inline(always)]
pub(crate) fn dot(a: &Vectors, b: &Vectors) -> f32x8 {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}

/// The cross product.
#[inline(always)]
pub(crate) fn cross(a: &Vectors, b: &Vectors) -> Vectors {
    [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
}

/// A vector in all lanes.
#[inline(always)]
pub(crate) fn splat(v: [f32; 3]) -> Vectors {
    [f32x8::splat(v[0]), f32x8::splat(v[1]), f32x8::splat(v[2])]
}

/// The sum of all lanes, in their order.
#[inline(always)]
pub(crate) fn sum(lanes: f32x8) -> f32 {
    lanes.to_array().into_iter().fold(0.0, |sum, x| sum + x)
}
