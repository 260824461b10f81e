//! Meshes and animations from files.

use std::path::PathBuf;

use cloth_io::{ArrayNames, ObjSequence, PointCache, UsdPrim};
use numpy::{PyArray2, PyReadonlyArray2};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

use crate::arrays::{array, points, rows};
use crate::errors;

/// Positions in the unit of the file, and triangles, of a mesh file: OBJ, PLY, STL, OFF, NPZ or USDA.
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

/// The frames of a point cache, PC2 or MDD, or of a layer of USD.
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

    /// The faces, if the file has them.
    #[getter]
    fn faces<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyArray2<u32>>>> {
        self.cache.faces().map(|faces| array(py, faces)).transpose()
    }

    /// The frames that a cut leads to, as the file says.
    #[getter]
    fn cuts(&self) -> Vec<usize> {
        self.cache.cuts().to_vec()
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

/// A stage of USD under construction.
#[pyclass(module = "cloth._cloth")]
pub(crate) struct UsdWriter {
    writer: Option<cloth_io::UsdWriter>,
}

#[pymethods]
impl UsdWriter {
    #[new]
    fn new(py: Python<'_>, path: PathBuf, rate: f64) -> PyResult<Self> {
        let writer = cloth_io::UsdWriter::create(&path, rate).map_err(|error| errors::file(py, &error))?;
        Ok(Self { writer: Some(writer) })
    }

    /// Adds a mesh; `uv` are (3 m, 2).
    fn add(
        &mut self,
        py: Python<'_>,
        name: &str,
        points: usize,
        faces: PyReadonlyArray2<'_, u32>,
        uv: Option<PyReadonlyArray2<'_, f64>>,
        is_body: bool,
    ) -> PyResult<usize> {
        let uv: Option<Vec<[[f64; 2]; 3]>> = match &uv {
            Some(uv) => Some(rows::<_, 2>(uv)?.as_chunks().0.to_vec()),
            None => None,
        };
        let prim = UsdPrim { name, is_body, points, faces: rows(&faces)?, uv: uv.as_deref(), color: None };
        self.open()?.add(&prim).map_err(|error| errors::file(py, &error))
    }

    fn push(
        &mut self,
        py: Python<'_>,
        prim: usize,
        frame: PyReadonlyArray2<'_, f32>,
        is_cut: bool,
    ) -> PyResult<()> {
        self.open()?.push(prim, &points(&frame)?, is_cut).map_err(|error| errors::file(py, &error))
    }

    fn finish(&mut self, py: Python<'_>) -> PyResult<()> {
        let Some(writer) = self.writer.take() else { return Ok(()) };
        writer.finish().map_err(|error| errors::file(py, &error))
    }
}

impl UsdWriter {
    fn open(&mut self) -> PyResult<&mut cloth_io::UsdWriter> {
        self.writer.as_mut().ok_or_else(|| PyValueError::new_err("the stage is finished"))
    }
}
