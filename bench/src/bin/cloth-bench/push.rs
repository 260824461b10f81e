//! `push`: who keeps the promise.

use std::path::PathBuf;

use clap::Args;
use cloth_bench::report::{self, PUSH_FILES};
use cloth_bench::schema::{PushReport, PushResult};
use cloth_bench::{history, promise};

/// All cases and contenders; writes `push.html` and `push.json`.
#[derive(Args)]
pub(crate) struct Arguments {
    /// Steps of a case.
    #[arg(long, value_name = "N", default_value_t = 1000)]
    steps: usize,
    /// Take the results of an earlier run instead of measuring.
    #[arg(long, value_name = "FILE", conflicts_with = "steps")]
    from: Option<PathBuf>,
    /// Results of another program: a JSON list of `results` as push.json has them; may be repeated.
    #[arg(long, value_name = "FILE")]
    add: Vec<PathBuf>,
    /// Only write the cases, for a program whose results are to be added: a JSON list to this file.
    #[arg(long, value_name = "FILE", conflicts_with_all = ["steps", "from", "add", "record"])]
    cases: Option<PathBuf>,
    /// A remark for the page, for example on the load of the machine.
    #[arg(long, value_name = "TEXT", default_value = "")]
    note: String,
    /// Append the sums of this project to the history.
    #[arg(long)]
    record: bool,
    /// Directory for the page.
    #[arg(long, value_name = "DIR", default_value = crate::measure::PAGES)]
    out: PathBuf,
    /// Folder of the recorded results of earlier benchmarks.
    #[arg(long, value_name = "DIR", default_value = crate::HISTORY)]
    history: PathBuf,
}

impl Arguments {
    pub(super) fn run(self) -> Result<(), String> {
        if let Some(file) = &self.cases {
            let text = promise::cases_json()?;
            return std::fs::write(file, text).map_err(|e| format!("{}: {e}", file.display()));
        }
        let added = self.add.iter().map(|file| crate::read::<Vec<PushResult>>(file));
        let added: Vec<Vec<PushResult>> = added.collect::<Result<_, _>>()?;
        let mut run: PushReport = match &self.from {
            Some(file) => crate::read(file)?,
            None => promise::measure(self.steps, &self.note)?,
        };
        for (result, file) in
            added.into_iter().zip(&self.add).flat_map(|(r, f)| r.into_iter().map(move |r| (r, f)))
        {
            let is_there = |r: &PushResult| (&r.contender, &r.case) == (&result.contender, &result.case);
            if run.results.iter().any(is_there) {
                let (file, PushResult { contender, case, .. }) = (file.display(), &result);
                return Err(format!(
                    "{file}: there is a result of `{contender}` in `{case}` already; choose another name"
                ));
            }
            run.results.push(result);
        }
        print!("{}", report::push_text(&run));
        if self.record {
            history::append(&self.history, &history::push_records(&run))?;
        }
        report::write_pushes(&run, &self.out)?;
        eprintln!("wrote {}", self.out.join(PUSH_FILES[1]).display());
        Ok(())
    }
}
