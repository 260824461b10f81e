//! Runs a scene and says what was wrong, by means that are not the gate's.
//!
//! An [`Auditor`] follows every accepted substep. Beside that, the exact check of a state gives the same verdict whatever it was
//! shown before, what has to be refused is refused and changes nothing, a second run
//! gives equal bits ([`agree`](super::agree)), and a scene that is described in another way is as clean
//! ([`twins`](super::twins)).

use std::panic::{AssertUnwindSafe, catch_unwind};

use cloth_broadphase::BroadPhase;
use cloth_contacts::DetectError;
use cloth_contacts::intersect::{Checker, IntersectError};
use cloth_solver::{Simulation, StepError};
use nalgebra::Point3;
use serde::Serialize;

use super::build::Plan;
use super::evidence::Evidence;
use super::features::FeatureSet;
use super::play::{Effect, Player};
use super::scene::FuzzScene;
use super::script::{Entry, SLOTS};
use super::{agree, folded, twins};
use crate::audit::{AuditScene, Auditor, Checkpoint, FindingKind};
use crate::{BroadPhaseChoice, WithBroadPhase};

/// Scenes of up to so many vertices are checked for completeness in every substep.
const COMPLETE: usize = 150;
/// Runs of more steps than this are checked for completeness in one step of [`RARELY`] alone.
const LONG: u32 = 500;
const RARELY: u32 = 50;

/// Changes a simulation before it runs: for those who want to see the campaign fail.
pub trait Prepare: Sync {
    /// Changes it.
    fn prepare<B: BroadPhase>(&self, simulation: &mut Simulation<B>);
}

/// Leaves a simulation as it is.
#[derive(Clone, Copy, Debug, Default)]
pub struct Unchanged;

impl Prepare for Unchanged {
    fn prepare<B: BroadPhase>(&self, _: &mut Simulation<B>) {}
}

/// What the runs of a scene found.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Verdict {
    /// Steps simulated.
    pub steps: u64,
    /// Substeps audited.
    pub substeps: u64,
    /// Pairs that the gate proved.
    pub proofs: u64,
    /// Most rounds that the gate took.
    pub rounds: u32,
    /// Steps in which the gate changed a motion.
    pub changed_steps: u64,
    /// Intersections at the start.
    pub tangled_at_start: u64,
    /// Contours of those, and pairs that touch at the start.
    pub book_at_start: [usize; 2],
    /// Pair-substeps that were exempt for a time.
    pub exempt_pair_substeps: u64,
    /// Substeps that were checked for completeness.
    pub complete_substeps: u64,
    /// The step in which the solver diverged, if it did: the step was refused, the state stayed, and the run ended.
    pub diverged: Option<u64>,
    /// What acted.
    #[serde(serialize_with = "names")]
    pub features: FeatureSet,
    /// What was wrong, with the step, if anything was.
    pub failure: Option<String>,
}

fn names<S: serde::Serializer>(features: &FeatureSet, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_seq(features.iter().map(super::Feature::name))
}

/// Runs a scene to its end, or to the first step that is wrong, and whatever it is compared with. A panic is a failure like any
/// other.
#[must_use]
pub fn judge(scene: &FuzzScene, prepare: &impl Prepare) -> Verdict {
    let (mut verdict, trace) = run(scene, prepare);
    if verdict.failure.is_none() {
        verdict.failure = agree::failure(scene, prepare, &trace);
    }
    if verdict.failure.is_none() {
        verdict.failure = twins::failure(scene, prepare, &verdict);
    }
    verdict
}

/// Runs a scene alone; returns the hashes of its states after each step as well.
pub(super) fn run(scene: &FuzzScene, prepare: &impl Prepare) -> (Verdict, Vec<u64>) {
    let (mut verdict, mut trace) = (Verdict::default(), Vec::new());
    let audited = Audited { scene, prepare, verdict: &mut verdict, trace: &mut trace };
    let found = guarded(scene.settings.broad_phase(), scene.settings.threads, audited);
    if let Err(what) = found {
        let is_built = catch_unwind(|| scene.check_build().is_ok()).unwrap_or(false);
        verdict.failure = Some(if is_built { format!("step {}: {what}", verdict.steps + 1) } else { what });
    }
    (verdict, trace)
}

