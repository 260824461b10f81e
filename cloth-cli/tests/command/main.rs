//! The command as its user calls it, one module for each subcommand.
//!
//! All of them are one test target, so that what they share is compiled and checked once.

mod animated;
mod character;
mod check;
mod check_many;
mod check_outfit;
mod command_line;
mod contacts;
mod cuts;
mod formats;
mod guides;
mod limits;
mod merge;
mod outputs;
mod placing;
mod process;
mod regions;
mod rigid;
mod sample;
#[path = "../../../cloth-scene/examples/write_scene/files.rs"]
mod scene_files;
#[cfg(unix)]
mod signalled;
#[cfg(unix)]
mod signals;
mod simulate;
mod start;
mod stress;
mod support;
mod sweep;
mod untangle;
mod usd;
mod written;
