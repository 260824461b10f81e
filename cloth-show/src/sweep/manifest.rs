//! Joins the rows of shards into one manifest.
//!
//! ```text
//! inputs --scan--> plan -> places of its rows (input, offset, length) --sort--> each row read again, written
//! ```
//!
//! Rows are not held in memory, so that a million of them take some tens of megabytes.

use std::collections::BTreeMap;
use std::collections::hash_map::{Entry, HashMap};
use std::fs::{self, File};
use std::io::{BufRead, BufReader, ErrorKind, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use cloth_io::{AtomicFile, FileError};
use serde::Deserialize;
use serde::de::IgnoredAny;

use super::folder::{
    MANIFEST_FILE, PLAN_FILE, committed, read_committed, read_plan, remove_leftovers, run_path,
};
use super::{Kind, RowKey, is_begun};

/// The longest line that is read (bytes).
const MOST_BYTES: u64 = 1 << 30;
/// Files that are open at a time; systems allow as few as 256.
const MOST_OPEN: usize = 200;
/// How often a manifest is written again that another merge has removed.
const MOST_TRIES: usize = 10;
/// Missing rows that an error names.
const MOST_NAMED: usize = 5;

/// What a manifest has.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Merged {
    /// Where it was written.
    pub path: PathBuf,
    /// Its rows.
    pub rows: u64,
    /// Rows of its plans that it does not have.
    pub missing: u64,
    /// Its rows by outcome.
    pub outcomes: BTreeMap<String, u64>,
}

/// Merges folders of sweeps and files of rows into a manifest, with the rows in the order of kind, plan and
/// number, and without what an earlier run of `cloth check` is known by (`judged`).
///
/// It is written to `out`, by default to `manifest.jsonl` of the folder if a folder is the only input. A row
/// that is there several times is taken once. A last line of a file that was cut short is no row. What is
/// left of interrupted tries at the runs of a folder is removed.
///
/// # Errors
/// If an input cannot be read or has what is no row, rows contradict each other, a run of a folder is
/// damaged, or, unless `partial`, a plan has not all of its rows. Nothing is written then.
pub fn merge(inputs: &[PathBuf], out: Option<&Path>, partial: bool) -> Result<Merged, FileError> {
    let path = match (out, inputs) {
        (Some(out), _) => out.to_path_buf(),
        (None, [folder]) if folder.is_dir() => folder.join(MANIFEST_FILE),
        (None, [input]) if !input.exists() => {
            return Err(FileError::io(input, "read", &ErrorKind::NotFound.into()));
        }
        (None, _) => {
            let input = inputs.first().map_or(Path::new(""), PathBuf::as_path);
            return Err(FileError::new(input, "is not a single folder; name the file to write with --out"));
        }
    };
    if let Some(input) = inputs.iter().find(|input| is_of_sweep(&path, input)) {
        let text = format!("is a part of {}, which is merged; name another file", input.display());
        return Err(FileError::new(&path, text));
    }
    let mut index = Index::default();
    inputs.iter().try_for_each(|input| index.scan(input))?;
    let mut merged = Merged { path: path.clone(), rows: 0, missing: 0, outcomes: BTreeMap::new() };
    for (key, plan) in &mut index.plans {
        plan.places.sort_by_key(|place| place.number);
        merged.missing += plan.missing(key, partial)?;
    }
    if index.plans.is_empty() {
        return Err(FileError::new(inputs.first().map_or(&path, |input| input), "has no rows"));
    }
    for _ in 1..MOST_TRIES {
        match index.write(&mut merged) {
            // Another merge of the folder has removed the file, as what a process left that was killed.
            Err(error) if error.kind == Some(ErrorKind::NotFound) => {}
            written => return written.map(|()| merged),
        }
    }
    index.write(&mut merged).map(|()| merged)
}

/// Whether a path leads to the plan or a run of a sweep, which a manifest must not replace.
fn is_of_sweep(path: &Path, sweep: &Path) -> bool {
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let real = fs::canonicalize(path).or_else(|_| {
        let name = path.file_name().unwrap_or_default();
        fs::canonicalize(folder).map(|folder| folder.join(name))
    });
    let (Ok(real), Ok(sweep)) = (real, fs::canonicalize(sweep)) else { return false };
    real.starts_with(sweep.join("runs")) || real == sweep.join(PLAN_FILE)
}

