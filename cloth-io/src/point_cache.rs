//! Point caches of every format, read and written frame by frame: the positions of a mesh over time.

use std::path::{Path, PathBuf};

use nalgebra::Point3;

use crate::{
    ArrayNames, FileError, NpyWriter, NpzWriter, Pc2Reader, Pc2Writer, format::extension, half::HALF_NOTE,
    numpy::ArrayFrames,
};

/// An open point cache, with one frame or more: PC2 (`.pc2`, `.pc16`), or an array of NumPy (`.npy`, `.npz`).
///
/// Memory is that of a frame, but for arrays that are compressed or in the order of Fortran, which are held
/// whole.
#[derive(Debug)]
pub struct PointCache {
    path: PathBuf,
    frames: Frames,
    notes: Vec<String>,
}

#[derive(Debug)]
enum Frames {
    /// With the memory for a frame.
    Pc2(Pc2Reader, Vec<Point3<f32>>),
    Array(ArrayFrames),
}

impl PointCache {
    /// Opens a cache of a mesh of so many vertices, which chooses among the arrays of an archive that have no
    /// name of `names`. What is not known by its extension is read as PC2.
    ///
    /// # Errors
    /// If the file cannot be read, is no cache, has no frames, or has another number of vertices.
    pub fn open(path: &Path, names: &ArrayNames, vertices: usize) -> Result<Self, FileError> {
        let (frames, notes) = match extension(path).as_str() {
            "npy" | "npz" => {
                let mut array = ArrayFrames::open(path, names, vertices)?;
                let notes = std::mem::take(&mut array.notes);
                (Frames::Array(array), notes)
            }
            _ => {
                let reader = Pc2Reader::open(path)?;
                let half = reader.is_half().then(|| HALF_NOTE.to_owned());
                (Frames::Pc2(reader, Vec::new()), half.into_iter().collect())
            }
        };
        let opened = Self { path: path.to_path_buf(), frames, notes };
        if opened.frame_count() == 0 {
            return Err(FileError::new(path, "has no frames; write it again"));
        }
        Ok(opened)
    }

    /// The file.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Which array was chosen by its shape, and whether numbers are half-precision, a sentence each.
    #[must_use]
    pub fn notes(&self) -> &[String] {
        &self.notes
    }

    /// How many frames there are, at least 1.
    #[must_use]
    pub fn frame_count(&self) -> usize {
        match &self.frames {
            Frames::Pc2(reader, _) => reader.header().samples,
            Frames::Array(array) => array.frame_count(),
        }
    }

    /// Points of a frame.
    #[must_use]
    pub fn point_count(&self) -> usize {
        match &self.frames {
            Frames::Pc2(reader, _) => reader.header().points,
            Frames::Array(array) => array.point_count(),
        }
    }

    /// The frame number of the first frame, and how many frame numbers there are from one frame to the next:
    /// what a PC2 cache says, else 0 and 1.
    #[must_use]
    pub fn numbering(&self) -> [f64; 2] {
        match &self.frames {
            Frames::Pc2(reader, _) => [reader.header().start, reader.header().rate].map(f64::from),
            Frames::Array(_) => [0.0, 1.0],
        }
    }

    /// The positions of a frame, counted from 0, exactly those of the file.
    ///
    /// # Errors
    /// If there is no such frame, the file cannot be read, or a coordinate is not finite.
    pub fn read_frame(&mut self, frame: usize) -> Result<Vec<Point3<f64>>, FileError> {
        match &mut self.frames {
            Frames::Pc2(reader, positions) => {
                reader.read_frame(frame, positions)?;
                Ok(positions.iter().map(|p| p.map(f64::from)).collect())
            }
            Frames::Array(array) => array.read_frame(frame),
        }
    }
}

/// A point cache under construction, of the format that its extension says: an array of NumPy (`.npy`), an
/// archive with the faces (`.npz`), or else PC2.
///
/// Dropped before [`PointCacheWriter::finish`] it leaves no file.
#[derive(Debug)]
pub enum PointCacheWriter {
    /// PC2, its frames numbered from 0.
    Pc2(Pc2Writer),
    /// One array.
    Npy(NpyWriter),
    /// Frames and faces.
    Npz(NpzWriter),
}

impl PointCacheWriter {
    /// Starts a cache of a mesh of `points` vertices.
    ///
    /// # Errors
    /// Those of the writer of the format.
    pub fn create(path: &Path, points: usize, faces: &[[u32; 3]]) -> Result<Self, FileError> {
        match extension(path).as_str() {
            "npy" => NpyWriter::create(path, points).map(Self::Npy),
            "npz" => NpzWriter::create(path, points, faces).map(Self::Npz),
            _ => Pc2Writer::create(path, points, 0.0, 1.0).map(Self::Pc2),
        }
    }

    /// Appends a frame (m).
    ///
    /// # Errors
    /// If the frame has another number of points or one that is not finite, or the file cannot be written.
    pub fn push(&mut self, frame: &[Point3<f32>]) -> Result<(), FileError> {
        match self {
            Self::Pc2(writer) => writer.push(frame),
            Self::Npy(writer) => writer.push(frame),
            Self::Npz(writer) => writer.push(frame),
        }
    }

    /// Gives the file its name.
    ///
    /// # Errors
    /// If the file cannot be written or renamed.
    pub fn finish(self) -> Result<(), FileError> {
        match self {
            Self::Pc2(writer) => writer.finish(),
            Self::Npy(writer) => writer.finish(),
            Self::Npz(writer) => writer.finish(),
        }
    }
}
