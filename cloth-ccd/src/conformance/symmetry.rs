//! Symmetric images of a query, which have the same verdict.

use nalgebra::Point3;

use super::QueryKind;
use super::choices::ChoiceSequence;
use super::placement::{Positions, times_power};
use super::query_kind::positions;
use crate::Query;

/// A query that collides just when another does.
#[derive(Clone, Debug)]
pub(super) struct Image {
    pub(super) query: Query,
    /// Whether the times are those of the other; otherwise they run backwards.
    pub(super) same_times: bool,
    /// How the image was made, in words.
    pub(super) how: String,
}

/// The orders of the corners under which a query stays the same.
fn orders(kind: QueryKind) -> &'static [[usize; 4]] {
    match kind {
        QueryKind::PointPoint => &[[0, 1, 2, 3], [1, 0, 2, 3]],
        QueryKind::PointEdge => &[[0, 1, 2, 3], [0, 2, 1, 3]],
        QueryKind::PointTriangle => {
            &[[0, 1, 2, 3], [0, 2, 3, 1], [0, 3, 1, 2], [0, 1, 3, 2], [0, 3, 2, 1], [0, 2, 1, 3]]
        }
        QueryKind::EdgeEdge => &[
            [0, 1, 2, 3],
            [1, 0, 2, 3],
            [0, 1, 3, 2],
            [1, 0, 3, 2],
            [2, 3, 0, 1],
            [3, 2, 0, 1],
            [2, 3, 1, 0],
            [3, 2, 1, 0],
        ],
    }
}

/// A rigid, mirrored or scaled copy of space; each step of it exact, or left out.
#[derive(Clone, Copy, Debug)]
struct Space {
    axes: [usize; 3],
    mirrored: [bool; 3],
    exponents: [i32; 3],
    shift: [f64; 3],
}

impl Space {
    const SAME: Self = Self { axes: [0, 1, 2], mirrored: [false; 3], exponents: [0; 3], shift: [0.0; 3] };

    /// Scales, shifts, mirrors and exchanges axes. None where a coordinate would be rounded.
    fn transform(&self, at: &Positions) -> Option<Positions> {
        let mut image = *at;
        for (end, from) in image.iter_mut().zip(at) {
            for (corner, from) in end.iter_mut().zip(from) {
                for k in 0..3 {
                    let axis = self.axes[k];
                    let scaled = scaled(from[axis], self.exponents[axis])?;
                    let c = shifted(scaled, self.shift[axis])?;
                    corner[k] = if self.mirrored[k] { -c } else { c };
                }
            }
        }
        Some(image)
    }
}

fn scaled(c: f64, exponent: i32) -> Option<f64> {
    let scaled = times_power(c, exponent);
    (scaled.is_finite() && times_power(scaled, -exponent) == c).then_some(scaled)
}

/// The sum, if it is exact: Knuth's error of an addition is zero.
fn shifted(c: f64, shift: f64) -> Option<f64> {
    let sum = c + shift;
    let virtual_shift = sum - c;
    let error = (c - (sum - virtual_shift)) + (shift - virtual_shift);
    (error == 0.0).then_some(sum)
}

/// A drawn image: of the corners, of space and of time at once.
pub(super) fn image(query: &Query, choices: &mut ChoiceSequence) -> Image {
    let order = choices.pick(orders(QueryKind::from_query(query)));
    let mut space = Space::SAME;
    space.axes = choices.pick(&[[0, 1, 2], [1, 2, 0], [2, 0, 1], [1, 0, 2], [0, 2, 1], [2, 1, 0]]);
    space.mirrored = [(); 3].map(|()| choices.once_in(2));
    space.exponents = [choices.pick(&[0, 1, -30, 200, -200, 700, -700]); 3];
    if choices.once_in(2) {
        space.exponents[choices.below(3)] += choices.pick(&[1, 7, -100]);
    }
    let size = times_power(1.0, space.exponents[0]);
    space.shift = [(); 3].map(|()| size * choices.pick(&[0.0, 1.0, -3.0, 1024.0]));
    let reversed = choices.once_in(3);
    // What cannot be done exactly is done without the shift, or not at all.
    let exact =
        [space, Space { shift: [0.0; 3], ..space }, Space { exponents: [0; 3], shift: [0.0; 3], ..space }];
    let at = positions(query);
    let (space, at) = exact
        .iter()
        .find_map(|space| space.transform(&at).map(|at| (*space, at)))
        .expect("mirrors and exchanges are exact");
    assemble(
        QueryKind::from_query(query),
        order,
        &at,
        reversed,
        format!("order {order:?}, {space:?}, reversed: {reversed}"),
    )
}

