//! The frames: move the bodies, take a step, judge the state, write it down.

use std::collections::BTreeMap;

use cloth_solver::{Collider, Simulation, StepReport};
use cloth_verify::invariants::Strain;
use cloth_verify::report::{FrameChords, GatedFrame};
use nalgebra::Point3;

use super::observe::{Observation, Observer};
use super::output::OutputPlan;
use super::path::{PathObserver, PathReport};
use super::pictures::frames_to_keep;
use super::prepare::Prepared;
use super::writer::Writer;
use crate::console::Progress;
use crate::counts::Counts;
use crate::failure::Failure;
use crate::files::RunFiles;
use crate::interrupt::INTERRUPT;

/// What was measured over a run.
#[derive(Default)]
pub(super) struct Record {
    /// Of the start, then of each frame.
    pub(super) counts: Vec<Counts>,
    /// Intersections at the start, which a gate takes into quarantine.
    pub(super) tangled_at_start: usize,
    /// Of each frame.
    pub(super) gated: Vec<GatedFrame>,
    /// Intersections of the start and of each frame, with what closed seams join.
    pub(super) raw: Vec<usize>,
    /// Seams that are closed at the end.
    pub(super) closed_seams: usize,
    /// What met on the chords between frames, and on the path of the substeps.
    pub(super) chords: FrameChords,
    pub(super) path: PathReport,
    /// Frames that the caches have, the start included.
    pub(super) written: usize,
    /// Worst figures over the frames.
    pub(super) strain: Strain,
    pub(super) depth: f64,
    /// Of each frame: time (ms) of the simulation alone, contacts, hash of the state.
    pub(super) ms: Vec<f64>,
    pub(super) contacts: Vec<usize>,
    pub(super) hashes: Vec<u64>,
    /// Time by stage over all frames (ms).
    pub(super) stage_ms: BTreeMap<&'static str, f64>,
    /// States kept for pictures.
    pub(super) stills: Vec<Still>,
    /// Why the run ended early, if it did.
    pub(super) broken: Option<String>,
    /// Whether a signal ended it early.
    pub(super) interrupted: bool,
}

/// A state kept for a picture.
pub(super) struct Still {
    pub(super) frame: usize,
    pub(super) positions: Vec<Point3<f32>>,
    pub(super) colliders: Vec<Collider>,
    pub(super) red_faces: Vec<u32>,
}

/// Runs a scene to its end, to the frame in which it breaks, or to a signal. Caches have the frames until then.
pub(super) fn run(prepared: &mut Prepared, plan: &OutputPlan, files: &RunFiles) -> Result<Record, Failure> {
    let keep = frames_to_keep(plan, prepared.frames);
    let mut writers = plan.writers(&prepared.garments)?;
    let cloth_vertices = prepared.garments.iter().map(|g| g.mesh.positions.len()).sum();
    let mut observer = Observer::new(&prepared.simulation, cloth_vertices, prepared.seams.clone());
    let mut path = PathObserver::new(&prepared.simulation, cloth_vertices, prepared.seams.clone());
    let mut record = Record::default();
    let mut progress = Progress::start(format!("simulate {}", prepared.name), prepared.frames);
    for frame in 0..=prepared.frames {
        if INTERRUPT.is_requested() {
            record.interrupt(prepared.frames);
            break;
        }
        if frame > 0 {
            match step(prepared, frame, &mut path) {
                Ok(report) => record.step(&prepared.simulation, &report),
                Err(why) => {
                    record.broken = Some(format!("frame {frame}: {why}"));
                    break;
                }
            }
        }
        let mut seen = observer.observe(&prepared.simulation, &prepared.edges).map_err(Failure::new)?;
        let found = [seen.counts.intersections, seen.tangled];
        record.closed_seams = seen.closed.count();
        path.frame(frame, &seen.positions, std::mem::take(&mut seen.closed), found).map_err(Failure::new)?;
        (record.chords, record.path) = (path.chords, path.path);
        record.observed(frame, seen, &prepared.simulation, &keep);
        push(&mut writers, prepared, files)?;
        record.written += 1;
        progress.done(frame);
    }
    for writer in writers.into_iter().flatten() {
        writer.finish(files)?;
    }
    Ok(record)
}

fn step(prepared: &mut Prepared, frame: usize, path: &mut PathObserver) -> Result<StepReport, String> {
    let time = prepared.dt * frame as f64;
    prepared.bodies.move_to(&mut prepared.simulation, time)?;
    prepared.followers.move_to(&prepared.bodies, &mut prepared.simulation)?;
    let taken = prepared.simulation.step_with(prepared.dt as f32, &mut |motion| path.motion(&motion));
    taken.copied().map_err(|e| e.to_string())
}

/// Writes a frame of each garment to its caches.
fn push(writers: &mut [Vec<Writer>], prepared: &Prepared, files: &RunFiles) -> Result<(), Failure> {
    let mut first = 0;
    for (writers, garment) in writers.iter_mut().zip(&prepared.garments) {
        let next = first + garment.mesh.positions.len();
        let positions = &prepared.simulation.positions()[first..next];
        writers.iter_mut().try_for_each(|writer| writer.push(garment, positions, files))?;
        first = next;
    }
    Ok(())
}

impl Record {
    fn interrupt(&mut self, frames: usize) {
        self.interrupted = true;
        self.broken = Some(format!("interrupted after frame {} of {frames}", self.ms.len()));
    }

    fn step(&mut self, simulation: &Simulation, report: &StepReport) {
        self.ms.push(1e3 * report.times.total().as_secs_f64());
        self.contacts.push(report.contacts);
        self.hashes.push(simulation.state_hash());
        for (stage, time) in report.times.named() {
            *self.stage_ms.entry(stage).or_default() += 1e3 * time.as_secs_f64();
        }
    }

    fn observed(&mut self, frame: usize, seen: Observation, simulation: &Simulation, keep: &[usize]) {
        self.counts.push(seen.counts);
        self.raw.push(seen.raw);
        if frame == 0 && simulation.settings().gate {
            self.tangled_at_start = seen.certified;
        }
        if frame > 0 {
            let step = simulation.report();
            self.gated.push(GatedFrame {
                certified: seen.certified as u64,
                tangled: seen.tangled as u64,
                gate: step.gate,
                ms: [step.times.gate, step.times.total()].map(|time| 1e3 * time.as_secs_f64()),
            });
            self.strain = self.strain.max(seen.strain);
            self.depth = self.depth.max(seen.depth);
        }
        if keep.contains(&frame) {
            self.stills.push(Still {
                frame,
                positions: simulation.positions().to_vec(),
                colliders: simulation.colliders().to_vec(),
                red_faces: seen.red_faces,
            });
        }
    }
}
