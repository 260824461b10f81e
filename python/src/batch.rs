//! Many simulations of one scene, stepped on all threads.
//!
//! An environment is kept as its snapshot. Each thread has one whole simulation, which restores the state of
//! an environment, steps, and saves it: `docs/design/python.md` has the reasons and figures.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use cloth_solver::{Simulation as Solver, Snapshot};
use nalgebra::Vector3;
use numpy::{PyArray1, PyArray3, PyArrayMethods, PyReadonlyArray1, PyReadonlyArray3};
use pyo3::prelude::*;
use pyo3::types::PyBytes;
use rayon::{ThreadPool, ThreadPoolBuilder};

use crate::simulation::{Simulation, cloth_id, positions, velocities};
use crate::slot::{Slot, Taken};
use crate::steps::{self, Motion, PinMoves, Steps};
use crate::{errors, pool};

/// An environment between two steps.
struct Environment {
    state: Snapshot,
    /// Motions of pins for its next step.
    moves: PinMoves,
}

/// A thread, and the simulation that it steps environments with.
struct Worker {
    /// A pool of one: what a step would do in parallel stays on its thread, and no other step begins in the
    /// midst of it.
    thread: ThreadPool,
    sim: Solver,
}

/// What the steps of a call have made of an environment.
#[derive(Default)]
struct Stepped {
    steps: Steps,
    failed: Option<String>,
    /// Empty if nobody has asked for them.
    positions: Vec<f32>,
}

struct Environments {
    environments: Vec<Environment>,
    /// What `reset` returns to.
    start: Snapshot,
    motion: Motion,
    /// What workers are copies of.
    template: Solver,
    workers: Vec<Worker>,
    /// The process that started the workers: a fork has none of its parent's threads.
    process: u32,
    /// Number of vertices of all cloths and mesh bodies.
    vertex_count: usize,
    /// The positions (m) that were asked for. They follow the environments: a call that changes one calls
    /// [`Environments::follow`] before another call may have them.
    positions: Option<Py<PyArray3<f32>>>,
}

/// The number of an environment, and why its step failed.
type Failure = (usize, String);

/// A number of simulations; calls from several threads wait for each other.
#[pyclass(frozen, module = "cloth._cloth")]
pub(crate) struct Batch {
    inner: Arc<Slot<Environments>>,
}

#[pymethods]
impl Batch {
    #[new]
    fn new(py: Python<'_>, simulation: &Simulation, count: usize) -> PyResult<Self> {
        let inner = simulation.lock(py)?;
        let (template, start) = (inner.sim.clone(), inner.sim.snapshot());
        let environment = || Environment { state: start.clone(), moves: PinMoves::new() };
        let inner = Environments {
            environments: std::iter::repeat_with(environment).take(count).collect(),
            motion: inner.motion.clone(),
            vertex_count: inner.vertex_count,
            template,
            workers: Vec::new(),
            process: std::process::id(),
            start,
            positions: None,
        };
        Ok(Self { inner: Slot::new(inner) })
    }