/// Whether cloth crosses in a scene without the gate.
#[must_use]
pub fn crosses_ungated(scene: &FuzzScene) -> bool {
    guarded(scene.settings.broad_phase(), scene.settings.threads, Ungated(scene)).unwrap_or(false)
}

/// Does work with a broad phase on threads of its own, so that none of the caller's other work is done in the midst of it; a panic
/// becomes an error.
pub(super) fn guarded<T: Send, W>(choice: BroadPhaseChoice, threads: u8, work: W) -> Result<T, String>
where
    W: WithBroadPhase<Output = Result<T, String>> + Send,
{
    let threads = usize::from(threads).clamp(1, 8);
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build();
    let pool = pool.map_err(|e| format!("cannot start {threads} threads: {e}"))?;
    let run = || pool.install(|| catch_unwind(AssertUnwindSafe(|| choice.with(work))));
    let found = std::thread::scope(|scope| scope.spawn(run).join());
    match found {
        Ok(Ok(found)) => found,
        Ok(Err(panic)) | Err(panic) => {
            let text = panic.downcast_ref::<String>().map(String::as_str);
            let text = text.or_else(|| panic.downcast_ref::<&str>().copied()).unwrap_or("no words");
            Err(format!("it panicked: {text}"))
        }
    }
}

/// Whether a step was refused because the motion left the numbers that there are.
pub(super) fn is_divergence(error: &StepError) -> bool {
    matches!(
        error,
        StepError::Diverged(_)
            | StepError::Detect(DetectError::NotFinite(_))
            | StepError::State(IntersectError::NotFinite { .. })
    )
}

/// The run that is audited.
struct Audited<'a, P> {
    scene: &'a FuzzScene,
    prepare: &'a P,
    verdict: &'a mut Verdict,
    trace: &'a mut Vec<u64>,
}

impl<P: Prepare> WithBroadPhase for Audited<'_, P> {
    type Output = Result<(), String>;

    fn call<B: BroadPhase + Clone + std::fmt::Debug + Send>(self) -> Self::Output {
        let plan = Plan::new(self.scene).map_err(|e| format!("it cannot be built: {e}"))?;
        let mut simulation = plan.build::<B>(true).map_err(|e| format!("it cannot be built: {e}"))?;
        self.prepare.prepare(&mut simulation);
        let mut run = Run::new(&plan, simulation)?;
        self.verdict.tangled_at_start = run.auditor.figures().tangled_at_start;
        self.verdict.book_at_start = [run.auditor.book().tangles(), run.auditor.book().touching()];
        let mut found = self.scene.cloths.iter().try_for_each(folded::check::<B>);
        for step in 0..self.scene.steps {
            if found.is_err() {
                break;
            }
            found = run.step(step, self.verdict, self.trace);
            if self.verdict.diverged.is_some() {
                break;
            }
        }
        // What the scene began with, once more: folds that lie flat at the start are open soon.
        found = found.and_then(|()| run.check_start());
        let figures = run.auditor.figures();
        self.verdict.substeps = figures.motions;
        self.verdict.exempt_pair_substeps = figures.exempt_pair_substeps;
        self.verdict.complete_substeps = figures.completeness_motions;
        self.verdict.features = run.evidence.features;
        found
    }
}

/// A simulation with all that watches it.
struct Run<'a, B> {
    scene: &'a FuzzScene,
    script: &'a [Entry],
    player: Player<'a, B>,
    auditor: Auditor,
    /// Sees every state of a short run.
    checker: Checker<B>,
    start: Vec<Point3<f32>>,
    evidence: Evidence<'a>,
    snapshots: Vec<Option<Checkpoint>>,
    is_complete: bool,
}

impl<'a, B: BroadPhase + Clone> Run<'a, B> {
    fn new(plan: &'a Plan<'a>, simulation: Simulation<B>) -> Result<Self, String> {
        let scene = plan.scene;
        let auditor = Auditor::new(&AuditScene::from_simulation(&simulation), simulation.positions());
        let auditor = auditor.map_err(|e| format!("it cannot be audited: {e}"))?;
        let mut evidence = Evidence::new(plan, &simulation);
        evidence.start(auditor.figures().tangled_at_start, auditor.book().touching());
        let is_complete = simulation.positions().len() <= COMPLETE;
        let player = Player::new(plan, simulation);
        let snapshots = vec![None; usize::from(SLOTS)];
        let (script, start) = (scene.script.as_slice(), player.simulation.positions().to_vec());
        let checker = Checker::default();
        Ok(Self { scene, script, player, auditor, checker, start, evidence, snapshots, is_complete })
    }

