//! The numbers that positions are made of, and what the lists see of them.
//!
//! Planes and exact decisions take every position as it is: each `f32` and `f64` is an exact number in `f64`.
//! The lists work in `f32`: they see `f64` positions relative to an origin amid the mesh, rounded, and the
//! reaches of their surface are wider by the largest change of a distance that rounding can cause. So they
//! contain every pair that may come near, and a few more where distances are of the order of `f32` roundings.
//!
//! Rounding belongs to a vertex: one that is far from the origin widens the reaches of its own primitives.
//!
//! ```text
//!    common     the middle of all       common                                  a far vertex
//!  |<-- r -->| . . . . + . . . . |<-- r -->|         . . . .         |<----- r of this one ----->|
//! ```

use std::fmt::Debug;
use std::sync::Arc;

use bytemuck::Pod;
use cloth_geom::MapInline;
use cloth_geom::bounds::{U32, U64, gamma};
use cloth_geom::lanes::{Instructions, LANES8, WideLanes, gather_wide, minus};
use nalgebra::{Point3, Scalar};

use crate::Surface;

#[cfg(test)]
mod tests;

mod sealed {
    pub trait Sealed {}
    impl Sealed for f32 {}
    impl Sealed for f64 {}
}

/// A coordinate of a position (m): `f32` or `f64`.
pub trait Coordinate: sealed::Sealed + Scalar + Pod + Default + PartialOrd + Into<f64> + Send + Sync {
    /// What is kept of the positions for the lists.
    #[doc(hidden)]
    type Rounded: Clone + Debug + Default + Send + Sync;

    /// The distance of 1 to the next greater number.
    const ULP_OF_ONE: f64;

    /// The nearest number of this kind.
    #[must_use]
    fn nearest(x: f64) -> Self;

    /// A surface and a motion (m) for lists: they contain every pair that may come within its reach in the
    /// given ones.
    #[doc(hidden)]
    fn for_lists<'a>(
        rounded: &'a mut Self::Rounded,
        surface: &'a Surface,
        start: &'a [Point3<Self>],
        end: &'a [Point3<Self>],
    ) -> ForLists<'a>;

    /// Eight positions relative to eight others (m), each coordinate within a relative error of `2^-24 +
    /// 2^-53`.
    #[doc(hidden)]
    fn gather_relative<S: Instructions>(
        simd: S,
        positions: &[Point3<Self>],
        ids: [u32; LANES8],
        origins: &[Point3<Self>],
        origin_ids: [u32; LANES8],
    ) -> [WideLanes<S>; 3];
}

/// A surface and a motion (m) as lists see them.
#[doc(hidden)]
#[derive(Clone, Copy, Debug)]
pub struct ForLists<'a> {
    pub(crate) surface: &'a Surface,
    pub(crate) start: &'a [Point3<f32>],
    pub(crate) end: &'a [Point3<f32>],
}

/// A position in `f64`, which represents it exactly.
#[inline(always)]
pub(crate) fn exact<T: Coordinate>(p: &Point3<T>) -> Point3<f64> {
    Point3::new(p.x.into(), p.y.into(), p.z.into())
}

/// The nearest position.
#[inline(always)]
pub(crate) fn nearest<T: Coordinate>(p: &Point3<f64>) -> Point3<T> {
    Point3::new(T::nearest(p.x), T::nearest(p.y), T::nearest(p.z))
}

impl Coordinate for f32 {
    type Rounded = ();
    const ULP_OF_ONE: f64 = 2.0 * U32;

    #[inline(always)]
    fn nearest(x: f64) -> Self {
        x as Self
    }

    #[inline(always)]
    fn for_lists<'a>(
        (): &'a mut (),
        surface: &'a Surface,
        start: &'a [Point3<Self>],
        end: &'a [Point3<Self>],
    ) -> ForLists<'a> {
        ForLists { surface, start, end }
    }

    #[inline(always)]
    fn gather_relative<S: Instructions>(
        simd: S,
        positions: &[Point3<Self>],
        ids: [u32; LANES8],
        origins: &[Point3<Self>],
        origin_ids: [u32; LANES8],
    ) -> [WideLanes<S>; 3] {
        minus(&gather_wide(simd, positions, ids), &gather_wide(simd, origins, origin_ids))
    }
}

impl Coordinate for f64 {
    type Rounded = RoundedMotion;
    const ULP_OF_ONE: f64 = 2.0 * U64;

    #[inline(always)]
    fn nearest(x: f64) -> Self {
        x
    }

    fn for_lists<'a>(
        rounded: &'a mut RoundedMotion,
        surface: &'a Surface,
        start: &'a [Point3<Self>],
        end: &'a [Point3<Self>],
    ) -> ForLists<'a> {
        rounded.round(surface, start, end)
    }

    #[inline(always)]
    fn gather_relative<S: Instructions>(
        simd: S,
        positions: &[Point3<Self>],
        ids: [u32; LANES8],
        origins: &[Point3<Self>],
        origin_ids: [u32; LANES8],
    ) -> [WideLanes<S>; 3] {
        let mut rows = [[0.0; LANES8]; 3];
        for lane in 0..LANES8 {
            let d = positions[ids[lane] as usize] - origins[origin_ids[lane] as usize];
            for (row, d) in rows.iter_mut().zip(d.iter()) {
                row[lane] = *d as f32;
            }
        }
        rows.map_inline(|row| simd.load_eight(&row))
    }
}

