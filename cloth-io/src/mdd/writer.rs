//! Writes an MDD cache frame by frame.
//!
//! How many frames there are stands before them, with a time of each, and is known at the end alone. Until
//! then the frames are gathered in a file without a name, so that memory is that of one frame: a process that
//! is killed leaves nothing, not even a cache of the frames that it had, as one of PC2 is.

use std::{io::Write, path::Path};

use nalgebra::Point3;

use crate::{FileError, frame_bytes::FrameBytes, output::Spool, write_atomically};

/// A cache under construction; dropped before [`MddWriter::finish`] it leaves no file.
#[derive(Debug)]
pub struct MddWriter {
    spool: Spool,
    frames: FrameBytes,
    points: i32,
    rate: f64,
}

impl MddWriter {
    /// Starts a cache of `points` points a frame and `rate` frames a second (Hz), the first at time 0.
    ///
    /// # Errors
    /// If there are no points or more than 2^31 - 1, if `rate` is not finite or not positive, or if nothing
    /// can be written in the folder of the file.
    pub fn create(path: &Path, points: usize, rate: f64) -> Result<Self, FileError> {
        let count = i32::try_from(points).ok().filter(|&n| n > 0);
        let count =
            count.ok_or_else(|| FileError::new(path, format!("an MDD cache cannot hold {points} points")))?;
        if !(rate.is_finite() && rate > 0.0) {
            let text = format!("{rate} frames a second must be finite and positive");
            return Err(FileError::new(path, text));
        }
        Ok(Self { spool: Spool::create(path)?, frames: FrameBytes::new(points), points: count, rate })
    }

    /// Appends a frame (m).
    ///
    /// # Errors
    /// If the frame has another number of points or one that is not finite, there are 2^31 - 1 frames, or the
    /// disk is full.
    pub fn push(&mut self, frame: &[Point3<f32>]) -> Result<(), FileError> {
        if self.frames.count >= i32::MAX as usize {
            return Err(FileError::new(self.spool.path(), "has too many frames"));
        }
        self.frames.take(self.spool.path(), frame)?;
        self.frames.buffer.chunks_exact_mut(4).for_each(<[u8]>::reverse);
        self.spool.push(&self.frames.buffer)
    }

    /// Writes the file, whole or not at all.
    ///
    /// # Errors
    /// If the file cannot be written or renamed.
    pub fn finish(mut self) -> Result<(), FileError> {
        let path = self.spool.path().to_path_buf();
        write_atomically(&path, |file| {
            file.write_all(&(self.frames.count as i32).to_be_bytes())?;
            file.write_all(&self.points.to_be_bytes())?;
            for frame in 0..self.frames.count {
                file.write_all(&((frame as f64 / self.rate) as f32).to_be_bytes())?;
            }
            self.spool.copy_to(file)
        })
    }
}
