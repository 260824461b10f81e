//! The frames: move the bodies, take a step, judge the state, write it down.

use std::collections::BTreeMap;

use cloth_solver::{AcceptedMotion, ByParts, Collider, Cut, Simulation, StepReport};
use nalgebra::Point3;

use super::Prepared;
use super::glb::GlbRecorder;
use super::interim::Interim;
use super::observe::{Observation, Observer};
use super::output::OutputPlan;
use super::path::{PathObserver, PathReport};
use super::pictures::{self, frames_to_keep};
use super::player::RunRecorder;
use super::report::{SimulationReport, interrupted_after};
use super::skin::observer_of_garments;
use super::start::Start;
use super::stretch::{Overstretch, StretchObserver};
use cloth_scene::build::{PlacedGarment, repair_mesh};
use cloth_scene::{BuiltScene, PinEvent};
use cloth_show::check::{StateCounts, UnweldedSeams};
use cloth_show::invariants::{DeepFace, DepthObserver, RigidObserver, RigidTrack, SkinFigures, Strain};
use cloth_show::program::console::{self, Progress};
use cloth_show::program::interrupt::INTERRUPT;
use cloth_show::program::{Failure, RunFiles};
use cloth_show::recording::Recording;
use cloth_show::report::{CutFigures, FrameChords, GatedFrame};

/// What was measured over a run.
#[derive(Default)]
pub(super) struct Record {
    /// Of the start, then of each frame.
    pub(super) counts: Vec<StateCounts>,
    /// Of the start, and of the last state, by what intersects.
    pub(super) parts: [ByParts<usize>; 2],
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
    /// The garments that were teleported.
    pub(super) cuts: Vec<CutFigures>,
    /// What happened to timed pins, and the frame that begins with it.
    pub(super) pins: Vec<(usize, PinEvent)>,
    /// Worst figures over the frames.
    pub(super) strain: Option<Strain>,
    pub(super) overstretch: Overstretch,
    pub(super) vertex_depth: f64,
    /// The face that was deepest in a collider after any substep.
    pub(super) deepest_face: Option<DeepFace>,
    /// Of each frame: time (ms) of the simulation alone, contacts, hash of the state.
    pub(super) ms: Vec<f64>,
    pub(super) contacts: Vec<usize>,
    pub(super) hashes: Vec<u64>,
    /// Time by stage over all frames (ms).
    pub(super) stage_ms: BTreeMap<&'static str, f64>,
    /// Positions and poses of all frames, if a GLB file is written.
    pub(super) glb: GlbRecorder,
    /// The run as it can be played, if a report is written.
    pub(super) recording: Option<Recording>,
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
#[cfg_attr(not(feature = "pictures"), expect(dead_code, reason = "pictures alone read it"))]
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
    let cloth_faces = faces_of_cloth(prepared);
    let mut depth = DepthObserver::new(cloth_faces.clone());
    let mut rigid = rigid_observer(prepared, cloth_faces);
    let mut stretch = StretchObserver::new(&prepared.scene);
    let mut recorder = plan.is_recorded.then(|| RunRecorder::new(prepared));
    let mut record = Record::default();
    let sign = prepared.simulation.stage_sign();
    let what = format!("simulate {}", prepared.name);
    let mut progress = Progress::start_with(what, "frame", prepared.scene.frames, move || {
        stage_in_words(sign.stage()).into()
    });
    for frame in 0..=prepared.scene.frames {
        if INTERRUPT.is_requested() {
            record.interrupt(prepared.scene.frames);
            break;
        }
        if frame > 0 {
            match step(prepared, frame, &mut path, &mut depth, &mut rigid) {
                Ok(report) => record.step(prepared, &report),
                Err(why) => {
                    record.broken = Some(format!("frame {frame} failed: {why}"));
                    break;
                }
            }
        }
        let mut seen = observer.observe(&prepared.simulation, &prepared.scene.edges).map_err(Failure::new)?;
        rigid.record(|collider| {
            let sim = &prepared.simulation;
            sim.collider_id(collider).and_then(|id| sim.rigid_body(id)).ok()
        });
        let found = [seen.counts.intersections, seen.tangled];
        if frame == 0 {
            note_seams(prepared, &seen);
            let folds = note_folds(prepared, &seen.counts);
            let Prepared { simulation, .. } = &*prepared;
            let mut depth = depth.clone();
            depth.observe(0, simulation.positions(), simulation.colliders());
            let (deepest, still) = (depth.deepest(), Still::new(0, &seen, prepared));
            let start = Start { parts: seen.parts, folds, deepest, still };
            start.report(prepared, plan, files)?;
            let edges = prepared.simulation.surface().topology().edges().len();
            if let Some(why) = prepared.limits.refuse_start(&seen.parts, edges) {
                start.draw_refused(prepared, plan, files)?;
                record.broken = Some(why);
            }
        }
        let is_cut = frame > 0 && !prepared.simulation.cuts().is_empty();
        stretch.observe((frame, is_cut), &seen.positions, seen.strain);
        record.overstretch = stretch.found();
        record.closed_seams = seen.closed.count();
        path.frame(frame, &seen.positions, std::mem::take(&mut seen.closed), found).map_err(Failure::new)?;
        (record.chords, record.path) = (path.chords, path.path);
        if keep.contains(&frame) {
            record.stills.push(Still::new(frame, &seen, prepared));
        }
        record.observed(frame, &seen, &prepared.simulation);
        recorder.iter_mut().for_each(|recorder| recorder.record(frame, (&seen, &record.cuts), prepared));
        if let (Some(skin), Some(character)) = (&mut skin, prepared.scene.bodies.character()) {
            let figures = skin.observe(prepared.simulation.positions(), character.positions());
            record.skin.push(figures.map_err(|e| Failure::new(e.to_string()))?);
        }
        if keep.contains(&frame) {
            pictures::write_last(plan, prepared, &record.stills, files)?;
        }
        interim.push(&prepared.scene.garments, prepared.simulation.positions())?;
        if plan.glb.is_some() {
            record.glb.push(prepared);
        }
        record.written += 1;
        record.deepest_face = depth.deepest();
        interim.update(|| SimulationReport::new(prepared, &record));
        progress.done(frame);
        if record.broken.is_some() {
            break;
        }
    }
    record.rigid = rigid.into_tracks();
    record.recording = recorder.map(|recorder| recorder.finish(&prepared.simulation));
    record.is_complete = !record.interrupted;
    interim.finish_caches()?;
    Ok(record)
}

