//! Reads a PC2 cache: the header at once and checked against the length of the file, frames on demand.

use std::{
    io::{Read, Seek, SeekFrom},
    path::{Path, PathBuf},
};

use nalgebra::Point3;

use super::{HEADER_BYTES, POINT_BYTES, Pc2Header, SIGNATURE, VERSION, check_finite};
use crate::{
    FileError,
    input::{self, Source},
};

/// An open cache.
#[derive(Debug)]
pub struct Pc2Reader {
    path: PathBuf,
    file: Source,
    header: Pc2Header,
    buffer: Vec<u8>,
}

impl Pc2Reader {
    /// Opens a cache and checks that it holds as many frames as it says.
    ///
    /// # Errors
    /// If the file cannot be read, is not a PC2 cache of version 1, or has not the length that its header
    /// implies.
    pub fn open(path: &Path) -> Result<Self, FileError> {
        let mut file = input::open(path)?;
        let length = file.length().map_err(|e| FileError::io(path, "open", &e))?;
        let mut bytes = [0; HEADER_BYTES as usize];
        file.read_exact(&mut bytes)
            .map_err(|_| FileError::new(path, "is too short for a PC2 cache; write it again"))?;
        let header = parse_header(&bytes).map_err(|text| FileError::new(path, text))?;
        check_length(&header, length).map_err(|text| FileError::new(path, text))?;
        Ok(Self { path: path.to_path_buf(), file, header, buffer: Vec::new() })
    }

    /// What the cache says of itself.
    #[must_use]
    pub fn header(&self) -> Pc2Header {
        self.header
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
        let size = self.header.points as u64 * POINT_BYTES;
        input::check_size(&self.path, size)?;
        self.buffer.resize(size as usize, 0);
        self.file
            .seek(SeekFrom::Start(HEADER_BYTES + sample as u64 * size))
            .and_then(|_| self.file.read_exact(&mut self.buffer))
            .map_err(|e| FileError::io(&self.path, &format!("read frame {sample}"), &e))?;
        frame.clear();
        frame.extend(self.buffer.chunks_exact(POINT_BYTES as usize).map(|p| {
            let c = |k: usize| f32::from_le_bytes([p[4 * k], p[4 * k + 1], p[4 * k + 2], p[4 * k + 3]]);
            Point3::new(c(0), c(1), c(2))
        }));
        check_finite(&self.path, sample, frame)
    }
}

fn parse_header(bytes: &[u8; HEADER_BYTES as usize]) -> Result<Pc2Header, String> {
    if &bytes[..12] != SIGNATURE {
        return Err("is not a PC2 cache: it does not start with POINTCACHE2".to_owned());
    }
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

fn check_length(header: &Pc2Header, length: u64) -> Result<(), String> {
    // Both factors are below 2^31, so this stays below 2^66: wider than u64.
    let promised =
        u128::from(HEADER_BYTES) + u128::from(POINT_BYTES) * header.points as u128 * header.samples as u128;
    if promised == u128::from(length) {
        return Ok(());
    }
    Err(format!(
        "holds {length} bytes, but {} frames of {} points take {promised}; write it again",
        header.samples, header.points
    ))
}
