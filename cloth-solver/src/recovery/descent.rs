//! Descent direction of the length of a contour (Volino and Magnenat-Thalmann, "Resolving surface collisions
//! through intersection contour minimization", 2006).
//!
//! A hit lies at `X`, where an edge along `E` passes a face with unit normal `N`. If the edge moves by `u`
//! relative to the face, half of it each, the hit moves with their mean and slides along the edge until it is
//! in the plane again:
//!
//! ```text
//!   dX = (v_e + v_f)/2-part  - E (N . u) / (N . E)
//!      = u/2 - E (N . u) / (N . E)  where the edge moves by u/2 and the face by -u/2
//!   dL = -R . dX,  R = sum of the unit directions from X along the contour
//!      = -u/2 . (R - 2 N (E . R) / (E . N))
//! ```
//!
//! So the length falls fastest along `G = R - 2 N (E . R) / (E . N)`. Along a straight contour `R` is zero:
//! only its ends say where to go. Therefore the sum over the contour, of one side relative to the other, is
//! added to each hit (their "global scheme").

use cloth_contacts::tangle::{Contour, End};
use cloth_geom::Topology;
use nalgebra::{Point3, Vector3};

use super::plan::{DescentMode, IntersectionMotions, normal};

/// Minimum length of a significant sum of descent directions.
const MIN_DESCENT: f64 = 1e-3;
/// Maximum length of `G`: unbounded for an edge that grazes a face.
pub(super) const MAX_DESCENT: f64 = 4.0;

/// Computes for each intersection of a contour the motion of its edge relative to its face that shortens the
/// contour: a direction times at most about one.
pub(super) fn shorten(
    contour: &Contour,
    mode: DescentMode,
    at: &[Point3<f64>],
    topology: &Topology,
    motions: &mut IntersectionMotions,
) {
    let IntersectionMotions { of_hits, along, .. } = motions;
    directions(contour, at, topology, along);
    of_hits.clear();
    of_hits.extend(contour.hits.iter().zip(&*along).map(|(&hit, r)| descent(hit, r, at, topology)));
    let sign = |side: u8| if side == 0 { 1.0 } else { -1.0 };
    let sum: Vector3<f64> = of_hits.iter().zip(&contour.edge_sides).map(|(g, &side)| g * sign(side)).sum();
    let common = match mode {
        _ if contour.both_sided => Vector3::zeros(),
        DescentMode::PerIntersection => Vector3::zeros(),
        DescentMode::Combined => sum.try_normalize(MIN_DESCENT).unwrap_or_default(),
        DescentMode::Rotated(number) => turned(&sum, number).try_normalize(MIN_DESCENT).unwrap_or_default(),
    };
    for (g, &side) in of_hits.iter_mut().zip(&contour.edge_sides) {
        *g = *g * 0.5 + common * sign(side);
    }
}

/// A vector rotated by a right angle about an axis perpendicular to it that depends on the number.
fn turned(v: &Vector3<f64>, number: u32) -> Vector3<f64> {
    let aside = if v.x.abs() < v.y.abs() { Vector3::x() } else { Vector3::y() };
    let first = v.cross(&aside).try_normalize(0.0).unwrap_or_default();
    let second = v.cross(&first).try_normalize(0.0).unwrap_or_default();
    // The golden angle: all axes differ.
    let (sin, cos) = (libm::sin(2.4 * f64::from(number)), libm::cos(2.4 * f64::from(number)));
    (first * cos + second * sin) * v.norm()
}

/// Finds for each hit the sum of the unit directions in which the contour leaves it.
pub(super) fn directions(
    contour: &Contour,
    at: &[Point3<f64>],
    topology: &Topology,
    along: &mut Vec<Vector3<f64>>,
) {
    along.clear();
    along.resize(contour.hits.len(), Vector3::zeros());
    for segment in &contour.segments {
        let [from, to] = segment.ends.map(|end| contour.point(end, at, topology));
        let (Some(from), Some(to)) = (from, to) else { continue };
        let Some(unit) = (to - from).try_normalize(1e-12) else { continue };
        for (end, unit) in segment.ends.into_iter().zip([unit, -unit]) {
            if let End::Hit(hit) = end {
                along[hit as usize] += unit;
            }
        }
    }
}

/// `G`, cut to a length of at most [`MAX_DESCENT`]; zero if the edge lies in the plane of the face.
pub(super) fn descent(
    [e, f]: [u32; 2],
    along: &Vector3<f64>,
    at: &[Point3<f64>],
    topology: &Topology,
) -> Vector3<f64> {
    let Some(n) = normal(f, at, topology) else { return Vector3::zeros() };
    let [a, b] = topology.edges()[e as usize].map(|v| at[v as usize]);
    let edge = b - a;
    let through = edge.dot(&n);
    if through == 0.0 {
        return Vector3::zeros();
    }
    let g = along - n * (2.0 * edge.dot(along) / through);
    let length = g.norm();
    if !length.is_finite() {
        return Vector3::zeros();
    }
    if length > MAX_DESCENT { g * (MAX_DESCENT / length) } else { g }
}
