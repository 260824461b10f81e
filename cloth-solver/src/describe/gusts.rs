//! Gusts: a part of the wind that varies in space and time.
//!
//! Value noise over a lattice of four dimensions (Perlin 1985, "An image synthesizer"; the fade function of
//! Perlin 2002, "Improving noise"): each node has a random vector, an integer hash of the seed and its
//! coordinates, and between the nodes the vectors are blended by `6 t^5 - 15 t^4 + 10 t^3`, so that the
//! velocity of the air has continuous second derivatives. The operations are integer arithmetic, additions
//! and multiplications: the bits are the same on every machine.

use nalgebra::{Point3, Vector3};

use crate::BuildError;
#[cfg(feature = "serde")]
use crate::number;

/// Smooth random variation of the wind in space and time, of zero mean.
///
/// The pattern is a function of the seed, the place and the time of the simulation
/// ([`Simulation::time`](crate::Simulation::time)) alone. It does not travel with
/// [`Wind::velocity`](crate::Wind::velocity), so the mean wind may change at any step without a jump in the
/// gusts. No cloth falls asleep in gusts.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(deny_unknown_fields))]
pub struct Gusts {
    /// Root mean square (m/s) of each coordinate of the variation; the largest value is 2.83 times as much.
    /// Default: `1.0`.
    #[cfg_attr(feature = "serde", serde(deserialize_with = "number::non_negative"))]
    pub strength: f32,
    /// Distance (m) over which the gusts change. Default: `1.0`.
    #[cfg_attr(feature = "serde", serde(default = "one", deserialize_with = "number::positive"))]
    pub length: f32,
    /// Time (s) over which the gusts change. Default: `1.0`.
    #[cfg_attr(feature = "serde", serde(default = "one", deserialize_with = "number::positive"))]
    pub period: f32,
    /// Selects the pattern. Default: `0`.
    #[cfg_attr(feature = "serde", serde(default))]
    pub seed: u64,
}

impl Default for Gusts {
    fn default() -> Self {
        Self { strength: 1.0, length: 1.0, period: 1.0, seed: 0 }
    }
}

/// Length and period of gusts that have none of their own.
#[cfg(feature = "serde")]
fn one() -> f32 {
    1.0
}

/// Largest value of the noise per root mean square.
///
/// A coordinate is uniform in (-1, 1), of variance 1/3; blending in one dimension multiplies the mean of the
/// variance by `1 - 2 int(s - s^2) = 181/231`, with `s` the fade function. So this is `sqrt(3) (231/181)^2`.
const PEAK: f32 = 2.821_177;

/// Coordinates beyond this are taken as it: there, an `f64` has no fraction.
const LIMIT: f64 = 4.503_599_627_370_496e15;

impl Gusts {
    pub(crate) fn check(&self) -> Result<(), BuildError> {
        if !(self.strength.is_finite() && self.strength >= 0.0) {
            let requirement = "finite and not negative";
            return Err(BuildError::Setting {
                name: "wind.gusts.strength",
                value: self.strength,
                requirement,
            });
        }
        let positive = [("wind.gusts.length", self.length), ("wind.gusts.period", self.period)];
        match positive.into_iter().find(|(_, value)| !(value.is_finite() && *value > 0.0)) {
            Some((name, value)) => {
                Err(BuildError::Setting { name, value, requirement: "finite and greater than zero" })
            }
            None => Ok(()),
        }
    }

    /// The gusts at one time (s).
    pub(crate) fn at(&self, time: f64) -> GustField {
        let (slab, fraction) = split(time / f64::from(self.period));
        GustField { gusts: *self, slab, blend: fade(fraction), cell: None }
    }
}

/// The gusts at one time.
pub(crate) struct GustField {
    gusts: Gusts,
    /// The two layers of nodes around the time, and how they are blended.
    slab: i64,
    blend: f32,
    /// The cell evaluated last: its lowest node, and the vectors at its corners. Neighbouring vertices
    /// usually share it.
    cell: Option<([i64; 3], [Vector3<f32>; 8])>,
}