/// A kind of rows, and its plan.
type PlanKey = (Kind, String);

/// Where all rows are.
#[derive(Default)]
struct Index {
    sources: Vec<Source>,
    plans: BTreeMap<PlanKey, Plan>,
}

/// An input.
enum Source {
    Folder(PathBuf),
    File(PathBuf),
}

/// The rows of a plan.
struct Plan {
    of: u64,
    /// The input that it was first found in.
    first: PathBuf,
    places: Vec<Place>,
}

/// Where a row is.
struct Place {
    number: u64,
    source: u32,
    /// Length, line and offset, of a row in a file.
    length: u32,
    line: usize,
    offset: u64,
}

/// A row as it is written.
#[derive(PartialEq)]
struct Row {
    text: String,
    outcome: String,
}

impl Index {
    /// Writes all rows in their order.
    fn write(&self, merged: &mut Merged) -> Result<(), FileError> {
        (merged.rows, merged.outcomes) = (0, BTreeMap::new());
        let mut reader = Reader { sources: &self.sources, open: HashMap::new() };
        let mut file = AtomicFile::create(&merged.path)?;
        for (key, plan) in &self.plans {
            for places in plan.places.chunk_by(|a, b| a.number == b.number) {
                let row = reader.read(key, plan.of, places)?;
                writeln!(file, "{}", row.text).map_err(|e| FileError::io(&merged.path, "write", &e))?;
                *merged.outcomes.entry(row.outcome).or_default() += 1;
                merged.rows += 1;
            }
        }
        file.finish()
    }

    fn scan(&mut self, input: &Path) -> Result<(), FileError> {
        let source = u32::try_from(self.sources.len()).unwrap_or(u32::MAX);
        match input.is_dir() {
            true => self.scan_folder(input, source),
            false => self.scan_file(input, source),
        }
    }

    fn scan_folder(&mut self, folder: &Path, source: u32) -> Result<(), FileError> {
        self.sources.push(Source::Folder(folder.to_path_buf()));
        let plan = read_plan(folder)?;
        let (numbers, tries) = committed(folder)?;
        remove_leftovers(folder, &tries)?;
        if let Some(number) = numbers.iter().find(|number| **number >= plan.of) {
            let text = format!("has run {number}, and its plan has {} runs; remove that run", plan.of);
            return Err(FileError::new(folder, text));
        }
        let places =
            numbers.into_iter().map(|number| Place { number, source, length: 0, line: 0, offset: 0 });
        self.plan(&plan, folder, None)?.places.extend(places);
        Ok(())
    }

    fn scan_file(&mut self, path: &Path, source: u32) -> Result<(), FileError> {
        self.sources.push(Source::File(path.to_path_buf()));
        let mut file = BufReader::new(open(path)?);
        let (mut bytes, mut offset, mut line) = (Vec::new(), 0, 0);
        loop {
            bytes.clear();
            let read = (&mut file).take(MOST_BYTES).read_until(b'\n', &mut bytes);
            let length = read.map_err(|e| FileError::io(path, "read", &e))?;
            line += 1;
            if length == 0 {
                return Ok(());
            }
            let is_ended = bytes.pop_if(|last| *last == b'\n').is_some();
            match key_of(&bytes) {
                Ok(key) => {
                    let length = u32::try_from(bytes.len()).unwrap_or(u32::MAX);
                    let place = Place { number: key.number, source, length, line, offset };
                    self.plan(&key, path, Some(line))?.places.push(place);
                }
                Err(_) if !is_ended && (bytes.len() as u64) < MOST_BYTES && is_begun(&bytes) => {}
                Err(problem) => {
                    let text = format!("is no row: {problem}; name files of rows and folders of sweeps");
                    return Err(FileError::at_line(path, line, text));
                }
            }
            offset += length as u64;
        }
    }

    /// The plan of a row of an input.
    fn plan(&mut self, key: &RowKey, input: &Path, line: Option<usize>) -> Result<&mut Plan, FileError> {
        let plan = self.plans.entry((key.kind, key.plan.clone())).or_insert_with(|| Plan {
            of: key.of,
            first: input.to_path_buf(),
            places: Vec::new(),
        });
        if plan.of != key.of {
            let (name, first) = (&key.plan, plan.first.display());
            let problem =
                format!("plan {name} has {} rows, and {} in {first}; name one of them", key.of, plan.of);
            return Err(FileError { line, ..FileError::new(input, problem) });
        }
        Ok(plan)
    }
}

