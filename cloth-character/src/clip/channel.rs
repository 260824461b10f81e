//! One channel of a clip: the keys of one property of one joint.

use std::ops::{Add, Mul};

use nalgebra::{Quaternion, UnitQuaternion, Vector3};

use super::ChannelValues;
use crate::{
    Transform,
    interpolation::{hermite_weights, lerp, slerp},
};

/// How a channel moves between two keys.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Interpolation {
    /// The value of the earlier key.
    Step,
    /// A straight line; for rotations the shorter arc at even speed ([`slerp`](crate::slerp)).
    #[default]
    Linear,
    /// A cubic Hermite spline. Each key has three values: the tangent before it, the value, and the tangent
    /// after it, per second. Rotations are normalised after the interpolation.
    CubicSpline,
}

/// What a channel moves.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Property {
    /// The translation relative to the parent.
    Translation,
    /// The rotation relative to the parent.
    Rotation,
    /// The scale.
    Scale,
}

#[derive(Clone, Debug, PartialEq)]
pub(super) struct Channel {
    pub(super) joint: usize,
    /// Which of the clip's timelines has the times.
    pub(super) timeline: usize,
    pub(super) interpolation: Interpolation,
    pub(super) keys: ChannelValues,
}

/// Where a time lies among the keys of a timeline.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Place {
    /// At this key, or before the first, or after the last.
    At(usize),
    /// Between this key and the next: the fraction of the interval and its length (s).
    Between(usize, f64, f64),
}

impl Place {
    /// Finds a time in a list of at least one increasing time, by bisection; NaN counts as before the first.
    pub(super) fn find(times: &[f64], time: f64) -> Self {
        let after = times.partition_point(|&t| t <= time);
        match after.checked_sub(1) {
            None => Self::At(0),
            Some(key) if after == times.len() || times[key] == time => Self::At(key),
            Some(key) => {
                let length = times[after] - times[key];
                Self::Between(key, (time - times[key]) / length, length)
            }
        }
    }
}

impl Channel {
    pub(super) fn property(&self) -> Property {
        match self.keys {
            ChannelValues::Translation(_) => Property::Translation,
            ChannelValues::Rotation(_) => Property::Rotation,
            ChannelValues::Scale(_) => Property::Scale,
        }
    }

    /// Writes the value at a place into the transform of the joint.
    pub(super) fn apply(&self, place: Place, local: &mut Transform) {
        match &self.keys {
            ChannelValues::Translation(keys) => local.translation = self.vector(keys, place),
            ChannelValues::Scale(keys) => local.scale = self.vector(keys, place),
            ChannelValues::Rotation(keys) => local.rotation = self.rotation(keys, place),
        }
    }

    fn vector(&self, keys: &[Vector3<f64>], place: Place) -> Vector3<f64> {
        self.value(keys, place, lerp, |sum, _| sum)
    }

    fn rotation(&self, keys: &[Quaternion<f64>], place: Place) -> UnitQuaternion<f64> {
        let unit = UnitQuaternion::new_unchecked;
        let arc = |a: &Quaternion<f64>, b: &Quaternion<f64>, s| slerp(&unit(*a), &unit(*b), s).into_inner();
        // A spline between opposite quaternions can pass through zero, which has no direction.
        let normalised = |sum: Quaternion<f64>, start| {
            let norm = sum.norm();
            if norm > 0.0 { sum / norm } else { start }
        };
        unit(self.value(keys, place, arc, normalised))
    }

    /// The value at a place, by a line between two keys or from a spline between them, of which `finish` gets
    /// the value and that of the earlier key.
    fn value<V: Copy + Add<Output = V> + Mul<f64, Output = V>>(
        &self,
        keys: &[V],
        place: Place,
        line: impl Fn(&V, &V, f64) -> V,
        finish: impl Fn(V, V) -> V,
    ) -> V {
        match (self.interpolation, place) {
            (Interpolation::Step | Interpolation::Linear, Place::At(key)) => keys[key],
            (Interpolation::Step, Place::Between(key, ..)) => keys[key],
            (Interpolation::Linear, Place::Between(key, s, _)) => line(&keys[key], &keys[key + 1], s),
            (Interpolation::CubicSpline, Place::At(key)) => keys[3 * key + 1],
            (Interpolation::CubicSpline, Place::Between(key, s, length)) => {
                let [value, leave, next, arrive] = hermite_weights(s, length);
                let at = 3 * key;
                let sum =
                    keys[at + 1] * value + keys[at + 2] * leave + keys[at + 4] * next + keys[at + 3] * arrive;
                finish(sum, keys[at + 1])
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn finds_a_time_before_at_between_and_after_the_keys() {
        let times = [0.5, 1.0, 3.0];
        assert_eq!(Place::find(&times, 0.0), Place::At(0));
        assert_eq!(Place::find(&times, f64::NAN), Place::At(0));
        assert_eq!(Place::find(&times, 1.0), Place::At(1));
        assert_eq!(Place::find(&times, 1.5), Place::Between(1, 0.25, 2.0));
        assert_eq!(Place::find(&times, 3.0), Place::At(2));
        assert_eq!(Place::find(&times, 9.0), Place::At(2));
    }
}
