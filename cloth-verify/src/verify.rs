//! Many scenarios in one call: what `cargo xtask verify` runs.

use cloth_geom::TriMesh;
use cloth_show::recording::Recording;
use serde::Serialize;

use crate::audit::Finding;
use crate::report::{Picture, SCHEMA_VERSION, ScenarioReport, VerifyReport};
use crate::run::{RunOptions, run};
use crate::scenario::Scenario;
use crate::{SelfCollision, Size, scenarios};

/// What to run, and how.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct VerifyOptions {
    /// Names of scenarios, in the order in which they run; none for all.
    pub scenarios: Vec<String>,
    /// Size of the scenes.
    pub size: Size,
    /// How each of them is run; by default also without the gate ([`RunOptions::ungated`]).
    pub run: RunOptions,
}

impl Default for VerifyOptions {
    fn default() -> Self {
        let run = RunOptions { ungated: true, ..RunOptions::default() };
        Self { scenarios: Vec::new(), size: Size::default(), run }
    }
}

/// Which part of a scenario is at work.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Phase {
    /// The scenario itself.
    Run,
    /// Its control.
    Control,
    /// The scene once more, its layers without their order.
    WithoutOrder,
    /// Its pictures.
    Pictures,
}

/// What a verify run reports while it runs.
#[derive(Clone, Copy, Debug)]
pub enum VerifyEvent<'a> {
    /// A part of a scenario made progress.
    Progress(Progress),
    /// A scenario is judged.
    Verdict {
        /// Its place among the scenarios of this call, from 0.
        index: usize,
        /// Its figures and its verdict.
        report: &'a ScenarioReport,
    },
}

/// How far a verify run has come.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Progress {
    /// Name of the scenario.
    pub scenario: &'static str,
    /// Its place among the scenarios of this call, from 0.
    pub index: usize,
    /// Scenarios of this call.
    pub count: usize,
    /// What is at work.
    pub phase: Phase,
    /// Frames (or pictures) of the phase that are done.
    pub done: usize,
    /// Frames (or pictures) of the phase.
    pub of: usize,
}

/// What a verify run found. Nothing has been written: see [`crate::report::write_report`].
#[derive(Clone, Debug)]
pub struct VerifyOutcome {
    /// The figures and verdicts.
    pub report: VerifyReport,
    /// The pictures, if they were asked for.
    pub pictures: Vec<Picture>,
    /// The runs that were recorded, scenario by scenario.
    pub recordings: Vec<Vec<Recording>>,
    /// The last state of each scenario (m), its cloths as one mesh.
    pub last: Vec<TriMesh>,
    /// For each scenario whose audit found something wrong, what it was.
    pub audit_failures: Vec<AuditFailure>,
}

/// What the audit of a scenario found wrong, with all that it takes to find it again.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct AuditFailure {
    /// [`SCHEMA_VERSION`] when it was written.
    pub schema_version: u32,
    /// Name of the scenario.
    pub scenario: &'static str,
    /// Its size.
    pub size: &'static str,
    /// The broad phase.
    pub broadphase: &'static str,
    /// How cloth collides with itself, if it was not left to the scene.
    pub self_collision: Option<&'static str>,
    /// Threads that a step may use.
    pub threads: usize,
    /// The command that finds it again: runs are reproducible bit by bit.
    pub command: String,
    /// What is wrong: the step is the frame, counted from 0.
    pub findings: Vec<Finding>,
}

impl AuditFailure {
    fn new(scenario: &'static str, options: &VerifyOptions, findings: Vec<Finding>) -> Self {
        let (size, run) = (options.size.name(), &options.run);
        let (broadphase, threads) = (run.broadphase.name(), run.threads);
        let self_collision = run.self_collision.map(SelfCollision::name);
        let mut command = format!(
            "cargo xtask verify --scenario {scenario} --size {size} --broadphase {broadphase} \
             --threads {threads} --audit"
        );
        if let Some(kind) = self_collision {
            command += &format!(" --self-collision {kind}");
        }
        if let Some(model) = run.model {
            command += &format!(" --model {model}");
        }
        if let Some(faces) = run.face_contacts {
            command += &format!(" --face-contacts {}", faces.name());
        }
        if run.perturbation > 0 {
            command += &format!(" --perturb {}", run.perturbation);
        }
        Self {
            schema_version: SCHEMA_VERSION,
            scenario,
            size,
            broadphase,
            self_collision,
            threads,
            command,
            findings,
        }
    }
}

/// Why nothing was run.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum VerifyError {
    /// There is no scenario of this name.
    #[error("unknown scenario `{name}`{hint}; known are {known}", hint = meant(.nearest.as_deref()))]
    UnknownScenario {
        /// The name that was given.
        name: String,
        /// The known name that is most like it, if any is.
        nearest: Option<String>,
        /// All known names.
        known: String,
    },
    /// A scenario was named twice.
    #[error("scenario `{0}` is named twice; name it once")]
    Repeated(String),
    /// A quadratic broad phase on a scene that is not small.
    #[error("the broad phase brute-force is quadratic and would run for hours at size {0}; use size small")]
    TooLarge(Size),
    /// An audit of motions that are not certified.
    #[error("an audit judges what the gate certifies; leave the gate on, or leave the audit out")]
    AuditWithoutGate,
    /// Pictures of a crate that was built without the renderer.
    #[error(
        "cloth-verify was built without its renderer; enable its feature `render`, or leave the pictures out"
    )]
    NoRenderer,
    /// The threads could not be started.
    #[error("cannot start {threads} threads: {cause}; ask for 1 or more, at most what the machine allows")]
    Threads {
        /// How many were asked for.
        threads: usize,
        /// What the system said.
        cause: String,
    },
}

