//! The contact that keeps a point on its side of a triangle (Lewin 2018, section 4.2, equations 2 and 3).
//!
//! ```text
//!            p *            n: unit, from the triangle to the point
//!              | gap        C = n . (p - p0) - distance >= 0
//!   p0 --------+-------- p1
//! ```
//!
//! Two deviations from the paper, both for the same reason: a plane separates a point from a triangle only if
//! it is perpendicular to the shortest line between them.
//!
//! * Over the interior, the normal follows the triangle and the contact stores one bit of side, as in the
//!   paper. Nearer to an edge or a corner, the normal and the weights are frozen, as for edges (equation 4).
//! * Equation (3) as printed mixes its signs. With `n` of unit length, `n . (p1 - p0) = 0` at all times, so
//!   `dn . (p1 - p0) = -n . dp1`; writing `p - p0` by its barycentric coordinates `(w1, w2)` in the plane,
//!   the whole of (3) collapses to `dC/dp = n`, `dC/dpk = -wk n`. The weights sum to one, so momentum is
//!   conserved.

use cloth_geom::closest::{TriangleFeature, point_triangle};
use nalgebra::{Point3, Vector3};

/// How the normal of a point-triangle contact is found while it is solved.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum Side {
    /// It follows the triangle; the point belongs on the side that `(p1 - p0) x (p2 - p0)` points to.
    Front,
    /// It follows the triangle; the point belongs on the other side.
    Back,
    /// The normal is fixed at its initial value: the closest point is on an edge or a corner.
    Frozen,
}

impl Side {
    /// +1 in front, -1 behind, 0 for a frozen normal.
    #[must_use]
    pub fn sign(self) -> f32 {
        match self {
            Self::Front => 1.0,
            Self::Back => -1.0,
            Self::Frozen => 0.0,
        }
    }
}

/// A predicted contact of a vertex with a face.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct PointTriangle {
    /// The vertex.
    pub vertex: u32,
    /// The face.
    pub face: u32,
    /// The corners of the face.
    pub corners: [u32; 3],
    /// How the normal is found.
    pub side: Side,
    /// Unit normal at the start of the step, from the triangle to the point.
    pub normal: Vector3<f32>,
    /// Barycentric coordinates of the closest point at the start of the step.
    pub weights: [f32; 3],
    /// Signed distance at the start of the step (m); negative if the point is on the wrong side.
    pub gap: f32,
    /// Distance to keep (m): `2r`, or the rest distance where that is less.
    pub distance: f32,
}

/// A constraint function linearised at the current positions: `value + gradient . dx`.
///
/// The gradient with respect to vertex `k` is `weights[k] * normal`; the four weights sum to zero.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Linear {
    /// Signed separation (m); the distance to keep is not yet subtracted.
    pub value: f32,
    /// Unit normal.
    pub normal: Vector3<f32>,
    /// Signed weights of the four vertices.
    pub weights: [f32; 4],
}

/// A point and a triangle at the start of a step, with their displacements over it (m).
#[derive(Clone, Copy, Debug)]
pub struct PointTriangleQuery<'a> {
    /// The point.
    pub p: &'a Point3<f32>,
    /// Its displacement.
    pub d: &'a Vector3<f32>,
    /// The corners.
    pub corners: [&'a Point3<f32>; 3],
    /// Their displacements.
    pub displacements: [&'a Vector3<f32>; 3],
}

/// What [`predict`] finds: the closest features and how fast they approach.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PointTrianglePrediction {
    /// How the normal is evaluated.
    pub side: Side,
    /// The feature of the triangle nearest to the point.
    pub feature: TriangleFeature,
    /// Unit normal from the triangle to the point.
    pub normal: Vector3<f32>,
    /// Barycentric coordinates of the closest point.
    pub weights: [f32; 3],
    /// Distance at the start (m).
    pub gap: f32,
    /// How far the gap closes along the normal during the step (m); negative if it opens.
    pub approach: f32,
}

/// Predicts the gap of a point and a triangle over a step, if they come within `reach` (m).
///
/// Also `None` for a degenerate configuration without a normal: a point exactly on an edge or corner of a
/// triangle of zero area.
#[must_use]
#[inline]
pub fn predict(query: &PointTriangleQuery<'_>, reach: f32) -> Option<PointTrianglePrediction> {
    predict_from(query, &point_triangle(query.p, query.corners), reach)
}

