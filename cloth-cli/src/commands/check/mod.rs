//! `cloth check`: exact self-intersections of meshes, of sequences, and of a mesh with its cache, between the
//! frames too; and of garments with the bodies that wear them.

mod jobs;
mod judged;
mod remove_doubled;
mod table;

use std::collections::BTreeMap;
use std::io::IsTerminal;
use std::path::PathBuf;
use std::sync::Arc;

use cloth_io::{ArrayNames, AtomicFile, FileError};
use cloth_show::check::{
    CheckEvent, CheckOptions, ClipChoice, Stitches, Subject, check_outfit, check_states,
};
use cloth_show::program::console::{self, Progress, count};
use cloth_show::program::interrupt::INTERRUPT;
use cloth_show::program::{Failure, RunFiles, Status, json};

use super::meshes::{GRACE, run_on_worker, stream_from_worker};
use crate::args::{CheckArgs, MeshWithCache};
use jobs::{Job, Jobs, Source, jobs};
use judged::{Judged, RejectedFile, RunReport};
use table::{Outcome, Table};

/// Notes about which files are frames, at most.
const MOST_NOTES: usize = 8;

/// Judges each mesh, or garments with their bodies, and prints what was found.
pub(crate) fn run(args: &CheckArgs) -> Result<Status, Failure> {
    if let Some(out) = &args.remove_doubled {
        let note = remove_doubled::remove_doubled(args, out)?;
        let mut args = args.clone();
        args.wearing.meshes = vec![MeshWithCache { mesh: out.clone(), cache: None }];
        args.remove_doubled = None;
        return run_jobs(&args, move |job, options, is_alone| {
            let mut subject = job.meshes[0].open(&ArrayNames::default())?;
            subject.notes.push(note.clone());
            check_alone(subject, options, is_alone)
        });
    }
    let (clips, arrays) = (args.clip_choice(), args.arrays.clone().unwrap_or_default());
    if args.wearing.bodies.is_empty() {
        return run_jobs(args, move |job, options, is_alone| {
            let mut subject = job.meshes[0].open(&arrays)?;
            if clips != ClipChoice::default() && (subject.is_character() || !clips.names.is_empty()) {
                subject.choose_clips(&clips)?;
            }
            check_alone(subject, options, is_alone)
        });
    }
    let (bodies, clips) = (args.wearing.bodies.clone(), ClipChoice { bind_pose: false, ..clips });
    run_jobs(args, move |job, options, is_alone| {
        let bodies: Vec<Source> = bodies.iter().cloned().map(Source::Named).collect();
        let garments = open_parts(&job.meshes, &clips, &arrays)?;
        let bodies = open_parts(&bodies, &clips, &arrays)?;
        let mut all = garments.iter().chain(&bodies);
        if !clips.names.is_empty() && !all.any(Subject::is_character) {
            let text = "no mesh and no body has clips: --clip is for a glTF file with a skin";
            return Err(FileError::new(job.meshes[0].path(), text));
        }
        check_dressed(garments, bodies, options, is_alone)
    })
}

/// The schema of `--json`.
pub(crate) fn schema() -> schemars::Schema {
    json::schema::<RunReport>()
}

impl CheckArgs {
    fn options(&self) -> CheckOptions {
        let stitches = self.stitches.clone().zip(self.seam_distance);
        CheckOptions {
            weld: self.weld,
            max_pairs: self.max_pairs,
            frames_only: self.frames_only,
            cuts: self.cut.clone(),
            allow_folds: self.allow_folds,
            allow_left_out: self.allow_left_out,
            stitches: stitches.map(|(file, distance)| Stitches { file, distance }),
            examples: self.examples,
            interrupt: INTERRUPT,
        }
    }

    fn clip_choice(&self) -> ClipChoice {
        ClipChoice { names: self.clip.clone(), rate: self.clip_fps, bind_pose: true }
    }
}

/// Opens garments or bodies; of characters the clips are their states.
fn open_parts(
    sources: &[Source],
    clips: &ClipChoice,
    arrays: &ArrayNames,
) -> Result<Vec<Subject>, FileError> {
    let open_part = |source: &Source| {
        let mut subject = source.open(arrays)?;
        if subject.is_character() {
            subject.choose_clips(clips)?;
        }
        Ok(subject)
    };
    sources.iter().map(open_part).collect()
}

