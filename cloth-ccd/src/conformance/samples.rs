//! Sampling of many instants: a proof of contact that is independent of any root finding.

use cloth_geom::closest::{point_segment, point_triangle, segment_segment};
use cloth_geom::exact::segment_meets_triangle;
use nalgebra::Point3;

use super::QueryKind;
use super::query_kind::positions;
use crate::Query;

/// Instants of the samples: 0, 1/16, ..., 1.
pub(super) const STEPS: u32 = 16;

/// Whether the pair touches at the instant `step / STEPS`, exactly; none where the positions then are no
/// exact numbers.
pub(super) fn touches(query: &Query, step: u32) -> Option<bool> {
    let [t0, t1] = positions(query);
    let is_short = |c: &f64| (c * 1024.0).fract() == 0.0 && c.abs() < f64::from(1 << 30);
    if !t0.iter().chain(&t1).flat_map(|p| p.iter()).all(is_short) {
        return None;
    }
    // STEPS times the position: a multiple of 2^-10 below 2^35, so exact in each operation.
    let at: [Point3<f64>; 4] =
        std::array::from_fn(|i| t0[i] * f64::from(STEPS - step) + t1[i].coords * f64::from(step));
    let [a, b, c, d] = &at;
    Some(match query {
        Query::PointPoint(_) => a == b,
        Query::PointEdge(_) => segment_meets_triangle([a, a], [b, c, c]),
        Query::PointTriangle(_) => segment_meets_triangle([a, a], [b, c, d]),
        Query::EdgeEdge(_) => segment_meets_triangle([a, b], [c, d, d]),
    })
}

/// An upper bound of the distance (m) at the instant `step / STEPS`; none for coordinates of extreme size.
///
/// With `R` the greatest coordinate and the roundoff `u = 2^-53`: a position is a sum of two products, off by
/// at most `2 u R` and a little in each coordinate, so `3.5 u R` in space, and twice that for two. The
/// closest points are off by `64 u` of an extent of at most `2 sqrt(3) R`, so by `222 u R`. Together less
/// than `256 u R = 2^-45 R`.
pub(super) fn distance_at_most(query: &Query, step: u32) -> Option<f64> {
    let [t0, t1] = positions(query);
    let greatest = t0.iter().chain(&t1).flat_map(|p| p.iter()).fold(0.0f64, |most, c| most.max(c.abs()));
    if !(1e-100..1e100).contains(&greatest) {
        return None;
    }
    let t = f64::from(step) / f64::from(STEPS);
    let at: [Point3<f64>; 4] = std::array::from_fn(|i| t0[i] * (1.0 - t) + t1[i].coords * t);
    let [a, b, c, d] = &at;
    let distance_sq = match QueryKind::from_query(query) {
        QueryKind::PointPoint => (a - b).norm_squared(),
        QueryKind::PointEdge => point_segment(a, b, c).distance_sq,
        QueryKind::PointTriangle => point_triangle(a, [b, c, d]).distance_sq,
        QueryKind::EdgeEdge => segment_segment([a, b], [c, d]).distance_sq,
    };
    Some(distance_sq.sqrt() + greatest * 2f64.powi(-45))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn falls(from: f64, to: f64) -> Query {
        let state =
            |z| [[0.25, 0.25, z], [0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]].map(Point3::from);
        Query::point_triangle(state(from), state(to))
    }

    #[test]
    fn sees_the_one_instant_of_contact() {
        let seen: Vec<_> =
            (0..=STEPS).filter(|&step| touches(&falls(1.0, -1.0), step) == Some(true)).collect();
        assert_eq!(seen, [STEPS / 2]);
        assert_eq!(touches(&falls(1.0, -0.1), 3), None);
    }

    #[test]
    fn bounds_the_distance_from_above() {
        let bound = distance_at_most(&falls(1.0, -1.0), 4).expect("of ordinary size");
        assert!((0.5..0.5 + 1e-12).contains(&bound), "{bound}");
        assert_eq!(distance_at_most(&falls(1e200, -1.0), 4), None);
    }
}
