//! A document as a whole, for a file that is to contain it: its JSON, its buffers, and which node each joint
//! is.

use std::path::Path;

use serde_json::Value;

use super::{
    container,
    document::Document,
    is_harmless, needed_nodes,
    nodes::{self, Hierarchy},
};
use crate::read_file;

/// A glTF file with its side files.
pub(crate) struct GltfSource {
    /// The whole JSON.
    pub(crate) json: Value,
    /// The bytes of each buffer.
    pub(crate) buffers: Vec<Vec<u8>>,
    /// For each joint of the skeleton its node and its name.
    pub(crate) joints: Vec<(usize, String)>,
    /// The nodes of the scene that is shown.
    pub(crate) roots: Vec<usize>,
    /// Whether every extension that it uses is one whose references to arrays are known.
    pub(crate) is_plain: bool,
}

/// Reads a document for extension; an error says in one line why it cannot be extended.
pub(crate) fn read_source(path: &Path) -> Result<GltfSource, String> {
    let bytes = read_file(path).map_err(|e| e.problem)?;
    let (json, binary) = container::split(&bytes)?;
    let document: Document = serde_json::from_slice(json).map_err(|e| e.to_string())?;
    let json = serde_json::from_slice(json).map_err(|e| e.to_string())?;
    let buffers = container::read_buffers(&document, path, binary).into_iter();
    let buffers = buffers.map(|data| data.map(std::borrow::Cow::into_owned)).collect::<Result<_, _>>()?;
    let hierarchy = Hierarchy::new(&document)?;
    let in_scene = hierarchy.in_scene(&document)?;
    let joints = nodes::build(&document, &hierarchy, needed_nodes(&document, &in_scene), &mut Vec::new())?;
    // Joints are numbered in the order of their nodes.
    let nodes = joints.by_node.iter().enumerate().filter(|(_, joint)| joint.is_some()).map(|(node, _)| node);
    let names = joints.skeleton.joints().iter().map(|joint| joint.name.clone());
    let scene = document.scenes.get(document.scene.unwrap_or(0));
    let every_root = || (0..document.nodes.len()).filter(|&n| hierarchy.parents[n].is_none()).collect();
    Ok(GltfSource {
        json,
        buffers,
        joints: nodes.zip(names).collect(),
        roots: scene.map_or_else(every_root, |scene| scene.nodes.clone()),
        is_plain: document.extensions_used.iter().all(|e| is_harmless(&e)),
    })
}
