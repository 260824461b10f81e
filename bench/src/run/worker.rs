//! The process of a run: steps a contender, and reports each frame as a line of JSON on the standard output.
//!
//! Only [`Contender::step`](crate::contenders::Contender::step) is timed. Positions are written as they are
//! stepped, so that the memory of the process is that of the contender.

use std::collections::BTreeMap;
use std::io::{BufWriter, Write};
use std::path::PathBuf;
use std::time::{Duration, Instant};

use nalgebra::Point3;
use serde::{Deserialize, Serialize};

use super::plan::Job;
use super::record::FrameTime;
use crate::contenders::{self, Contender, PinTarget};
use crate::scene::Scene;
use crate::schema::Status;

/// What a worker is asked for, as JSON.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct WorkerArguments {
    /// The run.
    pub job: Job,
    /// Frames.
    pub frames: usize,
    /// Time since the start of the process after which it stops.
    pub limit: Duration,
    /// File for the positions.
    pub states: PathBuf,
}

/// A line of a worker.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "event", rename_all = "snake_case")]
pub(super) enum Event {
    /// A frame was finished, and its positions are in the file.
    Frame {
        /// Its times.
        time: FrameTime,
        /// Largest resident set so far (bytes).
        peak_memory_bytes: Option<u64>,
    },
    /// Nothing follows.
    End {
        /// How it ended.
        status: Status,
        /// Time (ms) by stage, over all frames.
        stage_ms: BTreeMap<String, f64>,
    },
}

/// Runs a job to its end.
///
/// # Errors
/// If the scene or the contender is unknown, or the states or the events cannot be written.
pub fn work(arguments: &WorkerArguments) -> Result<(), String> {
    let started = Instant::now();
    let WorkerArguments { job, states, .. } = arguments;
    let mut scene = Scene::new(&job.scene, job.side)?;
    let mut contender =
        contenders::by_id(&job.contender).ok_or_else(|| format!("no contender `{}`", job.contender))?;
    let file = std::fs::File::create(states).map_err(|e| format!("{}: {e}", states.display()))?;
    let mut recorder = Recorder { file: BufWriter::new(file), positions: Vec::new() };
    let status = match contender.load(&scene) {
        Err(status) => status,
        Ok(()) => {
            recorder.record(&*contender).map_err(|e| e.to_string())?;
            frames(arguments, &mut scene, &mut *contender, &mut recorder, started)?
        }
    };
    emit(&Event::End { status, stage_ms: contender.stage_ms() })
}

/// Steps until the scene or the time is over, or something fails.
fn frames(
    arguments: &WorkerArguments,
    scene: &mut Scene,
    contender: &mut dyn Contender,
    recorder: &mut Recorder,
    started: Instant,
) -> Result<Status, String> {
    for frame in 0..arguments.frames {
        let pins = scene.pin_targets(frame)?;
        let dt = f64::from(scene.setup.dt_of(frame));
        let (cpu, wall) = (cpu_time(), Instant::now());
        let stepped = timed_step(contender, dt, &pins);
        let wall = 1e3 * wall.elapsed().as_secs_f64();
        let cpu = cpu.zip(cpu_time()).map(|(from, to)| 1e3 * to.saturating_sub(from).as_secs_f64());
        if let Err(error) = stepped {
            return Ok(Status::failed(format!("frame {}: {error}", frame + 1)));
        }
        if let Some(vertex) = recorder.record(contender).map_err(|e| e.to_string())? {
            let frame = frame + 1;
            return Ok(Status::failed(format!(
                "frame {frame}: the position of vertex {vertex} is not finite"
            )));
        }
        emit(&Event::Frame { time: FrameTime { wall, cpu }, peak_memory_bytes: peak_memory() })?;
        if started.elapsed() > arguments.limit && frame + 1 < arguments.frames {
            return Ok(Status::Stopped { after_s: started.elapsed().as_secs_f64() });
        }
    }
    Ok(Status::Completed)
}

/// What is timed, and all that callgrind counts: it knows the function by its name, so it must not be
/// inlined.
#[inline(never)]
pub(super) fn timed_step(contender: &mut dyn Contender, dt: f64, pins: &[PinTarget]) -> Result<(), String> {
    contender.step(dt, pins)
}

fn emit(event: &Event) -> Result<(), String> {
    let line = serde_json::to_string(event).map_err(|e| e.to_string())?;
    let mut out = std::io::stdout().lock();
    writeln!(out, "{line}").and_then(|()| out.flush()).map_err(|e| format!("the standard output: {e}"))
}

/// Writes states: three `f64` a vertex, little endian, one state after the other.
struct Recorder {
    file: BufWriter<std::fs::File>,
    positions: Vec<Point3<f64>>,
}

impl Recorder {
    /// Records a state, or names the first vertex that has no finite position and records nothing.
    fn record(&mut self, contender: &dyn Contender) -> std::io::Result<Option<usize>> {
        contender.positions(&mut self.positions);
        let is_finite = |p: &Point3<f64>| p.iter().all(|c| c.is_finite());
        if let Some(vertex) = self.positions.iter().position(|p| !is_finite(p)) {
            return Ok(Some(vertex));
        }
        for coordinate in self.positions.iter().flat_map(|p| p.iter()) {
            self.file.write_all(&coordinate.to_le_bytes())?;
        }
        self.file.flush().map(|()| None)
    }
}

/// CPU time of this process, user and system, all threads; none where the system does not report it.
#[cfg(unix)]
fn cpu_time() -> Option<Duration> {
    let time = rustix::time::clock_gettime(rustix::time::ClockId::ProcessCPUTime);
    Some(Duration::new(u64::try_from(time.tv_sec).ok()?, u32::try_from(time.tv_nsec).ok()?))
}

#[cfg(not(unix))]
fn cpu_time() -> Option<Duration> {
    None
}

/// Largest resident set of this process (bytes).
fn peak_memory() -> Option<u64> {
    super::machine::memory("/proc/self/status", "VmHWM:")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn events_read_back() {
        let time = FrameTime { wall: 1.25, cpu: Some(1.0) };
        for event in [
            Event::Frame { time, peak_memory_bytes: Some(1 << 20) },
            Event::End { status: Status::Completed, stage_ms: BTreeMap::from([("solve".into(), 2.0)]) },
        ] {
            let line = serde_json::to_string(&event).expect("JSON");
            assert_eq!(serde_json::from_str::<Event>(&line).expect("an event"), event);
        }
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn cpu_time_and_memory_are_reported() {
        let before = cpu_time().expect("reported");
        let sum: u64 = (0..3_000_000u64).map(|k| std::hint::black_box(k) % 7).sum();
        assert!(cpu_time().expect("reported") > before && sum > 0);
        assert!(peak_memory().expect("reported") > 1 << 20);
    }
}
