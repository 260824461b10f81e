//! `cargo xtask compare OLD [NEW]`: how much faster a revision is than another, and whether the cloth is as
//! good.
//!
//! ```text
//! options    the command line
//! run        one run of the harness with `--json` -> times of frames and stages, quality
//! row        what is compared of a scenario;   output: it as text, and all on a page
//! ```
//!
//! The runs of the two alternate, so that what the machine does meanwhile falls on both. Of each frame the
//! least time over the runs counts: a frame does the same work in every run, and whatever interrupts it only
//! adds.

mod options;
mod output;
mod row;
mod run;

use std::path::Path;

use cloth_measure::program::{Build, Program, Sources};
pub(crate) use options::Options;
use row::Row;
use run::Run;

use crate::commands::Outcome;

/// Compares two revisions; a difference is no failure. The error says why it could not be done.
pub(crate) fn compare(options: &Options, root: &Path) -> Result<Outcome, String> {
    let new = match &options.new {
        Some(commit) => Sources::from_commit(root, commit)?,
        None => Sources::working_tree(root),
    };
    let old = Program::build(&Sources::from_commit(root, &options.old)?, Build::RELEASE)?;
    let programs = [old, Program::build(&new, Build::RELEASE)?];
    let scenarios = match options.scenarios.is_empty() {
        true => programs[0].scenarios()?,
        false => options.scenarios.clone(),
    };
    let names = programs.each_ref().map(|program| program.sources.as_str());
    let threads = options.threads.to_string();
    let arguments = [["--size", &options.size], ["--gate", &options.gate], ["--threads", &threads]];
    let mut text = output::heading(&names, options);
    for scenario in &scenarios {
        let mut runs: [Vec<Run>; 2] = [Vec::new(), Vec::new()];
        for round in 0..options.runs {
            for (program, runs) in programs.iter().zip(&mut runs) {
                let name = &program.sources;
                eprintln!("{scenario}: {name}, run {} of {}", round + 1, options.runs);
                let run = Run::read(&program.verify(scenario, None, &arguments)?);
                runs.push(
                    run.map_err(|e| format!("the report of {name} on {scenario} cannot be read: {e}"))?,
                );
            }
        }
        let line = output::scenario(&Row::new(scenario, &runs));
        eprint!("{line}");
        text.push_str(&line);
    }
    if let Some(path) = &options.page {
        output::write(path, &text)?;
    }
    Ok(Outcome { text: text + "\n", passes: true })
}
