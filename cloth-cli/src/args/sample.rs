//! The arguments of `cloth sample`.

use std::path::PathBuf;

use clap::Args;

/// Where to.
#[derive(Debug, Args)]
pub(crate) struct SampleArgs {
    /// Folder for a shirt, a tangled one, a dress, a doubled flag, a dancer as a character and as a mesh with
    /// a cache, and a scene; new or empty.
    #[arg(value_name = "DIR")]
    pub(crate) folder: PathBuf,
}
