//! The frames: move the bodies, take a step, judge the state, write it down.

use std::collections::BTreeMap;

use cloth_solver::{Collider, ColliderId, Simulation, StepReport};
use cloth_verify::invariants::{RigidObserver, RigidTrack, SkinFigures, Strain};
use cloth_verify::report::{FrameChords, GatedFrame};
use nalgebra::Point3;

use super::Prepared;
use super::glb::GlbRecorder;
use super::interim::Interim;
use super::observe::{Observation, Observer};
use super::output::OutputPlan;
use super::path::{PathObserver, PathReport};
use super::pictures::{self, frames_to_keep};
use super::report::{SimulationReport, interrupted_after};
use super::skin::observer_of_garments;
use crate::commands::check::weld_hint;
use crate::console::{self, Progress};
use crate::counts::Counts;
use crate::failure::Failure;
use crate::files::RunFiles;
use crate::interrupt::INTERRUPT;

/// What was measured over a run.
#[derive(Default)]
pub(super) struct Record {
    /// Of the start, then of each frame.
    pub(super) counts: Vec<Counts>,
    /// Intersections at the start, which a gate exempts as tangles.
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
    /// Cloth against the skin of a character, of the start, then of each frame; empty without a character.
    pub(super) skin: Vec<SkinFigures>,
    /// The rigid bodies of the scene, in its order.
    pub(super) rigid: Vec<RigidTrack>,
    /// The frames in which the gate released pairs of cloth and body: their number, and the vertices of the
    /// cloth.
    pub(super) released: Vec<ReleasedPairs>,
    /// Worst figures over the frames.
    pub(super) strain: Strain,
    pub(super) depth: f64,
    /// Of each frame: time (ms) of the simulation alone, contacts, hash of the state.
    pub(super) ms: Vec<f64>,
    pub(super) contacts: Vec<usize>,
    pub(super) hashes: Vec<u64>,
    /// Time by stage over all frames (ms).
    pub(super) stage_ms: BTreeMap<&'static str, f64>,
    /// Positions and poses of all frames, if a GLB file is written.
    pub(super) glb: GlbRecorder,
    /// States kept for pictures.
    pub(super) stills: Vec<Still>,
    /// Why the run ended early, if it did.
    pub(super) broken: Option<String>,
    /// Whether a signal ended it early.
    pub(super) interrupted: bool,
    /// Whether it has come to its end, or broke.
    pub(super) is_complete: bool,
}

/// The pairs of cloth and body that the gate released in a frame.
pub(super) struct ReleasedPairs {
    pub(super) frame: usize,
    pub(super) count: usize,
    /// Over all cloths; one of each pair.
    pub(super) vertices: Vec<u32>,
}

/// A state kept for a picture.
pub(super) struct Still {
    pub(super) frame: usize,
    pub(super) positions: Vec<Point3<f32>>,
    pub(super) colliders: Vec<Collider>,
    pub(super) red_faces: Vec<u32>,
    /// The skin of a character (m).
    pub(super) skin: Vec<Point3<f32>>,
}

