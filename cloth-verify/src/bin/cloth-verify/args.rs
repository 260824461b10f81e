//! The command line of the harness, without clap's macros: they would be compiled before every first run.

use std::ffi::{OsStr, OsString};
use std::path::PathBuf;

use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use clap::error::ErrorKind;
use clap::{Arg, ArgAction, ArgMatches, Command, value_parser};
use cloth_show::choice::PlayerChoice;
use cloth_show::program::Failure;
use cloth_show::program::command_line::{bytes, parsed};
use cloth_show::sweep::Shard;
use cloth_solver::FaceContacts;
use cloth_verify::{ModelChoice, SelfCollision, Size};

/// What is asked for.
#[derive(Debug)]
pub(crate) struct VerifyArgs {
    pub(crate) scenarios: Vec<String>,
    pub(crate) size: Size,
    pub(crate) broadphase: String,
    pub(crate) self_collision: Option<SelfCollision>,
    pub(crate) model: Option<ModelChoice>,
    pub(crate) face_contacts: Option<FaceContacts>,
    pub(crate) perturb: u8,
    pub(crate) gate: bool,
    /// Whether runs are audited, if that is said.
    pub(crate) audit: Option<bool>,
    pub(crate) no_controls: bool,
    pub(crate) fuzz: Option<u64>,
    pub(crate) seed: u64,
    pub(crate) time: Option<u64>,
    pub(crate) shard: Option<Shard>,
    pub(crate) long: bool,
    pub(crate) no_shrink: bool,
    pub(crate) replay: Option<PathBuf>,
    pub(crate) threads: u16,
    pub(crate) report: Option<PathBuf>,
    pub(crate) player: PlayerChoice,
    pub(crate) usd: Option<PathBuf>,
    pub(crate) json: Option<PathBuf>,
    pub(crate) jsonl: Option<PathBuf>,
    pub(crate) max_input: u64,
    /// The folder for the schema, if it is asked for.
    #[cfg(feature = "schema")]
    pub(crate) schema: Option<PathBuf>,
}

impl VerifyArgs {
    /// Reads a command line, the name of the program first; none if it asks for help or version, which are
    /// printed.
    pub(crate) fn parse<W: Into<OsString> + Clone>(
        line: impl IntoIterator<Item = W>,
    ) -> Result<Option<Self>, Failure> {
        Ok(parsed(command().try_get_matches_from(line))?.map(|matches| Self::from_matches(&matches)))
    }

    fn from_matches(found: &ArgMatches) -> Self {
        let path = |name| found.get_one::<PathBuf>(name).cloned();
        Self {
            scenarios: found.get_many("scenario").into_iter().flatten().cloned().collect(),
            size: given(found, "size"),
            broadphase: given(found, "broadphase"),
            self_collision: found.get_one("self-collision").copied(),
            model: found.get_one("model").copied(),
            face_contacts: found.get_one("face-contacts").copied(),
            perturb: given(found, "perturb"),
            gate: given(found, "gate"),
            audit: found.get_one("audit").copied(),
            no_controls: found.get_flag("no-controls"),
            fuzz: found.get_one("fuzz").copied(),
            seed: given(found, "seed"),
            time: found.get_one("time").copied(),
            shard: found.get_one("shard").copied(),
            long: found.get_flag("long"),
            no_shrink: found.get_flag("no-shrink"),
            replay: path("replay"),
            threads: given(found, "threads"),
            report: path("report"),
            player: given(found, "player"),
            usd: path("usd"),
            json: path("json"),
            jsonl: path("jsonl"),
            max_input: given(found, "max-input"),
            #[cfg(feature = "schema")]
            schema: path("schema"),
        }
    }
}

/// The value of an option that always has one, for the parser knows its default.
fn given<T: Clone + Default + Send + Sync + 'static>(found: &ArgMatches, name: &str) -> T {
    found.get_one(name).cloned().unwrap_or_default()
}

const ABOUT: &str = "Runs the built-in scenarios with their controls and checks them by exact arithmetic";

const LONG_ABOUT: &str = "\
Runs the built-in scenarios with their controls and checks them by exact arithmetic.

Every frame of every scenario is checked. A scenario passes if all expectations of it and of its control \
hold. The control, with self-collision off, must intersect; otherwise the scenario proves nothing. A third \
run, with self-collision and without the gate, shows what the gate adds. With an audit, an auditor that \
shares no code with the gate tests every accepted substep.";