    /// Steps every environment. Returns records of `STEP`, and the numbers of those that failed with the
    /// reasons.
    fn step<'py>(
        &self,
        py: Python<'py>,
        dt: f64,
        count: usize,
    ) -> PyResult<(Bound<'py, PyArray1<u8>>, Vec<Failure>)> {
        let mut inner = self.lock(py)?;
        inner.start_workers(py)?;
        match inner.run(py, move |inner, stop| inner.step(dt as f32, count, stop)) {
            Ok((inner, mut results)) => {
                for (i, result) in results.iter_mut().enumerate() {
                    inner.show(py, i, std::mem::take(&mut result.positions))?;
                }
                let mut bytes = Vec::new();
                results.iter().for_each(|result| result.steps.write(&mut bytes));
                let failed =
                    results.into_iter().enumerate().filter_map(|(i, result)| Some((i, result.failed?)));
                Ok((PyArray1::from_vec(py, bytes), failed.collect()))
            }
            Err(error) => {
                // A signal: the work ends after the present step.
                let inner = &mut *self.lock(py)?;
                (0..inner.environments.len()).try_for_each(|i| inner.follow(py, i))?;
                Err(error)
            }
        }
    }

    /// Gives pins of some environments their targets (m) for the next step: a row of `targets` for each
    /// environment, those of others are not read.
    fn move_pins(
        &self,
        py: Python<'_>,
        cloth: usize,
        vertices: PyReadonlyArray1<'_, u32>,
        targets: PyReadonlyArray3<'_, f32>,
        which: Vec<usize>,
    ) -> PyResult<()> {
        let mut inner = self.lock(py)?;
        let id = cloth_id(py, &inner.template, cloth)?;
        let (vertices, targets) = (vertices.as_slice()?, targets.as_slice()?.as_chunks::<3>().0);
        let moves = |i: usize| {
            let targets = targets[i * vertices.len()..].iter().map(|&p| p.into());
            vertices.iter().zip(targets).map(|(&v, p)| (id, v, p))
        };
        for &i in &which {
            // In the template, which is nobody's state: a refused call changes nothing.
            let Environments { environments, template, .. } = &mut *inner;
            let tried = environments[i].restore(template);
            let tried = tried.and_then(|()| steps::move_pins(template, &moves(i).collect()));
            tried.map_err(|error| errors::simulation(py, format!("environment {i}: {error}")))?;
        }
        for &i in &which {
            inner.environments[i].moves.extend(moves(i));
        }
        Ok(())
    }

    /// Returns some environments to the start.
    fn reset(&self, py: Python<'_>, which: Vec<usize>) -> PyResult<()> {
        let inner = &mut *self.lock(py)?;
        for &i in &which {
            inner.environments[i] = Environment { state: inner.start.clone(), moves: PinMoves::new() };
        }
        which.into_iter().try_for_each(|i| inner.follow(py, i))
    }

    /// The positions (m) of all environments: one array, which follows them from now on.
    #[getter]
    fn positions<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray3<f32>>> {
        let inner = &mut *self.lock(py)?;
        if let Some(positions) = &inner.positions {
            return Ok(positions.bind(py).clone());
        }
        let positions = inner.read_all(py, false)?;
        inner.positions = Some(positions.clone().unbind());
        Ok(positions)
    }

    /// The velocities (m/s) of all environments.
    #[getter]
    fn velocities<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray3<f32>>> {
        self.lock(py)?.read_all(py, true)
    }

    /// Time (s) and state hash of each environment.
    fn states(&self, py: Python<'_>) -> PyResult<Vec<(f64, u64)>> {
        let Environments { environments, template, .. } = &mut *self.lock(py)?;
        let states = environments.iter().map(|environment| {
            template.restore(&environment.state).map_err(|error| errors::simulation(py, error))?;
            Ok((template.time(), template.state_hash()))
        });
        states.collect()
    }

    fn snapshot<'py>(&self, py: Python<'py>, i: usize) -> PyResult<Bound<'py, PyBytes>> {
        let Environments { environments, template, .. } = &mut *self.lock(py)?;
        let restored = environments[i].restore(template);
        restored.map_err(|error| errors::simulation(py, error))?;
        Ok(PyBytes::new(py, &template.snapshot().to_bytes()))
    }

    fn restore(&self, py: Python<'_>, i: usize, bytes: &[u8]) -> PyResult<()> {
        let inner = &mut *self.lock(py)?;
        let Environments { environments, template, .. } = inner;
        let snapshot = Snapshot::from_bytes(bytes).map_err(|error| errors::simulation(py, error))?;
        template.restore(&snapshot).map_err(|error| errors::simulation(py, error))?;
        // Its own snapshot shares the description of the scene with all others.
        environments[i] = Environment { state: template.snapshot(), moves: PinMoves::new() };
        inner.follow(py, i)
    }
}

impl Batch {
    /// Waits until no other call has it.
    fn lock(&self, py: Python<'_>) -> PyResult<Taken<Environments>> {
        self.inner.take(py)
    }
}

impl Environments {
    /// Steps every environment until a signal; all have taken equally many then.
    fn step(&mut self, dt: f32, count: usize, stop: &AtomicBool) -> Vec<Stepped> {
        let vertex_count = self.positions.as_ref().map_or(0, |_| self.vertex_count);
        let Self { environments, motion, workers, .. } = self;
        let mut results: Vec<Stepped> =
            std::iter::repeat_with(Stepped::default).take(environments.len()).collect();
        for _ in 0..count {
            if stop.load(Ordering::Relaxed) {
                break;
            }
            let queue = Mutex::new(environments.iter_mut().zip(&mut results));
            on_each(workers, &|sim| {
                while let Some((environment, stepped)) = next(&queue) {
                    if stepped.failed.is_none() {
                        stepped.failed = environment.step(sim, motion, dt, &mut stepped.steps).err();
                        stepped.positions.clear();
                        stepped.positions.extend(numbers(positions(sim, vertex_count).map(|p| p.coords)));
                    }
                }
            });
        }
        results
    }

