//! From bytes to a document and its buffers: the chunks of a `.glb`, data URIs, and files next to the
//! document.

use std::{
    borrow::Cow,
    path::{Path, PathBuf},
};

use base64::{Engine as _, engine::general_purpose::STANDARD};

use super::document::{Buffer, Document};
use crate::{error::quoted, input, read_file};

const MAGIC: &[u8; 4] = b"glTF";
const JSON: u32 = 0x4E4F_534A;
const BIN: u32 = 0x004E_4942;

/// Splits a file into its JSON text and its binary chunk; a file without the magic word is JSON.
pub(super) fn split(bytes: &[u8]) -> Result<(&[u8], Option<&[u8]>), String> {
    let Some(rest) = bytes.strip_prefix(MAGIC) else { return Ok((without_bom(bytes), None)) };
    let word = |at: usize| rest.get(at..at + 4).map(|b| u32::from_le_bytes([b[0], b[1], b[2], b[3]]));
    let (Some(version), Some(length)) = (word(0), word(4)) else {
        return Err("the header of the glb is cut short: export the file again".into());
    };
    if version != 2 {
        return Err(format!("the glb has version {version}; only version 2 is known: export as glTF 2.0"));
    }
    if length as usize > bytes.len() {
        let have = bytes.len();
        return Err(format!(
            "the glb states {length} bytes but has {have}: it is cut short, export it again"
        ));
    }
    let (mut json, mut binary, mut at) = (None, None, 8);
    let end = (length as usize).saturating_sub(MAGIC.len());
    while at < end {
        let (Some(size), Some(kind)) = (word(at), word(at + 4)) else {
            return Err(format!(
                "the chunk at byte {} of the glb is cut short: export the file again",
                at + 4
            ));
        };
        let data =
            (at + 8).checked_add(size as usize).and_then(|stop| rest.get(at + 8..stop)).ok_or_else(|| {
                format!("the chunk at byte {} of the glb states {size} bytes, more than the file has", at + 4)
            })?;
        match kind {
            JSON if json.is_none() && binary.is_none() => json = Some(data),
            BIN if binary.is_none() && json.is_some() => binary = Some(data),
            JSON | BIN => {
                return Err("the glb does not have one JSON chunk, then at most one BIN chunk".into());
            }
            _ => {}
        }
        at += 8 + (size as usize).next_multiple_of(4);
    }
    json.map(|json| (without_bom(json), binary)).ok_or_else(|| "the glb has no JSON chunk".into())
}

fn without_bom(bytes: &[u8]) -> &[u8] {
    bytes.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(bytes)
}

/// Reads all buffers. `Err` in an entry says why that buffer cannot be had; only what needs it fails.
pub(super) fn read_buffers<'a>(
    document: &Document,
    path: &Path,
    binary: Option<&'a [u8]>,
) -> Vec<Result<Cow<'a, [u8]>, String>> {
    let read = |(index, buffer): (usize, &Buffer)| {
        let data = match (&buffer.uri, binary) {
            (Some(uri), _) => Cow::Owned(read_uri(uri, path).map_err(|e| format!("buffer {index}: {e}"))?),
            (None, Some(binary)) if index == 0 => Cow::Borrowed(binary),
            _ => return Err(format!("buffer {index} has neither a uri nor the BIN chunk of a glb")),
        };
        if data.len() < buffer.byte_length {
            let (have, needed) = (data.len(), buffer.byte_length);
            return Err(format!(
                "buffer {index} has {have} bytes and states {needed}: export the file again"
            ));
        }
        Ok(data)
    };
    document.buffers.iter().enumerate().map(read).collect()
}

/// The bytes of a data URI, or of a file next to the document.
pub(crate) fn read_uri(uri: &str, document: &Path) -> Result<Vec<u8>, String> {
    if let Some(rest) = uri.strip_prefix("data:") {
        let Some((_, data)) = rest.split_once(";base64,") else {
            return Err("its data URI is not base64".into());
        };
        return STANDARD.decode(data).map_err(|e| format!("its data URI is not valid base64: {e}"));
    }
    let (name, file) = side_file(uri, document)?;
    read_file(&file).map_err(|e| format!("the file {} next to it: {}", quoted(&name), e.problem))
}

/// Counts the images that a document names in files of their own as read, whether or not their pixels are
/// needed.
pub(super) fn register_images(document: &Document, path: &Path) {
    let uris = document.images.iter().filter_map(|image| image.uri.as_deref());
    let files = uris.filter(|uri| !uri.starts_with("data:")).filter_map(|uri| side_file(uri, path).ok());
    files.for_each(|(_, file)| input::register(&file));
}

/// The name and the path of a file next to the document.
fn side_file<'a>(uri: &'a str, document: &Path) -> Result<(Cow<'a, str>, PathBuf), String> {
    let name = percent_encoding::percent_decode_str(uri).decode_utf8().map_err(|_| "its uri is not UTF-8")?;
    let has_scheme = name.split(['/', '\\']).next().is_some_and(|first| first.contains(':'));
    if has_scheme || Path::new(&*name).is_absolute() || name.contains('\0') {
        return Err(format!("its uri {} is not a path next to the file: only such are read", quoted(&name)));
    }
    let file = document.parent().unwrap_or(Path::new("")).join(&*name);
    Ok((name, file))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn glb(chunks: &[(u32, &[u8])]) -> Vec<u8> {
        let mut body = Vec::new();
        for (kind, data) in chunks {
            body.extend((data.len() as u32).to_le_bytes());
            body.extend(kind.to_le_bytes());
            body.extend(*data);
        }
        let length = body.len() as u32 + 12;
        [b"glTF".as_slice(), &2u32.to_le_bytes(), &length.to_le_bytes(), &body].concat()
    }

    #[test]
    fn splits_a_glb_and_leaves_json_alone() {
        let file = glb(&[(JSON, b"{}  "), (7, b"skip"), (BIN, b"1234")]);
        assert_eq!(split(&file).unwrap(), (b"{}  ".as_slice(), Some(b"1234".as_slice())));
        assert_eq!(split(b"\xEF\xBB\xBF{}").unwrap(), (b"{}".as_slice(), None));
    }

    #[test]
    fn rejects_every_truncation_and_chunks_in_the_wrong_order() {
        let file = glb(&[(JSON, b"{}  "), (BIN, b"1234")]);
        (4..file.len()).for_each(|n| assert!(split(&file[..n]).is_err(), "{n}"));
        assert!(split(&glb(&[(BIN, b"1234"), (JSON, b"{}  ")])).is_err());
        assert!(split(&glb(&[(JSON, b"{}  "), (JSON, b"{}  ")])).is_err());
        assert!(split(&glb(&[])).is_err());
    }

    #[test]
    fn reads_no_uri_that_leaves_the_file_system() {
        for uri in [
            "https://example.org/a.bin",
            "/etc/passwd",
            "file:a.bin",
            "data:text/plain,abc",
            "data:;base64,###",
        ] {
            assert!(read_uri(uri, Path::new("a.gltf")).is_err(), "{uri}");
        }
        assert_eq!(read_uri("data:application/octet-stream;base64,AQI=", Path::new("a")).unwrap(), [1, 2]);
    }
}
