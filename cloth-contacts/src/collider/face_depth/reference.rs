//! Reference implementation of the depth of a face: subdivision by nothing but the distance itself.
//!
//! No point is deeper than another by more than their distance. The part of the face that may be deepest is
//! divided again and again. Agreement: a depth lies between the two bounds, or above the upper one by at most
//! the tolerances.

use std::collections::BinaryHeap;

use nalgebra::Point3;

use crate::collider::Shape;
use crate::collider::reference::signed_distance;

/// A part of a face, ordered by how deep it may be.
struct FacePart {
    most: f64,
    corners: [Point3<f64>; 3],
}

impl PartialEq for FacePart {
    fn eq(&self, other: &Self) -> bool {
        self.most == other.most
    }
}

impl Eq for FacePart {}

impl PartialOrd for FacePart {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for FacePart {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        self.most.total_cmp(&other.most)
    }
}

/// A lower and an upper bound (m) of the largest depth of a face in a shape, in the frame of the shape,
/// negative if all of it is outside, after at most `divisions` of a part into four, or once they differ by
/// less than `tolerance` (m). `None` for shapes that only parry supports.
pub fn depth_bounds(
    shape: &Shape,
    face: &[Point3<f64>; 3],
    divisions: usize,
    tolerance: f64,
) -> Option<[f64; 2]> {
    let mut low = f64::NEG_INFINITY;
    let mut parts = BinaryHeap::new();
    let measure = |corners: [Point3<f64>; 3], low: &mut f64| {
        let centre = Point3::from((corners[0].coords + corners[1].coords + corners[2].coords) / 3.0);
        let depth = -signed_distance(shape, &centre)?;
        *low = low.max(depth);
        let radius = corners.iter().map(|p| (p - centre).norm()).fold(0.0, f64::max);
        Some(FacePart { most: depth + radius, corners })
    };
    parts.push(measure(*face, &mut low)?);
    let mut left = divisions;
    while let Some(deepest) = parts.pop() {
        if left == 0 || deepest.most - low <= tolerance || deepest.most <= 0.0 {
            return Some([low, deepest.most]);
        }
        left -= 1;
        let [a, b, c] = deepest.corners;
        let [ab, bc, ca] = [(a, b), (b, c), (c, a)].map(|(p, q)| nalgebra::center(&p, &q));
        for corners in [[a, ab, ca], [ab, b, bc], [ca, bc, c], [ab, bc, ca]] {
            parts.push(measure(corners, &mut low)?);
        }
    }
    None
}
