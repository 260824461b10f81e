//! The arguments of `cloth sample`.

use std::path::PathBuf;

use clap::Args;

/// Where to.
#[derive(Debug, Args)]
pub(crate) struct SampleArgs {
    /// Folder for a shirt, a dress, a character and a scene; new or empty.
    #[arg(value_name = "DIR")]
    pub(crate) folder: PathBuf,
}
