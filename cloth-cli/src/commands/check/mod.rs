//! `cloth check`: exact self-intersections of meshes, of sequences, and of a mesh with its cache, between the frames too.

mod between;
mod hints;
mod judge;
mod report;
mod seams;
mod watch;

use super::meshes;
use crate::args::CheckArgs;
use crate::failure::{Failure, Status};
use judge::judge;

/// Judges each mesh and prints its block.
pub(crate) fn run(args: &CheckArgs) -> Result<Status, Failure> {
    let own = args.clone();
    let further = [(args.cache.as_deref(), "--cache"), (args.stitches.as_deref(), "--stitches")];
    meshes::run(&args.common, args.cache.as_deref(), &further, move |mut subject| judge(&mut subject, &own))
}
