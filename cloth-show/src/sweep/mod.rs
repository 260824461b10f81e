//! Work that many machines share: shards, the rows that they write, and the manifest that joins them.
//!
//! A plan is a numbered list of runs: those of a sweep, the meshes of a check, the scenes of a campaign. A
//! [`Shard`] is a part of the numbers. Each run ends in a row, a line of JSON that begins with its [`RowKey`]
//! and depends on nothing but the plan and the number, so that the [`manifest`] is equal in every
//! byte whatever the machines, the order of work and the crashes.
//!
//! The folder of a sweep, which all machines share:
//!
//! ```text
//! OUT/sweep.json                plan: format, version of cloth, the sweep, the scene, the number of runs
//!                               ("of"); written once, compared by every later shard
//! OUT/runs/000/000017/row.json  one line, the row of run 17; with the outputs of the run beside it
//! OUT/runs/000/.000017.*.part/  a run under construction, any number of them; renamed to 000017 when whole
//! OUT/runs/000/.000017.try      the first try ended with an error of the scene
//! OUT/log/*.log                 errors of the machine, appended
//! OUT/manifest.jsonl            what `cloth merge OUT` writes
//! ```
//!
//! A rename commits a run, at most once. Nothing is locked, and no clock is read.

mod commit;
pub mod folder;
mod latin;
pub mod manifest;
mod plan;
mod row;
mod runner;
mod shard;
mod spec;

pub use plan::Sweep;
pub use row::{Kind, RowFile, RowKey, is_begun, plan_id};
pub use runner::{Outcome, ShardCounts, ShardOptions, run_shard};
pub use shard::Shard;