/// As [`predict`], with a known closest point.
#[inline]
pub(crate) fn predict_from(
    query: &PointTriangleQuery<'_>,
    closest: &cloth_geom::closest::PointTriangle<f32>,
    reach: f32,
) -> Option<PointTrianglePrediction> {
    let w = closest.weights;
    let [p0, p1, p2] = query.corners;
    let [d0, d1, d2] = query.displacements;
    let d_rel = query.d - (d0 * w[0] + d1 * w[1] + d2 * w[2]);
    let distance = closest.distance_sq.sqrt();
    // The projected approach is at most |d_rel|: most candidates are rejected here.
    if distance - reach > 0.0 && d_rel.norm_squared() <= (distance - reach) * (distance - reach) {
        return None;
    }
    let face_normal = (p1 - p0).cross(&(p2 - p0));
    let (side, normal, gap) = if closest.feature == TriangleFeature::Face {
        let n = face_normal.try_normalize(0.0)?;
        let height = n.dot(&(query.p - p0));
        // A point in the plane came from the side that it is not moving to.
        let front = if height == 0.0 { n.dot(&d_rel) <= 0.0 } else { height > 0.0 };
        if front { (Side::Front, n, height) } else { (Side::Back, -n, -height) }
    } else {
        let sep = query.p - (p0.coords * w[0] + p1.coords * w[1] + p2.coords * w[2]);
        let n = sep.coords.try_normalize(0.0).or_else(|| face_normal.try_normalize(0.0))?;
        (Side::Frozen, n, distance)
    };
    let approach = -d_rel.dot(&normal);
    (gap - approach.max(0.0) < reach).then_some(PointTrianglePrediction {
        side,
        feature: closest.feature,
        normal,
        weights: w,
        gap,
        approach,
    })
}

/// A point over the plane of a triangle.
pub(crate) struct PlaneProjection {
    e1: Vector3<f32>,
    e2: Vector3<f32>,
    /// From the first corner to the point.
    pub(crate) r: Vector3<f32>,
    /// The cross product of the edges, and its square.
    pub(crate) n: Vector3<f32>,
    pub(crate) area_sq: f32,
}

impl PlaneProjection {
    #[inline]
    pub(crate) fn new(p: &Point3<f32>, [p0, p1, p2]: [&Point3<f32>; 3]) -> Self {
        let (e1, e2, r) = (p1 - p0, p2 - p0, p - p0);
        let n = e1.cross(&e2);
        Self { e1, e2, r, n, area_sq: n.norm_squared() }
    }

    /// Barycentric coordinates of the foot at the second and third corner; NaN over a triangle without area.
    #[inline]
    pub(crate) fn weights(&self) -> [f32; 2] {
        let w2 = self.e1.cross(&self.r).dot(&self.n) / self.area_sq;
        let w1 = self.r.cross(&self.e2).dot(&self.n) / self.area_sq;
        [w1, w2]
    }
}

/// Separation and normal of a contact, and the source of its weights.
struct Evaluation {
    value: f32,
    normal: Vector3<f32>,
    by: WeightSource,
}

enum WeightSource {
    Face(PlaneProjection),
    Frozen([f32; 3]),
}

impl Evaluation {
    #[inline(always)]
    fn linear(self) -> Linear {
        let weights = match self.by {
            WeightSource::Face(projection) => {
                let [w1, w2] = projection.weights();
                [1.0, w1 + w2 - 1.0, -w1, -w2]
            }
            WeightSource::Frozen([w0, w1, w2]) => [1.0, -w0, -w1, -w2],
        };
        Linear { value: self.value, normal: self.normal, weights }
    }
}

impl PointTriangle {
    /// Takes the other side of the face for the right one.
    pub fn flip_side(&mut self) {
        self.side = match self.side {
            Side::Front => Side::Back,
            Side::Back => Side::Front,
            Side::Frozen => Side::Frozen,
        };
        (self.normal, self.gap) = (-self.normal, -self.gap);
    }

    /// Separation and gradient of the constraint at the given positions (equations 2 and 3, as derived
    /// above).
    ///
    /// A triangle of zero area falls back to the frozen normal and weights.
    #[must_use]
    #[inline(always)]
    pub fn linearise(&self, p: &Point3<f32>, corners: [&Point3<f32>; 3]) -> Linear {
        self.at(p, corners).linear()
    }

    /// Separation and normal at the given positions.
    #[inline(always)]
    fn at(&self, p: &Point3<f32>, corners: [&Point3<f32>; 3]) -> Evaluation {
        if self.side != Side::Frozen {
            let projection = PlaneProjection::new(p, corners);
            if projection.area_sq > f32::MIN_POSITIVE {
                let normal = projection.n * (self.side.sign() / projection.area_sq.sqrt());
                return Evaluation {
                    value: normal.dot(&projection.r),
                    normal,
                    by: WeightSource::Face(projection),
                };
            }
        }
        let [w0, w1, w2] = self.weights;
        let [p0, p1, p2] = corners;
        let sep = p.coords - (p0.coords * w0 + p1.coords * w1 + p2.coords * w2);
        Evaluation {
            value: self.normal.dot(&sep),
            normal: self.normal,
            by: WeightSource::Frozen(self.weights),
        }
    }

    /// The four vertices, in the order of [`Linear::weights`].
    #[must_use]
    pub fn vertices(&self) -> [u32; 4] {
        [self.vertex, self.corners[0], self.corners[1], self.corners[2]]
    }
}
