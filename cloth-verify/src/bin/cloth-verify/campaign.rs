//! `--fuzz` and `--replay`: the campaign of small scenes, and one of them again.

use std::path::{Path, PathBuf};
use std::time::Duration;

use cloth_io::read_file;
use cloth_show::program::console::{self, counted};
use cloth_show::program::interrupt::INTERRUPT;
use cloth_show::program::{Failure, RunFiles, Status, json};
use cloth_show::sweep::{Kind, RowFile, RowKey, plan_id};
use cloth_verify::fuzz::{
    self, CampaignEvent, CampaignOptions, FuzzFailure, FuzzFigures, FuzzScene, SceneOutcome,
};
use cloth_verify::report::SCHEMA_VERSION;
use serde::Serialize;

use crate::args::VerifyArgs;
use crate::run::make_folder;

/// The JSON of a campaign.
#[derive(Serialize)]
struct Report {
    schema_version: u32,
    threads: usize,
    pass: bool,
    /// Whether it was asked to stop before its end.
    interrupted: bool,
    fuzz: FuzzFigures,
    /// Each scene that failed, with its file.
    failures: Vec<String>,
}

/// Where failures go, and what has become of them.
struct Failures<'a> {
    seed: u64,
    folder: &'a Path,
    files: &'a RunFiles,
    written: Vec<String>,
    fault: Option<Failure>,
}

impl Failures<'_> {
    fn path(&self, index: u64) -> PathBuf {
        self.folder.join(format!("fuzz-{}-{index}.json", self.seed))
    }

    /// Writes a scene that failed, at once; what cannot be written ends the run at its end.
    fn write(&mut self, failure: &FuzzFailure) {
        let path = self.path(failure.index);
        let written = json::write_as("a failure", &path, &failure.scene, self.files);
        if self.fault.is_none() {
            self.fault = written.err();
        }
        self.written.push(format!("scene {}: {}; {}", failure.index, failure.what, path.display()));
    }
}

/// A scene of `--jsonl`.
#[derive(Serialize)]
struct Row<'a> {
    #[serde(flatten)]
    key: RowKey,
    seed: u64,
    outcome: &'static str,
    verdict: String,
    report: SceneReport<'a>,
}

/// The figures of a scene.
#[derive(Serialize)]
struct SceneReport<'a> {
    #[serde(flatten)]
    outcome: &'a SceneOutcome,
    crossed_ungated: Option<bool>,
}

/// The lines of `--jsonl`.
struct Rows {
    /// That of scene 0.
    key: RowKey,
    file: Option<RowFile>,
    fault: Option<Failure>,
}

impl Rows {
    fn start(args: &VerifyArgs, scenes: u64) -> Result<Self, Failure> {
        let (version, seed, long) = (env!("CARGO_PKG_VERSION"), args.seed, args.long);
        let plan = plan_id(&format!("{SCHEMA_VERSION} {version} {scenes} {seed} {long}"));
        let file = args.jsonl.as_deref().map(|path| RowFile::open(path, false)).transpose()?;
        Ok(Self { key: RowKey { kind: Kind::Campaign, plan, number: 0, of: scenes }, file, fault: None })
    }

    /// Writes a row, at once; what cannot be written ends the run at its end.
    fn write(&mut self, number: u64, seed: u64, report: SceneReport<'_>) {
        let Some(file) = &mut self.file else { return };
        let outcome = match report.outcome {
            SceneOutcome { failure: Some(_), .. } => "failed",
            SceneOutcome { diverged: Some(_), .. } => "diverged",
            _ => "clean",
        };
        let key = RowKey { number, ..self.key.clone() };
        let row = Row { key, seed, outcome, verdict: verdict(report.outcome), report };
        let text = serde_json::to_string(&row).map_err(|e| Failure::new(e.to_string()));
        let written = text.and_then(|text| Ok(file.write(&text)?));
        if self.fault.is_none() {
            self.fault = written.err();
        }
    }
}