/// All orders of the corners, each in several exact copies of space, forwards and backwards in time.
pub(super) fn all_images(query: &Query) -> Vec<Image> {
    let same = Space::SAME;
    let spaces = [
        same,
        Space { axes: [1, 2, 0], ..same },
        Space { axes: [2, 0, 1], mirrored: [true, false, false], ..same },
        Space { axes: [2, 1, 0], mirrored: [true; 3], ..same },
        Space { exponents: [-900; 3], ..same },
        Space { exponents: [900; 3], ..same },
        Space { exponents: [-1000, 0, 1000], ..same },
        Space { shift: [1.0, -3.0, 8.0], ..same },
    ];
    let (kind, at) = (QueryKind::from_query(query), positions(query));
    let mut images = Vec::new();
    for space in spaces {
        let Some(at) = space.transform(&at) else { continue };
        for &order in orders(kind) {
            for reversed in [false, true] {
                let how = format!("order {order:?}, {space:?}, reversed: {reversed}");
                images.push(assemble(kind, order, &at, reversed, how));
            }
        }
    }
    images
}

fn assemble(kind: QueryKind, order: [usize; 4], at: &Positions, reversed: bool, how: String) -> Image {
    let [t0, t1] = at.map(|end| order.map(|corner| end[corner]));
    let query = if reversed { kind.query(&t1, &t0) } else { kind.query(&t0, &t1) };
    Image { query, same_times: !reversed, how }
}

/// The same pair said with more corners than it has: a point as a segment or a triangle of equal corners, a
/// segment as a triangle whose third corner is one of the ends or, where that is exact, the middle.
pub(super) fn degenerate_forms(query: &Query) -> Vec<Query> {
    let [t0, t1] = positions(query);
    let forms: &[(QueryKind, [usize; 4])] = match query {
        Query::PointPoint(_) => &[
            (QueryKind::PointEdge, [0, 1, 1, 1]),
            (QueryKind::PointTriangle, [0, 1, 1, 1]),
            (QueryKind::EdgeEdge, [0, 0, 1, 1]),
        ],
        Query::PointEdge(_) => &[
            (QueryKind::PointTriangle, [0, 1, 2, 2]),
            (QueryKind::PointTriangle, [0, 1, 2, 1]),
            (QueryKind::PointTriangle, [0, 1, 1, 2]),
            (QueryKind::EdgeEdge, [0, 0, 1, 2]),
        ],
        Query::PointTriangle(_) | Query::EdgeEdge(_) => &[],
    };
    let form = |&(kind, order): &(QueryKind, [usize; 4])| {
        kind.query(&order.map(|corner| t0[corner]), &order.map(|corner| t1[corner]))
    };
    let with_middle = match query {
        Query::PointEdge(_) => middle(&t0).zip(middle(&t1)),
        _ => None,
    };
    forms.iter().map(form).chain(with_middle.map(|(t0, t1)| Query::point_triangle(t0, t1))).collect()
}

/// The point, the ends of the segment, and its middle as a third corner; none if that is not exact.
fn middle([p, a, b, _]: &[Point3<f64>; 4]) -> Option<[Point3<f64>; 4]> {
    let mut half = Point3::origin();
    for k in 0..3 {
        half[k] = scaled(shifted(a[k], b[k])?, -1)?;
    }
    Some([*p, *a, half, *b])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sum_counts_as_exact_only_if_it_is() {
        assert_eq!(shifted(1.0, 3.0), Some(4.0));
        assert_eq!(shifted(1.0, 1e-17), None);
        assert_eq!(shifted(0.1, 0.2), None);
        assert_eq!(shifted(f64::MAX, f64::MAX), None);
    }

    #[test]
    fn a_scale_counts_as_exact_only_if_it_is() {
        assert_eq!(scaled(3.0, -1074), Some(1.5e-323));
        assert_eq!(scaled(0.75, -1074), None);
        assert_eq!(scaled(2.0, 1023), None);
    }

    #[test]
    fn orders_keep_the_primitives_together() {
        for kind in QueryKind::ALL {
            let [first, _] = kind.corners();
            for order in orders(kind) {
                let of_first = order[..first].iter().filter(|&&corner| corner < first).count();
                assert!(of_first == first || (of_first == 0 && kind.corners()[0] == kind.corners()[1]));
                let mut sorted = *order;
                sorted.sort_unstable();
                assert_eq!(sorted, [0, 1, 2, 3]);
            }
        }
        assert_eq!(QueryKind::ALL.map(|kind| orders(kind).len()), [2, 2, 6, 8]);
    }
}
