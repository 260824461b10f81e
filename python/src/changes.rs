//! What callers change between two steps. Names are numbers here, counted over the parts that there are.

use cloth_scene::{ColliderDesc, RegionInteraction, ScenePart};
use cloth_solver::{
    Admit, BuildError, ClothDesc, ClothId, FrictionPart, MeshBodyId, Simulation as Solver, SimulationBuilder,
    StepError,
};
use nalgebra::{Point3, Vector3};
use numpy::{PyReadonlyArray1, PyReadonlyArray2};
use pyo3::prelude::*;

use crate::arrays::rows;
use crate::errors;
use crate::scene::{self, MeshPart};
use crate::simulation::{Simulation, cloth_id};

/// Numbers of cloths, mesh bodies and colliders: `("cloth", 0)`.
type PartName = (String, usize);

/// Sets positions (m) and velocities (m/s) of all cloths and mesh bodies.
#[pyfunction]
pub(crate) fn set_state(
    py: Python<'_>,
    simulation: &Simulation,
    positions: PyReadonlyArray2<'_, f32>,
    velocities: PyReadonlyArray2<'_, f32>,
    admits_tangles: bool,
) -> PyResult<()> {
    let mut inner = simulation.lock(py)?;
    let (positions, velocities) = (points(&positions)?, vectors(&velocities)?);
    let admit = if admits_tangles { Admit::Tangles } else { Admit::Clean };
    let set = inner.sim.set_state(&positions, &velocities, admit);
    set.map_err(|error| errors::state(py, &error))?;
    inner.follow(py)
}

/// Sets velocities (m/s) of vertices of a cloth.
#[pyfunction]
pub(crate) fn set_velocities(
    py: Python<'_>,
    simulation: &Simulation,
    cloth: usize,
    vertices: PyReadonlyArray1<'_, u32>,
    velocities: PyReadonlyArray2<'_, f32>,
) -> PyResult<()> {
    let velocities = vectors(&velocities)?;
    each_vertex(py, simulation, cloth, &vertices, |sim, id, i, v| sim.set_velocity(id, v, velocities[i]))
}

/// Sets masses (kg) of vertices of a cloth, infinite ones of pins.
#[pyfunction]
pub(crate) fn set_masses(
    py: Python<'_>,
    simulation: &Simulation,
    cloth: usize,
    vertices: PyReadonlyArray1<'_, u32>,
    masses: PyReadonlyArray1<'_, f32>,
) -> PyResult<()> {
    let masses = masses.as_slice()?;
    each_vertex(py, simulation, cloth, &vertices, |sim, id, i, v| sim.set_mass(id, v, masses[i]))
}

/// Changes vertices of a cloth, one after another.
fn each_vertex(
    py: Python<'_>,
    simulation: &Simulation,
    cloth: usize,
    vertices: &PyReadonlyArray1<'_, u32>,
    change: impl Fn(&mut Solver, ClothId, usize, u32) -> Result<(), StepError>,
) -> PyResult<()> {
    let sim = &mut simulation.lock(py)?.sim;
    let id = cloth_id(py, sim, cloth)?;
    let mut all = vertices.as_slice()?.iter().enumerate();
    all_or_none(py, sim, |sim| all.try_for_each(|(i, &v)| change(sim, id, i, v)))
}

/// Does what may be refused half way, or nothing.
fn all_or_none(
    py: Python<'_>,
    sim: &mut Solver,
    change: impl FnOnce(&mut Solver) -> Result<(), StepError>,
) -> PyResult<()> {
    let before = sim.snapshot();
    change(sim).map_err(|error| {
        // It fits: it was taken of this simulation.
        let _ = sim.restore(&before);
        errors::simulation(py, error)
    })
}

/// Replaces some settings.
#[pyfunction]
pub(crate) fn set_settings(py: Python<'_>, simulation: &Simulation, settings: &str) -> PyResult<()> {
    let sim = &mut simulation.lock(py)?.sim;
    let settings = scene::change_settings(sim.settings(), settings);
    let settings = settings.map_err(|text| errors::raise(py, "InputError", text))?;
    sim.set_settings(settings).map_err(|error| errors::simulation(py, error))
}

