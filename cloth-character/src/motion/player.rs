//! A motion that is extended while it plays: walk, then idle, then walk again, as an input demands.

use super::{Motion, MotionSample, Playback, Transition};
use crate::{CharacterError, error::check_duration};

/// A [`Motion`] and the time at which it is; clips are switched at that time.
///
/// A switch during a cross-fade is a cross-fade of its own: what is seen is faded out as it is, without a
/// jump.
#[derive(Clone, Debug)]
pub struct Player {
    motion: Motion,
    time: f64,
}

impl Player {
    /// A player at time 0 of a motion.
    #[must_use]
    pub fn new(motion: Motion) -> Self {
        Self { motion, time: 0.0 }
    }

    /// The time, s since the start.
    #[must_use]
    pub fn time(&self) -> f64 {
        self.time
    }

    /// The motion, which can be sampled at times other than [`Self::time`] back to the start of the oldest
    /// clip that is still seen.
    #[must_use]
    pub fn motion(&self) -> &Motion {
        &self.motion
    }

    /// Moves on by `duration` (s).
    ///
    /// # Errors
    /// If it is negative or not finite.
    pub fn advance(&mut self, duration: f64) -> Result<(), CharacterError> {
        check_duration("the duration of an advance", duration)?;
        self.time += duration;
        Ok(())
    }

    /// Plays another clip from now on. Clips that are no longer seen are dropped.
    ///
    /// # Errors
    /// If the clip does not exist or a number is out of its range.
    pub fn play(&mut self, playback: Playback, transition: Transition) -> Result<(), CharacterError> {
        self.motion.play(self.time, playback, transition)?;
        let layers = &mut self.motion.layers;
        let hidden = layers.iter().rposition(|layer| layer.end_of_fade() < self.time).unwrap_or(0);
        layers.drain(..hidden);
        Ok(())
    }

    /// Writes the pose and the world matrices of now.
    pub fn sample(&self, out: &mut MotionSample) {
        self.motion.sample(self.time, out);
    }
}
