//! Reads a PC2 cache: the header at once and checked against the length of the file, frames on demand.

use std::{
    io::{Read, Seek, SeekFrom},
    path::{Path, PathBuf},
};

use nalgebra::Point3;

use super::{HEADER_BYTES, Pc2Header, SIGNATURE, VERSION, check_finite};
use crate::{
    FileError,
    format::known_caches,
    half::widen_half,
    input::{self, Source},
};

/// An open cache.
#[derive(Debug)]
pub struct Pc2Reader {
    path: PathBuf,
    file: Source,
    header: Pc2Header,
    /// Bytes of a number: 4, or 2 of half-precision.
    size: usize,
    buffer: Vec<u8>,
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
        Ok(Self { path: path.to_path_buf(), file, header, size, buffer: Vec::new() })
    }

    /// What the cache says of itself.
    #[must_use]
    pub fn header(&self) -> Pc2Header {
        self.header
    }

    /// Whether its numbers are half-precision.
    #[must_use]
    pub fn is_half(&self) -> bool {
        self.size == 2
    }

    /// Reads sample `sample`, counted from 0, into `frame` (m), whose memory is reused.
    ///
    /// # Errors
    /// If there is no such sample, the file cannot be read, or a coordinate is not finite.
    pub fn read_frame(&mut self, sample: usize, frame: &mut Vec<Point3<f32>>) -> Result<(), FileError> {
        if sample >= self.header.samples {
            let text = format!("has no frame {sample}, only {}, counted from 0", self.header.samples);
            return Err(FileError::new(&self.path, text));
        }
        let size = self.header.points as u64 * 3 * self.size as u64;
        input::check_size(&self.path, size)?;
        self.buffer.resize(size as usize, 0);
        self.file
            .seek(SeekFrom::Start(HEADER_BYTES + sample as u64 * size))
            .and_then(|_| self.file.read_exact(&mut self.buffer))
            .map_err(|e| FileError::io(&self.path, &format!("read frame {sample}"), &e))?;
        frame.clear();
        let size = self.size;
        frame.extend(self.buffer.chunks_exact(3 * size).map(|point| {
            let number = |k: usize| match point[k * size..(k + 1) * size] {
                [a, b] => widen_half(u16::from_le_bytes([a, b])),
                [a, b, c, d] => f32::from_le_bytes([a, b, c, d]),
                _ => f32::NAN,
            };
            Point3::new(number(0), number(1), number(2))
        }));
        check_finite(&self.path, sample, frame)
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
