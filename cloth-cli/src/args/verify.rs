//! The arguments of `cloth verify`.

use std::path::PathBuf;

use clap::Args;
use cloth_verify::{ModelChoice, PlayerChoice, SelfCollision, Size};

use super::shard::Shard;
use super::{FaceContactsArg, Gate};

/// Whether runs are audited.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum Audit {
    /// Audit every run, at the larger sizes of some scenarios a sample of its substeps.
    On,
    /// Audit no run, so that times are those of the simulation alone.
    Off,
}

/// Runs the built-in scenarios with their controls and checks them by exact arithmetic.
///
/// Every frame of every scenario is checked. A scenario passes if all expectations of it and of its control
/// hold. The control, with self-collision off, must intersect; otherwise the scenario proves nothing. A third
/// run, with self-collision and without the gate, shows what the gate adds. With an audit, an auditor that
/// shares no code with the gate tests every accepted substep.
#[derive(Debug, Args)]
#[command(
    after_help = "Exit status: 0 all pass, 1 at least one fails, 2 could not run, 130 or 143 interrupted.\n\n\
    An audit that fails writes audit-SCENARIO.json next to the report or the JSON, or to the working \
    directory. Runs are reproducible bit by bit:\n\
    cloth verify --scenario SCENARIO --size SIZE --audit finds the same again; the file has the whole \
    command.\n\n\
    Example:\n  cloth verify --scenario pile --size small --report report"
)]
pub(crate) struct VerifyArgs {
    /// Run this scenario; may be repeated; all by default.
    #[arg(long = "scenario", value_name = "NAME")]
    pub(crate) scenarios: Vec<String>,
    /// Set the size of the scenes: small, medium or large.
    #[arg(long, default_value_t)]
    pub(crate) size: Size,
    /// Select the broad phase: block-tree, parry-bvh, sweep-grid, spatial-hash, kd-tree, sweep-and-prune,
    /// brute-force (size small only), or all; results do not depend on it.
    #[arg(long, value_name = "NAME", default_value = "block-tree")]
    pub(crate) broadphase: String,
    /// Set self-collision: full, or particles, with every vertex a sphere of 0.75 edge lengths in diameter;
    /// that of the scenario by default.
    #[arg(long, value_name = "KIND")]
    pub(crate) self_collision: Option<SelfCollision>,

    /// Set the elastic model: xpbd, mass-spring, fem, fem-explicit, or fem-green; that of the scenario by
    /// default. Expectations are those of xpbd where a scenario has none of its own for the model. A scenario
    /// that has no control under the model says so.
    #[arg(long, value_name = "MODEL")]
    pub(crate) model: Option<ModelChoice>,
    /// Set which faces of cloth make contacts with bodies; that of the scenario by default. Expectations are
    /// those of off.
    #[arg(long, value_enum, value_name = "WHICH")]
    pub(crate) face_contacts: Option<FaceContactsArg>,
    /// Weaken gravity by N times 1e-5 m/s²: runs with different N show how much of a figure is chance.
    #[arg(long, value_name = "N", default_value_t = 0, conflicts_with_all = ["fuzz", "replay"])]
    pub(crate) perturb: u8,
    /// Certify the motion of every substep before it is accepted; controls run without the gate.
    #[arg(long, value_enum, default_value_t = Gate::On)]
    pub(crate) gate: Gate,
    /// Audit every accepted substep independently of the gate: exact tests of all pairs with overlapping
    /// boxes (at the larger sizes every tenth substep of pile and stack). The small size is audited by
    /// default, unless the gate is off.
    #[arg(long, value_enum, value_name = "WHETHER", num_args = 0..=1, require_equals = true,
          default_missing_value = "on",
        conflicts_with_all = ["fuzz", "replay"])]
    pub(crate) audit: Option<Audit>,
    /// Skip the controls and the runs without the gate; the verdict is weaker without them.
    #[arg(long, conflicts_with_all = ["fuzz", "replay"])]
    pub(crate) no_controls: bool,
    /// Run this many small random scenes with the gate instead of the scenarios, and audit every substep.
    /// Failures are written at once as fuzz-SEED-INDEX.json to the --report folder or the current one, and
    /// minimised at the end.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..=100_000_000),
          conflicts_with_all = ["scenarios", "replay"])]
    pub(crate) fuzz: Option<u64>,
    /// Set the seed of the first fuzz scene; the following scenes have consecutive seeds.
    #[arg(long, value_name = "S", default_value_t = 1, requires = "fuzz")]
    pub(crate) seed: u64,
    /// Start no more fuzz scenes after this many seconds; no limit by default.
    #[arg(long, value_name = "SECONDS", requires = "fuzz")]
    pub(crate) time: Option<u64>,
    /// Run only shard I of N: every N-th fuzz scene.
    #[arg(long, value_name = "I/N", requires = "fuzz")]
    pub(crate) shard: Option<Shard>,
    /// Run long fuzz scenes: 30,000 steps of at most 100 vertices.
    #[arg(long, requires = "fuzz")]
    pub(crate) long: bool,
    /// Do not minimise fuzz scenes that fail.
    #[arg(long, requires = "fuzz")]
    pub(crate) no_shrink: bool,
    /// Run the scene of a file that --fuzz wrote.
    #[arg(long, value_name = "FILE", conflicts_with = "scenarios")]
    pub(crate) replay: Option<PathBuf>,
    /// Set the number of threads; times are comparable only at the same number.
    #[arg(long, default_value_t = 1, value_parser = clap::value_parser!(u16).range(1..=1024))]
    pub(crate) threads: u16,
    /// Write a page with pictures, the JSON, the last state of each scenario, and pages that play their runs
    /// to this folder.
    #[arg(long, value_name = "DIR")]
    pub(crate) report: Option<PathBuf>,
    /// Choose the runs that the report can play: off, run (the run and its control), or all (the run without
    /// the gate too).
    #[arg(long, value_name = "RUNS", default_value_t = PlayerChoice::Run)]
    pub(crate) player: PlayerChoice,
    /// Write the figures as JSON.
    #[arg(long, value_name = "FILE")]
    pub(crate) json: Option<PathBuf>,
}
