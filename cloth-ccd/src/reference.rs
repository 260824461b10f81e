//! Reference implementation: verdicts and times by exact roots of integer polynomials.
//!
//! Coordinates are integers over a common power of two, so all functions of time are integer polynomials. Two
//! closed primitives **first** come within a distance of each other either at the start, or when the distance
//! of some feature of one and some feature of the other (interior, edge, vertex) falls to it while their
//! closest points are within both features. Each pair of features is a separate query, and the earliest
//! result is that of the pair:
//!
//! *Is there a time in [0, 1] with `excess` zero and `within` not negative?* Where a feature degenerates (an
//! edge of length zero, a face of area zero, parallel edges), its own features decide.
//!
//! | features | excess | within | span |
//! |---|---|---|---|
//! | plane and point; two lines | `(q.n)^2 - d^2 n.n` | the closest point is within each edge | `n.n` |
//! | line and point | `abs2(q x e) - d^2 e.e` | `q.e`, `(e - q).e` | `e.e` |
//! | two points | `q.q - d^2` | | |

mod polynomial;
mod roots;

use cloth_geom::exact::decompose;
use dashu_int::IBig;

use super::{Ccd, CcdError, Query, Toi, check};
use polynomial::{Dyadic, Polynomial, Vector};
use roots::{Root, roots};

/// Exact decision and exact earliest time, over integers: what the other methods are compared with.
#[derive(Clone, Copy, Debug, Default)]
pub struct Reference;

impl Ccd for Reference {
    fn impact(&self, query: &Query, distance: f64) -> Result<Option<Toi>, CcdError> {
        check(query, distance)?;
        let feature_queries = feature_queries(query, distance);
        let times = feature_queries.iter().filter_map(FeatureQuery::earliest).map(|root| root.toi());
        Ok(times.min_by(|a, b| a.time.total_cmp(&b.time).then(a.gap.total_cmp(&b.gap))))
    }

    fn is_free(&self, query: &Query, distance: f64) -> Result<bool, CcdError> {
        check(query, distance)?;
        Ok(feature_queries(query, distance).iter().all(|feature_query| feature_query.earliest().is_none()))
    }
}

/// A query for the time at which two features come within the distance.
struct FeatureQuery {
    /// The square of their distance less that which was asked for, times `span`.
    excess: Polynomial,
    /// Not negative where the points that are closest lie within the features.
    within: Vec<Polynomial>,
    /// Zero where the features span no direction; never negative.
    span: Polynomial,
}

impl FeatureQuery {
    /// The first time at which they do: the start, or when the excess falls to zero.
    fn earliest(&self) -> Option<Root> {
        let start = Root::At(Dyadic::from_f64(0.0));
        if start.sign_of(&self.excess).is_le() && self.is_valid_at(&start) {
            return Some(start);
        }
        if self.excess.is_zero() {
            // They stay at the distance, so what brings their closest points within is an edge or a vertex.
            return None;
        }
        roots(&self.excess).into_iter().find(|root| self.is_valid_at(root))
    }

    fn is_valid_at(&self, root: &Root) -> bool {
        root.sign_of(&self.span).is_gt() && self.within.iter().all(|p| root.sign_of(p).is_ge())
    }
}

/// One question for each feature of the one primitive and each of the other.
fn feature_queries(query: &Query, distance: f64) -> Vec<FeatureQuery> {
    let (corners, distance_sq) = to_polynomials(query, distance);
    let between = FeatureQueries { corners: &corners, distance_sq };
    match query {
        Query::PointPoint(_) => vec![between.points(0, 1)],
        Query::PointEdge(_) => between.edge_and_point([1, 2], 0),
        Query::PointTriangle(_) => {
            let edges = [[1, 2], [2, 3], [3, 1]].into_iter().flat_map(|edge| between.edge_and_point(edge, 0));
            edges.chain([between.face_and_point([1, 2, 3], 0)]).collect()
        }
        Query::EdgeEdge(_) => {
            let (a, b) = ([0, 1], [2, 3]);
            let ends_of_b = b.into_iter().flat_map(|end| between.edge_and_point(a, end));
            let ends_of_a = a.into_iter().flat_map(|end| between.edge_and_point(b, end));
            ends_of_b.chain(ends_of_a).chain([between.lines(a, b)]).collect()
        }
    }
}

