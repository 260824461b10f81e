//! Runs a scenario and its control, and judges both.
//!
//! ```text
//! observe   simulates, and measures every frame exactly     (the scenario, then its control)
//! judge     measurements -> sentences about what did not hold
//! summary   measurements -> figures of the report
//! film      states kept by the way -> pictures
//! ```
//!
//! Times are those that the simulation reports of itself, so that measuring costs nothing in them. The control starts
//! when the scenario is through; only drawing goes on beside it.

mod between;
mod discrete;
mod film;
mod judge;
mod observe;
mod scene;
mod sides;
mod summary;
#[cfg(test)]
mod tests;

use std::fmt::Debug;

use cloth_broadphase::BroadPhase;
use cloth_geom::TriMesh;
use cloth_solver::{Interaction, Settings};
use rayon::ThreadPool;

use crate::choice::WithBroadPhase;
use crate::report::{Picture, ScenarioReport};
use crate::scenario::{Foil, Scenario, Setup, SetupError};
use crate::verify::{Phase, VerifyError};
use crate::{BroadPhaseChoice, Interrupt, SelfCollision, Size};
use film::Film;
use observe::{Observation, Plan, observe};

/// How a scenario is run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RunOptions {
    /// Broad phase of the simulation and of its judge.
    pub broadphase: BroadPhaseChoice,
    /// Threads that a step may use, at least 1. From 2 on, pictures are drawn beside the control.
    pub threads: usize,
    /// Whether to draw pictures.
    pub pictures: bool,
    /// Whether motions are certified; controls always run without.
    pub gate: bool,
    /// How cloth collides with itself; none for what each scene says.
    pub self_collision: Option<SelfCollision>,
    /// Asked after every frame; once it is requested, the frames so far are reported, as a failure.
    pub interrupt: Interrupt,
}

impl Default for RunOptions {
    fn default() -> Self {
        Self {
            broadphase: BroadPhaseChoice::default(),
            threads: 1,
            pictures: false,
            gate: true,
            self_collision: None,
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
    /// The cloths in their last state (m), as one mesh; empty if nothing could be built.
    pub last: TriMesh,
}

/// Told the phase, how much of it is done, and how much there is.
pub type OnProgress<'a> = &'a mut dyn FnMut(Phase, usize, usize);

/// Runs a scenario and its control at a size, and judges both.
///
/// What goes wrong in the scene (it cannot be built, a step fails, an expectation does not hold) is a failure in the
/// report, in words.
///
/// # Errors
/// If brute force is asked for above the small size, or if the threads cannot be started.
pub fn run(
    scenario: &Scenario,
    size: Size,
    options: &RunOptions,
    progress: OnProgress<'_>,
) -> Result<RunOutcome, VerifyError> {
    if options.broadphase.is_quadratic() && size != Size::Small {
        return Err(VerifyError::TooLarge(size));
    }
    let job = Job { scenario, size, options, pool: &pool(options.threads)? };
    let outcome = options.broadphase.with(Begin { job: &job, progress });
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
    let faces = setup.faces_by_cloth().concat();
    TriMesh::new(main.last.iter().map(|p| p.map(f64::from)).collect(), faces)
}

struct Job<'a> {
    scenario: &'a Scenario,
    size: Size,
    options: &'a RunOptions,
    pool: &'a ThreadPool,
}

/// A job that waits for its broad phase.
struct Begin<'a> {
    job: &'a Job<'a>,
    progress: OnProgress<'a>,
}

impl WithBroadPhase for Begin<'_> {
    type Output = Result<RunOutcome, SetupError>;

    fn call<B: BroadPhase + Clone + Debug + Send>(self) -> Self::Output {
        self.job.run::<B>(self.progress)
    }
}

