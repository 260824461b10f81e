//! One clip or pose in a motion, from its start until it is faded out.

use nalgebra::Vector3;

use super::playback::ClipSource;
use crate::{Character, Pose, smoothstep};

/// Steps of the integral of velocity over a cross-fade. The trapezoids of 32 steps err by 1e-3 of a step's
/// displacement.
const STEPS: usize = 32;

/// What a layer shows.
#[derive(Clone, Debug)]
pub(super) enum Source {
    Pose(Pose),
    Clip(ClipSource),
}

/// A source, from `start` on; what was before it fades out for `fade` seconds.
#[derive(Clone, Debug)]
pub(super) struct Layer {
    pub(super) source: Source,
    pub(super) start: f64,
    pub(super) fade: f64,
    /// Phase and phase rate (1/s) of the layer before at `start`, if this layer is matched to it.
    pub(super) matched: Option<(f64, f64)>,
    /// Displacement of the whole motion at even steps of the cross-fade, its ends among them.
    pub(super) displacements: Vec<Vector3<f64>>,
}

impl Layer {
    pub(super) fn weight(&self, time: f64) -> f64 {
        if self.fade > 0.0 { smoothstep((time - self.start) / self.fade) } else { 1.0 }
    }

    pub(super) fn end_of_fade(&self) -> f64 {
        self.start + self.fade
    }

    /// Duration of a cycle, s of the clip; `None` if the source does not loop.
    pub(super) fn period(&self, character: &Character) -> Option<f64> {
        match &self.source {
            Source::Pose(_) => None,
            Source::Clip(clip) => clip.playback.period(&character.clips[clip.playback.clip]),
        }
    }

    /// Cycles since the start of the clip, and cycles per second once this layer is alone.
    pub(super) fn phase(&self, character: &Character, time: f64) -> Option<(f64, f64)> {
        let period = self.period(character)?;
        let Source::Clip(clip) = &self.source else { return None };
        let rate = clip.playback.speed / period;
        Some((self.clip_time(character, time) / period, rate))
    }

    /// The time of the clip, s over all cycles.
    ///
    /// Matched layers run at a common phase rate, which changes from that of the old clip to that of the new
    /// one with the weight of the cross-fade. Its integral is the phase:
    /// `p0 + r0 t + (r1 - r0) fade (s^3 - s^4 / 2)`, `s = t / fade`.
    pub(super) fn clip_time(&self, character: &Character, time: f64) -> f64 {
        let Source::Clip(clip) = &self.source else { return 0.0 };
        let playback = &clip.playback;
        let elapsed = time - self.start;
        let (Some((phase, old_rate)), Some(period)) = (self.matched, self.period(character)) else {
            return playback.offset + elapsed * playback.speed;
        };
        let rate = playback.speed / period;
        let fading = elapsed.clamp(0.0, self.fade);
        let s = if self.fade > 0.0 { fading / self.fade } else { 0.0 };
        let gained = self.fade * s * s * s * (1.0 - 0.5 * s);
        let phase = phase + old_rate * fading + (rate - old_rate) * gained + rate * (elapsed - fading);
        playback.offset + phase * period
    }

    /// The displacement of the source alone, at a time of its clip.
    pub(super) fn own_displacement(&self, character: &Character, clip_time: f64) -> Vector3<f64> {
        match &self.source {
            Source::Pose(_) => Vector3::zeros(),
            Source::Clip(clip) => clip.displacement(character, clip_time),
        }
    }

    /// Integrates the blended velocity over the cross-fade: `before` and `own` are displacements by time.
    pub(super) fn integrate(
        &mut self,
        before: impl Fn(f64) -> Vector3<f64>,
        own: impl Fn(f64) -> Vector3<f64>,
    ) {
        self.displacements = vec![before(self.start)];
        if self.fade <= 0.0 {
            return;
        }
        let time = |step: usize| self.start + self.fade * step as f64 / STEPS as f64;
        let mut sum = self.displacements[0];
        for step in 0..STEPS {
            let weight = 0.5 * (self.weight(time(step)) + self.weight(time(step + 1)));
            let moved = |at: &dyn Fn(f64) -> Vector3<f64>| at(time(step + 1)) - at(time(step));
            sum += moved(&before) * (1.0 - weight) + moved(&own) * weight;
            self.displacements.push(sum);
        }
    }

    /// The displacement at a time of the cross-fade, from its steps.
    pub(super) fn fading_displacement(&self, time: f64) -> Vector3<f64> {
        let last = self.displacements.len().saturating_sub(1);
        let place = if self.fade > 0.0 { (time - self.start) / self.fade * last as f64 } else { 0.0 };
        let step = (place.max(0.0) as usize).min(last);
        let at = |step: usize| self.displacements.get(step).copied().unwrap_or_default();
        if step == last { at(last) } else { at(step) + (at(step + 1) - at(step)) * (place - step as f64) }
    }
}
