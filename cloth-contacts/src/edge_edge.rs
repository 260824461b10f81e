//! Edge-edge contact (Lewin 2018, section 4.3, equation 4).
//!
//! Edges have no orientation, so the contact freezes the normal and the two parameters at the start of the
//! step. Equation (4) contradicts the normal defined next to it in the paper; here `n` is the unit vector
//! **from b to a**, and `C = n . (a(s) - b(t)) - distance >= 0` with gradients
//! `(1-s) n, s n, -(1-t) n, -t n`.
//!
//! Only pairs whose closest points are inside both edges become contacts: where an endpoint is closest, a
//! point-triangle contact covers the same pair with fewer vertices.

use cloth_geom::bounds::gamma_f32;
use cloth_geom::closest::{SegmentFeature, segment_segment};
use cloth_geom::lanes::{Simd, dot, minus};
use nalgebra::{Point3, Vector3};

use crate::point_triangle::Linear;

/// A predicted contact of two edges.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct EdgeEdge {
    /// The two edges; the first has the smaller number.
    pub edges: [u32; 2],
    /// The ends of the first edge.
    pub a: [u32; 2],
    /// The ends of the second edge.
    pub b: [u32; 2],
    /// Parameter of the closest point on the first edge, in (0, 1).
    pub s: f32,
    /// Parameter of the closest point on the second edge, in (0, 1).
    pub t: f32,
    /// Unit normal at the start of the step, from the second edge to the first.
    pub normal: Vector3<f32>,
    /// Signed distance at the start of the step (m); negative if the edges have passed through each other.
    pub gap: f32,
    /// Distance to keep (m): `2r`, or the rest distance where that is less.
    pub distance: f32,
}

