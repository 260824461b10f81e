//! The frames: move the bodies, take a step, judge the state.

use std::collections::BTreeMap;

use cloth_scene::{BuiltScene, PinEvent};
use cloth_solver::{AcceptedMotion, ByParts, Cut, Simulation, StepReport};

use super::hints::{note_folds, note_seams};
use super::observe::{Observation, Observer};
use super::path::{PathObserver, PathReport};
use super::prepared::Prepared;
use super::report::{SimulationReport, interrupted_after};
use super::skin::observer_of_garments;
use super::stretch::{Overstretch, StretchObserver};
use crate::check::StateCounts;
use crate::invariants::{
    DeepFace, DepthObserver, RigidObserver, RigidTrack, SkinFigures, SkinObserver, Strain,
};
use crate::report::{CutFigures, FrameChords, GatedFrame};
use crate::{Failure, Interrupt};

/// A run of a scene, frame by frame.
pub struct Run {
    /// The scene in its present state.
    pub prepared: Prepared,
    /// What was measured so far.
    pub record: Record,
    /// What was found at the start; nothing before it was judged.
    pub start: Start,
    observer: Observer,
    path: PathObserver,
    skin: Option<SkinObserver>,
    depth: DepthObserver,
    rigid: RigidObserver,
    stretch: StretchObserver,
}

/// What was found at the start besides its intersections.
#[derive(Clone, Debug, Default)]
pub struct Start {
    /// How seams that are not joined could be, a sentence each.
    pub hints: Vec<String>,
    /// Flat folds and faces on others, in words.
    pub folds: Vec<String>,
    /// The deepest face in a collider, if one is in it.
    pub deepest: Option<DeepFace>,
}

/// What was measured over a run.
#[derive(Default)]
pub struct Record {
    /// Of the start, then of each frame.
    pub(crate) counts: Vec<StateCounts>,
    /// Of the start, and of the last state, by what intersects.
    pub(crate) parts: [ByParts<usize>; 2],
    /// Intersections at the start, which a gate exempts as tangles.
    pub(crate) tangled_at_start: usize,
    /// Of each frame.
    pub(crate) gated: Vec<GatedFrame>,
    /// Intersections of the start and of each frame, with what closed seams join.
    pub(crate) raw: Vec<usize>,
    /// Seams that are closed at the end.
    pub(crate) closed_seams: usize,
    /// What met on the chords between frames, and on the path of the substeps.
    pub(crate) chords: FrameChords,
    pub(crate) path: PathReport,
    /// Cloth against the skin of a character, of the start, then of each frame; empty without a character.
    pub(crate) skin: Vec<SkinFigures>,
    /// The rigid bodies of the scene, in its order.
    pub(crate) rigid: Vec<RigidTrack>,
    /// The frames in which the gate released pairs of cloth and body: their number, and the vertices of the
    /// cloth.
    pub(crate) released: Vec<ReleasedPairs>,
    /// The garments that were teleported.
    pub cuts: Vec<CutFigures>,
    /// What happened to timed pins, and the frame that begins with it.
    pub(crate) pins: Vec<(usize, PinEvent)>,
    /// Worst figures over the frames.
    pub(crate) strain: Option<Strain>,
    pub(crate) overstretch: Overstretch,
    pub(crate) vertex_depth: f64,
    /// The face that was deepest in a collider after any substep.
    pub(crate) deepest_face: Option<DeepFace>,
    /// Of each frame: time (ms) of the simulation alone, contacts, hash of the state.
    pub(crate) ms: Vec<f64>,
    pub(crate) contacts: Vec<usize>,
    pub(crate) hashes: Vec<u64>,
    /// Time by stage over all frames (ms).
    pub(crate) stage_ms: BTreeMap<&'static str, f64>,
    /// Why the run ended early, if it did.
    pub broken: Option<String>,
    /// Whether a signal ended it early.
    pub interrupted: bool,
    /// Whether it has come to its end, or broke.
    pub(crate) is_complete: bool,
}

