//! What a run of `cloth ccd` reads and writes.

use std::path::{Path, PathBuf};

use cloth_io::queries::default_label_file;

use super::files::expand;
use crate::args::CcdArgs;
use crate::failure::Failure;
use crate::files::RunFiles;

/// The files of a run, checked.
pub(super) fn files(args: &CcdArgs) -> Result<RunFiles, Failure> {
    let mut files = RunFiles::default();
    let queries = expand(&args.queries)?;
    files.reads_all(&queries, "QUERIES");
    files.reads_all(args.frames.iter().flatten(), "--frames");
    files.reads_all(&args.boxes, "--boxes");
    files.reads_all(&args.labels, "--labels");
    let beside: Vec<PathBuf> =
        queries.iter().chain(&args.boxes).map(|path| default_label_file(path)).collect();
    files.reads_all(beside.iter().filter(|path| path.is_file()), "labels");
    args.toi.iter().for_each(|toi| times(toi, &mut files));
    files.writes_json(args.json.as_deref())?;
    Ok(files)
}

/// A file of times, or all that a folder may hold of them.
fn times(toi: &Path, files: &mut RunFiles) {
    files.reads(toi, "--toi");
    let inside = std::fs::read_dir(toi).into_iter().flatten().flatten();
    inside.for_each(|entry| files.reads(&entry.path(), "--toi"));
}