impl GustField {
    /// Velocity (m/s) of the air at a place, in addition to the mean wind.
    pub(crate) fn velocity(&mut self, place: &Point3<f32>) -> Vector3<f32> {
        let length = f64::from(self.gusts.length);
        let parts = [place.x, place.y, place.z].map(|c| split(f64::from(c) / length));
        let low = parts.map(|(node, _)| node);
        let corners = match self.cell {
            Some((cell, corners)) if cell == low => corners,
            _ => {
                let corners = std::array::from_fn(|corner| self.node_vector(low, corner));
                self.cell = Some((low, corners));
                corners
            }
        };
        let [x, y, z] = parts.map(|(_, fraction)| fade(fraction));
        let edges: [_; 4] = std::array::from_fn(|i| mix(&corners[2 * i], &corners[2 * i + 1], x));
        let faces = [mix(&edges[0], &edges[1], y), mix(&edges[2], &edges[3], y)];
        mix(&faces[0], &faces[1], z) * (self.gusts.strength * PEAK)
    }

    /// The vector at a corner of a cell at the time of the field; the bits of `corner` select the upper node
    /// in x, y and z.
    fn node_vector(&self, low: [i64; 3], corner: usize) -> Vector3<f32> {
        let node = [0, 1, 2].map(|k| low[k].wrapping_add((corner >> k & 1) as i64));
        let layer = |slab| random_vector(self.gusts.seed, [node[0], node[1], node[2], slab]);
        mix(&layer(self.slab), &layer(self.slab.wrapping_add(1)), self.blend)
    }
}

/// A coordinate as a node and the fraction beyond it, in `0..1`.
fn split(coordinate: f64) -> (i64, f32) {
    let coordinate = coordinate.clamp(-LIMIT, LIMIT);
    let node = coordinate.floor();
    (node as i64, (coordinate - node) as f32)
}

fn fade(t: f32) -> f32 {
    t * t * t * (t * (t * 6.0 - 15.0) + 10.0)
}

fn mix(a: &Vector3<f32>, b: &Vector3<f32>, share: f32) -> Vector3<f32> {
    a + (b - a) * share
}

/// A vector with coordinates in (-1, 1) that depends on the seed and the node alone.
fn random_vector(seed: u64, node: [i64; 4]) -> Vector3<f32> {
    let bits = node.into_iter().fold(scramble(seed), |hash, c| scramble(hash ^ c as u64));
    // 21 bits each, at the centres of their intervals: the mean is zero, and the number exact.
    let coordinate = |shift: u32| ((bits >> shift & 0x1f_ffff) as f32 + 0.5) / 1_048_576.0 - 1.0;
    Vector3::new(coordinate(0), coordinate(21), coordinate(42))
}