/// Sets the friction coefficient of a part, or of a pair of parts.
#[pyfunction]
pub(crate) fn set_friction(
    py: Python<'_>,
    simulation: &Simulation,
    parts: Vec<PartName>,
    coefficient: f32,
) -> PyResult<()> {
    let sim = &mut simulation.lock(py)?.sim;
    let parts: Result<Vec<_>, StepError> = parts.iter().map(|part| find(sim, part)).collect();
    let set = |sim: &mut Solver, parts: &[FrictionPart]| match *parts {
        [part] => sim.set_friction(part, coefficient),
        [a, b, ..] => sim.set_pair_friction(a, b, coefficient),
        [] => Ok(()),
    };
    set(sim, &parts.map_err(|error| errors::simulation(py, error))?)
        .map_err(|error| errors::simulation(py, error))
}

fn find(sim: &Solver, (kind, number): &PartName) -> Result<FrictionPart, StepError> {
    match kind.as_str() {
        "cloth" => sim.cloth_id(*number).map(FrictionPart::Cloth),
        "body" => sim.mesh_body_id(*number).map(FrictionPart::Body),
        _ => sim.collider_id(*number).map(FrictionPart::Collider),
    }
}

/// Adds a collider, or a rigid body if it has a mass.
#[pyfunction]
pub(crate) fn add_collider(py: Python<'_>, simulation: &Simulation, collider: &str) -> PyResult<()> {
    let sim = &mut simulation.lock(py)?.sim;
    let collider = scene::read_collider(collider).map_err(|text| errors::raise(py, "InputError", text))?;
    let added = match collider {
        ColliderDesc::Kinematic(collider) => sim.add_collider(collider),
        ColliderDesc::Rigid(body) => sim.add_rigid_body(body),
    };
    added.map(|_| ()).map_err(|error| errors::simulation(py, error))
}

/// Removes a collider or a rigid body.
#[pyfunction]
pub(crate) fn remove_collider(py: Python<'_>, simulation: &Simulation, collider: usize) -> PyResult<()> {
    let sim = &mut simulation.lock(py)?.sim;
    let id = sim.collider_id(collider).map_err(|error| errors::simulation(py, error))?;
    sim.remove_collider(id).map(|_| ()).map_err(|error| errors::simulation(py, error))
}

/// Sets the velocities (m/s, rad/s) of a rigid body, or applies impulses (N s, N m s) to it.
#[pyfunction]
pub(crate) fn push_rigid_body(
    py: Python<'_>,
    simulation: &Simulation,
    collider: usize,
    by: [[f32; 3]; 2],
    is_impulse: bool,
) -> PyResult<()> {
    let sim = &mut simulation.lock(py)?.sim;
    let [linear, angular] = by.map(Vector3::from);
    let pushed = sim.collider_id(collider).and_then(|id| match is_impulse {
        true => sim.apply_rigid_impulse(id, linear, angular),
        false => sim.set_rigid_velocity(id, linear, angular),
    });
    pushed.map_err(|error| errors::simulation(py, error))
}

/// Moves targets of attachments to places (m) in the next step.
#[pyfunction]
pub(crate) fn move_attachments(
    py: Python<'_>,
    simulation: &Simulation,
    numbers: PyReadonlyArray1<'_, u32>,
    targets: PyReadonlyArray2<'_, f32>,
) -> PyResult<()> {
    let sim = &mut simulation.lock(py)?.sim;
    let mut moves = numbers.as_slice()?.iter().zip(points(&targets)?);
    all_or_none(py, sim, |sim| moves.try_for_each(|(&i, target)| sim.move_attachment(i as usize, target)))
}

/// Moves the pose of a cloth's drive to places (m) in the next step.
#[pyfunction]
pub(crate) fn move_drive(
    py: Python<'_>,
    simulation: &Simulation,
    cloth: usize,
    targets: PyReadonlyArray2<'_, f32>,
) -> PyResult<()> {
    let sim = &mut simulation.lock(py)?.sim;
    let id = cloth_id(py, sim, cloth)?;
    sim.move_drive(id, &points(&targets)?).map_err(|error| errors::simulation(py, error))
}

/// Moves the local frame of a cloth to a position (m) and a quaternion x, y, z, w in the next step.
#[pyfunction]
pub(crate) fn move_local_frame(
    py: Python<'_>,
    simulation: &Simulation,
    cloth: usize,
    pose: [f32; 7],
) -> PyResult<()> {
    let sim = &mut simulation.lock(py)?.sim;
    let id = cloth_id(py, sim, cloth)?;
    let pose = scene::isometry(pose).map_err(|text| errors::raise(py, "InputError", text))?;
    sim.move_local_frame(id, pose).map_err(|error| errors::simulation(py, error))
}

