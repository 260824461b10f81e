//! What callers change between two steps. Names are numbers here, counted over the parts that there are.

use std::collections::BTreeMap;

use cloth_scene::{ColliderDesc, RegionInteraction, ScenePart};
use cloth_solver::{
    Admit, Attachment, BuildError, ClothDesc, ClothId, FrictionPart, MeshBodyId, Simulation as Solver,
    SimulationBuilder, StepError,
};
use nalgebra::Vector3;
use numpy::{PyReadonlyArray1, PyReadonlyArray2};
use pyo3::prelude::*;

use crate::arrays::{points, rows};
use crate::errors;
use crate::scene::{self, MeshPart};
use crate::simulation::Simulation;

/// Numbers of vertices or attachments.
type Numbers<'py> = PyReadonlyArray1<'py, u32>;
/// Places (m) or velocities (m/s), of shape (n, 3).
type Rows<'py> = PyReadonlyArray2<'py, f32>;
/// A cloth, mesh body or collider: `("cloth", 0)`.
type PartName = (String, usize);

/// Sets positions (m) and velocities (m/s) of all cloths and mesh bodies.
#[pyfunction]
pub(crate) fn set_state(
    py: Python<'_>,
    simulation: &Simulation,
    positions: Rows<'_>,
    velocities: Rows<'_>,
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
    vertices: Numbers<'_>,
    velocities: Rows<'_>,
) -> PyResult<()> {
    let (vertices, velocities) = (vertices.as_slice()?, vectors(&velocities)?);
    let mut all = vertices.iter().zip(velocities);
    all_or_none(py, simulation, |sim| {
        let id = sim.cloth_id(cloth)?;
        all.try_for_each(|(&v, velocity)| sim.set_velocity(id, v, velocity))
    })
}

/// Sets masses (kg) of vertices of a cloth, infinite ones of pins.
#[pyfunction]
pub(crate) fn set_masses(
    py: Python<'_>,
    simulation: &Simulation,
    cloth: usize,
    vertices: Numbers<'_>,
    masses: PyReadonlyArray1<'_, f32>,
) -> PyResult<()> {
    let mut all = vertices.as_slice()?.iter().zip(masses.as_slice()?);
    all_or_none(py, simulation, |sim| {
        let id = sim.cloth_id(cloth)?;
        all.try_for_each(|(&v, &mass)| sim.set_mass(id, v, mass))
    })
}

/// Does what may be refused half way, or nothing.
fn all_or_none(
    py: Python<'_>,
    simulation: &Simulation,
    change: impl FnOnce(&mut Solver) -> Result<(), StepError>,
) -> PyResult<()> {
    simulation.act(py, |sim| {
        let before = sim.snapshot();
        // It fits: it was taken of this simulation.
        change(sim).inspect_err(|_| drop(sim.restore(&before)))
    })
}

/// Replaces some settings.
#[pyfunction]
pub(crate) fn set_settings(py: Python<'_>, simulation: &Simulation, settings: &str) -> PyResult<()> {
    let before = *simulation.lock(py)?.sim.settings();
    let settings = scene::change_settings(&before, settings);
    let settings = settings.map_err(|text| errors::raise(py, "InputError", text))?;
    simulation.act(py, |sim| sim.set_settings(settings))
}

/// Sets the friction coefficient of a part, or of a pair of parts.
#[pyfunction]
pub(crate) fn set_friction(
    py: Python<'_>,
    simulation: &Simulation,
    parts: Vec<PartName>,
    coefficient: f32,
) -> PyResult<()> {
    simulation.act(py, |sim| {
        let parts: Result<Vec<_>, StepError> = parts.iter().map(|part| find(sim, part)).collect();
        let set = match parts.map_err(|error| error.to_string())?[..] {
            [part] => sim.set_friction(part, coefficient),
            [a, b, ..] => sim.set_pair_friction(a, b, coefficient),
            [] => Ok(()),
        };
        set.map_err(|error| error.to_string())
    })
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
    let collider = scene::read_collider(collider).map_err(|text| errors::raise(py, "InputError", text))?;
    simulation.act(py, |sim| match collider {
        ColliderDesc::Kinematic(collider) => sim.add_collider(collider).map(|_| ()),
        ColliderDesc::Rigid(body) => sim.add_rigid_body(body).map(|_| ()),
    })
}

/// Removes a collider or a rigid body, of which the Python half knows that it is there.
#[pyfunction]
pub(crate) fn remove_collider(py: Python<'_>, simulation: &Simulation, collider: usize) -> PyResult<()> {
    let id = simulation.act(py, |sim| sim.collider_id(collider))?;
    simulation.act(py, |sim| sim.remove_collider(id).map(|_| ()))
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
    let [linear, angular] = by.map(Vector3::from);
    simulation.act(py, |sim| match (sim.collider_id(collider)?, is_impulse) {
        (id, true) => sim.apply_rigid_impulse(id, linear, angular),
        (id, false) => sim.set_rigid_velocity(id, linear, angular),
    })
}

