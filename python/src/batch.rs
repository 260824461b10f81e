//! Many simulations of one scene, stepped on all threads.
//!
//! An environment is kept as its snapshot. Each thread has one whole simulation, which restores the state of an
//! environment, steps, and saves it: `docs/design/python.md` has the reasons and figures.

use std::sync::atomic::Ordering;
use std::sync::{Mutex, MutexGuard, PoisonError};

use cloth_solver::{Simulation as Solver, Snapshot};
use numpy::{PyArray1, PyReadonlyArray1, PyReadonlyArray3, PyReadwriteArray3, PyUntypedArrayMethods};
use pyo3::prelude::*;
use pyo3::types::PyBytes;
use rayon::{ThreadPool, ThreadPoolBuilder};

use crate::simulation::{Simulation, cloth_id, copy_positions};
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
    /// A pool of one: what a step would do in parallel stays on its thread, and no other step begins in the midst
    /// of it.
    thread: ThreadPool,
    sim: Solver,
}

struct Inner {
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
    inner: Mutex<Inner>,
}

#[pymethods]
impl Batch {
    #[new]
    fn new(py: Python<'_>, simulation: &Simulation, count: usize) -> PyResult<Self> {
        let inner = simulation.lock(py);
        let (template, start) = (inner.sim.clone(), inner.sim.snapshot());
        let environment = || Environment { state: start.clone(), moves: PinMoves::new() };
        let inner = Inner {
            environments: std::iter::repeat_with(environment).take(count).collect(),
            motion: inner.motion.clone(),
            template,
            workers: Vec::new(),
            process: std::process::id(),
            start,
        };
        Ok(Self { inner: Mutex::new(inner) })
    }

    /// Steps every environment; their positions go to an array, if there is one. Returns records of `STEP`, and
    /// the numbers of those that failed with the reasons.
    fn step<'py>(
        &self,
        py: Python<'py>,
        dt: f64,
        count: usize,
        out: Option<PyReadwriteArray3<'py, f32>>,
    ) -> PyResult<(Bound<'py, PyArray1<u8>>, Vec<Failure>)> {
        let mut inner = self.lock(py);
        inner.start_workers(py)?;
        let mut out = out;
        let out = out.as_mut().map(|out| out.as_slice_mut()).transpose()?;
        let Inner { environments, motion, workers, .. } = &mut *inner;
        let size = out.as_ref().map_or(0, |out| out.len() / environments.len().max(1)).max(1);
        let mut results: Vec<(Steps, Option<String>)> = vec![Default::default(); environments.len()];
        let mut places: Vec<Option<&mut [f32]>> = match out {
            Some(out) => out.chunks_exact_mut(size).map(Some).collect(),
            None => environments.iter().map(|_| None).collect(),
        };
        pool::run_interruptible(py, |stop| {
            // All have taken equally many steps when a signal ends the call.
            for _ in 0..count {
                if stop.load(Ordering::Relaxed) {
                    break;
                }
                let work = environments.iter_mut().zip(&mut results).zip(&mut places);
                let queue = Mutex::new(work);
                on_each(workers, &|sim| {
                    while let Some(((environment, (steps, failed)), place)) = next(&queue) {
                        if failed.is_none() {
                            *failed = environment.step(sim, motion, dt as f32, steps).err();
                            place.iter_mut().for_each(|place| copy_positions(sim, place));
                        }
                    }
                });
            }
        })?;
        let mut bytes = Vec::new();
        results.iter().for_each(|(steps, _)| steps.write(&mut bytes));
        let failed = results.into_iter().enumerate().filter_map(|(i, (_, failed))| Some((i, failed?)));
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
            let Inner { environments, template, .. } = &mut *inner;
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
        let Inner { environments, start, .. } = &mut *self.lock(py);
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
        let Inner { environments, template, .. } = &mut *self.lock(py);
        let states = environments.iter().map(|environment| {
            template.restore(&environment.state).map_err(|error| errors::simulation(py, error))?;
            Ok((template.time(), template.state_hash()))
        });
        states.collect()
    }

    fn snapshot<'py>(&self, py: Python<'py>, i: usize) -> PyResult<Bound<'py, PyBytes>> {
        let Inner { environments, template, .. } = &mut *self.lock(py);
        let restored = environments[i].restore(template);
        restored.map_err(|error| errors::simulation(py, error))?;
        Ok(PyBytes::new(py, &template.snapshot().to_bytes()))
    }

    fn restore(&self, py: Python<'_>, i: usize, bytes: &[u8]) -> PyResult<()> {
        let Inner { environments, template, .. } = &mut *self.lock(py);
        let snapshot = Snapshot::from_bytes(bytes).map_err(|error| errors::simulation(py, error))?;
        template.restore(&snapshot).map_err(|error| errors::simulation(py, error))?;
        // Its own snapshot shares the description of the scene with all others.
        environments[i] = Environment { state: template.snapshot(), moves: PinMoves::new() };
        Ok(())
    }
}

impl Batch {
    /// Waits without the interpreter, for whoever has the lock may need it.
    fn lock<'a>(&'a self, py: Python<'_>) -> MutexGuard<'a, Inner> {
        use pyo3::sync::MutexExt;
        self.inner.lock_py_attached(py).unwrap_or_else(PoisonError::into_inner)
    }
}

impl Inner {
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

    /// Takes a step of `dt` seconds in a simulation, which is in the state of this environment then; the error is
    /// a sentence.
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
