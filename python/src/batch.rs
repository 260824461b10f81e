//! Many simulations of one scene, stepped on all threads.
//!
//! An environment is kept as its packed snapshot. Each thread has one whole simulation, which restores the
//! state of an environment, works, and saves it: `docs/design/python.md` has the reasons and figures.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use cloth_solver::{Admit, ClothId, PackedSnapshot, Simulation as Solver, Snapshot, StepError};
use numpy::{
    PyArray1, PyArray3, PyArrayMethods, PyReadonlyArray1, PyReadonlyArray2, PyReadonlyArray3,
    PyUntypedArrayMethods,
};
use pyo3::exceptions::PyMemoryError;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyWeakrefMethods, PyWeakrefReference};
use rayon::{ThreadPool, ThreadPoolBuilder};

use crate::simulation::{Simulation, cloth_id};
use crate::slot::{Slot, Taken};
use crate::steps::{Motion, PinMoves, Steps};
use crate::{errors, pool};

/// A thread, and what it steps environments with.
struct Worker {
    /// A pool of one: what a step would do in parallel stays on its thread, and no other step begins in the
    /// midst of it.
    thread: ThreadPool,
    stepper: Stepper,
}

/// A simulation that is in the state of one environment after the other.
#[derive(Clone)]
struct Stepper {
    sim: Solver,
    /// Memory for the state between the simulation and an environment.
    snapshot: Snapshot,
}

/// What the steps of a call have made of an environment.
#[derive(Default)]
struct Stepped {
    steps: Steps,
    failed: Option<String>,
}

struct Environments {
    environments: Vec<PackedSnapshot>,
    /// What `reset` returns to, and the base of the packed snapshots.
    start: Arc<Snapshot>,
    motion: Motion,
    /// What workers are copies of.
    template: Stepper,
    workers: Vec<Worker>,
    /// The process that started the workers: a fork has none of its parent's threads.
    process: u32,
    arrays: Vec<LiveArray>,
}

/// Positions (m) or velocities (m/s) of some vertices in all environments, as long as the array is referenced.
/// It follows the environments: a call that changes some calls [`Environments::follow`] before another call
/// may have them. It is a copy: a write to it changes no environment.
struct LiveArray {
    is_velocity: bool,
    vertices: Vec<u32>,
    array: Py<PyWeakrefReference>,
}

/// The pins of a cloth in some environments, by step: what the arrays of a call say.
struct Controls {
    cloth: ClothId,
    /// Number of vertices in each environment, and of steps.
    width: usize,
    steps: usize,
    /// `width` for each environment; -1 is none.
    vertices: Vec<i64>,
    /// Targets (m) by environment, step and vertex, or nothing.
    targets: Vec<[f32; 3]>,
    /// Whether it is pinned, by environment, step and vertex, or nothing.
    pinned: Vec<bool>,
}

/// The steps of a rollout, and what is recorded after each.
struct Rollout {
    dt: f32,
    controls: Controls,
    /// Of positions and velocities.
    vertices: Vec<u32>,
}

/// What a rollout has made of an environment: its state, a record of `STEP` a step, and why one failed.
type RolledOut = (PackedSnapshot, Vec<u8>, Option<String>);

