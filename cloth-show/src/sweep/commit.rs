//! What a shard changes in the folder of its sweep: runs that are committed at most once, first tries, what is
//! damaged, and the log.

use std::fs::{self, File, OpenOptions};
use std::io::{self, ErrorKind, Write};
use std::path::{Path, PathBuf};
use std::time::{SystemTime, UNIX_EPOCH};

use cloth_io::{AtomicFile, FileError};
use cloth_scene::read_text;
use serde_json::Value;
use tempfile::TempDir;

use super::folder::{PLAN_FILE, ROW_FILE, of_leftover, read_committed, run_path};
use super::plan::Sweep;
use super::shard::Shard;
use crate::report::utc;

/// The folder of a sweep.
pub(super) struct SweepFolder<'a> {
    out: &'a Path,
    sweep: &'a Sweep,
    log: PathBuf,
}

impl<'a> SweepFolder<'a> {
    /// Makes the folder, or goes on with it if it is that of the same sweep.
    ///
    /// # Errors
    /// If it belongs to another sweep, or cannot be written to.
    pub(super) fn open(out: &'a Path, sweep: &'a Sweep, shard: Shard) -> Result<Self, FileError> {
        let plan = out.join(PLAN_FILE);
        fs::create_dir_all(out).map_err(|e| FileError::io(out, "make the folder", &e))?;
        let found = match read_text(&plan) {
            Err(error) if error.kind == Some(ErrorKind::NotFound) => {
                // Never in the place of another: two sweeps may begin at once.
                let written = AtomicFile::create(&plan).and_then(|mut file| {
                    file.write_all(sweep.plan.as_bytes()).map_err(|e| FileError::io(&plan, "write", &e))?;
                    file.finish_new()
                });
                read_text(&plan).or_else(|_| written.map(|()| sweep.plan.clone()))?
            }
            found => found?,
        };
        if found != sweep.plan {
            return Err(FileError::new(&plan, other(&found, &sweep.plan)));
        }
        let log = out.join("log").join(format!("shard-{}.log", shard.to_string().replace('/', "-of-")));
        Ok(Self { out, sweep, log })
    }

    /// The row of a run, if it is committed. What stands in its place and is not whole is moved aside.
    ///
    /// # Errors
    /// If that cannot be done.
    pub(super) fn committed(&self, number: u64) -> Result<Option<String>, FileError> {
        let (folder, damaged) = (run_path(self.out, number), self.out.join("damaged"));
        loop {
            // A link that leads nowhere is there too.
            if fs::symlink_metadata(&folder).is_err_and(|e| e.kind() == ErrorKind::NotFound) {
                return Ok(None);
            }
            // Chosen before the run is read: of two processes that find it damaged the later one must not move
            // aside what the other has put in its place.
            let mut names = (0..).map(|k| damaged.join(format!("{number:06}-{k}")));
            let aside = names.find(|name| fs::symlink_metadata(name).is_err()).unwrap_or_default();
            let error = match read_committed(self.out, &self.sweep.key(number)) {
                Ok(row) => return Ok(Some(row)),
                Err(error) if error.is_of_machine() => return Err(error),
                Err(error) => error,
            };
            fs::create_dir_all(&damaged).map_err(|e| FileError::io(&damaged, "make the folder", &e))?;
            match fs::rename(&folder, &aside) {
                Ok(()) => {
                    self.log(&format!("run {number}: {error}; moved to {} and begun again", aside.display()));
                }
                Err(e) if is_taken(&e) || e.kind() == ErrorKind::NotFound => {}
                Err(e) => return Err(FileError::io(&folder, "move aside", &e)),
            }
        }
    }

    /// A new folder for a run under construction, which vanishes if it is dropped.
    ///
    /// # Errors
    /// If it cannot be made.
    pub(super) fn begin(&self, number: u64) -> Result<TempDir, FileError> {
        let run = run_path(self.out, number);
        let parent = run.parent().unwrap_or(self.out);
        let prefix = format!(".{number:06}.");
        let mut builder = tempfile::Builder::new();
        builder.prefix(&prefix).suffix(".part");
        set_default_permissions(&mut builder);
        fs::create_dir_all(parent)
            .and_then(|()| builder.tempdir_in(parent))
            .map_err(|e| FileError::io(parent, "make a folder for a run", &e))
    }

