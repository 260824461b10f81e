//! The command `cloth`, for `python -m cloth`.

use std::ffi::OsString;

use pyo3::prelude::*;

/// Runs a command line, the name of the program first, to its exit status. From then on SIGINT and SIGTERM
/// are those of the command, to the end of the process.
#[pyfunction]
pub(crate) fn run_command(py: Python<'_>, line: Vec<OsString>) -> u8 {
    py.detach(|| cloth_cli::run(line))
}
