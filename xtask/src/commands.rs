//! Which command line each job starts.

use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};

use crate::compare::{self, compare};
use crate::counts::{self, counts};
use crate::faults::faults;
use crate::matrix::{self, matrix};
use crate::quick::{quick, since};
use crate::tidy;
use cloth_measure::program::{HARNESS_BUILD, commit};

/// Exit status of a job that could not be started; 1 is kept for "ran, and found failures".
pub(crate) const COULD_NOT_RUN: u8 = 2;

const HELP: &str = "\
cargo xtask verify [ARGS]     judge the scenarios: the program `cloth-verify`, built by the profile `verify`
cargo xtask bench [ARGS]      this project and other cloth libraries: page in report/bench/, at most 3 hours
      --quick                 the small scenes, in under five minutes; --resume goes on with an ended run
      --kernels [ARGS]        instead: the benches of every crate, ARGS go to criterion
cargo xtask dashboard [ARGS]  verify, and write the pages to report/ in the repository
      --compare COMMIT        instead: both revisions in paired runs, as a table and as report/compare.html
cargo xtask compare OLD [NEW] time two revisions against each other, and show the quality of their cloth
cargo xtask matrix            run the scenarios on several builds and threads: every frame must be the same
      --against COMMIT        instead: on this revision and that one
cargo xtask counts [NAMES]    compare instruction counts with tools/counts/baseline.json; --update replaces \
them
cargo xtask faults            make the code wrong in some thirty ways: a test has to notice each
cargo xtask web [--serve]     build the page into web/dist, minutes at first, and serve it on this machine
      --port N                serve it at another port than 8000
cargo xtask schema            write docs/schema: the JSON of check, simulate and verify, from the types
cargo xtask tidy --imports    the order of the crates and of cloth-solver's modules, and what is against it
      --sizes                 the code lines of each floor, with limits and allowances
cargo xtask quick             format, lints and tests of the crates that have changed, and of their dependents
      --since COMMIT          what differs from that commit; without, from HEAD
cargo xtask ci                everything that must hold before a merge: .ci/run
cargo xtask help              this text";

/// A child process to start, or the help text.
#[derive(Debug, PartialEq)]
pub(crate) enum Job {
    /// Print the help text.
    Help,
    /// Compare two revisions.
    Compare(compare::Options),
    /// Run scenarios on several builds and threads.
    Matrix(matrix::Options),
    /// Check what differs from a commit.
    Quick(String),
    /// Count the instructions of kernels and steps.
    Counts(counts::Options),
    /// Run tests with faults that they have to notice.
    Faults,
    /// Print the orders of crates and modules, or the sizes of the floors.
    Tidy(tidy::Table),
    /// Start a program with arguments.
    Start { program: PathBuf, arguments: Vec<String> },
    /// Start several, one after another.
    All(Vec<Job>),
}

impl Job {
    /// Reads the command line; the error is one line that lists the commands.
    pub(crate) fn parse(arguments: &[String]) -> Result<Self, String> {
        let (name, rest) = arguments.split_first().map_or(("", arguments), |(n, r)| (n.as_str(), r));
        match name {
            "verify" => Ok(verify(rest)),
            "bench" => Ok(bench(rest)),
            "dashboard" => dashboard(rest),
            "compare" => compare::Options::parse(rest).map(Self::Compare),
            "matrix" => matrix::Options::parse(rest).map(Self::Matrix),
            "counts" => counts::Options::parse(rest).map(Self::Counts),
            "quick" => since(rest).map(Self::Quick),
            "web" => web(rest),
            "tidy" => tidy::Table::parse(rest).map(Self::Tidy),
            "faults" | "schema" | "ci" if !rest.is_empty() => {
                Err(format!("xtask: `{name}` takes no arguments, got `{}`", rest.join(" ")))
            }
            "faults" => Ok(Self::Faults),
            "schema" => Ok(schema()),
            "ci" => Ok(Self::Start { program: root().join(".ci/run"), arguments: vec![] }),
            "help" | "-h" | "--help" => Ok(Self::Help),
            _ => Err(format!(
                "xtask: unknown command `{name}`; use quick, ci, verify, bench, dashboard, compare, matrix, \
                 counts, faults, web, schema, tidy or help"
            )),
        }
    }

