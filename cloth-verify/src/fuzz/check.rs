//! Runs a scene and checks it by means independent of the gate.
//!
//! An [`Auditor`] follows every accepted substep. In addition: the exact check of a state gives the same
//! result whatever states it has checked before; invalid calls are refused and change nothing; nothing sleeps
//! in gusts, and nothing that is touched ([`sleepers`]); a second run gives equal bits
//! ([`repeat`](super::repeat)); and an equivalent description of the scene is as free of intersections
//! ([`metamorphic`](super::metamorphic)).

use std::panic::{AssertUnwindSafe, catch_unwind};

use cloth_contacts::DetectError;
use cloth_contacts::intersect::{Checker, IntersectError};
use cloth_solver::fem::Integrator;
use cloth_solver::{ElasticModel, Simulation, StepError, StepReport, Wind};
use nalgebra::Point3;
use serde::Serialize;

use super::build::ScenePlan;
use super::feature_observer::{AuditedStep, FeatureObserver};
use super::features::FeatureSet;
use super::lag::LagWatch;
use super::player::{CallEffect, ScenePlayer};
use super::scene::FuzzScene;
use super::script::{SNAPSHOT_SLOTS, ScriptEntry};
use super::{folded, metamorphic, repeat, sleepers};
use crate::audit::{AuditScene, Auditor, Checkpoint, FindingKind};

/// Scenes of up to this many vertices are checked for completeness in every substep.
const COMPLETE: usize = 150;
/// Runs of more steps than this are checked for completeness in one step of [`RARELY`] alone.
const LONG: u32 = 500;
const RARELY: u32 = 50;

/// Changes a simulation before it runs: for tests of what the campaign does with a failure.
pub trait Prepare: Sync {
    /// Changes the simulation.
    fn prepare(&self, simulation: &mut Simulation);
}

/// Leaves a simulation as it is.
#[derive(Clone, Copy, Debug, Default)]
pub struct Unchanged;

impl Prepare for Unchanged {
    fn prepare(&self, _: &mut Simulation) {}
}

/// The result of running a scene.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct SceneOutcome {
    /// Steps simulated.
    pub steps: u64,
    /// Substeps audited.
    pub substeps: u64,
    /// Pairs that the gate certified.
    pub certified_pairs: u64,
    /// Maximum number of rounds that the gate took in a substep.
    pub max_gate_rounds: u32,
    /// Steps in which the gate changed a motion.
    pub changed_steps: u64,
    /// Intersections at the start.
    pub tangled_at_start: u64,
    /// Tangles and touching pairs at the start.
    pub exemptions_at_start: [usize; 2],
    /// Pair-substeps that were temporarily exempt.
    pub exempt_pair_substeps: u64,
    /// Substeps that were checked for completeness.
    pub completeness_substeps: u64,
    /// The step in which the solver diverged, if it did: the step was refused, the state stayed, and the run
    /// ended.
    pub diverged: Option<u64>,
    /// Features that acted.
    #[serde(serialize_with = "names")]
    pub features: FeatureSet,
    /// The first failure, with its step.
    pub failure: Option<String>,
}

fn names<S: serde::Serializer>(features: &FeatureSet, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_seq(features.iter().map(super::Feature::name))
}

/// Runs a scene to its end or to its first failure, then the runs it is compared with. A panic counts as a
/// failure.
#[must_use]
pub fn check_scene(scene: &FuzzScene, prepare: &impl Prepare) -> SceneOutcome {
    let (mut outcome, trace) = run(scene, prepare);
    if outcome.failure.is_none() {
        outcome.failure = repeat::failure(scene, prepare, &trace);
    }
    if outcome.failure.is_none() {
        outcome.failure = metamorphic::failure(scene, prepare, &outcome);
    }
    outcome
}

/// Runs a scene without comparisons; also returns the hash of a snapshot after each step.
pub(super) fn run(scene: &FuzzScene, prepare: &impl Prepare) -> (SceneOutcome, Vec<u64>) {
    let (mut outcome, mut trace) = (SceneOutcome::default(), Vec::new());
    let audited = AuditedRun { scene, prepare, outcome: &mut outcome, trace: &mut trace };
    let found = guarded(scene.threads, || audited.run());
    if let Err(what) = found {
        let is_built = catch_unwind(AssertUnwindSafe(|| scene.check_build().is_ok())).unwrap_or(false);
        outcome.failure = Some(if is_built { format!("step {}: {what}", outcome.steps + 1) } else { what });
    }
    (outcome, trace)
}

