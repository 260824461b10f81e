//! Boxes in single precision, eight at a time, without losing a pair.
//!
//! A broad phase spends most of its time comparing bounds. Here each coordinate is mapped by
//! `c -> f32(c - origin)`, and the images are compared, eight per one or two instructions. Outward rounding
//! is not needed, because subtraction and conversion round monotonically:
//!
//! ```text
//! a <= b            implies  map(a) <= map(b)      no overlap is lost
//! map(a) < map(b)   implies  a < b                 a strict image is a proof
//! map(a) = map(b)   is undecided                   these few are decided by the f64 boxes
//! ```
//!
//! Both implications hold for any origin; a near one makes the third case rare. All compared boxes must be
//! mapped alike.

use cloth_geom::{
    Aabb,
    lanes::{Baseline, LANES8, Simd, SimdBase, WideLanes, baseline},
};
use nalgebra::Point3;

/// How many boxes an [`BoxF32x8`] holds.
pub(crate) const LANES: usize = LANES8;

/// The monotone map from `f64` coordinates (m) to `f32`.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Frame {
    origin: Point3<f64>,
}

impl Default for Frame {
    fn default() -> Self {
        Self { origin: Point3::origin() }
    }
}

impl Frame {
    /// A map that is fine near a point of finite coordinates.
    pub(crate) fn near(origin: Point3<f64>) -> Self {
        Self { origin }
    }

    /// A map that is fine among some boxes. A corner of the middle one will do: most boxes are near most
    /// others.
    pub(crate) fn among(boxes: &[Aabb]) -> Self {
        boxes.get(boxes.len() / 2).map_or_else(Self::default, |aabb| Self::near(aabb.min))
    }

    /// The image of a box. What lies beyond the range of `f32` is clamped, which is monotone too.
    #[inline]
    pub(crate) fn narrow(&self, aabb: &Aabb) -> BoxF32 {
        let image = |c: f64, k: usize| ((c - self.origin[k]) as f32).clamp(-f32::MAX, f32::MAX);
        BoxF32 {
            min: [0, 1, 2].map(|k| image(aabb.min[k], k)),
            max: [0, 1, 2].map(|k| image(aabb.max[k], k)),
        }
    }
}

/// A closed box of images.
#[derive(Clone, Copy, Debug)]
pub(crate) struct BoxF32 {
    pub(crate) min: [f32; 3],
    pub(crate) max: [f32; 3],
}

impl BoxF32 {
    /// The box that overlaps nothing; the identity of [`BoxF32::union`].
    pub(crate) const EMPTY: Self = Self { min: [f32::INFINITY; 3], max: [f32::NEG_INFINITY; 3] };

    #[inline]
    pub(crate) fn union(&self, other: &Self) -> Self {
        // Not `f32::min`, which handles NaN; there is none here.
        let least = |a: f32, b: f32| if b < a { b } else { a };
        let greatest = |a: f32, b: f32| if b > a { b } else { a };
        Self {
            min: [0, 1, 2].map(|k| least(self.min[k], other.min[k])),
            max: [0, 1, 2].map(|k| greatest(self.max[k], other.max[k])),
        }
    }

    #[inline]
    pub(crate) fn touches(&self, other: &Self) -> bool {
        let apart = |k: usize| (self.min[k] > other.max[k]) | (other.min[k] > self.max[k]);
        !(apart(0) | apart(1) | apart(2))
    }

    /// Whether the boxes behind the images overlap for certain.
    #[cfg(any(feature = "kd-tree", feature = "parry"))]
    #[inline]
    pub(crate) fn overlaps(&self, other: &Self) -> bool {
        let meets = |k: usize| (self.min[k] < other.max[k]) & (other.min[k] < self.max[k]);
        meets(0) & meets(1) & meets(2)
    }