/// The corners as linear polynomials over one power of two, and the square of the distance over its square.
fn to_polynomials(query: &Query, distance: f64) -> (Vec<Vector>, Polynomial) {
    let points = query.start().iter().zip(query.end());
    let values = points.clone().flat_map(|(a, b)| a.iter().chain(b.iter()).copied()).chain([distance]);
    let nonzero = values.map(decompose).filter(|&(mantissa, _)| mantissa != 0);
    let least = nonzero.map(|(_, exponent)| exponent).min().unwrap_or(0);
    let integer = |value: f64| match decompose(value) {
        (0, _) => IBig::ZERO,
        (mantissa, exponent) => IBig::from(mantissa) << (exponent - least) as usize,
    };
    let moving = |a: f64, b: f64| Polynomial::new(vec![integer(a), integer(b) - integer(a)]);
    let corners = points.map(|(a, b)| Vector([0, 1, 2].map(|k| moving(a[k], b[k])))).collect();
    (corners, Polynomial::new(vec![integer(distance).pow(2)]))
}

/// The questions about some corners, which are named by their numbers.
struct FeatureQueries<'a> {
    corners: &'a [Vector],
    distance_sq: Polynomial,
}

impl FeatureQueries<'_> {
    fn span(&self, a: usize, b: usize) -> Vector {
        &self.corners[b] - &self.corners[a]
    }

    fn points(&self, a: usize, b: usize) -> FeatureQuery {
        let q = self.span(a, b);
        let one = Polynomial::new(vec![IBig::ONE]);
        FeatureQuery { excess: &q.dot(&q) - &self.distance_sq, within: vec![], span: one }
    }

    /// A point with both ends and with the line between them.
    fn edge_and_point(&self, [a, b]: [usize; 2], p: usize) -> Vec<FeatureQuery> {
        let (q, e) = (self.span(a, p), self.span(a, b));
        let (across, along, span) = (q.cross(&e), q.dot(&e), e.dot(&e));
        let excess = &across.dot(&across) - &(&self.distance_sq * &span);
        let line = FeatureQuery { excess, within: vec![&span - &along, along], span };
        vec![line, self.points(a, p), self.points(b, p)]
    }

    /// A point with the inside of a triangle: `q = u e + v f` but for a multiple of the normal, where `u`,
    /// `v` and `1 - u - v` are not negative.
    fn face_and_point(&self, [a, b, c]: [usize; 3], p: usize) -> FeatureQuery {
        let (q, e, f) = (self.span(a, p), self.span(a, b), self.span(a, c));
        let normal = e.cross(&f);
        let (u, v) = (q.cross(&f).dot(&normal), e.cross(&q).dot(&normal));
        let rest = &(&normal.dot(&normal) - &u) - &v;
        self.across(&q, &normal, vec![u, v, rest])
    }

    /// The insides of two edges: `a + s e` and `c + r f` differ by the common normal alone.
    fn lines(&self, [a, b]: [usize; 2], [c, d]: [usize; 2]) -> FeatureQuery {
        let (q, e, f) = (self.span(a, c), self.span(a, b), self.span(c, d));
        let normal = e.cross(&f);
        let (s, r, span) = (q.cross(&f).dot(&normal), q.cross(&e).dot(&normal), normal.dot(&normal));
        let ends = [&span - &s, &span - &r];
        self.across(&q, &normal, ends.into_iter().chain([s, r]).collect())
    }

    fn across(&self, q: &Vector, normal: &Vector, within: Vec<Polynomial>) -> FeatureQuery {
        let (height, span) = (q.dot(normal), normal.dot(normal));
        FeatureQuery { excess: &(&height * &height) - &(&self.distance_sq * &span), within, span }
    }
}

#[cfg(test)]
mod tests;
