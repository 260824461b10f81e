//! Meshes and animations from files.

use std::path::PathBuf;

use cloth_io::{ArrayNames, ObjSequence, PointCache};
use numpy::PyArray2;
use pyo3::prelude::*;

use crate::arrays::array;
use crate::errors;

/// Positions in the unit of the file, and triangles, of a mesh file: OBJ, PLY, STL, OFF or NPZ.
#[pyfunction]
#[allow(clippy::type_complexity, reason = "a tuple for the Python half")]
pub(crate) fn read_mesh<'py>(
    py: Python<'py>,
    path: PathBuf,
) -> PyResult<(Bound<'py, PyArray2<f64>>, Bound<'py, PyArray2<u32>>)> {
    let mesh = py.detach(|| cloth_io::read_mesh(&path)).map_err(|error| errors::file(py, &error))?.mesh;
    let positions: Vec<[f64; 3]> = mesh.positions.iter().map(|p| p.coords.into()).collect();
    Ok((array(py, &positions)?, array(py, &mesh.faces)?))
}

/// The frames of a point cache: PC2 or MDD.
#[pyclass(module = "cloth._cloth")]
pub(crate) struct CacheFrames {
    cache: PointCache,
    next: usize,
}

#[pymethods]
impl CacheFrames {
    #[new]
    fn new(py: Python<'_>, path: PathBuf) -> PyResult<Self> {
        // Names and vertices choose among the arrays of an archive, which Python opens by itself.
        let cache = PointCache::open(&path, &ArrayNames::default(), 0);
        Ok(Self { cache: cache.map_err(|error| errors::file(py, &error))?, next: 0 })
    }

    fn __len__(&self) -> usize {
        self.cache.frame_count()
    }

    fn __iter__(slf: PyRef<'_, Self>) -> PyRef<'_, Self> {
        slf
    }

    fn __next__<'py>(&mut self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyArray2<f64>>>> {
        if self.next >= self.cache.frame_count() {
            return Ok(None);
        }
        let frame = self.cache.read_frame(self.next).map_err(|error| errors::file(py, &error))?;
        self.next += 1;
        let frame: Vec<[f64; 3]> = frame.iter().map(|p| p.coords.into()).collect();
        array(py, &frame).map(Some)
    }
}

/// The frames of a sequence of OBJ files.
#[pyclass(module = "cloth._cloth")]
pub(crate) struct ObjFrames {
    sequence: ObjSequence,
    next: usize,
}

#[pymethods]
impl ObjFrames {
    #[new]
    fn new(py: Python<'_>, path: PathBuf) -> PyResult<Self> {
        let sequence = if path.is_file() { ObjSequence::open_from(&path) } else { ObjSequence::open(&path) };
        Ok(Self { sequence: sequence.map_err(|error| errors::file(py, &error))?, next: 0 })
    }

    #[getter]
    fn faces<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray2<u32>>> {
        array(py, &self.sequence.first().mesh.faces)
    }

    fn __len__(&self) -> usize {
        self.sequence.frame_count()
    }

    fn __iter__(slf: PyRef<'_, Self>) -> PyRef<'_, Self> {
        slf
    }

    fn __next__<'py>(&mut self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyArray2<f64>>>> {
        if self.next >= self.sequence.frame_count() {
            return Ok(None);
        }
        let frame = self.sequence.read_frame(self.next).map_err(|error| errors::file(py, &error))?;
        self.next += 1;
        let frame: Vec<[f64; 3]> = frame.iter().map(|p| p.coords.into()).collect();
        array(py, &frame).map(Some)
    }
}