/// The number of an environment, and what failed in it.
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
        let start = Arc::new(inner.sim.snapshot());
        let inner = Environments {
            environments: vec![Snapshot::clone(&start).pack(&start); count],
            motion: inner.motion.clone(),
            template: Stepper { sim: inner.sim.clone(), snapshot: inner.sim.snapshot() },
            workers: Vec::new(),
            process: std::process::id(),
            start,
            arrays: Vec::new(),
        };
        Ok(Self { inner: Slot::new(inner) })
    }

    /// Steps some environments. Returns records of `STEP`, and those that failed.
    fn step<'py>(
        &self,
        py: Python<'py>,
        ids: Vec<usize>,
        dt: f64,
        count: usize,
    ) -> PyResult<(Bound<'py, PyArray1<u8>>, Vec<Failure>)> {
        let inner = self.lock_workers(py)?;
        let numbers = ids.clone();
        match inner.run(py, move |inner, stop| inner.step(&numbers, dt as f32, count, stop)) {
            Ok((mut inner, results)) => {
                inner.follow(py, &ids)?;
                let mut bytes = Vec::new();
                results.iter().for_each(|result| result.steps.write(&mut bytes));
                let failed = ids.into_iter().zip(results).filter_map(|(i, result)| Some((i, result.failed?)));
                Ok((PyArray1::from_vec(py, bytes), failed.collect()))
            }
            Err(error) => {
                // A signal: the work ends after the present step.
                self.lock(py)?.follow(py, &ids)?;
                Err(error)
            }
        }
    }

    /// Takes steps in some environments, with pins that are controlled in each. Returns records of `STEP`,
    /// positions and velocities after each step, and those that failed. Nothing has changed after a signal.
    #[allow(clippy::too_many_arguments, clippy::type_complexity, reason = "the arrays of a call")]
    fn rollout<'py>(
        &self,
        py: Python<'py>,
        ids: Vec<usize>,
        steps: usize,
        dt: f64,
        cloth: usize,
        vertices: PyReadonlyArray2<'_, i64>,
        targets: PyReadonlyArray1<'_, f32>,
        pinned: PyReadonlyArray1<'_, bool>,
        recorded: Vec<u32>,
        records: [bool; 2],
    ) -> PyResult<(Bound<'py, PyArray1<u8>>, [Bound<'py, PyArray1<f32>>; 2], Vec<Failure>)> {
        let inner = self.lock_workers(py)?;
        let mut controls = Controls::new(py, &inner, cloth, &vertices, steps)?;
        controls.targets = targets.as_slice()?.as_chunks().0.to_vec();
        controls.pinned = pinned.as_slice()?.to_vec();
        let rows = ids.len().saturating_mul(steps);
        let mut bytes = Vec::new();
        reserve(&mut bytes, rows.saturating_mul(Steps::SIZE))?;
        let width = rows.saturating_mul(3 * recorded.len());
        let mut values = [Vec::new(), Vec::new()];
        for (values, _) in values.iter_mut().zip(records).filter(|(_, is_recorded)| *is_recorded) {
            reserve(values, width)?;
            values.resize(width, f32::NAN);
        }
        let rollout = Rollout { dt: dt as f32, controls, vertices: recorded };
        let (mut inner, (ids, values, results)) = inner.run(py, move |inner, stop| {
            let results = inner.roll_out(&ids, &rollout, &mut values, stop);
            (ids, values, results)
        })?;
        let mut failed = Vec::new();
        for (&i, (state, records, failure)) in ids.iter().zip(results) {
            inner.environments[i] = state;
            bytes.extend(records);
            failed.extend(failure.map(|text| (i, text)));
        }
        inner.follow(py, &ids)?;
        Ok((PyArray1::from_vec(py, bytes), values.map(|values| PyArray1::from_vec(py, values)), failed))
    }

    /// Gives pins of some environments their targets (m) for the next step, a row for each environment. A
    /// failure of one changes nothing.
    fn move_pins(
        &self,
        py: Python<'_>,
        ids: Vec<usize>,
        cloth: usize,
        vertices: PyReadonlyArray2<'_, i64>,
        targets: PyReadonlyArray1<'_, f32>,
    ) -> PyResult<Vec<Failure>> {
        let mut controls = Controls::new(py, &*self.lock(py)?, cloth, &vertices, 1)?;
        controls.targets = targets.as_slice()?.as_chunks().0.to_vec();
        Ok(texts(self.edit(py, ids, move |sim, row| controls.apply(sim, row, 0))?))
    }

    /// Pins vertices of some environments where they are, or unpins them, as `move_pins`.
    fn set_pinned(
        &self,
        py: Python<'_>,
        ids: Vec<usize>,
        cloth: usize,
        vertices: PyReadonlyArray2<'_, i64>,
        is_pinned: bool,
    ) -> PyResult<Vec<Failure>> {
        let controls = Controls::new(py, &*self.lock(py)?, cloth, &vertices, 1)?;
        let failed = self.edit(py, ids, move |sim, row| {
            let vertices: Vec<u32> = controls.row(row).map(|(_, v)| v).collect();
            set_pinned(sim, controls.cloth, &vertices, is_pinned)
        })?;
        Ok(texts(failed))
    }

    /// Replaces positions (m) and velocities (m/s) of some environments, as `move_pins`. Returns too whether
    /// each failure is a state that is not admitted.
    fn set_state(
        &self,
        py: Python<'_>,
        ids: Vec<usize>,
        positions: PyReadonlyArray3<'_, f32>,
        velocities: PyReadonlyArray3<'_, f32>,
        admits_tangles: bool,
    ) -> PyResult<(Vec<Failure>, bool)> {
        let count = positions.shape()[1];
        let [positions, velocities] =
            [positions.as_slice()?, velocities.as_slice()?].map(|array| array.as_chunks::<3>().0.to_vec());
        let admit = if admits_tangles { Admit::Tangles } else { Admit::Clean };
        let failed = self.edit(py, ids, move |sim, row| {
            let own = row * count..(row + 1) * count;
            let positions: Vec<_> = positions[own.clone()].iter().map(|&p| p.into()).collect();
            let velocities: Vec<_> = velocities[own].iter().map(|&v| v.into()).collect();
            sim.set_state(&positions, &velocities, admit)
        })?;
        let is_tangled = failed.iter().all(|(_, error)| matches!(error, StepError::Tangled { .. }));
        Ok((texts(failed), is_tangled))
    }

    /// Returns some environments to the start.
    fn reset(&self, py: Python<'_>, ids: Vec<usize>) -> PyResult<()> {
        let inner = &mut *self.lock(py)?;
        let mut start = Snapshot::clone(&inner.start);
        ids.iter().for_each(|&i| inner.environments[i].update(&mut start));
        inner.follow(py, &ids)
    }

    /// Positions (m) or velocities (m/s) of vertices in all environments: one array, which follows them as
    /// long as it is there.
    fn bind<'py>(
        &self,
        py: Python<'py>,
        is_velocity: bool,
        vertices: PyReadonlyArray1<'_, u32>,
    ) -> PyResult<Bound<'py, PyArray3<f32>>> {
        let inner = &mut *self.lock(py)?;
        let vertices = vertices.as_slice()?;
        let is_wanted = |live: &&LiveArray| live.is_velocity == is_velocity && live.vertices == vertices;
        let known = inner.arrays.iter().filter(is_wanted).find_map(|live| live.array(py));
        if let Some(array) = known {
            return Ok(array);
        }
        // It owns its memory, so every view of it keeps it.
        let array = PyArray3::zeros(py, [inner.environments.len(), vertices.len(), 3], false);
        let weak = PyWeakrefReference::new(&array)?.unbind();
        inner.arrays.push(LiveArray { is_velocity, vertices: vertices.to_vec(), array: weak });
        let all: Vec<usize> = (0..inner.environments.len()).collect();
        inner.arrays.last().map_or(Ok(()), |live| live.follow(py, &inner.environments, &all))?;
        Ok(array)
    }

    /// Time (s) and state hash of each environment.
    fn states(&self, py: Python<'_>) -> PyResult<Vec<(f64, u64)>> {
        let environments = &self.lock(py)?.environments;
        Ok(environments.iter().map(|state| (state.time(), state.state_hash())).collect())
    }

    fn snapshot<'py>(&self, py: Python<'py>, i: usize) -> PyResult<Bound<'py, PyBytes>> {
        Ok(PyBytes::new(py, &self.lock(py)?.environments[i].unpack().to_bytes()))
    }

    fn restore(&self, py: Python<'_>, i: usize, bytes: &[u8]) -> PyResult<()> {
        let inner = &mut *self.lock(py)?;
        let snapshot = Snapshot::from_bytes(bytes).map_err(|error| errors::simulation(py, error))?;
        let Environments { environments, template, .. } = inner;
        template.sim.restore(&snapshot).map_err(|error| errors::simulation(py, error))?;
        // Its own snapshot shares the description of the scene with all others.
        template.save(&mut environments[i]);
        inner.follow(py, &[i])
    }
}

