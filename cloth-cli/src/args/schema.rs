//! The arguments of `cloth schema`.

use std::path::PathBuf;

use clap::Args;

/// Which schemas go where.
#[derive(Debug, Args)]
pub(crate) struct SchemaArgs {
    /// Folder for the documents, one for `cloth check` and one for `cloth simulate`; it is created if needed.
    #[arg(value_name = "FOLDER")]
    pub(crate) folder: PathBuf,
}