    /// Runs the job to its end and passes its exit status on.
    pub(crate) fn run(self) -> ExitCode {
        match self {
            Self::Help => {
                println!("{HELP}");
                ExitCode::SUCCESS
            }
            Self::Compare(options) => report("compare", compare(&options, root())),
            Self::Matrix(options) => report("matrix", matrix(&options, root())),
            Self::Counts(options) => report("counts", counts(&options, root())),
            Self::Faults => report("faults", faults(root())),
            Self::Quick(since) => report("quick", quick(&since, root())),
            Self::Tidy(table) => report("tidy", table.outcome(root())),
            Self::Start { program, arguments } => start(&program, &arguments),
            Self::All(jobs) => {
                // The first that fails says how.
                let fails = |job: Job| Some(job.run()).filter(|status| *status != ExitCode::SUCCESS);
                jobs.into_iter().find_map(fails).unwrap_or(ExitCode::SUCCESS)
            }
        }
    }
}

/// What a job found.
pub(crate) struct Outcome {
    /// To be printed in the end.
    pub(crate) text: String,
    /// Whether the program succeeds.
    pub(crate) passes: bool,
}

/// Prints what a job found; fails if it has not passed.
fn report(job: &str, found: Result<Outcome, String>) -> ExitCode {
    match found {
        Ok(Outcome { text, passes }) => {
            print!("{text}");
            if passes { ExitCode::SUCCESS } else { ExitCode::FAILURE }
        }
        Err(message) => {
            eprintln!("xtask {job}: {message}");
            ExitCode::from(COULD_NOT_RUN)
        }
    }
}

fn start(program: &Path, arguments: &[String]) -> ExitCode {
    let mut command = Command::new(program);
    // For the reports of what is built from this repository and started at once.
    command.args(arguments).envs(commit(root(), 12).map(|commit| ("CLOTH_COMMIT", commit)));
    match command.status() {
        // A process ended by a signal has no status of its own.
        Ok(status) => {
            let code = status.code().and_then(|c| u8::try_from(c).ok()).unwrap_or(COULD_NOT_RUN);
            ExitCode::from(code)
        }
        Err(error) => {
            eprintln!("xtask: cannot start `{}`: {error}", program.display());
            ExitCode::from(COULD_NOT_RUN)
        }
    }
}

fn verify(arguments: &[String]) -> Job {
    cargo("run --profile verify", &[&HARNESS_BUILD[..], &["--"], &strs(arguments)[..]].concat())
}

/// The program of `bench/`, a workspace of its own; with `--kernels` first, criterion's benches of this one.
///
/// `--bench *` takes the bench targets alone: the unit tests that `--benches` adds do not know criterion's
/// arguments.
fn bench(arguments: &[String]) -> Job {
    match arguments.split_first() {
        Some((first, rest)) if first == "--kernels" => {
            cargo("bench --workspace --bench *", &[&["--"], &strs(rest)[..]].concat())
        }
        _ => cargo_in("bench/Cargo.toml", "run --release", &[&["--", "run"], &strs(arguments)[..]].concat()),
    }
}

/// Verify with a report in the repository, unless the caller names another directory. `--compare COMMIT`
/// compares the working tree with that commit instead; the other arguments are those of `compare`.
fn dashboard(arguments: &[String]) -> Result<Job, String> {
    let mut all = arguments.to_vec();
    let report = root().join("report");
    if let Some(at) = all.iter().position(|a| a == "--compare" || a.starts_with("--compare=")) {
        match all[at].split_once('=') {
            Some((_, commit)) => all[at] = commit.into(),
            None => drop(all.remove(at)),
        }
        let mut options = compare::Options::parse(&all)?;
        options.page.get_or_insert_with(|| report.join("compare.html"));
        return Ok(Job::Compare(options));
    }
    if !arguments.iter().any(|a| a == "--report" || a.starts_with("--report=")) {
        all.push("--report".into());
        all.push(report.display().to_string());
    }
    Ok(verify(&all))
}