impl Batch {
    /// Waits until no other call has it.
    fn lock(&self, py: Python<'_>) -> PyResult<Taken<Environments>> {
        self.inner.take(py)
    }

    fn lock_workers(&self, py: Python<'_>) -> PyResult<Taken<Environments>> {
        let mut inner = self.lock(py)?;
        inner.start_workers(py)?;
        Ok(inner)
    }

    /// Changes environments on all threads, each in a simulation that is in its state, given its place among
    /// the numbers. If one fails none has changed, and after a signal all or none.
    fn edit(
        &self,
        py: Python<'_>,
        ids: Vec<usize>,
        change: impl Fn(&mut Solver, usize) -> Result<(), StepError> + Send + Sync + 'static,
    ) -> PyResult<Vec<(usize, StepError)>> {
        let numbers = ids.clone();
        let done = self.lock_workers(py)?.run(py, move |inner, stop| inner.edit(&numbers, stop, &change));
        match done {
            Ok((mut inner, failed)) => inner.follow(py, &ids).map(|()| failed),
            Err(error) => {
                self.lock(py)?.follow(py, &ids)?;
                Err(error)
            }
        }
    }
}

impl Environments {
    /// Steps environments until a signal; all have taken equally many then.
    fn step(&mut self, ids: &[usize], dt: f32, count: usize, stop: &AtomicBool) -> Vec<Stepped> {
        let Self { environments, motion, workers, .. } = self;
        let mut results: Vec<Stepped> = ids.iter().map(|_| Stepped::default()).collect();
        for _ in 0..count {
            if stop.load(Ordering::Relaxed) {
                break;
            }
            let chosen = chosen(environments, ids).zip(&mut results);
            on_all(
                workers,
                chosen.filter(|(_, stepped)| stepped.failed.is_none()),
                |stepper, (state, stepped)| {
                    let restored = stepper.load(state).map_err(|error| error.to_string());
                    let sim = &mut stepper.sim;
                    stepped.failed = restored.and_then(|()| stepped.steps.take(sim, motion, dt, None)).err();
                    stepper.save(state);
                },
            );
        }
        results
    }

