//! The program `cloth`: see the library of this crate.

use std::process::ExitCode;

fn main() -> ExitCode {
    cloth_cli::run(std::env::args_os()).into()
}
