//! `cloth check`: exact self-intersections of meshes, of sequences, and of a mesh with its cache, between the
//! frames too.

use cloth_io::FileError;
use cloth_verify::check::{CheckEvent, CheckOptions, StatesReport, Stitches, Subject, check_states};
use serde::Serialize;

use super::meshes::{self, MeshReport};
use crate::args::CheckArgs;
use crate::console::{self, Progress, count};
use crate::failure::{Failure, Status};
use crate::interrupt::INTERRUPT;

/// Judges each mesh and prints its block.
pub(crate) fn run(args: &CheckArgs) -> Result<Status, Failure> {
    let options = options(args);
    let further = [(args.cache.as_deref(), "--cache"), (args.stitches.as_deref(), "--stitches")];
    meshes::run(&args.common, args.cache.as_deref(), &further, move |subject| check(subject, &options))
}

/// The schema of `--json`.
pub(crate) fn schema() -> schemars::Schema {
    meshes::schema::<StatesReport>()
}

fn options(args: &CheckArgs) -> CheckOptions {
    let stitches = args.stitches.clone().zip(args.seam_distance);
    CheckOptions {
        weld: args.common.weld,
        max_pairs: args.common.max_pairs,
        frames_only: args.frames_only,
        stitches: stitches.map(|(file, distance)| Stitches { file, distance }),
        examples: args.examples,
        interrupt: INTERRUPT,
    }
}

/// Judges a subject, and says how far that is.
fn check(mut subject: Subject, options: &CheckOptions) -> Result<StatesReport, FileError> {
    let path = subject.path.display().to_string();
    let mut progress = Progress::start(format!("check {path}"), "state", subject.state_count());
    check_states(&mut subject, options, &mut |event| match event {
        CheckEvent::States(judged) => progress.done(judged),
        CheckEvent::Pairs { pairs, intersections } => {
            let [pairs, found] = [pairs, intersections].map(|n| count(n as usize));
            console::error(format!(
                "{path}: {pairs} pairs of triangles checked, {found} intersections so far"
            ));
        }
    })
}

/// States are not summed over meshes.
#[derive(Debug, Serialize, schemars::JsonSchema)]
pub(super) struct NoTotal {}

impl MeshReport for StatesReport {
    type Total = NoTotal;

    fn text(&self) -> String {
        self.text()
    }

    fn is_clean(&self) -> bool {
        self.is_clean()
    }

    fn total(_: &[Self]) -> NoTotal {
        NoTotal {}
    }
}
