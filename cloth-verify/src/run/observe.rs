//! Simulates a scene and measures every frame, the start included.

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use cloth_contacts::intersect::{Checker, Intersections};
use cloth_geom::Topology;
use cloth_io::{FileError, UsdPrim};
use cloth_show::Interrupt;
use cloth_show::choice::BroadPhaseChoice;
use cloth_show::invariants::{
    DeepFace, DepthObserver, RigidObserver, RigidTrack, SkinFigures, SkinObserver, Strain, deepest_vertex,
};
use cloth_show::recording::{RecordedState, Recorder, Recording};
use cloth_show::report::CutFigures;
use cloth_show::stage::StageWriter;
use cloth_solver::{AcceptedMotion, ByParts, Collider, IntersectingParts, Settings, StepReport};
use nalgebra::Point3;
use rayon::ThreadPool;

use super::RunOptions;
use super::audited::{AuditPlan, AuditResult, RunAudit};
use super::axes::AxisObserver;
use super::chords::ChordObserver;
use super::discrete::DiscreteMethod;
use super::sides::SideObserver;
use super::simulated::Simulated;
use super::still::Still;
use crate::Wearer;
use crate::audit::AuditScene;
use crate::scenario::{Setup, SetupError};

/// How a scene is simulated.
pub(super) struct ObservationPlan<'a> {
    /// Settings of the scene, or of its control.
    pub(super) settings: Settings,
    /// Whether by the discrete method instead of the solver.
    pub(super) discrete: bool,
    /// Whether the colliders that the scene guards are guarded.
    pub(super) guarded: bool,
    /// Whether there are colliders.
    pub(super) colliders: bool,
    /// Whether faces are measured in the colliders after every substep.
    pub(super) depth: bool,
    /// Whether cloth is measured against the skin of the wearer.
    pub(super) skin: bool,
    /// After which frames the state is kept, ascending; 0 is the start.
    pub(super) keep: &'a [usize],
    /// What a recording of it is called; none if it is not recorded.
    pub(super) record: Option<String>,
    /// Where it is written as a stage of USD, if it is.
    pub(super) stage: Option<PathBuf>,
    /// Where steps and checks run.
    pub(super) pool: &'a ThreadPool,
    /// Whether to check the chords between frames too.
    pub(super) between: bool,
    /// How the substeps are audited; none if they are not.
    pub(super) audit: Option<AuditPlan>,
    /// Broad phase of the simulation and of its judge.
    pub(super) broad_phase: BroadPhaseChoice,
    /// Ends it after a frame.
    pub(super) interrupt: Interrupt,
}

impl<'a> ObservationPlan<'a> {
    /// Measures every frame of a simulation with some settings, and nothing else.
    pub(super) fn new(settings: Settings, pool: &'a ThreadPool, options: &RunOptions) -> Self {
        let (broad_phase, interrupt) = (options.broadphase, options.interrupt);
        Self {
            settings,
            discrete: false,
            guarded: true,
            colliders: true,
            depth: false,
            skin: false,
            keep: &[],
            record: None,
            stage: None,
            pool,
            between: false,
            audit: None,
            broad_phase,
            interrupt,
        }
    }
}

/// What was seen of a simulation.
#[derive(Default)]
pub(super) struct Observation {
    /// Of the start.
    pub(super) start: Counts,
    /// Of the state after each frame.
    pub(super) frames: Vec<Frame>,
    /// What became of the cells.
    pub(super) sides: SideObserver,
    /// Pairs of a guarded axis and cloth that met, summed over the substeps; none if the scene guards no
    /// collider.
    pub(super) axis_crossings: Option<u64>,
    /// The face that was deepest in a collider after any substep, if that was measured.
    pub(super) deepest_face: Option<DeepFace>,
    /// The rigid bodies.
    pub(super) rigid: Vec<RigidTrack>,
    /// The cloths that were teleported.
    pub(super) cuts: Vec<CutFigures>,
    /// Cloth against the skin of the wearer at the start and after each frame; empty if there is none, or if
    /// it was not asked for.
    pub(super) skin: Vec<SkinFigures>,
    /// Why it ended before its time.
    pub(super) error: Option<String>,
    /// Hash of the last state.
    pub(super) state_hash: u64,
    /// Positions (m) of the last state.
    pub(super) last: Vec<Point3<f32>>,
    /// What an audit found.
    pub(super) audit: Option<AuditResult>,
    /// The states that were kept, and the last one if it ended before its time.
    pub(super) stills: Vec<Still>,
    /// The run as it can be played, if it was recorded.
    pub(super) recording: Option<Recording>,
}

