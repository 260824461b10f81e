//! Frames on their way to a cache that counts them in its header.

use std::{
    io::{Seek, SeekFrom, Write},
    path::Path,
};

use nalgebra::Point3;

use crate::{AtomicFile, FileError, pc2::check_finite};

/// The frames of a cache, one at a time.
#[derive(Debug)]
pub(crate) struct FrameBytes {
    pub(crate) points: usize,
    pub(crate) count: usize,
    /// The frame that was taken last.
    pub(crate) buffer: Vec<u8>,
}

impl FrameBytes {
    pub(crate) fn new(points: usize) -> Self {
        Self { points, count: 0, buffer: Vec::new() }
    }

    /// Takes a frame and counts it.
    pub(crate) fn take(&mut self, path: &Path, frame: &[Point3<f32>]) -> Result<(), FileError> {
        if frame.len() != self.points {
            let text = format!("frame {} has {} points, not {}", self.count, frame.len(), self.points);
            return Err(FileError::new(path, text));
        }
        check_finite(path, self.count, frame)?;
        self.buffer.clear();
        self.buffer.extend(frame.iter().flat_map(|p| [p.x, p.y, p.z]).flat_map(f32::to_le_bytes));
        self.count += 1;
        Ok(())
    }

    /// Appends the frame that was taken, then writes `head`, which counts it, to its place in the file.
    pub(crate) fn append_to(&self, file: &mut AtomicFile, at: u64, head: &[u8]) -> Result<(), FileError> {
        // A seek writes what is buffered: the frame is in the file before the header counts it.
        file.write_all(&self.buffer)
            .and_then(|()| file.seek(SeekFrom::Start(at)))
            .and_then(|_| file.write_all(head))
            .and_then(|()| file.seek(SeekFrom::End(0)))
            .map(drop)
            .map_err(|e| FileError::io(file.path(), "write", &e))
    }
}
