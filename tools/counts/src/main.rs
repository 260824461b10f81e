//! One kernel, or one step of a small scene in which cloth already meets cloth, per run: what
//! `cargo xtask counts` runs under callgrind.
//!
//! ```text
//! cloth-counts                      the names of all workloads
//! cloth-counts NAME                 runs one; only what happens within `measured` is to be counted
//! cloth-counts --instruction-set    what it was compiled for, and what it uses; `CLOTH_SIMD` forces that
//! ```

mod kernels;

use std::process::ExitCode;

use cloth_geom::lanes;
use cloth_verify::{Size, scenarios};

/// A named piece of work: prepares its data, and passes what is to be counted to [`measured`].
pub(crate) type Workload = (&'static str, fn());

/// Runs what is to be counted. Callgrind knows the function by its name, so it must neither be inlined nor
/// generic.
#[inline(never)]
pub(crate) fn measured(work: &mut dyn FnMut()) {
    work();
}

/// Frames of a small scene before the step that is counted. The first steps build lists and make room for
/// what is kept.
const WARM_UP_FRAMES: usize = 40;

const STEPS: [Workload; 5] = [
    ("step/hang", || step("hang")),
    ("step/drape-sphere", || step("drape-sphere")),
    ("step/twist", || step("twist")),
    ("step/pile", || step("pile")),
    ("step/stack", || step("stack")),
];

/// The next frame of a scenario, on one thread, with the settings it is verified with.
fn step(name: &str) {
    let scenario = scenarios::all().iter().find(|scenario| scenario.name == name).expect("a known scenario");
    let setup = (scenario.build)(Size::Small).expect("a scene that can be built");
    let mut sim = setup.scene.build(setup.scene.settings).expect("a scene that can be built");
    for _ in 0..WARM_UP_FRAMES {
        sim.step(setup.dt).expect("a step");
    }
    measured(&mut || {
        sim.step(setup.dt).expect("a step");
    });
}

fn main() -> ExitCode {
    let workloads = || kernels::ALL.iter().chain(&STEPS);
    let Some(name) = std::env::args().nth(1) else {
        workloads().for_each(|(name, _)| println!("{name}"));
        return ExitCode::SUCCESS;
    };
    let level = match lanes::chosen_level() {
        Ok(level) => level,
        Err(error) => {
            eprintln!("cloth-counts: {error}");
            return ExitCode::FAILURE;
        }
    };
    if name == "--instruction-set" {
        println!("{} and {}", lanes::INSTRUCTION_SET, lanes::level_name(level));
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
