//! Whether a pair stays apart, exactly: planes over integers first, then exact roots.

use cloth_ccd::{Ccd, Query, Reference};
use cloth_geom::closest::{point_triangle, segment_segment};
use cloth_geom::exact::decompose;
use dashu_int::IBig;
use nalgebra::{Point3, Vector3};

/// Whether a pair stays farther apart than a distance (m).
pub(super) fn is_free(query: &Query, distance: f64) -> bool {
    a_plane_separates(query, distance) || Reference.is_free(query, distance).unwrap()
}

/// Whether an axis, or a plane in a direction that is guessed and then taken as it is, proves that.
pub(super) fn a_plane_separates(query: &Query, distance: f64) -> bool {
    an_axis_separates(query, distance)
        || [query.start(), query.end()].into_iter().flat_map(|at| guesses(query, at)).any(|direction| {
            let ends = [query.start(), query.end()];
            ends.into_iter().all(|at| separates(&direction, query.first_corners(), at, distance))
        })
}

/// A rounded difference exceeds the distance only if the exact one does.
fn an_axis_separates(query: &Query, distance: f64) -> bool {
    let beyond = |points: &[Point3<f64>], axis: usize| {
        let (a, b) = points.split_at(query.first_corners());
        let all = |sign: f64| a.iter().all(|p| b.iter().all(|q| sign * (q[axis] - p[axis]) > distance));
        [all(1.0), all(-1.0)]
    };
    (0..3).any(|axis| {
        let (start, end) = (beyond(query.start(), axis), beyond(query.end(), axis));
        (start[0] && end[0]) || (start[1] && end[1])
    })
}

/// Directions from the second primitive to the first: between closest points, and across.
fn guesses(query: &Query, at: &[Point3<f64>]) -> [Vector3<f64>; 2] {
    let unit = |v: Vector3<f64>| v / v.amax();
    let (apart, across) = if query.first_corners() == 1 {
        let weights = point_triangle(&at[0], [&at[1], &at[2], &at[3]]).weights;
        let foot = (0..3).fold(Vector3::zeros(), |sum, k| sum + at[k + 1].coords * weights[k]);
        (at[0].coords - foot, unit(at[2] - at[1]).cross(&unit(at[3] - at[1])))
    } else {
        let found = segment_segment([&at[0], &at[1]], [&at[2], &at[3]]);
        let on = |k: usize, t: f64| at[k].coords * (1.0 - t) + at[k + 1].coords * t;
        (on(0, found.s) - on(2, found.t), unit(at[1] - at[0]).cross(&unit(at[3] - at[2])))
    };
    let side = if across.dot(&(at[0] - at[3])) < 0.0 { -1.0 } else { 1.0 };
    [apart, across * side]
}

/// Whether the first corners lie beyond the others in a direction, by more than a distance (m), over
/// integers.
fn separates(direction: &Vector3<f64>, first: usize, at: &[Point3<f64>], distance: f64) -> bool {
    if !direction.iter().all(|c| c.is_finite()) {
        return false;
    }
    let n = integers(direction.iter().copied());
    let of_points = integers(at.iter().flat_map(|p| p.iter().copied()).chain([distance]));
    let heights: Vec<IBig> = of_points.chunks_exact(3).map(|p| dot(p, &n)).collect();
    let gap = heights[..first].iter().min().unwrap() - heights[first..].iter().max().unwrap();
    let least = of_points.last().unwrap();
    gap > IBig::ZERO && &gap * &gap > least * least * dot(&n, &n)
}

fn dot(a: &[IBig], b: &[IBig]) -> IBig {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

/// Finite numbers over a common power of two.
fn integers(values: impl Iterator<Item = f64> + Clone) -> Vec<IBig> {
    let nonzero = values.clone().map(decompose).filter(|&(mantissa, _)| mantissa != 0);
    let least = nonzero.map(|(_, exponent)| exponent).min().unwrap_or(0);
    let integer = |(mantissa, exponent): (i64, i32)| match mantissa {
        0 => IBig::ZERO,
        _ => IBig::from(mantissa) << (exponent - least) as usize,
    };
    values.map(decompose).map(integer).collect()
}