/// Judges all jobs, side by side if there are several, and writes what was found. `judge` is told whether its
/// job is the only one.
fn run_jobs(
    args: &CheckArgs,
    judge: impl Fn(&Job, &CheckOptions, bool) -> Result<Judged, FileError> + Send + Sync + 'static,
) -> Result<Status, Failure> {
    let Jobs { jobs, notes, is_found } = jobs(args)?;
    let files = files(args, &jobs)?;
    let shard = args.shard.unwrap_or_default();
    let (all, mut table) = (jobs.len(), Table::start(args, &jobs)?);
    let is_alone = jobs.len() == 1;
    if !is_alone {
        // One has its note in its block.
        notes.iter().take(MOST_NOTES).for_each(console::note);
        if notes.len() > MOST_NOTES {
            console::note(format!("{} more such notes, see --details", count(notes.len() - MOST_NOTES)));
        }
    }
    let jobs: Vec<Job> = jobs.into_iter().filter(|job| shard.has(job.number)).collect();
    let mut is_left = |job: &Job| {
        let verdict = table.resume(job);
        verdict.iter().for_each(|verdict| {
            console::out(format!("{}: {verdict} (judged by an earlier run)\n", job.name()));
        });
        verdict.is_none()
    };
    let todo: Vec<Job> = jobs.iter().filter(|job| is_left(job)).cloned().collect();
    let mut run = Run { args, is_alone, table, meshes: Vec::new(), rejected: Vec::new() };
    let options = args.options();
    if let [job] = todo.as_slice() {
        let (own, name) = (job.clone(), PathBuf::from(job.name()));
        let judged = run_on_worker(&name, GRACE, move || rayon::scope(|_| judge(&own, &options, true)));
        run.take(job, judged)?;
    } else {
        let judge = Arc::new(move |job: &Job| judge(job, &options, false));
        judge_side_by_side(&mut run, &todo, judge)?;
    }
    if !is_alone {
        let bodies = !args.wearing.bodies.is_empty();
        let how = match (bodies, is_found || args.each) {
            (true, _) => ", each on its own with the bodies",
            (false, true) => "",
            (false, false) => ", judged one by one (--body judges garments together with their body)",
        };
        let part = args.shard.map_or(String::new(), |shard| format!(" (shard {shard} of {})", count(all)));
        console::out(run.table.total(jobs.len(), &(part + how)));
    }
    run.end(&files)
}

/// Judges jobs on all threads, and takes them in their order.
fn judge_side_by_side(
    run: &mut Run<'_>,
    todo: &[Job],
    judge: Arc<impl Fn(&Job) -> Result<Judged, FileError> + Send + Sync + 'static>,
) -> Result<(), Failure> {
    // Lines on a terminal show how far it is.
    let mut progress =
        (!std::io::stdout().is_terminal()).then(|| Progress::start("check", "mesh", todo.len()));
    let (mut waiting, mut next) = (BTreeMap::new(), 0);
    let own = todo.to_vec();
    stream_from_worker(
        own,
        move |job| judge(job),
        |number, judged| {
            waiting.insert(number, judged);
            while let Some(judged) = waiting.remove(&next) {
                run.take(&todo[next], judged)?;
                next += 1;
                progress.iter_mut().for_each(|progress| progress.done(next));
            }
            Ok(())
        },
    )?;
    // After an interrupt: those whose forerunners were not judged.
    waiting.into_iter().try_for_each(|(number, judged)| run.take(&todo[number], judged))
}

/// What was found so far.
struct Run<'a> {
    args: &'a CheckArgs,
    is_alone: bool,
    table: Table,
    /// For `--json` alone.
    meshes: Vec<Judged>,
    rejected: Vec<RejectedFile>,
}

