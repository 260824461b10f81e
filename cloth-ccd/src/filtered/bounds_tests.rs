//! The error bounds of the filter against exact values: never exceeded, and not so wide that a smaller one
//! would pass unseen.

use cloth_geom::exact::decompose;
use dashu_int::IBig;
use nalgebra::Point3;
use rand_pcg::Pcg32;
use rand_pcg::rand_core::{Rng, SeedableRng};

use super::height::height;
use super::relative::{Relative, Spatial};
use crate::Query;

/// A dyadic number: `0.0 * 2^0.1`.
#[derive(Clone, Debug)]
struct ExactNumber(IBig, i32);

impl ExactNumber {
    fn from_f64(value: f64) -> Self {
        let (mantissa, exponent) = decompose(value);
        Self(mantissa.into(), exponent)
    }

    fn plus(&self, other: &Self) -> Self {
        let least = self.1.min(other.1);
        let at = |x: &Self| &x.0 << (x.1 - least) as usize;
        Self(at(self) + at(other), least)
    }

    fn times(&self, other: &Self) -> Self {
        Self(&self.0 * &other.0, self.1 + other.1)
    }

    fn minus(&self, other: &Self) -> Self {
        self.plus(&Self(-&other.0, other.1))
    }

    /// How far a computed `n`th of it is from it, as a share of a bound.
    fn error_of(&self, computed: f64, n: i32, bound: f64) -> f64 {
        let difference = Self::from_f64(computed).times(&Self(n.into(), 0)).minus(self);
        difference.0.to_f64().value() * 2f64.powi(difference.1) / f64::from(n) / bound
    }
}

type ExactVector = [ExactNumber; 3];

fn dot(a: &ExactVector, b: &ExactVector) -> ExactNumber {
    a[0].times(&b[0]).plus(&a[1].times(&b[1])).plus(&a[2].times(&b[2]))
}

fn cross(a: &ExactVector, b: &ExactVector) -> ExactVector {
    let component = |i: usize, k: usize| a[i].times(&b[k]).minus(&a[k].times(&b[i]));
    [component(1, 2), component(2, 0), component(0, 1)]
}

fn sum(a: &ExactVector, b: &ExactVector) -> ExactVector {
    [0, 1, 2].map(|k| a[k].plus(&b[k]))
}

/// Twice the middle coefficient stands in the middle, so that nothing is divided.
fn cross_of_moving(a: &[ExactVector; 2], b: &[ExactVector; 2]) -> [ExactVector; 3] {
    [cross(&a[0], &b[0]), sum(&cross(&a[0], &b[1]), &cross(&a[1], &b[0])), cross(&a[1], &b[1])]
}

/// From one corner to another at the ends of a part of the time.
fn span(query: &Query, from: usize, to: usize, root_status: [f64; 2]) -> [ExactVector; 2] {
    root_status.map(|t| {
        let at = |corner: usize, k: usize| {
            let (a, b) = (
                ExactNumber::from_f64(query.start()[corner][k]),
                ExactNumber::from_f64(query.end()[corner][k]),
            );
            a.plus(&b.minus(&a).times(&ExactNumber::from_f64(t)))
        };
        [0, 1, 2].map(|k| at(to, k).minus(&at(from, k)))
    })
}

/// The largest error over its bound, among queries about a place that is not the origin, so that differences
/// round.
fn largest_share(shares: impl Fn(&Query, &Spatial) -> Vec<f64>) -> f64 {
    let mut dice = Pcg32::seed_from_u64(7);
    let mut number = |middle: f64| middle + f64::from(dice.next_u32()) / f64::from(1u32 << 31) - 1.0;
    let mut largest = 0.0f64;
    for case in 0..3000 {
        let mut corners = || [(); 4].map(|()| Point3::new(number(0.7), number(-3.3), number(0.1)));
        let (t0, t1) = (corners(), corners());
        let query = if case % 2 == 0 { Query::point_triangle(t0, t1) } else { Query::edge_edge(t0, t1) };
        let spatial = Relative::new(&query).and_then(|relative| relative.spatial()).expect("moderate");
        largest = shares(&query, &spatial).into_iter().map(f64::abs).fold(largest, f64::max);
    }
    largest
}

/// `q`, `e` and `f` over a part of the time.
fn spans(query: &Query, root_status: [f64; 2]) -> [[ExactVector; 2]; 3] {
    let ends = match query {
        Query::EdgeEdge(_) => [[0, 2], [0, 1], [2, 3]],
        _ => [[1, 0], [1, 2], [1, 3]],
    };
    ends.map(|[from, to]| span(query, from, to, root_status))
}

#[test]
fn the_error_of_the_height_stays_within_a_tight_bound() {
    let share = largest_share(|query, spatial| {
        let cubic = height(spatial);
        let [q, e, f] = spans(query, [0.0, 1.0]);
        let [n0, n1, n2] = cross_of_moving(&e, &f);
        let exact = [
            dot(&q[0], &n0),
            dot(&q[0], &n1).plus(&dot(&q[1], &n0)),
            dot(&q[0], &n2).plus(&dot(&q[1], &n1)),
            dot(&q[1], &n2),
        ];
        let computed = cubic.coefficients.into_iter().zip([1, 3, 3, 1]);
        computed.zip(&exact).map(|((c, n), exact)| exact.error_of(c, n, cubic.error)).collect()
    });
    assert!(share < 1.0, "exceeded: {share}");
    assert!(share > 0.01, "a bound a hundredth as wide would do: {share}");
}

#[test]
fn the_errors_of_the_conditions_stay_within_tight_bounds() {
    let share = largest_share(|query, spatial| {
        let root_status = [0.3, 0.35];
        let [q, e, f] = spans(query, root_status);
        let n = cross_of_moving(&e, &f);
        let product = |a: &[ExactVector; 3], b: &[ExactVector; 3]| {
            let d = |i: usize, k: usize| dot(&a[i], &b[k]);
            [
                d(0, 0),
                d(0, 1).plus(&d(1, 0)),
                d(0, 2).plus(&d(2, 0)).plus(&d(1, 1)),
                d(1, 2).plus(&d(2, 1)),
                d(2, 2),
            ]
        };
        let x = product(&cross_of_moving(&q, &f), &n);
        let y = product(&cross_of_moving(&q, &e), &n);
        let z = product(&n, &n);
        let conditions = |k: usize| {
            let (x, y, z) = (&x[k], &y[k], &z[k]);
            if spatial.is_triangle {
                [x.clone(), ExactNumber::from_f64(0.0).minus(y), z.minus(x).plus(y), z.clone()]
            } else {
                [x.clone(), y.clone(), z.minus(x), z.minus(y)]
            }
        };
        let computed = super::containment::conditions(spatial, root_status);
        let binomials = [1, 4, 6, 4, 1];
        let shares = (0..5).flat_map(|k| {
            let exact = conditions(k);
            let share = move |((quartic, bound), exact): (&([f64; 5], f64), ExactNumber)| {
                exact.error_of(quartic[k], binomials[k], *bound)
            };
            computed.iter().zip(exact).map(share).collect::<Vec<_>>()
        });
        shares.collect()
    });
    assert!(share < 1.0, "exceeded: {share}");
    assert!(share > 0.001, "a bound a thousandth as wide would do: {share}");
}