/// The page and its module, which node builds with cargo and npm's packages; `web/README.md` says what it
/// needs.
fn web(arguments: &[String]) -> Result<Job, String> {
    // Which numbers are ports is for the script to say.
    if !matches!(strs(arguments)[..], [] | ["--serve"] | ["--serve", "--port", _]) {
        let given = arguments.join(" ");
        return Err(format!("xtask: `web` takes `--serve` and after it `--port N`, got `{given}`"));
    }
    let script = root().join("web").join("build.mjs").display().to_string();
    Ok(Job::Start { program: "node".into(), arguments: [&[script][..], arguments].concat() })
}

/// The documents of docs/schema; tests of cloth-cli and cloth-verify compare them with the types.
fn schema() -> Job {
    let folder = root().join("docs").join("schema").display().to_string();
    Job::All(vec![
        cargo("run --package cloth-cli --bin cloth", &["--", "schema", &folder]),
        cargo("run --package cloth-verify --bin cloth-verify", &["--", "--schema", &folder]),
    ])
}

/// Cargo on this workspace, from whatever directory the caller stands in.
fn cargo(words: &str, rest: &[&str]) -> Job {
    cargo_in("Cargo.toml", words, rest)
}

/// The same on the workspace of a manifest, whose path is relative to the root.
fn cargo_in(manifest: &str, words: &str, rest: &[&str]) -> Job {
    let mut arguments: Vec<String> = words.split(' ').map(String::from).collect();
    arguments.push("--manifest-path".into());
    arguments.push(root().join(manifest).display().to_string());
    arguments.extend(rest.iter().map(|&s| String::from(s)));
    Job::Start { program: cloth_measure::program::cargo().get_program().into(), arguments }
}

fn strs(strings: &[String]) -> Vec<&str> {
    strings.iter().map(String::as_str).collect()
}