    /// Writes the row of a run into its folder under construction, gives that its name, and removes what was
    /// left of the run. Whether it has that name now, which it has not if another process has committed the
    /// run: one that is still at it finds its folder gone.
    ///
    /// # Errors
    /// If the machine fails.
    pub(super) fn commit(
        &self,
        number: u64,
        part: TempDir,
        row: &str,
        left: &[PathBuf],
    ) -> Result<bool, FileError> {
        let (run, place) = (run_path(self.out, number), part.path().join(ROW_FILE));
        let written = fs::write(&place, row).and_then(|()| sync(part.path()));
        written.map_err(|e| FileError::io(&place, "write", &e))?;
        let is_mine = match fs::rename(part.path(), &run) {
            Ok(()) => {
                // It has another name now, and must not be removed.
                let _ = part.keep();
                Ok(true)
            }
            // The folder of a committed run is never empty.
            Err(e) if is_taken(&e) => Ok(false),
            Err(e) => Err(FileError::io(&run, "commit the run", &e)),
        }?;
        let parent = run.parent().unwrap_or(self.out);
        sync_folder(parent).map_err(|e| FileError::io(parent, "write", &e))?;
        for path in left {
            // What cannot be removed now is removed when the folder is merged.
            let _ = if path.is_dir() { fs::remove_dir_all(path) } else { fs::remove_file(path) };
        }
        Ok(is_mine)
    }

    /// What there is of a run that is not committed: folders of processes that were killed or are still at it,
    /// and its first try.
    ///
    /// # Errors
    /// If the machine fails.
    pub(super) fn leftovers(&self, number: u64) -> Result<Vec<PathBuf>, FileError> {
        let run = run_path(self.out, number);
        let parent = run.parent().unwrap_or(self.out);
        let is_of_run =
            |entry: &fs::DirEntry| entry.file_name().to_str().and_then(of_leftover) == Some(number);
        let found = fs::read_dir(parent).and_then(|entries| {
            let mut found = entries.collect::<Result<Vec<_>, _>>()?;
            found.retain(is_of_run);
            Ok(found.iter().map(fs::DirEntry::path).collect())
        });
        match found {
            Err(e) if e.kind() == ErrorKind::NotFound => Ok(Vec::new()),
            found => found.map_err(|e| FileError::io(parent, "read", &e)),
        }
    }

    /// Notes that a run ended with an error of its scene; whether that was its second try.
    ///
    /// # Errors
    /// If the machine fails.
    pub(super) fn try_failed(&self, number: u64, why: &str) -> Result<bool, FileError> {
        let run = run_path(self.out, number);
        let first = run.with_file_name(format!(".{number:06}.try"));
        if first.exists() {
            return Ok(true);
        }
        // A try all the same if it is cut short.
        fs::write(&first, format!("{why}\n")).map_err(|e| FileError::io(&first, "write", &e))?;
        Ok(false)
    }

    /// Appends a line to the log of the shard, with time and machine, which nothing else has. Where even that
    /// fails, the caller says the same.
    pub(super) fn log(&self, text: &str) {
        let time = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        let host = fs::read_to_string("/proc/sys/kernel/hostname").unwrap_or_default();
        let line = format!("{} {} {} {text}\n", utc(time.as_secs()), host.trim(), std::process::id());
        // The opening of a FIFO waits for who reads it.
        if fs::metadata(&self.log).is_ok_and(|metadata| !metadata.is_file()) {
            return;
        }
        let _ = fs::create_dir_all(self.log.parent().unwrap_or(self.out))
            .and_then(|()| OpenOptions::new().create(true).append(true).open(&self.log))
            .and_then(|mut log| log.write_all(line.as_bytes()));
    }
}

/// Whether a folder was not renamed because there is one that is not empty.
fn is_taken(error: &io::Error) -> bool {
    matches!(error.kind(), ErrorKind::DirectoryNotEmpty | ErrorKind::AlreadyExists)
}

/// Gives a folder the permissions of any new one; temporary ones are private otherwise, and stay so.
#[cfg(unix)]
fn set_default_permissions(builder: &mut tempfile::Builder<'_, '_>) {
    use std::os::unix::fs::PermissionsExt;
    builder.permissions(fs::Permissions::from_mode(0o777));
}

#[cfg(not(unix))]
fn set_default_permissions(_: &mut tempfile::Builder<'_, '_>) {}

/// Forces the files of a folder, and the folder, to the disk.
fn sync(folder: &Path) -> io::Result<()> {
    for entry in fs::read_dir(folder)? {
        OpenOptions::new().write(true).open(entry?.path())?.sync_all()?;
    }
    sync_folder(folder)
}

/// Forces the names in a folder to the disk, where a system can.
fn sync_folder(folder: &Path) -> io::Result<()> {
    if cfg!(unix) { File::open(folder)?.sync_all() } else { Ok(()) }
}

/// What a plan that is there has otherwise than the present one.
fn other(found: &str, plan: &str) -> String {
    let [found, plan] = [found, plan].map(|text| serde_json::from_str::<Value>(text).unwrap_or_default());
    let differs =
        ["format", "cloth", "sweep", "scene"].into_iter().find(|key| found.get(key) != plan.get(key));
    let what = match differs {
        _ if found.is_null() => "is no plan of a sweep",
        Some("format" | "cloth") => "was made by another version of cloth",
        Some("sweep") => "is of a sweep file that says something else, or whose `files` are others",
        _ => "is of a scene that says something else",
    };
    format!("{what}, and the runs of two plans are never mixed; name another folder")
}
