//! A simulation.

use std::fmt::Display;
use std::ops::Range;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::Ordering;

use cloth_scene::{PinEvent, PinEventKind, PinRelease};
use cloth_solver::{ClothId, IntersectionFilter, Intersections, Simulation as Solver, Snapshot};
use nalgebra::{Isometry3, Point3, Vector3};
use numpy::{PyArray2, PyReadonlyArray1, PyReadonlyArray2};
use pyo3::prelude::*;
use pyo3::types::PyBytes;

use crate::arrays::{array, points};
use crate::changes::springs;
use crate::scene::{self, MeshPart};
use crate::slot::{Slot, Taken};
use crate::steps::{self, Motion, PinMoves, Steps};
use crate::waypoints::WaypointArrays;
use crate::{errors, pool};

/// A simulation, what moves in its scene, and its start.
pub(crate) struct MovingScene {
    pub(crate) sim: Solver,
    pub(crate) motion: Motion,
    /// What `reset` returns to.
    start: Snapshot,
    /// Number of vertices of all cloths and mesh bodies. Behind them are those of the axes of guarded
    /// colliders, which are no concern of callers.
    pub(crate) vertex_count: usize,
    /// The positions (m) that were asked for. They follow the simulation: a call that changes it calls
    /// [`MovingScene::follow`] before another call may have it.
    positions: Option<Py<PyArray2<f32>>>,
    /// What happened to timed pins in the last call of `step`.
    events: Vec<PinEvent>,
}

impl MovingScene {
    /// At its start.
    fn new(sim: Solver, motion: Motion) -> Self {
        Self {
            start: sim.snapshot(),
            vertex_count: vertex_count(&sim),
            sim,
            motion,
            positions: None,
            events: Vec::new(),
        }
    }

    /// Parts were added or removed: arrays that were handed out follow no more.
    pub(crate) fn lay_out_anew(&mut self) {
        self.vertex_count = vertex_count(&self.sim);
        self.positions = None;
    }

    fn position_array<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray2<f32>>> {
        let rows: Vec<[f32; 3]> = positions(&self.sim, self.vertex_count).map(Into::into).collect();
        array(py, &rows)
    }

    /// Brings the positions that were asked for up to date. Numpy writes them, which waits for no reader.
    pub(crate) fn follow(&self, py: Python<'_>) -> PyResult<()> {
        let Some(positions) = &self.positions else { return Ok(()) };
        positions.bind(py).as_any().set_item(py.Ellipsis(), self.position_array(py)?)
    }
}