/// Intersections of a state.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Counts {
    /// Edges and faces that meet.
    pub(super) intersections: u64,
    /// Of those, intersections of certified pairs; all, without a gate.
    pub(super) certified: u64,
    /// Of those, the ones in tangles.
    pub(super) tangled: u64,
    /// All, and those of bodies, by what intersects.
    pub(super) parts: ByParts<usize>,
    /// The face pairs behind them.
    pub(super) face_pairs: u64,
    /// Edges whose faces lie flat on each other.
    pub(super) flat_folds: u64,
}

/// What was measured of a frame.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Frame {
    pub(super) counts: Counts,
    /// Pairs that touch on the chord to it, if it was checked.
    pub(super) on_chord: u64,
    /// None where no edge is measured.
    pub(super) threads: Option<Strain>,
    pub(super) diagonals: Option<Strain>,
    /// Deepest place of a vertex in a collider (m).
    pub(super) vertex_depth: f64,
    /// Time that moving the character took.
    pub(super) character: Duration,
    pub(super) step: StepReport,
    pub(super) hash: u64,
}

/// Simulates a scene to its end, or until something goes wrong, which the observation then says.
///
/// # Errors
/// If the solver refuses the scene.
pub(super) fn observe(
    setup: &mut Setup,
    plan: &ObservationPlan<'_>,
    progress: &mut dyn FnMut(usize, usize),
) -> Result<Observation, SetupError> {
    if plan.discrete {
        let mut scene = DiscreteMethod::new(setup)?;
        let observer = Observer::new(setup, plan, None, AxisObserver::new(setup))?;
        return Ok(observe_frames(&mut scene, setup, plan, observer, progress));
    }
    let axes = AxisObserver::new(setup);
    for collider in &mut setup.scene.colliders {
        collider.collider_mut().is_guarded &= plan.guarded;
    }
    if !plan.colliders {
        setup.remove_colliders();
    }
    let mut builder = setup.scene.builder(plan.settings)?;
    builder.set_broad_phase(plan.broad_phase.broad_phase());
    let mut sim = builder.build()?;
    let authored = plan.audit.map(|how| (how, AuditScene::from_simulation(&sim)));
    let audit = authored.map(|(how, authored)| RunAudit::start(&mut sim, &authored, how)).transpose()?;
    let observer = Observer::new(setup, plan, audit, axes)?;
    Ok(observe_frames(&mut sim, setup, plan, observer, progress))
}

fn observe_frames(
    sim: &mut (impl Simulated + Send),
    setup: &mut Setup,
    plan: &ObservationPlan<'_>,
    mut observer: Observer,
    progress: &mut dyn FnMut(usize, usize),
) -> Observation {
    let mut seen = Observation { sides: SideObserver::new(setup.cells.len()), ..Observation::default() };
    if let Err(error) = observer.start(&mut seen, sim, setup, plan) {
        seen.error = Some(format!("the start: {error}"));
    }
    let asked = || plan.interrupt.is_requested();
    while seen.error.is_none() && seen.frames.len() < setup.frames && !asked() {
        progress(seen.frames.len(), setup.frames);
        let frame = seen.frames.len() + 1;
        if let Err(error) = observer.frame(&mut seen, sim, setup, plan) {
            seen.error = Some(format!("frame {frame} of {}: {error}", setup.frames));
            let wearer = setup.wearer.as_mut();
            seen.stills.push(Still::capture(sim, wearer, seen.frames.len(), &Intersections::default()));
        }
    }
    progress(seen.frames.len(), setup.frames);
    seen.axis_crossings = observer.axes.is_on().then(|| observer.axes.crossings());
    seen.deepest_face = observer.depth.deepest();
    seen.rigid = observer.rigid.into_tracks();
    seen.audit = observer.audit.map(RunAudit::end);
    seen.recording =
        observer.recorder.zip(plan.record.as_ref()).map(|(recorder, label)| recorder.finish(label));
    if let Some(Err(error)) = observer.stage.map(StageWriter::finish) {
        seen.error.get_or_insert(error.to_string());
    }
    seen.state_hash = sim.state_hash();
    // Behind the cloths are the axes of guarded colliders.
    seen.last = sim.positions()[..setup.scene.vertex_count()].to_vec();
    seen
}

