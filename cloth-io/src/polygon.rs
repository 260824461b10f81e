//! Cuts polygons into triangles that all face the way the polygon faces.
//!
//! A polygon becomes the fan from its first corner, as most tools do, unless a triangle of it would be flipped or
//! empty: then it is cut by ear clipping, so that a concave quad gives no flipped triangle. Both look at the
//! polygon along the axis in which its area is greatest: dropping a coordinate rounds nothing, so the signs that
//! decide are exact.
//!
//! Ears keep their state in a ring and only the neighbours of a clipped ear are looked at again (Eberly,
//! "Triangulation by ear clipping"): at worst corners times corners.

use nalgebra::{Point3, Vector3};
use robust::{Coord, orient2d};

/// The most corners of a polygon that does not fan out: bounds the work that a hostile file can ask for.
pub(crate) const MAX_CONCAVE_CORNERS: usize = 4096;

/// The note about polygons that are [`Cut::Degenerate`].
pub(crate) const DEGENERATE: &str = "polygons that are flat to nothing or cross themselves: cut as they go";

/// The error about a polygon that is [`Cut::TooLarge`].
pub(crate) fn too_large(corners: usize) -> String {
    format!("has {corners} corners and is concave; cut it up, {MAX_CONCAVE_CORNERS} are the most")
}

/// How a polygon was cut.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Cut {
    /// Every triangle faces as the polygon does.
    Clean,
    /// The polygon is flat to nothing or crosses itself; a fan stands in where no ear was left.
    Degenerate,
    /// More than [`MAX_CONCAVE_CORNERS`] corners, and concave: not cut.
    TooLarge,
}

/// Appends the triangles of a polygon of three corners or more to `out`, as numbers of its corners.
pub(crate) fn triangulate(corners: &[Point3<f64>], out: &mut Vec<[usize; 3]>) -> Cut {
    let fan = |out: &mut Vec<[usize; 3]>| out.extend((2..corners.len()).map(|i| [0, i - 1, i]));
    if corners.len() == 3 {
        fan(out);
        return Cut::Clean;
    }
    let Some(flat) = project(corners) else {
        fan(out);
        return Cut::Degenerate;
    };
    if fans_out(&flat) {
        fan(out);
        return Cut::Clean;
    }
    if flat.len() > MAX_CONCAVE_CORNERS {
        return Cut::TooLarge;
    }
    Ring::new(&flat).clip(out)
}

/// The polygon seen along its main axis, counter-clockwise; `None` if its area is zero or beyond all numbers.
fn project(corners: &[Point3<f64>]) -> Option<Vec<Coord<f64>>> {
    let arms = corners.iter().map(|p| p - corners[0]);
    let normal: Vector3<f64> = arms.clone().zip(arms.skip(1)).map(|(a, b)| a.cross(&b)).sum();
    if !normal.iter().all(|c| c.is_finite()) || normal == Vector3::zeros() {
        return None;
    }
    let axis = normal.iamax();
    let (mut u, mut v) = ((axis + 1) % 3, (axis + 2) % 3);
    if normal[axis] < 0.0 {
        std::mem::swap(&mut u, &mut v);
    }
    Some(corners.iter().map(|p| Coord { x: p[u], y: p[v] }).collect())
}

/// Whether no triangle of the fan from the first corner is flipped or empty.
fn fans_out(flat: &[Coord<f64>]) -> bool {
    (2..flat.len()).all(|i| orient2d(flat[0], flat[i - 1], flat[i]) > 0.0)
}

/// The corners that are left, in a ring.
struct Ring<'a> {
    flat: &'a [Coord<f64>],
    previous: Vec<usize>,
    next: Vec<usize>,
    ear: Vec<bool>,
}

impl<'a> Ring<'a> {
    fn new(flat: &'a [Coord<f64>]) -> Self {
        let n = flat.len();
        let previous = (0..n).map(|i| (i + n - 1) % n).collect();
        let next = (0..n).map(|i| (i + 1) % n).collect();
        let mut ring = Self { flat, previous, next, ear: vec![false; n] };
        for i in 0..n {
            ring.ear[i] = ring.is_ear(i);
        }
        ring
    }

    /// Whether cutting corner `i` off leaves a polygon: it turns left, and no other corner lies in its triangle.
    fn is_ear(&self, i: usize) -> bool {
        let [a, b, c] = [self.previous[i], i, self.next[i]].map(|k| self.flat[k]);
        if orient2d(a, b, c) <= 0.0 {
            return false;
        }
        let mut k = self.next[self.next[i]];
        while k != self.previous[i] {
            let p = self.flat[k];
            // A corner that lies on one of the three (where a hole is bridged) does not block.
            let inside = orient2d(a, b, p) >= 0.0 && orient2d(b, c, p) >= 0.0 && orient2d(c, a, p) >= 0.0;
            if inside && p != a && p != b && p != c {
                return false;
            }
            k = self.next[k];
        }
        true
    }

    fn clip(mut self, out: &mut Vec<[usize; 3]>) -> Cut {
        let (mut i, mut left, mut missed) = (0, self.flat.len(), 0);
        while left > 3 && missed <= left {
            let (a, c) = (self.previous[i], self.next[i]);
            if self.ear[i] {
                out.push([a, i, c]);
                self.next[a] = c;
                self.previous[c] = a;
                left -= 1;
                missed = 0;
                self.ear[a] = self.is_ear(a);
                self.ear[c] = self.is_ear(c);
            } else {
                missed += 1;
            }
            i = c;
        }
        let clean = left == 3 && self.ear[i];
        let mut b = self.next[i];
        for _ in 2..left {
            out.push([i, b, self.next[b]]);
            b = self.next[b];
        }
        if clean { Cut::Clean } else { Cut::Degenerate }
    }
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
            let whole: f64 = (0..points.len()).map(|i| {
                let (p, q) = (points[i], points[(i + 1) % points.len()]);
                p[0] * q[1] - p[1] * q[0]
            }).sum();
            prop_assert!(areas.iter().all(|&a| a > -1e-9));
            // Each of at most 40 terms is below 2e4 and is rounded three times.
            prop_assert!((areas.iter().sum::<f64>() - whole).abs() < 40.0 * 2e4 * 8.0 * f64::EPSILON);
        }
    }
}
