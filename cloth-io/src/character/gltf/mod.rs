//! glTF 2.0 in: `.glb`, and `.gltf` with data URIs or files next to it.
//!
//! The JSON is read into plain structs (`document`), buffers are found (`container`), nodes become joints
//! (`nodes`), primitives become skinned meshes (`meshes`) and animations become clips (`animations`). All
//! arrays are read through `accessor`, which checks every range.

mod accessor;
mod animations;
mod colors;
mod container;
mod document;
mod meshes;
mod nodes;
mod shapes;
mod source;

use std::{collections::BTreeSet, path::Path};

use cloth_character::Character;

use self::{
    accessor::Buffers,
    document::{Document, Mesh},
    nodes::{Hierarchy, Joints},
};
use super::LoadedCharacter;
use crate::{FileError, error::quoted, read_file};

pub(crate) use container::read_uri;
pub use shapes::{GltfShapes, parse_shapes, read_shapes};
pub(crate) use source::{GltfSource, read_source};

/// Extensions that a file may require: they change nothing that is read, or what is read already supports
/// them.
const HARMLESS: [&str; 3] = ["KHR_mesh_quantization", "KHR_texture_transform", "KHR_lights_punctual"];
/// So do those that begin like this.
const HARMLESS_PREFIXES: [&str; 2] = ["KHR_materials_", "EXT_texture_"];

/// Reads a glTF 2.0 file, `.glb` or `.gltf`, with the files next to it that it names.
///
/// Joints of skins, animated nodes and nodes with meshes become joints of the skeleton; static nodes above
/// them become the map above its roots. Each primitive becomes a mesh. What is not supported is named in the
/// notes, a line each.
///
/// # Errors
/// If the file cannot be read, is not valid, or requires an extension that is not supported. A clip that is
/// not valid is left out with a note.
pub fn read_gltf(path: &Path) -> Result<LoadedCharacter, FileError> {
    let bytes = read_file(path)?;
    parse_gltf(path, &bytes)
}

/// Reads the bytes of a glTF file; `path` names it in errors, and files that it names are looked for next to
/// it.
///
/// # Errors
/// Those of [`read_gltf`].
pub fn parse_gltf(path: &Path, bytes: &[u8]) -> Result<LoadedCharacter, FileError> {
    let (document, binary) = parse_document(path, bytes)?;
    let mut notes = Vec::new();
    let built = check_header(&document, &mut notes).and_then(|()| {
        let data = container::read_buffers(&document, path, binary);
        let character = build(&Buffers { document: &document, data }, path, &mut notes)?;
        Ok(LoadedCharacter { character, notes: unique(notes) })
    });
    built.map_err(|e| FileError::new(path, e))
}

/// The document of a file, and its binary part.
fn parse_document<'a>(path: &Path, bytes: &'a [u8]) -> Result<(Document, Option<&'a [u8]>), FileError> {
    let (json, binary) = container::split(bytes).map_err(|e| FileError::new(path, e))?;
    let document: Document = serde_json::from_slice(json).map_err(|e| {
        let problem = format!("not a glTF document: {e}");
        if binary.is_some() {
            FileError::new(path, problem)
        } else {
            FileError::at_line(path, e.line().max(1), problem)
        }
    })?;
    container::register_images(&document, path);
    Ok((document, binary))
}

/// Whether a file that uses this extension is read all the same.
fn is_harmless(extension: &&String) -> bool {
    let is_named = HARMLESS.contains(&extension.as_str());
    is_named || HARMLESS_PREFIXES.iter().any(|prefix| extension.starts_with(prefix))
}

fn check_header(document: &Document, notes: &mut Vec<String>) -> Result<(), String> {
    let asset = &document.asset;
    let version = asset.min_version.as_ref().unwrap_or(&asset.version);
    if !(version == "2.0" || asset.min_version.is_none() && version.starts_with("2.")) {
        return Err(format!("its glTF version is {}; only 2.0 is read: export as glTF 2.0", quoted(version)));
    }
    if let Some(extension) = document.extensions_required.iter().find(|e| !is_harmless(e)) {
        return Err(format!("it requires {}, which is not supported: export without it", quoted(extension)));
    }
    for extension in document.extensions_used.iter().filter(|e| !is_harmless(e)) {
        notes.push(format!("the extension {} is not supported and left out", quoted(extension)));
    }
    Ok(())
}