impl Run<'_> {
    /// Prints and keeps what was found of a job.
    fn take(&mut self, job: &Job, judged: Result<Judged, FileError>) -> Result<(), Failure> {
        match judged.map_err(Failure::from) {
            Ok(report) => {
                let outcome = if report.is_clean() { Outcome::Clean } else { Outcome::NotClean };
                let verdict = report.verdict();
                console::out(match self.is_alone || self.args.details {
                    true => report.text(),
                    false => format!("{}: {verdict}\n", report.name()),
                });
                if report.is_whole() {
                    self.table.push(job, outcome, verdict, Some(&report), true)?;
                }
                if self.args.json.is_some() {
                    self.meshes.push(report);
                }
            }
            Err(failure) => {
                console::error(&failure);
                let (path, error) = (job.name(), failure.to_string());
                self.rejected.push(RejectedFile { path, error: error.clone() });
                // After an interrupt, or where the machine failed, a later run has to judge it.
                if !INTERRUPT.is_requested() {
                    let is_kept = !failure.is_of_machine();
                    self.table.push(job, Outcome::Refused, error, None, is_kept)?;
                }
            }
        }
        Ok(())
    }

    /// Writes the table and the JSON.
    fn end(self, files: &RunFiles) -> Result<Status, Failure> {
        let interrupted = INTERRUPT.is_requested();
        self.table.write(files)?;
        let status = match !self.table.has_refused() || interrupted {
            true => Status::of_run(self.table.is_all_clean(), interrupted),
            false => Status::CouldNotRun,
        };
        let report = RunReport::new(self.meshes, self.rejected, interrupted);
        json::write(self.args.json.as_deref(), &report, files)?;
        Ok(status)
    }
}

/// What the run reads and writes, checked.
fn files(args: &CheckArgs, jobs: &[Job]) -> Result<RunFiles, Failure> {
    let mut files = RunFiles::default();
    let bodies: Vec<Source> = args.wearing.bodies.iter().cloned().map(Source::Named).collect();
    let garments = jobs.iter().flat_map(|job| &job.meshes).map(|source| (source, ["MESH", "--cache"]));
    for (source, [mesh, cache]) in
        garments.chain(bodies.iter().map(|body| (body, ["--body", "--body-cache"])))
    {
        files.reads_all(&source.files(), mesh);
        source.cache().into_iter().for_each(|path| files.reads(path, cache));
    }
    args.stitches.iter().for_each(|path| files.reads(path, "--stitches"));
    args.csv.iter().for_each(|path| files.writes(path, "--csv"));
    // Refused now, not after all was judged. Dropped before it is finished, it leaves nothing behind.
    args.csv.as_deref().map(AtomicFile::create).transpose()?;
    args.jsonl.iter().for_each(|path| files.updates(path, "--jsonl"));
    files.writes_json(args.json.as_deref())?;
    Ok(files)
}

/// Judges a mesh, and says how far that is.
fn check_alone(mut subject: Subject, options: &CheckOptions, is_alone: bool) -> Result<Judged, FileError> {
    let name = subject.path.display().to_string();
    let mut says = Says::new(&name, is_alone.then(|| subject.state_count()));
    check_states(&mut subject, options, &mut |event| says.see(event))
        .map(|report| Judged::Mesh(Box::new(report)))
}

/// Judges garments with their bodies, and says how far that is.
fn check_dressed(
    mut garments: Vec<Subject>,
    mut bodies: Vec<Subject>,
    options: &CheckOptions,
    is_alone: bool,
) -> Result<Judged, FileError> {
    let name = garments.first().map(|subject| subject.path.display().to_string()).unwrap_or_default();
    let states = garments.iter().chain(&bodies).map(Subject::state_count).max().unwrap_or(1);
    let mut says = Says::new(&name, is_alone.then_some(states));
    check_outfit(&mut garments, &mut bodies, options, &mut |event| says.see(event))
        .map(|report| Judged::Outfit(Box::new(report)))
}

/// Says how far a check is.
struct Says {
    name: String,
    /// None if it is one of several.
    progress: Option<Progress>,
}

impl Says {
    fn new(name: &str, states: Option<usize>) -> Self {
        let progress = states.map(|states| Progress::start(format!("check {name}"), "state", states));
        Self { name: name.to_owned(), progress }
    }

    fn see(&mut self, event: CheckEvent) {
        match event {
            CheckEvent::States(judged) => self.progress.iter_mut().for_each(|progress| progress.done(judged)),
            CheckEvent::Pairs { pairs, intersections } => {
                let [pairs, found] = [pairs, intersections].map(|n| count(n as usize));
                let name = &self.name;
                console::error(format!(
                    "{name}: {pairs} pairs of triangles checked, {found} intersections so far"
                ));
            }
        }
    }
}