/// The root of the workspace: the directory above this crate.
pub(crate) fn root() -> &'static Path {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    here.parent().unwrap_or(here)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(line: &str) -> Result<Job, String> {
        Job::parse(&crate::options::tests::line(line))
    }

    fn parsed(line: &str) -> Vec<String> {
        match parse(line) {
            Ok(Job::Start { arguments, .. }) => arguments,
            other => panic!("`{line}` gave {other:?}"),
        }
    }

    fn ends_with(line: &str, tail: &[&str]) -> bool {
        parsed(line).ends_with(&tail.iter().map(|&s| String::from(s)).collect::<Vec<_>>())
    }

    #[test]
    fn verify_passes_its_arguments_on() {
        assert!(ends_with("verify --size small --gate off", &["--", "--size", "small", "--gate", "off"]));
        assert_eq!(parsed("verify")[..3], ["run", "--profile", "verify"]);
        assert!(parsed("verify").windows(2).any(|words| words == ["--bin", "cloth-verify"]));
    }

    #[test]
    fn bench_takes_no_unit_tests() {
        assert_eq!(parsed("bench --kernels x")[..4], ["bench", "--workspace", "--bench", "*"]);
        assert!(ends_with("bench --kernels --quick pile", &["--", "--quick", "pile"]));
    }

    #[test]
    fn bench_runs_the_program_of_its_own_workspace() {
        let arguments = parsed("bench --quick --resume");
        assert_eq!(arguments[..2], ["run", "--release"]);
        assert!(arguments.contains(&root().join("bench/Cargo.toml").display().to_string()));
        assert!(ends_with("bench --quick --resume", &["--", "run", "--quick", "--resume"]));
    }

    #[test]
    fn web_builds_and_serves_and_takes_nothing_else() {
        let script = root().join("web").join("build.mjs").display().to_string();
        assert_eq!(parsed("web --serve"), [&script, "--serve"]);
        assert_eq!(parsed("web"), [script]);
        assert!(ends_with("web --serve --port 8123", &["--serve", "--port", "8123"]));
        for line in ["web --port 8123", "web --serve --port", "web --serve 8123"] {
            assert!(parse(line).is_err(), "{line}");
        }
    }

    /// The other commands of these pages are run by the tests of cloth-cli.
    #[test]
    fn what_pages_call_by_cargo_xtask_is_known() {
        let pages = ["README.md", "docs/guide/artist.md", "docs/guide/researcher.md", "web/README.md"];
        let mut count = 0;
        for page in pages {
            let text = std::fs::read_to_string(root().join(page)).expect("a page");
            let lines = text.lines().filter_map(|line| line.strip_prefix("cargo xtask "));
            for line in lines.map(|line| line.split(" #").next().unwrap_or_default()) {
                assert!(parse(line).is_ok(), "{page}: {line}");
                count += 1;
            }
        }
        assert!(count >= 5, "{count} commands");
    }

    #[test]
    fn dashboard_writes_to_the_repository_unless_told_otherwise() {
        let report = root().join("report").display().to_string();
        assert!(ends_with("dashboard", &["--", "--report", &report]));
        assert!(ends_with("dashboard --report here", &["--", "--report", "here"]));
        assert!(ends_with("dashboard --report=here", &["--", "--report=here"]));
    }

    #[test]
    fn dashboard_compares_the_working_tree_with_a_commit() {
        for line in ["dashboard --compare HEAD~1 --runs 3", "dashboard --runs 3 --compare=HEAD~1"] {
            let Ok(Job::Compare(options)) = parse(line) else { panic!("{line}") };
            assert_eq!((options.old.as_str(), options.new, options.runs), ("HEAD~1", None, 3));
            assert_eq!(options.page, Some(root().join("report").join("compare.html")));
        }
        assert!(parse("dashboard --compare").is_err());
    }

    #[test]
    fn unknown_command_lists_the_known_ones_on_one_line() {
        for line in ["", "verfy"] {
            let message = parse(line).unwrap_err();
            assert!(!message.contains('\n'));
            let names = "quick verify bench dashboard compare matrix counts faults web schema tidy ci help";
            for name in names.split(' ') {
                assert!(message.contains(name), "{message}");
            }
        }
    }

    #[test]
    fn ci_takes_no_arguments_and_tidy_takes_one() {
        assert!(parse("ci fast").unwrap_err().contains("takes no arguments"));
        assert_eq!(parse("tidy --imports"), Ok(Job::Tidy(tidy::Table::Imports)));
        assert_eq!(parse("tidy --sizes"), Ok(Job::Tidy(tidy::Table::Sizes)));
        assert!(parse("tidy").is_err());
    }

    #[test]
    fn ci_script_exists_and_may_be_executed() {
        let script = root().join(".ci/run");
        let metadata = std::fs::metadata(&script).expect(".ci/run exists");
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt;
            assert_eq!(metadata.permissions().mode() & 0o111, 0o111);
        }
        assert!(metadata.is_file());
    }

    #[cfg(unix)]
    #[test]
    fn exit_status_of_the_child_passes_through() {
        let shell = |script: &str| start(Path::new("sh"), &["-c".into(), script.into()]);
        assert_eq!(format!("{:?}", shell("exit 7")), format!("{:?}", ExitCode::from(7)));
        assert_eq!(format!("{:?}", shell("kill -9 $$")), format!("{:?}", ExitCode::from(COULD_NOT_RUN)));
        assert_eq!(
            format!("{:?}", start(Path::new("no-such-program"), &[])),
            format!("{:?}", ExitCode::from(COULD_NOT_RUN))
        );
    }
}
