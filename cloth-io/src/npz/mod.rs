//! Meshes in NumPy archives (`.npz`), as `numpy.savez` writes them: faces, and the positions of one state or
//! of many.
//!
//! The archive is read by the crate `zip`. Arrays are kept as they are in the file, and a frame becomes
//! positions when it is asked for. What an array promises is compared with the bytes that are there before
//! anything is made of it.

mod array;

use std::{
    io::BufReader,
    path::{Path, PathBuf},
};

use cloth_geom::TriMesh;
use nalgebra::Point3;
use zip::ZipArchive;

use crate::{
    FileError,
    input::{self, Source},
    quoted,
};
use array::Array;

/// Names of the array of faces, the first that is there.
const FACES: [&str; 2] = ["faces", "triangles"];

/// Names of the array of positions, the first that is there.
const POSITIONS: [&str; 3] = ["frames", "positions", "vertices"];

/// What is read, in words.
const WANTED: &str = "save `faces` or `triangles` (integers, n x 3) and `frames`, `positions` or `vertices` \
    (float32 or float64, v x 3 or f x v x 3)";

/// How many arrays an error lists.
const LISTED: usize = 8;

/// Whether the extension is that of a NumPy archive.
#[must_use]
pub fn is_npz(path: &Path) -> bool {
    path.extension().is_some_and(|e| e.eq_ignore_ascii_case("npz"))
}

type Archive = ZipArchive<BufReader<Source>>;

/// A mesh with one state or many.
#[derive(Debug)]
pub struct NpzMesh {
    /// The faces, and the positions of the first state, in the file's own unit and axes.
    pub mesh: TriMesh,
    path: PathBuf,
    positions: Array,
}

impl NpzMesh {
    /// Reads the arrays `faces` or `triangles` (integers, n x 3) and `frames`, `positions` or `vertices`
    /// (float32 or float64, v x 3 for one state, f x v x 3 for many).
    ///
    /// # Errors
    /// If the file cannot be read or is not such an archive; the error lists the arrays that it has. Also if
    /// a face names a vertex that there is not, or a coordinate of the first state is not finite.
    pub fn read(path: &Path) -> Result<Self, FileError> {
        let refuse = |text: String| FileError::new(path, text);
        let no_archive = |e| refuse(format!("is not a NumPy archive: {e}; save it by numpy.savez"));
        let mut archive = ZipArchive::new(BufReader::new(input::open(path)?)).map_err(no_archive)?;
        let faces = read_first(&mut archive, path, &FACES)?;
        let positions = read_first(&mut archive, path, &POSITIONS)?;
        let faces = faces.filter(|array| array.is_integers() && matches!(array.shape(), [_, 3]));
        let (Some(faces), Some(positions)) = (faces, positions.filter(is_states)) else {
            return Err(refuse(format!("{}; {WANTED}", list(&mut archive))));
        };
        let mut read =
            Self { mesh: TriMesh::new(Vec::new(), Vec::new()), path: path.to_path_buf(), positions };
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
        match *self.positions.shape() {
            [states, _, _] => states,
            _ => 1,
        }
    }

    /// Whether the array has frames, be it one, rather than a state alone.
    #[must_use]
    pub fn has_frames(&self) -> bool {
        self.positions.shape().len() == 3
    }

    /// The positions of a state, counted from 0.
    ///
    /// # Errors
    /// If there is no such state, or a coordinate is not finite.
    pub fn read_frame(&self, state: usize) -> Result<Vec<Point3<f64>>, FileError> {
        let refuse = |text: String| FileError::new(&self.path, text);
        if state >= self.state_count() {
            return Err(refuse(format!("has no frame {state}, only {}, counted from 0", self.state_count())));
        }
        let at = |vertex: usize, axis: usize| match self.has_frames() {
            true => self.positions.number(&[state, vertex, axis]),
            false => self.positions.number(&[vertex, axis]),
        };
        let vertices = self.positions.shape()[usize::from(self.has_frames())];
        let frame: Vec<_> = (0..vertices).map(|v| Point3::new(at(v, 0), at(v, 1), at(v, 2))).collect();
        match frame.iter().position(|p| !p.iter().all(|c| c.is_finite())) {
            None => Ok(frame),
            Some(v) if self.has_frames() => {
                Err(refuse(format!("frame {state}: vertex {v} is not finite; the simulation broke there")))
            }
            Some(v) => Err(refuse(format!("vertex {v} is not finite; correct it"))),
        }
    }
}

/// Whether an array holds positions of one state or of many.
fn is_states(array: &Array) -> bool {
    array.is_floats() && matches!(array.shape(), [_, 3] | [_, _, 3])
}

/// The first of these arrays that the archive has.
fn read_first(archive: &mut Archive, path: &Path, names: &[&str]) -> Result<Option<Array>, FileError> {
    let Some(name) = names.iter().find(|name| archive.index_for_name(&file_name(name)).is_some()) else {
        return Ok(None);
    };
    let refuse = |text: String| FileError::new(path, format!("array {}: {text}", quoted(name)));
    let entry = archive.by_name(&file_name(name)).map_err(|e| refuse(e.to_string()))?;
    let bytes = input::read_all(path, entry, |e| refuse(format!("cannot be unpacked: {e}; save it again")))?;
    Array::parse(bytes).map(Some).map_err(refuse)
}

fn file_name(array: &str) -> String {
    format!("{array}.npy")
}

fn read_faces(faces: &Array, vertices: usize) -> Result<Vec<[u32; 3]>, String> {
    let corner = |face: usize, corner: usize| {
        let vertex = faces.integer(&[face, corner]);
        let valid =
            usize::try_from(vertex).ok().filter(|&v| v < vertices).and_then(|v| u32::try_from(v).ok());
        valid.ok_or_else(|| {
            format!("face {face} names vertex {vertex}, but there are {vertices}, counted from 0")
        })
    };
    (0..faces.shape()[0]).map(|f| Ok([corner(f, 0)?, corner(f, 1)?, corner(f, 2)?])).collect()
}

/// What an archive holds, in words.
fn list(archive: &mut Archive) -> String {
    let names: Vec<String> = archive.file_names().filter_map(|name| Some(name.ok()?.into_owned())).collect();
    let describe = |name: &String| {
        let array = name.strip_suffix(".npy").unwrap_or(name);
        let entry = archive.by_name(name).ok();
        let header = entry.and_then(|entry| array::describe(entry).ok());
        format!("{} ({})", quoted(array), header.unwrap_or_else(|| "no array".into()))
    };
    let more = if names.len() > LISTED { ", ..." } else { "" };
    let described: Vec<String> = names.iter().take(LISTED).map(describe).collect();
    match described.is_empty() {
        true => "holds no arrays".into(),
        false => format!("holds {}{more}", described.join(", ")),
    }
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
        let two = read(&[triangles, ("frames", npy(">f8", "False", "2, 3, 3", &big))]).unwrap();
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
        let found = "holds `faces` (<i4, 1 x 4), `points` (<f4, 3 x 3); save `faces` or `triangles`";
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
            assert!(with(&TRIANGLE, huge).contains("array `frames`"));
        }
    }
}
