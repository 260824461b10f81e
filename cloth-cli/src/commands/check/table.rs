//! Many meshes: a line for each, a table, lines of JSON that a later run goes on with, and a total.

use std::collections::{BTreeMap, HashSet};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::time::UNIX_EPOCH;

use cloth_io::{read_file, write_atomically};
use cloth_show::check::SCHEMA_VERSION;
use cloth_show::program::console::count;
use cloth_show::program::{Failure, RunFiles};
use cloth_show::sweep::{Kind, RowFile, RowKey, is_begun, plan_id};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::jobs::{Job, Source};
use super::judged::Judged;
use crate::args::CheckArgs;

/// How a job ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(super) enum Outcome {
    Clean,
    NotClean,
    Refused,
}

/// What is kept of a job that was judged or refused: a line of JSON.
#[derive(Serialize)]
struct Row<'a> {
    #[serde(flatten)]
    key: RowKey,
    /// Its meshes, as they are named.
    name: String,
    outcome: Outcome,
    /// In words; why it was refused.
    verdict: String,
    judged: Identity,
    /// As `--json` has it; none if it was refused.
    report: Option<&'a Judged>,
}

/// A line of an earlier run.
#[derive(Clone, Deserialize)]
struct Known {
    name: String,
    outcome: Outcome,
    verdict: String,
    judged: Identity,
    /// All of it, with the key that it has now.
    #[serde(skip)]
    text: String,
}

/// What was judged, and how: a line is used again where nothing of it has changed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
struct Identity {
    options: String,
    files: Vec<FileIdentity>,
}

/// A file that is read, as it was.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
struct FileIdentity {
    path: String,
    bytes: u64,
    /// When it was written, nanoseconds since 1970.
    modified: u64,
}

/// The outputs of a run over many meshes.
pub(super) struct Table {
    options: String,
    /// Bodies and stitches, which every job reads.
    common: Vec<PathBuf>,
    csv: Option<(PathBuf, Vec<Value>)>,
    lines: Option<RowFile>,
    /// That of job 0.
    key: RowKey,
    /// Of an earlier run, by the numbers of their jobs.
    known: BTreeMap<u64, Known>,
    counts: [usize; 3],
    resumed: usize,
}

impl Table {
    /// Reads what is there of an earlier run, if it is to be gone on with, and opens the lines of JSON.
    pub(super) fn start(args: &CheckArgs, jobs: &[Job]) -> Result<Self, Failure> {
        let bodies = args.wearing.bodies.iter().cloned().map(Source::Named);
        let options = options_in_words(args);
        let mut table = Self {
            key: first_key(&options, &jobs.iter().map(Job::name).collect::<Vec<_>>()),
            options,
            common: bodies.flat_map(|body| files_of(&body)).chain(args.stitches.clone()).collect(),
            csv: args.csv.clone().map(|path| (path, Vec::new())),
            lines: None,
            known: BTreeMap::new(),
            counts: [0; 3],
            resumed: 0,
        };
        let Some(path) = &args.jsonl else { return Ok(table) };
        if args.resume && path.exists() {
            // Nobody else writes to it until it is read.
            let _held = RowFile::open(path, true)?;
            let lines = table.take_over(read_lines(path)?, jobs);
            // Written again, so that a line that was cut short is gone.
            write_atomically(path, |w| lines.iter().try_for_each(|line| writeln!(w, "{line}")))?;
        }
        table.lines = Some(RowFile::open(path, args.resume)?);
        Ok(table)
    }

    /// Keeps lines of an earlier run, and gives them with the keys that they have now.
    ///
    /// A line that holds for a job of the list, of this shard or another, gets its key. One that does not
    /// hold any more is left out: it is judged again by the shard that has the job. A line of what is not in
    /// the list stays, as if that had been the whole list.
    fn take_over(&mut self, old: Vec<Known>, jobs: &[Job]) -> Vec<String> {
        let by_name: BTreeMap<String, Known> =
            old.into_iter().map(|known| (known.name.clone(), known)).collect();
        let mut lines = Vec::new();
        let names: Vec<String> = jobs.iter().map(Job::name).collect();
        for (job, name) in jobs.iter().zip(&names) {
            if let Some(known) = by_name.get(name).filter(|known| known.judged == self.identity(job)) {
                let text = RowKey { number: job.number, ..self.key.clone() }.join(&known.text);
                lines.push(text.clone());
                self.known.insert(job.number, Known { text, ..known.clone() });
            }
        }
        let listed: HashSet<String> = names.into_iter().collect();
        let others = by_name.into_values().filter(|known| !listed.contains(&known.name));
        lines.extend(others.map(|other| first_key(&other.judged.options, &[other.name]).join(&other.text)));
        lines
    }

