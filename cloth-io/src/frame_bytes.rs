//! The frames of a cache as bytes: on their way to a file, and in one.

use std::{
    io::{Read, Seek, SeekFrom, Write},
    path::{Path, PathBuf},
};

use nalgebra::Point3;

use crate::{
    AtomicFile, FileError,
    input::{self, Source},
    pc2::check_finite,
};

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

/// The frames in an open file, one behind another.
#[derive(Debug)]
pub(crate) struct StoredFrames {
    path: PathBuf,
    file: Source,
    /// Where the first one is in the file.
    start: u64,
    pub(crate) count: usize,
    pub(crate) points: usize,
    /// Bytes of a number.
    pub(crate) size: usize,
    buffer: Vec<u8>,
}

impl StoredFrames {
    /// That the file has so many frames of so many points has been checked.
    pub(crate) fn new(path: &Path, file: Source, start: u64, counts: [usize; 2], size: usize) -> Self {
        let [count, points] = counts;
        Self { path: path.to_path_buf(), file, start, count, points, size, buffer: Vec::new() }
    }

    /// Reads a frame, counted from 0, into `positions`; `number` is that of so many bytes.
    pub(crate) fn read(
        &mut self,
        frame: usize,
        positions: &mut Vec<Point3<f32>>,
        number: impl Fn(&[u8]) -> f32,
    ) -> Result<(), FileError> {
        if frame >= self.count {
            let text = format!("has no frame {frame}, only {}, counted from 0", self.count);
            return Err(FileError::new(&self.path, text));
        }
        let size = self.points as u64 * 3 * self.size as u64;
        input::check_size(&self.path, size)?;
        self.buffer.resize(size as usize, 0);
        self.file
            .seek(SeekFrom::Start(self.start + frame as u64 * size))
            .and_then(|_| self.file.read_exact(&mut self.buffer))
            .map_err(|e| FileError::io(&self.path, &format!("read frame {frame}"), &e))?;
        positions.clear();
        positions.extend(self.buffer.chunks_exact(3 * self.size).map(|point| {
            let [x, y, z] = [0, 1, 2].map(|k| number(&point[k * self.size..(k + 1) * self.size]));
            Point3::new(x, y, z)
        }));
        check_finite(&self.path, frame, positions)
    }
}