/// What a frame waits for in a stage of the step; behind the last one it is judged.
fn stage_in_words(stage: &str) -> &'static str {
    match stage {
        "detect" => "the search for contacts",
        "recover" => "the recovery from tangles",
        "solve" => "the solver",
        "gate" => "the gate, which certifies its motion",
        "update" => "the judge of the frame",
        _ => "what moves in the scene",
    }
}

/// An observer of the rigid bodies of a scene among its garments.
fn rigid_observer(prepared: &Prepared, cloth_faces: Vec<[u32; 3]>) -> RigidObserver {
    let shapes = prepared.scene.desc.rigid_bodies().map(|(id, body)| (id, &body.collider.shape));
    RigidObserver::new(shapes, cloth_faces)
}

/// The faces of all garments, which are the first of the simulation.
fn faces_of_cloth(prepared: &Prepared) -> Vec<[u32; 3]> {
    let count = prepared.scene.garments.iter().map(|garment| garment.mesh.faces.len()).sum();
    prepared.simulation.faces().iter().copied().take(count).collect()
}

/// Says so of each garment that starts with seams that are not joined, if welding joins them.
fn note_seams(prepared: &mut Prepared, start: &Observation) {
    let (mut first, mut hints) = (0, Vec::new());
    for garment in &prepared.scene.garments {
        let seams = unwelded_seams(prepared, start, garment, first);
        first += garment.mesh.positions.len();
        let Some(seams) = seams else { continue };
        let Ok(welded) = repair_mesh(&garment.mesh, Some(seams.distance)) else { continue };
        let welded = welded.mesh.mapped(|p| p.map(|c| f64::from(c as f32)));
        if seams.are_joined_in(&welded, garment.mesh.faces.len()) {
            let option = prepared.source.weld_option(seams.distance);
            hints.push(format!("{}: {}", garment.name, seams.hint(&option)));
        }
    }
    hints.iter().for_each(|hint| console::out(format!("{hint}\n")));
    prepared.scene.notes.extend(hints);
}

/// The seams of a garment alone, whose first vertex has this number: welding joins no others.
fn unwelded_seams(
    prepared: &Prepared,
    start: &Observation,
    garment: &PlacedGarment,
    first: usize,
) -> Option<UnweldedSeams> {
    let topology = prepared.simulation.surface().topology();
    let own = first..first + garment.mesh.positions.len();
    let has = |v: u32| own.contains(&(v as usize));
    let has_edge = |e: u32| has(topology.edges()[e as usize][0]);
    let mut found = start.found.clone();
    found.retain(|[e, f]| has_edge(e) && has(topology.faces()[f as usize][0]));
    found.flat_folds.retain(|&e| has_edge(e));
    found.doubled_faces.retain(|[f, _]| has(topology.faces()[*f as usize][0]));
    UnweldedSeams::find(&found, &start.positions, topology, &garment.mesh.face_bounds())
}

/// Names the flat folds of the start, and its faces on others.
fn note_folds(prepared: &mut Prepared, start: &StateCounts) -> Vec<String> {
    let faces = faces_of_cloth(prepared).len();
    let folds = start.folds_in_words(faces, "`cloth check --remove-doubled`");
    prepared.scene.notes.extend(folds.iter().map(|fold| format!("start: {fold}")));
    folds
}

fn step(
    prepared: &mut Prepared,
    frame: usize,
    path: &mut PathObserver,
    depth: &mut DepthObserver,
    rigid: &mut RigidObserver,
) -> Result<StepReport, String> {
    advance(prepared, frame, &mut |motion| {
        path.motion(&motion);
        depth.motion(frame, &motion);
        rigid.motion(&motion);
    })
}

/// Goes on by a frame, counted from 1, and calls `on_motion` with every accepted motion.
pub(super) fn advance(
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
pub(super) fn figures_of_cuts(frame: usize, simulation: &Simulation, scene: &BuiltScene) -> Vec<CutFigures> {
    let name = |cut: &Cut| scene.garments.get(cut.cloth.index()).map(|garment| garment.name.clone());
    let figures = |cut: &Cut| CutFigures { name: name(cut), ..CutFigures::new(frame, cut) };
    simulation.cuts().iter().map(figures).collect()
}

impl Record {
    fn interrupt(&mut self, frames: usize) {
        self.interrupted = true;
        self.broken = Some(interrupted_after(self.ms.len(), frames));
    }

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

impl Still {
    /// The present state.
    fn new(frame: usize, seen: &Observation, prepared: &Prepared) -> Self {
        let Prepared { simulation, scene, .. } = prepared;
        Self {
            frame,
            positions: simulation.positions().to_vec(),
            colliders: simulation.colliders().to_vec(),
            red_faces: seen.red_faces.clone(),
            skin: scene.bodies.character().map_or_else(Vec::new, |c| c.positions().to_vec()),
        }
    }
}
