//! The program of the harness, which `cargo xtask verify` starts: runs the scenarios, judges them, and writes
//! the reports.
//!
//! ```text
//! args      the command line
//! run       the scenarios: table, report, JSON
//! progress  what is said meanwhile
//! campaign  random scenes (`--fuzz`), and one of them again (`--replay`)
//! schema    the schema of the JSON (`--schema`)
//! ```

mod args;
mod campaign;
mod progress;
mod run;
#[cfg(feature = "schema")]
mod schema;

use std::process::ExitCode;

use cloth_show::program::{self, Failure, Program, Status};

use args::VerifyArgs;

fn main() -> ExitCode {
    // Set by `cargo xtask verify`, which builds this program from a repository and starts it at once.
    let commit = std::env::var("CLOTH_COMMIT").ok().filter(|commit| !commit.is_empty());
    let this = Program { name: "cloth-verify", version: env!("CARGO_PKG_VERSION"), commit };
    let work = || VerifyArgs::parse(std::env::args_os())?.map_or(Ok(Status::Clean), |args| work(&args));
    program::run(this, work).into()
}

fn work(args: &VerifyArgs) -> Result<Status, Failure> {
    cloth_io::set_max_input(args.max_input);
    program::check_instructions()?;
    #[cfg(feature = "schema")]
    if let Some(folder) = &args.schema {
        return schema::run(folder);
    }
    match (args.fuzz, &args.replay) {
        (Some(scenes), _) => campaign::campaign(args, scenes),
        (None, Some(file)) => campaign::replay(args, file),
        (None, None) => run::run(args),
    }
}