impl Plan {
    /// How many rows are missing; refused, unless that is allowed.
    fn missing(&self, (kind, name): &PlanKey, is_allowed: bool) -> Result<u64, FileError> {
        let is_here = |number: &u64| self.places.binary_search_by_key(number, |place| place.number).is_ok();
        let missing = self.of - self.places.chunk_by(|a, b| a.number == b.number).count() as u64;
        if missing == 0 || is_allowed {
            return Ok(missing);
        }
        let numbers = (0..self.of).filter(|number| !is_here(number)).take(MOST_NAMED);
        let mut named = numbers.map(|number| number.to_string()).collect::<Vec<_>>().join(", ");
        if missing > MOST_NAMED as u64 {
            named.push_str(", ...");
        }
        let (kind, of) = (format!("{kind:?}").to_lowercase(), self.of);
        let problem = format!(
            "{missing} of {of} rows of {kind} {name} are missing: {named} (from 0); add their shards, or give \
             --partial"
        );
        Err(FileError::new(&self.first, problem))
    }
}

/// Reads rows again.
struct Reader<'a> {
    sources: &'a [Source],
    /// By their places in `sources`.
    open: HashMap<u32, File>,
}

impl Reader<'_> {
    /// The row of several places, which have to be equal.
    fn read(&mut self, (kind, plan): &PlanKey, of: u64, places: &[Place]) -> Result<Row, FileError> {
        let key = RowKey { kind: *kind, plan: plan.clone(), number: places[0].number, of };
        let mut row: Option<Row> = None;
        for place in places {
            let text = self.text(&key, place)?;
            let refuse = |problem: String| {
                let (path, line) = self.place(&key, place);
                Err(FileError { line, ..FileError::new(&path, problem) })
            };
            match (Row::new(&key, &text), &row) {
                (Err(problem), _) => return refuse(format!("is no row: {problem}")),
                (Ok(found), Some(row)) if found != *row => {
                    let (path, line) = self.place(&key, &places[0]);
                    let line = line.map_or(String::new(), |line| format!(":{line}"));
                    let first = path.display();
                    let problem =
                        format!("row {} of {plan} differs from {first}{line}; remove one", key.number);
                    return refuse(problem);
                }
                (Ok(found), _) => row = Some(found),
            }
        }
        row.ok_or_else(|| FileError::new(Path::new(plan), "has no rows"))
    }

    fn text(&mut self, key: &RowKey, place: &Place) -> Result<String, FileError> {
        let path = match &self.sources[place.source as usize] {
            Source::Folder(folder) => return read_committed(folder, key),
            Source::File(path) => path,
        };
        if self.open.len() >= MOST_OPEN && !self.open.contains_key(&place.source) {
            self.open.clear();
        }
        let file = match self.open.entry(place.source) {
            Entry::Occupied(file) => file.into_mut(),
            Entry::Vacant(file) => file.insert(open(path)?),
        };
        let mut bytes = vec![0; place.length as usize];
        let read = file.seek(SeekFrom::Start(place.offset)).and_then(|_| file.read_exact(&mut bytes));
        read.map_err(|e| FileError::io(path, "read again", &e))?;
        String::from_utf8(bytes).map_err(|e| FileError::at_line(path, place.line, e.to_string()))
    }

    /// The file of a row, and its line.
    fn place(&self, key: &RowKey, place: &Place) -> (PathBuf, Option<usize>) {
        match &self.sources[place.source as usize] {
            Source::Folder(folder) => (run_path(folder, key.number), None),
            Source::File(path) => (path.clone(), Some(place.line)),
        }
    }
}

impl Row {
    fn new(key: &RowKey, text: &str) -> Result<Self, String> {
        #[derive(Deserialize)]
        struct Known {
            outcome: String,
        }
        let known: Known = serde_json::from_str(text).map_err(|e| e.to_string())?;
        let (found, rest) = RowKey::split(text)?;
        if found != *key {
            return Err("it has changed since it was read first".into());
        }
        if !known.outcome.bytes().all(|b| b.is_ascii_lowercase() || b == b'-') {
            return Err("its outcome is no word".into());
        }
        let is_judged = key.kind == Kind::Check;
        let text = if is_judged { key.join(&without_judged(rest)?) } else { text.to_owned() };
        Ok(Self { text, outcome: known.outcome })
    }
}