    /// Takes over the line of an earlier run about a job, if nothing of it has changed; its verdict.
    pub(super) fn resume(&mut self, job: &Job) -> Option<String> {
        let known = self.known.remove(&job.number)?;
        self.resumed += 1;
        self.add(&known.text, known.outcome);
        Some(known.verdict)
    }

    /// Adds a job that was judged now; its line is written if it `is_kept`.
    pub(super) fn push(
        &mut self,
        job: &Job,
        outcome: Outcome,
        verdict: String,
        report: Option<&Judged>,
        is_kept: bool,
    ) -> Result<(), Failure> {
        let key = RowKey { number: job.number, ..self.key.clone() };
        let row = Row { key, name: job.name(), outcome, verdict, judged: self.identity(job), report };
        let text = serde_json::to_string(&row)
            .map_err(|e| Failure::new(format!("{}: cannot be written as JSON: {e}", row.name)))?;
        self.lines.as_mut().filter(|_| is_kept).map_or(Ok(()), |lines| lines.write(&text))?;
        self.add(&text, outcome);
        Ok(())
    }

    fn add(&mut self, row: &str, outcome: Outcome) {
        self.counts[outcome as usize] += 1;
        if let Some((_, rows)) = &mut self.csv {
            // It was written as JSON.
            rows.push(without_frames(serde_json::from_str(row).unwrap_or_default()));
        }
    }

    /// Writes the table.
    pub(super) fn write(&self, files: &RunFiles) -> Result<(), Failure> {
        let Some((path, rows)) = &self.csv else { return Ok(()) };
        files.confirm(path, "--csv")?;
        Ok(write_atomically(path, |w| write_csv(rows, w))?)
    }

    /// All of several jobs in words.
    pub(super) fn total(&self, jobs: usize, notes: &str) -> String {
        let [clean, not_clean, refused] = self.counts.map(count);
        let judged: usize = self.counts.iter().sum();
        let left =
            if judged < jobs { format!(", {} not judged", count(jobs - judged)) } else { String::new() };
        let resumed = match self.resumed {
            0 => String::new(),
            resumed => format!(", {} of them by an earlier run", count(resumed)),
        };
        format!(
            "{} meshes{notes}: {clean} clean, {not_clean} not clean, {refused} refused{left}{resumed}\n",
            count(jobs)
        )
    }

    pub(super) fn is_all_clean(&self) -> bool {
        self.counts[Outcome::NotClean as usize] == 0
    }

    pub(super) fn has_refused(&self) -> bool {
        self.counts[Outcome::Refused as usize] > 0
    }

    fn identity(&self, job: &Job) -> Identity {
        let own = job.meshes.iter().flat_map(files_of);
        let files = own.chain(self.common.iter().cloned()).map(|path| {
            let metadata = std::fs::metadata(&path).ok();
            let written = metadata.as_ref().and_then(|m| m.modified().ok()?.duration_since(UNIX_EPOCH).ok());
            let bytes = metadata.map_or(0, |metadata| metadata.len());
            let modified = written.and_then(|since| u64::try_from(since.as_nanos()).ok()).unwrap_or(0);
            FileIdentity { path: path.display().to_string(), bytes, modified }
        });
        Identity { options: self.options.clone(), files: files.collect() }
    }
}

/// The files that a mesh is read from, its cache among them.
fn files_of(mesh: &Source) -> Vec<PathBuf> {
    mesh.files().into_iter().chain(mesh.cache().map(Path::to_path_buf)).collect()
}

/// The version and the options on which a verdict depends, as they are written.
fn options_in_words(args: &CheckArgs) -> String {
    let mut words = vec![format!("{SCHEMA_VERSION} {}", env!("CARGO_PKG_VERSION"))];
    let mut say = |name: &str, value: Option<String>| {
        words.extend(
            value.map(|value| if value.is_empty() { name.to_owned() } else { format!("{name} {value}") }),
        );
    };
    let path = |path: &Path| path.display().to_string();
    let flag = |is_on: bool| is_on.then(String::new);
    for body in &args.wearing.bodies {
        say("--body", Some(path(&body.mesh)));
        say("--body-cache", body.cache.as_deref().map(path));
    }
    args.clip.iter().for_each(|clip| say("--clip", Some(format!("{clip:?}"))));
    say("--clip-fps", (args.clip_fps != 30.0).then(|| args.clip_fps.to_string()));
    say("--arrays", args.arrays.as_ref().map(ToString::to_string));
    say("--weld", args.weld.map(|d| format!("{d:e}")));
    say("--stitches", args.stitches.as_deref().map(path));
    say("--seam-distance", args.seam_distance.map(|d| format!("{d:e}")));
    say("--frames-only", flag(args.frames_only));
    let cuts: Vec<String> = args.cut.iter().map(f64::to_string).collect();
    say("--cut", (!cuts.is_empty()).then(|| cuts.join(",")));
    say("--allow-folds", flag(args.allow_folds));
    say("--allow-left-out", flag(args.allow_left_out));
    say("--max-pairs", Some(args.max_pairs.to_string()));
    say("--examples", Some(args.examples.to_string()));
    words.join(" ")
}