fn build(buffers: &Buffers<'_>, path: &Path, notes: &mut Vec<String>) -> Result<Character, String> {
    let document = buffers.document;
    let hierarchy = Hierarchy::new(document)?;
    let in_scene = hierarchy.in_scene(document)?;
    let joints = nodes::build(document, &hierarchy, needed_nodes(document, &in_scene), notes)?;
    let meshes = read_meshes(buffers, &joints, &in_scene, path, notes)?;
    let mut clips = Vec::new();
    for (index, animation) in document.animations.iter().enumerate() {
        let name = if animation.name.is_empty() { format!("clip {index}") } else { animation.name.clone() };
        match animations::read(buffers, &joints, animation, &name, notes) {
            Ok(clip) => clips.push(clip),
            Err(problem) => notes.push(format!("clip {name:?} is left out: {problem}")),
        }
    }
    if meshes.is_empty() && joints.skeleton.is_empty() {
        return Err("it has neither a mesh nor a joint in its scene: choose a file with a character".into());
    }
    Ok(Character { skeleton: joints.skeleton, meshes, clips })
}

/// Joints of skins, animated nodes, and nodes of the scene with a mesh and no skin.
fn needed_nodes(document: &Document, in_scene: &[bool]) -> Vec<bool> {
    let mut needed = vec![false; document.nodes.len()];
    let channels = document.animations.iter().flat_map(|a| &a.channels);
    let animated = channels.filter_map(|channel| channel.target.node);
    for node in document.skins.iter().flat_map(|skin| skin.joints.iter().copied()).chain(animated) {
        // One that does not exist is reported where it is used.
        if let Some(slot) = needed.get_mut(node) {
            *slot = true;
        }
    }
    for (node, data) in document.nodes.iter().enumerate() {
        needed[node] |= in_scene[node] && data.mesh.is_some() && data.skin.is_none();
    }
    needed
}

/// A mesh of a node, with the name of either.
fn mesh_of(document: &Document, node: usize, index: usize) -> Result<(&Mesh, String), String> {
    let count = document.meshes.len();
    let mesh = document.meshes.get(index);
    let mesh = mesh.ok_or_else(|| format!("node {node} has the mesh {index}, but there are {count}"))?;
    let name = [&document.nodes[node].name, &mesh.name].into_iter().find(|name| !name.is_empty());
    Ok((mesh, name.cloned().unwrap_or_else(|| format!("mesh {index}"))))
}

fn read_meshes(
    buffers: &Buffers<'_>,
    joints: &Joints,
    in_scene: &[bool],
    path: &Path,
    notes: &mut Vec<String>,
) -> Result<Vec<cloth_character::CharacterMesh>, String> {
    let document = buffers.document;
    let (mut meshes, mut vertices) = (Vec::new(), 0);
    let mut palette = colors::Palette::default();
    for (node, data) in document.nodes.iter().enumerate().filter(|&(node, _)| in_scene[node]) {
        let Some(index) = data.mesh else { continue };
        let (mesh, name) = mesh_of(document, node, index)?;
        let skin = data.skin.map(|skin| {
            let text = || format!("node {node} has the skin {skin}, but there are {}", document.skins.len());
            document.skins.get(skin).map(|found| (skin, found)).ok_or_else(text)
        });
        let skin = skin.transpose()?;
        for (k, primitive) in mesh.primitives.iter().enumerate() {
            let name = if mesh.primitives.len() > 1 { format!("{name} #{k}") } else { name.clone() };
            let place = meshes::Place { name, joint: joints.by_node[node], skin };
            if let Some(mut mesh) = meshes::read(buffers, joints, &place, primitive, vertices, notes)? {
                mesh.color = palette.color(buffers, path, primitive.material, notes);
                vertices += mesh.skin.len();
                meshes.push(mesh);
            }
        }
    }
    Ok(meshes)
}

/// The notes in their order, each once.
fn unique(notes: Vec<String>) -> Vec<String> {
    let mut seen = BTreeSet::new();
    notes.into_iter().filter(|note| seen.insert(note.clone())).collect()
}
