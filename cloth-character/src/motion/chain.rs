//! A motion from a list of clips: from the bind pose to the first frame, then one clip after another.

use std::sync::Arc;

use super::{Motion, Playback, RootMotion, Transition};
use crate::{Character, CharacterError, error::check_duration};

/// One clip of a [`Chain`].
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ChainItem {
    /// The clip and how it is played.
    pub playback: Playback,
    /// How long until the next clip begins to fade in, s; `None` for one cycle of the clip, and of the last
    /// clip for ever.
    pub duration: Option<f64>,
}

/// A list of clips with a pre-roll from the bind pose, in which garments are authored.
///
/// ```text
/// 0 ........ pre_roll ........ pre_roll + settle ........
/// bind pose -> first frame     first frame held      clips
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Chain {
    /// The clips in their order.
    pub items: Vec<ChainItem>,
    /// Duration of the cross-fade from the bind pose to the first frame, s; by default 1. At 0 the motion
    /// begins with the first frame.
    pub pre_roll: f64,
    /// How long the first frame is held after it, s; by default 0.
    pub settle: f64,
    /// How each clip replaces the one before it.
    pub transition: Transition,
    /// What becomes of horizontal displacement.
    pub root_motion: RootMotion,
}

impl Default for Chain {
    fn default() -> Self {
        Self {
            items: Vec::new(),
            pre_roll: 1.0,
            settle: 0.0,
            transition: Transition::default(),
            root_motion: RootMotion::default(),
        }
    }
}

impl Chain {
    /// A chain of clips by name and duration (s); `None` as in [`ChainItem::duration`].
    ///
    /// # Errors
    /// If the character has no clip of a name; the error lists its clips.
    pub fn from_names(character: &Character, clips: &[(&str, Option<f64>)]) -> Result<Self, CharacterError> {
        let item = |&(name, duration): &(&str, Option<f64>)| {
            Ok(ChainItem { playback: Playback::new(character.find_clip(name)?), duration })
        };
        Ok(Self { items: clips.iter().map(item).collect::<Result<_, CharacterError>>()?, ..Self::default() })
    }

    /// The time at which the first clip begins, s.
    #[must_use]
    pub fn clip_start(&self) -> f64 {
        self.pre_roll + self.settle
    }

    /// Makes a motion. Without a clip it holds the bind pose.
    ///
    /// # Errors
    /// If a clip does not exist or a duration is negative or not finite.
    pub fn build(&self, character: Arc<Character>) -> Result<Motion, CharacterError> {
        check_duration("the pre-roll", self.pre_roll)?;
        check_duration("the time to settle", self.settle)?;
        let bind = character.bind_pose();
        let mut motion = Motion::from_pose(character.clone(), bind, self.root_motion);
        let Some(first) = self.items.first() else { return Ok(motion) };
        if self.clip_start() > 0.0 {
            let pose = motion.first_pose(first.playback)?;
            motion.hold(0.0, pose, Transition { fade: self.pre_roll, match_phase: false })?;
        }
        let mut start = self.clip_start();
        for (index, item) in self.items.iter().enumerate() {
            let cut = Transition { fade: 0.0, match_phase: false };
            motion.play(start, item.playback, if index == 0 { cut } else { self.transition })?;
            let clip = &character.clips[item.playback.clip];
            let cycle = item.playback.period(clip).unwrap_or(clip.length()) / item.playback.speed;
            let duration = item.duration.unwrap_or(cycle);
            check_duration("the duration of a clip of the chain", duration)?;
            start += duration;
        }
        Ok(motion)
    }
}
