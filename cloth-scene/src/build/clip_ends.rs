//! What becomes of the ends of clips in a run: a clip that is played for one cycle ends in its last pose, one
//! that is played for longer loops, and is named; also where its end is not its beginning.
//!
//! ```text
//! one cycle  |---- clip ----|                   the last pose is held, also while the next clip fades in
//! longer     |---- clip ----|---- clip ----|--  loops; where the poses differ, the skin jumps in one substep
//! ```

use cloth_character::{Chain, Character, Looping, RootMotion, SeamGap};

use crate::SceneSource;

/// Ends that differ by less (rad) are those of a loop whose keys are rounded.
const CLOSED_TURN: f64 = 0.087;

/// The same for the place of a joint (m).
const CLOSED_SHIFT: f64 = 0.02;

/// How long (s) the transition is that is proposed.
const TRANSITION: f64 = 0.5;

/// Plays the clips of a chain that do not close once, where one cycle is all that the run shows, and says of
/// every other what it does at its end. `scale` is metres in a unit of the character; the run takes `seconds`
/// in frames of `dt`, the last of which may end later.
pub(super) fn end_clips(
    chain: &mut Chain,
    character: &Character,
    scale: f64,
    [seconds, dt]: [f64; 2],
    source: &SceneSource,
) -> Vec<String> {
    let (mut start, mut notes) = (chain.clip_start(), Vec::new());
    let (last, keeps_root) = (chain.items.len().saturating_sub(1), chain.root_motion == RootMotion::Keep);
    for (number, item) in chain.items.iter_mut().enumerate() {
        let clip = &character.clips[item.playback.clip];
        let transition = match item.playback.looping {
            Looping::Close { transition } => transition,
            _ => 0.0,
        };
        let cycle = (clip.length() + transition) / item.playback.speed;
        let wanted = item.duration.unwrap_or(cycle);
        let played = (seconds - start).min(if number == last { f64::INFINITY } else { wanted });
        start += wanted;
        if clip.length() <= 0.0 {
            continue;
        }
        let is_open =
            |gap: &SeamGap| gap.turn.1 > CLOSED_TURN || keeps_root && scale * gap.shift.1 > CLOSED_SHIFT;
        let gap = clip.seam_gap(&character.skeleton).filter(|gap| transition == 0.0 && is_open(gap));
        if played <= cycle + dt {
            if gap.is_some() {
                item.playback.looping = Looping::Once;
            }
            continue;
        }
        let mut text =
            format!("clip {:?} of {cycle:.2} s is played for {played:.2} s: it loops", clip.name());
        if let Some(SeamGap { turn, shift }) = gap {
            let what = if turn.1 > CLOSED_TURN {
                format!("{} turns by {:.0} degrees", character.skeleton.label(turn.0), turn.1.to_degrees())
            } else {
                format!("{} goes by {:.2} m", character.skeleton.label(shift.0), scale * shift.1)
            };
            let remedy = source.loop_transition_option(TRANSITION);
            text += &format!(", and from its end to its beginning {what} in one substep; {remedy} fades");
        }
        notes.push(text);
    }
    notes
}

#[cfg(test)]
mod tests {
    use cloth_character::{
        ChainItem, ChannelDescription, ChannelValues, Clip, Interpolation, Joint, Playback, Skeleton,
    };
    use nalgebra::Vector3;

    use super::*;

    /// What is said of a clip of 1 s that moves a joint by 1 unit, played for some time (s), and how it is
    /// played.
    fn ended(root_motion: RootMotion, seconds: f64) -> (Vec<String>, Looping) {
        let values = ChannelValues::Translation(vec![Vector3::zeros(), Vector3::x()]);
        let (joint, interpolation) = (0, Interpolation::Linear);
        let channel = ChannelDescription { joint, times: vec![0.0, 1.0], interpolation, values };
        let clips = vec![Clip::new("Step".into(), vec![channel], 1).unwrap()];
        let skeleton = Skeleton::new(vec![Joint { name: "hips".into(), ..Joint::default() }]).unwrap();
        let character = Character { clips, skeleton, ..Character::default() };
        let items = vec![ChainItem { playback: Playback::new(0), duration: None }];
        let mut chain = Chain { items, pre_roll: 0.0, root_motion, ..Chain::default() };
        let source = SceneSource::Flags("a.obj".into());
        let said = end_clips(&mut chain, &character, 0.5, [seconds, 0.02], &source);
        (said, chain.items[0].playback.looping)
    }

    #[test]
    fn a_clip_that_goes_back_is_named_unless_its_root_goes_on() {
        let (said, looping) = ended(RootMotion::Keep, 1.5);
        let expected = "clip \"Step\" of 1.00 s is played for 1.50 s: it loops, and from its end to its \
                        beginning hips goes by 0.50 m in one substep; --loop-transition 0.5 fades";
        assert_eq!((said, looping), (vec![expected.to_owned()], Looping::Repeat));
        assert_eq!(ended(RootMotion::Keep, 1.0), (Vec::new(), Looping::Once));
        let (said, looping) = ended(RootMotion::Accumulate, 1.5);
        assert!(said[0].ends_with(": it loops") && looping == Looping::Repeat, "{said:?}");
        assert_eq!(ended(RootMotion::Accumulate, 1.0), (Vec::new(), Looping::Repeat));
    }
}