/// A row of `cloth check` without what an earlier run is known by, which has times.
fn without_judged(row: &str) -> Result<String, String> {
    // It cannot stand within a string, which would end at the first of its quotes.
    const JUDGED: &str = r#","judged":"#;
    let Some((before, value)) = row.split_once(JUDGED) else { return Ok(row.to_owned()) };
    let mut values = serde_json::Deserializer::from_str(value).into_iter::<IgnoredAny>();
    values.next().transpose().map_err(|e| e.to_string())?;
    Ok(before.to_owned() + &value[values.byte_offset()..])
}

/// The key of a line, without its end.
fn key_of(line: &[u8]) -> Result<RowKey, String> {
    let line = std::str::from_utf8(line).map_err(|e| e.to_string())?;
    RowKey::split(line).map(|(key, _)| key)
}

/// Opens a regular file: the opening of a FIFO waits for who writes to it.
fn open(path: &Path) -> Result<File, FileError> {
    let refuse = |e: std::io::Error| FileError::io(path, "read", &e);
    match fs::metadata(path).map_err(refuse)?.is_file() {
        true => File::open(path).map_err(refuse),
        false => Err(FileError::new(path, "is no regular file; save its content as a file")),
    }
}

#[cfg(test)]
mod tests {
    use std::fs::{create_dir_all, read_to_string, write};

    use super::super::folder::{PLAN_FILE, ROW_FILE};
    use super::*;

    /// A row of `cloth check`, of 4.
    fn row(number: u64, time: u64) -> String {
        format!(
            "{{\"kind\":\"check\",\"plan\":\"0000002a\",\"number\":{number},\"of\":4,\"name\":\"a, \\\",\\\"judged\\\":\",\
             \"outcome\":\"clean\",\"judged\":{{\"files\":[{{\"t\":{time}}},\"}}\"]}},\"report\":{{\"b\":1.50,\"a\":1e-7}}}}"
        )
    }

    fn merged(row: &str) -> String {
        let (start, end) = (row.find(",\"judged\":{").unwrap(), row.find(",\"report\"").unwrap());
        format!("{}{}\n", &row[..start], &row[end..])
    }

    fn lines(rows: &[String]) -> String {
        rows.iter().map(|row| format!("{row}\n")).collect()
    }

    /// A folder with files of rows; their paths.
    fn files(texts: &[String]) -> (tempfile::TempDir, Vec<PathBuf>) {
        let dir = tempfile::tempdir().unwrap();
        let paths = (0..texts.len()).map(|k| dir.path().join(format!("{k}.jsonl"))).collect::<Vec<_>>();
        paths.iter().zip(texts).for_each(|(path, text)| write(path, text).unwrap());
        (dir, paths)
    }

    fn manifest(inputs: &[PathBuf], partial: bool) -> Result<String, String> {
        let dir = tempfile::tempdir().unwrap();
        let out = dir.path().join("m.jsonl");
        let merged = merge(inputs, Some(&out), partial).map_err(|e| e.to_string())?;
        let text = read_to_string(out).unwrap();
        assert_eq!((merged.rows, merged.outcomes.values().sum()), (text.lines().count() as u64, merged.rows));
        Ok(text)
    }

    #[test]
    fn rows_are_sorted_and_lose_what_has_times_and_nothing_else() {
        let shards = [[3, 1].map(|k| row(k, 7)), [2, 0].map(|k| row(k, 8))].map(|rows| lines(&rows));
        let (_dir, paths) = files(&shards);
        let expected: String = (0..4).map(|k| merged(&row(k, 0))).collect();
        assert_eq!(manifest(&paths, false), Ok(expected.clone()));
        assert_eq!(manifest(&[paths[1].clone(), paths[0].clone()], false), Ok(expected.clone()));
        // A manifest is an input too, and what is there twice is taken once, whenever it was judged.
        let (_dir, more) = files(&[expected.clone(), lines(&[row(2, 9)])]);
        assert_eq!(manifest(&[paths[0].clone(), more[0].clone(), more[1].clone()], false), Ok(expected));
    }

