//! A clip: keys in time that move the joints of a skeleton.

mod channel;
mod description;
mod sample;

pub use channel::{Interpolation, Property};
pub use description::{ChannelDescription, ChannelValues};
pub use sample::SeamGap;

use channel::Channel;

use crate::CharacterError;

/// A named animation: for some joints, keys of their translation, rotation or scale.
///
/// Times are seconds. Before its first key and after its last key a channel is constant. Files often leave
/// the time before the first key empty (Blender starts at frame 1); a [`Motion`](crate::Motion) leaves that
/// out.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Clip {
    name: String,
    start: f64,
    duration: f64,
    /// Times of keys (s), each shared by the channels that have the same.
    timelines: Vec<Vec<f64>>,
    /// Sorted by timeline, so that each is searched once.
    channels: Vec<Channel>,
}

impl Clip {
    /// Makes a clip for a skeleton of `joint_count` joints.
    ///
    /// Where two channels set one property of one joint, the later one counts.
    ///
    /// # Errors
    /// If a joint does not exist, a channel has no key, times are negative or do not increase, numbers of
    /// times and values do not agree, or a number is not finite.
    pub fn new(
        name: String,
        channels: Vec<ChannelDescription>,
        joint_count: usize,
    ) -> Result<Self, CharacterError> {
        description::build(name, channels, joint_count)
    }

    /// The name; may be empty.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The time of the first key of any channel, s.
    #[must_use]
    pub fn start(&self) -> f64 {
        self.start
    }

    /// From the first key to the last, s: what a [`Motion`](crate::Motion) plays.
    #[must_use]
    pub fn length(&self) -> f64 {
        self.duration - self.start
    }

    /// The time of the last key of any channel, s.
    #[must_use]
    pub fn duration(&self) -> f64 {
        self.duration
    }

    /// The number of channels.
    #[must_use]
    pub fn channel_count(&self) -> usize {
        self.channels.len()
    }

    /// The joints and the properties that the clip moves.
    pub fn animated(&self) -> impl Iterator<Item = (usize, Property)> {
        self.channels.iter().map(|channel| (channel.joint, channel.property()))
    }
}
