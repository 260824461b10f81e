//! What a simulation is asked between two steps, as arrays and records.

use cloth_scene::MeasuredEdge;
use cloth_scene::cloth_contacts::{EdgeEdge, PointTriangle};
use cloth_scene::cloth_geom::Topology;
use cloth_solver::{IntersectionFilter, NormalWeights, Simulation as Solver, StepError};
use numpy::{PyArray1, PyArray2};
use pyo3::prelude::*;

use crate::arrays::array;
use crate::records::Records;
use crate::simulation::{self, Simulation};
use crate::{errors, pool};

/// Edges of cloth, and their rest lengths (m).
type Edges<'py> = (Bound<'py, PyArray2<u32>>, Bound<'py, PyArray1<f64>>);

/// Pinned vertices, and their targets (m).
type Pins<'py> = (Bound<'py, PyArray1<u32>>, Bound<'py, PyArray2<f32>>);

/// The number of a rigid body's collider, and its state: pose, velocity, angular velocity, impulse and angular
/// impulse.
type RigidBody = (usize, [f32; 7], [[f32; 3]; 4]);

/// The settings as JSON.
#[pyfunction]
pub(crate) fn settings(py: Python<'_>, simulation: &Simulation) -> PyResult<String> {
    simulation.act(py, |sim| serde_json::to_string(sim.settings()))
}

/// The contacts of cloth in the last substep, as records of `CONTACT`.
#[pyfunction]
pub(crate) fn contacts<'py>(py: Python<'py>, simulation: &Simulation) -> PyResult<Bound<'py, PyArray1<u8>>> {
    let inner = simulation.lock(py)?;
    let (found, mut records) = (inner.sim.contacts(), Records::default());
    for &PointTriangle { vertex, corners: [a, b, c], weights, normal, gap, distance, .. } in
        &found.point_triangles
    {
        let [wa, wb, wc] = weights;
        records.ints(&[0, vertex as i32, a as i32, b as i32, c as i32]);
        records.singles(&[1.0, -wa, -wb, -wc, normal.x, normal.y, normal.z, gap, distance]);
    }
    for &EdgeEdge { a, b, s, t, normal, gap, distance, .. } in &found.edge_edges {
        records.ints(&[1, a[0] as i32, a[1] as i32, b[0] as i32, b[1] as i32]);
        records.singles(&[1.0 - s, s, t - 1.0, -t, normal.x, normal.y, normal.z, gap, distance]);
    }
    Ok(records.into_array(py))
}

/// The pinned vertices of a cloth, and their targets (m) in the next step.
#[pyfunction]
pub(crate) fn pins<'py>(py: Python<'py>, simulation: &Simulation, cloth: usize) -> PyResult<Pins<'py>> {
    let (vertices, targets): (Vec<_>, Vec<_>) = simulation.act(py, |sim| {
        let id = sim.cloth_id(cloth)?;
        let pins = (0..).map_while(|v| Some((v, sim.pin_target(id, v).ok()?)));
        let pins = pins.filter_map(|(v, target)| Some((v, <[f32; 3]>::from(target?))));
        Ok::<_, StepError>(pins.unzip())
    })?;
    Ok((PyArray1::from_vec(py, vertices), array(py, &targets)?))
}

/// The numbers that the caller keeps with the state.
#[pyfunction]
pub(crate) fn user_data(py: Python<'_>, simulation: &Simulation) -> PyResult<Vec<f64>> {
    Ok(simulation.lock(py)?.sim.user_data().to_vec())
}

/// The attachments, as records of `ATTACHMENT`.
#[pyfunction]
pub(crate) fn attachments<'py>(
    py: Python<'py>,
    simulation: &Simulation,
) -> PyResult<Bound<'py, PyArray1<u8>>> {
    let inner = simulation.lock(py)?;
    let mut records = Records::default();
    for status in (0..).map_while(|i| inner.sim.attachment(i).ok()) {
        records.ints(&[status.vertex as i32]);
        records.singles(&<[f32; 3]>::from(status.target));
        records.singles(&<[f32; 3]>::from(status.force));
        records.flag(status.holds);
    }
    Ok(records.into_array(py))
}

/// The pairs of vertices of the particle contacts of the last detection.
#[pyfunction]
pub(crate) fn particle_contacts<'py>(
    py: Python<'py>,
    simulation: &Simulation,
) -> PyResult<Bound<'py, PyArray2<u32>>> {
    let inner = simulation.lock(py)?;
    let pairs: Vec<[u32; 2]> = inner.sim.particle_contacts().iter().map(|pair| pair.vertices).collect();
    array(py, &pairs)
}

