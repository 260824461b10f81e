//! The reference against proofs by bisection: other mathematics, in `i128`, on whole coordinates of up to
//! 1,000.
//!
//! Time is halved until each part is proved free (a direction separates at both ends; the height is of one
//! sign; the point is outside throughout) or proved to contain a contact (the height changes sign while the
//! point is inside throughout; or contact at an end of the part). Signs come from the scaled Bernstein
//! coefficients over the part: if all are positive, so is the polynomial. What no proof decides stays open,
//! and motions that are coplanar throughout are left out.

use cloth_ccd::conformance::{ChoiceSequence, FAMILIES, QueryKind};
use cloth_ccd::{Ccd, Query, Reference};

/// Halvings. Coordinates are at most 1,000 and double with each, so differences stay below 2,000 * 2^14 <
/// 2^25. The coefficients of the greatest degree, four factors, are sums of less than 2^10 products: below
/// 2^110.
const DEPTH: u32 = 14;

type Corner = [i128; 3];

/// The corners at both ends of a part of the time.
#[derive(Clone, Copy)]
struct Part {
    ends: [[Corner; 4]; 2],
    kind: QueryKind,
}

/// What is proved of a part.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Proof {
    Free,
    Contact,
    Open,
}

impl Part {
    fn from_query(query: &Query, kind: QueryKind) -> Option<Self> {
        let whole = |p: &nalgebra::Point3<f64>| [p.x, p.y, p.z].map(|c| c as i128);
        let is_small = |p: &nalgebra::Point3<f64>| p.iter().all(|c| c.fract() == 0.0 && c.abs() <= 1000.0);
        if !query.start().iter().chain(query.end()).all(is_small) {
            return None;
        }
        let corners =
            |points: &[nalgebra::Point3<f64>]| std::array::from_fn(|i| points.get(i).map_or([0; 3], whole));
        Some(Self { ends: [corners(query.start()), corners(query.end())], kind })
    }

    /// The halves, in twice the unit.
    fn halves(&self) -> [Self; 2] {
        let [a, b] = self.ends;
        let mix = |u: [Corner; 4], v: [Corner; 4]| {
            std::array::from_fn(|i| std::array::from_fn(|k| u[i][k] + v[i][k]))
        };
        let middle = mix(a, b);
        [[mix(a, a), middle], [middle, mix(b, b)]].map(|ends| Self { ends, kind: self.kind })
    }

    fn proof(&self) -> Proof {
        if self.is_separated() {
            return Proof::Free;
        }
        let Some((height, within)) = self.polynomials() else { return Proof::Open };
        if is_positive(&height)
            || is_positive(&negated(&height))
            || within.iter().any(|w| is_positive(&negated(w)))
        {
            return Proof::Free;
        }
        let [start, end] = [height[0], height[height.len() - 1]];
        let changes = start.signum() * end.signum() < 0 && within.iter().all(|w| is_positive(w));
        // At an end the coefficients are values; all of `within` positive means that the surface has a normal
        // there.
        let touches = (start == 0 && within.iter().all(|w| w[0] > 0))
            || (end == 0 && within.iter().all(|w| w[w.len() - 1] > 0));
        if changes || touches { Proof::Contact } else { Proof::Open }
    }

    /// Nothing is proved by halving such a motion: its height is zero throughout.
    fn is_coplanar(&self) -> bool {
        self.polynomials().is_none_or(|(height, _)| height.iter().all(|&c| c == 0))
    }

    /// A direction of small whole numbers along which all corners of the one are beyond all of the other, at
    /// both ends.
    fn is_separated(&self) -> bool {
        let [first, second] = self.kind.corners();
        directions().any(|direction| {
            self.ends.iter().all(|end| {
                let heights = end.map(|c| (0..3).map(|k| direction[k] * c[k]).sum::<i128>());
                let lowest = heights[..first].iter().min();
                heights[first..first + second].iter().max() < lowest
            })
        })
    }

    /// The height, and what is positive inside; none for kinds without.
    fn polynomials(&self) -> Option<(Vec<i128>, Vec<Vec<i128>>)> {
        let moving =
            |i: usize, j: usize| [0, 1, 2].map(|k| self.ends.map(|end| end[j][k] - end[i][k]).to_vec());
        let (q, e, f) = match self.kind {
            QueryKind::PointTriangle => (moving(1, 0), moving(1, 2), moving(1, 3)),
            QueryKind::EdgeEdge => (moving(0, 2), moving(0, 1), moving(2, 3)),
            _ => return None,
        };
        let normal = cross(&e, &f);
        let whole = dot(&normal, &normal);
        let (u, v) = match self.kind {
            QueryKind::PointTriangle => (dot(&cross(&q, &f), &normal), dot(&cross(&e, &q), &normal)),
            _ => (dot(&cross(&q, &f), &normal), dot(&cross(&q, &e), &normal)),
        };
        let within = match self.kind {
            QueryKind::PointTriangle => vec![difference(&difference(&whole, &u), &v), u, v],
            _ => vec![difference(&whole, &u), difference(&whole, &v), u, v],
        };
        Some((dot(&q, &normal), within))
    }
}

