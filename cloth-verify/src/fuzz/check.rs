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
use cloth_solver::{ElasticModel, StepError, StepReport, Wind};
use nalgebra::Point3;
use serde::Serialize;

use super::build::ScenePlan;
use super::feature_observer::FeatureObserver;
use super::lag::LagWatch;
use super::player::{CallEffect, ScenePlayer};
use super::scene::FuzzScene;
use super::script::{SNAPSHOT_SLOTS, ScriptCall};
use super::{folded, metamorphic, repeat, sleepers};
use crate::audit::{AuditScene, Auditor, Checkpoint, FindingKind};

/// Scenes of up to this many vertices are checked for completeness in every substep.
const COMPLETE: usize = 150;
/// Runs of more steps than this are checked for completeness in one step of [`RARELY`] alone.
const LONG: u32 = 500;
const RARELY: u32 = 50;

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
    pub features: Vec<&'static str>,
    /// The first failure, with its step.
    pub failure: Option<String>,
}

/// Runs a scene to its end or to its first failure, then the runs it is compared with. A panic counts as a
/// failure.
#[must_use]
pub fn check_scene(scene: &FuzzScene) -> SceneOutcome {
    let (mut outcome, trace) = run(scene);
    if outcome.failure.is_none() {
        outcome.failure = repeat::failure(scene, &trace).or_else(|| metamorphic::failure(scene, &outcome));
    }
    outcome
}

/// Runs a scene without comparisons; also returns the hash of a snapshot after each step.
pub(super) fn run(scene: &FuzzScene) -> (SceneOutcome, Vec<u64>) {
    let (mut outcome, mut trace) = (SceneOutcome::default(), Vec::new());
    let found = guarded(scene.threads, || run_audited(scene, &mut outcome, &mut trace));
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
fn run_audited(scene: &FuzzScene, outcome: &mut SceneOutcome, trace: &mut Vec<u64>) -> Result<(), String> {
    let plan = ScenePlan::new(scene).map_err(|e| format!("it cannot be built: {e}"))?;
    let mut run = Run::new(&plan, true)?;
    outcome.tangled_at_start = run.auditor.figures().tangled_at_start;
    outcome.exemptions_at_start = run.exemptions();
    let mut found = scene.cloths.iter().try_for_each(|piece| folded::check(piece, scene.broad_phase));
    for step in 0..scene.steps {
        if found.is_err() || outcome.diverged.is_some() {
            break;
        }
        found = run.step(step, outcome, trace);
    }
    // Check the start again: folds that lie flat at the start open soon.
    found = found.and_then(|()| run.check_start());
    let figures = run.auditor.figures();
    outcome.substeps = figures.motions;
    outcome.exempt_pair_substeps = figures.exempt_pair_substeps;
    outcome.completeness_substeps = figures.completeness_motions;
    outcome.features = run.observer.features.names();
    found
}

/// A simulation with its auditor and its feature observer.
struct Run<'a> {
    scene: &'a FuzzScene,
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
    fn new(plan: &'a ScenePlan<'a>, gate: bool) -> Result<Self, String> {
        let scene = plan.scene;
        let simulation =
            plan.build(scene.broad_phase, gate).map_err(|e| format!("it cannot be built: {e}"))?;
        let player = ScenePlayer::new(plan, simulation);
        let start = player.simulation.positions().to_vec();
        let auditor = Auditor::new(&AuditScene::from_simulation(&player.simulation), &start);
        let auditor = auditor.map_err(|e| format!("it cannot be audited: {e}"))?;
        let mut observer = FeatureObserver::new(plan, &player);
        observer.start(&auditor);
        Ok(Self {
            scene,
            checker: Checker::with_broad_phase(scene.broad_phase.broad_phase()),
            observer,
            snapshots: vec![None; usize::from(SNAPSHOT_SLOTS)],
            lag: LagWatch::default(),
            is_complete: start.len() <= COMPLETE,
            player,
            auditor,
            start,
        })
    }

    fn step(&mut self, step: u32, outcome: &mut SceneOutcome, trace: &mut Vec<u64>) -> Result<(), String> {
        self.player.aim(step).map_err(|e| e.to_string())?;
        self.scene.calls(step).try_for_each(|call| self.call(call))?;
        let records = self.is_complete && (self.scene.steps <= LONG || step.is_multiple_of(RARELY));
        self.player.simulation.record_examined(records);
        let (figures, before) = (*self.auditor.figures(), self.player.simulation.snapshot());
        let poses: Vec<_> = self.player.simulation.colliders().iter().map(|c| c.pose_t0).collect();
        self.auditor.begin_step();
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
        self.observer.step(&self.player, &report, &self.auditor, &figures);
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
        if report.sleeping > 0 {
            let Wind { drag, lift, gusts, .. } = self.player.simulation.settings().wind;
            if drag + lift > 0.0 && gusts.is_some_and(|gusts| gusts.strength > 0.0) {
                return Err(format!("{} cloths sleep in gusts", report.sleeping));
            }
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
                StepError::Diverged { .. } => match self.scene.settings.model {
                    ElasticModel::Xpbd => true,
                    ElasticModel::MassSpring(_) => false,
                    ElasticModel::Fem(fem) => fem.integrator != Integrator::Explicit,
                },
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

    fn call(&mut self, call: &ScriptCall) -> Result<(), String> {
        self.auditor.begin_step();
        let auditor = &mut self.auditor;
        let effect = self.player.call(call, &mut |motion| auditor.motion(&motion))?;
        match effect {
            CallEffect::Edited => {}
            CallEffect::Refused => {
                self.observer.refused();
                return self.clean();
            }
            CallEffect::Rebuilt => self.rebuilt()?,
            CallEffect::Undone => self.auditor.end_step(false),
            CallEffect::Replaced => {
                let before = self.exemptions();
                let replaced = self.auditor.state_replaced(self.player.simulation.positions());
                replaced.map_err(|e| e.to_string())?;
                let now = self.exemptions();
                self.observer.jump(now[0] > before[0], now[1] > before[1]);
            }
            CallEffect::Kept(slot) => self.snapshots[slot] = Some(self.auditor.checkpoint()),
            CallEffect::Restored(slot) => {
                if let Some(kept) = &self.snapshots[slot] {
                    self.auditor.restored(kept).map_err(|e| e.to_string())?;
                }
            }
        }
        self.observer.call(call);
        self.clean()
    }

    /// Begins again with what has been edited: what intersects now becomes a tangle.
    fn rebuilt(&mut self) -> Result<(), String> {
        let (simulation, before) = (&self.player.simulation, self.auditor.exemptions().tangles());
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

    /// How many tangles and touching pairs are exempt.
    fn exemptions(&self) -> [usize; 2] {
        let exemptions = self.auditor.exemptions();
        [exemptions.tangles(), exemptions.touching()]
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
    let mut run = Run::new(&plan, false)?;
    let crosses = |run: &Run<'_>| {
        let mut found = run.auditor.findings().iter().map(|finding| finding.kind);
        found.any(|kind| kind == FindingKind::Crossing)
    };
    for step in 0..scene.steps {
        run.player.aim(step).map_err(|e| e.to_string())?;
        for call in scene.calls(step).filter(|call| **call != ScriptCall::RestoreForeign) {
            let _ = run.call(call);
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