    fn step(&mut self, step: u32, verdict: &mut Verdict, trace: &mut Vec<u64>) -> Result<(), String> {
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
        let before = self.player.simulation.state_hash();
        self.auditor.begin_step();
        let auditor = &mut self.auditor;
        let taken = self.player.step(&mut |motion| auditor.motion(&motion));
        self.auditor.end_step(taken.is_ok());
        let report = match taken {
            Ok(report) => report,
            Err(error) if is_divergence(&error) => {
                verdict.diverged = Some(verdict.steps + 1);
                return match self.player.simulation.state_hash() == before {
                    true => self.clean(),
                    false => Err("a step that diverged left another state".into()),
                };
            }
            Err(error) => return Err(error.to_string()),
        };
        self.auditor.check_claims(|hit| self.player.simulation.is_certified(hit));
        trace.push(self.player.simulation.state_hash());
        let authored = self.auditor.figures().authored_pair_substeps > authored;
        self.evidence.step(&self.player.simulation, &report, self.auditor.book().tangles(), authored);
        verdict.proofs += report.gate.proofs as u64;
        verdict.rounds = verdict.rounds.max(report.gate.rounds);
        verdict.changed_steps += u64::from(report.gate.modified_vertices > 0);
        self.clean()?;
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
        verdict.steps += 1;
        Ok(())
    }

    fn call(&mut self, entry: &Entry) -> Result<(), String> {
        self.auditor.begin_step();
        let auditor = &mut self.auditor;
        let effect = self.player.call(&entry.call, &mut |motion| auditor.motion(&motion))?;
        match effect {
            Effect::Edited | Effect::Refused => {}
            Effect::Undone => self.auditor.end_step(false),
            Effect::Replaced => {
                let before = [self.auditor.book().tangles(), self.auditor.book().touching()];
                let replaced = self.auditor.state_replaced(self.player.simulation.positions());
                replaced.map_err(|e| e.to_string())?;
                let book = self.auditor.book();
                self.evidence.jump(book.tangles() > before[0], book.touching() > before[1]);
            }
            Effect::Kept(slot) => self.snapshots[slot] = Some(self.auditor.checkpoint()),
            Effect::Restored(slot) => {
                if let Some(kept) = &self.snapshots[slot] {
                    self.auditor.restored(kept).map_err(|e| e.to_string())?;
                }
            }
        }
        self.evidence.call(&entry.call);
        self.clean()
    }

    /// The verdict on the start is still what it was.
    fn check_start(&mut self) -> Result<(), String> {
        let start = std::mem::take(&mut self.start);
        if self.is_complete { self.check_state(&start) } else { Ok(()) }
    }

    /// The verdict on a state (m) is that on the state alone.
    fn check_state(&mut self, x: &[Point3<f32>]) -> Result<(), String> {
        let x: Vec<Point3<f64>> = x.iter().map(|p| p.cast()).collect();
        folded::agrees(&mut self.checker, &x, self.player.simulation.surface().topology())
    }

    fn clean(&self) -> Result<(), String> {
        match self.auditor.findings().first() {
            None => Ok(()),
            Some(finding) => Err(finding.to_string()),
        }
    }
}

/// The run without the gate, of which only is asked whether cloth crosses.
struct Ungated<'a>(&'a FuzzScene);

impl WithBroadPhase for Ungated<'_> {
    type Output = Result<bool, String>;

    fn call<B: BroadPhase + Clone + std::fmt::Debug + Send>(self) -> Self::Output {
        let plan = Plan::new(self.0).map_err(|e| e.to_string())?;
        let simulation = plan.build::<B>(false).map_err(|e| e.to_string())?;
        let mut run = Run::new(&plan, simulation)?;
        let crosses = |run: &Run<'_, B>| {
            let mut found = run.auditor.findings().iter().map(|finding| finding.kind);
            found.any(|kind| kind == FindingKind::Crossing)
        };
        for step in 0..self.0.steps {
            run.player.aim(step).map_err(|e| e.to_string())?;
            let calls = self.0.script.iter().filter(|entry| entry.at == step);
            for entry in calls.filter(|entry| !matches!(entry.call, super::script::Call::RestoreForeign)) {
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
}
