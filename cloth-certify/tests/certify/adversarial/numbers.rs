//! Coordinates of every size, and how they lie badly to each other.

use cloth_certify::Coordinate;

use crate::Dice;

/// Sizes at which some operation of `f64` or `f32` begins to lose digits, as powers of two: the least
/// numbers, the least normal ones, those whose fourth powers, cubes and squares are such, and what is near 1.
const CRITICAL: [&[i32]; 2] = [
    &[-1074, -1073, -1022, -1000, -537, -511, -500, -484, -358, -268, -75, -62, -20, 0],
    &[-149, -148, -126, -110, -75, -74, -63, -62, -61, -53, -50, -42, -37, -31, -20, 0],
];

/// Two sizes (m) that meet in one case, and the greatest magnitude (m) of a coordinate.
#[derive(Clone, Copy, Debug)]
pub(super) struct Numbers {
    tiny: f64,
    great: f64,
    limit: f64,
}

fn is_f32<T: Coordinate>() -> bool {
    T::ULP_OF_ONE > f64::EPSILON
}

/// A number of a kind, some steps to the next one away.
fn stepped<T: Coordinate>(x: f64, steps: i32) -> f64 {
    (0..steps.unsigned_abs()).fold(x, |x, _| match (is_f32::<T>(), steps > 0) {
        (true, true) => (x as f32).next_up().into(),
        (true, false) => (x as f32).next_down().into(),
        (false, true) => x.next_up(),
        (false, false) => x.next_down(),
    })
}

impl Dice {
    fn sign(&mut self) -> f64 {
        if self.below(2) == 0 { 1.0 } else { -1.0 }
    }

    /// 2 to a power, if it is a number of a kind.
    fn power(&mut self, from: i32, to: i32) -> f64 {
        let exponent = from + self.below((to - from) as usize + 1) as i32;
        // In two steps: the first may not underflow.
        2.0_f64.powi(exponent / 2) * 2.0_f64.powi(exponent - exponent / 2)
    }
}

impl Numbers {
    /// Sizes for coordinates of a kind, of at most `limit` (m).
    pub(super) fn new<T: Coordinate>(dice: &mut Dice, limit: f64) -> Self {
        let critical = CRITICAL[usize::from(is_f32::<T>())];
        let least = critical[0];
        let most = limit.log2() as i32 - 3;
        let at = |dice: &mut Dice, place: usize| dice.power(critical[place], critical[place]);
        let tiny = match dice.below(4) {
            0 => dice.power(least, most),
            1 => at(dice, 0),
            _ => {
                let place = dice.below(critical.len());
                at(dice, place) * [1.0, 3.0][dice.below(2)]
            }
        };
        let great = match dice.below(8) {
            0..=3 => (tiny * dice.power(0, 40)).min(dice.power(most, most)),
            4 => dice.power(most - 4, most),
            5 => dice.power(least, most).max(tiny),
            6 => dice.power(-8, 3),
            _ => return Self { tiny: at(dice, 0), great: dice.power(-2, 2), limit },
        };
        Self { tiny, great, limit }
    }

    pub(super) fn tiny(&self) -> f64 {
        self.tiny
    }

    /// Whether the sizes differ by less than 2^64.
    pub(super) fn are_alike(&self) -> bool {
        self.great / self.tiny < 2.0_f64.powi(64)
    }

    /// A coordinate, which `T` represents.
    fn coordinate<T: Coordinate>(&self, dice: &mut Dice) -> f64 {
        let sign = dice.sign();
        let quarters = (1 + dice.below(8)) as f64 / 4.0;
        let x = match dice.below(9) {
            0 => 0.0,
            1 | 2 => self.tiny * (1 + dice.below(4)) as f64,
            3..=5 => self.great * quarters,
            6 => self.great * dice.unit(),
            7 => self.tiny * dice.unit(),
            _ => stepped::<T>(T::nearest(self.great * quarters).into(), dice.below(5) as i32 - 2),
        };
        T::nearest((sign * x).clamp(-self.limit, self.limit)).into()
    }

    fn point<T: Coordinate>(&self, dice: &mut Dice) -> [f64; 3] {
        [(); 3].map(|()| self.coordinate::<T>(dice))
    }

    /// A state of some vertices (m): needles, points in a plane or on a line, and neighbours among them.
    pub(super) fn state<T: Coordinate>(&self, dice: &mut Dice, count: usize) -> Vec<[f64; 3]> {
        let mut x: Vec<[f64; 3]> = (0..count).map(|_| self.point::<T>(dice)).collect();
        for _ in 0..dice.below(4) {
            let [a, b, c, d] = [(); 4].map(|()| dice.below(count));
            let axis = dice.below(3);
            match dice.below(6) {
                0 => x[a] = x[b].map(|c| stepped::<T>(c, dice.below(3) as i32 - 1)),
                1 => x[a][axis] = x[b][axis],
                2 => x[a] = self.between::<T>(dice, [x[b], x[c], x[d]]),
                3 => x[a][axis] = stepped::<T>(x[b][axis], dice.below(5) as i32 - 2),
                4 => (0..count).for_each(|v| x[v][axis] = x[a][axis]),
                // All but in a plane.
                _ => (0..count).for_each(|v| x[v][axis] = self.tiny * (dice.below(5) as f64 - 2.0)),
            }
        }
        x
    }

    /// A point of a plane, near or on a triangle.
    fn between<T: Coordinate>(&self, dice: &mut Dice, [a, b, c]: [[f64; 3]; 3]) -> [f64; 3] {
        let [s, t] = [(); 2].map(|()| dice.below(5) as f64 / 4.0);
        [0, 1, 2].map(|k| {
            let x = a[k] * (1.0 - s - t) + b[k] * s + c[k] * t;
            T::nearest(x.clamp(-self.limit, self.limit)).into()
        })
    }

    /// Where the vertices of a state go (m).
    pub(super) fn next<T: Coordinate>(&self, dice: &mut Dice, x: &[[f64; 3]]) -> Vec<[f64; 3]> {
        let mut end = match dice.below(3) {
            0 => self.state::<T>(dice, x.len()),
            _ => x.to_vec(),
        };
        let (count, vertex) = (x.len(), dice.below(x.len()));
        match dice.below(5) {
            0 => end[vertex] = self.point::<T>(dice),
            1 => end[vertex] = x[vertex].map(|c| -c),
            2 => {
                let others = [(); 3].map(|()| x[dice.below(count)]);
                end[vertex] = self.between::<T>(dice, others);
            }
            3 => end.iter_mut().flatten().for_each(|c| *c = stepped::<T>(*c, dice.below(3) as i32 - 1)),
            _ => {
                let by = self.point::<T>(dice);
                for v in (0..count).filter(|_| dice.below(2) == 0).collect::<Vec<_>>() {
                    end[v] = [0, 1, 2]
                        .map(|k| T::nearest((x[v][k] + by[k]).clamp(-self.limit, self.limit)).into());
                }
            }
        }
        end
    }
}
