//! What becomes of the ends of clips in a run: a clip that is played for one cycle ends in its last pose, one that
//! is played for longer loops, and is named; also where its end is not its beginning.
//!
//! ```text
//! one cycle  |---- clip ----|                       the last pose is held, also while the next clip fades in
//! longer     |---- clip ----|---- clip ----|--      loops; where the poses differ, the skin jumps in one substep
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
/// every other what it does at its end. `scale` is metres in a unit of the character; the run takes `seconds` in
/// frames of `dt`, the last of which may end later.
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
        if let Some(gap) = gap {
            let (turned, remedy) = (gap.turn.1 > CLOSED_TURN, source.loop_transition_option(TRANSITION));
            let joint = |number: usize| character.skeleton.label(number);
            text += &if turned {
                let (number, angle) = gap.turn;
                format!(
                    ", and from its end to its beginning {} turns by {:.0} degrees in one substep; {remedy} fades",
                    joint(number),
                    angle.to_degrees()
                )
            } else {
                let (number, shift) = gap.shift;
                format!(
                    ", and from its end to its beginning {} goes back by {:.2} m in one substep; {} goes on from there",
                    joint(number),
                    scale * shift,
                    source.accumulate_option()
                )
            };
        }
        notes.push(text);
    }
    notes
}