/// The output function of SplitMix64 (Steele, Lea, Flood 2014, "Fast splittable pseudorandom number
/// generators", figure 17).
fn scramble(x: u64) -> u64 {
    let x = x.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let x = (x ^ (x >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let x = (x ^ (x >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    x ^ (x >> 31)
}

#[cfg(test)]
mod tests {
    use super::*;

    const GUSTS: Gusts = Gusts { strength: 2.0, length: 0.7, period: 0.4, seed: 5 };

    /// Random times up to 100 s, and random places within 10 m.
    fn samples() -> impl Iterator<Item = (f64, Point3<f32>)> {
        (0..40_000).map(|i| {
            let at = random_vector(u64::MAX, [i, 0, 0, 0]) * 10.0;
            let time = random_vector(u64::MAX, [i, 1, 0, 0]).x + 1.0;
            (f64::from(time) * 50.0, at.into())
        })
    }

    #[test]
    fn the_mean_is_zero_and_the_root_mean_square_is_the_strength() {
        let (mut sum, mut squares, mut largest, mut count) =
            (Vector3::zeros(), Vector3::zeros(), 0.0f32, 0.0);
        for (time, place) in samples() {
            let v = GUSTS.at(time).velocity(&place).cast::<f64>();
            sum += v;
            squares += v.component_mul(&v);
            largest = largest.max(v.amax() as f32);
            count += 1.0;
        }
        // 40,000 samples of a spread of 2 m/s, most of them independent: the standard error is about 0.02
        // m/s.
        assert!((sum / count).amax() < 0.06, "{}", sum / count);
        let rms = (squares / count).map(f64::sqrt);
        assert!(rms.iter().all(|r| (r / 2.0 - 1.0).abs() < 0.03), "{rms}");
        assert!(largest > 4.0 && largest <= 2.0 * PEAK, "{largest}");
    }

    #[test]
    fn a_small_step_in_space_or_time_is_a_small_change() {
        // The steepest fade is 15/8, between values 2 PEAK apart.
        let slope = 2.0 * 15.0 / 8.0 * 2.0 * PEAK;
        let (shift, later) = (1.0e-3f32, 1.0e-3f64);
        let mut changes = [0.0f32; 2];
        for (time, place) in samples() {
            let here = GUSTS.at(time).velocity(&place);
            for axis in 0..3 {
                let mut there = place;
                there[axis] += shift;
                changes[0] = changes[0].max((GUSTS.at(time).velocity(&there) - here).amax());
            }
            changes[1] = changes[1].max((GUSTS.at(time + later).velocity(&place) - here).amax());
        }
        assert!(changes[0] < slope * shift / 0.7 * 1.01 && changes[0] > 0.002, "{changes:?}");
        assert!(changes[1] < slope * later as f32 / 0.4 * 1.01 && changes[1] > 0.002, "{changes:?}");
    }

    #[test]
    fn the_border_of_a_cell_cannot_be_seen() {
        let [below, above] = [-1.0e-5f32, 1.0e-5].map(|d| {
            (0..100).map(move |i| {
                GUSTS.at(0.1 * f64::from(i)).velocity(&Point3::new(1.4 + d, 0.2 * i as f32, -0.7 + d))
            })
        });
        below.zip(above).for_each(|(a, b)| assert!((a - b).amax() < 1.0e-4, "{a} {b}"));
    }

    #[test]
    fn cached_cells_give_the_bits_of_a_new_field() {
        let mut field = GUSTS.at(0.3);
        for (_, place) in samples().take(2000) {
            assert_eq!(field.velocity(&place), GUSTS.at(0.3).velocity(&place));
        }
    }

    #[test]
    fn another_seed_and_another_coordinate_are_another_pattern() {
        let [mut own, mut product] = [0.0f64; 2];
        let mut across = 0.0;
        for (time, place) in samples() {
            let a = GUSTS.at(time).velocity(&place).cast::<f64>();
            let b = Gusts { seed: 6, ..GUSTS }.at(time).velocity(&place).cast::<f64>();
            own += a.dot(&a);
            product += a.dot(&b);
            across += a.x * a.y + a.y * a.z + a.z * a.x;
        }
        assert!((product / own).abs() < 0.03 && (across / own).abs() < 0.03, "{}", product / own);
    }

    #[test]
    fn no_place_and_no_time_is_too_far() {
        for coordinate in [0.0, -0.0, f32::MIN_POSITIVE, 1.0e30, -f32::MAX] {
            for gusts in [GUSTS, Gusts { length: f32::MIN_POSITIVE, period: f32::MIN_POSITIVE, ..GUSTS }] {
                let v = gusts.at(1.0e30).velocity(&Point3::new(coordinate, -coordinate, 1.0));
                assert!(v.iter().all(|c| c.abs() <= 2.0 * PEAK * 1.0001), "{v}");
            }
        }
    }
}