/// Whether cloth crosses in a scene without the gate.
#[must_use]
pub fn crosses_ungated(scene: &FuzzScene) -> bool {
    guarded(scene.threads, || run_ungated(scene)).unwrap_or(false)
}

/// Runs `work` on a thread pool of its own, so that no other work of the caller is interleaved with it. A
/// panic becomes an error.
pub(super) fn guarded<T: Send>(
    threads: u8,
    work: impl FnOnce() -> Result<T, String> + Send,
) -> Result<T, String> {
    let threads = usize::from(threads).clamp(1, 8);
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build();
    let pool = pool.map_err(|e| format!("cannot start {threads} threads: {e}"))?;
    let run = || pool.install(|| catch_unwind(AssertUnwindSafe(work)));
    let found = std::thread::scope(|scope| scope.spawn(run).join());
    match found {
        Ok(Ok(found)) => found,
        Ok(Err(panic)) | Err(panic) => {
            let text = panic.downcast_ref::<String>().map(String::as_str);
            let text = text.or_else(|| panic.downcast_ref::<&str>().copied()).unwrap_or("no message");
            Err(format!("it panicked: {text}"))
        }
    }
}

/// Whether an elastic model is integrated explicitly.
fn is_explicit(model: &ElasticModel) -> bool {
    match model {
        ElasticModel::Xpbd => false,
        ElasticModel::MassSpring(_) => true,
        ElasticModel::Fem(fem) => fem.integrator == Integrator::Explicit,
    }
}

/// Whether a step was refused because positions or velocities were no longer finite, or would not have been:
/// the cloth is too stiff for the explicit steps that are allowed, or it could not follow its pins.
pub(super) fn is_divergence(error: &StepError) -> bool {
    matches!(
        error,
        StepError::Diverged { .. }
            | StepError::LeftBehind { .. }
            | StepError::RigidBodyDiverged(_)
            | StepError::ExplicitSteps
            | StepError::Detect(DetectError::NotFinite(_))
            | StepError::State(IntersectError::NotFinite { .. })
    )
}

/// The run under audit.
struct AuditedRun<'a, P> {
    scene: &'a FuzzScene,
    prepare: &'a P,
    outcome: &'a mut SceneOutcome,
    trace: &'a mut Vec<u64>,
}

impl<P: Prepare> AuditedRun<'_, P> {
    fn run(self) -> Result<(), String> {
        let plan = ScenePlan::new(self.scene).map_err(|e| format!("it cannot be built: {e}"))?;
        let choice = self.scene.broad_phase;
        let simulation = plan.build(choice, true).map_err(|e| format!("it cannot be built: {e}"))?;
        let mut run = Run::new(&plan, simulation, self.prepare)?;
        self.outcome.tangled_at_start = run.auditor.figures().tangled_at_start;
        self.outcome.exemptions_at_start =
            [run.auditor.exemptions().tangles(), run.auditor.exemptions().touching()];
        let mut found = self.scene.cloths.iter().try_for_each(|piece| folded::check(piece, choice));
        for step in 0..self.scene.steps {
            if found.is_err() {
                break;
            }
            found = run.step(step, self.outcome, self.trace);
            if self.outcome.diverged.is_some() {
                break;
            }
        }
        // Check the start again: folds that lie flat at the start open soon.
        found = found.and_then(|()| run.check_start());
        let figures = run.auditor.figures();
        self.outcome.substeps = figures.motions;
        self.outcome.exempt_pair_substeps = figures.exempt_pair_substeps;
        self.outcome.completeness_substeps = figures.completeness_motions;
        self.outcome.features = run.observer.features;
        found
    }
}

/// A simulation with its auditor and its feature observer.
struct Run<'a> {
    scene: &'a FuzzScene,
    script: &'a [ScriptEntry],
    player: ScenePlayer<'a>,
    auditor: Auditor,
    /// Checks every state of a short run.
    checker: Checker,
    start: Vec<Point3<f32>>,
    observer: FeatureObserver<'a>,
    snapshots: Vec<Option<Checkpoint>>,
    lag: LagWatch,
    is_complete: bool,
}

