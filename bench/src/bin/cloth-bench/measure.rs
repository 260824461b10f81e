//! `run`: measures, and writes the report.

use std::path::PathBuf;
use std::sync::atomic::Ordering;

use clap::Args;
use cloth_bench::report::{self, PAGE};
use cloth_bench::run::{self, INTERRUPTED, Plan, Store, seconds};
use cloth_bench::schema::Mode;

/// Records of runs and recorded states.
const RESULTS: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/results");
/// The pages, below those of `cargo xtask dashboard`.
pub(crate) const PAGES: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../report/bench");

/// Without restrictions the whole matrix, three runs of each (one at the largest side), at most three hours.
#[derive(Args)]
pub(crate) struct Arguments {
    /// 32 vertices a side, 60 frames, one run: less than five minutes.
    #[arg(long)]
    quick: bool,
    /// Keep the runs of an ended benchmark of the same commit and limits.
    #[arg(long)]
    resume: bool,
    /// A scene; may be repeated.
    #[arg(long, value_name = "NAME")]
    scene: Vec<String>,
    /// Vertices along the longer side; may be repeated.
    #[arg(long, value_name = "N")]
    side: Vec<usize>,
    /// Id of a contender; may be repeated. Ratios need `cloth` among them.
    #[arg(long, value_name = "ID")]
    contender: Vec<String>,
    /// Runs of each contender in each scene.
    #[arg(long, value_name = "N")]
    runs: Option<usize>,
    /// Most frames of a run.
    #[arg(long, value_name = "N")]
    frames: Option<usize>,
    /// Stop a run after this time [default: 120].
    #[arg(long, value_name = "SECONDS")]
    limit_s: Option<f64>,
    /// Start no run after this time [default: 180].
    #[arg(long, value_name = "MINUTES")]
    budget_min: Option<f64>,
    /// A remark for the page, for example on the load of the machine.
    #[arg(long, value_name = "TEXT", default_value = "")]
    note: String,
    /// Append the results to the history.
    #[arg(long)]
    record: bool,
    /// Directory for the pages.
    #[arg(long, value_name = "DIR", default_value = PAGES)]
    out: PathBuf,
    /// Folder of the records of runs.
    #[arg(long, value_name = "DIR", default_value = RESULTS)]
    results: PathBuf,
    /// Folder of the recorded results of earlier benchmarks.
    #[arg(long, value_name = "DIR", default_value = crate::HISTORY)]
    history: PathBuf,
}

impl Arguments {
    pub(super) fn run(self) -> Result<(), String> {
        listen_to_signals();
        let plan = self.plan();
        plan.check()?;
        let store = Store::new(&self.results)?;
        let report = run::scenes(&plan, &store)?;
        print!("{}", report::text(&report));
        crate::pages(&report, &self.out, &self.history, self.record)?;
        eprintln!("wrote {}", self.out.join(PAGE).display());
        Ok(())
    }

    fn plan(&self) -> Plan {
        let mut plan = if self.quick { Plan::quick() } else { Plan::full() };
        let lists = [(&self.scene, &mut plan.scenes), (&self.contender, &mut plan.contenders)];
        let mut is_part = !self.side.is_empty() || self.runs.is_some() || self.frames.is_some();
        for (asked, list) in lists.into_iter().filter(|(asked, _)| !asked.is_empty()) {
            list.clone_from(asked);
            is_part = true;
        }
        if !self.side.is_empty() {
            plan.sides.clone_from(&self.side);
        }
        if let Some(runs) = self.runs {
            (plan.runs, plan.runs_at_largest) = (runs, runs);
        }
        plan.frames = self.frames.or(plan.frames);
        plan.limit = self.limit_s.map_or(plan.limit, seconds);
        plan.budget = self.budget_min.map_or(plan.budget, |minutes| seconds(60.0 * minutes));
        plan.resume = self.resume;
        plan.note.clone_from(&self.note);
        if is_part {
            plan.mode = Mode::Custom;
        }
        plan
    }
}

/// The first signal ends the benchmark after the run in progress, the second at once. Without signals it runs
/// to its end.
fn listen_to_signals() {
    use signal_hook::consts::{SIGINT, SIGTERM};
    let Ok(mut signals) = signal_hook::iterator::Signals::new([SIGINT, SIGTERM]) else { return };
    std::thread::spawn(move || {
        for signal in signals.forever() {
            if INTERRUPTED.swap(true, Ordering::Relaxed) {
                std::process::exit(128 + signal);
            }
            eprintln!("interrupted; the report so far will be written, a second signal ends at once");
        }
    });
}