    #[test]
    fn kinds_and_plans_are_kept_apart_in_order() {
        let one = |kind: &str, plan: &str| {
            format!("{{\"kind\":\"{kind}\",\"plan\":\"{plan}\",\"number\":0,\"of\":1,\"outcome\":\"clean\"}}")
        };
        let rows = [one("campaign", "ff"), one("check", "0a"), one("check", "0b"), one("sweep", "00")];
        let (_dir, paths) = files(&[lines(&rows[2..]), rows[0].clone(), lines(&rows[1..2])]);
        assert_eq!(manifest(&paths, false), Ok(lines(&rows)));
    }

    #[test]
    fn a_row_of_many_files_is_read_though_few_are_open() {
        let all = MOST_OPEN as u64 + 9;
        let row = |k: u64| row(k, 0).replace("\"of\":4", &format!("\"of\":{all}"));
        let (_dir, paths) = files(&(0..all).map(|k| row((k * 7) % all)).collect::<Vec<_>>());
        assert_eq!(manifest(&paths, false).unwrap(), (0..all).map(|k| merged(&row(k))).collect::<String>());
    }

    #[test]
    fn missing_rows_are_refused_by_number_unless_that_is_allowed() {
        let (_dir, paths) = files(&[lines(&[row(1, 0)]), String::new()]);
        let error = manifest(&paths, false).unwrap_err();
        assert!(error.contains("0.jsonl: 3 of 4 rows of check 0000002a are missing: 0, 2, 3 "), "{error}");
        assert_eq!(manifest(&paths, true), Ok(merged(&row(1, 0))));
        assert!(manifest(&paths[1..], true).unwrap_err().ends_with("has no rows"));
        let (_dir, paths) = files(&[row(3, 0).replace("\"of\":4", &format!("\"of\":{}", u64::MAX))]);
        assert!(manifest(&paths, false).unwrap_err().contains(" missing: 0, 1, 2, 4, 5, ... "));
    }

    #[test]
    fn a_last_line_that_was_cut_short_is_no_row() {
        let whole = lines(&[row(0, 0), row(1, 0)]);
        let end = row(0, 0).len();
        for cut in 1..end {
            let (_dir, paths) = files(&[whole[..end + 1 + cut].to_owned()]);
            assert_eq!(manifest(&paths, true), Ok(merged(&row(0, 0))), "{cut}");
        }
        let (_dir, paths) = files(&[whole.trim_end().to_owned()]);
        assert_eq!(manifest(&paths, true).unwrap().lines().count(), 2, "its end alone is missing");
        for (text, place) in [
            (whole[2..].to_owned(), "0.jsonl:1: is no row"),
            (whole.replacen("}\n", "\n", 1), "0.jsonl:1: is no row"),
            (whole.clone() + "\n", "0.jsonl:3: is no row"),
            (whole.clone() + "precious", "0.jsonl:3: is no row"),
        ] {
            let (_dir, paths) = files(&[text]);
            let error = manifest(&paths, true).unwrap_err();
            assert!(error.contains(place), "{error}");
        }
    }

    #[test]
    fn rows_that_contradict_each_other_are_refused_with_both_places() {
        let other = lines(&[row(0, 0), row(1, 0).replace("1.50", "1.5")]);
        let (_dir, paths) = files(&[lines(&[row(1, 0)]), other]);
        let error = manifest(&paths, true).unwrap_err();
        assert!(error.contains("1.jsonl:2: row 1 of 0000002a differs from ") && error.contains("0.jsonl:1;"));
        let (_dir, paths) = files(&[row(0, 0), row(1, 0).replace("\"of\":4", "\"of\":5")]);
        let error = manifest(&paths, true).unwrap_err();
        assert!(error.contains("1.jsonl:1: plan 0000002a has 5 rows, and 4 in "), "{error}");
    }

    const PLAN: &str = "{\"format\":1,\"of\":2002}\n";

