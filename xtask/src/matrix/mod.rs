//! `cargo xtask matrix`: one scenario, one result, however it is compiled and on however many threads it
//! runs.
//!
//! ```text
//! options    the command line
//! build      a profile and an instruction set -> `cloth`
//! table      hashes of all frames by build and threads -> where they part
//! ```

mod build;
mod options;
mod table;

use std::path::Path;

use build::Build;
pub(crate) use options::Options;
use table::{Cell, Row};

/// What the matrix shows.
pub(crate) struct Outcome {
    /// To be printed.
    pub(crate) text: String,
    /// Whether all results of each scenario are the same.
    pub(crate) equal: bool,
}

/// Runs every scenario on every build and number of threads; the error says what could not be run.
pub(crate) fn matrix(options: &Options, root: &Path) -> Result<Outcome, String> {
    let (mut builds, mut left_out) = (Vec::new(), Vec::new());
    for &kind in &options.builds {
        if kind.runs_here() {
            builds.push(Build::new(kind, root)?);
        } else {
            left_out.push(kind.name());
        }
    }
    let first = builds.first().ok_or("none of these builds runs on this machine")?;
    let scenarios = match options.scenarios.is_empty() {
        true => first.scenarios()?,
        false => options.scenarios.clone(),
    };
    let mut rows = Vec::new();
    for scenario in scenarios {
        let mut cells = Vec::new();
        for build in &builds {
            for &threads in &options.threads {
                eprintln!("{scenario}: {}, {threads} threads", build.name());
                let hashes = build.hashes(&scenario, &options.size, threads)?;
                cells.push(Cell { build: build.name(), threads, hashes });
            }
        }
        rows.push(Row { scenario, cells });
    }
    let equal = rows.iter().all(|row| row.first_difference().is_none());
    Ok(Outcome { text: table::text(&rows, &left_out), equal })
}
