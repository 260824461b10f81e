//! Writes point caches as NumPy reads them, frame by frame; a file takes its name only once it is whole.
//!
//! The header counts a frame as soon as the frame is there, as that of a PC2 cache does: memory is that of
//! one frame, and the temporary file of a killed process has all frames that were pushed.

use std::{
    io::{self, Write},
    path::Path,
};

use cloth_geom::TriMesh;
use nalgebra::Point3;

use super::{
    header::{Header, WRITTEN},
    stored_zip::StoredZip,
};
use crate::{AtomicFile, FileError, frame_bytes::FrameBytes, mesh::check_mesh};

/// Writes frames as one array (`.npy`), float32, f x v x 3; dropped before [`NpyWriter::finish`] it leaves no
/// file.
#[derive(Debug)]
pub struct NpyWriter {
    file: AtomicFile,
    frames: FrameBytes,
}

impl NpyWriter {
    /// Starts a cache of `points` points a frame.
    ///
    /// # Errors
    /// If the file cannot be written, or is a stream.
    pub fn create(path: &Path, points: usize) -> Result<Self, FileError> {
        let mut file = AtomicFile::create(path)?;
        file.check_seekable()?;
        let frames = FrameBytes::new(points);
        file.write_all(&header(&frames)).map_err(|e| FileError::io(path, "write", &e))?;
        Ok(Self { file, frames })
    }

    /// Appends a frame (m) and counts it in the header.
    ///
    /// # Errors
    /// If the frame has another number of points or one that is not finite, or the file cannot be written.
    pub fn push(&mut self, frame: &[Point3<f32>]) -> Result<(), FileError> {
        self.frames.take(self.file.path(), frame)?;
        self.frames.append_to(&mut self.file, 0, &header(&self.frames))
    }

    /// Gives the file its name.
    ///
    /// # Errors
    /// If the file cannot be written or renamed.
    pub fn finish(self) -> Result<(), FileError> {
        self.file.finish()
    }
}

/// Writes frames with their faces as an archive (`.npz`) of the arrays `faces`, int32, n x 3, and `frames`,
/// float32, f x v x 3; dropped before [`NpzWriter::finish`] it leaves no file.
#[derive(Debug)]
pub struct NpzWriter {
    path: std::path::PathBuf,
    zip: StoredZip,
    frames: FrameBytes,
}

impl NpzWriter {
    /// Starts a cache of `points` points a frame.
    ///
    /// # Errors
    /// If a face names a point that there is not, there are more than 2^31 - 1 points, or the file cannot be
    /// written or is a stream.
    pub fn create(path: &Path, points: usize, faces: &[[u32; 3]]) -> Result<Self, FileError> {
        let frames = FrameBytes::new(points);
        let mut zip = start_archive(path, points, faces)?;
        zip.begin("frames.npy", &header(&frames)).map_err(|e| FileError::io(path, "write", &e))?;
        Ok(Self { path: path.to_path_buf(), zip, frames })
    }

    /// Appends a frame (m).
    ///
    /// # Errors
    /// If the frame has another number of points or one that is not finite, or the file cannot be written.
    pub fn push(&mut self, frame: &[Point3<f32>]) -> Result<(), FileError> {
        self.frames.take(&self.path, frame)?;
        let written = self.zip.append(&header(&self.frames), &self.frames.buffer);
        written.map_err(|e| FileError::io(&self.path, "write", &e))
    }

    /// Gives the file its name.
    ///
    /// # Errors
    /// If the file cannot be written or renamed.
    pub fn finish(self) -> Result<(), FileError> {
        self.zip.into_file().finish()
    }
}

/// Writes a mesh as an archive of the arrays `faces`, int32, n x 3, and `vertices`, float64, v x 3.
pub(crate) fn write_npz(path: &Path, mesh: &TriMesh) -> Result<(), FileError> {
    check_mesh(path, &mesh.positions, &mesh.faces)?;
    let mut zip = start_archive(path, mesh.positions.len(), &mesh.faces)?;
    let numbers: Vec<u8> =
        mesh.positions.iter().flat_map(|p| p.iter()).flat_map(|c| c.to_le_bytes()).collect();
    let header = Header::bytes("<f8", &[mesh.positions.len(), 3]);
    let written = zip.begin("vertices.npy", &header).and_then(|()| zip.append(&header, &numbers));
    written.map_err(|e| FileError::io(path, "write", &e))?;
    zip.into_file().finish()
}

/// An archive with its array of faces.
fn start_archive(path: &Path, points: usize, faces: &[[u32; 3]]) -> Result<StoredZip, FileError> {
    let limit = points.min(i32::MAX as usize);
    if let Some(face) = faces.iter().position(|face| face.iter().any(|&v| v as usize >= limit)) {
        return Err(FileError::new(path, format!("face {face} names a vertex beyond {limit}")));
    }
    let mut file = AtomicFile::create(path)?;
    file.check_seekable()?;
    let start = || -> io::Result<StoredZip> {
        let mut zip = StoredZip::new(file)?;
        let header = Header::bytes("<i4", &[faces.len(), 3]);
        zip.begin("faces.npy", &header)?;
        let numbers: Vec<u8> = faces.iter().flatten().flat_map(|v| v.to_le_bytes()).collect();
        zip.append(&header, &numbers)?;
        Ok(zip)
    };
    start().map_err(|e| FileError::io(path, "write", &e))
}

fn header(frames: &FrameBytes) -> [u8; WRITTEN] {
    Header::bytes("<f4", &[frames.count, frames.points, 3])
}