/// The pairs of cloth and body that the gate released in a frame.
pub(crate) struct ReleasedPairs {
    pub(crate) frame: usize,
    pub(crate) count: usize,
    /// Over all cloths; one of each pair.
    pub(crate) vertices: Vec<u32>,
}

impl Run {
    /// A run before its start is judged.
    ///
    /// # Errors
    /// If the skin of the scene's character cannot be measured.
    pub fn new(prepared: Prepared) -> Result<Self, Failure> {
        let (cloth_vertices, cloth_faces) = (prepared.cloth_vertices(), prepared.cloth_faces());
        let character = prepared.scene.bodies.character();
        let skin = character.map(|character| observer_of_garments(&prepared.scene.garments, character));
        let shapes = prepared.scene.desc.rigid_bodies().map(|(id, body)| (id, &body.collider.shape));
        Ok(Self {
            observer: Observer::new(&prepared.simulation, cloth_vertices, prepared.seams.clone()),
            path: PathObserver::new(&prepared.simulation, cloth_vertices, prepared.seams.clone()),
            skin: skin.transpose().map_err(Failure::new)?,
            depth: DepthObserver::new(cloth_faces.clone()),
            rigid: RigidObserver::new(shapes, cloth_faces),
            stretch: StretchObserver::new(&prepared.scene),
            record: Record::default(),
            start: Start::default(),
            prepared,
        })
    }

    /// States that were judged: the start, and each frame since.
    #[must_use]
    pub fn states(&self) -> usize {
        self.record.counts.len()
    }

    /// Goes on to the next state, the start first, and judges it. None at the end, behind the frame in which
    /// the run breaks, or where a stop is requested.
    ///
    /// # Errors
    /// If a state cannot be judged: it is not finite.
    pub fn advance(&mut self, interrupt: Interrupt) -> Result<Option<Observation>, Failure> {
        let (frame, frames) = (self.states(), self.prepared.scene.frames);
        let has_ended = self.record.broken.is_some() || frame > frames;
        if !has_ended && interrupt.is_requested() {
            self.record.interrupted = true;
            self.record.broken = Some(interrupted_after(self.record.ms.len(), frames));
        } else if !has_ended && (frame == 0 || self.step(frame)) {
            return self.judge(frame).map(Some);
        }
        self.record.rigid = self.rigid.clone().into_tracks();
        self.record.is_complete = !self.record.interrupted;
        Ok(None)
    }

    /// The figures so far.
    #[must_use]
    pub fn report(&self) -> SimulationReport {
        SimulationReport::new(&self.prepared, &self.record)
    }

    /// Takes the step to a frame; whether there is one.
    fn step(&mut self, frame: usize) -> bool {
        let Self { prepared, path, depth, rigid, record, .. } = self;
        let stepped = advance(prepared, frame, &mut |motion| {
            path.motion(&motion);
            depth.motion(frame, &motion);
            rigid.motion(&motion);
        });
        match stepped {
            Ok(report) => record.step(prepared, &report),
            Err(why) => record.broken = Some(format!("frame {frame} failed: {why}")),
        }
        record.broken.is_none()
    }

