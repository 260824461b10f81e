//! Arrays of NumPy: meshes in archives (`.npz`), as `numpy.savez` writes them, and point caches in archives
//! or in files of one array (`.npy`).
//!
//! ```text
//! .npz --archive--> entries --choose--> positions, faces --array--> frames, as they are asked for
//! .npy --------------------------------------------------^
//! ```
//!
//! Archives are read by the crate `zip`. What an array promises is compared with the bytes that are there
//! before anything is made of it. Frames that are not compressed stay in the file until they are asked for.

mod archive;
mod array;
mod choose;
mod header;
mod stored_zip;
mod writer;

use std::path::{Path, PathBuf};

use cloth_geom::TriMesh;
use nalgebra::Point3;

use crate::{FileError, format::extension, half::HALF_NOTE, input};
use archive::{Archive, begins_with};
use array::{Array, ArrayPlace};

pub use choose::ArrayNames;
pub(crate) use writer::write_npz;
pub use writer::{NpyWriter, NpzWriter};

/// Whether the extension is that of a NumPy archive.
#[must_use]
pub fn is_npz(path: &Path) -> bool {
    extension(path) == "npz"
}

/// A mesh with one state or many.
#[derive(Debug)]
pub struct NpzMesh {
    /// The faces, and the positions of the first state, in the file's own unit and axes.
    pub mesh: TriMesh,
    /// Which arrays were chosen by their shapes, and whether they are half-precision, a sentence each.
    pub notes: Vec<String>,
    path: PathBuf,
    positions: Array,
}

impl NpzMesh {
    /// Reads the arrays that [`ArrayNames`] finds by itself.
    ///
    /// # Errors
    /// Those of [`Self::read_arrays`].
    pub fn read(path: &Path) -> Result<Self, FileError> {
        Self::read_arrays(path, &ArrayNames::default())
    }

    /// Reads an array of faces (integers, n x 3) and one of positions (float16, float32 or float64, v x 3 for
    /// one state, f x v x 3 for many).
    ///
    /// # Errors
    /// If the file cannot be read or is not such an archive, or if several arrays fit; the error lists the
    /// arrays that it has. Also if a face names a vertex that there is not, or a coordinate of the first
    /// state is not finite.
    pub fn read_arrays(path: &Path, names: &ArrayNames) -> Result<Self, FileError> {
        let refuse = |text: String| FileError::new(path, text);
        let (positions, faces, note) = choose::choose_mesh(&mut Archive::open(path)?, names)?;
        let half = positions.header.is_half().then(|| HALF_NOTE.to_owned());
        let mut read = Self {
            mesh: TriMesh::default(),
            notes: note.into_iter().chain(half).collect(),
            path: path.to_path_buf(),
            positions,
        };
        if read.state_count() == 0 {
            return Err(refuse("holds no frames; save it again".into()));
        }
        read.mesh.positions = read.read_frame(0)?;
        read.mesh.faces = read_faces(&faces, read.mesh.positions.len()).map_err(refuse)?;
        Ok(read)
    }

    /// How many states there are, at least 1.
    #[must_use]
    pub fn state_count(&self) -> usize {
        self.positions.state_count()
    }

    /// Whether the array has frames, be it one, rather than a state alone.
    #[must_use]
    pub fn has_frames(&self) -> bool {
        self.positions.has_frames()
    }

    /// The positions of a state, counted from 0.
    ///
    /// # Errors
    /// If there is no such state, it cannot be read, or a coordinate is not finite.
    pub fn read_frame(&mut self, state: usize) -> Result<Vec<Point3<f64>>, FileError> {
        self.positions.read_state(&self.path, state)
    }
}

fn read_faces(faces: &Array, vertices: usize) -> Result<Vec<[u32; 3]>, String> {
    let corner = |face: usize, vertex: i128| {
        let valid =
            usize::try_from(vertex).ok().filter(|&v| v < vertices).and_then(|v| u32::try_from(v).ok());
        valid.ok_or_else(|| {
            format!("face {face} names vertex {vertex}, but there are {vertices}, counted from 0")
        })
    };
    let rows = faces.faces().enumerate();
    rows.map(|(f, [a, b, c])| Ok([corner(f, a)?, corner(f, b)?, corner(f, c)?])).collect()
}

/// The frames of an array of positions, without faces.
#[derive(Debug)]
pub(crate) struct ArrayFrames {
    path: PathBuf,
    positions: Array,
    pub(crate) notes: Vec<String>,
}

impl ArrayFrames {
    /// Opens an archive or an array, for a mesh of so many vertices.
    pub(crate) fn open(path: &Path, names: &ArrayNames, vertices: usize) -> Result<Self, FileError> {
        let (positions, note) = match is_npz(path) {
            true => choose::choose_positions(&mut Archive::open(path)?, names, vertices)?,
            false => (open_array(path)?, None),
        };
        let half = positions.header.is_half().then(|| HALF_NOTE.to_owned());
        Ok(Self { path: path.to_path_buf(), positions, notes: note.into_iter().chain(half).collect() })
    }

    pub(crate) fn frame_count(&self) -> usize {
        self.positions.state_count()
    }

    pub(crate) fn point_count(&self) -> usize {
        self.positions.vertex_count()
    }

    pub(crate) fn read_frame(&mut self, frame: usize) -> Result<Vec<Point3<f64>>, FileError> {
        self.positions.read_state(&self.path, frame)
    }
}