/// Runs a campaign; what fails is written as it occurs, and made small at the end.
pub(crate) fn campaign(args: &VerifyArgs, scenes: u64) -> Result<Status, Failure> {
    let folder = args.report.clone().unwrap_or_else(|| PathBuf::from("."));
    let files = files(args, &folder)?;
    if args.report.is_some() {
        make_folder("--report", &folder)?;
    }
    let mut rows = Rows::start(args, scenes)?;
    let options = CampaignOptions {
        scenes,
        seed: args.seed,
        shard: args.shard.unwrap_or_default(),
        time: args.time.map(Duration::from_secs),
        long: args.long,
        threads: args.threads.into(),
        interrupt: INTERRUPT,
    };
    let count = options.count() as usize;
    let mut progress =
        Some(console::Progress::start(format!("fuzz from seed {}", args.seed), "scene", count));
    let mut failures =
        Failures { seed: args.seed, folder: &folder, files: &files, written: Vec::new(), fault: None };
    let (figures, failed) = fuzz::campaign(&options, &mut |event| match event {
        CampaignEvent::Judged { index, seed, outcome, crossed_ungated } => {
            rows.write(index, seed, SceneReport { outcome, crossed_ungated });
        }
        CampaignEvent::Failed(failure) => failures.write(failure),
        CampaignEvent::Done(done) => progress.iter_mut().for_each(|progress| progress.done(done as usize)),
    });
    progress = None;
    drop(progress);
    if !args.no_shrink {
        shrink(&failed, &mut failures)?;
    }
    console::out("scenes in which each feature acted:\n");
    for (name, scenes) in &figures.features {
        console::out(format!("{scenes:>8} {name}\n"));
    }
    for line in &failures.written {
        console::out(format!("FAILED {line}\n"));
    }
    console::out(format!("{}\n", sentence(&figures, &failed)));
    let (pass, interrupted) = (failed.is_empty(), INTERRUPT.is_requested());
    let report = Report {
        schema_version: SCHEMA_VERSION,
        threads: args.threads.into(),
        pass,
        interrupted,
        fuzz: figures,
        failures: failures.written,
    };
    json::write(args.json.as_deref(), &report, &files)?;
    rows.fault.or(failures.fault).map_or(Ok(Status::of_run(pass, interrupted)), Err)
}

/// Replaces each file of a failure by one of a smaller scene that fails.
fn shrink(failed: &[FuzzFailure], failures: &mut Failures<'_>) -> Result<(), Failure> {
    for failure in failed.iter().take_while(|_| !INTERRUPT.is_requested()) {
        let small = fuzz::shrink(&failure.scene, INTERRUPT);
        json::write_as("a failure", &failures.path(failure.index), &small, failures.files)?;
    }
    Ok(())
}

/// What a campaign writes, checked. Its failures have names that are known only once they are found.
fn files(args: &VerifyArgs, folder: &Path) -> Result<RunFiles, Failure> {
    let mut files = RunFiles::default();
    let json = args.json.as_deref();
    let name = json.and_then(Path::file_name).and_then(|name| name.to_str()).unwrap_or_default();
    let index = name.strip_prefix(&format!("fuzz-{}-", args.seed)).and_then(|n| n.strip_suffix(".json"));
    if index.is_some_and(|index| index.parse::<u64>().is_ok()) {
        files.writes(&folder.join(name), "a scene that fails");
    }
    args.jsonl.iter().for_each(|path| files.writes(path, "--jsonl"));
    files.writes_json(json)?;
    Ok(files)
}

/// Runs the scene of a file, and says whether it fails.
pub(crate) fn replay(args: &VerifyArgs, file: &Path) -> Result<Status, Failure> {
    let place =
        |e: String| Failure::new(format!("{}: {e}; --replay takes a file that --fuzz wrote", file.display()));
    let mut files = RunFiles::default();
    files.reads(file, "--replay");
    files.writes_json(args.json.as_deref())?;
    let text = String::from_utf8(read_file(file)?).map_err(|e| place(e.to_string()))?;
    let scene: FuzzScene = fuzz::read_scene(&text).map_err(place)?;
    let outcome = fuzz::check_scene(&scene);
    console::out(format!("{}\n", verdict(&outcome)));
    json::write(args.json.as_deref(), &outcome, &files)?;
    Ok(if outcome.failure.is_none() { Status::Clean } else { Status::Found })
}

/// What was found of a scene, on a line.
fn verdict(outcome: &SceneOutcome) -> String {
    let steps = counted(outcome.steps as usize, "step");
    match (&outcome.failure, outcome.diverged) {
        (Some(what), _) => format!("FAILED: {what}"),
        (None, Some(step)) => format!("CLEAN; {steps}, the solver diverged in step {step}"),
        (None, None) => format!("CLEAN; {steps}"),
    }
}

fn sentence(figures: &FuzzFigures, failed: &[FuzzFailure]) -> String {
    let verdict = match failed.len() {
        0 => "CLEAN".to_owned(),
        n => format!("{} FAILED", counted(n, "scene")),
    };
    let crossed = match figures.ungated {
        0 => String::new(),
        n => format!(", {} of {n} cross without the gate", figures.ungated_crossed),
    };
    format!(
        "{verdict}; {}, {}, {}, {} tangled at the start, {} diverged, motion changed in {}, most rounds \
         {}{crossed}",
        counted(figures.scenes as usize, "scene"),
        counted(figures.substeps as usize, "substep"),
        counted(figures.certified_pairs as usize, "proof"),
        console::count(figures.tangled_starts as usize),
        console::count(figures.diverged as usize),
        counted(figures.changed_steps as usize, "step"),
        figures.max_gate_rounds,
    )
}