/// The stage of a scene, without any state so far.
fn stage_of(path: &Path, setup: &mut Setup, colliders: &[Collider]) -> Result<StageWriter, FileError> {
    let mut stage = StageWriter::start(path, f64::from(setup.dt_of(0)))?;
    let mut first = 0;
    for cloth in &setup.scene.cloths {
        let end = first + cloth.mesh.positions.len() as u32;
        stage.add(&UsdPrim { name: "cloth", faces: &cloth.mesh.faces, ..UsdPrim::default() }, first..end)?;
        first = end;
    }
    match &mut setup.wearer {
        // Its skin stands for its proxies.
        Some(wearer) => {
            let end = first + wearer.skin_positions().len() as u32;
            let prim = UsdPrim { name: "character", is_body: true, ..UsdPrim::default() };
            stage.add(&UsdPrim { faces: wearer.faces(), ..prim }, first..end)?;
        }
        None => stage.add_colliders(colliders, |_| None)?,
    }
    Ok(stage)
}

struct Observer {
    checker: Checker,
    between: ChordObserver,
    audit: Option<RunAudit>,
    axes: AxisObserver,
    depth: DepthObserver,
    rigid: RigidObserver,
    /// Of the cloths alone, if the chords of what else there is mean nothing: a body may intersect itself.
    cloths: Option<Topology>,
    skin: Option<SkinObserver>,
    /// From the start on, if the run is recorded.
    recorder: Option<Recorder>,
    /// The same, as a stage of USD.
    stage: Option<StageWriter>,
    positions: Vec<Point3<f64>>,
    room: Vec<f64>,
}

impl Observer {
    fn new(
        setup: &Setup,
        plan: &ObservationPlan<'_>,
        audit: Option<RunAudit>,
        axes: AxisObserver,
    ) -> Result<Self, SetupError> {
        let faces = || setup.scene.faces_by_cloth().concat();
        let cloths = setup.wearer.as_ref().map(|_| Topology::new(setup.scene.vertex_count(), &faces()));
        let skin = setup.wearer.as_ref().filter(|_| plan.skin);
        let skin =
            skin.map(|wearer| SkinObserver::new(faces(), setup.scene.vertex_count(), wearer.skin_faces()));
        Ok(Self {
            checker: Checker::with_broad_phase(plan.broad_phase.broad_phase()),
            between: ChordObserver::new(plan.broad_phase),
            audit,
            axes,
            depth: DepthObserver::new(if plan.depth { faces() } else { Vec::new() }),
            rigid: RigidObserver::new(setup.rigid_shapes(), faces()),
            cloths: cloths.transpose()?,
            skin: skin.transpose()?,
            recorder: None,
            stage: None,
            positions: Vec::new(),
            room: Vec::new(),
        })
    }

    fn start(
        &mut self,
        seen: &mut Observation,
        sim: &impl Simulated,
        setup: &mut Setup,
        plan: &ObservationPlan<'_>,
    ) -> Result<(), String> {
        let (found, parts) = self.check(sim, plan.pool)?;
        seen.start = Counts::new(&found, parts, sim);
        if plan.settings.gate {
            // The gate has inspected nothing yet; in the first step it exempts what it finds as tangles.
            seen.start.certified = 0;
            seen.start.tangled = found.edge_faces.iter().filter(|&&hit| sim.is_guarded(hit)).count() as u64;
        }
        self.on_chord(sim, plan)?;
        self.rigid.record(|collider| sim.rigid_body(collider));
        self.observe_skin(seen, sim, setup.wearer.as_mut())?;
        seen.keep(sim, setup.wearer.as_mut(), plan.keep, &found);
        self.recorder = plan.record.is_some().then(|| {
            let layout = setup.layout(sim.colliders());
            let surface = setup.wearer.as_ref().map_or(&[][..], Wearer::faces);
            Recorder::new(layout, &setup.scene.faces_by_cloth().concat(), surface)
        });
        let stage = plan.stage.as_ref().map(|path| stage_of(path, setup, sim.colliders()));
        self.stage = stage.transpose().map_err(|e| e.to_string())?;
        self.record(seen, sim, setup, &found)
    }