/// The directions with components -2 to 2.
fn directions() -> impl Iterator<Item = Corner> {
    (0..125).map(|i| [i % 5 - 2, i / 5 % 5 - 2, i / 25 - 2])
}

fn is_positive(p: &[i128]) -> bool {
    p.iter().all(|&c| c > 0)
}

fn negated(p: &[i128]) -> Vec<i128> {
    p.iter().map(|c| -c).collect()
}

fn difference(a: &[i128], b: &[i128]) -> Vec<i128> {
    a.iter().zip(b).map(|(a, b)| a - b).collect()
}

/// The product of two polynomials: scaled Bernstein coefficients multiply as those of powers do.
fn product(a: &[i128], b: &[i128]) -> Vec<i128> {
    let mut out = vec![0; a.len() + b.len() - 1];
    for (i, x) in a.iter().enumerate() {
        b.iter().enumerate().for_each(|(j, y)| out[i + j] += x * y);
    }
    out
}

type Vector = [Vec<i128>; 3];

fn cross(a: &Vector, b: &Vector) -> Vector {
    let component = |i: usize, j: usize| difference(&product(&a[i], &b[j]), &product(&a[j], &b[i]));
    [component(1, 2), component(2, 0), component(0, 1)]
}

fn dot(a: &Vector, b: &Vector) -> Vec<i128> {
    let terms = [0, 1, 2].map(|k| product(&a[k], &b[k]));
    (0..terms[0].len()).map(|i| terms.iter().map(|term| term[i]).sum()).collect()
}

/// The proof for the whole time, and for a contact the part in which it is, if all before it is free.
fn decide(part: &Part, [low, high]: [f64; 2], depth: u32) -> (Proof, Option<[f64; 2]>) {
    let proof = part.proof();
    // A contact is narrowed down to where it first is, as far as the depth allows.
    if proof == Proof::Free || depth == 0 || part.is_coplanar() {
        return (proof, (proof == Proof::Contact).then_some([low, high]));
    }
    let middle = 0.5 * (low + high);
    let [a, b] = part.halves();
    match decide(&a, [low, middle], depth - 1) {
        (Proof::Free, _) => {
            let (rest, first) = decide(&b, [middle, high], depth - 1);
            // The part as a whole may be proved where neither half is.
            if rest == Proof::Open { (proof, None) } else { (rest, first) }
        }
        (Proof::Contact, first) => (Proof::Contact, first),
        (Proof::Open, _) if proof == Proof::Contact => (proof, None),
        (Proof::Open, _) => match decide(&b, [middle, high], depth - 1).0 {
            Proof::Contact => (Proof::Contact, None),
            _ => (Proof::Open, None),
        },
    }
}

/// Counts of proofs: free, contact at an unknown time, open, contact at a known one.
fn compare(kind: QueryKind, seeds: u64) -> [u32; 4] {
    let mut counts = [0; 4];
    for query in FAMILIES
        .iter()
        .flat_map(|f| (0..seeds).map(move |seed| f.query(kind, &mut ChoiceSequence::seeded(seed))))
    {
        let Some(part) = Part::from_query(&query, kind).filter(|part| !part.is_coplanar()) else { continue };
        let impact = Reference.impact(&query, 0.0).expect("finite");
        let (proof, first) = decide(&part, [0.0, 1.0], DEPTH);
        match (proof, first) {
            (Proof::Free, _) => assert_eq!(impact, None, "{query:?}"),
            (Proof::Contact, Some([low, high])) => {
                let toi = impact.unwrap_or_else(|| panic!("a miss: {query:?}"));
                assert!(toi.time <= high && toi.time + toi.gap >= low, "{toi:?}, {first:?}: {query:?}");
            }
            (Proof::Contact, None) => assert!(impact.is_some(), "a miss: {query:?}"),
            (Proof::Open, _) => {}
        }
        counts[if first.is_some() { 3 } else { proof as usize }] += 1;
    }
    counts
}

#[test]
fn the_reference_agrees_with_proofs_by_bisection() {
    for kind in [QueryKind::PointTriangle, QueryKind::EdgeEdge] {
        let counts = compare(kind, 2000);
        let [free, contact, open, timed] = counts;
        assert!(free > 1000 && contact + timed > 120, "{counts:?} of {kind:?}");
        assert!(open < (free + contact + timed) / 4, "{counts:?} of {kind:?}");
    }
}