    /// Changes environments, as [`Batch::edit`]. What fails is found before anything is changed.
    fn edit(
        &mut self,
        ids: &[usize],
        stop: &AtomicBool,
        change: &(impl Fn(&mut Solver, usize) -> Result<(), StepError> + Sync),
    ) -> Vec<(usize, StepError)> {
        let Self { environments, workers, .. } = self;
        let tried = on_all(workers, ids.iter().enumerate(), |stepper, (row, &i)| {
            stepper.load(&environments[i]).and_then(|()| change(&mut stepper.sim, row))
        });
        let failed = ids.iter().zip(tried).filter_map(|(&i, tried)| Some((i, tried.err()?)));
        let failed: Vec<_> = failed.collect();
        if failed.is_empty() && !stop.load(Ordering::Relaxed) {
            on_all(workers, chosen(environments, ids).enumerate(), |stepper, (row, state)| {
                if stepper.load(state).and_then(|()| change(&mut stepper.sim, row)).is_ok() {
                    stepper.save(state);
                }
            });
        }
        failed
    }

    /// Takes the steps of a rollout in copies of environments, each on one thread, and writes positions and
    /// velocities (m, m/s) of its vertices.
    fn roll_out(
        &mut self,
        ids: &[usize],
        rollout: &Rollout,
        values: &mut [Vec<f32>; 2],
        stop: &AtomicBool,
    ) -> Vec<RolledOut> {
        let Self { environments, motion, workers, .. } = self;
        let [positions, velocities] = values.each_mut().map(|values| parts(values, ids.len()));
        let items = ids.iter().zip(positions).zip(velocities).enumerate();
        on_all(workers, items, |stepper, (row, ((&i, positions), velocities))| {
            let mut state = environments[i].clone();
            let mut taken = stepper.load(&state).map_err(|error| error.to_string());
            let sim = &mut stepper.sim;
            let mut records = Vec::new();
            for step in 0..rollout.controls.steps {
                if stop.load(Ordering::Relaxed) {
                    break;
                }
                let mut steps = Steps::default();
                if taken.is_ok() {
                    let applied = rollout.controls.apply(sim, row, step).map_err(|error| error.to_string());
                    taken = applied.and_then(|()| steps.take(sim, motion, rollout.dt, None));
                }
                if taken.is_ok() {
                    rollout.record(step, |v| sim.positions()[v].into(), positions);
                    rollout.record(step, |v| sim.velocities()[v].into(), velocities);
                }
                steps.write(&mut records);
            }
            stepper.save(&mut state);
            (state, records, taken.err())
        })
    }

