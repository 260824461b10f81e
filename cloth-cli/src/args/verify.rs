//! The arguments of `cloth verify`.

use std::path::PathBuf;

use clap::Args;
use cloth_verify::{SelfCollision, Size};

use super::Gate;
use super::shard::Shard;

/// Whether runs are audited.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum Audit {
    /// Every run, or a sample of its substeps.
    On,
    /// None, so that times are those of the simulation alone.
    Off,
}

/// Runs the scenarios with their controls and judges them by exact arithmetic.
///
/// Every frame of every scenario is checked. A scenario passes if every expectation of it and of its control holds; a
/// control, with self-collision off, must intersect, or the scenario proves nothing. A third run, with self-collision and without
/// the gate, shows what the gate adds. With an audit, an auditor that shares nothing with the gate tests every accepted substep.
#[derive(Debug, Args)]
#[command(after_help = "Exit status: 0 all pass, 1 one fails, 2 bad arguments, 130 or 143 interrupted.\n\n\
    An audit that fails writes audit-SCENARIO.json beside the report or the JSON, or here. Runs are reproducible bit by bit:\n\
    cloth verify --scenario SCENARIO --size SIZE --audit finds the same again; the file has the whole command.\n\n\
    Example:\n  cloth verify --scenario pile --size small --report report")]
pub(crate) struct VerifyArgs {
    /// Run this scenario; may be repeated. All by default.
    #[arg(long = "scenario", value_name = "NAME")]
    pub(crate) scenarios: Vec<String>,
    /// Size of the scenes: small, medium or large.
    #[arg(long, default_value_t)]
    pub(crate) size: Size,
    /// Broad phase: block-tree, parry-bvh, sweep-grid, spatial-hash, kd-tree, sweep-and-prune, brute-force (size small
    /// only), or all; results must not depend on it.
    #[arg(long, value_name = "NAME", default_value = "block-tree")]
    pub(crate) broadphase: String,
    /// Self collision: full, or particles, which makes every vertex a ball of 0.75 spacings; by default what the scenario says.
    #[arg(long, value_name = "KIND")]
    pub(crate) self_collision: Option<SelfCollision>,
    /// Whether the motion of every substep is certified before it is accepted; controls run without.
    #[arg(long, value_enum, default_value_t = Gate::On)]
    pub(crate) gate: Gate,
    /// Audit every accepted substep independently of the gate: exact tests of all pairs with overlapping boxes (at the larger sizes every
    /// tenth substep of pile and stack). The small size is audited by default, unless the gate is off.
    #[arg(long, value_enum, value_name = "WHETHER", num_args = 0..=1, require_equals = true, default_missing_value = "on",
        conflicts_with_all = ["fuzz", "replay"])]
    pub(crate) audit: Option<Audit>,
    /// Run neither the controls nor the scenes without the gate. The verdict says less then: nothing shows what would have gone wrong.
    #[arg(long, conflicts_with_all = ["fuzz", "replay"])]
    pub(crate) no_controls: bool,
    /// Run this many small random scenes through the gate instead of the scenarios, each substep audited; what fails is
    /// written at once as fuzz-SEED-INDEX.json beside the report, or here, and made smaller at the end.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..=100_000_000), conflicts_with_all = ["scenarios", "replay"])]
    pub(crate) fuzz: Option<u64>,
    /// Seed of the first of those scenes; the next have the next.
    #[arg(long, value_name = "S", default_value_t = 1, requires = "fuzz")]
    pub(crate) seed: u64,
    /// Begin no more of them after this many seconds; no limit by default.
    #[arg(long, value_name = "SECONDS", requires = "fuzz")]
    pub(crate) time: Option<u64>,
    /// Run part I of N of them: one scene in N.
    #[arg(long, value_name = "I/N", requires = "fuzz")]
    pub(crate) shard: Option<Shard>,
    /// Make each of them long: 30,000 steps of at most 100 vertices.
    #[arg(long, requires = "fuzz")]
    pub(crate) long: bool,
    /// Leave scenes that fail as they are.
    #[arg(long, requires = "fuzz")]
    pub(crate) no_shrink: bool,
    /// Run the scene of such a file again.
    #[arg(long, value_name = "FILE", conflicts_with = "scenarios")]
    pub(crate) replay: Option<PathBuf>,
    /// Threads; times are comparable only at the same number.
    #[arg(long, default_value_t = 1, value_parser = clap::value_parser!(u16).range(1..=1024))]
    pub(crate) threads: u16,
    /// Write a page with pictures, the JSON, and the last state of each scenario to this folder.
    #[arg(long, value_name = "DIR")]
    pub(crate) report: Option<PathBuf>,
    /// Write the figures as JSON.
    #[arg(long, value_name = "FILE")]
    pub(crate) json: Option<PathBuf>,
}
