//! From animations to clips.

use cloth_character::{ChannelDescription, ChannelValues, Clip, Interpolation};
use nalgebra::{Quaternion, Vector3};

use super::{
    accessor::Buffers,
    document::{Animation, Channel},
    nodes::Joints,
};

/// Reads one animation as a clip of this name. Channels without a node are left out, as glTF demands.
pub(super) fn read(
    buffers: &Buffers<'_>,
    joints: &Joints,
    animation: &Animation,
    name: &str,
    notes: &mut Vec<String>,
) -> Result<Clip, String> {
    let mut channels = Vec::new();
    let mut has_morphs = false;
    for (index, channel) in animation.channels.iter().enumerate() {
        let Some(node) = channel.target.node else { continue };
        match channel.target.path.as_str() {
            "weights" => has_morphs = true,
            "translation" | "rotation" | "scale" => {
                let joint = joints.by_node.get(node).copied().flatten();
                let joint = joint
                    .ok_or_else(|| format!("channel {index} moves node {node}, which does not exist"))?;
                channels.push(read_channel(buffers, animation, channel, index, joint)?);
            }
            path => notes.push(format!(
                "clip {name:?} moves {path:?}, which is not supported; that channel is left out"
            )),
        }
    }
    if has_morphs {
        notes.push(format!(
            "clip {name:?} moves morph targets, which are not supported; those channels are left out"
        ));
    }
    Clip::new(name.to_owned(), channels, joints.skeleton.len()).map_err(|e| e.to_string())
}

fn read_channel(
    buffers: &Buffers<'_>,
    animation: &Animation,
    channel: &Channel,
    index: usize,
    joint: usize,
) -> Result<ChannelDescription, String> {
    let sampler = animation.samplers.get(channel.sampler).ok_or_else(|| {
        format!(
            "channel {index} has the sampler {}, but there are {}",
            channel.sampler,
            animation.samplers.len()
        )
    })?;
    let interpolation = match sampler.interpolation.as_deref() {
        None | Some("LINEAR") => Interpolation::Linear,
        Some("STEP") => Interpolation::Step,
        Some("CUBICSPLINE") => Interpolation::CubicSpline,
        Some(other) => {
            return Err(format!("channel {index} has the interpolation {other:?}, which is not known"));
        }
    };
    let times = buffers.read::<1>(sampler.input, &format!("the times of channel {index}"))?;
    let what = format!("the values of channel {index}");
    let vectors = || {
        Ok::<_, String>(buffers.read::<3>(sampler.output, &what)?.into_iter().map(Vector3::from).collect())
    };
    let values = match channel.target.path.as_str() {
        "rotation" => {
            let keys = buffers.read::<4>(sampler.output, &what)?;
            ChannelValues::Rotation(
                keys.into_iter().map(|[x, y, z, w]| Quaternion::new(w, x, y, z)).collect(),
            )
        }
        "scale" => ChannelValues::Scale(vectors()?),
        _ => ChannelValues::Translation(vectors()?),
    };
    Ok(ChannelDescription { joint, interpolation, times: times.into_iter().map(|[t]| t).collect(), values })
}
