//! The files of runs: one JSON for each, and the recorded states of the run that is judged at the moment.

use std::collections::BTreeMap;
use std::io::Write;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::plan::Job;
use super::{Verdict, file_error};
use crate::schema::Status;

/// Times of a frame (ms).
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct FrameTime {
    /// Wall time.
    pub wall: f64,
    /// CPU time of the process; none where the system does not report it.
    pub cpu: Option<f64>,
}

/// What is known of a run.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct RunRecord {
    /// Which run.
    pub job: Job,
    /// [`Plan::stamp`](super::Plan::stamp) of the plan that it belongs to.
    pub stamp: String,
    /// Frames that the scene has in this plan.
    pub frames_wanted: usize,
    /// Frames that were finished.
    pub frames: Vec<FrameTime>,
    /// How it ended.
    pub status: Status,
    /// Largest resident set of its process (bytes).
    pub peak_memory_bytes: Option<u64>,
    /// Instructions retired in a frame, mean over the counted frames; none where they were not counted.
    #[serde(default)]
    pub instructions_per_frame: Option<f64>,
    /// Time (ms) by stage, over all frames.
    pub stage_ms: BTreeMap<String, f64>,
    /// Hash of the recorded states: runs with equal states are judged once.
    pub states_hash: Option<u64>,
    /// What the judge found; none without a finished frame.
    pub verdict: Option<Verdict>,
}

impl RunRecord {
    /// A run without a frame yet, of no plan.
    pub(super) fn new(job: Job, frames_wanted: usize) -> Self {
        Self { job, frames_wanted, ..Self::default() }
    }

    /// One line for the terminal.
    #[must_use]
    pub fn summary(&self) -> String {
        let mut walls: Vec<f64> = self.frames.iter().map(|f| f.wall).collect();
        walls.sort_by(f64::total_cmp);
        let median = walls.get(walls.len() / 2).map_or("no frame".into(), |ms| format!("{ms:.2} ms a frame"));
        let end = match &self.status {
            Status::Completed => String::new(),
            status => format!(", {status}"),
        };
        format!("{}: {median}, {} of {} frames{end}", self.job, self.frames.len(), self.frames_wanted)
    }
}

/// A folder of run records.
#[derive(Clone, Debug)]
pub struct Store {
    folder: PathBuf,
}

impl Store {
    /// A folder, which is created if need be.
    ///
    /// # Errors
    /// If it cannot be created.
    pub fn new(folder: &Path) -> Result<Self, String> {
        std::fs::create_dir_all(folder).map_err(|e| file_error(folder, &e))?;
        Ok(Self { folder: folder.to_owned() })
    }

    /// Where the states of the run in progress are recorded.
    #[must_use]
    pub fn states(&self) -> PathBuf {
        self.folder.join("states.bin")
    }

    /// Where those of a run are recorded whose instructions are counted.
    #[must_use]
    pub(super) fn counted_states(&self) -> PathBuf {
        self.folder.join("counted.bin")
    }

    /// Deletes the records of an earlier benchmark. Other files are left alone.
    ///
    /// # Errors
    /// If one cannot be deleted.
    pub fn clear(&self) -> Result<Vec<RunRecord>, String> {
        for path in self.files()? {
            std::fs::remove_file(&path).map_err(|e| file_error(&path, &e))?;
        }
        Ok(Vec::new())
    }

    /// The records that belong to plans with this [`Plan::stamp`](super::Plan::stamp).
    ///
    /// # Errors
    /// If a file cannot be read.
    pub fn read(&self, stamp: &str) -> Result<Vec<RunRecord>, String> {
        let mut found = Vec::new();
        for path in self.files()? {
            let text = std::fs::read_to_string(&path).map_err(|e| file_error(&path, &e))?;
            // A record of another version is measured again.
            found.extend(serde_json::from_str::<RunRecord>(&text).ok().filter(|r| r.stamp == stamp));
        }
        Ok(found)
    }

    /// Writes a record.
    ///
    /// # Errors
    /// If the file cannot be written.
    pub fn write(&self, record: &RunRecord) -> Result<(), String> {
        let Job { scene, side, contender, run } = &record.job;
        let path = self.folder.join(format!("run-{scene}-{side}-{contender}-{run}.json"));
        let text = serde_json::to_vec(record).map_err(|e| format!("{}: {e}", path.display()))?;
        cloth_io::write_atomically(&path, |w| w.write_all(&text)).map_err(|e| e.to_string())
    }

    fn files(&self) -> Result<Vec<PathBuf>, String> {
        let fault = |e: &std::io::Error| file_error(&self.folder, e);
        let mut found = Vec::new();
        for entry in std::fs::read_dir(&self.folder).map_err(|e| fault(&e))? {
            let entry = entry.map_err(|e| fault(&e))?;
            let name = entry.file_name().to_string_lossy().into_owned();
            let is_record = name.starts_with("run-") && name.ends_with(".json");
            found.extend(is_record.then(|| entry.path()));
        }
        found.sort();
        Ok(found)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::run::Plan;

    fn record(run: usize, stamp: String) -> RunRecord {
        RunRecord {
            stamp,
            frames: vec![FrameTime { wall: 1.5, cpu: None }],
            status: Status::Stopped { after_s: 120.0 },
            peak_memory_bytes: Some(7),
            instructions_per_frame: Some(1.5e6),
            states_hash: Some(u64::MAX),
            ..RunRecord::new(Job { scene: "pile".into(), side: 32, contender: "cloth".into(), run }, 2)
        }
    }

    #[test]
    fn records_of_the_same_plan_are_resumed_and_others_are_not() {
        let folder = tempfile::tempdir().expect("a folder");
        let store = Store::new(folder.path()).expect("a store");
        let stamp = Plan::quick().stamp();
        let kept = record(0, stamp.clone());
        store.write(&kept).expect("written");
        store.write(&record(1, "another".into())).expect("written");
        std::fs::write(folder.path().join("run-broken.json"), "{").expect("written");
        std::fs::write(folder.path().join("other.txt"), "kept").expect("written");
        assert_eq!(store.read(&stamp).expect("read"), vec![kept]);
        assert!(store.clear().expect("cleared").is_empty());
        assert!(store.read(&stamp).expect("read").is_empty() && folder.path().join("other.txt").exists());
    }
}
