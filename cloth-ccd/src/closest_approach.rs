//! Closest approach of two points in linear motion (Lewin, "Cloth Self Collision with Predictive Contacts",
//! 2018, section 4.1).
//!
//! With the positions `p_a`, `p_b` at the start of the step, the displacements `d_a`, `d_b` over it,
//! `p = p_b - p_a` and `d = d_b - d_a`, the squared distance at the share `t` of the step is the parabola
//! `|p + t d|^2`. Its minimum over the step is at
//!
//! ```text
//! t = clamp(-p . d / d . d, 0, 1)
//! ```
//!
//! The paper makes a contact if the distance there is below `r_sc + 2 r`.

use nalgebra::{Point3, RealField, Vector3};

/// Where two moving points are closest.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ClosestApproach<T> {
    /// Share of the step, in [0, 1]; 0 if the points do not move against each other.
    pub time: T,
    /// Squared distance (m²) at this time.
    pub distance_sq: T,
}

/// The closest approach of two points during a step, from their positions at its start and their
/// displacements over it (m).
///
/// **Error.** With `M = |p| + |d|` and the unit roundoff `u`, the distance is accurate to `8 u M` for the
/// returned `time`, and to `16 u M` for the minimum over the step: an error of `8 u |p| / |d|` in the time
/// moves the point by as much as the first bound.
///
/// **Range.** `M` from 1e-18 to 1e18 m for `f32`, from 1e-153 to 1e153 m for `f64`; outside, squares overflow
/// or underflow, and the result is some time of the step with the distance at it. Coordinates must be finite.
#[must_use]
#[inline]
pub fn closest_approach<T: RealField + Copy>(
    start: [&Point3<T>; 2],
    displacements: [&Vector3<T>; 2],
) -> ClosestApproach<T> {
    let (apart, moved) = (start[1] - start[0], displacements[1] - displacements[0]);
    let (closing, moved_sq) = (-apart.dot(&moved), moved.norm_squared());
    let time = if closing <= T::zero() {
        T::zero()
    } else if closing < moved_sq {
        closing / moved_sq
    } else {
        T::one()
    };
    ClosestApproach { time, distance_sq: (apart + moved * time).norm_squared() }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn approach(p: [[f64; 3]; 2], d: [[f64; 3]; 2]) -> ClosestApproach<f64> {
        let (p, d) = (p.map(Point3::from), d.map(Vector3::from));
        let found = closest_approach([&p[0], &p[1]], [&d[0], &d[1]]);
        assert_eq!(found, closest_approach([&p[1], &p[0]], [&d[1], &d[0]]), "either order");
        found
    }

    #[test]
    fn finds_points_that_pass_each_other() {
        let found = approach([[0.0; 3], [4.0, 3.0, 0.0]], [[6.0, 0.0, 0.0], [-2.0, 0.0, 0.0]]);
        assert_eq!(found, ClosestApproach { time: 0.5, distance_sq: 9.0 });
    }

    #[test]
    fn finds_points_that_meet() {
        let found = approach([[0.0; 3], [2.0, 4.0, -6.0]], [[1.0, 2.0, -3.0], [-3.0, -6.0, 9.0]]);
        assert_eq!(found, ClosestApproach { time: 0.5, distance_sq: 0.0 });
    }

    #[test]
    fn keeps_to_the_step() {
        let parting = approach([[0.0; 3], [1.0, 0.0, 0.0]], [[-1.0, 0.0, 0.0], [1.0, 0.0, 0.0]]);
        assert_eq!(parting, ClosestApproach { time: 0.0, distance_sq: 1.0 });
        let late = approach([[0.0; 3], [5.0, 0.0, 0.0]], [[1.0, 0.0, 0.0], [-1.0, 0.0, 0.0]]);
        assert_eq!(late, ClosestApproach { time: 1.0, distance_sq: 9.0 });
    }

    #[test]
    fn takes_the_start_where_nothing_moves_against_the_other() {
        let d = [0.3, -7.0, 2.0];
        assert_eq!(
            approach([[0.0; 3], [3.0, 4.0, 0.0]], [d, d]),
            ClosestApproach { time: 0.0, distance_sq: 25.0 }
        );
        assert_eq!(approach([[1.0; 3], [1.0; 3]], [d, d]), ClosestApproach { time: 0.0, distance_sq: 0.0 });
    }

    #[test]
    fn gives_a_time_of_the_step_where_squares_leave_the_scalar() {
        for size in [5e-324, 1e-200, 1e160, 1e300] {
            let found = approach([[0.0; 3], [size, size, 0.0]], [[0.0; 3], [-size, 0.0, 0.0]]);
            assert!((0.0..=1.0).contains(&found.time), "{found:?}");
        }
    }

    /// Numbers of many sizes, and small integers, which let points meet and stand still.
    fn number() -> impl Strategy<Value = f64> {
        prop_oneof![(-3..=3i32).prop_map(f64::from), -1.0..1.0f64, (-1.0..1.0f64).prop_map(|x| x * 1e-6)]
    }

    fn triple() -> impl Strategy<Value = [f64; 3]> {
        proptest::array::uniform3(number())
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(1024))]

        #[test]
        fn is_closest_of_all_times_of_the_step(p in [triple(), triple()], d in [triple(), triple()]) {
            let found = approach(p, d);
            let (p, d) = (p.map(Vector3::from), d.map(Vector3::from));
            let (apart, moved) = (p[1] - p[0], d[1] - d[0]);
            let bound = 8.0 * 0.5 * f64::EPSILON * (apart.norm() + moved.norm());
            let at = |t: f64| (apart + moved * t).norm();
            prop_assert!((found.distance_sq.sqrt() - at(found.time)).abs() <= bound);
            for k in 0..=1000 {
                prop_assert!(found.distance_sq.sqrt() <= at(f64::from(k) / 1000.0) + 2.0 * bound);
            }
            // Not only no later time, but no neighbour of this one: the parabola's bottom.
            for t in [found.time - 1e-3, found.time + 1e-3] {
                prop_assert!(found.distance_sq.sqrt() <= at(t.clamp(0.0, 1.0)) + 2.0 * bound);
            }
        }

        #[test]
        fn agrees_with_itself_in_single_precision(p in [triple(), triple()], d in [triple(), triple()]) {
            let single = |v: [f64; 3]| v.map(|x| x as f32);
            let (ps, ds) = (p.map(|v| Point3::from(single(v))), d.map(|v| Vector3::from(single(v))));
            let found = closest_approach([&ps[0], &ps[1]], [&ds[0], &ds[1]]);
            let wide = |v: [f64; 3]| single(v).map(f64::from);
            let exact = approach(p.map(wide), d.map(wide));
            let (p, d) = (p.map(Vector3::from), d.map(Vector3::from));
            let size = (p[1] - p[0]).norm() + (d[1] - d[0]).norm();
            let bound = 16.0 * 0.5 * f64::from(f32::EPSILON) * size + 1e-18;
            prop_assert!((f64::from(found.distance_sq).sqrt() - exact.distance_sq.sqrt()).abs() <= bound);
        }
    }
}
