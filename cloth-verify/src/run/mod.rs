//! Runs a scenario and its control, and judges both.
//!
//! ```text
//! simulated      what is run: the solver, or discrete collision for comparison      (discrete)
//! observe        simulates, and checks every frame exactly                          (chords, axes, sides)
//! audited        reports every substep of the scenario itself to an auditor
//! expectations   measurements -> sentences about what did not hold
//! summary        measurements -> figures of the report
//! pictures       states kept during the run -> pictures, by the feature `render`    (still, no_pictures)
//! ```
//!
//! Times are those that the simulation reports of itself, so that measuring costs nothing in them. The
//! control starts when the scenario is through; only drawing and the run without the gate run concurrently.

mod audited;
mod axes;
mod chords;
mod discrete;
mod expectations;
mod observe;
#[cfg_attr(not(feature = "render"), path = "no_pictures.rs")]
mod pictures;
mod sides;
mod simulated;
mod still;
mod summary;
#[cfg(test)]
mod tests;

use std::panic::resume_unwind;
use std::path::PathBuf;

use cloth_geom::TriMesh;
use cloth_show::Interrupt;
use cloth_show::choice::{BroadPhaseChoice, PlayerChoice};
use cloth_show::recording::Recording;
use cloth_solver::{FaceContacts, Interaction, Settings};
use rayon::ThreadPool;

use crate::audit::Finding;
use crate::report::{Picture, ScenarioReport};
use crate::scenario::{ControlKind, Scenario, Setup, SetupError};
use crate::verify::{Phase, VerifyError};
use crate::{ModelChoice, SelfCollision, Size, Wearer, scenarios};
use audited::AuditPlan;
use observe::{Observation, ObservationPlan, observe};
use pictures::SceneRenderer;

/// How a scenario is run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RunOptions {
    /// Broad phase of the simulation and of its judge.
    pub broadphase: BroadPhaseChoice,
    /// Threads that a step may use, at least 1; times are comparable only at the same number. From 2 on,
    /// pictures are drawn while the control runs.
    pub threads: usize,
    /// Whether to draw pictures, which takes the feature `render`.
    pub pictures: bool,
    /// Which runs are recorded.
    pub player: PlayerChoice,
    /// The folder to which the run itself is written as a stage of USD, `SCENARIO.usda`.
    pub usd: Option<PathBuf>,
    /// Whether motions are certified; controls always run without.
    pub gate: bool,
    /// Whether an [`Auditor`](crate::audit::Auditor) judges every substep, which takes the gate. At the small
    /// size it also compares what came near with what the gate examined.
    pub audit: bool,
    /// Whether to run the control, if the scenario has one under its elastic model, and a scene of layers
    /// without their order. A verdict without them says less: see [`ControlKind`].
    pub controls: bool,
    /// Whether to run the scene once more with self-collision and without the gate.
    pub ungated: bool,
    /// How cloth collides with itself; none for what each scene says.
    pub self_collision: Option<SelfCollision>,
    /// The elastic model; none for what each scene says.
    pub model: Option<ModelChoice>,
    /// Which faces make contacts with colliders; none for what each scene says.
    pub face_contacts: Option<FaceContacts>,
    /// Gravity is weaker by this many times 1e-5 m/s². The motion differs as that of another run of the same
    /// scene would, if runs were not reproducible: what a change of the solver does to a figure has to be
    /// larger than what this does.
    pub perturbation: u8,
    /// Asked after every frame; once it is requested, the frames so far are reported, as a failure.
    pub interrupt: Interrupt,
}

impl Default for RunOptions {
    fn default() -> Self {
        Self {
            broadphase: BroadPhaseChoice::default(),
            threads: 1,
            pictures: false,
            player: PlayerChoice::Off,
            usd: None,
            gate: true,
            audit: false,
            controls: true,
            ungated: false,
            self_collision: None,
            model: None,
            face_contacts: None,
            perturbation: 0,
            interrupt: Interrupt::NEVER,
        }
    }
}

