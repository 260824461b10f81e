//! A motion: clips and poses one after another, cross-faded, as a function of time.
//!
//! ```text
//! time (s)   0          1      1.5                 3.5    3.8            5
//! layers     bind pose..............
//!                first pose of Walk.|
//!                                   |Walk.................~~~~~~~~
//!                                                         ~~~~~~~~Run......
//! ```
//!
//! A layer is shown from its start on and replaces the layers before it over its cross-fade (`~`). The weight
//! of a cross-fade is a smoothstep, so that joints start and stop without a kick.

mod chain;
mod layer;
mod playback;
mod player;
mod root;
#[cfg(test)]
mod tests;

use std::sync::Arc;

use nalgebra::Vector3;

pub use chain::{Chain, ChainItem};
pub use playback::{Looping, Playback};
pub use player::Player;
pub use root::RootMotion;

use self::{
    layer::{Layer, Source},
    playback::ClipSource,
    root::{RootTrack, shift_roots},
};
use crate::{Affine, Character, CharacterError, Pose, error::check_duration};

/// The latest time, s: 31 years, at which a time still has 1e-7 s.
const LATEST: f64 = 1.0e9;

/// How a clip replaces what was played before it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Transition {
    /// Duration of the cross-fade, s; 0 for a cut.
    pub fade: f64,
    /// Whether the new clip begins at the phase of the old one and both keep step during the cross-fade: the
    /// left foot of a walk is faded into the left foot of a run. Without effect unless both loop.
    pub match_phase: bool,
}

impl Default for Transition {
    /// A cross-fade of 0.3 s that keeps step.
    fn default() -> Self {
        Self { fade: 0.3, match_phase: true }
    }
}

/// The pose of a character as a function of time: clips and poses with cross-fades between them.
///
/// A motion is sampled at any time in any order, with equal bits; a simulation samples it at both ends of
/// each substep. [`Chain`] builds one from a list of clips, [`Player`] extends one while it plays.
#[derive(Clone, Debug)]
pub struct Motion {
    character: Arc<Character>,
    root_motion: RootMotion,
    /// The layers in the order of their starts. The first is shown before its start as well.
    layers: Vec<Layer>,
}

/// What [`Motion::sample`] writes, with the memory it needs; a second sample of the same character allocates
/// nothing.
#[derive(Clone, Debug, Default)]
pub struct MotionSample {
    /// Local transforms.
    pub pose: Pose,
    /// World matrices of the joints.
    pub world: Vec<Affine>,
    /// With [`RootMotion::Extract`] the horizontal displacement that `pose` lacks, in the unit of the
    /// character; otherwise zero.
    pub displacement: Vector3<f64>,
    scratch: [Pose; 2],
}

impl Motion {
    /// A motion that holds a pose.
    #[must_use]
    pub fn from_pose(character: Arc<Character>, pose: Pose, root_motion: RootMotion) -> Self {
        let source = Source::Pose(pose);
        let layer =
            Layer { source, start: 0.0, fade: 0.0, matched: None, displacements: vec![Vector3::zeros()] };
        Self { character, root_motion, layers: vec![layer] }
    }

    /// A motion that plays a clip from time 0 on.
    ///
    /// # Errors
    /// If the clip does not exist, or a number of `playback` is out of its range.
    pub fn from_clip(
        character: Arc<Character>,
        playback: Playback,
        root_motion: RootMotion,
    ) -> Result<Self, CharacterError> {
        let pose = character.skeleton.rest_pose();
        let mut motion = Self::from_pose(character, pose, root_motion);
        motion.layers[0].source = motion.clip_source(playback)?;
        Ok(motion)
    }

    /// Plays a clip from `start` (s) on, in place of what was played before.
    ///
    /// # Errors
    /// If the clip does not exist, a number is out of its range, or `start` is before the start of the last
    /// clip.
    pub fn play(
        &mut self,
        start: f64,
        playback: Playback,
        transition: Transition,
    ) -> Result<(), CharacterError> {
        let source = self.clip_source(playback)?;
        self.push(start, source, transition)
    }

    /// Holds a pose from `start` (s) on, in place of what was played before.
    ///
    /// # Errors
    /// If a number is out of its range, or `start` is before the start of the last clip.
    pub fn hold(&mut self, start: f64, pose: Pose, transition: Transition) -> Result<(), CharacterError> {
        self.push(start, Source::Pose(pose), transition)
    }

    /// The character.
    #[must_use]
    pub fn character(&self) -> &Arc<Character> {
        &self.character
    }

