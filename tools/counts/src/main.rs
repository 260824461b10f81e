//! One kernel, or one step of a scene, per run: what `cargo xtask counts` runs under callgrind.
//!
//! ```text
//! cloth-counts                      the names of all workloads
//! cloth-counts NAME                 runs one; only what happens within `measured` is to be counted
//! cloth-counts --instruction-set    what it was compiled for
//! ```

mod kernels;
mod scenes;

use std::process::ExitCode;

/// A named piece of work: prepares its data, and passes what is to be counted to [`measured`].
pub(crate) type Workload = (&'static str, fn());

/// Runs what is to be counted. Callgrind knows the function by its name, so it must neither be inlined nor
/// generic.
#[inline(never)]
pub(crate) fn measured(work: &mut dyn FnMut()) {
    work();
}

fn main() -> ExitCode {
    let workloads = || kernels::ALL.iter().chain(&scenes::ALL);
    let Some(name) = std::env::args().nth(1) else {
        workloads().for_each(|(name, _)| println!("{name}"));
        return ExitCode::SUCCESS;
    };
    if name == "--instruction-set" {
        println!("{}", cloth_geom::lanes::INSTRUCTION_SET);
        return ExitCode::SUCCESS;
    }
    match workloads().find(|(known, _)| *known == name) {
        Some((_, run)) => {
            run();
            ExitCode::SUCCESS
        }
        None => {
            eprintln!("cloth-counts: no workload is called `{name}`; without an argument it lists them");
            ExitCode::FAILURE
        }
    }
}