    /// Brings the arrays that are referenced up to date with environments.
    fn follow(&mut self, py: Python<'_>, ids: &[usize]) -> PyResult<()> {
        self.arrays.retain(|live| live.array(py).is_some());
        self.arrays.iter().try_for_each(|live| live.follow(py, &self.environments, ids))
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
            self.workers.push(Worker { thread, stepper: self.template.clone() });
        }
        Ok(())
    }
}

impl Stepper {
    /// Brings the simulation to the state of an environment.
    fn load(&mut self, state: &PackedSnapshot) -> Result<(), StepError> {
        state.unpack_into(&mut self.snapshot);
        self.sim.restore(&self.snapshot)
    }

    /// Makes the state of the simulation that of an environment.
    fn save(&mut self, state: &mut PackedSnapshot) {
        self.snapshot.update(&self.sim);
        state.update(&mut self.snapshot);
    }
}

impl LiveArray {
    /// The array, unless it is gone.
    fn array<'py>(&self, py: Python<'py>) -> Option<Bound<'py, PyArray3<f32>>> {
        self.array.bind(py).upgrade_as().ok().flatten()
    }

    /// Writes rows of environments. Numpy writes them, which waits for no reader.
    fn follow(&self, py: Python<'_>, environments: &[PackedSnapshot], ids: &[usize]) -> PyResult<()> {
        let Some(array) = self.array(py) else { return Ok(()) };
        ids.iter().try_for_each(|&i| {
            let (x, v) = (environments[i].positions(), environments[i].velocities());
            let rows = self.vertices.iter().map(|&vertex| vertex as usize);
            let row: Vec<f32> = match self.is_velocity {
                true => rows.flat_map(|vertex| <[f32; 3]>::from(v[vertex])).collect(),
                false => rows.flat_map(|vertex| <[f32; 3]>::from(x[vertex])).collect(),
            };
            array.as_any().set_item(i, PyArray1::from_vec(py, row).reshape([self.vertices.len(), 3])?)
        })
    }
}

impl Controls {
    /// Of vertices alone.
    fn new(
        py: Python<'_>,
        inner: &Environments,
        cloth: usize,
        vertices: &PyReadonlyArray2<'_, i64>,
        steps: usize,
    ) -> PyResult<Self> {
        let cloth = cloth_id(py, &inner.template.sim, cloth)?;
        let (width, vertices) = (vertices.shape()[1], vertices.as_slice()?.to_vec());
        Ok(Self { cloth, width, steps, vertices, targets: Vec::new(), pinned: Vec::new() })
    }

    /// The vertices of an environment, with their places among its own.
    fn row(&self, row: usize) -> impl Iterator<Item = (usize, u32)> + Clone {
        let own = self.vertices.iter().skip(row * self.width).take(self.width).enumerate();
        own.filter_map(|(place, &v)| Some((place, u32::try_from(v).ok()?)))
    }