/// Of a timed pin: when (s), garment, pin, vertices, what, and what was measured.
type PinEventRow = (f64, usize, usize, Vec<u32>, &'static str, Option<f64>);

/// A simulation; calls from several threads wait for each other.
#[pyclass(frozen, module = "cloth._cloth")]
pub(crate) struct Simulation {
    inner: Arc<Slot<MovingScene>>,
    /// Duration of a step (s) that a scene file says.
    #[pyo3(get)]
    dt: f64,
    /// Names of the cloths of a scene file.
    #[pyo3(get)]
    names: Vec<String>,
}

#[pymethods]
impl Simulation {
    /// From arrays; the texts are those of `scene::describe`.
    #[new]
    fn new(
        py: Python<'_>,
        cloths: Vec<MeshPart<'_>>,
        bodies: Vec<MeshPart<'_>>,
        colliders: Vec<String>,
        texts: [String; 3],
    ) -> PyResult<Self> {
        let texts = texts.each_ref().map(String::as_str);
        let desc = scene::describe(py, (&cloths, &[]), &bodies, &colliders, texts)?;
        let sim = pool::run(py, || desc.build(desc.settings))?;
        let sim = sim.map_err(|error| errors::simulation(py, error))?;
        let inner = Slot::new(MovingScene::new(sim, None));
        Ok(Self { inner, dt: 1.0 / 60.0, names: Vec::new() })
    }

    /// From a scene file, or from its text in the place of one.
    #[staticmethod]
    fn from_scene(py: Python<'_>, path: PathBuf, text: Option<String>) -> PyResult<Self> {
        let built = pool::run(py, || steps::build(&path, text.as_deref()))?;
        let (scene, sim) = built.map_err(|error| errors::file(py, &error))?;
        let dt = scene.dt;
        let names = scene.garments.iter().map(|garment| garment.name.clone()).collect();
        let inner = Slot::new(MovingScene::new(sim, Some(Slot::new(scene))));
        Ok(Self { inner, dt, names })
    }

    /// The ranges of vertices and of faces of each cloth.
    #[getter]
    fn cloths(&self, py: Python<'_>) -> PyResult<Vec<[usize; 4]>> {
        let sim = &self.lock(py)?.sim;
        let ids = (0..sim.cloth_count()).filter_map(|i| sim.cloth_id(i).ok());
        let ranges = ids.filter_map(|id| Some((sim.cloth_vertices(id)?, sim.cloth_faces(id)?)));
        Ok(ranges.map(|(v, f)| [v.start, v.end, f.start, f.end]).collect())
    }

    /// The range of vertices of each mesh body.
    #[getter]
    fn bodies(&self, py: Python<'_>) -> PyResult<Vec<(usize, usize)>> {
        let sim = &self.lock(py)?.sim;
        Ok(bodies(sim).map(|vertices| (vertices.start, vertices.end)).collect())
    }

    #[getter]
    fn vertex_count(&self, py: Python<'_>) -> PyResult<usize> {
        Ok(self.lock(py)?.vertex_count)
    }

    #[getter]
    fn faces<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray2<u32>>> {
        array(py, self.lock(py)?.sim.faces())
    }

    #[getter]
    fn time(&self, py: Python<'_>) -> PyResult<f64> {
        Ok(self.lock(py)?.sim.time())
    }

    /// The positions (m): one array, which follows the simulation from now on.
    #[getter]
    fn positions<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray2<f32>>> {
        let mut inner = self.lock(py)?;
        if let Some(positions) = &inner.positions {
            return Ok(positions.bind(py).clone());
        }
        let positions = inner.position_array(py)?;
        inner.positions = Some(positions.clone().unbind());
        Ok(positions)
    }

    #[getter]
    fn velocities<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray2<f32>>> {
        let inner = self.lock(py)?;
        let rows: Vec<[f32; 3]> = velocities(&inner.sim, inner.vertex_count).map(Into::into).collect();
        array(py, &rows)
    }

    /// Position (m) and rotation (a quaternion x, y, z, w) of each collider.
    #[getter]
    fn collider_poses<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray2<f32>>> {
        let inner = self.lock(py)?;
        let poses = inner.sim.colliders().iter().map(|collider| pose(&collider.pose_t1));
        array(py, &poses.collect::<Vec<_>>())
    }

    /// A record of `STEP`, and why a step failed if one did.
    fn step<'py>(
        &self,
        py: Python<'py>,
        dt: f64,
        count: usize,
        waypoints: Option<WaypointArrays<'py>>,
    ) -> PyResult<(Bound<'py, PyBytes>, Option<String>)> {
        let inner = self.lock(py)?;
        let waypoints = waypoints.map(|waypoints| waypoints.read(py, &inner.sim)).transpose()?;
        let stepped = inner.run(py, move |MovingScene { sim, motion, .. }, stop| {
            let mut steps = Steps::default();
            let mut failed = None;
            for _ in 0..count {
                if stop.load(Ordering::Relaxed) {
                    break;
                }
                failed = steps.take(sim, motion, dt as f32, waypoints.as_ref()).err();
                if failed.is_some() {
                    break;
                }
            }
            (steps, failed)
        });
        match stepped {
            Ok((mut inner, (steps, failed))) => {
                inner.follow(py)?;
                let mut bytes = Vec::new();
                steps.write(&mut bytes);
                inner.events = steps.events;
                Ok((PyBytes::new(py, &bytes), failed))
            }
            Err(error) => {
                // A signal: the work ends after the present step.
                self.lock(py)?.follow(py)?;
                Err(error)
            }
        }
    }

    /// The report of the last step as JSON.
    fn report(&self, py: Python<'_>) -> PyResult<String> {
        serde_json::to_string(self.lock(py)?.sim.report()).map_err(|error| errors::simulation(py, error))
    }

    /// The cuts of the last step: number of the cloth, distance (m), angle (degrees).
    #[getter]
    fn cuts(&self, py: Python<'_>) -> PyResult<Vec<(usize, f32, f32)>> {
        let sim = &self.lock(py)?.sim;
        let number = |id| (0..sim.cloth_count()).position(|i| sim.cloth_id(i) == Ok(id)).unwrap_or(0);
        Ok(sim.cuts().iter().map(|cut| (number(cut.cloth), cut.metres, cut.degrees)).collect())
    }

    /// What happened to timed pins in the last call of `step`: when (s), garment, pin, vertices, and what, with
    /// the distance (m) or the force (N) that released it.
    #[getter]
    fn pin_events(&self, py: Python<'_>) -> PyResult<Vec<PinEventRow>> {
        let inner = self.lock(py)?;
        let row = |event: &PinEvent| {
            let (kind, value) = match event.kind {
                PinEventKind::Taken => ("taken", None),
                PinEventKind::Ended => ("ended", None),
                PinEventKind::Released(PinRelease::Distance(metres)) => ("distance", Some(metres)),
                PinEventKind::Released(PinRelease::Force(newtons)) => ("force", Some(newtons)),
            };
            (event.time, event.garment, event.pin, event.vertices.clone(), kind, value)
        };
        Ok(inner.events.iter().map(row).collect())
    }

    /// Number of intersections of a cloth with anything.
    fn count_intersections(&self, py: Python<'_>) -> PyResult<usize> {
        Ok(self.found(py)?.count())
    }

    /// Whether there is none, and no face of cloth lies flat on another.
    fn is_clean(&self, py: Python<'_>) -> PyResult<bool> {
        Ok(self.found(py)?.is_clean())
    }

    fn state_hash(&self, py: Python<'_>) -> PyResult<u64> {
        Ok(self.lock(py)?.sim.state_hash())
    }

    /// Gives pins targets (m).
    fn move_pins(
        &self,
        py: Python<'_>,
        cloth: usize,
        vertices: PyReadonlyArray1<'_, u32>,
        targets: PyReadonlyArray2<'_, f32>,
    ) -> PyResult<()> {
        let (vertices, targets) = (vertices.as_slice()?, points(&targets)?);
        self.act(py, |sim| {
            let id = sim.cloth_id(cloth)?;
            let first = sim.cloth_vertices(id).map_or(0, |vertices| vertices.start);
            let (mut pins, mut soft, springs) = (PinMoves::new(), Vec::new(), springs(sim));
            for (&v, target) in vertices.iter().zip(targets) {
                match springs.get(&(first + v as usize)) {
                    Some(&spring) if sim.pin_target(id, v)?.is_none() => soft.push((spring, target)),
                    _ => pins.push((id, v, target)),
                }
            }
            sim.move_pins(&pins)?;
            soft.into_iter().try_for_each(|(spring, target)| sim.move_attachment(spring, target))
        })
    }

    /// Pins vertices where they are, or unpins them.
    fn set_pinned(
        &self,
        py: Python<'_>,
        cloth: usize,
        vertices: PyReadonlyArray1<'_, u32>,
        is_pinned: bool,
    ) -> PyResult<()> {
        let vertices = vertices.as_slice()?;
        self.act(py, |sim| match (sim.cloth_id(cloth)?, is_pinned) {
            (id, true) => sim.pin_all(id, vertices),
            (id, false) => {
                sim.unpin_all(id, vertices)?;
                let first = sim.cloth_vertices(id).map_or(0, |vertices| vertices.start);
                let springs = springs(sim);
                let held = vertices.iter().filter_map(|&v| springs.get(&(first + v as usize)));
                held.copied().try_for_each(|spring| sim.set_attachment(spring, false))
            }
        })
    }

    /// Moves a mesh body in the next step to positions (m), or at once.
    fn move_body(
        &self,
        py: Python<'_>,
        body: usize,
        positions: PyReadonlyArray2<'_, f32>,
        at_once: bool,
    ) -> PyResult<()> {
        let positions = points(&positions)?;
        self.act(py, |sim| match (sim.mesh_body_id(body)?, at_once) {
            (id, true) => sim.teleport_body(id, &positions),
            (id, false) => sim.move_mesh_body(id, &positions),
        })?;
        self.lock(py)?.follow(py)
    }

    /// Moves a collider in the next step to a position (m) and a quaternion x, y, z, w, or at once.
    fn move_collider(&self, py: Python<'_>, collider: usize, pose: [f32; 7], at_once: bool) -> PyResult<()> {
        let pose = scene::isometry(pose).map_err(|text| errors::raise(py, "InputError", text))?;
        self.act(py, |sim| match (sim.collider_id(collider)?, at_once) {
            (id, true) => sim.teleport_collider(id, pose),
            (id, false) => sim.move_collider(id, pose),
        })
    }

    /// Moves a cloth, or everything without a number, rigidly and at once.
    fn teleport(&self, py: Python<'_>, cloth: Option<usize>, motion: scene::RigidMotion) -> PyResult<()> {
        let motion = motion.to_isometry().map_err(|text| errors::raise(py, "InputError", text))?;
        self.act(py, |sim| match cloth {
            Some(cloth) => sim.teleport(sim.cloth_id(cloth)?, &motion),
            None => sim.teleport_all(&motion),
        })?;
        self.lock(py)?.follow(py)
    }

    fn reset(&self, py: Python<'_>) -> PyResult<()> {
        let mut inner = self.lock(py)?;
        let MovingScene { sim, start, .. } = &mut *inner;
        if sim.restore(start).is_err() {
            // The scene was changed.
            let built = sim.scene().build().map_err(|error| errors::simulation(py, error))?;
            *start = built.snapshot();
            sim.restore(start).map_err(|error| errors::simulation(py, error))?;
        }
        inner.follow(py)
    }

    fn snapshot<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyBytes>> {
        Ok(PyBytes::new(py, &self.lock(py)?.sim.snapshot().to_bytes()))
    }

    fn restore(&self, py: Python<'_>, bytes: &[u8]) -> PyResult<()> {
        let snapshot = Snapshot::from_bytes(bytes).map_err(|error| errors::simulation(py, error))?;
        let mut inner = self.lock(py)?;
        inner.sim.restore(&snapshot).map_err(|error| errors::simulation(py, error))?;
        inner.follow(py)
    }
}

