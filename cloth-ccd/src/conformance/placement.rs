//! From whole numbers to coordinates: by powers of two, which is exact, then away from there by the least
//! steps.

use nalgebra::Point3;

use super::QueryKind;
use super::choices::ChoiceSequence;
use super::lattice::Lattice;

/// The positions of all corners at the start and at the end (m).
pub(super) type Positions = [[Point3<f64>; 4]; 2];

/// Powers of two by which an axis may be scaled: subnormal, about every limit of products of two, three, four
/// and six factors, enormous.
const EXPONENTS: [i32; 16] =
    [0, -1074, -1060, -1022, -537, -400, -358, -269, -179, -60, 100, 170, 255, 340, 510, 1023];

/// `value * 2^exponent`, in two factors because 2^-1074 is not one of the range of `powi`.
pub(super) fn times_power(value: f64, exponent: i32) -> f64 {
    let half = exponent / 2;
    value * 2f64.powi(half) * 2f64.powi(exponent - half)
}

/// Scales each axis by a power of two; exact as long as that of the greatest coordinate stays in range.
pub(super) fn place(ends: &[[Lattice; 4]; 2], exponents: [i32; 3]) -> Positions {
    ends.map(|end| {
        end.map(|corner| Point3::from([0, 1, 2].map(|k| times_power(corner[k] as f64, exponents[k]))))
    })
}

/// A power of two for each axis, often the same, such that no coordinate overflows.
pub(super) fn exponents(choices: &mut ChoiceSequence, ends: &[[Lattice; 4]; 2]) -> [i32; 3] {
    let greatest = ends.iter().flatten().flatten().fold(0, |most, c| c.abs().max(most));
    let bits = 64 - greatest.leading_zeros() as i32;
    let mut exponent = || choices.pick(&EXPONENTS).min(1024 - bits);
    let same = exponent();
    let own = [exponent(), exponent(), exponent()];
    if choices.once_in(2) { own } else { [same; 3] }
}

/// Perturbs a few coordinates by some units in the last place, or by a power of two of the usual size on that
/// axis; possibly none.
pub(super) fn nudge(choices: &mut ChoiceSequence, kind: QueryKind, positions: &mut Positions) {
    for _ in 0..choices.pick(&[0, 1, 1, 2, 6]) {
        let (corner, axis) = (choices.below(kind.count()), choices.below(3));
        let ends = choices.pick(&[&[1][..], &[0], &[0, 1]]);
        let ulps = choices.pick(&[1, -1, 2, -3]);
        let usual = positions.iter().flatten().fold(0.0f64, |most, p| most.max(p[axis].abs()));
        let step = times_power(usual, choices.pick(&[-52, -50, -40, -30, -20, -10, -4]));
        let by_ulps = !choices.once_in(2);
        for &end in ends {
            let c = &mut positions[end][corner][axis];
            let moved = if by_ulps { by_units(*c, ulps) } else { *c + step * f64::from(ulps.signum()) };
            if moved.is_finite() {
                *c = moved;
            }
        }
    }
}

/// The number some places up or down in the order of all numbers.
pub(super) fn by_units(value: f64, places: i32) -> f64 {
    let step = |v: f64| if places > 0 { v.next_up() } else { v.next_down() };
    (0..places.abs()).fold(value, |v, _| step(v))
}