    /// Unpins and pins what is not as it is to be in a step of an environment, and gives targets to the rest.
    fn apply(&self, sim: &mut Solver, row: usize, step: usize) -> Result<(), StepError> {
        let first = (row * self.steps + step) * self.width;
        let mut changes = [Vec::new(), Vec::new()];
        let mut moves = PinMoves::new();
        for (place, v) in self.row(row).map(|(place, v)| (first + place, v)) {
            let is_pinned = self.pinned.get(place).copied();
            if let Some(is_pinned) = is_pinned
                && is_pinned != sim.pin_target(self.cloth, v)?.is_some()
            {
                changes[usize::from(is_pinned)].push(v);
            }
            if is_pinned != Some(false) {
                moves.extend(self.targets.get(place).map(|&target| (self.cloth, v, target.into())));
            }
        }
        for (is_pinned, vertices) in [false, true].into_iter().zip(changes) {
            set_pinned(sim, self.cloth, &vertices, is_pinned)?;
        }
        sim.move_pins(&moves)
    }
}

impl Rollout {
    /// Writes values of the vertices after a step among those of an environment.
    fn record(&self, step: usize, value: impl Fn(usize) -> [f32; 3], values: &mut [f32]) {
        let rows = values.as_chunks_mut::<3>().0.iter_mut().skip(step * self.vertices.len());
        rows.zip(&self.vertices).for_each(|(row, &v)| *row = value(v as usize));
    }
}

/// Failures as sentences.
fn texts(failed: Vec<(usize, StepError)>) -> Vec<Failure> {
    failed.into_iter().map(|(i, error)| (i, error.to_string())).collect()
}

/// Pins vertices of a cloth, or unpins them. Without vertices the cloth sleeps on.
fn set_pinned(sim: &mut Solver, cloth: ClothId, vertices: &[u32], is_pinned: bool) -> Result<(), StepError> {
    match (vertices.is_empty(), is_pinned) {
        (true, _) => Ok(()),
        (false, true) => sim.pin_all(cloth, vertices),
        (false, false) => sim.unpin_all(cloth, vertices),
    }
}

/// Makes room for so many, if there is memory for them.
fn reserve<T>(list: &mut Vec<T>, count: usize) -> PyResult<()> {
    list.try_reserve_exact(count).map_err(|error| PyMemoryError::new_err(error.to_string()))
}

/// Equal parts of a list, so many; of an empty one, empty parts.
fn parts(list: &mut [f32], count: usize) -> Vec<&mut [f32]> {
    let length = list.len() / count.max(1);
    let mut rest = list;
    let mut next = || rest.split_off_mut(..length).unwrap_or_default();
    (0..count).map(|_| next()).collect()
}

/// Environments by their numbers, which are distinct.
fn chosen<'a>(
    environments: &'a mut [PackedSnapshot],
    ids: &'a [usize],
) -> impl Iterator<Item = &'a mut PackedSnapshot> {
    let mut all: Vec<_> = environments.iter_mut().map(Some).collect();
    ids.iter().filter_map(move |&i| all[i].take())
}

/// Works on items, each on one of all workers; the results are in their order.
fn on_all<T: Send, R: Send>(
    workers: &mut [Worker],
    items: impl Iterator<Item = T>,
    work: impl Fn(&mut Stepper, T) -> R + Sync,
) -> Vec<R> {
    let mut jobs: Vec<(Option<T>, Option<R>)> = items.map(|item| (Some(item), None)).collect();
    let queue = Mutex::new(jobs.iter_mut());
    on_each(workers, &|stepper| {
        while let Some((item, result)) = next(&queue) {
            *result = item.take().map(|item| work(stepper, item));
        }
    });
    jobs.into_iter().filter_map(|(_, result)| result).collect()
}

/// Does work on all workers at a time.
fn on_each(workers: &mut [Worker], work: &(impl Fn(&mut Stepper) + Sync)) {
    if let Some((Worker { thread, stepper }, rest)) = workers.split_first_mut() {
        thread.in_place_scope(|scope| {
            scope.spawn(|_| work(stepper));
            on_each(rest, work);
        });
    }
}

/// The next item of a queue that threads share.
fn next<T>(queue: &Mutex<impl Iterator<Item = T>>) -> Option<T> {
    queue.lock().unwrap_or_else(PoisonError::into_inner).next()
}
