//! Makes a clip from channels as files have them: checks, shares timelines and normalises rotations.

use nalgebra::{Quaternion, Vector3};

use super::{Clip, Interpolation, channel::Channel};
use crate::CharacterError;

/// A channel as a file has it, unchecked; [`Clip::new`] makes a clip of several.
#[derive(Clone, Debug, PartialEq)]
pub struct ChannelDescription {
    /// The joint of the skeleton that it moves.
    pub joint: usize,
    /// How it moves between keys.
    pub interpolation: Interpolation,
    /// Times of the keys, s, increasing and not negative.
    pub times: Vec<f64>,
    /// The values: one for each key, three for a cubic spline.
    pub values: ChannelValues,
}

/// The values of a channel, see [`ChannelDescription`].
#[derive(Clone, Debug, PartialEq)]
pub enum ChannelValues {
    /// Translations, m.
    Translation(Vec<Vector3<f64>>),
    /// Rotations; keys need not be of unit length, but must not be zero.
    Rotation(Vec<Quaternion<f64>>),
    /// Scales.
    Scale(Vec<Vector3<f64>>),
}

pub(super) fn build(
    name: String,
    channels: Vec<ChannelDescription>,
    joints: usize,
) -> Result<Clip, CharacterError> {
    let mut clip = Clip { name, ..Clip::default() };
    for (index, channel) in channels.into_iter().enumerate() {
        let ChannelDescription { joint, interpolation, times, values } = channel;
        if joint >= joints {
            let (what, target, count) = ("channel", joint, joints);
            return Err(CharacterError::OutOfRange { what, index, target, count });
        }
        check_times(index, &times)?;
        let keys = check_values(index, interpolation, times.len(), values)?;
        let first = times.first().copied().unwrap_or_default();
        clip.start = if index == 0 { first } else { first.min(clip.start) };
        clip.duration = times.last().copied().unwrap_or_default().max(clip.duration);
        let timeline = clip.timelines.iter().position(|known| *known == times).unwrap_or_else(|| {
            clip.timelines.push(times);
            clip.timelines.len() - 1
        });
        clip.channels.push(Channel { joint, timeline, interpolation, keys });
    }
    keep_last_of_each(&mut clip.channels);
    clip.channels.sort_by_key(|channel| channel.timeline);
    Ok(clip)
}

/// Drops a channel if a later one sets the same property of the same joint.
fn keep_last_of_each(channels: &mut Vec<Channel>) {
    let mut seen = std::collections::BTreeSet::new();
    channels.reverse();
    channels.retain(|channel| seen.insert((channel.joint, channel.property())));
    channels.reverse();
}

fn check_times(channel: usize, times: &[f64]) -> Result<(), CharacterError> {
    if times.is_empty() {
        return Err(CharacterError::NoKey { channel });
    }
    if times.iter().any(|t| !t.is_finite()) {
        return Err(CharacterError::NotFinite { what: "a time of channel", index: channel });
    }
    if times[0] < 0.0 {
        return Err(CharacterError::TimesNotIncreasing { channel, key: 0 });
    }
    match times.windows(2).position(|pair| pair[1] <= pair[0]) {
        Some(key) => Err(CharacterError::TimesNotIncreasing { channel, key: key + 1 }),
        None => Ok(()),
    }
}

fn check_values(
    index: usize,
    interpolation: Interpolation,
    keys: usize,
    mut values: ChannelValues,
) -> Result<ChannelValues, CharacterError> {
    let is_spline = interpolation == Interpolation::CubicSpline;
    let needed = if is_spline { keys.saturating_mul(3) } else { keys };
    let (found, finite) = match &values {
        ChannelValues::Translation(v) | ChannelValues::Scale(v) => {
            (v.len(), v.iter().flat_map(|v| v.iter()).all(|x| x.is_finite()))
        }
        ChannelValues::Rotation(v) => {
            (v.len(), v.iter().flat_map(|q| q.coords.iter()).all(|x| x.is_finite()))
        }
    };
    if found != needed {
        return Err(CharacterError::Length { what: "the values of a channel", found, needed });
    }
    if !finite {
        return Err(CharacterError::NotFinite { what: "a value of channel", index });
    }
    if let ChannelValues::Rotation(rotations) = &mut values {
        let value_of = |i: usize| !is_spline || i % 3 == 1;
        for (_, q) in rotations.iter_mut().enumerate().filter(|(i, _)| value_of(*i)) {
            let norm = q.norm();
            if !(norm > 0.0 && norm.is_finite()) {
                let (what, needed) = ("the length of a rotation key", "not zero");
                return Err(CharacterError::Parameter { what, value: norm, needed });
            }
            *q /= norm;
        }
    }
    Ok(values)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn channel(times: &[f64], values: usize) -> ChannelDescription {
        ChannelDescription {
            joint: 0,
            interpolation: Interpolation::Linear,
            times: times.to_vec(),
            values: ChannelValues::Translation(vec![Vector3::zeros(); values]),
        }
    }

    fn error(channel: ChannelDescription) -> CharacterError {
        Clip::new(String::new(), vec![channel], 1).unwrap_err()
    }

    #[test]
    fn rejects_what_a_file_can_get_wrong() {
        use CharacterError::{Length, NoKey, NotFinite, OutOfRange, Parameter, TimesNotIncreasing};
        assert_eq!(error(channel(&[], 0)), NoKey { channel: 0 });
        assert_eq!(error(channel(&[0.0, 0.0], 2)), TimesNotIncreasing { channel: 0, key: 1 });
        assert_eq!(error(channel(&[-1.0, 0.0], 2)), TimesNotIncreasing { channel: 0, key: 0 });
        assert!(matches!(error(channel(&[0.0, f64::NAN], 2)), NotFinite { .. }));
        assert!(matches!(error(channel(&[0.0, 1.0], 3)), Length { found: 3, needed: 2, .. }));
        let spline =
            ChannelDescription { interpolation: Interpolation::CubicSpline, ..channel(&[0.0, 1.0], 2) };
        assert!(matches!(error(spline), Length { found: 2, needed: 6, .. }));
        let elsewhere = ChannelDescription { joint: 1, ..channel(&[0.0], 1) };
        assert!(matches!(error(elsewhere), OutOfRange { target: 1, count: 1, .. }));
        let zero = ChannelValues::Rotation(vec![Quaternion::new(0.0, 0.0, 0.0, 0.0)]);
        assert!(matches!(error(ChannelDescription { values: zero, ..channel(&[0.0], 1) }), Parameter { .. }));
        let nan = ChannelValues::Scale(vec![Vector3::new(0.0, f64::NAN, 0.0)]);
        assert!(matches!(error(ChannelDescription { values: nan, ..channel(&[0.0], 1) }), NotFinite { .. }));
    }

    #[test]
    fn the_last_channel_of_a_property_counts() {
        let last = ChannelDescription {
            values: ChannelValues::Translation(vec![Vector3::repeat(7.0); 2]),
            ..channel(&[0.0, 2.0], 2)
        };
        let clip = Clip::new("a".into(), vec![channel(&[0.0, 1.0], 2), last], 1).unwrap();
        assert_eq!((clip.channel_count(), clip.start(), clip.duration()), (1, 0.0, 2.0));
    }
}
