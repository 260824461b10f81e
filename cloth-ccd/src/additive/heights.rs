//! How far a moving difference is from the origin along one direction, as a proof.

use nalgebra::Vector3;

use crate::inclusion::difference::{Difference, UNIT, UPWARD};

/// The heights of the corners of a difference along a direction, which are linear in time.
#[derive(Clone, Copy, Debug)]
pub(super) struct Heights<const K: usize> {
    /// Height of each corner at the start and at the end.
    ends: [[f64; K]; 2],
    /// The height above which a corner certainly is beyond the distance asked for.
    slack: f64,
    /// At least the length of the direction.
    length: f64,
}

impl<const K: usize> Heights<K> {
    /// Along an axis, turned so that `corners`, those of the present, are high.
    pub(super) fn along_axis(difference: &Difference<K>, axis: usize, corners: &[Vector3<f64>; K]) -> Self {
        let sign = if corners[0][axis] < 0.0 { -1.0 } else { 1.0 };
        let ends = difference.ends.map(|end| end.map(|corner| sign * corner[axis]));
        Self { ends, slack: (difference.error[axis] + difference.distance) * UPWARD, length: 1.0 }
    }

    /// Heights along a direction whose largest component is 1 or -1, oriented so that `corners` are positive.
    ///
    /// A dot product of three terms has an error of less than 4 units of the sum of their magnitudes, which
    /// `extent` bounds.
    pub(super) fn new(
        difference: &Difference<K>,
        extent: &Vector3<f64>,
        direction: &Vector3<f64>,
        corners: &[Vector3<f64>; K],
    ) -> Self {
        let direction = if direction.dot(&corners[0]) < 0.0 { -direction } else { *direction };
        let length = direction.norm() * UPWARD;
        let blur = difference.error + extent * (4.0 * UNIT);
        let slack = (direction.abs().dot(&blur) + length * difference.distance) * UPWARD;
        Self { ends: difference.ends.map(|end| end.map(|corner| direction.dot(&corner))), slack, length }
    }

    /// How much farther than the distance asked for the primitives certainly are at a time; not positive if
    /// that is uncertain.
    pub(super) fn beyond(&self, time: f64) -> f64 {
        let lowest = (0..K).map(|k| self.lowest(k, time)).fold(f64::INFINITY, f64::min);
        (lowest - self.slack) / self.length
    }

    /// A bound from below on the height of a corner at a time, a number in [0, 1] taken as exact.
    ///
    /// `1 - t`, the two products, their sum, and taking the bound away are off by less than 6 units of the
    /// sum of the products' sizes. Both ends are exact.
    fn lowest(&self, k: usize, time: f64) -> f64 {
        let (from, to) = (self.ends[0][k] * (1.0 - time), self.ends[1][k] * time);
        if time > 0.0 && time < 1.0 { from + to - 6.0 * UNIT * (from.abs() + to.abs()) } else { from + to }
    }

    /// A time until which all corners certainly stay beyond the distance, if they are at `time`: the `share`
    /// of the time to the first violation, and 1 if there is none.
    pub(super) fn free_until(&self, time: f64, share: f64) -> f64 {
        let left = |k: usize| {
            let speed = self.ends[1][k] - self.ends[0][k];
            if speed < 0.0 { (self.lowest(k, time) - self.slack) / -speed } else { f64::INFINITY }
        };
        let until = time + share * (0..K).map(left).fold(f64::INFINITY, f64::min);
        let until = if until < 1.0 { until } else { 1.0 };
        // The estimate is rounded; the heights at its end are the proof.
        if self.beyond(until) > 0.0 { until } else { time }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(4096))]

        #[test]
        fn never_puts_a_corner_too_high(
            from in -(1_i64 << 53)..1 << 53,
            to in -(1_i64 << 53)..1 << 53,
            m in 0..=1_i64 << 53,
        ) {
            let unit = 2.0_f64.powi(-53);
            let ends = [[from as f64 * unit], [to as f64 * unit]];
            let heights = Heights { ends, slack: 0.0, length: 1.0 };
            // All values are integers over 2^106.
            let exact = i128::from(from) * i128::from((1 << 53) - m) + i128::from(to) * i128::from(m);
            let low = (heights.lowest(0, m as f64 * unit) * 2.0_f64.powi(106)) as i128;
            let error = (12 * (from.abs() + to.abs())).into();
            prop_assert!(low <= exact && exact - low <= error, "{} {}", low, exact);
        }
    }
}
