//! Waypoints of a step, from arrays.

use cloth_solver::{Simulation, StepError, Waypoints};
use numpy::{PyReadonlyArray1, PyReadonlyArray3, PyUntypedArrayMethods};
use pyo3::prelude::*;

use crate::{errors, scene};

/// Paths of vertices: numbers, and places (m) of shape (count, numbers, 3).
type Paths<'py> = (PyReadonlyArray1<'py, u32>, PyReadonlyArray3<'py, f32>);

/// What moves through waypoints, with the number of its cloth, body or collider.
#[derive(FromPyObject)]
pub(crate) struct WaypointArrays<'py> {
    #[pyo3(attribute)]
    count: usize,
    #[pyo3(attribute("_pins"))]
    pins: Vec<(usize, Paths<'py>)>,
    #[pyo3(attribute("_bodies"))]
    bodies: Vec<(usize, PyReadonlyArray3<'py, f32>)>,
    #[pyo3(attribute("_colliders"))]
    colliders: Vec<(usize, Vec<[f32; 7]>)>,
    #[pyo3(attribute("_attachments"))]
    attachments: Vec<Paths<'py>>,
}

impl WaypointArrays<'_> {
    /// The waypoints, in a simulation that has all that moves.
    pub(crate) fn read(&self, py: Python<'_>, sim: &Simulation) -> PyResult<Waypoints> {
        let refuse = |error: StepError| errors::simulation(py, error);
        let mut all = Waypoints::new(self.count).map_err(refuse)?;
        for (cloth, (vertices, path)) in &self.pins {
            let cloth = sim.cloth_id(*cloth).map_err(refuse)?;
            for_each_place(vertices, path, |k, v, p| all.set_pin(cloth, v, k, p.into()))?.map_err(refuse)?;
        }
        for (vertices, path) in &self.attachments {
            for_each_place(vertices, path, |k, i, p| all.set_attachment(i as usize, k, p.into()))?
                .map_err(refuse)?;
        }
        for (body, path) in &self.bodies {
            let body = sim.mesh_body_id(*body).map_err(refuse)?;
            let places: Vec<_> = path.as_slice()?.as_chunks::<3>().0.iter().map(|&p| p.into()).collect();
            for (k, places) in places.chunks(path.shape()[1].max(1)).enumerate() {
                all.set_mesh_body(body, k, places).map_err(refuse)?;
            }
        }
        for (collider, poses) in &self.colliders {
            let collider = sim.collider_id(*collider).map_err(refuse)?;
            for (k, &pose) in poses.iter().enumerate() {
                let pose = scene::isometry(pose).map_err(|text| errors::raise(py, "InputError", text))?;
                all.set_collider(collider, k, pose).map_err(refuse)?;
            }
        }
        Ok(all)
    }
}

/// Visits places (m) by waypoint, with the number of what is there.
fn for_each_place(
    numbers: &PyReadonlyArray1<'_, u32>,
    path: &PyReadonlyArray3<'_, f32>,
    mut visit: impl FnMut(usize, u32, [f32; 3]) -> Result<(), StepError>,
) -> PyResult<Result<(), StepError>> {
    let numbers = numbers.as_slice()?;
    let mut places = path.as_slice()?.as_chunks::<3>().0.iter().enumerate();
    Ok(places.try_for_each(|(i, &p)| visit(i / numbers.len(), numbers[i % numbers.len()], p)))
}
