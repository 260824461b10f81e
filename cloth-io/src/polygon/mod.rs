//! Cuts polygons into triangles that all face the way the polygon faces.
//!
//! A polygon becomes the fan from its first corner, as most tools do, unless a triangle of it would be
//! flipped or empty, or it has many corners: then it is cut by ear clipping (`ring.rs`), so that a concave
//! quad gives no flipped triangle. Both see the polygon along the axis in which its area is greatest:
//! dropping a coordinate rounds nothing, so the signs that decide are exact.
//!
//! The triangles of a fan all overlap in their boxes, n (n - 1) / 2 pairs: nobody can check the fan of
//! 200,000 corners. Of so many, every other corner is clipped off around the polygon, then every other one of
//! those that are left: triangles grow from round to round, and few boxes overlap.

mod assemble;
mod corner_tree;
mod ring;

pub(crate) use assemble::assemble;

use nalgebra::{Point3, Vector3};
use robust::{Coord, orient2d};

use ring::Ring;

/// The most corners of a fan: so many make 32,640 pairs of overlapping boxes.
const MAX_FAN: usize = 256;

/// The note about polygons that are [`Cut::Degenerate`].
pub(crate) const DEGENERATE: &str =
    "degenerate or self-intersecting polygons: triangulated as far as possible";

/// The error about a polygon that is [`Cut::TooLarge`].
pub(crate) fn too_large(corners: usize) -> String {
    format!("has {corners} corners and winds too much to be cut in seconds; cut it up into smaller faces")
}

/// How a polygon was cut.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Cut {
    /// Every triangle faces as the polygon does.
    Clean,
    /// The polygon is flat to nothing or crosses itself; where no ear was left, it is cut by the numbers of
    /// its corners.
    Degenerate,
    /// Cutting it would take more work than a file may ask for: not cut.
    TooLarge,
}

/// Appends the triangles of a polygon of three corners or more to `out`, as numbers of its corners.
pub(crate) fn triangulate(corners: &[Point3<f64>], out: &mut Vec<[usize; 3]>) -> Cut {
    if corners.len() == 3 {
        out.push([0, 1, 2]);
        return Cut::Clean;
    }
    let Some([u, v]) = main_plane(corners) else {
        cut_by_number(&(0..corners.len()).collect::<Vec<_>>(), out);
        return Cut::Degenerate;
    };
    let flat = |p: &Point3<f64>| Coord { x: p[u], y: p[v] };
    let is_wide = corners.len() > MAX_FAN;
    // Whether no triangle of the fan from the first corner is flipped or empty.
    let is_ahead = |pair: &[Point3<f64>]| orient2d(flat(&corners[0]), flat(&pair[0]), flat(&pair[1])) > 0.0;
    if !is_wide && corners[1..].windows(2).all(is_ahead) {
        out.extend((2..corners.len()).map(|k| [0, k - 1, k]));
        return Cut::Clean;
    }
    let flat: Vec<Coord<f64>> = corners.iter().map(flat).collect();
    Ring::new(&flat).map_or(Cut::TooLarge, |ring| ring.clip(is_wide, out))
}

/// Cuts by the order of corners alone: a fan, or halves of halves where that would be too wide.
fn cut_by_number(corners: &[usize], out: &mut Vec<[usize; 3]>) {
    let last = corners.len() - 1;
    if corners.len() <= MAX_FAN {
        return out.extend((2..=last).map(|k| [corners[0], corners[k - 1], corners[k]]));
    }
    let mut chords = vec![[0, last]];
    while let Some([from, to]) = chords.pop() {
        let middle = from.midpoint(to);
        if middle > from {
            out.push([corners[from], corners[middle], corners[to]]);
            chords.extend([[from, middle], [middle, to]]);
        }
    }
}

