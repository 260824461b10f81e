//! Reads a PC2 cache: the header at once and checked against the length of the file, frames on demand.

use std::{io::Read, path::Path};

use nalgebra::Point3;

use super::{HEADER_BYTES, Pc2Header, SIGNATURE, VERSION};
use crate::{FileError, format::known_caches, frame_bytes::StoredFrames, half::widen_half, input};

/// An open cache.
#[derive(Debug)]
pub struct Pc2Reader {
    header: Pc2Header,
    /// Of numbers of 4 bytes, or of 2 if they are half-precision.
    frames: StoredFrames,
}

impl Pc2Reader {
    /// Opens a cache and checks that it holds as many frames as it says, of single-precision numbers or of
    /// half-precision ones.
    ///
    /// # Errors
    /// If the file cannot be read, is not a PC2 cache of version 1, or has not the length that its header
    /// implies.
    pub fn open(path: &Path) -> Result<Self, FileError> {
        let mut file = input::open(path)?;
        let length = input::length(&mut file).map_err(|e| FileError::io(path, "open", &e))?;
        let mut bytes = [0; HEADER_BYTES as usize];
        file.read_exact(&mut bytes).map_err(|_| {
            FileError::new(path, format!("is too short for a PC2 cache; {}", known_caches(path)))
        })?;
        if !bytes.starts_with(SIGNATURE) {
            let text = "is not a PC2 cache: it does not start with POINTCACHE2";
            return Err(FileError::new(path, format!("{text}; {}", known_caches(path))));
        }
        let header = parse_header(&bytes).map_err(|text| FileError::new(path, text))?;
        let size = number_size(&header, length).map_err(|text| FileError::new(path, text))?;
        let counts = [header.samples, header.points];
        Ok(Self { header, frames: StoredFrames::new(path, file, HEADER_BYTES, counts, size) })
    }

    /// What the cache says of itself.
    #[must_use]
    pub fn header(&self) -> Pc2Header {
        self.header
    }

    /// Whether its numbers are half-precision.
    #[must_use]
    pub fn is_half(&self) -> bool {
        self.frames.size == 2
    }

    /// Reads sample `sample`, counted from 0, into `frame` (m), whose memory is reused.
    ///
    /// # Errors
    /// If there is no such sample, the file cannot be read, or a coordinate is not finite.
    pub fn read_frame(&mut self, sample: usize, frame: &mut Vec<Point3<f32>>) -> Result<(), FileError> {
        self.frames.read(sample, frame, |bytes| match *bytes {
            [a, b] => widen_half(u16::from_le_bytes([a, b])),
            [a, b, c, d] => f32::from_le_bytes([a, b, c, d]),
            _ => f32::NAN,
        })
    }
}

fn parse_header(bytes: &[u8; HEADER_BYTES as usize]) -> Result<Pc2Header, String> {
    let word = |at: usize| [bytes[at], bytes[at + 1], bytes[at + 2], bytes[at + 3]];
    let (version, points, samples) =
        (i32::from_le_bytes(word(12)), i32::from_le_bytes(word(16)), i32::from_le_bytes(word(28)));
    if version != VERSION {
        return Err(format!("is a PC2 cache of version {version}, only {VERSION} is known"));
    }
    match (usize::try_from(points), usize::try_from(samples)) {
        (Ok(points), Ok(samples)) if points > 0 => Ok(Pc2Header {
            points,
            start: f32::from_le_bytes(word(20)),
            rate: f32::from_le_bytes(word(24)),
            samples,
        }),
        _ => Err(format!("says it holds {samples} frames of {points} points; write it again")),
    }
}

/// Bytes of a number in a file of this length.
fn number_size(header: &Pc2Header, length: u64) -> Result<usize, String> {
    // Both factors are below 2^31, so this stays below 2^66: wider than u64.
    let promised =
        |size: u128| u128::from(HEADER_BYTES) + 3 * size * header.points as u128 * header.samples as u128;
    let size = [4, 2].into_iter().find(|&size| promised(size) == u128::from(length));
    size.map(|size| size as usize).ok_or_else(|| {
        format!(
            "holds {length} bytes, but {} frames of {} points take {}, or {} if they are half-precision; \
             write it again",
            header.samples,
            header.points,
            promised(4),
            promised(2)
        )
    })
}