/// The key of the first of these jobs. Its plan says all on which their rows depend, but what is in the files.
fn first_key(options: &str, names: &[String]) -> RowKey {
    let plan = plan_id(&format!("{options}\n{}", names.join("\n")));
    RowKey { kind: Kind::Check, plan, number: 0, of: names.len() as u64 }
}

/// The lines of an earlier run; the last may have been cut short, and is left out then.
fn read_lines(path: &Path) -> Result<Vec<Known>, Failure> {
    let bytes = read_file(path)?;
    let text = String::from_utf8_lossy(&bytes);
    let lines: Vec<&str> = text.lines().collect();
    let mut rows = Vec::new();
    for (k, line) in lines.iter().enumerate() {
        match known(line) {
            Some(row) => rows.push(row),
            None if k + 1 == lines.len() && !text.ends_with('\n') && is_begun(line.as_bytes()) => {}
            None => {
                return Err(Failure::new(format!(
                    "{}:{}: is no line of --jsonl; name the file of the run to go on with",
                    path.display(),
                    k + 1
                )));
            }
        }
    }
    Ok(rows)
}

/// A line of an earlier run, with what follows its key as its text.
fn known(line: &str) -> Option<Known> {
    let (_, rest) = RowKey::split(line).ok().filter(|(key, _)| key.kind == Kind::Check)?;
    let known: Known = serde_json::from_str(line).ok()?;
    Some(Known { text: rest.to_owned(), ..known })
}

/// A row needs no figures of single frames but their number.
fn without_frames(mut row: Value) -> Value {
    if let Some(frames) = row.pointer_mut("/report/frames") {
        *frames = frames.as_array().map_or(0, Vec::len).into();
    }
    row
}

/// A column of the table: its head, and where its value is in a row.
const COLUMNS: [(&str, &str); 24] = [
    ("mesh", "/name"),
    ("outcome", "/outcome"),
    ("verdict", "/verdict"),
    ("frames", "/report/frames"),
    ("vertices", "/report/vertices"),
    ("triangles", "/report/triangles"),
    ("pieces", "/report/pieces"),
    ("intersections", "/report/intersections"),
    ("intersecting_triangle_pairs", "/report/intersecting_triangle_pairs"),
    ("flat_folds", "/report/flat_folds"),
    ("doubled_faces", "/report/doubled_faces"),
    ("pass_throughs", "/report/impacts/pass_throughs"),
    ("cloth_self", "/report/intersections/cloth_self"),
    ("cloth_cloth", "/report/intersections/cloth_cloth"),
    ("cloth_body", "/report/intersections/cloth_body"),
    ("body_self", "/report/intersections/body_self"),
    ("body_body", "/report/intersections/body_body"),
    ("vertices_inside", "/report/vertices_inside"),
    ("deepest_vertex_m", "/report/deepest_vertex/depth"),
    ("deepest_face_m", "/report/deepest_face/depth"),
    ("share_inside", "/report/share_inside"),
    ("crossings_cloth_self", "/report/crossings/cloth_self"),
    ("crossings_cloth_cloth", "/report/crossings/cloth_cloth"),
    ("crossings_cloth_body", "/report/crossings/cloth_body"),
];

/// Columns without any value are left out.
fn write_csv(rows: &[Value], to: &mut dyn Write) -> std::io::Result<()> {
    let value = |row: &Value, place: &str| match row.pointer(place) {
        Some(Value::String(text)) => text.clone(),
        None | Some(Value::Null | Value::Object(_) | Value::Array(_)) => String::new(),
        Some(number) => number.to_string(),
    };
    let is_used = |(_, place): &&(&str, &str)| rows.iter().any(|row| !value(row, place).is_empty());
    let columns: Vec<&(&str, &str)> = COLUMNS.iter().filter(|c| c.0 == "mesh" || is_used(c)).collect();
    let mut writer = csv::Writer::from_writer(to);
    writer.write_record(columns.iter().map(|(head, _)| head))?;
    for row in rows {
        writer.write_record(columns.iter().map(|(_, place)| value(row, place)))?;
    }
    writer.flush()
}