impl Job<'_> {
    /// The scene, with the gate and the self collision that were asked for.
    fn setup(&self) -> Result<Setup, SetupError> {
        let mut setup = (self.scenario.build)(self.size)?;
        setup.settings.gate = self.options.gate;
        match self.options.self_collision {
            None => {}
            Some(SelfCollision::Full) => setup.interaction = Interaction::FullMesh,
            Some(SelfCollision::Particles) => setup.make_particles(),
        }
        Ok(setup)
    }

    fn run<B: BroadPhase + Send>(&self, progress: OnProgress<'_>) -> Result<RunOutcome, SetupError> {
        let mut setup = self.setup()?;
        let keep = if self.options.pictures { film::frames(setup.frames) } else { Vec::new() };
        let plan = Plan {
            settings: setup.settings,
            discrete: false,
            keep: &keep,
            pool: self.pool,
            interrupt: self.options.interrupt,
            between: true,
        };
        let main = observe::<B>(&mut setup, &plan, &mut |done, of| progress(Phase::Run, done, of))?;

        let control = |progress: OnProgress<'_>| {
            // Built anew, since drivers remember.
            let mut setup = self.setup()?;
            let settings = Settings { gate: false, ..setup.foil.applied_to(setup.settings) };
            let plan = Plan {
                settings,
                discrete: setup.foil == Foil::DiscreteColliders,
                keep: &keep[keep.len().saturating_sub(1)..],
                pool: self.pool,
                interrupt: self.options.interrupt,
                between: false,
            };
            observe::<B>(&mut setup, &plan, &mut |done, of| progress(Phase::Control, done, of))
        };
        let Setup { cloths, view, focus, follows, .. } = &setup;
        let film = Film { cloths, view: *view, focus: *focus, follows: *follows };
        let (control, mut pictures) = self.beside(control, || film.of_run(&main), progress);
        let control = control?;
        let lost = self.without_order::<B>(&setup, progress)?;
        pictures.extend(film.of_control(&control, &setup.foil.name()));

        let mut report = summary::report(self, &setup, [&main, &control]);
        report.without_order = lost.as_ref().map(summary::intersections);
        report.failures = judge::failures(&setup, &main, &control);
        report.failures.extend(lost.as_ref().and_then(judge::without_order));
        if self.options.interrupt.is_requested() {
            // What is missing would look like failures of the cloth.
            report.failures =
                vec![format!("interrupted after frame {} of {}", main.frames.len(), setup.frames)];
        }
        report.pass = report.failures.is_empty();
        Ok(RunOutcome { report, pictures, last: last_state(&setup, &main) })
    }

    /// Runs a scene of layers without their order; none if it has no such layers.
    fn without_order<B: BroadPhase + Send>(
        &self,
        setup: &Setup,
        progress: OnProgress<'_>,
    ) -> Result<Option<Observation>, SetupError> {
        let Some(contacts) = setup.without_order else { return Ok(None) };
        let mut setup = self.setup()?;
        let settings = Settings { contacts, layer_order: false, gate: false, ..setup.settings };
        let plan = Plan {
            settings,
            discrete: false,
            keep: &[],
            pool: self.pool,
            interrupt: self.options.interrupt,
            between: false,
        };
        observe::<B>(&mut setup, &plan, &mut |done, of| progress(Phase::WithoutOrder, done, of)).map(Some)
    }

    /// Runs the control, and draws: at once if there are threads for it.
    fn beside(
        &self,
        control: impl FnOnce(OnProgress<'_>) -> Result<Observation, SetupError>,
        draw: impl FnOnce() -> Vec<Picture> + Send,
        progress: OnProgress<'_>,
    ) -> (Result<Observation, SetupError>, Vec<Picture>) {
        if !self.options.pictures || self.options.interrupt.is_requested() {
            return (control(progress), Vec::new());
        }
        if self.options.threads == 1 {
            progress(Phase::Pictures, 0, 1);
            let pictures = draw();
            progress(Phase::Pictures, 1, 1);
            return (control(progress), pictures);
        }
        std::thread::scope(|scope| {
            let drawing = scope.spawn(draw);
            let control = control(progress);
            // A panic while drawing is ours, and goes on as one.
            let pictures = drawing.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic));
            (control, pictures)
        })
    }

    fn not_built(&self, error: &SetupError) -> RunOutcome {
        let mut report = summary::heading(self);
        report.failures.push(format!("the scene cannot be built: {error}"));
        RunOutcome { report, ..RunOutcome::default() }
    }
}