    /// Records the present state, if the run is recorded.
    fn record(
        &mut self,
        seen: &Observation,
        sim: &impl Simulated,
        setup: &mut Setup,
        found: &Intersections,
    ) -> Result<(), String> {
        let frame = seen.frames.len();
        let cloths = &sim.positions()[..setup.scene.vertex_count()];
        let time = frame.checked_sub(1).map_or(0.0, |last| setup.time_after(last));
        let surfaces = setup.wearer.as_mut().map_or(&[][..], Wearer::skin_positions);
        if let Some(recorder) = &mut self.recorder {
            let state = RecordedState {
                time: f64::from(time),
                cloths,
                surfaces,
                colliders: sim.colliders(),
                intersections: found.count() as u64,
                intersecting_faces: &found.intersecting_faces(sim.topology()),
                cuts: &seen.cuts,
            };
            recorder.record(&state, seen.frames.last().map(|frame| &frame.step.times));
        }
        let Some(stage) = &mut self.stage else { return Ok(()) };
        let new = seen.cuts.iter().rev().take_while(|cut| cut.frame == frame);
        let cut: Vec<usize> = new.map(|cut| cut.cloth).collect();
        stage.push(&[cloths, surfaces].concat(), sim.colliders(), &cut).map_err(|e| e.to_string())
    }

    fn frame(
        &mut self,
        seen: &mut Observation,
        sim: &mut (impl Simulated + Send),
        setup: &mut Setup,
        plan: &ObservationPlan<'_>,
    ) -> Result<(), String> {
        let frame = seen.frames.len();
        let dt = setup.dt_of(frame);
        setup.drive(sim, frame).map_err(|e| format!("its driver is refused: {e}"))?;
        let started = Instant::now();
        let moved = setup.move_wearer(sim, frame, plan.settings.substeps);
        let waypoints = moved.map_err(|e| format!("its wearer is refused: {e}"))?;
        let character = started.elapsed();
        let before = (!setup.cells.is_empty()).then(|| (sim.positions().to_vec(), sim.colliders().to_vec()));
        let Self { audit, axes, depth, rigid, between, .. } = self;
        let cuts = &mut seen.cuts;
        axes.begin_frame(sim.colliders(), &waypoints);
        let step = plan.pool.install(|| {
            let mut on_motion = |motion: AcceptedMotion<'_>| {
                if !motion.cuts.is_empty() {
                    cuts.extend(motion.cuts.iter().map(|cut| CutFigures::new(frame + 1, cut)));
                    between.cut(motion.x_t0);
                }
                axes.motion(&motion);
                depth.motion(frame + 1, &motion);
                rigid.motion(&motion);
            };
            match audit {
                Some(audit) => audit.advance(sim, dt, &waypoints, &mut on_motion),
                None => sim.advance(dt, &waypoints, &mut on_motion),
            }
        })?;
        self.rigid.record(|collider| sim.rigid_body(collider));
        if let Some((positions, colliders)) = before {
            seen.sides.observe(&setup.cells, [&positions, sim.positions()], &colliders);
        }
        let (found, parts) = self.check(sim, plan.pool)?;
        seen.frames.push(Frame {
            counts: Counts::new(&found, parts, sim),
            on_chord: self.on_chord(sim, plan)?,
            threads: Strain::measure(&self.positions, &setup.measured.threads, &mut self.room),
            diagonals: Strain::measure(&self.positions, &setup.measured.diagonals, &mut self.room),
            vertex_depth: deepest_vertex(&sim.positions()[..setup.scene.vertex_count()], sim.colliders()),
            character,
            step,
            hash: sim.state_hash(),
        });
        self.observe_skin(seen, sim, setup.wearer.as_mut())?;
        seen.keep(sim, setup.wearer.as_mut(), plan.keep, &found);
        self.record(seen, sim, setup, &found)?;
        // The frame is reported, and is the last.
        self.audit
            .as_ref()
            .and_then(RunAudit::first)
            .map_or(Ok(()), |finding| Err(format!("audit, substep {}: {}", finding.substep, finding.what)))
    }

    /// Measures the cloth against the skin of the wearer, if that is asked for.
    fn observe_skin(
        &mut self,
        seen: &mut Observation,
        sim: &impl Simulated,
        wearer: Option<&mut Wearer>,
    ) -> Result<(), String> {
        let Some((observer, wearer)) = self.skin.as_mut().zip(wearer) else { return Ok(()) };
        let figures = observer.observe(sim.positions(), wearer.skin_positions());
        seen.skin.push(figures.map_err(|e| e.to_string())?);
        Ok(())
    }

    /// All intersections but those of bodies with themselves and each other, and the number of each kind; an
    /// error if a vertex, used by a face or not, has no finite position.
    fn check(
        &mut self,
        sim: &impl Simulated,
        pool: &ThreadPool,
    ) -> Result<(Intersections, ByParts<usize>), String> {
        self.positions.clear();
        self.positions.extend(sim.positions().iter().map(|p| p.map(f64::from)));
        if let Some(vertex) = self.positions.iter().position(|p| !p.iter().all(|c| c.is_finite())) {
            return Err(format!("vertex {vertex} is at {}, which is not finite", self.positions[vertex]));
        }
        let (checker, positions) = (&mut self.checker, &self.positions);
        let topology = sim.topology();
        let mut found = pool.install(|| checker.check(positions, topology)).map_err(|e| e.to_string())?;
        let mut counts = ByParts::default();
        found.retain(|hit| {
            let parts = sim.intersecting_parts(hit);
            parts.into_iter().for_each(|parts| counts[parts] += 1);
            parts != Some(IntersectingParts::BodyWithItself)
        });
        Ok((found, counts))
    }

    /// Pairs that touch on the chord from the last state; 0 at the start, or if the plan does not want to
    /// know.
    fn on_chord(&mut self, sim: &impl Simulated, plan: &ObservationPlan<'_>) -> Result<u64, String> {
        if !plan.between {
            return Ok(0);
        }
        let (between, cloths) = (&mut self.between, self.cloths.as_ref());
        let count = cloths.map_or(self.positions.len(), Topology::vertex_count);
        let (positions, topology) = (&self.positions[..count], cloths.unwrap_or(sim.topology()));
        plan.pool.install(|| between.show(positions, topology)).map(|found| found.count() as u64)
    }
}

