//! The command line of `matrix`.

use crate::options::{Line, count};
use cloth_measure::program::Build;

/// What is run, and how often.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Options {
    /// Names of scenarios; none for all.
    pub(crate) scenarios: Vec<String>,
    /// Size of the scenes.
    pub(crate) size: String,
    /// Numbers of threads.
    pub(crate) threads: Vec<usize>,
    pub(crate) builds: Vec<Build>,
    /// Vector instructions that are forced (`CLOTH_SIMD`); none for those of the machine.
    pub(crate) instructions: Vec<String>,
    /// A commit whose frames must be the same.
    pub(crate) against: Option<String>,
}

const USAGE: &str = "cargo xtask matrix [--against COMMIT] [--scenario NAME]... [--size SIZE] [--threads \
                     N,N...] [--builds NAME,NAME...] [--simd NAME,NAME...]";

impl Options {
    pub(crate) fn parse(arguments: &[String]) -> Result<Self, String> {
        Self::read(arguments).map_err(|e| format!("xtask matrix: {e}; {USAGE}"))
    }

    fn read(arguments: &[String]) -> Result<Self, String> {
        let mut line = Line::read(arguments, &[])?;
        let (scenarios, against) = (line.all("scenario"), line.all("against").pop());
        let size = line.size()?.unwrap_or_else(|| "small".into());
        let threads =
            line.last("threads", |list| list.split(',').map(|word| count("threads", word, 256)).collect())?;
        let builds = line.last("builds", |list| list.split(',').map(build).collect())?;
        let instructions = line.last("simd", |list| list.split(',').map(instructions).collect())?;
        line.end()?;
        let instructions: Vec<String> = instructions.unwrap_or_default();
        // Another revision is built with the one profile, and run once: neither builds nor threads are in
        // question then.
        let (all_threads, all_builds) = match against {
            None => (vec![1, 2, 3, 8], Build::ALL.to_vec()),
            Some(_) => (vec![2], vec![Build::VERIFY]),
        };
        let (threads, builds) = (threads.unwrap_or(all_threads), builds.unwrap_or(all_builds));
        Ok(Self { scenarios, size, threads, builds, instructions, against })
    }
}

fn build(word: &str) -> Result<Build, String> {
    let found = Build::ALL.into_iter().find(|build| build.name == word);
    found.ok_or_else(|| {
        format!("no build `{word}`; there are {}", Build::ALL.map(|build| build.name).join(", "))
    })
}

/// The names that `CLOTH_SIMD` takes.
const INSTRUCTIONS: [&str; 5] = ["sse2", "avx2", "avx512", "neon", "simd128"];

fn instructions(word: &str) -> Result<String, String> {
    match INSTRUCTIONS.contains(&word) {
        true => Ok(word.to_owned()),
        false => Err(format!("no instructions `{word}`; there are {}", INSTRUCTIONS.join(", "))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::options::tests::line;

    fn parse(text: &str) -> Result<Options, String> {
        Options::parse(&line(text))
    }

    #[test]
    fn by_default_everything_is_run() {
        let options = parse("").unwrap();
        assert_eq!(
            (options.threads, options.builds.len(), options.size),
            (vec![1, 2, 3, 8], 5, "small".into())
        );
        assert!(options.scenarios.is_empty());
    }

    #[test]
    fn takes_lists_of_threads_and_builds() {
        let options =
            parse("--scenario hang --scenario=pile --threads 1,3 --builds=dev,release-avx2").unwrap();
        assert_eq!((options.scenarios.join(" "), options.threads), ("hang pile".into(), vec![1, 3]));
        assert_eq!(options.builds, [Build::DEV, Build::RELEASE_AVX2]);
        assert_eq!(parse("--simd sse2,avx2").unwrap().instructions, ["sse2", "avx2"]);
    }

    #[test]
    fn against_a_commit_one_build_runs_once_unless_told_otherwise() {
        let options = parse("--against HEAD~1 --size medium").unwrap();
        assert_eq!((options.against.as_deref(), options.size.as_str()), (Some("HEAD~1"), "medium"));
        assert_eq!((options.builds, options.threads), (vec![Build::VERIFY], vec![2]));
        let options = parse("--builds release,dev --against=HEAD --threads 1,3").unwrap();
        assert_eq!((options.builds.len(), options.threads), (2, vec![1, 3]));
    }

    #[test]
    fn says_what_is_wrong_with_a_command_line() {
        for (line, what) in [
            ("hang", "`hang` is no option"),
            ("--threads 1,0", "1 to 256"),
            ("--builds fast", "release, verify, dev"),
            ("--simd scalar", "sse2, avx2"),
            ("--size huge", "small, medium, large"),
            ("--threads", "needs a value"),
            ("--against", "needs a value"),
            ("--speed 3", "unknown option `--speed`"),
        ] {
            let message = parse(line).unwrap_err();
            assert!(message.contains(what), "{line}: {message}");
        }
    }
}