impl<'a> Run<'a> {
    fn new(
        plan: &'a ScenePlan<'a>,
        simulation: Simulation,
        prepare: &'a dyn Prepare,
    ) -> Result<Self, String> {
        let scene = plan.scene;
        let player = ScenePlayer::new(plan, simulation, prepare);
        let simulation = &player.simulation;
        let auditor = Auditor::new(&AuditScene::from_simulation(simulation), simulation.positions());
        let auditor = auditor.map_err(|e| format!("it cannot be audited: {e}"))?;
        let mut observer = FeatureObserver::new(plan, &player);
        observer.start(auditor.figures().tangled_at_start, auditor.exemptions().touching());
        let is_complete = simulation.positions().len() <= COMPLETE;
        let snapshots = vec![None; usize::from(SNAPSHOT_SLOTS)];
        let (script, start) = (scene.script.as_slice(), player.simulation.positions().to_vec());
        let broad_phase = scene.broad_phase;
        let checker = Checker::with_broad_phase(broad_phase.broad_phase());
        let lag = LagWatch::default();
        Ok(Self { scene, script, player, auditor, checker, start, observer, snapshots, lag, is_complete })
    }

    fn step(&mut self, step: u32, outcome: &mut SceneOutcome, trace: &mut Vec<u64>) -> Result<(), String> {
        self.player.aim(step).map_err(|e| e.to_string())?;
        while let [entry, rest @ ..] = self.script {
            if entry.at > step {
                break;
            }
            self.script = rest;
            if entry.at == step {
                self.call(entry)?;
            }
        }
        let records = self.is_complete && (self.scene.steps <= LONG || step.is_multiple_of(RARELY));
        self.player.simulation.record_examined(records);
        let authored = self.auditor.figures().authored_pair_substeps;
        let before = self.player.simulation.snapshot();
        let poses: Vec<_> = self.player.simulation.colliders().iter().map(|c| c.pose_t0).collect();
        self.auditor.begin_step();
        let bodies = self.auditor.figures().cut_bodies;
        let (auditor, mut cuts) = (&mut self.auditor, 0);
        let taken = self.player.step(&mut |motion| {
            cuts += motion.cuts.len();
            auditor.motion(&motion);
        });
        self.auditor.end_step(taken.is_ok());
        let report = match taken {
            Ok(report) => report,
            Err(error) if is_divergence(&error) => {
                outcome.diverged = Some(outcome.steps + 1);
                return match self.player.difference(&before) {
                    None if self.may_not_fail(&error) => {
                        Err(format!("the solver diverged after something jumped: {error}"))
                    }
                    None => self.clean(),
                    Some(what) => Err(format!("a step that diverged left another state: {what} differ")),
                };
            }
            Err(error) => return Err(error.to_string()),
        };
        self.auditor.check_claims(|hit| self.player.simulation.is_certified(hit));
        trace.push(self.player.hash());
        let figures = self.auditor.figures();
        let seen = AuditedStep {
            tangles: self.auditor.exemptions().tangles(),
            authored: figures.authored_pair_substeps > authored,
            cut_bodies: figures.cut_bodies > bodies,
        };
        self.observer.step(&self.player, &report, seen);
        outcome.certified_pairs += report.gate.proofs as u64;
        outcome.max_gate_rounds = outcome.max_gate_rounds.max(report.gate.rounds);
        outcome.changed_steps += u64::from(report.gate.modified_vertices > 0);
        self.clean()?;
        self.check_cuts(&report, cuts)?;
        self.lag.check(&self.player, &report)?;
        if records {
            let x = self.player.simulation.positions().to_vec();
            self.check_state(&x)?;
        }
        if report.gate.intersections_outside_tangles > 0 {
            return Err(format!(
                "{} intersections outside all tangles are reported",
                report.gate.intersections_outside_tangles
            ));
        }
        let Wind { drag, lift, gusts, .. } = self.player.simulation.settings().wind;
        let blows = drag + lift > 0.0 && gusts.is_some_and(|gusts| gusts.strength > 0.0);
        if blows && report.sleeping > 0 {
            return Err(format!("{} cloths sleep in gusts", report.sleeping));
        }
        if report.sleeping > 0 {
            sleepers::undisturbed(&self.player, &poses)?;
        }
        outcome.steps += 1;
        Ok(())
    }

    /// Whether an error of the solver is a failure: after a jump there is no other reason for one than that
    /// it was not made as a cut or at the velocity limit. An explicit integrator may still need more steps
    /// than a scene allows, and overflow, and cloth may stay behind where what holds it does not move alike.
    fn may_not_fail(&self, error: &StepError) -> bool {
        self.player.jumped.any()
            && match error {
                StepError::ExplicitSteps => false,
                StepError::Diverged { .. } => !is_explicit(&self.scene.settings.model),
                StepError::LeftBehind { .. } => self.player.moves_alike(),
                _ => true,
            }
    }