    /// A folder of a sweep with these runs, each with a file of 3 bytes.
    fn sweep(runs: &[u64]) -> (tempfile::TempDir, Vec<PathBuf>) {
        let dir = tempfile::tempdir().unwrap();
        let out = dir.path().join("out");
        create_dir_all(&out).unwrap();
        write(out.join(PLAN_FILE), PLAN).unwrap();
        for &number in runs {
            let run = run_path(&out, number);
            create_dir_all(&run).unwrap();
            write(run.join("a.pc2"), "abc").unwrap();
            write(run.join(ROW_FILE), run_row(number) + "\n").unwrap();
        }
        (dir, vec![out])
    }

    fn run_row(number: u64) -> String {
        let key = RowKey { kind: Kind::Sweep, plan: super::super::plan_id(PLAN), number, of: 2002 };
        key.join(r#","outcome":"clean","files":{"a.pc2":{"bytes":3,"crc32":"352441c2"}}}"#)
    }

    #[test]
    fn a_folder_of_a_sweep_is_merged_into_itself_and_tidied() {
        let (_dir, folder) = sweep(&[2001, 0, 17]);
        let at = |name: &str| folder[0].join(name);
        for left in ["runs/000/.000017.x1.part", "runs/000/.000018.x1.part"] {
            create_dir_all(at(left)).unwrap();
            write(at(left).join("a.pc2"), "a").unwrap();
        }
        for left in ["runs/002/.002001.try", ".sweep.json.a.part", ".manifest.jsonl.b.part", "notes.part"] {
            write(at(left), "").unwrap();
        }
        let error = merge(&folder, None, false).unwrap_err().to_string();
        assert!(
            error.contains("1999 of 2002 rows of sweep") && error.contains("1, 2, 3, 4, 5, ..."),
            "{error}"
        );
        let merged = merge(&folder, None, true).unwrap();
        assert_eq!((merged.rows, merged.missing, &merged.path), (3, 1999, &at("manifest.jsonl")));
        let expected = [0, 17, 2001].map(|number| run_row(number) + "\n").concat();
        assert_eq!(read_to_string(&merged.path).unwrap(), expected);
        let is_there = |name: &&str| at(name).exists();
        let left = [
            "runs/000/.000017.x1.part",
            "runs/002/.002001.try",
            ".sweep.json.a.part",
            ".manifest.jsonl.b.part",
        ];
        assert!(!left.iter().any(is_there));
        assert!(["runs/000/.000018.x1.part", "notes.part", PLAN_FILE].iter().all(is_there));
        // With its own manifest each row is there twice.
        assert_eq!(manifest(&[at(""), at("manifest.jsonl")], true), Ok(expected));
        assert!(merge(&[at(""), at("manifest.jsonl")], None, true).unwrap_err().problem.contains("--out"));
    }

    #[test]
    fn a_damaged_run_is_refused_with_its_remedy() {
        let (_dir, folder) = sweep(&[0, 1]);
        let key = RowKey { number: 1, ..read_plan(&folder[0]).unwrap() };
        assert_eq!(read_committed(&folder[0], &key), Ok(run_row(1)));
        let refused = || {
            let error = read_committed(&folder[0], &key).unwrap_err();
            assert_eq!(merge(&folder, None, true), Err(error.clone()));
            assert!(error.to_string().contains("000001: ") && error.problem.ends_with("which repairs it"));
            error.problem
        };
        let run = run_path(&folder[0], 1);
        write(run.join("a.pc2"), "ab").unwrap();
        assert!(refused().starts_with("a.pc2 has 2 bytes, not 3"));
        fs::remove_file(run.join("a.pc2")).unwrap();
        assert!(refused().starts_with("a.pc2 is missing, not 3 bytes"));
        write(run.join(ROW_FILE), run_row(0) + "\n").unwrap();
        assert!(refused().starts_with("row.json is of run 0 of plan"));
        write(run.join(ROW_FILE), run_row(1)).unwrap();
        assert!(refused().starts_with("has no readable row.json"));
        fs::remove_dir_all(&run).unwrap();
        assert!(read_committed(&folder[0], &key).is_err());
        write(folder[0].join(PLAN_FILE), PLAN.replace("2002", "1")).unwrap();
        assert!(merge(&folder, None, true).unwrap_err().problem.contains("row.json is of run 0 of plan"));
        fs::remove_file(folder[0].join(PLAN_FILE)).unwrap();
        assert!(merge(&folder, None, true).unwrap_err().problem.contains("is no folder of a sweep"));
    }
}