    /// Appends the positions (m) or velocities (m/s) of an environment.
    fn read(&mut self, py: Python<'_>, i: usize, is_velocity: bool, to: &mut Vec<f32>) -> PyResult<()> {
        let Self { environments, template, vertex_count, .. } = self;
        template.restore(&environments[i].state).map_err(|error| errors::simulation(py, error))?;
        if is_velocity {
            to.extend(numbers(velocities(template, *vertex_count)));
        } else {
            to.extend(numbers(positions(template, *vertex_count).map(|p| p.coords)));
        }
        Ok(())
    }

    /// Positions (m) or velocities (m/s) of all environments.
    fn read_all<'py>(&mut self, py: Python<'py>, is_velocity: bool) -> PyResult<Bound<'py, PyArray3<f32>>> {
        let count = self.environments.len();
        let mut all = Vec::with_capacity(3 * self.vertex_count * count);
        (0..count).try_for_each(|i| self.read(py, i, is_velocity, &mut all))?;
        PyArray1::from_vec(py, all).reshape([count, self.vertex_count, 3])
    }

    /// Brings the positions that were asked for up to date with an environment.
    fn follow(&mut self, py: Python<'_>, i: usize) -> PyResult<()> {
        if self.positions.is_none() {
            return Ok(());
        }
        let mut row = Vec::with_capacity(3 * self.vertex_count);
        self.read(py, i, false, &mut row)?;
        self.show(py, i, row)
    }

    /// Shows the positions (m) of an environment, if they were asked for. Numpy writes them, which waits for
    /// no reader.
    fn show(&self, py: Python<'_>, i: usize, row: Vec<f32>) -> PyResult<()> {
        let Some(positions) = &self.positions else { return Ok(()) };
        let row = PyArray1::from_vec(py, row).reshape([self.vertex_count, 3])?;
        positions.bind(py).as_any().set_item(i, row)
    }

    /// As many workers as the package has threads.
    fn start_workers(&mut self, py: Python<'_>) -> PyResult<()> {
        let process = std::process::id();
        if process != self.process {
            // Their threads are in another process: nobody here could end them.
            std::mem::take(&mut self.workers).into_iter().for_each(|worker| std::mem::forget(worker.thread));
            self.process = process;
        }
        let count = pool::thread_count(py)?.min(self.environments.len());
        self.workers.truncate(count);
        while self.workers.len() < count {
            let thread = ThreadPoolBuilder::new().num_threads(1).build();
            let thread = thread.map_err(|error| errors::raise(py, "ClothError", error))?;
            self.workers.push(Worker { thread, sim: self.template.clone() });
        }
        Ok(())
    }
}

impl Environment {
    /// Brings a simulation to the state of this environment, with the targets of the next step.
    fn restore(&self, sim: &mut Solver) -> Result<(), String> {
        sim.restore(&self.state).map_err(|error| error.to_string())?;
        steps::move_pins(sim, &self.moves)
    }

    /// Takes a step of `dt` seconds in a simulation, which is in the state of this environment then; the
    /// error is a sentence.
    fn step(&mut self, sim: &mut Solver, motion: &Motion, dt: f32, steps: &mut Steps) -> Result<(), String> {
        let taken = self.restore(sim).and_then(|()| steps.take(sim, motion, dt, None));
        self.moves = PinMoves::new();
        // After an error too: targets are kept, as a simulation keeps them.
        self.state = sim.snapshot();
        taken
    }
}

/// The numbers of vectors.
fn numbers(vectors: impl Iterator<Item = Vector3<f32>>) -> impl Iterator<Item = f32> {
    vectors.flat_map(<[f32; 3]>::from)
}

/// Does work on all workers at a time.
fn on_each(workers: &mut [Worker], work: &(impl Fn(&mut Solver) + Sync)) {
    if let Some((Worker { thread, sim }, rest)) = workers.split_first_mut() {
        thread.in_place_scope(|scope| {
            scope.spawn(|_| work(sim));
            on_each(rest, work);
        });
    }
}

/// The next item of a queue that threads share.
fn next<T>(queue: &Mutex<impl Iterator<Item = T>>) -> Option<T> {
    queue.lock().unwrap_or_else(PoisonError::into_inner).next()
}
