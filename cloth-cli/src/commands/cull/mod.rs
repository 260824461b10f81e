//! `cloth cull`: how many pairs each culling method spares on the poses of a mesh, and whether it misses any.

mod compare;
mod method;
mod report;

use super::meshes;
use crate::args::CullArgs;
use crate::failure::{Failure, Status};
use compare::compare_methods;

/// Judges each mesh and prints its table.
pub(crate) fn run(args: &CullArgs) -> Result<Status, Failure> {
    let own = args.common.clone();
    let further = [(args.cache.as_deref(), "--cache")];
    meshes::run(&args.common, args.cache.as_deref(), &further, move |mut subject| {
        compare_methods(&mut subject, &own)
    })
}

/// The schema of `--json`.
#[cfg(feature = "schema")]
pub(crate) fn schema() -> schemars::Schema {
    meshes::schema::<report::PosesReport>()
}
