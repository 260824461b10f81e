//! `cloth check`: exact self-intersections of meshes, of sequences, and of a mesh with its cache, between the
//! frames too.

mod hints;
mod monitor;
mod pass_through;
mod report;
mod seams;
mod states;

use super::meshes;
use crate::args::CheckArgs;
use crate::failure::{Failure, Status};
pub(super) use hints::weld_hint;
pub(super) use seams::read as read_seams;
use states::check_states;

/// Judges each mesh and prints its block.
pub(crate) fn run(args: &CheckArgs) -> Result<Status, Failure> {
    let own = args.clone();
    let further = [(args.cache.as_deref(), "--cache"), (args.stitches.as_deref(), "--stitches")];
    meshes::run(&args.common, args.cache.as_deref(), &further, move |mut subject| {
        check_states(&mut subject, &own)
    })
}

/// The schema of `--json`.
pub(crate) fn schema() -> schemars::Schema {
    meshes::schema::<report::StatesReport>()
}
