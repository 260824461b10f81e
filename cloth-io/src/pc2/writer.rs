//! Writes a PC2 cache frame by frame; it takes its name only once it is whole.
//!
//! The header counts a frame as soon as the frame is there, so that the temporary file of a killed process is
//! a cache of all frames that were pushed. Bytes behind the last counted frame are the start of another.

use std::{io::Write, path::Path};

use nalgebra::Point3;

use super::{SAMPLES_AT, SIGNATURE, VERSION};
use crate::{AtomicFile, FileError, frame_bytes::FrameBytes};

/// A cache under construction; dropped before [`Pc2Writer::finish`] it leaves no file.
#[derive(Debug)]
pub struct Pc2Writer {
    file: AtomicFile,
    frames: FrameBytes,
}

impl Pc2Writer {
    /// Starts a cache of `points` points a frame; the first frame is number `start`, the next `start + rate`.
    ///
    /// # Errors
    /// If there are no points or more than 2^31 - 1, if `start` is not finite or `rate` not positive, or if
    /// the file cannot be written.
    pub fn create(path: &Path, points: usize, start: f32, rate: f32) -> Result<Self, FileError> {
        let count = i32::try_from(points).ok().filter(|&n| n > 0);
        let count =
            count.ok_or_else(|| FileError::new(path, format!("a PC2 cache cannot hold {points} points")))?;
        if !start.is_finite() || !rate.is_finite() || rate <= 0.0 {
            let text = format!("start {start} must be finite and rate {rate} finite and positive (frames)");
            return Err(FileError::new(path, text));
        }
        let mut file = AtomicFile::create(path)?;
        file.check_seekable()?;
        let mut header = SIGNATURE.to_vec();
        header.extend(VERSION.to_le_bytes());
        header.extend(count.to_le_bytes());
        header.extend(start.to_le_bytes());
        header.extend(rate.to_le_bytes());
        header.extend(0i32.to_le_bytes());
        file.write_all(&header).map_err(|e| FileError::io(path, "write", &e))?;
        Ok(Self { file, frames: FrameBytes::new(points) })
    }

    /// Appends a frame (m) and counts it in the header.
    ///
    /// # Errors
    /// If the frame has another number of points or one that is not finite, or the file cannot be written.
    pub fn push(&mut self, frame: &[Point3<f32>]) -> Result<(), FileError> {
        let too_many = |_| FileError::new(self.file.path(), "has too many frames");
        let samples = i32::try_from(self.frames.count + 1).map_err(too_many)?;
        self.frames.take(self.file.path(), frame)?;
        self.frames.append_to(&mut self.file, SAMPLES_AT, &samples.to_le_bytes())
    }

    /// Gives the file its name.
    ///
    /// # Errors
    /// If the file cannot be written or renamed.
    pub fn finish(self) -> Result<(), FileError> {
        self.file.finish()
    }
}
