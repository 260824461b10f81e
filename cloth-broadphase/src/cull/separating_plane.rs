//! Separating planes of two small patches.
//!
//! Close patches that are not adjacent have overlapping boxes wherever cloth is oblique to the axes. A plane
//! separates nearly all of them. As in Gilbert's algorithm for the nearest point of a convex set, it searches
//! for a direction with a positive product with all differences of points of the two patches.
//!
//! Patches that share one vertex may be separated by a plane through it, with all other points strictly
//! beyond. Each triangle then touches the plane at most in that vertex, so the patches have no other point in
//! common.

use nalgebra::{Point3, Vector3};

/// Maximum number of directions. Half of the separable pairs are separated by the first, nearly all by the
/// fourth.
const TRIALS: usize = 6;

/// Relative bound on the product of a direction `t` and the least difference of points.
///
/// In units of `2^-53 |t|_1 reach`, a product of `t` and an offset is wrong by 3, an offset itself by 1. The
/// farthest offset of a side is that of the greatest rounded product, which is less than the greatest one by
/// up to 6. So both sides make 12, their offsets 2, the difference of the two farthest, of which each may be
/// `reach` long, 2, and its product 6: 22. The other 10 are for the bound's own roundings.
const ROUNDING: f64 = 16.0 * f64::EPSILON;

/// Working memory.
#[derive(Clone, Debug, Default)]
pub(super) struct SeparatingPlane {
    /// Of the two patches, as offsets from one origin.
    offsets: [Vec<Vector3<f64>>; 2],
}

impl SeparatingPlane {
    /// Whether a plane certainly parts the points, but for the one vertex that both name, if they name one.
    ///
    /// Either list may name a vertex twice. False if they share several.
    pub(super) fn separates(&mut self, a: &[u32], b: &[u32], positions: &[Point3<f64>]) -> bool {
        let mut shared = a.iter().filter(|v| b.contains(v));
        let pivot = shared.next();
        if shared.any(|v| Some(v) != pivot) {
            return false;
        }
        let Some(origin) = pivot.or(a.first()).map(|&v| positions[v as usize]) else { return false };
        for (offsets, side) in self.offsets.iter_mut().zip([a, b]) {
            offsets.clear();
            let others = side.iter().filter(|&v| Some(v) != pivot);
            offsets.extend(others.map(|&v| positions[v as usize] - origin));
        }
        if pivot.is_some() {
            // The plane passes through the origin: it parts each side from that point.
            self.search(|[a, b], towards| {
                let (a, b) = (farthest(a, towards), farthest(b, &-towards));
                if towards.dot(&-a) < towards.dot(&b) { -a } else { b }
            })
        } else {
            self.search(|[a, b], towards| farthest(b, &-towards) - farthest(a, towards))
        }
    }

    /// Searches for a direction whose product with the least difference is certainly positive.
    fn search(&self, least: impl Fn(&[Vec<Vector3<f64>>; 2], &Vector3<f64>) -> Vector3<f64>) -> bool {
        let [a, b] = &self.offsets;
        if a.is_empty() || b.is_empty() {
            return false;
        }
        let reach = a.iter().chain(b).map(Vector3::amax).fold(0.0, f64::max);
        let middle = |side: &[Vector3<f64>]| side.iter().sum::<Vector3<f64>>() / side.len() as f64;
        let mut towards = middle(b) - middle(a);
        for _ in 0..TRIALS {
            let bound = ROUNDING * (towards.abs().sum() * reach) + f64::MIN_POSITIVE;
            let nearest = least(&self.offsets, &towards);
            let product = towards.dot(&nearest);
            if product > bound {
                return true;
            }
            // The point of the segment from `towards` to `nearest` that is nearest to the origin.
            let along = nearest - towards;
            let share = -towards.dot(&along) / along.norm_squared();
            if share.is_nan() || share <= 0.0 {
                return false;
            }
            towards += along * share.min(1.0);
        }
        false
    }
}

/// The offset that lies farthest in a direction.
fn farthest(offsets: &[Vector3<f64>], towards: &Vector3<f64>) -> Vector3<f64> {
    let mut best = (f64::NEG_INFINITY, Vector3::zeros());
    for offset in offsets {
        let product = towards.dot(offset);
        if product > best.0 {
            best = (product, *offset);
        }
    }
    best.1
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parts(a: &[[f64; 3]], b: &[[f64; 3]], pivot: Option<[f64; 3]>) -> bool {
        let mut positions: Vec<Point3<f64>> = a.iter().chain(b).map(|&p| p.into()).collect();
        let all = positions.len() as u32;
        let (mut left, mut right): (Vec<u32>, Vec<u32>) =
            ((0..a.len() as u32).collect(), (a.len() as u32..all).collect());
        if let Some(pivot) = pivot {
            positions.push(pivot.into());
            left.push(all);
            right.insert(0, all);
        }
        let [one, other] = [(&left, &right), (&right, &left)]
            .map(|(a, b)| SeparatingPlane::default().separates(a, b, &positions));
        assert_eq!(one, other);
        one
    }

    const LEFT: [[f64; 3]; 3] = [[0.0, 0.0, 0.0], [2.0, 2.0, 0.0], [0.0, 2.0, 1.0]];

    #[test]
    fn parts_what_boxes_do_not() {
        assert!(parts(&LEFT, &[[0.5, 0.0, 0.0], [2.0, 1.5, 0.0], [2.0, 0.0, 1.0]], None));
        assert!(!parts(&LEFT, &[[0.5, 0.0, 0.0], [2.0, 1.5, 0.0], [0.5, 1.5, 0.0]], None));
    }

    #[test]
    fn does_not_part_what_touches() {
        let touching = [[1.0, 1.0, 0.0], [2.0, 1.0, 0.0], [2.0, 0.0, 1.0]];
        assert!(!parts(&LEFT, &touching, None));
        assert!(!parts(&LEFT, &touching.map(|[x, y, z]| [x + 1e-17, y, z]), None));
        assert!(parts(&LEFT, &touching.map(|[x, y, z]| [x + 0.5, y, z]), None));
        assert!(!parts(&LEFT, &[[0.0, 0.0, 0.0]], None));
    }

    #[test]
    fn separates_neighbours_at_a_vertex_only_by_a_plane_through_it() {
        let pivot = Some([0.0; 3]);
        let left = [[-1.0, -1.0, 0.0], [-1.0, 1.0, 0.5]];
        assert!(parts(&left, &[[1.0, 1.0, 0.0], [1.0, -1.0, -3.0]], pivot));
        assert!(!parts(&left, &[[1.0, 1.0, 0.0], [-1.0, 0.0, 0.25]], pivot));
        assert!(!parts(&left, &[[1.0, 1.0, 0.0], [0.0, 0.0, 0.0]], pivot));
    }

    #[test]
    fn parts_nothing_that_shares_two_vertices_is_empty_or_is_not_finite() {
        let positions =
            [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, -1.0, 0.0]].map(Point3::from);
        let mut separating_plane = SeparatingPlane::default();
        assert!(!separating_plane.separates(&[0, 1, 2], &[1, 0, 3], &positions));
        assert!(
            !separating_plane.separates(&[0, 1], &[], &positions)
                && !separating_plane.separates(&[], &[0], &positions)
        );
        // A vertex that a list names twice is one vertex.
        assert!(separating_plane.separates(&[0, 2, 0], &[0, 3], &positions));
        let huge = positions.map(|p| p * 1e300);
        assert!(!separating_plane.separates(&[2], &[3], &huge));
        assert!(!separating_plane.separates(&[2], &[3], &positions.map(|p| p * f64::NAN)));
    }
}