/// What a run found.
#[derive(Clone, Debug, Default)]
pub struct RunOutcome {
    /// The figures and the verdict.
    pub report: ScenarioReport,
    /// The pictures, if they were asked for: a filmstrip, the last frame, the last frame of the control.
    pub pictures: Vec<Picture>,
    /// The runs that were recorded: the scenario itself, its control, the scene without the gate.
    pub recordings: Vec<Recording>,
    /// The cloths in their last state (m), as one mesh; empty if nothing could be built.
    pub last: TriMesh,
    /// What an audit found wrong; empty if nothing was, or without an audit.
    pub findings: Vec<Finding>,
}

/// Called with the phase, how much of it is done, and its total.
pub type OnProgress<'a> = &'a mut dyn FnMut(Phase, usize, usize);

/// Runs a scenario and its control at a size, and judges both.
///
/// What goes wrong in the scene (it cannot be built, a step fails, an expectation does not hold) is a failure
/// in the report, in words.
///
/// # Errors
/// If brute force is asked for above the small size, an audit without the gate, pictures without the feature
/// `render`, or if the threads cannot be started.
pub fn run(
    scenario: &Scenario,
    size: Size,
    options: &RunOptions,
    progress: OnProgress<'_>,
) -> Result<RunOutcome, VerifyError> {
    if options.broadphase.is_quadratic() && size != Size::Small {
        return Err(VerifyError::TooLarge(size));
    }
    if options.audit && !options.gate {
        return Err(VerifyError::AuditWithoutGate);
    }
    if options.pictures && cfg!(not(feature = "render")) {
        return Err(VerifyError::NoRenderer);
    }
    let job = Job { scenario, size, options, pool: &pool(options.threads)? };
    let outcome = job.run(progress);
    Ok(outcome.unwrap_or_else(|error| job.not_built(&error)))
}

fn pool(threads: usize) -> Result<ThreadPool, VerifyError> {
    let failed = |cause: String| VerifyError::Threads { threads, cause };
    if threads == 0 {
        return Err(failed("none can do no work".into()));
    }
    rayon::ThreadPoolBuilder::new().num_threads(threads).build().map_err(|e| failed(e.to_string()))
}

/// The cloths where the run ended.
fn last_state(setup: &Setup, main: &Observation) -> TriMesh {
    let faces = setup.scene.faces_by_cloth().concat();
    TriMesh::new(main.last.iter().map(|p| p.map(f64::from)).collect(), faces)
}

/// What was observed, if the scene could be built.
type Observed<T> = Result<T, SetupError>;

/// What was seen of a control.
struct ControlRun {
    kind: ControlKind,
    seen: Observation,
}

/// Whether motions are certified: there has to be something to certify.
fn is_gated(settings: &Settings) -> bool {
    settings.gate && settings.self_collision
}

struct Job<'a> {
    scenario: &'a Scenario,
    size: Size,
    options: &'a RunOptions,
    pool: &'a ThreadPool,
}