impl Counts {
    fn new(found: &Intersections, parts: ByParts<usize>, sim: &impl Simulated) -> Self {
        let hits = &found.edge_faces;
        Self {
            intersections: found.count() as u64,
            certified: hits.iter().filter(|&&hit| sim.is_certified(hit)).count() as u64,
            tangled: hits.iter().filter(|&&hit| sim.is_tangled(hit)).count() as u64,
            parts,
            face_pairs: found.face_pairs(sim.topology()).len() as u64,
            flat_folds: found.flat_folds.len() as u64,
        }
    }
}

impl Observation {
    fn keep(
        &mut self,
        sim: &impl Simulated,
        wearer: Option<&mut Wearer>,
        frames: &[usize],
        found: &Intersections,
    ) {
        if frames.contains(&self.frames.len()) {
            self.stills.push(Still::capture(sim, wearer, self.frames.len(), found));
        }
    }

    /// Measurements of the worst frame, each the greatest of its kind.
    pub(super) fn worst(&self) -> Frame {
        self.frames.iter().fold(Frame::default(), |worst, frame| Frame {
            threads: Strain::worst([worst.threads, frame.threads]),
            diagonals: Strain::worst([worst.diagonals, frame.diagonals]),
            vertex_depth: worst.vertex_depth.max(frame.vertex_depth),
            ..worst
        })
    }

    /// Greatest depth (m) below the skin of the wearer at the start and in all frames, if it was measured.
    pub(super) fn skin_depth(&self) -> f64 {
        self.skin.iter().map(|figures| figures.depth).fold(0.0, f64::max)
    }

    /// A count of each frame.
    pub(super) fn counts(&self, of: impl Fn(&Counts) -> u64) -> Vec<u64> {
        self.frames.iter().map(|frame| of(&frame.counts)).collect()
    }
}