/// Holds vertices of a cloth where they are by springs of a compliance (m/N): by attachments that are described
/// so, or else by new ones. Returns the JSON of all attachments of the cloth if there are new ones.
#[pyfunction]
pub(crate) fn pin_softly(
    py: Python<'_>,
    simulation: &Simulation,
    cloth: usize,
    vertices: Numbers<'_>,
    compliance: f32,
) -> PyResult<Option<String>> {
    let mut inner = simulation.lock(py)?;
    let is_of_file = inner.motion.is_some();
    let (sim, vertices) = (&mut inner.sim, vertices.as_slice()?);
    let refuse = |error: StepError| errors::simulation(py, error);
    let id = sim.cloth_id(cloth).map_err(refuse)?;
    let first = (0..cloth).filter_map(|i| sim.scene().cloth(sim.cloth_id(i).ok()?));
    let first: usize = first.map(|cloth| cloth.attachments.len()).sum();
    let mut found = Vec::new();
    let mut new: BTreeMap<u32, Attachment> = BTreeMap::new();
    for &vertex in vertices {
        let places = sim.cloth_positions(id).unwrap_or_default();
        let (what, index) = ("vertex", vertex as usize);
        let missing = || refuse(StepError::NotFound { what, index, count: places.len() });
        let target = *places.get(index).ok_or_else(missing)?;
        let described = sim.scene().cloth(id).map_or(&[][..], |cloth| &cloth.attachments);
        let is_it = |a: &Attachment| (a.vertex, a.compliance) == (vertex, compliance);
        match described.iter().position(is_it) {
            Some(i) => found.push(first + i),
            None => drop(new.insert(vertex, Attachment { vertex, target, compliance })),
        }
    }
    if !new.is_empty() {
        if is_of_file {
            let text = "a scene file knows its springs by their numbers; describe the pin there, with \
                        `compliance`";
            return Err(errors::raise(py, "InputError", text));
        }
        let added = sim.edit(|scene| {
            let cloth = scene.cloth_mut(id).into_iter();
            cloth.for_each(|cloth| cloth.attachments.extend(new.values()));
            Ok(())
        });
        added.map_err(|error| errors::simulation(py, error))?;
    }
    found.into_iter().try_for_each(|i| sim.set_attachment(i, true)).map_err(refuse)?;
    let described = sim.scene().cloth(id).filter(|_| !new.is_empty());
    let described = described.map(|cloth| serde_json::to_string(&cloth.attachments)).transpose();
    described.map_err(|error| errors::simulation(py, error))
}

/// Lets attachments hold their vertices where they are, or hold them no longer.
#[pyfunction]
pub(crate) fn set_attachments(
    py: Python<'_>,
    simulation: &Simulation,
    numbers: Numbers<'_>,
    hold: bool,
) -> PyResult<()> {
    let mut numbers = numbers.as_slice()?.iter();
    all_or_none(py, simulation, |sim| numbers.try_for_each(|&i| sim.set_attachment(i as usize, hold)))
}

/// The attachments that hold, by vertex of the common arrays.
pub(crate) fn springs(sim: &Solver) -> BTreeMap<usize, usize> {
    let all = (0..).map_while(|i| Some((i, sim.attachment(i).ok()?)));
    all.filter(|(_, status)| status.holds).map(|(i, status)| (status.vertex, i)).collect()
}

/// Moves targets of attachments to places (m) in the next step.
#[pyfunction]
pub(crate) fn move_attachments(
    py: Python<'_>,
    simulation: &Simulation,
    numbers: Numbers<'_>,
    targets: Rows<'_>,
) -> PyResult<()> {
    let mut moves = numbers.as_slice()?.iter().zip(points(&targets)?);
    let moves = |sim: &mut Solver| moves.try_for_each(|(&i, p)| sim.move_attachment(i as usize, p));
    all_or_none(py, simulation, moves)
}

/// Moves the pose of a cloth's drive to places (m) in the next step.
#[pyfunction]
pub(crate) fn move_drive(
    py: Python<'_>,
    simulation: &Simulation,
    cloth: usize,
    to: Rows<'_>,
) -> PyResult<()> {
    let targets = points(&to)?;
    simulation.act(py, |sim| sim.move_drive(sim.cloth_id(cloth)?, &targets))
}