    /// Writes the pose and the world matrices at a time (s). Times before 0 and NaN count as 0, times after
    /// 1e9 as 1e9.
    pub fn sample(&self, time: f64, out: &mut MotionSample) {
        let time = if time > 0.0 { time.min(LATEST) } else { 0.0 };
        let in_place = self.root_motion != RootMotion::Keep;
        let last = self.layers.iter().rposition(|layer| layer.start <= time).unwrap_or(0);
        // The last layer that hides those before it.
        let first = (0..=last).rev().find(|&i| time >= self.layers[i].end_of_fade()).unwrap_or(0);
        let [other, scratch] = &mut out.scratch;
        self.sample_layer(first, time, in_place, &mut out.pose, scratch);
        for i in first + 1..=last {
            self.sample_layer(i, time, in_place, other, scratch);
            out.pose.blend(other, self.layers[i].weight(time));
        }
        out.displacement = Vector3::zeros();
        match self.root_motion {
            RootMotion::Keep | RootMotion::Remove => {}
            RootMotion::Extract => out.displacement = self.displacement(last, time),
            RootMotion::Accumulate => {
                shift_roots(&self.character.skeleton, self.displacement(last, time), &mut out.pose);
            }
        }
        self.character.skeleton.compute_world(&out.pose, &mut out.world);
    }

    /// The pose with which a clip begins.
    fn first_pose(&self, playback: Playback) -> Result<Pose, CharacterError> {
        let (mut pose, mut scratch) = (Pose::default(), Pose::default());
        if let Source::Clip(clip) = self.clip_source(playback)? {
            let in_place = self.root_motion != RootMotion::Keep;
            clip.sample(&self.character, playback.offset, in_place, &mut pose, &mut scratch);
        }
        Ok(pose)
    }

    fn clip_source(&self, playback: Playback) -> Result<Source, CharacterError> {
        playback.check(&self.character)?;
        let root = RootTrack::find(&self.character, &self.character.clips[playback.clip]);
        Ok(Source::Clip(ClipSource { playback, root }))
    }

    fn push(&mut self, start: f64, source: Source, transition: Transition) -> Result<(), CharacterError> {
        check_duration("the duration of a cross-fade", transition.fade)?;
        let before = self.layers.len() - 1;
        let earliest = self.layers[before].start;
        if !(start >= earliest && start.is_finite()) {
            let needed = "finite and not before that of the clip before it";
            return Err(CharacterError::Parameter { what: "the start of a clip", value: start, needed });
        }
        let mut layer =
            Layer { source, start, fade: transition.fade, matched: None, displacements: Vec::new() };
        if transition.match_phase && layer.period(&self.character).is_some() {
            layer.matched = self.layers[before].phase(&self.character, start);
        }
        self.layers.push(layer);
        // With the layer in place, the one before it already keeps its step.
        let mut layer = self.layers[before + 1].clone();
        layer.integrate(
            |time| self.displacement(before, time),
            |time| self.own_displacement(before + 1, time),
        );
        self.layers[before + 1] = layer;
        Ok(())
    }

    /// The time of a layer's clip; while the next layer is matched to it, both have one phase.
    fn clip_time(&self, layer: usize, time: f64) -> f64 {
        let character = &self.character;
        let next = self.layers.get(layer + 1).filter(|next| next.matched.is_some() && time > next.start);
        let common = next.and_then(|next| {
            let Source::Clip(clip) = &next.source else { return None };
            let phase = (next.clip_time(character, time) - clip.playback.offset) / next.period(character)?;
            Some(phase * self.layers[layer].period(character)?)
        });
        common.unwrap_or_else(|| self.layers[layer].clip_time(character, time))
    }

    fn sample_layer(&self, layer: usize, time: f64, in_place: bool, pose: &mut Pose, scratch: &mut Pose) {
        match &self.layers[layer].source {
            Source::Pose(held) => pose.copy_from(held),
            Source::Clip(clip) => {
                clip.sample(&self.character, self.clip_time(layer, time), in_place, pose, scratch);
            }
        }
    }

    fn own_displacement(&self, layer: usize, time: f64) -> Vector3<f64> {
        self.layers[layer].own_displacement(&self.character, self.clip_time(layer, time))
    }

    /// The displacement of the motion as if `last` were its last layer.
    fn displacement(&self, last: usize, time: f64) -> Vector3<f64> {
        let layer = &self.layers[last];
        if time < layer.start && last > 0 {
            return self.displacement(last - 1, time);
        }
        if time < layer.end_of_fade() {
            return layer.fading_displacement(time);
        }
        let own = self.own_displacement(last, time) - self.own_displacement(last, layer.end_of_fade());
        layer.displacements.last().copied().unwrap_or_default() + own
    }
}
