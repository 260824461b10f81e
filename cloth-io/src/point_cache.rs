//! Point caches of every format, read and written frame by frame: the positions of a mesh over time.

use std::path::{Path, PathBuf};

use nalgebra::Point3;

use crate::{
    ArrayNames, FileError, MddReader, MddWriter, NpyWriter, NpzWriter, Pc2Reader, Pc2Writer, UsdMesh,
    format::extension, half::HALF_NOTE, numpy::ArrayFrames,
};

/// Said of an MDD cache whose times give no rate.
const UNEVEN_NOTE: &str = "its times are not evenly spaced, so that they give no frames a second";

/// An open point cache, with one frame or more: PC2 (`.pc2`, `.pc16`), MDD (`.mdd`), a layer of USD
/// (`.usda`), or an array of NumPy (`.npy`, `.npz`).
///
/// Memory is that of a frame, but for layers, and for arrays that are compressed or in the order of Fortran,
/// which are held whole.
#[derive(Debug)]
pub struct PointCache {
    path: PathBuf,
    frames: Frames,
    /// The memory for a frame, but of an array.
    positions: Vec<Point3<f32>>,
    notes: Vec<String>,
}

#[derive(Debug)]
enum Frames {
    Pc2(Pc2Reader),
    Mdd(MddReader),
    Usd(UsdMesh),
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
            "mdd" => {
                let reader = MddReader::open(path)?;
                let is_uneven = reader.times().len() > 1 && reader.frames_per_second().is_none();
                let note = is_uneven.then(|| UNEVEN_NOTE.to_owned());
                (Frames::Mdd(reader), note.into_iter().collect())
            }
            "usda" | "usd" => {
                let mut read = UsdMesh::read(path)?;
                let notes = std::mem::take(&mut read.loaded.notes);
                (Frames::Usd(read), notes)
            }
            _ => {
                let reader = Pc2Reader::open(path)?;
                let half = reader.is_half().then(|| HALF_NOTE.to_owned());
                (Frames::Pc2(reader), half.into_iter().collect())
            }
        };
        let opened = Self { path: path.to_path_buf(), frames, positions: Vec::new(), notes };
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

    /// Which array was chosen by its shape, whether numbers are half-precision, and whether times give no
    /// rate, a sentence each.
    #[must_use]
    pub fn notes(&self) -> &[String] {
        &self.notes
    }

    /// How many frames there are, at least 1.
    #[must_use]
    pub fn frame_count(&self) -> usize {
        match &self.frames {
            Frames::Pc2(reader) => reader.header().samples,
            Frames::Mdd(reader) => reader.times().len(),
            Frames::Usd(read) => read.state_count(),
            Frames::Array(array) => array.frame_count(),
        }
    }

    /// Points of a frame.
    #[must_use]
    pub fn point_count(&self) -> usize {
        match &self.frames {
            Frames::Pc2(reader) => reader.header().points,
            Frames::Mdd(reader) => reader.point_count(),
            Frames::Usd(read) => read.loaded.mesh.positions.len(),
            Frames::Array(array) => array.point_count(),
        }
    }

    /// The faces, which USD alone has.
    #[must_use]
    pub fn faces(&self) -> Option<&[[u32; 3]]> {
        if let Frames::Usd(read) = &self.frames { Some(&read.loaded.mesh.faces) } else { None }
    }

    /// The number of a frame as the file counts: PC2 from its start and by its rate, USD by time codes,
    /// any other cache from 0.
    #[must_use]
    pub fn number(&self, frame: usize) -> f64 {
        match &self.frames {
            Frames::Pc2(reader) => {
                let [start, rate] = [reader.header().start, reader.header().rate].map(f64::from);
                start + rate * frame as f64
            }
            Frames::Usd(read) => read.time_code(frame).unwrap_or_default(),
            Frames::Mdd(_) | Frames::Array(_) => frame as f64,
        }
    }

    /// How many frame numbers there are in a second (Hz). USD says it, and MDD of several frames, if their
    /// times are evenly spaced.
    #[must_use]
    pub fn frames_per_second(&self) -> Option<f64> {
        match &self.frames {
            Frames::Mdd(reader) => reader.frames_per_second(),
            Frames::Usd(read) => Some(read.rate()),
            Frames::Pc2(_) | Frames::Array(_) => None,
        }
    }

    /// The frames that a cut leads to, as the file says, ascending; of these formats USD alone says it.
    #[must_use]
    pub fn cuts(&self) -> &[usize] {
        if let Frames::Usd(read) = &self.frames { read.cuts() } else { &[] }
    }

    /// The positions of a frame, counted from 0, exactly those of the file.
    ///
    /// # Errors
    /// If there is no such frame, the file cannot be read, or a coordinate is not finite.
    pub fn read_frame(&mut self, frame: usize) -> Result<Vec<Point3<f64>>, FileError> {
        match &mut self.frames {
            Frames::Pc2(reader) => reader.read_frame(frame, &mut self.positions)?,
            Frames::Mdd(reader) => reader.read_frame(frame, &mut self.positions)?,
            Frames::Usd(read) => return read.read_frame(frame),
            Frames::Array(array) => return array.read_frame(frame),
        }
        Ok(self.positions.iter().map(|p| p.map(f64::from)).collect())
    }
}

/// A point cache under construction, of the format that its extension says: MDD (`.mdd`), an array of NumPy
/// (`.npy`), an archive with the faces (`.npz`), or else PC2.
///
/// Dropped before [`PointCacheWriter::finish`] it leaves no file.
#[derive(Debug)]
pub enum PointCacheWriter {
    /// PC2, its frames numbered from 0.
    Pc2(Pc2Writer),
    /// MDD, with the time of each frame.
    Mdd(MddWriter),
    /// One array.
    Npy(NpyWriter),
    /// Frames and faces.
    Npz(NpzWriter),
}

impl PointCacheWriter {
    /// Starts a cache of a mesh of `points` vertices, of `rate` frames a second (Hz), which only MDD holds.
    ///
    /// # Errors
    /// Those of the writer of the format.
    pub fn create(path: &Path, points: usize, faces: &[[u32; 3]], rate: f64) -> Result<Self, FileError> {
        match extension(path).as_str() {
            "mdd" => MddWriter::create(path, points, rate).map(Self::Mdd),
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
            Self::Mdd(writer) => writer.push(frame),
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
            Self::Mdd(writer) => writer.finish(),
            Self::Npy(writer) => writer.finish(),
            Self::Npz(writer) => writer.finish(),
        }
    }
}
