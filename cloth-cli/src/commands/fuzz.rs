//! `cloth verify --fuzz` and `--replay`: the campaign of small scenes, and one of them again.

use std::path::{Path, PathBuf};

use cloth_verify::fuzz::{self, FuzzFailure, FuzzFigures, FuzzScene};
use cloth_verify::report::SCHEMA_VERSION;
use serde::Serialize;

use crate::args::VerifyArgs;
use crate::console::{self, counted};
use crate::failure::{Failure, Status};
use crate::files::RunFiles;
use crate::json;

/// The JSON of a campaign.
#[derive(Serialize)]
struct Report {
    schema_version: u32,
    threads: usize,
    pass: bool,
    fuzz: FuzzFigures,
    /// Each scene that failed, with its file.
    failures: Vec<String>,
}

/// Runs a campaign; what fails is written, made small.
pub(super) fn campaign(args: &VerifyArgs, scenes: u64) -> Result<Status, Failure> {
    let folder = args.report.clone().unwrap_or_else(|| PathBuf::from("."));
    let files = files(args, &folder)?;
    if args.report.is_some() {
        std::fs::create_dir_all(&folder).map_err(|e| {
            Failure::new(format!("--report {}: {e}; name a folder that can be made", folder.display()))
        })?;
    }
    let mut progress = console::Progress::start(format!("fuzz from seed {}", args.seed), scenes as usize);
    let (figures, failed) = on_threads(args, || {
        fuzz::campaign(scenes, args.seed, &|_| {}, &mut |done, _| progress.done(done as usize))
    })?;
    drop(progress);
    let mut failures = Vec::new();
    for failure in &failed {
        let path = folder.join(format!("fuzz-{}-{}.json", args.seed, failure.index));
        json::write(Some(&path), &failure.scene, &files)?;
        failures.push(format!("scene {}: {}; {}", failure.index, failure.what, path.display()));
        console::out(format!("FAILED {}\n", failures[failures.len() - 1]));
    }
    console::out(format!("{}\n", sentence(&figures, &failed)));
    let pass = failed.is_empty();
    let report = Report {
        schema_version: SCHEMA_VERSION,
        threads: args.threads.into(),
        pass,
        fuzz: figures,
        failures,
    };
    json::write(args.json.as_deref(), &report, &files)?;
    Ok(if pass { Status::Clean } else { Status::Found })
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
    files.writes_json(json)?;
    Ok(files)
}

/// Runs the scene of a file, and says whether it fails.
pub(super) fn replay(args: &VerifyArgs, file: &Path) -> Result<Status, Failure> {
    let place =
        |e: String| Failure::new(format!("{}: {e}; --replay takes a file that --fuzz wrote", file.display()));
    let mut files = RunFiles::default();
    files.reads(file, "--replay");
    files.writes_json(args.json.as_deref())?;
    let text = std::fs::read_to_string(file).map_err(|e| place(e.to_string()))?;
    fuzz::check_limits(&text).map_err(place)?;
    let scene: FuzzScene = serde_json::from_str(&text).map_err(|e| place(e.to_string()))?;
    let verdict = on_threads(args, || fuzz::judge(&scene, &|_| {}))?;
    let frames = counted(verdict.frames, "frame");
    let told = match &verdict.failure {
        None => format!("CLEAN; {frames}"),
        Some(what) => format!("FAILED: {what}"),
    };
    console::out(format!("{told}\n"));
    json::write(args.json.as_deref(), &verdict, &files)?;
    Ok(if verdict.failure.is_none() { Status::Clean } else { Status::Found })
}

fn on_threads<T: Send>(args: &VerifyArgs, run: impl FnOnce() -> T + Send) -> Result<T, Failure> {
    let threads = usize::from(args.threads);
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build();
    let pool =
        pool.map_err(|e| Failure::new(format!("cannot start {threads} threads: {e}; ask for fewer")))?;
    Ok(pool.install(run))
}

fn sentence(figures: &FuzzFigures, failed: &[FuzzFailure]) -> String {
    let verdict = match failed.len() {
        0 => "CLEAN".to_owned(),
        n => format!("{} FAILED", counted(n, "scene")),
    };
    format!(
        "{verdict}; {}, {}, {}, {} tangled at the start, {} of one substep, motion changed in {}, most rounds {}",
        counted(figures.scenes as usize, "scene"),
        counted(figures.frames as usize, "frame"),
        counted(figures.certified_pairs as usize, "proof"),
        console::count(figures.tangled_starts as usize),
        console::count(figures.one_substep as usize),
        counted(figures.changed_frames as usize, "frame"),
        figures.most_rounds,
    )
}