const AFTER_HELP: &str = "\
Exit status: 0 all pass, 1 at least one fails, 2 could not run, 130 or 143 interrupted.

An audit that fails writes audit-SCENARIO.json next to the report or the JSON, or to the working directory. \
Runs are reproducible bit by bit:
cargo xtask verify --scenario SCENARIO --size SIZE --audit finds the same again; the file has the whole \
command.

Example:
  cargo xtask verify --scenario pile --size small --report report";

fn command() -> Command {
    let option = |name: &'static str, value: &'static str, help: &'static str| {
        Arg::new(name).long(name).value_name(value).help(help)
    };
    let flag = |name: &'static str, help| Arg::new(name).long(name).action(ArgAction::SetTrue).help(help);
    let command = Command::new("cloth-verify")
        .version(env!("CARGO_PKG_VERSION"))
        .max_term_width(100)
        .about(ABOUT)
        .long_about(LONG_ABOUT)
        .after_help(AFTER_HELP)
        .arg(
            option("scenario", "NAME", "Run this scenario; may be repeated; all by default")
                .action(ArgAction::Append),
        )
        .arg(
            option("size", "SIZE", "Set the size of the scenes: small, medium or large")
                .default_value(Size::default().name())
                .value_parser(value_parser!(Size)),
        )
        .arg(
            option(
                "broadphase",
                "NAME",
                "Select the broad phase: block-tree, parry-bvh, sweep-grid, spatial-hash, kd-tree, \
                 sweep-and-prune, brute-force (size small only), or all; results do not depend on it",
            )
            .default_value("block-tree"),
        )
        .arg(
            option(
                "self-collision",
                "KIND",
                "Set self-collision: full, or particles, with every vertex a sphere of 0.75 edge lengths in \
                 diameter; that of the scenario by default",
            )
            .value_parser(value_parser!(SelfCollision)),
        )
        .arg(
            option(
                "model",
                "MODEL",
                "Set the elastic model: xpbd, mass-spring, fem, fem-explicit, or fem-green; that of the \
                 scenario by default. Expectations are those of xpbd where a scenario has none of its own \
                 for the model. A scenario that has no control under the model says so",
            )
            .value_parser(value_parser!(ModelChoice)),
        )
        .arg(
            option(
                "face-contacts",
                "WHICH",
                "Set which faces of cloth make contacts with bodies; that of the scenario by default. \
                 Expectations are those of off",
            )
            .value_parser(words([
                ("on", "All faces", FaceContacts::On),
                ("off", "None: contacts act on vertices alone", FaceContacts::Off),
                (
                    "auto",
                    "Faces with an edge longer than half of the body's smallest radius",
                    FaceContacts::Auto,
                ),
            ])),
        )
        .arg(
            option(
                "perturb",
                "N",
                "Weaken gravity by N times 1e-5 m/s²: runs with different N show how much of a figure is \
                 chance",
            )
            .default_value("0")
            .value_parser(value_parser!(u8))
            .conflicts_with_all(["fuzz", "replay"]),
        )
        .arg(
            option(
                "gate",
                "GATE",
                "Certify the motion of every substep before it is accepted; controls run without the gate",
            )
            .default_value("on")
            .value_parser(words([
                ("on", "Certify every motion by exact arithmetic: pairs that are apart stay apart", true),
                ("off", "Check frames only; motion is not certified", false),
            ])),
        )
        .arg(
            option(
                "audit",
                "WHETHER",
                "Audit every accepted substep independently of the gate: exact tests of all pairs with \
                 overlapping boxes (at the larger sizes every tenth substep of pile and stack). The small \
                 size is audited by default, unless the gate is off",
            )
            .num_args(0..=1)
            .require_equals(true)
            .default_missing_value("on")
            .value_parser(words([
                (
                    "on",
                    "Audit every run, at the larger sizes of some scenarios a sample of its substeps",
                    true,
                ),
                ("off", "Audit no run, so that times are those of the simulation alone", false),
            ]))
            .conflicts_with_all(["fuzz", "replay"]),
        )
        .arg(
            flag(
                "no-controls",
                "Skip the controls and the runs without the gate; the verdict is weaker without them",
            )
            .conflicts_with_all(["fuzz", "replay"]),
        )
        .arg(
            option(
                "fuzz",
                "N",
                "Run this many small random scenes with the gate instead of the scenarios, and audit every \
                 substep. Failures are written at once as fuzz-SEED-INDEX.json to the --report folder or \
                 the current one, and minimised at the end",
            )
            .value_parser(value_parser!(u64).range(1..=100_000_000))
            .conflicts_with_all(["scenario", "replay"]),
        )
        .arg(
            option(
                "seed",
                "S",
                "Set the seed of the first fuzz scene; the following scenes have consecutive seeds",
            )
            .default_value("1")
            .value_parser(value_parser!(u64))
            .requires("fuzz"),
        )
        .arg(
            option(
                "time",
                "SECONDS",
                "Start no more fuzz scenes after this many seconds; no limit by default",
            )
            .value_parser(value_parser!(u64))
            .requires("fuzz"),
        )
        .arg(
            option(
                "shard",
                "I/N",
                "Run only shard I of N: every N-th fuzz scene; auto is the shard of this task of a Slurm \
                 array, auto/N that among N",
            )
            .value_parser(value_parser!(Shard))
            .requires("fuzz"),
        )
        .arg(
            option(
                "jsonl",
                "FILE",
                "Write a line of JSON for each fuzz scene as it ends, in any order; `cloth merge` joins and \
                 sorts the lines of shards",
            )
            .value_parser(value_parser!(PathBuf))
            .requires("fuzz"),
        )
        .arg(flag("long", "Run long fuzz scenes: 30,000 steps of at most 100 vertices").requires("fuzz"))
        .arg(flag("no-shrink", "Do not minimise fuzz scenes that fail").requires("fuzz"))
        .arg(
            option("replay", "FILE", "Run the scene of a file that --fuzz wrote")
                .value_parser(value_parser!(PathBuf))
                .conflicts_with("scenario"),
        )
        .arg(
            option(
                "threads",
                "THREADS",
                "Set the number of threads; times are comparable only at the same number",
            )
            .default_value("1")
            .value_parser(value_parser!(u16).range(1..=1024)),
        )
        .arg(
            option(
                "report",
                "DIR",
                "Write a page with pictures, the JSON, the last state of each scenario, and pages that play \
                 their runs to this folder",
            )
            .value_parser(value_parser!(PathBuf)),
        )
        .arg(
            option(
                "player",
                "RUNS",
                "Choose the runs that the report can play: off, run (the run and its control), or all (the \
                 run without the gate too)",
            )
            .default_value(PlayerChoice::Run.name())
            .value_parser(value_parser!(PlayerChoice)),
        )
        .arg(
            option("usd", "DIR", "Write each scenario's run to this folder as a stage of USD, SCENARIO.usda")
                .value_parser(value_parser!(PathBuf)),
        )
        .arg(option("json", "FILE", "Write the figures as JSON").value_parser(value_parser!(PathBuf)))
        .arg(
            option(
                "max-input",
                "BYTES",
                "Refuse an input file of more bytes than this; suffixes k, M and G stand for powers of 1024",
            )
            .default_value("4G")
            .value_parser(bytes),
        );
    #[cfg(feature = "schema")]
    let command = command.arg(
        option("schema", "DIR", "Write the JSON schema of --json to a folder, for `cargo xtask schema`")
            .value_parser(value_parser!(PathBuf))
            .exclusive(true)
            .hide(true),
    );
    command
}

