//! How a clip is played: its speed, and what happens at its end.

use nalgebra::Vector3;

use super::root::RootTrack;
use crate::{Character, CharacterError, Clip, Pose, error::check_duration, smoothstep};

/// What happens when a clip has reached its end.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub enum Looping {
    /// The last pose is held.
    Once,
    /// The clip starts again. Its poses jump unless its last key equals its first, as in clips that are
    /// authored as loops.
    #[default]
    Repeat,
    /// A transition leads from the last pose to the first, each joint by interpolation of its local
    /// transform: the closure of Tourniaire (section 3.5). The loop becomes longer by the transition, during
    /// which the character does nothing else.
    Close {
        /// Duration of the transition, s of the clip.
        transition: f64,
    },
    /// The end of the clip is cross-faded with its beginning. The loop becomes shorter by the transition and
    /// never pauses, which suits gaits of several steps. At most half of the clip is used.
    Overlap {
        /// Duration of the cross-fade, s of the clip.
        transition: f64,
    },
}

/// A clip of a character and how it is played.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Playback {
    /// The number of the clip, see [`Character::find_clip`].
    pub clip: usize,
    /// Seconds of the clip per second; positive. By default 1.
    pub speed: f64,
    /// What happens at the end; by default the clip is repeated.
    pub looping: Looping,
    /// The time of the clip at which it starts, s after its first key. Where it is matched by phase to the
    /// clip before it, this is added to the matched time.
    pub offset: f64,
}

impl Playback {
    /// A clip at its own speed, repeated.
    #[must_use]
    pub fn new(clip: usize) -> Self {
        Self { clip, speed: 1.0, looping: Looping::Repeat, offset: 0.0 }
    }

    /// This playback at another speed.
    #[must_use]
    pub fn with_speed(self, speed: f64) -> Self {
        Self { speed, ..self }
    }

    /// This playback with another end.
    #[must_use]
    pub fn with_looping(self, looping: Looping) -> Self {
        Self { looping, ..self }
    }

    pub(super) fn check(&self, character: &Character) -> Result<(), CharacterError> {
        let count = character.clips.len();
        if self.clip >= count {
            let (what, index, target) = ("the playback of clip", self.clip, self.clip);
            return Err(CharacterError::OutOfRange { what, index, target, count });
        }
        let parameter = |what, value, needed| Err(CharacterError::Parameter { what, value, needed });
        if !(self.speed > 0.0 && self.speed.is_finite()) {
            return parameter("the speed of a clip", self.speed, "positive and finite");
        }
        if !self.offset.is_finite() {
            return parameter("the offset of a clip", self.offset, "finite");
        }
        match self.looping {
            Looping::Close { transition } | Looping::Overlap { transition } => {
                check_duration("the transition of a loop", transition)
            }
            Looping::Once | Looping::Repeat => Ok(()),
        }
    }

    /// Duration of one cycle, s of the clip; `None` for a clip that does not loop or has no duration.
    pub(super) fn period(&self, clip: &Clip) -> Option<f64> {
        let duration = clip.length();
        let period = match self.looping {
            Looping::Once => return None,
            Looping::Repeat => duration,
            Looping::Close { transition } => duration + transition,
            Looping::Overlap { transition } => duration - transition.min(0.5 * duration),
        };
        (duration > 0.0).then_some(period)
    }

    /// Which poses of the clip make the pose at `time`, s of the clip since its start, over all cycles.
    pub(super) fn place(&self, clip: &Clip, time: f64) -> CyclePlace {
        let duration = clip.length();
        let Some(period) = self.period(clip) else {
            return CyclePlace { cycle: 0.0, first: time.clamp(0.0, duration), second: None };
        };
        let cycle = (time / period).floor();
        let time = (time - cycle * period).clamp(0.0, period);
        let at = |first| CyclePlace { cycle, first, second: None };
        match self.looping {
            Looping::Close { transition } if time > duration => {
                let amount = smoothstep((time - duration) / transition);
                CyclePlace { second: Some((0.0, amount)), ..at(duration) }
            }
            Looping::Overlap { transition } if time < transition.min(0.5 * duration) => {
                let amount = smoothstep(time / transition.min(0.5 * duration));
                CyclePlace { second: Some((time, amount)), ..at(time + period) }
            }
            _ => at(time),
        }
    }
}

/// The pose of a loop: that of one time of the clip, or between those of two.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct CyclePlace {
    /// The number of cycles before.
    cycle: f64,
    first: f64,
    /// Another time, and its weight.
    second: Option<(f64, f64)>,
}

/// A playback with what is known about its clip.
#[derive(Clone, Debug)]
pub(super) struct ClipSource {
    pub(super) playback: Playback,
    pub(super) root: Option<RootTrack>,
}

impl ClipSource {
    /// Writes the pose at a time of the clip over all cycles; without the displacement of its root if
    /// `in_place`.
    pub(super) fn sample(
        &self,
        character: &Character,
        time: f64,
        in_place: bool,
        pose: &mut Pose,
        other: &mut Pose,
    ) {
        let clip = &character.clips[self.playback.clip];
        let place = self.playback.place(clip, time);
        let sample = |time: f64, pose: &mut Pose| {
            clip.sample(&character.skeleton, clip.start() + time, pose);
            if let (true, Some(root)) = (in_place, &self.root) {
                root.shift(&character.skeleton, -root.displacement(clip, time), pose);
            }
        };
        sample(place.first, pose);
        if let Some((second, amount)) = place.second {
            sample(second, other);
            pose.blend(other, amount);
        }
    }

    /// The horizontal displacement of the root (world) since time 0 of the first cycle.
    pub(super) fn displacement(&self, character: &Character, time: f64) -> Vector3<f64> {
        let Some(root) = &self.root else { return Vector3::zeros() };
        let clip = &character.clips[self.playback.clip];
        let at = |time: f64| root.displacement(clip, time);
        let place = self.playback.place(clip, time);
        let period = self.playback.period(clip);
        let (per_cycle, within) = match (self.playback.looping, place.second) {
            (Looping::Overlap { .. }, second) => {
                let end = at(period.unwrap_or_default());
                let within = match second {
                    Some((second, amount)) => (at(place.first) - end) * (1.0 - amount) + at(second) * amount,
                    None => at(place.first),
                };
                (end, within)
            }
            _ => (at(clip.length()), at(place.first)),
        };
        per_cycle * place.cycle + within
    }
}
