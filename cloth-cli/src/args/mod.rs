//! The command line: which subcommands there are, and errors about it on one line.

mod animation;
mod character;
mod check;
mod merge;
mod number;
mod placing;
mod sample;
mod schema;
mod simulate;
mod sweep;
mod untangle;
mod wearing;
mod words;

pub(crate) use animation::AnimationArgs;
pub(crate) use character::CharacterArgs;
pub(crate) use check::CheckArgs;
pub(crate) use merge::MergeArgs;
pub(crate) use placing::PlacingArgs;
pub(crate) use sample::SampleArgs;
pub(crate) use schema::SchemaArgs;
pub(crate) use simulate::{BodyChoice, Fabric, OutputArgs, QuickArgs, SimulateArgs};
pub(crate) use sweep::SweepArgs;
pub(crate) use untangle::UntangleArgs;
pub(crate) use wearing::{MeshWithCache, Wearing};

use std::ffi::OsString;

use clap::error::{ContextKind, ContextValue, ErrorKind};
use clap::{Parser, Subcommand};
use cloth_show::program::Failure;
use cloth_show::program::command_line::{bytes, parsed};

/// Simulates and checks cloth with self-collision; exact arithmetic proves states free of intersections.
#[derive(Debug, Parser)]
#[command(name = "cloth", version, max_term_width = 100)]
#[command(
    after_help = "Exit status: 0 clean, 1 ran and found failures, 2 could not run, 130 or 143 interrupted by \
    SIGINT or SIGTERM (the report so far is written).\n\n\
    Example:\n  cloth check shirt.obj --cache shirt.pc2"
)]
pub(crate) struct Cli {
    #[command(subcommand)]
    pub(crate) command: Command,
    /// Refuse an input file of more bytes than this; suffixes k, M and G stand for powers of 1024.
    #[arg(long, global = true, value_name = "BYTES", default_value = "4G", value_parser = bytes)]
    pub(crate) max_input: u64,
}

/// What to do. The help of most is that of their arguments, all of it.
#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    Check(CheckArgs),
    Simulate(Box<SimulateArgs>),
    Untangle(UntangleArgs),
    Sweep(SweepArgs),
    Merge(MergeArgs),
    /// Writes a shirt, a dress, a character and a scene to an empty folder, to try the others on.
    Sample(SampleArgs),
    /// Writes the JSON schemas of docs/schema to a folder, for `cargo xtask schema`.
    #[command(hide = true)]
    Schema(SchemaArgs),
}

/// Commands that are gone, and what to call in the repository instead.
const MOVED: [(&str, &str); 4] = [
    ("verify", "the program `cloth-verify`, with the same options: call `cargo xtask verify`"),
    ("ccd", "an example: call `cargo run --release -p cloth-show --example query_sets -- QUERIES...`"),
    ("cull", "a benchmark: call `cargo bench -p cloth-contacts --bench cull`"),
    ("pairs", "a benchmark: call `cargo bench -p cloth-broadphase`"),
];

/// Reads a command line, the name of the program first; none if it asks for help or version, which are
/// printed.
pub(crate) fn parse(line: impl IntoIterator<Item = OsString>) -> Result<Option<Cli>, Failure> {
    let error = match Cli::try_parse_from(line) {
        Err(error) => error,
        found => return parsed(found),
    };
    if error.kind() == ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand {
        let text =
            "no command given; use check, simulate, untangle, sweep, merge or sample, see `cloth --help`";
        return Err(Failure::new(text));
    }
    let unknown = error.get(ContextKind::InvalidSubcommand);
    let moved = MOVED.iter().find(|(name, _)| unknown == Some(&ContextValue::String((*name).into())));
    match moved {
        Some((name, now)) => Err(Failure::new(format!("`cloth {name}` is now, in the repository, {now}"))),
        None => parsed(Err(error)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::CommandFactory;

    fn error_of(line: &str) -> String {
        parse(line.split(' ').map(OsString::from)).unwrap_err().to_string()
    }

    #[test]
    fn the_command_line_is_sound() {
        Cli::command().debug_assert();
    }

    #[test]
    fn every_help_ends_with_an_example() {
        for name in ["check", "simulate", "untangle", "sweep", "merge"] {
            let mut command = Cli::command();
            let help = command.find_subcommand_mut(name).expect("it is there").render_long_help().to_string();
            let last = help.trim_end().lines().last().unwrap_or_default().to_owned();
            assert!(last.starts_with(&format!("  cloth {name} ")), "{last}");
        }
    }

    #[test]
    fn says_what_is_wrong_on_one_line() {
        assert!(error_of("cloth").starts_with("no command given"));
        assert!(error_of("cloth chek x").contains("'check'"), "{}", error_of("cloth chek x"));
        let missing = error_of("cloth check");
        assert!(missing.contains("<MESH>") && !missing.contains("Usage"), "{missing}");
        assert!(error_of("cloth check a.obj --cahce b").contains("--cache"));
    }

    #[test]
    fn refuses_numbers_that_are_none() {
        for line in [
            "cloth check a.obj --weld nan",
            "cloth check a.obj --weld -1",
            "cloth simulate --garment a.obj --unit 0",
            "cloth simulate --garment a.obj --seconds inf",
            "cloth simulate --garment a.obj --picture-size 0x5",
            "cloth simulate --garment a.obj --picture-size 640",
            "cloth simulate --garment a.obj --threads 0",
            "cloth simulate --garment a.obj --scale 0",
            "cloth simulate --garment a.obj --translate 1,2",
            "cloth simulate --garment a.obj --rotate 90,x",
            "cloth simulate --garment a.obj --place below",
            "cloth simulate --garment a.obj --bend-rest folded",
        ] {
            assert!(Cli::try_parse_from(line.split(' ')).is_err(), "{line}");
        }
    }

    #[test]
    fn a_scene_takes_no_flags_of_a_garment() {
        assert!(Cli::try_parse_from("cloth simulate s.toml --out a.pc2 --threads 2".split(' ')).is_ok());
        for flag in [
            "--garment a.obj",
            "--unit 2",
            "--substeps 3",
            "--body none",
            "--place above",
            "--translate 1,0,0",
        ] {
            let line = format!("cloth simulate s.toml {flag}");
            assert!(Cli::try_parse_from(line.split(' ')).is_err(), "{line}");
        }
    }
}