/// Wakes a cloth, or all without a number.
#[pyfunction]
pub(crate) fn wake(py: Python<'_>, simulation: &Simulation, cloth: Option<usize>) -> PyResult<()> {
    let sim = &mut simulation.lock(py)?.sim;
    let Some(cloth) = cloth else {
        sim.wake_all();
        return Ok(());
    };
    let id = cloth_id(py, sim, cloth)?;
    sim.wake(id).map_err(|error| errors::simulation(py, error))
}

/// Changes the scene: all of it, or nothing. Numbers are those before the change; the texts are those of
/// `scene::describe`.
#[pyfunction]
#[allow(clippy::too_many_arguments, reason = "called from the Python half alone")]
pub(crate) fn edit(
    py: Python<'_>,
    simulation: &Simulation,
    cloths: Vec<MeshPart<'_>>,
    bodies: Vec<MeshPart<'_>>,
    remove_cloths: Vec<usize>,
    remove_bodies: Vec<usize>,
    changes: Vec<(usize, String)>,
    interactions: &str,
) -> PyResult<()> {
    let refuse = |text: String| errors::raise(py, "InputError", text);
    let mut inner = simulation.lock(py)?;
    if inner.motion.is_some() && remove_cloths.len() + remove_bodies.len() > 0 {
        let text = "what moves in a scene file is known by its number there, so nothing can be removed; \
                    leave it out of the file";
        return Err(refuse(text.to_owned()));
    }
    let sim = &mut inner.sim;
    let found = |error: StepError| errors::simulation(py, error);
    let removed: Result<Vec<_>, _> = remove_cloths.iter().map(|&i| sim.cloth_id(i)).collect();
    let removed = removed.map_err(found)?;
    let removed_bodies: Result<Vec<_>, _> = remove_bodies.iter().map(|&i| sim.mesh_body_id(i)).collect();
    let removed_bodies = removed_bodies.map_err(found)?;
    let ids: Vec<ClothId> = (0..sim.cloth_count()).filter_map(|i| sim.cloth_id(i).ok()).collect();
    let descs: Vec<&ClothDesc> = ids.iter().filter_map(|&id| sim.scene().cloth(id)).collect();
    let added = scene::describe(py, (&cloths, &descs), &bodies, &[], ["default", "{}", interactions])?;
    let mut changed = Vec::new();
    for (i, keys) in &changes {
        let (Some(&id), Some(desc)) = (ids.get(*i), descs.get(*i)) else { continue };
        let (desc, friction) = scene::change_cloth(ClothDesc::clone(desc), keys)
            .map_err(|text| refuse(format!("cloth {i}: {text}")))?;
        changed.push((id, desc, friction));
    }
    let change = |scene: &mut SimulationBuilder| -> Result<(), BuildError> {
        for (id, desc, friction) in changed {
            scene.cloth_mut(id).into_iter().for_each(|cloth| cloth.clone_from(&desc));
            friction.map_or(Ok(()), |friction| scene.set_friction(id, friction))?;
        }
        removed.iter().try_for_each(|&id| scene.remove_cloth(id).map(|_| ()))?;
        removed_bodies.iter().try_for_each(|&id| scene.remove_mesh_body(id).map(|_| ()))?;
        let cloths: Vec<ClothId> = added.cloths.iter().map(|c| scene.add_cloth(c.clone())).collect();
        let bodies: Vec<MeshBodyId> =
            added.mesh_bodies.iter().map(|body| scene.add_mesh_body(body.clone())).collect();
        for &(part, friction) in &added.friction {
            match part {
                ScenePart::Cloth(i) => scene.set_friction(cloths[i], friction)?,
                ScenePart::Body(i) => scene.set_friction(bodies[i], friction)?,
                ScenePart::Collider(_) => {}
            }
        }
        for RegionInteraction { between: [a, b], kind } in &added.interactions {
            scene.set_interaction(a, b, *kind);
        }
        Ok(())
    };
    sim.edit(change).map_err(|error| errors::simulation(py, error))?;
    inner.lay_out_anew();
    Ok(())
}

fn points(array: &PyReadonlyArray2<'_, f32>) -> PyResult<Vec<Point3<f32>>> {
    Ok(rows(array)?.iter().map(|&p| p.into()).collect())
}

fn vectors(array: &PyReadonlyArray2<'_, f32>) -> PyResult<Vec<Vector3<f32>>> {
    Ok(rows(array)?.iter().map(|&v| v.into()).collect())
}
