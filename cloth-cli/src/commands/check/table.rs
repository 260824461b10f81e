//! Many meshes: a line for each, a table, lines of JSON that a later run goes on with, and a total.

use std::collections::HashMap;
use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};
use std::time::UNIX_EPOCH;

use cloth_io::{read_file, write_atomically};
use cloth_show::program::console::count;
use cloth_show::program::{Failure, RunFiles};
use serde::Serialize;
use serde_json::Value;

use super::jobs::{Job, Source};
use super::judged::Judged;
use crate::args::CheckArgs;

/// What every line of JSON begins with.
const BEGIN: &str = r#"{"judged":"#;

/// How a job ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub(super) enum Outcome {
    Clean,
    NotClean,
    Refused,
}

/// What is kept of a job that was judged or refused: a line of JSON.
#[derive(Debug, Serialize)]
pub(super) struct Row {
    /// Its meshes, as they are named.
    pub(super) name: String,
    pub(super) outcome: Outcome,
    /// In words; why it was refused.
    pub(super) verdict: String,
    judged: Identity,
    /// As `--json` has it; none if it was refused.
    report: Value,
}

/// What was judged, and how: a line is used again where nothing of it has changed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
struct Identity {
    options: String,
    files: Vec<FileIdentity>,
}

/// A file that is read, as it was.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
struct FileIdentity {
    path: PathBuf,
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
    lines: Option<(PathBuf, BufWriter<File>)>,
    /// Of an earlier run, by their names.
    known: HashMap<String, Value>,
    counts: [usize; 3],
    resumed: usize,
}

impl Row {
    pub(super) fn new(
        job: &Job,
        table: &Table,
        outcome: Outcome,
        verdict: String,
        report: Option<&Judged>,
    ) -> Self {
        // Reports are structures of numbers and texts, which are JSON.
        let report = report.and_then(|report| serde_json::to_value(report).ok()).unwrap_or_default();
        Self { name: job.name(), outcome, verdict, judged: table.identity(job), report }
    }
}

impl Table {
    /// Reads what is there of an earlier run, if it is to be gone on with, and opens the lines of JSON.
    pub(super) fn start(args: &CheckArgs) -> Result<Self, Failure> {
        let known = match &args.jsonl {
            Some(path) if args.resume && path.exists() => read_lines(path)?,
            _ => Vec::new(),
        };
        let mut lines = None;
        if let Some(path) = &args.jsonl {
            let fail = |e: std::io::Error| Failure::new(format!("{}: cannot write: {e}", path.display()));
            let mut file = BufWriter::new(File::create(path).map_err(fail)?);
            // Written again, so that a line that was cut short is gone.
            known
                .iter()
                .try_for_each(|row| writeln!(file, "{row}"))
                .and_then(|()| file.flush())
                .map_err(fail)?;
            lines = Some((path.clone(), file));
        }
        let bodies = args.wearing.bodies.iter().cloned().map(Source::Named);
        let by_name = |row: Value| Some((row.get("name")?.as_str()?.to_owned(), row));
        Ok(Self {
            options: options_in_words(args),
            common: bodies.flat_map(|body| files_of(&body)).chain(args.stitches.clone()).collect(),
            csv: args.csv.clone().map(|path| (path, Vec::new())),
            lines,
            known: known.into_iter().filter_map(by_name).collect(),
            counts: [0; 3],
            resumed: 0,
        })
    }

    /// Takes over the line of an earlier run about a job, if nothing of it has changed; its verdict.
    pub(super) fn resume(&mut self, job: &Job) -> Option<String> {
        let row = self.known.get(&job.name())?;
        let judged = serde_json::to_value(self.identity(job)).ok()?;
        if row.get("judged") != Some(&judged) {
            return None;
        }
        let outcomes = [Outcome::Clean, Outcome::NotClean, Outcome::Refused];
        let is_it = |outcome: &Outcome| serde_json::to_value(outcome).ok().as_ref() == row.get("outcome");
        let outcome = outcomes.into_iter().find(is_it)?;
        let row = row.clone();
        let verdict = row.get("verdict").and_then(Value::as_str).unwrap_or_default().to_owned();
        self.resumed += 1;
        self.add(row, outcome);
        Some(verdict)
    }

    /// Adds a job that was judged now.
    pub(super) fn push(&mut self, row: &Row) -> Result<(), Failure> {
        let value = serde_json::to_value(row).unwrap_or_default();
        if let Some((path, file)) = &mut self.lines {
            // At once, so that it stays if the run is killed.
            let written = writeln!(file, "{value}").and_then(|()| file.flush());
            written.map_err(|e| Failure::new(format!("{}: cannot write: {e}", path.display())))?;
        }
        self.add(value, row.outcome);
        Ok(())
    }

    fn add(&mut self, row: Value, outcome: Outcome) {
        self.counts[outcome as usize] += 1;
        if let Some((_, rows)) = &mut self.csv {
            rows.push(without_frames(row));
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
            FileIdentity { path, bytes, modified }
        });
        Identity { options: self.options.clone(), files: files.collect() }
    }
}

/// The files that a mesh is read from, its cache among them.
fn files_of(mesh: &Source) -> Vec<PathBuf> {
    mesh.files().into_iter().chain(mesh.cache().map(Path::to_path_buf)).collect()
}

/// The options on which a verdict depends, as they are written.
fn options_in_words(args: &CheckArgs) -> String {
    let mut words: Vec<String> = Vec::new();
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
    words.join(" ")
}

/// The lines of an earlier run; the last may have been cut short, and is left out then.
fn read_lines(path: &Path) -> Result<Vec<Value>, Failure> {
    let bytes = read_file(path)?;
    let text = String::from_utf8_lossy(&bytes);
    let lines: Vec<&str> = text.lines().collect();
    let mut rows = Vec::new();
    for (k, line) in lines.iter().enumerate() {
        match serde_json::from_str::<Value>(line) {
            Ok(row) if row.get("judged").is_some() => rows.push(row),
            Err(_) if k + 1 == lines.len() && !text.ends_with('\n') && is_begun(line) => {}
            _ => {
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

/// Whether a line that was cut short may have been one of ours.
fn is_begun(line: &str) -> bool {
    line.starts_with(BEGIN) || BEGIN.starts_with(line)
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
