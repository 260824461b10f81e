//! Many simulations of one scene, stepped on all threads.
//!
//! An environment is kept as its snapshot. Each thread has one whole simulation, which restores the state of
//! an environment, steps, and saves it: `docs/design/python.md` has the reasons and figures.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use cloth_solver::{Simulation as Solver, Snapshot};
use numpy::{PyArray1, PyReadonlyArray1, PyReadonlyArray3, PyReadwriteArray3, PyUntypedArrayMethods};
use pyo3::prelude::*;
use pyo3::types::PyBytes;
use rayon::{ThreadPool, ThreadPoolBuilder};

use crate::simulation::{Simulation, cloth_id, copy_positions};
use crate::slot::{Slot, Taken};
use crate::steps::{self, Motion, PinMoves, Steps};
use crate::{errors, pool};

/// An environment between two steps.
struct Environment {
    state: Snapshot,
    /// For its next step.
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
    /// As many numbers as were asked for.
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
        let inner = simulation.lock(py);
        let (template, start) = (inner.sim.clone(), inner.sim.snapshot());
        let environment = || Environment { state: start.clone(), moves: PinMoves::new() };
        let inner = Environments {
            environments: std::iter::repeat_with(environment).take(count).collect(),
            motion: inner.motion.clone(),
            template,
            workers: Vec::new(),
            process: std::process::id(),
            start,
        };
        Ok(Self { inner: Slot::new(inner) })
    }

    /// Steps every environment; their positions (m) go to an array, if there is one. Returns records of
    /// `STEP`, and the numbers of those that failed with the reasons.
    fn step<'py>(
        &self,
        py: Python<'py>,
        dt: f64,
        count: usize,
        out: Option<PyReadwriteArray3<'py, f32>>,
    ) -> PyResult<(Bound<'py, PyArray1<u8>>, Vec<Failure>)> {
        let size = out.as_ref().map_or(0, |out| 3 * out.shape()[1]);
        self.lock(py).start_workers(py)?;
        let results = self.inner.run(py, move |inner, stop| inner.step(dt as f32, count, size, stop))?;
        if let Some(mut out) = out {
            let places = out.as_slice_mut()?.chunks_exact_mut(size.max(1));
            places.zip(&results).for_each(|(place, result)| place.copy_from_slice(&result.positions));
        }
        let mut bytes = Vec::new();
        results.iter().for_each(|result| result.steps.write(&mut bytes));
        let failed = results.into_iter().enumerate().filter_map(|(i, result)| Some((i, result.failed?)));
        Ok((PyArray1::from_vec(py, bytes), failed.collect()))
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
        let mut inner = self.lock(py);
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
    fn reset(&self, py: Python<'_>, which: Vec<usize>) {
        let Environments { environments, start, .. } = &mut *self.lock(py);
        for i in which {
            environments[i] = Environment { state: start.clone(), moves: PinMoves::new() };
        }
    }

    /// Copies the positions (m) or velocities (m/s) of some environments into an array of all.
    fn read(
        &self,
        py: Python<'_>,
        which: Vec<usize>,
        is_velocity: bool,
        mut out: PyReadwriteArray3<'_, f32>,
    ) -> PyResult<()> {
        let inner = &mut *self.lock(py);
        let size = 3 * out.shape()[1];
        let out = out.as_slice_mut()?;
        for i in which {
            inner.template.restore(&inner.environments[i].state).map_err(|e| errors::simulation(py, e))?;
            let place = &mut out[i * size..][..size];
            if is_velocity {
                let numbers = inner.template.velocities().iter().flat_map(|v| v.iter());
                place.iter_mut().zip(numbers).for_each(|(place, number)| *place = *number);
            } else {
                copy_positions(&inner.template, place);
            }
        }
        Ok(())
    }

    /// Time (s) and state hash of each environment.
    fn states(&self, py: Python<'_>) -> PyResult<Vec<(f64, u64)>> {
        let Environments { environments, template, .. } = &mut *self.lock(py);
        let states = environments.iter().map(|environment| {
            template.restore(&environment.state).map_err(|error| errors::simulation(py, error))?;
            Ok((template.time(), template.state_hash()))
        });
        states.collect()
    }

    fn snapshot<'py>(&self, py: Python<'py>, i: usize) -> PyResult<Bound<'py, PyBytes>> {
        let Environments { environments, template, .. } = &mut *self.lock(py);
        let restored = environments[i].restore(template);
        restored.map_err(|error| errors::simulation(py, error))?;
        Ok(PyBytes::new(py, &template.snapshot().to_bytes()))
    }

    fn restore(&self, py: Python<'_>, i: usize, bytes: &[u8]) -> PyResult<()> {
        let Environments { environments, template, .. } = &mut *self.lock(py);
        let snapshot = Snapshot::from_bytes(bytes).map_err(|error| errors::simulation(py, error))?;
        template.restore(&snapshot).map_err(|error| errors::simulation(py, error))?;
        // Its own snapshot shares the description of the scene with all others.
        environments[i] = Environment { state: template.snapshot(), moves: PinMoves::new() };
        Ok(())
    }
}

impl Batch {
    /// Waits until no other call has it.
    fn lock(&self, py: Python<'_>) -> Taken<Environments> {
        self.inner.take(py)
    }
}

impl Environments {
    /// Steps every environment until a signal; all have taken equally many then. Of each, so many numbers of
    /// positions are copied.
    fn step(&mut self, dt: f32, count: usize, size: usize, stop: &AtomicBool) -> Vec<Stepped> {
        let Self { environments, motion, workers, .. } = self;
        let stepped = || Stepped { positions: vec![0.0; size], ..Stepped::default() };
        let mut results: Vec<Stepped> = std::iter::repeat_with(stepped).take(environments.len()).collect();
        for _ in 0..count {
            if stop.load(Ordering::Relaxed) {
                break;
            }
            let queue = Mutex::new(environments.iter_mut().zip(&mut results));
            on_each(workers, &|sim| {
                while let Some((environment, Stepped { steps, failed, positions })) = next(&queue) {
                    if failed.is_none() {
                        *failed = environment.step(sim, motion, dt, steps).err();
                        copy_positions(sim, positions);
                    }
                }
            });
        }
        results
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
        let taken = self.restore(sim).and_then(|()| steps.take(sim, motion, dt));
        self.moves = PinMoves::new();
        // After an error too: targets are kept, as a simulation keeps them.
        self.state = sim.snapshot();
        taken
    }
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
