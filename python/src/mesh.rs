//! What collides.

use std::cell::RefCell;

use cloth_certify::{CollisionMesh, Mask};
use numpy::{PyArray2, PyReadonlyArray1, PyReadonlyArray2};
use pyo3::prelude::*;

use crate::arrays::{array, rows};
use crate::errors;

/// A mesh to be judged.
#[pyclass(frozen, module = "cloth._cloth")]
pub(crate) struct Mesh {
    pub(crate) mesh: CollisionMesh,
}

#[pymethods]
impl Mesh {
    #[new]
    #[allow(clippy::too_many_arguments, reason = "the description of a mesh has as many parts")]
    fn new(
        py: Python<'_>,
        vertex_count: usize,
        faces: PyReadonlyArray2<'_, u32>,
        edges: PyReadonlyArray2<'_, u32>,
        parts: PyReadonlyArray1<'_, u16>,
        kinematic: PyReadonlyArray1<'_, bool>,
        masks: PyReadonlyArray2<'_, u32>,
        exclusions: PyReadonlyArray2<'_, u32>,
        can_collide: Option<Bound<'_, PyAny>>,
    ) -> PyResult<Self> {
        let (faces, edges, exclusions) = (rows(&faces)?, rows(&edges)?, rows(&exclusions)?);
        let masks: Vec<Mask> = rows(&masks)?.iter().map(|&[is_in, meets]| Mask { is_in, meets }).collect();
        let raised = RefCell::new(None);
        let ask = |a: u16, b: u16| {
            let Some(can_collide) = can_collide.as_ref().filter(|_| raised.borrow().is_none()) else {
                return true;
            };
            let answer = can_collide.call1((a, b)).and_then(|answer| answer.is_truthy());
            answer.unwrap_or_else(|error| {
                *raised.borrow_mut() = Some(error);
                true
            })
        };
        let mut builder = CollisionMesh::new(vertex_count, faces)
            .edges(edges)
            .parts(parts.as_slice()?)
            .kinematic(kinematic.as_slice()?)
            .masks(&masks)
            .exclusions(exclusions);
        if can_collide.is_some() {
            builder = builder.can_collide(&ask);
        }
        let mesh = builder.build();
        match raised.take() {
            Some(error) => Err(error),
            None => Ok(Self { mesh: mesh.map_err(|error| errors::mesh(py, &error))? }),
        }
    }

    #[getter]
    fn vertex_count(&self) -> usize {
        self.mesh.vertex_count()
    }

    #[getter]
    fn faces<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray2<u32>>> {
        array(py, self.mesh.topology().faces())
    }

    #[getter]
    fn edges<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray2<u32>>> {
        array(py, self.mesh.topology().edges())
    }
}