/// Two edges at the start of a step, with the displacements of their ends over it (m).
#[derive(Clone, Copy, Debug)]
pub struct EdgeEdgeQuery<'a> {
    /// The first edge.
    pub a: [&'a Point3<f32>; 2],
    /// The second edge.
    pub b: [&'a Point3<f32>; 2],
    /// Displacements of the first edge's ends.
    pub a_displacements: [&'a Vector3<f32>; 2],
    /// Displacements of the second edge's ends.
    pub b_displacements: [&'a Vector3<f32>; 2],
}

/// What [`predict`] finds: the closest points and how fast they approach.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct EdgeEdgePrediction {
    /// Parameter on the first edge.
    pub s: f32,
    /// Parameter on the second edge.
    pub t: f32,
    /// Unit normal from the second edge to the first.
    pub normal: Vector3<f32>,
    /// Distance at the start (m).
    pub gap: f32,
    /// How far the gap closes along the normal during the step (m); negative if it opens.
    pub approach: f32,
}

/// Predicts the gap of two edges over a step, if they come within `reach` (m) and both closest points are
/// inside.
///
/// Edges at distance zero take the common perpendicular as their normal, against the relative motion;
/// parallel edges at distance zero give `None`: their endpoints form point-triangle contacts.
#[must_use]
#[inline]
pub fn predict(query: &EdgeEdgeQuery<'_>, reach: f32) -> Option<EdgeEdgePrediction> {
    predict_from(query, &segment_segment(query.a, query.b), reach)
}

/// For four pairs: whether the closest points are certainly not inside both edges, so that there is no
/// contact.
///
/// The lines are closest at `s_num / denom` and `t_num / denom`. With `a`, `b` and `r` the lengths of the
/// edges and of the vector between their first endpoints, a scalar product has 5 roundings, a product of two
/// 11 and a difference of those 12, of `2 a b^2 r <= b^2 (a^2 + r^2)` in the numerator and of `2 a^2 b^2` in
/// the denominator: 36 in total. A pair within 64 is undecided. Products of four lengths below 0.2 nm lose
/// digits to underflow; what is left out there is a contact, on which no proof rests.
#[inline(always)]
pub(crate) fn closest_at_an_end<L: Simd>([a0, a1]: [&[L; 3]; 2], [b0, b1]: [&[L; 3]; 2]) -> u32 {
    const DOUBT: f32 = gamma_f32(64);
    let doubt = a0[0].like(DOUBT);
    let (along_a, along_b, between) = (minus(a1, a0), minus(b1, b0), minus(a0, b0));
    let (aa, bb, ab) = (dot(&along_a, &along_a), dot(&along_b, &along_b), dot(&along_a, &along_b));
    let (ar, br, rr) = (dot(&along_a, &between), dot(&along_b, &between), dot(&between, &between));
    let denom = aa * bb - ab * ab;
    let (s_num, t_num) = (ab * br - ar * bb, aa * br - ab * ar);
    let (s_doubt, t_doubt) = (doubt * bb * (aa + rr), doubt * aa * (bb + rr));
    let zero = doubt.like(0.0);
    let beyond = |num: L, doubt: L| num.is_less(zero - doubt) | (denom + doubt).is_less(num);
    L::bits(beyond(s_num, s_doubt) | beyond(t_num, t_doubt))
}

/// As [`predict`], with known closest points.
#[inline]
pub(crate) fn predict_from(
    query: &EdgeEdgeQuery<'_>,
    closest: &cloth_geom::closest::SegmentSegment<f32>,
    reach: f32,
) -> Option<EdgeEdgePrediction> {
    let (s, t) = (closest.s, closest.t);
    let d_rel = relative_displacement(query, [s, t]);
    let gap = closest.distance_sq.sqrt();
    if gap - reach > 0.0 && d_rel.norm_squared() <= (gap - reach) * (gap - reach) {
        return None;
    }
    if closest.feature_a != SegmentFeature::Interior || closest.feature_b != SegmentFeature::Interior {
        return None;
    }
    let normal = normal_between(query, [s, t], &d_rel)?;
    let approach = -d_rel.dot(&normal);
    (gap - approach.max(0.0) < reach).then_some(EdgeEdgePrediction { s, t, normal, gap, approach })
}

/// The unit normal from the point at `t` on the second edge to that at `s` on the first; for coincident
/// points the common perpendicular, against the relative displacement `d_rel` (m).
#[inline]
pub(crate) fn normal_between(
    query: &EdgeEdgeQuery<'_>,
    [s, t]: [f32; 2],
    d_rel: &Vector3<f32>,
) -> Option<Vector3<f32>> {
    let at = |[p, q]: [&Point3<f32>; 2], u: f32| p.coords * (1.0 - u) + q.coords * u;
    (at(query.a, s) - at(query.b, t)).try_normalize(0.0).or_else(|| {
        let n = (query.a[1] - query.a[0]).cross(&(query.b[1] - query.b[0])).try_normalize(0.0)?;
        Some(if n.dot(d_rel) <= 0.0 { n } else { -n })
    })
}

/// The relative displacement (m) of the points at `s` on the first edge and at `t` on the second.
#[inline]
pub(crate) fn relative_displacement(query: &EdgeEdgeQuery<'_>, [s, t]: [f32; 2]) -> Vector3<f32> {
    let mid = |[p, q]: [&Vector3<f32>; 2], u: f32| p * (1.0 - u) + q * u;
    mid(query.a_displacements, s) - mid(query.b_displacements, t)
}

impl EdgeEdge {
    /// Separation and gradient of the constraint at the given positions (equation 4).
    #[must_use]
    #[inline]
    pub fn linearise(&self, a: [&Point3<f32>; 2], b: [&Point3<f32>; 2]) -> Linear {
        let (s, t) = (self.s, self.t);
        let sep = a[0].coords * (1.0 - s) + a[1].coords * s - b[0].coords * (1.0 - t) - b[1].coords * t;
        Linear { value: self.normal.dot(&sep), normal: self.normal, weights: [1.0 - s, s, t - 1.0, -t] }
    }

    /// The four vertices, in the order of [`Linear::weights`].
    #[must_use]
    pub fn vertices(&self) -> [u32; 4] {
        [self.a[0], self.a[1], self.b[0], self.b[1]]
    }
}
