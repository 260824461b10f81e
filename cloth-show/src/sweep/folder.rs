//! The folder of a sweep: where its parts are, and which of its runs are committed.

use std::collections::BTreeMap;
use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use cloth_io::FileError;
use cloth_scene::read_text;
use serde::Deserialize;

use super::{Kind, RowKey, plan_id};

/// The plan of a sweep, in its folder.
pub const PLAN_FILE: &str = "sweep.json";
/// What merging the folder writes.
pub const MANIFEST_FILE: &str = "manifest.jsonl";
/// The row of a run, in the folder of the run.
pub const ROW_FILE: &str = "row.json";

/// What is read of a plan; the identity of its rows is that of its text.
#[derive(Deserialize)]
struct Plan {
    of: u64,
}

/// What a row says of the files beside it.
#[derive(Deserialize)]
struct Outputs {
    files: BTreeMap<PathBuf, Output>,
}

#[derive(Deserialize)]
struct Output {
    bytes: u64,
}

/// The folder of a run, in that of its sweep.
#[must_use]
pub fn run_path(sweep: &Path, number: u64) -> PathBuf {
    sweep.join("runs").join(format!("{:03}", number / 1000)).join(format!("{number:06}"))
}

/// The key of run 0 of the sweep of a folder, from its plan.
///
/// # Errors
/// If the plan cannot be read, or does not say how many runs it has.
pub fn read_plan(sweep: &Path) -> Result<RowKey, FileError> {
    let path = sweep.join(PLAN_FILE);
    let text = read_text(&path).map_err(|error| match error.kind {
        Some(ErrorKind::NotFound) => {
            FileError::new(sweep, format!("is no folder of a sweep: no {PLAN_FILE}"))
        }
        _ => error,
    })?;
    let plan: Plan = serde_json::from_str(&text)
        .map_err(|e| FileError::new(&path, format!("is no plan of a sweep: {e}; name another --out")))?;
    Ok(RowKey { kind: Kind::Sweep, plan: plan_id(&text), number: 0, of: plan.of })
}

/// The row of a committed run, without the end of its line.
///
/// # Errors
/// If the run is not there, its row is not that of the key, or a file is not as long as the row says; then
/// the run has to be done again.
pub fn read_committed(sweep: &Path, key: &RowKey) -> Result<String, FileError> {
    let folder = run_path(sweep, key.number);
    let refuse = |problem: String| {
        FileError::new(
            &folder,
            format!("{problem}; run the shard of run {} again, which repairs it", key.number),
        )
    };
    let path = folder.join(ROW_FILE);
    // Before it is opened: the opening of a FIFO waits for who writes to it.
    let text = match length_of(&path)? {
        Some(_) => fs::read(&path).map_err(|e| FileError::io(&path, "read", &e))?,
        None => Vec::new(),
    };
    let row = std::str::from_utf8(&text).ok().and_then(|text| text.strip_suffix('\n'));
    let row = row.filter(|row| !row.contains('\n'));
    let row = row.ok_or_else(|| refuse(format!("has no readable {ROW_FILE}")))?;
    let (found, _) =
        RowKey::split(row).map_err(|problem| refuse(format!("{ROW_FILE} is no row: {problem}")))?;
    if found != *key {
        return Err(refuse(format!("{ROW_FILE} is of run {} of plan {}", found.number, found.plan)));
    }
    let outputs: Outputs = serde_json::from_str(row).map_err(|e| refuse(format!("{ROW_FILE}: {e}")))?;
    for (name, output) in outputs.files {
        let bytes = length_of(&folder.join(&name))?;
        if bytes != Some(output.bytes) {
            let found = bytes.map_or("is missing".into(), |bytes| format!("has {bytes} bytes"));
            return Err(refuse(format!("{} {found}, not {} bytes", name.display(), output.bytes)));
        }
    }
    Ok(row.to_owned())
}

/// The numbers of the runs that are committed, in their order, and what was left of others' tries at them.
pub(super) fn committed(sweep: &Path) -> Result<(Vec<u64>, Vec<PathBuf>), FileError> {
    let (mut numbers, mut tries) = (Vec::new(), Vec::new());
    for (_, block) in entries(&sweep.join("runs"))? {
        for (name, path) in entries(&block)? {
            if let Some(number) = of_leftover(&name) {
                tries.push((number, path));
            } else if let Some(number) = name.parse().ok().filter(|number| run_path(sweep, *number) == path) {
                numbers.push(number);
            }
        }
    }
    numbers.sort_unstable();
    let left = tries.into_iter().filter(|(number, _)| numbers.binary_search(number).is_ok());
    let left = left.map(|(_, path)| path).collect();
    Ok((numbers, left))
}

/// The run that a file or folder beside the runs was left of: `.000017.RANDOM.part` or `.000017.try`.
pub(super) fn of_leftover(name: &str) -> Option<u64> {
    let (number, rest) = name.strip_prefix('.')?.split_once('.')?;
    let number: u64 = number.parse().ok().filter(|found| format!("{found:06}") == number)?;
    (rest == "try" || rest.ends_with(".part")).then_some(number)
}

/// The length of a regular file; none if there is none.
fn length_of(path: &Path) -> Result<Option<u64>, FileError> {
    match fs::metadata(path) {
        Ok(metadata) => Ok(metadata.is_file().then_some(metadata.len())),
        Err(e) if matches!(e.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory) => Ok(None),
        Err(e) => Err(FileError::io(path, "read", &e)),
    }
}

/// What is in a folder, by names; nothing if it is none.
fn entries(folder: &Path) -> Result<Vec<(String, PathBuf)>, FileError> {
    let named = |entry: fs::DirEntry| Some((entry.file_name().into_string().ok()?, entry.path()));
    let found = fs::read_dir(folder).and_then(|entries| {
        entries.filter_map(|entry| entry.map(named).transpose()).collect::<Result<Vec<_>, _>>()
    });
    match found {
        Err(e) if matches!(e.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory) => Ok(Vec::new()),
        found => found.map_err(|e| FileError::io(folder, "read", &e)),
    }
}

/// Removes what is left of tries at committed runs and of plans and manifests under construction; what cannot
/// be removed stays.
pub(super) fn remove_leftovers(sweep: &Path, tries: &[PathBuf]) -> Result<(), FileError> {
    let is_part = |name: &str| {
        let of = |file: &str| name.starts_with(&format!(".{file}.")) && name.ends_with(".part");
        of(PLAN_FILE) || of(MANIFEST_FILE)
    };
    let parts = entries(sweep)?.into_iter().filter(|(name, _)| is_part(name)).map(|(_, path)| path);
    for path in parts.chain(tries.iter().cloned()) {
        // A folder that is read only can be merged too.
        let _ = if path.is_dir() { fs::remove_dir_all(&path) } else { fs::remove_file(&path) };
    }
    Ok(())
}
