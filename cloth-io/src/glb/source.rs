//! The document of the character's file, made one GLB: side files embedded, clips left out.

use std::{io::Cursor, path::Path};

use cloth_character::Character;
use serde_json::{Value, json};

use super::{
    asset::{Asset, Use},
    compact,
};
use crate::{
    character::{GltfSource, read_source, read_uri},
    error::quoted,
};

/// Makes a document of the file; returns it, the node of each joint, and the roots of its scene. An error
/// says why it cannot be extended.
pub(super) fn extend(
    path: &Path,
    character: &Character,
    notes: &mut Vec<String>,
) -> Result<(Asset, Vec<usize>, Vec<usize>), String> {
    let source = read_source(path)?;
    let joints = character.skeleton.joints();
    let is_same = joints.len() == source.joints.len()
        && joints.iter().zip(&source.joints).all(|(joint, (_, name))| joint.name == *name);
    if !is_same {
        return Err("its joints are not those of the character".into());
    }
    let GltfSource { mut json, buffers, joints, roots, is_plain } = source;
    let object = json.as_object_mut().ok_or("its JSON is not an object")?;
    // Their keys take most of many files.
    object.remove("animations");
    if is_plain {
        compact::drop_unused(object)?;
    }
    let mut asset = Asset { json: std::mem::take(object), binary: Vec::new() };
    compact::copy_views(&mut asset, &buffers)?;
    embed_images(&mut asset, path, notes);
    Ok((asset, joints.into_iter().map(|(node, _)| node).collect(), roots))
}

/// Moves images with a uri into buffer views; one that cannot be read becomes white, with a note.
fn embed_images(asset: &mut Asset, path: &Path, notes: &mut Vec<String>) {
    let uris: Vec<Option<String>> = match asset.json.get("images").and_then(Value::as_array) {
        Some(images) => {
            images.iter().map(|i| i.get("uri").and_then(Value::as_str).map(str::to_owned)).collect()
        }
        None => return,
    };
    for (index, uri) in uris.into_iter().enumerate() {
        let Some(uri) = uri else { continue };
        let bytes = read_uri(&uri, path).unwrap_or_else(|problem| {
            notes.push(format!("image {index} of the character is white: {problem}"));
            white_png()
        });
        let view = asset.push_view(&bytes, Use::Other, None);
        if let Some(image) = asset.entry_mut("images", index) {
            image.remove("uri");
            image.insert("bufferView".into(), json!(view));
            if let Some(kind) = media_type(&bytes) {
                image.insert("mimeType".into(), json!(kind));
            } else if !image.contains_key("mimeType") {
                notes.push(format!(
                    "image {index} of the character, {}, is of an unknown format",
                    quoted(&uri)
                ));
                image.insert("mimeType".into(), json!("image/png"));
            }
        }
    }
}

/// The format of an image by its first bytes.
fn media_type(bytes: &[u8]) -> Option<&'static str> {
    match bytes {
        [0x89, b'P', b'N', b'G', ..] => Some("image/png"),
        [0xFF, 0xD8, 0xFF, ..] => Some("image/jpeg"),
        [b'R', b'I', b'F', b'F', _, _, _, _, b'W', b'E', b'B', b'P', ..] => Some("image/webp"),
        [0xAB, b'K', b'T', b'X', b' ', b'2', b'0', ..] => Some("image/ktx2"),
        _ => None,
    }
}

/// A PNG of one white pixel.
fn white_png() -> Vec<u8> {
    let mut bytes = Vec::new();
    let mut encoder = png::Encoder::new(Cursor::new(&mut bytes), 1, 1);
    encoder.set_color(png::ColorType::Rgb);
    encoder.set_depth(png::BitDepth::Eight);
    // Writing to memory does not fail.
    let written = encoder.write_header().and_then(|mut writer| writer.write_image_data(&[255; 3]));
    debug_assert!(written.is_ok(), "{written:?}");
    bytes
}