    /// Half the area; a measure of how often a random box is met.
    pub(crate) fn half_area(&self) -> f64 {
        let [x, y, z] = [0, 1, 2].map(|k| f64::from(self.max[k]) - f64::from(self.min[k]));
        x * y + y * z + z * x
    }

    /// Twice the centre is too far for an `f32` at the ends of its range, so this halves first.
    pub(crate) fn centre(&self) -> [f32; 3] {
        [0, 1, 2].map(|k| 0.5 * self.min[k] + 0.5 * self.max[k])
    }
}

/// Eight boxes of images, coordinate by coordinate.
#[derive(Clone, Copy, Debug)]
pub(crate) struct BoxF32x8 {
    min: [WideLanes<Baseline>; 3],
    max: [WideLanes<Baseline>; 3],
}

impl BoxF32x8 {
    /// Up to eight boxes; the lanes behind them overlap nothing.
    pub(crate) fn from_boxes(boxes: &[BoxF32]) -> Self {
        let lanes = |of: &dyn Fn(&BoxF32) -> f32, empty: f32| {
            let mut lanes = [empty; LANES];
            for (lane, narrow) in lanes.iter_mut().zip(boxes) {
                *lane = of(narrow);
            }
            SimdBase::load_array(baseline(), lanes)
        };
        Self {
            min: [0, 1, 2].map(|k| lanes(&|b| b.min[k], f32::INFINITY)),
            max: [0, 1, 2].map(|k| lanes(&|b| b.max[k], f32::NEG_INFINITY)),
        }
    }

    /// The boxes that may overlap `b`, a bit each.
    #[inline]
    pub(crate) fn touching(&self, b: &BoxF32) -> u32 {
        let axis = |k: usize| self.min[k].simd_le(b.max[k]) & self.max[k].simd_ge(b.min[k]);
        WideLanes::bits(axis(0) & axis(1) & axis(2))
    }

    /// The boxes that overlap `b` for certain, a bit each; among [`BoxF32x8::touching`].
    #[inline]
    pub(crate) fn overlapping(&self, b: &BoxF32) -> u32 {
        let axis = |k: usize| self.min[k].simd_lt(b.max[k]) & self.max[k].simd_gt(b.min[k]);
        WideLanes::bits(axis(0) & axis(1) & axis(2))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn unit(x: f64) -> Aabb {
        Aabb { min: Point3::new(x, 0.0, 0.0), max: Point3::new(x + 1.0, 1.0, 1.0) }
    }

    #[test]
    fn images_of_touching_boxes_touch_whatever_the_origin() {
        for origin in [0.0, 0.3, -1e9, 1e300] {
            let frame = Frame::near(Point3::new(origin, 0.1, -0.1));
            for gap in [0.0, -1e-12, -0.5] {
                let (a, b) = (frame.narrow(&unit(0.0)), frame.narrow(&unit(1.0 + gap)));
                assert!(a.touches(&b) && b.touches(&a), "{origin} {gap}");
                assert_eq!(BoxF32x8::from_boxes(&[b, a]).touching(&a), 0b11);
            }
        }
    }

    #[test]
    fn is_certain_only_of_strict_images() {
        let frame = Frame::default();
        let row = frame.narrow(&unit(0.0));
        let packet = BoxF32x8::from_boxes(&[0.5, 1.0, 1.0 + 1e-12, 1.5].map(|x| frame.narrow(&unit(x))));
        assert_eq!(packet.touching(&row), 0b0111);
        assert_eq!(packet.overlapping(&row), 0b0001);
    }

    #[test]
    fn empty_lanes_meet_not_even_the_greatest_box() {
        let max = f64::MAX;
        let all = Aabb { min: Point3::new(-max, -max, -max), max: Point3::new(max, max, max) };
        let row = Frame::near(Point3::new(max, -max, 0.0)).narrow(&all);
        assert_eq!(BoxF32x8::from_boxes(&[row]).touching(&row), 1);
        assert!(row.half_area().is_finite() && row.centre().iter().all(|c| c.is_finite()));
    }
}