    /// Judges the present state.
    fn judge(&mut self, frame: usize) -> Result<Observation, Failure> {
        let Self { prepared, record, path, skin, .. } = self;
        let simulation = &prepared.simulation;
        let mut seen = self.observer.observe(simulation, &prepared.scene.edges).map_err(Failure::new)?;
        self.rigid.record(|collider| {
            simulation.collider_id(collider).and_then(|id| simulation.rigid_body(id)).ok()
        });
        let found = [seen.counts.intersections, seen.tangled];
        if frame == 0 {
            let mut depth = self.depth.clone();
            depth.observe(0, simulation.positions(), simulation.colliders());
            let edges = simulation.surface().topology().edges().len();
            record.broken = prepared.limits.refuse_start(&seen.parts, edges);
            self.start = Start {
                hints: note_seams(prepared, &seen),
                folds: note_folds(prepared, &seen.counts),
                deepest: depth.deepest(),
            };
        }
        let simulation = &prepared.simulation;
        let is_cut = frame > 0 && !simulation.cuts().is_empty();
        self.stretch.observe((frame, is_cut), &seen.positions, seen.strain);
        record.overstretch = self.stretch.found();
        record.closed_seams = seen.closed.count();
        path.frame(frame, &seen.positions, std::mem::take(&mut seen.closed), found).map_err(Failure::new)?;
        (record.chords, record.path) = (path.chords, path.path);
        record.observed(frame, &seen, simulation);
        if let (Some(skin), Some(character)) = (skin, prepared.scene.bodies.character()) {
            let figures = skin.observe(simulation.positions(), character.positions());
            record.skin.push(figures.map_err(|e| Failure::new(e.to_string()))?);
        }
        record.deepest_face = self.depth.deepest();
        Ok(seen)
    }
}

/// Goes on by a frame, counted from 1, and calls `on_motion` with every accepted motion.
///
/// # Errors
/// A sentence: what moves in the scene cannot be read, or the solver refuses the step.
pub fn advance(
    prepared: &mut Prepared,
    frame: usize,
    on_motion: &mut (dyn FnMut(AcceptedMotion<'_>) + Send),
) -> Result<StepReport, String> {
    let Prepared { simulation, scene, .. } = prepared;
    let time = scene.dt * frame as f64;
    let waypoints = scene.move_through(simulation, [time - scene.dt, time]).map_err(|e| e.to_string())?;
    simulation.step_through(scene.dt as f32, &waypoints, on_motion).copied().map_err(|e| e.to_string())
}

/// The cuts of the step to a frame, with the names of the garments.
#[must_use]
pub fn figures_of_cuts(frame: usize, simulation: &Simulation, scene: &BuiltScene) -> Vec<CutFigures> {
    let name = |cut: &Cut| scene.garments.get(cut.cloth.index()).map(|garment| garment.name.clone());
    let figures = |cut: &Cut| CutFigures { name: name(cut), ..CutFigures::new(frame, cut) };
    simulation.cuts().iter().map(figures).collect()
}

impl Record {
    fn step(&mut self, Prepared { simulation, scene, .. }: &Prepared, report: &StepReport) {
        self.ms.push(1e3 * report.times.total().as_secs_f64());
        self.contacts.push(report.contacts);
        self.hashes.push(simulation.state_hash());
        let released = simulation.released();
        if !released.is_empty() {
            let vertices = released.iter().map(|r| r.vertex).collect();
            self.released.push(ReleasedPairs { frame: self.ms.len(), count: released.len(), vertices });
        }
        self.cuts.extend(figures_of_cuts(self.ms.len(), simulation, scene));
        self.pins.extend(scene.pin_events().iter().map(|event| (self.ms.len(), event.clone())));
        for (stage, time) in report.times.named() {
            *self.stage_ms.entry(stage).or_default() += 1e3 * time.as_secs_f64();
        }
    }

    fn observed(&mut self, frame: usize, seen: &Observation, simulation: &Simulation) {
        if frame == 0 {
            self.parts[0] = seen.parts;
        }
        self.parts[1] = seen.parts;
        self.counts.push(seen.counts);
        self.raw.push(seen.raw);
        if frame == 0 && simulation.settings().gate {
            self.tangled_at_start = seen.guarded;
        }
        if frame > 0 {
            let step = simulation.report();
            self.gated.push(GatedFrame {
                certified: seen.certified as u64,
                tangled: seen.tangled as u64,
                gate: step.gate,
                ms: [step.times.gate, step.times.total()].map(|time| 1e3 * time.as_secs_f64()),
            });
            self.strain = Strain::worst([self.strain, seen.strain]);
            self.vertex_depth = self.vertex_depth.max(seen.vertex_depth);
        }
    }
}