/// Runs a scene to its end, to the frame in which it breaks, or to a signal. Caches have the frames until
/// then.
pub(super) fn run(
    prepared: &mut Prepared,
    plan: &OutputPlan,
    interim: &mut Interim,
    files: &RunFiles,
) -> Result<Record, Failure> {
    let keep = frames_to_keep(plan, prepared.scene.frames);
    let cloth_vertices = prepared.scene.garments.iter().map(|g| g.mesh.positions.len()).sum();
    let mut observer = Observer::new(&prepared.simulation, cloth_vertices, prepared.seams.clone());
    let mut path = PathObserver::new(&prepared.simulation, cloth_vertices, prepared.seams.clone());
    let mut skin = match prepared.scene.bodies.character() {
        Some(character) => {
            Some(observer_of_garments(&prepared.scene.garments, character).map_err(Failure::new)?)
        }
        None => None,
    };
    let mut rigid = rigid_observer(prepared);
    let mut record = Record::default();
    let mut progress = Progress::start(format!("simulate {}", prepared.name), "frame", prepared.scene.frames);
    for frame in 0..=prepared.scene.frames {
        if INTERRUPT.is_requested() {
            record.interrupt(prepared.scene.frames);
            break;
        }
        if frame > 0 {
            match step(prepared, frame, &mut path, &mut rigid) {
                Ok(report) => record.step(&prepared.simulation, &report),
                Err(why) => {
                    record.broken = Some(format!("frame {frame}: {why}"));
                    break;
                }
            }
        }
        let mut seen = observer.observe(&prepared.simulation, &prepared.scene.edges).map_err(Failure::new)?;
        if frame == 0 {
            note_seams(prepared, &seen);
        }
        rigid.record(|collider| prepared.simulation.rigid_body(ColliderId(collider)).ok());
        let found = [seen.counts.intersections, seen.tangled];
        record.closed_seams = seen.closed.count();
        path.frame(frame, &seen.positions, std::mem::take(&mut seen.closed), found).map_err(Failure::new)?;
        (record.chords, record.path) = (path.chords, path.path);
        record.observed(frame, seen, &prepared.simulation, &keep);
        if let (Some(skin), Some(character)) = (&mut skin, prepared.scene.bodies.character()) {
            let figures = skin.observe(prepared.simulation.positions(), character.positions());
            record.skin.push(figures.map_err(|e| Failure::new(e.to_string()))?);
            if keep.contains(&frame) {
                record.stills.iter_mut().rev().take(1).for_each(|s| s.skin = character.positions().to_vec());
            }
        }
        if keep.contains(&frame) {
            pictures::write_last(plan, prepared, &record.stills, files)?;
        }
        interim.push(&prepared.scene.garments, prepared.simulation.positions())?;
        if plan.glb.is_some() {
            record.glb.push(prepared);
        }
        record.written += 1;
        interim.update(|| SimulationReport::new(prepared, &record));
        progress.done(frame);
    }
    record.rigid = rigid.into_tracks();
    record.is_complete = !record.interrupted;
    interim.finish_caches()?;
    Ok(record)
}

/// An observer of the rigid bodies of a scene among its garments.
fn rigid_observer(prepared: &Prepared) -> RigidObserver {
    let shapes = prepared.scene.desc.rigid_bodies().map(|(id, body)| (id.0, &body.collider.shape));
    let cloth_faces = prepared.scene.garments.iter().map(|garment| garment.mesh.faces.len()).sum();
    RigidObserver::new(shapes, prepared.simulation.faces().iter().copied().take(cloth_faces).collect())
}

/// Says so if the garments start with seams that are not joined.
fn note_seams(prepared: &mut Prepared, start: &Observation) {
    let topology = prepared.simulation.surface().topology();
    let option = |distance| prepared.source.weld_option(distance);
    if let Some(hint) = weld_hint(&start.found, &start.positions, topology, option) {
        console::out(format!("{hint}\n"));
        prepared.scene.notes.push(hint);
    }
}

fn step(
    prepared: &mut Prepared,
    frame: usize,
    path: &mut PathObserver,
    rigid: &mut RigidObserver,
) -> Result<StepReport, String> {
    let Prepared { simulation, scene, .. } = prepared;
    let time = scene.dt * frame as f64;
    let waypoints = scene.move_through(simulation, [time - scene.dt, time]).map_err(|e| e.to_string())?;
    let taken = simulation.step_through(scene.dt as f32, &waypoints, &mut |motion| {
        path.motion(&motion);
        rigid.motion(&motion);
    });
    taken.copied().map_err(|e| e.to_string())
}

impl Record {
    fn interrupt(&mut self, frames: usize) {
        self.interrupted = true;
        self.broken = Some(interrupted_after(self.ms.len(), frames));
    }

    fn step(&mut self, simulation: &Simulation, report: &StepReport) {
        self.ms.push(1e3 * report.times.total().as_secs_f64());
        self.contacts.push(report.contacts);
        self.hashes.push(simulation.state_hash());
        let released = simulation.released();
        if !released.is_empty() {
            let vertices = released.iter().map(|r| r.vertex).collect();
            self.released.push(ReleasedPairs { frame: self.ms.len(), count: released.len(), vertices });
        }
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
                skin: Vec::new(),
            });
        }
    }
}
