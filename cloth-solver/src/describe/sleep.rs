//! Sleeping: cloth at rest is left out of the step until something disturbs it.
//!
//! A cloth that has moved slower than [`Sleep::speed`] for [`Sleep::after`] seconds falls asleep, together
//! with the cloths that it touches, once all of them are at rest: an island, as in rigid-body engines. One
//! that slides or turns on is not at rest, however slow: how far it would have gone is lost in its sleep. A
//! sleeping cloth is immovable, and its velocity is zero. What would touch or move it wakes it in the same
//! substep, so sleeping hides no event. If all cloths sleep and nothing else moves,
//! [`Simulation::step`](crate::Simulation::step) returns at once.
//!
//! | it wakes | because |
//! |---|---|
//! | at the start of a step | a pin, attachment, drive or local frame of it moves, or what moves comes near |
//! | at the start of a substep | a rigid body comes near |
//! | within a substep | an awake cloth touches it, by the contacts of the substep |
//! | at the end of a step | a cloth that it touches does not fall asleep with it |
//! | at once | [`Simulation::wake`](crate::Simulation::wake), or a change of it, the settings or the scene |
//!
//! `cloth-solver/src/islands/mod.rs` decides who falls asleep and who wakes.
//!
//! In gusts ([`Wind::gusts`](crate::Wind::gusts)) nothing sleeps, however short [`Sleep::after`]: the force
//! on cloth at rest changes.
//!
//! What decides is part of the state, so sleeping is as deterministic as everything else: it depends neither
//! on threads nor on the broad phase, and a snapshot holds it.

use nalgebra::Point3;

use crate::BuildError;
#[cfg(feature = "serde")]
use crate::number;

/// When cloth falls asleep.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(default, deny_unknown_fields))]
pub struct Sleep {
    /// Time (s) for which all vertices of a cloth have to be slower than `speed`, while some of them go no
    /// farther than a twentieth of `speed * after`. Default: `0.5`.
    #[cfg_attr(feature = "serde", serde(deserialize_with = "number::non_negative"))]
    pub after: f32,
    /// Speed (m/s) below which a vertex is at rest. Default: `0.02`.
    #[cfg_attr(feature = "serde", serde(deserialize_with = "number::non_negative"))]
    pub speed: f32,
}

impl Default for Sleep {
    fn default() -> Self {
        Self { after: 0.5, speed: 0.02 }
    }
}

impl Sleep {
    pub(crate) fn check(&self) -> Result<(), BuildError> {
        let numbers = [("sleep.after", self.after), ("sleep.speed", self.speed)];
        match numbers.into_iter().find(|(_, value)| !(value.is_finite() && *value >= 0.0)) {
            Some((name, value)) => {
                Err(BuildError::Setting { name, value, requirement: "finite and not negative" })
            }
            None => Ok(()),
        }
    }
}

/// Vertices of a cloth that are watched: whether it slides or turns is a matter of three.
const SAMPLES: usize = 8;

/// A cloth of which a vertex goes farther than this share of [`Sleep::speed`] times [`Sleep::after`] in that
/// time slides or turns, and would go on to do so.
const SLIDING: f32 = 0.05;

/// The state of sleeping, a part of the dynamic state.
#[derive(Debug, Default)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub(crate) struct SleepState {
    /// Whether each cloth is asleep.
    pub(crate) asleep: Vec<bool>,
    /// Time (s) for which each cloth has been at rest.
    pub(crate) rest_time: Vec<f32>,
    /// Where some of its vertices (m) were when that time began; at the origin if it is not at rest.
    pub(crate) rest_from: Vec<[Point3<f32>; SAMPLES]>,
    /// Inverse masses (1/kg) of all vertices while they are awake; zero is pinned.
    pub(crate) inv_mass: Vec<f32>,
}

impl SleepState {
    /// Every cloth awake.
    pub(crate) fn awake(cloths: usize, inv_mass: &[f32]) -> Self {
        Self {
            asleep: vec![false; cloths],
            rest_time: vec![0.0; cloths],
            rest_from: vec![[Point3::origin(); SAMPLES]; cloths],
            inv_mass: inv_mass.to_vec(),
        }
    }

    /// A cloth is not at rest. The place is cleared, so that equal states have equal bits.
    pub(crate) fn end_rest(&mut self, cloth: usize) {
        self.rest_time[cloth] = 0.0;
        self.rest_from[cloth] = [Point3::origin(); SAMPLES];
    }

    /// A cloth was at rest in a step of `dt` (s), after which its vertices are at `x` (m). Its rest begins
    /// again if one of those that are watched has gone too far.
    pub(crate) fn rest(&mut self, cloth: usize, x: &[Point3<f32>], dt: f32, sleep: &Sleep) {
        let (time, from) = (&mut self.rest_time[cloth], &mut self.rest_from[cloth]);
        let last = x.len().saturating_sub(1);
        // Spread over the vertices in their order, the first and the last among them.
        let now = std::array::from_fn(|k| x.get(k * last / (SAMPLES - 1)).copied().unwrap_or_default());
        let farthest = SLIDING * sleep.speed * sleep.after;
        let slides = || from.iter().zip(&now).any(|(a, b)| (b - a).norm() > farthest);
        if *time == 0.0 || slides() {
            (*time, *from) = (0.0, now);
        }
        *time = (*time + dt).min(sleep.after);
    }
}

cloth_geom::clone_in_place!(SleepState { asleep, rest_time, rest_from, inv_mass });
