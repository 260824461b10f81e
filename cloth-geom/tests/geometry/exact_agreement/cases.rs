//! Points that aim at degenerate configurations: exact by construction, then displaced by ladders of tiny
//! steps.
//!
//! Lattice points are integers below 2^24, so that combinations are exact in `f64` and their truth is known
//! without any predicate. Placing them applies an exact translation and one power of two for each axis, which
//! changes no verdict; a nudge, last, may.

use nalgebra::Point3;
use proptest::prelude::*;

pub(crate) type Lattice = [i64; 3];
pub(crate) type Points<const N: usize> = [Point3<f64>; N];

/// Powers of two by which an axis may be scaled: subnormal, around every limit of the arithmetic, enormous.
const EXPONENTS: [i32; 14] = [-1074, -1040, -700, -362, -280, -250, -149, -24, 0, 100, 310, 330, 520, 990];

/// An exact placement of lattice points in the range of `f64`.
#[derive(Clone, Debug)]
pub(crate) struct Placement {
    shift: Lattice,
    exponents: [i32; 3],
}

/// A tiny step of one coordinate of one point: a number of units in the last place, or a power of two.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Nudge {
    point: usize,
    axis: usize,
    step: Step,
}

#[derive(Clone, Copy, Debug)]
enum Step {
    None,
    Ulps(i32),
    Power(f64),
}

impl Placement {
    pub(crate) fn place<const N: usize>(&self, points: [Lattice; N]) -> Points<N> {
        points.map(|p| {
            Point3::from([0, 1, 2].map(|k| times_power((p[k] + self.shift[k]) as f64, self.exponents[k])))
        })
    }
}

impl Nudge {
    pub(crate) fn apply<const N: usize>(self, mut points: Points<N>, placement: &Placement) -> Points<N> {
        let c = &mut points[self.point % N][self.axis];
        match self.step {
            Step::None => {}
            Step::Ulps(n) => {
                for _ in 0..n.abs() {
                    *c = if n > 0 { c.next_up() } else { c.next_down() };
                }
            }
            Step::Power(size) => *c += times_power(size, placement.exponents[self.axis]),
        }
        points
    }
}

/// `value * 2^exponent`, in two factors because 2^-1074 is no product of the range.
fn times_power(value: f64, exponent: i32) -> f64 {
    let half = exponent / 2;
    value * 2f64.powi(half) * 2f64.powi(exponent - half)
}

pub(crate) fn placement() -> impl Strategy<Value = Placement> {
    let shift = prop_oneof![Just([0; 3]), prop::array::uniform3(-(1i64 << 20)..1 << 20)];
    let exponents = prop_oneof![
        3 => Just([0; 3]),
        2 => prop::sample::select(&EXPONENTS[..]).prop_map(|e| [e; 3]),
        1 => prop::array::uniform3(prop::sample::select(&EXPONENTS[..])),
    ];
    (shift, exponents).prop_map(|(shift, exponents)| Placement { shift, exponents })
}

pub(crate) fn nudge() -> impl Strategy<Value = Nudge> {
    let powers = [40, 30, 20, 10].map(|k| 2f64.powi(-k));
    let step = prop_oneof![
        3 => Just(Step::None),
        3 => prop::sample::select(&[-2, -1, 1, 2][..]).prop_map(Step::Ulps),
        2 => (prop::sample::select(powers.to_vec()), any::<bool>())
            .prop_map(|(size, up)| Step::Power(if up { size } else { -size })),
    ];
    (0usize..60, 0usize..3, step).prop_map(|(point, axis, step)| Nudge { point, axis, step })
}

/// A point of a small lattice, where coincidences abound.
pub(crate) fn small() -> impl Strategy<Value = Lattice> {
    prop::array::uniform3(-2i64..=2)
}

/// A point of a lattice so wide that coincidences are made, not found.
pub(crate) fn wide() -> impl Strategy<Value = Lattice> {
    prop::array::uniform3(-500i64..=500)
}

/// Three points: in general position, or collinear, or with equal points.
pub(crate) fn triple() -> impl Strategy<Value = [Lattice; 3]> {
    prop_oneof![
        6 => [wide(), wide(), wide()],
        2 => [small(), small(), small()],
        2 => (wide(), small(), -3i64..=3, -3i64..=3)
            .prop_map(|(a, along, s, t)| [a, combine([(1, a), (s, along)]), combine([(1, a), (t, along)])]),
    ]
}

/// The combination of points with integer weights.
pub(crate) fn combine<const N: usize>(terms: [(i64, Lattice); N]) -> Lattice {
    [0, 1, 2].map(|k| terms.iter().map(|(w, p)| w * p[k]).sum())
}

/// Coordinates of any exponent and sign, from a pool of a few, so that they coincide.
pub(crate) fn wild<const N: usize>() -> impl Strategy<Value = Points<N>> {
    use prop::num::f64::{NEGATIVE, NORMAL, POSITIVE, SUBNORMAL, ZERO};
    let finite = POSITIVE | NEGATIVE | NORMAL | SUBNORMAL | ZERO;
    let pool = prop::collection::vec(finite, 2..6);
    (pool, prop::collection::vec(any::<prop::sample::Index>(), 3 * N), any::<u16>()).prop_map(
        |(pool, picks, negations)| {
            let coordinate = |i: usize| {
                let c = *picks[i].get(&pool);
                if negations >> (i % 16) & 1 == 0 { c } else { -c }
            };
            std::array::from_fn(|i| {
                Point3::new(coordinate(3 * i), coordinate(3 * i + 1), coordinate(3 * i + 2))
            })
        },
    )
}
