//! `cloth merge`: the manifest of shards.

use cloth_show::program::console::{self, count, counted};
use cloth_show::program::{Failure, RunFiles, Status};
use cloth_show::sweep::manifest::merge;

use crate::args::MergeArgs;

/// Writes the manifest, and prints what it has.
pub(crate) fn run(args: &MergeArgs) -> Result<Status, Failure> {
    let mut files = RunFiles::default();
    files.reads_all(&args.inputs, "IN");
    args.out.iter().for_each(|out| files.writes(out, "--out"));
    files.check()?;
    let merged = merge(&args.inputs, args.out.as_deref(), args.partial)?;
    let mut parts: Vec<String> = merged
        .outcomes
        .iter()
        .map(|(outcome, rows)| format!("{} {outcome}", count(*rows as usize)))
        .collect();
    parts.extend((merged.missing > 0).then(|| format!("{} missing", count(merged.missing as usize))));
    let parts = if parts.is_empty() { String::new() } else { format!(": {}", parts.join(", ")) };
    console::out(format!("{}: {}{parts}\n", merged.path.display(), counted(merged.rows as usize, "row")));
    Ok(Status::Clean)
}