impl Job<'_> {
    /// The scene, with the gate, the elastic model, the contacts and the perturbation that were asked for.
    fn setup(&self) -> Result<Setup, SetupError> {
        let mut setup = (self.scenario.build)(self.size)?;
        setup.scene.settings.gate = self.options.gate;
        setup.scene.settings.gravity.y += 1.0e-5 * f32::from(self.options.perturbation);
        if let Some(model) = self.options.model {
            setup.set_model(model);
        }
        if let Some(faces) = self.options.face_contacts {
            setup.scene.settings.face_contacts = faces;
        }
        match self.options.self_collision {
            None => {}
            Some(SelfCollision::Full) => setup.scene.default_interaction = Interaction::FullMesh,
            Some(SelfCollision::Particles) => setup.make_particles(),
        }
        Ok(setup)
    }

    fn run(&self, progress: OnProgress<'_>) -> Result<RunOutcome, SetupError> {
        let mut setup = self.setup()?;
        let keep = if self.options.pictures { pictures::frames(setup.frames) } else { Vec::new() };
        let plan = ObservationPlan {
            keep: &keep,
            record: self.recorded_as(PlayerChoice::Run, || {
                if is_gated(&setup.scene.settings) { "with the gate" } else { "this run" }.into()
            }),
            stage: self
                .options
                .usd
                .as_ref()
                .map(|folder| folder.join(format!("{}.usda", self.scenario.name))),
            between: true,
            depth: true,
            skin: true,
            audit: self.audit(&setup),
            ..ObservationPlan::new(setup.scene.settings, self.pool, self.options)
        };
        let mut main = observe(&mut setup, &plan, &mut |done, of| progress(Phase::Run, done, of))?;

        let control_kind = setup.control_kind().ok().filter(|_| self.options.controls);
        let control = |progress: OnProgress<'_>| {
            control_kind.map(|kind| self.control(kind, &keep, progress)).transpose()
        };
        let Setup { scene, view, focus, follows, .. } = &setup;
        let skin_faces = setup.wearer.as_ref().map_or(&[][..], Wearer::faces);
        let cloths = &scene.cloths;
        let renderer = SceneRenderer { cloths, view: *view, focus: *focus, follows: *follows, skin_faces };
        let (control, ungated, mut pictures) =
            self.run_concurrently(setup.scene.settings, control, || renderer.of_run(&main), progress);
        let mut control = control?;
        let mut ungated = ungated?;
        let lost = self.without_layer_order(&setup, progress)?;
        pictures.extend(
            control.iter().flat_map(|control| renderer.of_control(&control.seen, &control.kind.name())),
        );

        let mut report = summary::report(self, &setup, &main, control.as_ref());
        // Without a gate the run itself is the one without it; an interrupted run with one has none.
        let without_gate = if is_gated(&setup.scene.settings) { ungated.as_ref() } else { Some(&main) };
        report.ungated = without_gate.filter(|_| self.options.ungated).map(summary::intersections);
        report.without_layer_order = lost.as_ref().map(summary::intersections);
        report.run.failures =
            expectations::failures(&setup, &main, control.as_ref(), self.max_exempt_pair_substeps());
        report.run.failures.extend(ungated.as_ref().and_then(expectations::ungated));
        report.run.failures.extend(lost.as_ref().and_then(expectations::without_layer_order));
        if self.options.interrupt.is_requested() {
            // What is missing would look like failures of the cloth; what an audit found is none that is
            // missing.
            report.run.failures =
                vec![format!("interrupted after frame {} of {}", main.frames.len(), setup.frames)];
            report.run.failures.extend(main.audit.iter().flat_map(|seen| expectations::audit(seen, None)));
        }
        report.run.pass = report.run.failures.is_empty();
        let last = last_state(&setup, &main);
        let all = [Some(&mut main), control.as_mut().map(|control| &mut control.seen), ungated.as_mut()];
        let recordings = all.into_iter().flatten().filter_map(|seen| seen.recording.take()).collect();
        Ok(RunOutcome {
            report,
            pictures,
            recordings,
            last,
            findings: main.audit.map_or_else(Vec::new, |seen| seen.findings),
        })
    }

    /// How the run is audited; not at all without a gate that certifies anything.
    fn audit(&self, setup: &Setup) -> Option<AuditPlan> {
        let (every, completeness) = (setup.audit_every, self.size == Size::Small);
        (self.options.audit && is_gated(&setup.scene.settings)).then_some(AuditPlan { every, completeness })
    }

    /// The most pair-substeps that a tangle may exempt; none if the scene is not run as it says.
    fn max_exempt_pair_substeps(&self) -> Option<u64> {
        let known = || scenarios::exempt_pair_substeps(self.scenario.name, self.size);
        self.options.self_collision.is_none().then(known)
    }

    /// Runs the control.
    fn control(
        &self,
        kind: ControlKind,
        keep: &[usize],
        progress: OnProgress<'_>,
    ) -> Result<ControlRun, SetupError> {
        // Rebuilt, because drivers have state.
        let mut setup = self.setup()?;
        setup.scene.cloths.iter_mut().for_each(|cloth| kind.change_fabrics(cloth));
        let settings = Settings { gate: false, ..kind.applied_to(setup.scene.settings) };
        let plan = ObservationPlan {
            discrete: kind == ControlKind::DiscreteColliders,
            guarded: kind != ControlKind::UnguardedColliders,
            colliders: kind != ControlKind::NoColliders,
            skin: kind == ControlKind::NoColliders,
            keep: &keep[keep.len().saturating_sub(1)..],
            record: self.recorded_as(PlayerChoice::Run, || format!("control: {}", kind.name())),
            ..ObservationPlan::new(settings, self.pool, self.options)
        };
        let seen = observe(&mut setup, &plan, &mut |done, of| progress(Phase::Control, done, of))?;
        Ok(ControlRun { kind, seen })
    }

    /// Runs the scene with self-collision and without the gate, on threads of its own.
    fn ungated(&self) -> Result<Observation, SetupError> {
        let mut setup = self.setup()?;
        let settings = Settings { gate: false, ..setup.scene.settings };
        let own = pool(self.options.threads).ok();
        let plan = ObservationPlan {
            record: self.recorded_as(PlayerChoice::All, || "without the gate".into()),
            ..ObservationPlan::new(settings, own.as_ref().unwrap_or(self.pool), self.options)
        };
        observe(&mut setup, &plan, &mut |_, _| {})
    }

    /// The label of a run that is recorded from a choice on; none if less was chosen.
    fn recorded_as(&self, from: PlayerChoice, label: impl FnOnce() -> String) -> Option<String> {
        (self.options.player >= from).then(label)
    }

    /// Runs a scene of layers without their order; none if it has no such layers.
    fn without_layer_order(
        &self,
        setup: &Setup,
        progress: OnProgress<'_>,
    ) -> Result<Option<Observation>, SetupError> {
        let Some(contacts) = setup.without_layer_order.filter(|_| self.options.controls) else {
            return Ok(None);
        };
        let mut setup = self.setup()?;
        let settings = Settings { contacts, layer_order: false, gate: false, ..setup.scene.settings };
        let plan = ObservationPlan::new(settings, self.pool, self.options);
        observe(&mut setup, &plan, &mut |done, of| progress(Phase::WithoutOrder, done, of)).map(Some)
    }

    /// Runs the control; concurrently the run without the gate, whose times nobody reads, unless the run was
    /// one; and draws: concurrently with both if there are threads for it.
    fn run_concurrently(
        &self,
        settings: Settings,
        control: impl FnOnce(OnProgress<'_>) -> Observed<Option<ControlRun>>,
        draw: impl FnOnce() -> Vec<Picture> + Send,
        progress: OnProgress<'_>,
    ) -> (Observed<Option<ControlRun>>, Observed<Option<Observation>>, Vec<Picture>) {
        let interrupted = self.options.interrupt.is_requested();
        let draws = self.options.pictures && !interrupted;
        let runs_ungated = self.options.ungated && is_gated(&settings) && !interrupted;
        let mut draw = Some(draw);
        let mut pictures = Vec::new();
        if let Some(draw) = draw.take_if(|_| draws && self.options.threads == 1) {
            progress(Phase::Pictures, 0, 1);
            pictures = draw();
            progress(Phase::Pictures, 1, 1);
        }
        std::thread::scope(|scope| {
            let drawing = draw.filter(|_| draws).map(|draw| scope.spawn(draw));
            let ungated = runs_ungated.then(|| scope.spawn(|| self.ungated()));
            let control = control(progress);
            // A panic of the other thread is propagated.
            let ungated =
                ungated.map(|run| run.join().unwrap_or_else(|panic| resume_unwind(panic))).transpose();
            let drawn = drawing.map(|run| run.join().unwrap_or_else(|panic| resume_unwind(panic)));
            (control, ungated, drawn.unwrap_or(pictures))
        })
    }

    fn not_built(&self, error: &SetupError) -> RunOutcome {
        let mut report = summary::heading(self);
        report.run.failures.push(format!("the scene cannot be built: {error}"));
        RunOutcome { report, ..RunOutcome::default() }
    }
}