impl Simulation {
    /// Changes or asks the simulation.
    pub(crate) fn act<T, E: Display>(
        &self,
        py: Python<'_>,
        work: impl FnOnce(&mut Solver) -> Result<T, E>,
    ) -> PyResult<T> {
        work(&mut self.lock(py)?.sim).map_err(|error| errors::simulation(py, error))
    }

    /// What cloth meets.
    fn found(&self, py: Python<'_>) -> PyResult<Intersections> {
        let inner = self.lock(py)?;
        let found = pool::run(py, || inner.sim.intersections(IntersectionFilter::CLOTH))?;
        found.map_err(|error| errors::simulation(py, error))
    }

    /// Waits until no other call has it.
    pub(crate) fn lock(&self, py: Python<'_>) -> PyResult<Taken<MovingScene>> {
        self.inner.take(py)
    }
}

/// The position (m) and the quaternion x, y, z, w of a pose.
pub(crate) fn pose(pose: &Isometry3<f32>) -> [f32; 7] {
    let (place, turn) = (pose.translation.vector, pose.rotation.coords);
    [place.x, place.y, place.z, turn.x, turn.y, turn.z, turn.w]
}

/// The vertices of each mesh body.
fn bodies(sim: &Solver) -> impl Iterator<Item = Range<usize>> {
    (0..).map_while(|i| sim.body_vertices(sim.mesh_body_id(i).ok()?))
}

/// Number of vertices of all cloths and mesh bodies.
fn vertex_count(sim: &Solver) -> usize {
    let last = sim.cloth_count().checked_sub(1).and_then(|last| sim.cloth_id(last).ok());
    let cloths = last.and_then(|id| sim.cloth_vertices(id)).map_or(0, |vertices| vertices.end);
    bodies(sim).last().map_or(cloths, |vertices| vertices.end)
}

/// The positions (m) of the first vertices, so many.
pub(crate) fn positions(sim: &Solver, count: usize) -> impl Iterator<Item = Point3<f32>> {
    sim.positions().iter().copied().take(count)
}

/// The velocities (m/s) of the first vertices, so many.
pub(crate) fn velocities(sim: &Solver, count: usize) -> impl Iterator<Item = Vector3<f32>> {
    sim.velocities().iter().copied().take(count)
}

/// The cloth of a number.
pub(crate) fn cloth_id(py: Python<'_>, sim: &Solver, cloth: usize) -> PyResult<ClothId> {
    sim.cloth_id(cloth).map_err(|error| errors::simulation(py, error))
}