fn meant(nearest: Option<&str>) -> String {
    nearest.map(|name| format!(" (did you mean `{name}`?)")).unwrap_or_default()
}

/// Runs scenarios with their controls, one after the other, and judges them.
///
/// A scenario that fails, diverges or cannot be built is a failure in the report, not an error. So is one
/// that is interrupted.
///
/// # Errors
/// If a scenario is unknown or named twice, if brute force is asked for above the small size, if an audit is
/// asked for without the gate, if pictures are asked for without the feature `render`, or if the threads
/// cannot be started.
pub fn verify(
    options: &VerifyOptions,
    report_event: &mut dyn FnMut(VerifyEvent<'_>),
) -> Result<VerifyOutcome, VerifyError> {
    let chosen = choose(&options.scenarios)?;
    let (mut reports, mut pictures, mut recordings) = (Vec::new(), Vec::new(), Vec::new());
    let (mut last, mut audit_failures) = (Vec::new(), Vec::new());
    for (index, scenario) in chosen.iter().enumerate().take_while(|_| !options.run.interrupt.is_requested()) {
        let mut tell = |phase, done, of| {
            let count = chosen.len();
            let progress = Progress { scenario: scenario.name, index, count, phase, done, of };
            report_event(VerifyEvent::Progress(progress));
        };
        let outcome = run(scenario, options.size, &options.run, &mut tell)?;
        pictures.extend(outcome.pictures.into_iter().map(|p| Picture { scenario: index, ..p }));
        recordings.push(outcome.recordings);
        report_event(VerifyEvent::Verdict { index, report: &outcome.report });
        reports.push(outcome.report);
        last.push(outcome.last);
        if !outcome.findings.is_empty() {
            audit_failures.push(AuditFailure::new(scenario.name, options, outcome.findings));
        }
    }
    let mut report = VerifyReport::new(options.run.threads, reports);
    if options.run.interrupt.is_requested() {
        report.interrupt();
    }
    Ok(VerifyOutcome { report, pictures, recordings, last, audit_failures })
}

/// The scenarios of these names; all of them if there is no name.
pub(crate) fn choose(names: &[String]) -> Result<Vec<&'static Scenario>, VerifyError> {
    let all = scenarios::all();
    if names.is_empty() {
        return Ok(all.iter().collect());
    }
    if let Some((_, name)) = names.iter().enumerate().find(|&(i, name)| names[..i].contains(name)) {
        return Err(VerifyError::Repeated(name.clone()));
    }
    names.iter().map(|name| find(all, name)).collect()
}

fn find(all: &'static [Scenario], name: &str) -> Result<&'static Scenario, VerifyError> {
    all.iter().find(|scenario| scenario.name == name).ok_or_else(|| {
        let likeness = |scenario: &&Scenario| strsim::jaro_winkler(scenario.name, name);
        let nearest = all.iter().max_by(|a, b| likeness(a).total_cmp(&likeness(b)));
        VerifyError::UnknownScenario {
            name: name.into(),
            nearest: nearest.filter(|s| likeness(s) > LIKE).map(|s| s.name.into()),
            known: all.iter().map(|s| s.name).collect::<Vec<_>>().join(", "),
        }
    })
}

/// Jaro-Winkler likeness above which a name is taken for a slip of another.
const LIKE: f64 = 0.7;

#[cfg(test)]
mod tests {
    use super::*;

    fn error(names: &[&str]) -> String {
        let options = VerifyOptions {
            scenarios: names.iter().map(|&n| n.into()).collect(),
            size: Size::Small,
            ..VerifyOptions::default()
        };
        verify(&options, &mut |_| {}).expect_err("refused").to_string()
    }

    #[test]
    fn an_unknown_scenario_is_answered_with_the_nearest_and_with_all() {
        let text = error(&["hang", "drape-spehre"]);
        assert!(
            text.starts_with(
                "unknown scenario `drape-spehre` (did you mean `drape-sphere`?); known are hang, "
            ),
            "{text}"
        );
        assert!(error(&["zzz"]).starts_with("unknown scenario `zzz`; known are "));
        assert!(error(&["stack", "pile", "stack"]).contains("`stack` is named twice"));
    }

    #[test]
    fn scenario_names_are_unique_and_fit_for_a_command_line() {
        let names: Vec<&str> = scenarios::all().iter().map(|s| s.name).collect();
        assert!(names.iter().all(|n| n.chars().all(|c| c.is_ascii_lowercase() || c == '-')));
        assert!((1..names.len()).all(|i| !names[..i].contains(&names[i])));
    }
}
