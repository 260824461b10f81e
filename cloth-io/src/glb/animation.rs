//! The one animation: channels that share their key times, and the joints of a character.

use serde_json::{Value, json};

use super::{
    GlbCharacter,
    asset::{self, Asset, Use},
};
use cloth_character::Transform;

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

    /// Adds itself to the document, unless nothing moves.
    pub(super) fn finish(self, asset: &mut Asset, name: &str) {
        if !self.channels.is_empty() {
            let animation = json!({ "name": name, "channels": self.channels, "samplers": self.samplers });
            asset.push("animations", animation);
        }
    }
}

/// Appends key times.
pub(super) fn push_times(asset: &mut Asset, times: &[f32]) -> usize {
    let times: Vec<[f32; 1]> = times.iter().map(|&t| [t]).collect();
    asset.push_floats(&times, Use::Other)
}

/// Puts each joint where it is in the first frame, and adds channels for what changes after it.
pub(super) fn add_joints(
    asset: &mut Asset,
    animation: &mut AnimationBuilder,
    character: &GlbCharacter<'_>,
    nodes: &[usize],
    times: &[f32],
) {
    let mut input = None;
    for ((joint, data), &node) in character.character.skeleton.joints().iter().enumerate().zip(nodes) {
        let local = |pose: &cloth_character::Pose| *pose.locals.get(joint).unwrap_or(&data.rest);
        let locals: Vec<Transform> = character.poses.iter().map(local).collect();
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
            let input = *input.get_or_insert_with(|| push_times(asset, times));
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