/// Everything that meets, as records of `MEETING`.
#[pyfunction]
pub(crate) fn intersections<'py>(
    py: Python<'py>,
    simulation: &Simulation,
) -> PyResult<Bound<'py, PyArray1<u8>>> {
    let inner = simulation.lock(py)?;
    let sim = &inner.sim;
    let found = pool::run(py, || sim.intersections(IntersectionFilter::ALL))?;
    let found = found.map_err(|error| errors::simulation(py, error))?;
    let (topology, mut records) = (sim.surface().topology(), Records::default());
    let ends = |edge: u32| topology.edges()[edge as usize].map(|v| v as i32);
    let between = |vertices: [u32; 2]| sim.parts_of(vertices).map_or(-1, |parts| parts as i32);
    let mut write = |between: i32, kind: i32, vertices: [i32; 2], faces: [i32; 2], is_tangled: bool| {
        records.ints(&[between, kind, vertices[0], vertices[1], faces[0], faces[1]]);
        records.flag(is_tangled);
    };
    for (&[edge, face], kind) in found.edge_faces.iter().zip(&found.kinds) {
        let corner = topology.faces()[face as usize][0];
        let [a, b] = ends(edge);
        write(
            between([a as u32, corner]),
            *kind as i32,
            [a, b],
            [face as i32, -1],
            sim.is_tangled([edge, face]),
        );
    }
    for &edge in &found.flat_folds {
        let [a, b] = ends(edge);
        let mut faces = topology.edge_faces(edge as usize).iter().map(|&f| f as i32);
        let faces = [faces.next().unwrap_or(-1), faces.next().unwrap_or(-1)];
        write(between([a as u32; 2]), 4, [a, b], faces, false);
    }
    for &pair in &found.doubled_faces {
        let corners = pair.map(|face| topology.faces()[face as usize][0]);
        write(between(corners), 5, [-1; 2], pair.map(|face| face as i32), false);
    }
    Ok(records.into_array(py))
}

/// The edges of cloth, and their lengths at rest (m).
#[pyfunction]
pub(crate) fn edges<'py>(py: Python<'py>, simulation: &Simulation) -> PyResult<Edges<'py>> {
    let inner = simulation.lock(py)?;
    let (mut ends, mut rest) = (Vec::new(), Vec::new());
    for id in (0..inner.sim.cloth_count()).filter_map(|i| inner.sim.cloth_id(i).ok()) {
        let found = inner.sim.scene().cloth(id).zip(inner.sim.cloth_vertices(id));
        let Some((cloth, vertices)) = found else { continue };
        let topology = Topology::of_mesh(&cloth.mesh).map_err(|error| errors::simulation(py, error))?;
        for edge in MeasuredEdge::of_cloth(cloth, &topology) {
            ends.push(edge.ends.map(|v| v + vertices.start as u32));
            rest.push(edge.rest);
        }
    }
    Ok((array(py, &ends)?, PyArray1::from_vec(py, rest)))
}

/// The vertices on the two sides of each tangle.
#[pyfunction]
pub(crate) fn tangles(py: Python<'_>, simulation: &Simulation) -> PyResult<Vec<[Vec<u32>; 2]>> {
    Ok(simulation.lock(py)?.sim.tangles().to_vec())
}

/// The pairs of cloth and body that the gate released in the last step: a vertex of the cloth, where (m), how
/// deep (m).
#[pyfunction]
pub(crate) fn released(py: Python<'_>, simulation: &Simulation) -> PyResult<Vec<(u32, [f32; 3], f32)>> {
    let inner = simulation.lock(py)?;
    let released = inner.sim.released().iter();
    Ok(released.map(|pair| (pair.vertex, pair.position.into(), pair.depth)).collect())
}

/// Whether the gate guards everything that collides.
#[pyfunction]
pub(crate) fn is_guarded(py: Python<'_>, simulation: &Simulation) -> PyResult<bool> {
    Ok(simulation.lock(py)?.sim.is_guarded())
}

/// Whether a cloth is asleep.
#[pyfunction]
pub(crate) fn is_asleep(py: Python<'_>, simulation: &Simulation, cloth: usize) -> PyResult<bool> {
    simulation.act(py, |sim| sim.is_asleep(sim.cloth_id(cloth)?))
}

/// The kinetic energy (J).
#[pyfunction]
pub(crate) fn kinetic_energy(py: Python<'_>, simulation: &Simulation) -> PyResult<f64> {
    Ok(simulation.lock(py)?.sim.kinetic_energy())
}

/// Unit normals of all vertices, weighted by angles or areas.
#[pyfunction]
pub(crate) fn normals<'py>(
    py: Python<'py>,
    simulation: &Simulation,
    by_angle: bool,
) -> PyResult<Bound<'py, PyArray2<f32>>> {
    let inner = simulation.lock(py)?;
    let weights = if by_angle { NormalWeights::Angle } else { NormalWeights::Area };
    let normals = inner.sim.normals(weights);
    array(py, &normals[..inner.vertex_count].iter().map(|&n| n.into()).collect::<Vec<[f32; 3]>>())
}

/// The rigid bodies.
#[pyfunction]
pub(crate) fn rigid_bodies(py: Python<'_>, simulation: &Simulation) -> PyResult<Vec<RigidBody>> {
    let sim: &Solver = &simulation.lock(py)?.sim;
    let all =
        (0..sim.colliders().len()).filter_map(|i| Some((i, sim.rigid_body(sim.collider_id(i).ok()?).ok()?)));
    let states = all.map(|(number, body)| {
        let moved = [body.velocity, body.angular_velocity, body.impulse, body.angular_impulse];
        (number, simulation::pose(&body.pose), moved.map(<[f32; 3]>::from))
    });
    Ok(states.collect())
}
