//! The one animation: channels that share their key times, the joints of a character, and cuts.
//!
//! ```text
//!   shown at  0       1       2       3   keys of a cut from frame 3 to 4: each once more, just before 4, so
//!             *-------*-------*-------*.  that what is linear between keys holds frame 3 until then, and at
//!   frame     0       1       2     3 4 4 a time that is rounded shows frame 4
//! ```

use serde_json::{Value, json};

use super::{
    CUTS, GlbCharacter,
    asset::{self, Asset, Use},
};
use cloth_character::Transform;

/// The part of a frame between two keys of a cut: Blender takes keys for one that are nearer than a
/// ten-thousandth of its frames, which may be three times as long.
const CUT_SHARE: f32 = 1.0 / 512.0;

/// Channels and samplers so far.
#[derive(Default)]
pub(super) struct AnimationBuilder {
    channels: Vec<Value>,
    samplers: Vec<Value>,
}

impl AnimationBuilder {
    /// Adds a linear channel of a node.
    pub(super) fn push(&mut self, node: usize, path: &str, times: usize, values: usize) {
        let sampler = self.samplers.len();
        self.samplers.push(json!({ "input": times, "output": values, "interpolation": "LINEAR" }));
        self.channels.push(json!({ "sampler": sampler, "target": { "node": node, "path": path } }));
    }

    /// Adds itself to the document, unless nothing moves; `cuts` are the times of the frames that a cut leads
    /// to.
    pub(super) fn finish(self, asset: &mut Asset, name: &str, cuts: &[f32]) {
        if !self.channels.is_empty() {
            let mut animation = json!({ "name": name, "channels": self.channels, "samplers": self.samplers });
            if !cuts.is_empty() {
                animation["extras"] = json!({ CUTS: cuts });
            }
            asset.push("animations", animation);
        }
    }
}

/// The times of all frames with those of the further keys of cuts, and the frame that is shown at each.
pub(super) fn with_cuts(times: &[f32], cuts: &[usize]) -> Vec<(f32, usize)> {
    let keys = |frame: usize| {
        let cut = cuts.contains(&frame).then(|| cut_times(times, frame)).flatten();
        let further = cut.map(|[held, elsewhere]| [(held, frame - 1), (elsewhere, frame)]);
        further.into_iter().flatten().chain([(times[frame], frame)])
    };
    (0..times.len()).flat_map(keys).collect()
}

/// The times until which the frame before a cut is shown, and from which the frame of the cut is, which has
/// its own time after that; none if `f32` has no such times.
fn cut_times(times: &[f32], frame: usize) -> Option<[f32; 2]> {
    let (before, at) = (*times.get(frame.checked_sub(1)?)?, *times.get(frame)?);
    let share = CUT_SHARE * (at - before);
    let elsewhere = (at - share).min(at.next_down());
    let held = (elsewhere - share).min(elsewhere.next_down());
    (held > before).then_some([held, elsewhere])
}

/// Appends key times.
pub(super) fn push_times(asset: &mut Asset, times: &[f32]) -> usize {
    let times: Vec<[f32; 1]> = times.iter().map(|&t| [t]).collect();
    asset.push_floats(&times, Use::Other)
}

/// Puts each joint where it is in the first frame, and adds channels for what changes after it; each key has
/// its time and its frame.
pub(super) fn add_joints(
    asset: &mut Asset,
    animation: &mut AnimationBuilder,
    character: &GlbCharacter<'_>,
    nodes: &[usize],
    keys: &[(f32, usize)],
) {
    let times: Vec<f32> = keys.iter().map(|key| key.0).collect();
    let mut input = None;
    for ((joint, data), &node) in character.character.skeleton.joints().iter().enumerate().zip(nodes) {
        let local = |pose: &cloth_character::Pose| *pose.locals.get(joint).unwrap_or(&data.rest);
        let locals: Vec<Transform> = keys.iter().map(|key| local(&character.poses[key.1])).collect();
        let Some(first) = locals.first() else { continue };
        if let Some(node) = asset.entry_mut("nodes", node) {
            // A node with a matrix cannot be animated.
            node.remove("matrix");
            node.extend(asset::transform_json(first));
        }
        let mut rotations: Vec<[f32; 4]> = locals.iter().map(asset::rotation).collect();
        keep_hemisphere(&mut rotations);
        let translations: Vec<[f32; 3]> = locals.iter().map(asset::translation).collect();
        let scales: Vec<[f32; 3]> = locals.iter().map(asset::scale).collect();
        let mut add = |path: &str, output: Option<usize>, asset: &mut Asset| {
            let Some(output) = output else { return };
            let input = *input.get_or_insert_with(|| push_times(asset, &times));
            animation.push(node, path, input, output);
        };
        let output = push_changing(asset, &translations);
        add("translation", output, asset);
        let output = push_changing(asset, &rotations);
        add("rotation", output, asset);
        let output = push_changing(asset, &scales);
        add("scale", output, asset);
    }
}

/// Appends values unless they are all the same.
fn push_changing<const N: usize>(asset: &mut Asset, values: &[[f32; N]]) -> Option<usize> {
    let changes = values.windows(2).any(|pair| pair[0] != pair[1]);
    changes.then(|| asset.push_floats(values, Use::Other))
}

/// Chooses the sign of each quaternion so that it is next to the one before: some viewers interpolate the
/// components.
fn keep_hemisphere(rotations: &mut [[f32; 4]]) {
    for k in 1..rotations.len() {
        let dot: f32 = rotations[k - 1].iter().zip(&rotations[k]).map(|(a, b)| a * b).sum();
        if dot < 0.0 {
            rotations[k] = rotations[k].map(|x| -x);
        }
    }
}
