//! `cargo xtask compare OLD [NEW]`: how much faster a revision is than another, and whether the cloth is as
//! good.
//!
//! ```text
//! options    the command line
//! revision   a commit -> a worktree -> a release build of `cloth`
//! run        one `cloth verify --json` -> times of frames and stages, quality
//! estimate   times of several runs -> a ratio with an interval
//! row        what is compared of a scenario;   table, page: all rows as text and as a page
//! ```
//!
//! The runs of the two alternate, so that what the machine does meanwhile falls on both. Of each frame the
//! least time over the runs counts: a frame does the same work in every run, and whatever interrupts it only
//! adds.

mod estimate;
mod options;
mod page;
mod revision;
mod row;
mod run;
mod table;

use std::path::Path;

pub(crate) use options::Options;
use revision::Revision;
pub(crate) use revision::scenarios_of;
use row::Row;
use run::Run;

/// Compares two revisions; the text that is to be printed in the end, or why it could not be done.
pub(crate) fn compare(options: &Options, root: &Path) -> Result<String, String> {
    let revisions = [
        Revision::of_commit(root, &options.old)?,
        match &options.new {
            Some(commit) => Revision::of_commit(root, commit)?,
            None => Revision::working_tree(root)?,
        },
    ];
    let scenarios = match options.scenarios.is_empty() {
        true => revisions[0].scenarios()?,
        false => options.scenarios.clone(),
    };
    let names = revisions.each_ref().map(Revision::name);
    let (mut text, mut rows) = (table::heading(&names, options), Vec::new());
    for scenario in &scenarios {
        let mut runs: [Vec<Run>; 2] = [Vec::new(), Vec::new()];
        for round in 0..options.runs {
            for (revision, runs) in revisions.iter().zip(&mut runs) {
                eprintln!("{scenario}: {}, run {} of {}", revision.name(), round + 1, options.runs);
                runs.push(revision.verify(scenario, options)?);
            }
        }
        let row = Row::new(scenario, &runs);
        let line = table::scenario(&row);
        eprint!("{line}");
        text.push_str(&line);
        rows.push(row);
    }
    if let Some(path) = &options.page {
        page::write(path, &page::html(&names, options, &rows))?;
    }
    Ok(text)
}