/// The array of a file of one array.
fn open_array(path: &Path) -> Result<Array, FileError> {
    let place = ArrayPlace { path, name: None };
    let mut file = input::open(path)?;
    let length = input::length(&mut file).map_err(|e| FileError::io(path, "open", &e))?;
    if begins_with(path, b"PK") {
        return Err(place.refuse("is an archive, not one array; give it the extension .npz"));
    }
    let array = Array::open(place, file, [0, length])?;
    if !array.header.is_states() {
        let text = "a cache is of float16, float32 or float64, v x 3 or f x v x 3";
        return Err(place.refuse(format!("holds an array of {}; {text}", array.header.in_words())));
    }
    Ok(array)
}

#[cfg(test)]
mod tests {
    use std::{fs::File, io::Write};

    use super::*;
    use zip::{CompressionMethod, ZipWriter, write::SimpleFileOptions};

    /// An array of version 1.0 of the format.
    fn npy(descr: &str, fortran: &str, shape: &str, data: &[u8]) -> Vec<u8> {
        let header = format!("{{'descr': '{descr}', 'fortran_order': {fortran}, 'shape': ({shape}), }}\n");
        let length = (header.len() as u16).to_le_bytes();
        [b"\x93NUMPY\x01\x00", &length[..], header.as_bytes(), data].concat()
    }

    fn floats(numbers: &[f32]) -> Vec<u8> {
        numbers.iter().flat_map(|n| n.to_le_bytes()).collect()
    }

    fn read(arrays: &[(&str, Vec<u8>)]) -> Result<NpzMesh, String> {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("a.npz");
        let mut zip = ZipWriter::new(File::create(&path).unwrap());
        let methods = [CompressionMethod::Stored, CompressionMethod::Deflated];
        for ((name, bytes), method) in arrays.iter().zip(methods.into_iter().cycle()) {
            let options = SimpleFileOptions::default().compression_method(method);
            zip.start_file(format!("{name}.npy"), options).unwrap();
            zip.write_all(bytes).unwrap();
        }
        zip.finish().unwrap();
        NpzMesh::read(&path).map_err(|e| e.problem)
    }

    const TRIANGLE: [f32; 9] = [0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 1.0];

    fn faces() -> (&'static str, Vec<u8>) {
        ("faces", npy("<i8", "False", "1, 3", &[0i64, 2, 1].map(i64::to_le_bytes).concat()))
    }

    #[test]
    fn reads_one_state_or_frames_packed_or_not() {
        let one = read(&[faces(), ("vertices", npy("<f4", "False", "3, 3", &floats(&TRIANGLE)))]).unwrap();
        assert_eq!((one.state_count(), one.has_frames(), one.mesh.faces), (1, false, vec![[0, 2, 1]]));
        assert_eq!(one.mesh.positions[2], Point3::new(0.0, 0.0, 1.0));
        let big: Vec<u8> =
            TRIANGLE.iter().map(|&x| f64::from(x)).chain([7.0; 9]).flat_map(f64::to_be_bytes).collect();
        let triangles = ("triangles", npy("|u1", "False", "1, 3", &[0, 1, 2]));
        let mut two = read(&[triangles, ("frames", npy(">f8", "False", "2, 3, 3", &big))]).unwrap();
        assert_eq!((two.state_count(), two.has_frames()), (2, true));
        assert_eq!(two.read_frame(1).unwrap(), [Point3::new(7.0, 7.0, 7.0); 3]);
        assert!(two.read_frame(2).unwrap_err().problem.contains("has no frame 2, only 2"));
    }

    #[test]
    fn reads_arrays_in_the_order_of_fortran() {
        let columns = [0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0];
        let read = read(&[faces(), ("positions", npy("<f4", "True", "3, 3", &floats(&columns)))]).unwrap();
        assert_eq!(read.mesh.positions[1], Point3::new(1.0, 0.0, 0.0));
        assert_eq!(read.mesh.positions[2], Point3::new(0.0, 0.0, 1.0));
    }

    #[test]
    fn an_error_lists_the_arrays_and_says_what_is_wanted() {
        let quads = npy("<i4", "False", "1, 4", &[0; 16]);
        let points = npy("<f4", "False", "3, 3", &floats(&TRIANGLE));
        let problem = read(&[("faces", quads), ("points", points)]).unwrap_err();
        let found = "holds `faces` (<i4, 1 x 4), `points` (<f4, 3 x 3); save `faces` (integers, n x 3)";
        assert!(problem.starts_with(found), "{problem}");
        assert!(read(&[]).unwrap_err().contains("holds no arrays"));
    }

    #[test]
    fn refuses_what_is_out_of_range_not_finite_or_cut_short() {
        let with = |numbers: &[f32], shape: &str| {
            read(&[faces(), ("frames", npy("<f4", "False", shape, &floats(numbers)))]).unwrap_err()
        };
        assert!(with(&TRIANGLE[..6], "2, 3").contains("face 0 names vertex 2, but there are 2"));
        assert!(with(&[f32::NAN; 9], "1, 3, 3").contains("frame 0: vertex 0 is not finite"));
        assert!(with(&[f32::NAN; 9], "3, 3").starts_with("vertex 0 is not finite"));
        assert!(with(&[], "0, 3, 3").contains("holds no frames"));
        assert!(with(&TRIANGLE, "4, 3").contains("36 bytes, but its shape takes 48"));
        for huge in ["18446744073709551615, 3, 3", "99999999999999999999, 3, 3"] {
            assert!(with(&TRIANGLE, huge).contains("`frames`"));
        }
    }
}