/// A motion relative to an origin, rounded to `f32`, and a surface that knows by how much.
#[doc(hidden)]
#[derive(Clone, Debug, Default)]
pub struct RoundedMotion {
    origin: Point3<f64>,
    /// The rounding (m) of most vertices: of all that are not far from the others.
    common: f32,
    /// The given one with the roundings of all vertices.
    surface: Option<Surface>,
    start: Vec<Point3<f32>>,
    end: Vec<Point3<f32>>,
    /// Scratch memory: coordinates (m), or roundings.
    numbers: Vec<f64>,
}

/// The common rounding as a multiple of the median at a new origin: vertices move by a few times their
/// distance from the middle until they are rounded by more, and another search is due.
const COMMON: f32 = 4.0;

/// A rounding is kept while it is at most this many times what it has to be: the common one of its median,
/// that of a vertex far away of its own.
const MOST_COMMON: f32 = 4.0 * COMMON;
const MOST_OWN: f32 = 8.0;

impl RoundedMotion {
    fn round(&mut self, surface: &Surface, start: &[Point3<f64>], end: &[Point3<f64>]) -> ForLists<'_> {
        let is_same = |own: &Surface| {
            Arc::ptr_eq(&own.leaves, &surface.leaves)
                && own.half_scr == surface.half_scr
                && own.radius == surface.radius
        };
        let mut own = self.surface.take().filter(is_same).unwrap_or_else(|| surface.clone());
        own.rounding.resize(start.len(), 0.0);
        let (mut fits, mut wide) = (true, 0);
        for ((&own, from), to) in own.rounding.iter().zip(start).zip(end) {
            let least = rounding([from, to], &self.origin);
            fits &= least <= own && own <= self.common.max(MOST_OWN * least);
            wide += usize::from(MOST_COMMON * least >= self.common);
        }
        if !fits || 2 * wide < start.len() {
            self.begin(&mut own.rounding, start, end);
        }
        let relative = |p: &Point3<f64>| Point3::from((p - self.origin).cast::<f32>());
        for (to, from) in [(&mut self.start, start), (&mut self.end, end)] {
            to.clear();
            to.extend(from.iter().map(relative));
        }
        ForLists { surface: self.surface.insert(own), start: &self.start, end: &self.end }
    }

    /// Moves the origin to the middle, and replaces the roundings (m) that are too small or far too large.
    ///
    /// Lists have to be searched again where one is replaced, so they have room to move.
    fn begin(&mut self, roundings: &mut [f32], start: &[Point3<f64>], end: &[Point3<f64>]) {
        self.origin = middle(start, &mut self.numbers);
        let ends = || start.iter().zip(end).map(|(from, to)| rounding([from, to], &self.origin));
        self.numbers.clear();
        self.numbers.extend(ends().map(f64::from));
        let median = median(&mut self.numbers) as f32;
        if !(0.5 * COMMON * median..=MOST_COMMON * median).contains(&self.common) {
            self.common = COMMON * median;
        }
        for (own, least) in roundings.iter_mut().zip(ends()) {
            if least <= self.common {
                *own = self.common;
            } else if !(least..=MOST_OWN * least).contains(own) {
                *own = 2.0 * least;
            }
        }
    }
}

/// The middle of positions (m): along each axis, as many are on one side of it as on the other, so that a few
/// far ones do not move it.
pub(crate) fn middle<T: Coordinate>(positions: &[Point3<T>], numbers: &mut Vec<f64>) -> Point3<f64> {
    Point3::from([0, 1, 2].map(|k| {
        numbers.clear();
        numbers.extend(positions.iter().map(|p| p[k].into()));
        median(numbers)
    }))
}

/// The median, or the number above it; 0 of none.
pub(crate) fn median(numbers: &mut [f64]) -> f64 {
    match numbers.len() {
        0 => 0.0,
        count => *numbers.select_nth_unstable_by(count / 2, f64::total_cmp).1,
    }
}

/// How far (m) a vertex with these ends (m) may be from where the lists see it, relative to an origin (m).
///
/// A coordinate's difference to the origin is rounded to `f64` and then to `f32`, by less than `2^-24 +
/// 2^-52` of it, or by `2^-150` where it is subnormal; over three coordinates, by the square root of 3 as
/// much. The last factor is for the roundings here.
fn rounding([start, end]: [&Point3<f64>; 2], origin: &Point3<f64>) -> f32 {
    let farthest = (start - origin).amax().max((end - origin).amax());
    let off = 3.0_f64.sqrt() * (farthest * U32 * (1.0 + gamma(8, U32)) + f64::from(f32::MIN_POSITIVE));
    (off * (1.0 + 4.0 * U32)) as f32
}