/// The two axes of the plane, perpendicular to a third, in which the area of the polygon is greatest, in the
/// order in which it is counter-clockwise; `None` if its area is zero or beyond all numbers.
fn main_plane(corners: &[Point3<f64>]) -> Option<[usize; 2]> {
    let arms = corners.iter().map(|p| p - corners[0]);
    let normal: Vector3<f64> = arms.clone().zip(arms.skip(1)).map(|(a, b)| a.cross(&b)).sum();
    if !normal.iter().all(|c| c.is_finite()) || normal == Vector3::zeros() {
        return None;
    }
    let axis = normal.iamax();
    let [u, v] = [(axis + 1) % 3, (axis + 2) % 3];
    Some(if normal[axis] < 0.0 { [v, u] } else { [u, v] })
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// Twice the area of each triangle, seen along z.
    fn areas(points: &[Point3<f64>], triangles: &[[usize; 3]]) -> Vec<f64> {
        let z = |t: &[usize; 3]| (points[t[1]] - points[t[0]]).cross(&(points[t[2]] - points[t[0]])).z;
        triangles.iter().map(z).collect()
    }

    fn cut(points: &[[f64; 2]]) -> (Cut, Vec<[usize; 3]>, Vec<f64>) {
        let points: Vec<_> = points.iter().map(|p| Point3::new(p[0], p[1], 0.0)).collect();
        let mut out = Vec::new();
        let cut = triangulate(&points, &mut out);
        let areas = areas(&points, &out);
        (cut, out, areas)
    }

    #[test]
    fn fans_a_convex_quad_from_its_first_corner() {
        let (_, triangles, _) = cut(&[[0.0, 0.0], [1.0, 0.0], [1.0, 1.0], [0.0, 1.0]]);
        assert_eq!(triangles, [[0, 1, 2], [0, 2, 3]]);
    }

    #[test]
    fn flips_no_triangle_of_a_concave_quad_whichever_corner_comes_first() {
        let dart = [[0.0, 0.0], [4.0, 0.0], [1.0, 1.0], [0.0, 4.0]];
        for first in 0..4 {
            let mut turned = dart;
            turned.rotate_left(first);
            let (cut, _, areas) = cut(&turned);
            assert_eq!((cut, areas.len()), (Cut::Clean, 2));
            assert!(areas.iter().all(|&a| a > 0.0), "{first}: {areas:?}");
            assert_eq!(areas.iter().sum::<f64>(), 8.0);
        }
    }

    #[test]
    fn makes_no_empty_triangle_where_a_corner_lies_on_an_edge() {
        let (cut, _, areas) = cut(&[[0.0, 0.0], [1.0, 0.0], [2.0, 0.0], [1.0, 2.0]]);
        assert_eq!(cut, Cut::Clean);
        assert!(areas.iter().all(|&a| a > 0.0), "{areas:?}");
    }

    #[test]
    fn keeps_the_orientation_of_a_polygon_in_every_plane() {
        let dart = [[0.0, 0.0], [4.0, 0.0], [1.0, 1.0], [0.0, 4.0]];
        for axis in 0..3 {
            for reversed in [false, true] {
                let mut points: Vec<_> = dart
                    .map(|[u, v]| {
                        let mut p = Point3::origin();
                        (p[(axis + 1) % 3], p[(axis + 2) % 3], p[axis]) = (u, v, 0.25 * u);
                        p
                    })
                    .to_vec();
                if reversed {
                    points.reverse();
                }
                let mut out = Vec::new();
                assert_eq!(triangulate(&points, &mut out), Cut::Clean);
                for t in out {
                    let n = (points[t[1]] - points[t[0]]).cross(&(points[t[2]] - points[t[0]]));
                    assert_eq!(n[axis] > 0.0, !reversed, "axis {axis}");
                }
            }
        }
    }

    #[test]
    fn says_when_a_polygon_crosses_itself_or_has_no_area() {
        let bow = [[0.0, 0.0], [1.0, 1.0], [1.0, 0.0], [0.0, 1.0]];
        assert_eq!(cut(&bow).0, Cut::Degenerate);
        assert_eq!(cut(&[[1.0, 1.0]; 5]).0, Cut::Degenerate);
        assert_eq!(cut(&[[0.0, 0.0], [1e300, 0.0], [1e300, 1e300], [0.0, 1e300]]).0, Cut::Degenerate);
    }

    #[test]
    fn says_that_a_pentagram_crosses_itself() {
        let star: Vec<[f64; 2]> =
            (0..5).map(|k| f64::from(k) * 0.8 * std::f64::consts::PI).map(|a| [a.cos(), a.sin()]).collect();
        assert_eq!(cut(&star).0, Cut::Degenerate);
    }

    proptest! {
        /// Around a star-shaped polygon the areas must add up and none may be negative.
        #[test]
        fn cuts_star_shaped_polygons_without_flips(radii in prop::collection::vec(1u32..100, 4..40)) {
            let n = radii.len() as f64;
            let points: Vec<[f64; 2]> = radii.iter().enumerate().map(|(i, &r)| {
                let a = i as f64 / n * std::f64::consts::TAU;
                [f64::from(r) * a.cos(), f64::from(r) * a.sin()]
            }).collect();
            let (cut, triangles, areas) = cut(&points);
            prop_assert_eq!(cut, Cut::Clean);
            prop_assert_eq!(triangles.len(), points.len() - 2);
            let whole = doubled(&points);
            prop_assert!(areas.iter().all(|&a| a > -1e-9));
            // Each of at most 40 terms is below 2e4 and is rounded three times.
            prop_assert!((areas.iter().sum::<f64>() - whole).abs() < 40.0 * 2e4 * 8.0 * f64::EPSILON);
        }
    }

    /// Twice the area of a polygon.
    fn doubled(points: &[[f64; 2]]) -> f64 {
        let cross = |i: usize| {
            let (p, q) = (points[i], points[(i + 1) % points.len()]);
            p[0] * q[1] - p[1] * q[0]
        };
        (0..points.len()).map(cross).sum()
    }

    /// A round polygon of `n` corners, its radius between 1 and 1 + `depth` from corner to corner.
    fn gear(n: usize, depth: f64) -> Vec<[f64; 2]> {
        let corner = |i: usize| {
            let (angle, radius) = (i as f64 / n as f64 * std::f64::consts::TAU, 1.0 + depth * (i % 2) as f64);
            [radius * angle.cos(), radius * angle.sin()]
        };
        (0..n).map(corner).collect()
    }

    #[test]
    fn cuts_two_hundred_thousand_corners_into_triangles_that_few_boxes_overlap() {
        for depth in [0.0, 1e-6] {
            let points = gear(200_000, depth);
            let (how, triangles, areas) = cut(&points);
            assert_eq!((how, triangles.len()), (Cut::Clean, points.len() - 2));
            assert!(areas.iter().all(|&a| a >= 0.0), "no triangle is flipped");
            assert!((areas.iter().sum::<f64>() - doubled(&points)).abs() < 1e-9);
            // Half of the corners are cut off in the first round, a quarter in the second: a corner has some
            // 20 triangles at most.
            let mut uses = vec![0; points.len()];
            triangles.iter().flatten().for_each(|&c| uses[c] += 1);
            assert!(uses.iter().all(|&n| n < 50), "{:?}", uses.iter().max());
        }
    }

    #[test]
    fn refuses_a_polygon_whose_cutting_has_no_end() {
        // A double spiral of long thin triangles: half of all corners lie in the box of each.
        let n = 120_000;
        let at = |k: usize, out: f64| {
            let (angle, radius) = (k as f64 * 2.4, 1.0 + out + k as f64);
            [radius * angle.cos(), radius * angle.sin()]
        };
        let points: Vec<[f64; 2]> =
            (0..n).map(|k| at(k, 0.0)).chain((0..n).rev().map(|k| at(k, 0.5))).collect();
        assert_eq!(cut(&points).0, Cut::TooLarge);
        assert!(too_large(points.len()).contains("240000 corners"));
    }

    #[test]
    fn what_has_no_area_is_halved_where_a_fan_would_be_wide() {
        for n in [4, MAX_FAN, MAX_FAN + 1, 100_000] {
            let points: Vec<[f64; 2]> = (0..n).map(|i| [i as f64, 2.0 * i as f64]).collect();
            let (how, triangles, _) = cut(&points);
            assert_eq!((how, triangles.len()), (Cut::Degenerate, n - 2));
            let widest = triangles.iter().filter(|t| t.contains(&0)).count();
            assert!(widest < MAX_FAN, "{widest}");
        }
    }
}
