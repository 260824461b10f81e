//! The numbers that positions are made of, and what the lists see of them.
//!
//! Planes and exact decisions take every position as it is: each `f32` and `f64` is an exact number in `f64`.
//! The lists work in `f32`. Of `f64` positions they see those relative to an origin near the mesh, rounded,
//! on a surface whose reaches are wider by all that this can change of a distance. So they contain every pair
//! that may come near, and a few more where distances are of the order of `f32` roundings.

use std::fmt::Debug;
use std::sync::Arc;

use bytemuck::Pod;
use cloth_geom::bounds::{U32, U64, gamma};
use cloth_geom::lanes::{LANES, Lanes, Lanes3, gather, minus};
use nalgebra::{Point3, Scalar, Vector3};

use crate::Surface;

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

    /// Four positions relative to four others (m), each coordinate within a relative error of `2^-24 +
    /// 2^-53`.
    #[doc(hidden)]
    fn gather_relative(
        positions: &[Point3<Self>],
        ids: [u32; LANES],
        origins: &[Point3<Self>],
        origin_ids: [u32; LANES],
    ) -> Lanes3;
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
    fn gather_relative(
        positions: &[Point3<Self>],
        ids: [u32; LANES],
        origins: &[Point3<Self>],
        origin_ids: [u32; LANES],
    ) -> Lanes3 {
        minus(&gather(positions, ids), &gather(origins, origin_ids))
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
    fn gather_relative(
        positions: &[Point3<Self>],
        ids: [u32; LANES],
        origins: &[Point3<Self>],
        origin_ids: [u32; LANES],
    ) -> Lanes3 {
        let mut rows = [[0.0; LANES]; 3];
        for lane in 0..LANES {
            let d = positions[ids[lane] as usize] - origins[origin_ids[lane] as usize];
            for (row, d) in rows.iter_mut().zip(d.iter()) {
                row[lane] = *d as f32;
            }
        }
        rows.map(Lanes::new)
    }
}

/// A motion relative to an origin, rounded to `f32`, and a surface that is wider by what that may change.
#[doc(hidden)]
#[derive(Clone, Debug, Default)]
pub struct RoundedMotion {
    origin: Point3<f64>,
    /// Greatest distance (m) of a coordinate from the origin that the surface is wide enough for.
    extent: f64,
    surface: Option<Surface>,
    start: Vec<Point3<f32>>,
    end: Vec<Point3<f32>>,
}

impl RoundedMotion {
    fn round(&mut self, surface: &Surface, start: &[Point3<f64>], end: &[Point3<f64>]) -> ForLists<'_> {
        let infinite = Vector3::repeat(f64::INFINITY);
        let (low, high) = start
            .iter()
            .chain(end)
            .fold((infinite, -infinite), |(low, high), p| (low.inf(&p.coords), high.sup(&p.coords)));
        let centre = (low + high) * 0.5;
        let half = (high - low).max() * 0.5;
        let from_origin = |origin: &Vector3<f64>| (high - origin).amax().max((low - origin).amax());
        // Kept while cloth stays near it, as everything moves relative to it.
        let mut extent = from_origin(&self.origin.coords);
        if extent > 3.0 * half {
            (self.origin, extent) = (centre.into(), from_origin(&centre));
        }
        if extent > self.extent || self.extent > 8.0 * extent {
            self.extent = 2.0 * extent;
        }
        let widened = |radius: f32| widened(radius, self.extent);
        let is_current = |own: &Surface| {
            Arc::ptr_eq(&own.leaves, &surface.leaves)
                && own.half_scr == surface.half_scr
                && own.radius.iter().zip(&surface.radius).all(|(own, &radius)| *own == widened(radius))
        };
        let own = self.surface.take().filter(is_current).unwrap_or_else(|| {
            let mut wider = surface.clone();
            wider.radius.iter_mut().for_each(|radius| *radius = widened(*radius));
            wider
        });
        let relative = |p: &Point3<f64>| Point3::from((p - self.origin).cast::<f32>());
        for (to, from) in [(&mut self.start, start), (&mut self.end, end)] {
            to.clear();
            to.extend(from.iter().map(relative));
        }
        ForLists { surface: self.surface.insert(own), start: &self.start, end: &self.end }
    }
}

/// A radius (m) that is wider by how far a vertex may be from where the lists see it, if its coordinates are
/// at most `extent` (m) from the origin.
///
/// A coordinate's difference to the origin is rounded to `f64` and then to `f32`, by less than `2^-24 +
/// 2^-52` of it, or by `2^-150` where it is subnormal; over three coordinates, by the square root of 3 as
/// much. The last factor is for the roundings here.
fn widened(radius: f32, extent: f64) -> f32 {
    let off = 3.0_f64.sqrt() * (extent * U32 * (1.0 + gamma(8, U32)) + f64::from(f32::MIN_POSITIVE));
    ((f64::from(radius) + off) * (1.0 + 4.0 * U32)) as f32
}