/// A value for each of some words, which the help explains.
#[derive(Clone)]
struct Words<T, const N: usize>([(&'static str, &'static str, T); N]);

fn words<T, const N: usize>(words: [(&'static str, &'static str, T); N]) -> Words<T, N> {
    Words(words)
}

impl<T: Copy + Send + Sync + 'static, const N: usize> Words<T, N> {
    fn known(&self) -> [PossibleValue; N] {
        self.0.map(|(word, help, _)| PossibleValue::new(word).help(help))
    }
}

impl<T: Copy + Send + Sync + 'static, const N: usize> TypedValueParser for Words<T, N> {
    type Value = T;

    fn parse_ref(&self, command: &Command, arg: Option<&Arg>, given: &OsStr) -> Result<T, clap::Error> {
        match self.0.iter().find(|(word, ..)| given == *word) {
            Some(&(.., value)) => Ok(value),
            // The error names the option and its words, whatever bytes are given.
            None => {
                let text = given.to_string_lossy();
                let known = PossibleValuesParser::new(self.known());
                let refused = known.parse_ref(command, arg, text.as_ref().as_ref());
                Err(refused.err().unwrap_or_else(|| clap::Error::new(ErrorKind::InvalidValue)))
            }
        }
    }

    fn possible_values(&self) -> Option<Box<dyn Iterator<Item = PossibleValue> + '_>> {
        Some(Box::new(self.known().into_iter()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(line: &str) -> Result<VerifyArgs, String> {
        let words = ["cloth-verify"].into_iter().chain(line.split_whitespace());
        let found = VerifyArgs::parse(words).map_err(|refused| refused.to_string())?;
        Ok(found.expect("no help was asked for"))
    }

    #[test]
    fn the_command_line_is_sound() {
        command().debug_assert();
    }

    #[test]
    fn without_options_every_scenario_runs_at_the_medium_size() {
        let args = read("").unwrap();
        assert!(args.scenarios.is_empty() && args.gate && args.audit.is_none() && !args.no_controls);
        assert_eq!((args.size, args.player), (Size::Medium, PlayerChoice::Run));
        assert_eq!((args.threads, args.perturb, args.seed, args.fuzz), (1, 0, 1, None));
        assert_eq!((args.broadphase.as_str(), args.max_input), ("block-tree", 4 << 30));
    }

    #[test]
    fn every_option_has_its_value() {
        let args = read(
            "--scenario hang --scenario pile --size small --broadphase all --self-collision particles \
             --model fem --face-contacts auto --perturb 3 --gate off --audit=off --no-controls --threads 2 \
             --report r --player all --usd u --json j --max-input 1k",
        )
        .unwrap();
        assert_eq!((args.scenarios, args.size), (vec!["hang".into(), "pile".into()], Size::Small));
        assert_eq!((args.broadphase.as_str(), args.perturb, args.threads), ("all", 3, 2));
        assert_eq!(args.self_collision, Some(SelfCollision::Particles));
        assert_eq!((args.model, args.face_contacts), (Some(ModelChoice::Fem), Some(FaceContacts::Auto)));
        assert_eq!((args.gate, args.audit, args.no_controls), (false, Some(false), true));
        assert_eq!(
            (args.report, args.json, args.usd),
            (Some("r".into()), Some("j".into()), Some("u".into()))
        );
        assert_eq!((args.player, args.max_input), (PlayerChoice::All, 1024));
        let args = read("--fuzz 9 --seed 4 --time 5 --shard 2/3 --jsonl l --long --no-shrink").unwrap();
        assert_eq!((args.fuzz, args.seed, args.time), (Some(9), 4, Some(5)));
        assert_eq!((args.shard, args.long, args.no_shrink), (Some("2/3".parse().unwrap()), true, true));
        assert_eq!(args.jsonl, Some("l".into()));
        assert_eq!(read("--audit").unwrap().audit, Some(true));
        assert_eq!(read("--replay f").unwrap().replay, Some("f".into()));
    }

    #[cfg(unix)]
    #[test]
    fn what_is_no_text_is_refused_by_its_option() {
        use std::os::unix::ffi::OsStrExt;
        let words = ["cloth-verify", "--gate"].map(OsString::from);
        let line = words.into_iter().chain([OsStr::from_bytes(b"\xff").to_owned()]);
        let refused = VerifyArgs::parse(line).expect_err("no text").to_string();
        assert!(refused.contains("--gate") && refused.contains("on, off"), "{refused}");
    }

    /// The tests of `xtask` know that such a line is passed on, and those of `cloth` run the others.
    #[test]
    fn what_pages_call_by_cargo_xtask_verify_is_read() {
        let root = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
        let mut count = 0;
        for page in ["README.md", "CONTRIBUTING.md", "docs/guide/researcher.md", "cloth-verify/README.md"] {
            let text = std::fs::read_to_string(root.join(page)).expect("a page");
            for line in text.lines().filter_map(|line| line.strip_prefix("cargo xtask verify")) {
                let options = line.split(" #").next().unwrap_or_default();
                read(options).unwrap_or_else(|refused| panic!("{page}: {options}: {refused}"));
                count += 1;
            }
        }
        assert!(count >= 6, "{count} commands");
    }

    #[test]
    fn what_does_not_go_together_is_refused() {
        for line in [
            "--seed 3",
            "--time 3",
            "--long",
            "--jsonl l",
            "--fuzz 0",
            "--fuzz 9 --shard 0/3",
            "--fuzz 9 --scenario hang",
            "--fuzz 9 --replay f",
            "--fuzz 9 --audit",
            "--replay f --no-controls",
            "--threads 0",
            "--gate ajar",
            "--audit on",
            "hang",
        ] {
            let refused = read(line).expect_err(line);
            assert!(refused.ends_with("see `--help`") && !refused.contains('\n'), "{refused}");
        }
    }
}
