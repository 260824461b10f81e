//! Whether a contour is star-shaped: around some point inside, it winds exactly once and never backwards.
//!
//! Around a point of the kernel every side of a star-shaped polygon turns counter-clockwise, and the total
//! winding is one turn. Both are needed: a curve that winds twice also turns counter-clockwise everywhere. A
//! curve with both properties meets each ray from the point once, so it is strictly simple.
//!
//! Zhang 2014 (section 3.1) and Schvartzman, Perez and Otaduy 2010 search the point along the centre lines of
//! the contour's box. Here it is the mean of the corners, or else the centre of the kernel, found by
//! clipping.

use std::cmp::Ordering;

use nalgebra::Vector2;

use super::view::{Contour, cross};

/// Whether the contour is certainly star-shaped and runs counter-clockwise.
pub(super) fn is_star(contour: &mut Contour) -> bool {
    is_star_about_its_middle(contour) || kernel(contour).is_some_and(|point| goes_round_once(contour, point))
}

/// Whether the contour is certainly star-shaped as seen from the middle of its corners: linear, and often
/// enough.
pub(super) fn is_star_about_its_middle(contour: &Contour) -> bool {
    let sum: Vector2<f64> = contour.points.iter().sum();
    contour.points.len() >= 3 && goes_round_once(contour, sum / contour.points.len() as f64)
}

/// Whether all sides certainly turn counter-clockwise about the point, once around in all.
fn goes_round_once(contour: &Contour, about: Vector2<f64>) -> bool {
    let reach = contour.points.iter().map(|p| (p - about).amax()).fold(0.0, f64::max);
    // The differences round too: a unit roundoff each, and one for the bound.
    let bound = Contour::product_bound(reach, contour.error + f64::EPSILON * reach);
    let Some(last) = contour.points.last() else { return false };
    let mut turns = 0;
    let mut from = last - about;
    for point in &contour.points {
        let to = point - about;
        // False for NaN as well.
        if cross(from, to).partial_cmp(&bound) != Some(Ordering::Greater) {
            return false;
        }
        turns += usize::from(from.y < 0.0 && to.y >= 0.0);
        from = to;
    }
    turns == 1
}

/// The middle of the points from which all sides turn counter-clockwise, up to rounding.
fn kernel(contour: &mut Contour) -> Option<Vector2<f64>> {
    let Contour { points, scratch, .. } = contour;
    let &last = points.last()?;
    let [kept, clipped] = &mut scratch.polygons;
    let low = points.iter().fold(points[0], |a, b| a.inf(b));
    let high = points.iter().fold(points[0], |a, b| a.sup(b));
    kept.clear();
    kept.extend([low, Vector2::new(high.x, low.y), high, Vector2::new(low.x, high.y)]);
    let mut from = last;
    for &to in points.iter() {
        clip(kept, from, to - from, clipped);
        std::mem::swap(kept, clipped);
        if kept.len() < 3 {
            return None;
        }
        from = to;
    }
    let sum: Vector2<f64> = kept.iter().sum();
    Some(sum / kept.len() as f64)
}

/// What of a convex polygon lies to the left of a line.
fn clip(polygon: &[Vector2<f64>], from: Vector2<f64>, along: Vector2<f64>, left: &mut Vec<Vector2<f64>>) {
    left.clear();
    let Some(&last) = polygon.last() else { return };
    let (mut p, mut p_side) = (last, cross(along, last - from));
    for &q in polygon {
        let q_side = cross(along, q - from);
        if (p_side < 0.0) != (q_side < 0.0) {
            left.push(p + (q - p) * (p_side / (p_side - q_side)));
        }
        if q_side >= 0.0 {
            left.push(q);
        }
        (p, p_side) = (q, q_side);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn star(points: &[[f64; 2]]) -> bool {
        is_star(&mut Contour::through(points))
    }

    const SQUARE: [[f64; 2]; 4] = [[0.0, 0.0], [1.0, 0.0], [1.0, 1.0], [0.0, 1.0]];

    #[test]
    fn recognises_convex_and_star_shaped_contours_and_their_orientation() {
        assert!(star(&SQUARE));
        let mut clockwise = SQUARE;
        clockwise.reverse();
        assert!(!star(&clockwise));
        // The middle of the corners lies in a notch; the kernel is the small square beside the origin.
        let hook =
            [[0.0, 0.0], [9.0, 0.0], [9.0, 0.5], [8.0, 1.0], [7.0, 1.0], [1.0, 1.0], [1.0, 9.0], [0.0, 9.0]];
        assert!(star(&hook));
    }

    #[test]
    fn refuses_what_no_point_sees_whole() {
        let u =
            [[0.0, 0.0], [9.0, 0.0], [9.0, 9.0], [8.0, 9.0], [8.0, 1.0], [1.0, 1.0], [1.0, 9.0], [0.0, 9.0]];
        assert!(!star(&u));
        assert!(!star(&[[0.0, 0.0], [1.0, 0.0], [0.0, 1.0], [1.0, 1.0]]));
        assert!(!star(&[]) && !star(&SQUARE[..2]));
        assert!(!star(&[[0.0, 0.0], [1.0, 0.0], [2.0, 0.0]]));
    }

    #[test]
    fn refuses_a_contour_that_goes_round_twice_though_every_side_turns_left() {
        let around = |k: u32| {
            let angle = f64::from(k) * 1.25;
            let radius = 1.0 + 0.1 * f64::from(k);
            [radius * f64::cos(angle), radius * f64::sin(angle)]
        };
        let twice: Vec<[f64; 2]> = (0..10).map(around).collect();
        let contour = Contour::through(&twice);
        let turns_left = |k: usize| cross(contour.points[k], contour.points[(k + 1) % 10]) > 0.0;
        assert!((0..10).all(turns_left));
        assert!(!star(&twice));
    }

    #[test]
    fn refuses_what_the_error_of_the_points_might_have_made() {
        let thin = |height: f64, error: f64| {
            let mut contour = Contour::through(&[[0.0, 0.0], [1.0, 0.0], [1.0, height], [0.0, height]]);
            contour.error = error;
            is_star(&mut contour)
        };
        assert!(thin(1e-3, 1e-6));
        assert!(!thin(1e-3, 1e-3));
        assert!(thin(1e-12, 0.0) && !thin(1e-16, 0.0));
        assert!(!thin(1.0, f64::NAN) && !thin(1.0, f64::INFINITY) && !thin(f64::NAN, 0.0));
    }
}