/// Moves the local frame of a cloth to a position (m) and a quaternion x, y, z, w in the next step.
#[pyfunction]
pub(crate) fn move_local_frame(
    py: Python<'_>,
    simulation: &Simulation,
    cloth: usize,
    pose: [f32; 7],
) -> PyResult<()> {
    let pose = scene::isometry(pose).map_err(|text| errors::raise(py, "InputError", text))?;
    simulation.act(py, |sim| sim.move_local_frame(sim.cloth_id(cloth)?, pose))
}

/// Replaces the numbers that the caller keeps with the state, which are finite.
#[pyfunction]
pub(crate) fn set_user_data(py: Python<'_>, simulation: &Simulation, numbers: Vec<f64>) -> PyResult<()> {
    let mut inner = simulation.lock(py)?;
    if inner.motion.is_some() {
        let text = "the simulation of a scene file keeps its timed pins there; keep numbers elsewhere";
        return Err(errors::raise(py, "InputError", text));
    }
    *inner.sim.user_data_mut() = numbers;
    Ok(())
}

/// Wakes a cloth, or all without a number.
#[pyfunction]
pub(crate) fn wake(py: Python<'_>, simulation: &Simulation, cloth: Option<usize>) -> PyResult<()> {
    simulation.act(py, |sim| match cloth {
        Some(cloth) => sim.wake(sim.cloth_id(cloth)?),
        None => {
            sim.wake_all();
            Ok(())
        }
    })
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
    let is_of_file = inner.motion.is_some();
    let sim = &mut inner.sim;
    let found = |error: StepError| errors::simulation(py, error);
    let ids: Vec<ClothId> = (0..sim.cloth_count()).filter_map(|i| sim.cloth_id(i).ok()).collect();
    // Another thread may have removed what the Python half has seen.
    for &i in remove_cloths.iter().chain(changes.iter().map(|(i, _)| i)) {
        sim.cloth_id(i).map_err(found)?;
    }
    let gone: Result<Vec<MeshBodyId>, _> = remove_bodies.iter().map(|&i| sim.mesh_body_id(i)).collect();
    let gone = gone.map_err(found)?;
    let descs: Vec<&ClothDesc> = ids.iter().filter_map(|&id| sim.scene().cloth(id)).collect();
    let added = scene::describe(py, (&cloths, &descs), &bodies, &[], ["default", "{}", interactions])?;
    let changed = changes.iter().map(|(i, keys)| {
        let changed = scene::change_cloth(ClothDesc::clone(descs[*i]), keys);
        changed.map(|changed| (ids[*i], changed)).map_err(|text| refuse(format!("cloth {i}: {text}")))
    });
    let changed = changed.collect::<PyResult<Vec<_>>>()?;
    let is_renumbered = changes
        .iter()
        .zip(&changed)
        .any(|((i, _), (_, (desc, _)))| desc.attachments.len() != descs[*i].attachments.len());
    if is_of_file && (is_renumbered || remove_cloths.len() + remove_bodies.len() > 0) {
        let text = "a scene file knows its parts and springs by their numbers, so none can be removed, and \
                    springs not added; change the file";
        return Err(refuse(text.to_owned()));
    }
    let change = |scene: &mut SimulationBuilder| -> Result<(), BuildError> {
        for (id, (desc, friction)) in changed {
            scene.cloth_mut(id).into_iter().for_each(|cloth| cloth.clone_from(&desc));
            friction.map_or(Ok(()), |friction| scene.set_friction(id, friction))?;
        }
        remove_cloths.iter().try_for_each(|&i| scene.remove_cloth(ids[i]).map(|_| ()))?;
        gone.iter().try_for_each(|&id| scene.remove_mesh_body(id).map(|_| ()))?;
        let cloths: Vec<ClothId> = added.cloths.into_iter().map(|cloth| scene.add_cloth(cloth)).collect();
        let bodies = added.mesh_bodies.into_iter().map(|body| scene.add_mesh_body(body));
        let bodies: Vec<MeshBodyId> = bodies.collect();
        for (part, friction) in added.friction {
            match part {
                ScenePart::Cloth(i) => scene.set_friction(cloths[i], friction)?,
                ScenePart::Body(i) => scene.set_friction(bodies[i], friction)?,
                ScenePart::Collider(_) => {}
            }
        }
        for RegionInteraction { between: [a, b], kind } in added.interactions {
            scene.set_interaction(a, b, kind);
        }
        Ok(())
    };
    sim.edit(change).map_err(|error| errors::simulation(py, error))?;
    inner.lay_out_anew();
    Ok(())
}

fn vectors(array: &Rows<'_>) -> PyResult<Vec<Vector3<f32>>> {
    Ok(rows(array)?.iter().map(|&v| v.into()).collect())
}