    /// Checks that everybody is told of the cuts of a step, and that no motion over them is certified.
    fn check_cuts(&self, report: &StepReport, cuts: usize) -> Result<(), String> {
        let kept = self.player.simulation.cuts().len();
        if [kept, report.cuts] != [cuts; 2] {
            return Err(format!(
                "motions have {cuts} cuts, the report {}, and the simulation {kept}",
                report.cuts
            ));
        }
        if cuts > 0 && report.gate.certified_chord {
            return Err(format!("the chord of a step with {cuts} cuts is certified"));
        }
        Ok(())
    }

    fn call(&mut self, entry: &ScriptEntry) -> Result<(), String> {
        self.auditor.begin_step();
        let auditor = &mut self.auditor;
        let effect = self.player.call(&entry.call, &mut |motion| auditor.motion(&motion))?;
        match effect {
            CallEffect::Edited => {}
            CallEffect::Refused => {
                self.observer.refused();
                return self.clean();
            }
            CallEffect::Rebuilt => self.rebuilt()?,
            CallEffect::Undone => self.auditor.end_step(false),
            CallEffect::Replaced => {
                let before = [self.auditor.exemptions().tangles(), self.auditor.exemptions().touching()];
                let replaced = self.auditor.state_replaced(self.player.simulation.positions());
                replaced.map_err(|e| e.to_string())?;
                let exemptions = self.auditor.exemptions();
                self.observer.jump(exemptions.tangles() > before[0], exemptions.touching() > before[1]);
            }
            CallEffect::Kept(slot) => self.snapshots[slot] = Some(self.auditor.checkpoint()),
            CallEffect::Restored(slot) => {
                if let Some(kept) = &self.snapshots[slot] {
                    self.auditor.restored(kept).map_err(|e| e.to_string())?;
                }
            }
        }
        self.observer.call(&entry.call);
        self.clean()
    }

    /// Begins again with what has been edited: what intersects now becomes a tangle.
    fn rebuilt(&mut self) -> Result<(), String> {
        let simulation = &self.player.simulation;
        let before = self.auditor.exemptions().tangles();
        let kept =
            self.auditor.scene_changed(&AuditScene::from_simulation(simulation), simulation.positions());
        let kept = kept.map_err(|e| format!("it cannot be audited: {e}"))?;
        if !kept {
            self.is_complete = simulation.positions().len() <= COMPLETE;
            self.checker = Checker::with_broad_phase(self.scene.broad_phase.broad_phase());
            self.start = simulation.positions().to_vec();
        }
        self.observer.rebuilt(&self.player, kept && self.auditor.exemptions().tangles() > before);
        Ok(())
    }

    /// Checks that the exact check of the start still gives what it gave before.
    fn check_start(&mut self) -> Result<(), String> {
        let start = std::mem::take(&mut self.start);
        if self.is_complete { self.check_state(&start) } else { Ok(()) }
    }

    /// Checks that the result for a state (m) does not depend on the states checked before it.
    fn check_state(&mut self, x: &[Point3<f32>]) -> Result<(), String> {
        let x: Vec<Point3<f64>> = x.iter().map(|p| p.cast()).collect();
        folded::agrees(
            &mut self.checker,
            &x,
            self.player.simulation.surface().topology(),
            self.scene.broad_phase,
        )
    }

    fn clean(&self) -> Result<(), String> {
        match self.auditor.findings().first() {
            None => Ok(()),
            Some(finding) => Err(finding.to_string()),
        }
    }
}

/// The run without the gate, of which only is asked whether cloth crosses.
fn run_ungated(scene: &FuzzScene) -> Result<bool, String> {
    let plan = ScenePlan::new(scene).map_err(|e| e.to_string())?;
    let simulation = plan.build(scene.broad_phase, false).map_err(|e| e.to_string())?;
    let mut run = Run::new(&plan, simulation, &Unchanged)?;
    let crosses = |run: &Run<'_>| {
        let mut found = run.auditor.findings().iter().map(|finding| finding.kind);
        found.any(|kind| kind == FindingKind::Crossing)
    };
    for step in 0..scene.steps {
        run.player.aim(step).map_err(|e| e.to_string())?;
        let calls = scene.script.iter().filter(|entry| entry.at == step);
        for entry in calls.filter(|entry| !matches!(entry.call, super::script::ScriptCall::RestoreForeign)) {
            let _ = run.call(entry);
        }
        run.auditor.begin_step();
        let auditor = &mut run.auditor;
        let taken = run.player.step(&mut |motion| auditor.motion(&motion)).is_ok();
        if crosses(&run) || !taken {
            return Ok(crosses(&run));
        }
        run.auditor.end_step(true);
    }
    Ok(false)
}
