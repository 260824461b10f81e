//! The command line of `matrix`.

use super::build::Kind;

/// What is run, and how often.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Options {
    /// Names of scenarios; none for all.
    pub(crate) scenarios: Vec<String>,
    /// Size of the scenes.
    pub(crate) size: String,
    /// Numbers of threads.
    pub(crate) threads: Vec<usize>,
    pub(crate) builds: Vec<Kind>,
}

pub(crate) const USAGE: &str =
    "cargo xtask matrix [--scenario NAME]... [--size SIZE] [--threads N,N...] [--builds NAME,NAME...]";

impl Options {
    pub(crate) fn parse(arguments: &[String]) -> Result<Self, String> {
        let mut options = Self {
            scenarios: Vec::new(),
            size: "small".into(),
            threads: vec![1, 2, 3, 8],
            builds: Kind::ALL.to_vec(),
        };
        let mut words = arguments.iter();
        while let Some(word) = words.next() {
            let name = word
                .strip_prefix("--")
                .ok_or_else(|| format!("xtask matrix: `{word}` is no option; {USAGE}"))?;
            let (name, value) = match name.split_once('=') {
                Some((name, value)) => (name, Some(value.to_owned())),
                None => (name, words.next().cloned()),
            };
            let value = value.ok_or_else(|| format!("xtask matrix: `--{name}` needs a value; {USAGE}"))?;
            match name {
                "scenario" => options.scenarios.push(value),
                "size" if ["small", "medium", "large"].contains(&value.as_str()) => options.size = value,
                "size" => return Err(format!("xtask matrix: size `{value}`; use small, medium or large")),
                "threads" => options.threads = value.split(',').map(threads).collect::<Result<_, _>>()?,
                "builds" => options.builds = value.split(',').map(kind).collect::<Result<_, _>>()?,
                _ => return Err(format!("xtask matrix: unknown option `--{name}`; {USAGE}")),
            }
        }
        Ok(options)
    }
}

fn threads(word: &str) -> Result<usize, String> {
    match word.parse() {
        Ok(n @ 1..=256) => Ok(n),
        _ => Err(format!("xtask matrix: `{word}` threads; 1 to 256 are allowed")),
    }
}

fn kind(word: &str) -> Result<Kind, String> {
    let found = Kind::ALL.into_iter().find(|kind| kind.name() == word);
    found.ok_or_else(|| {
        format!("xtask matrix: no build `{word}`; there are {}", Kind::ALL.map(Kind::name).join(", "))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(line: &str) -> Result<Options, String> {
        Options::parse(&line.split_whitespace().map(String::from).collect::<Vec<_>>())
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
        assert_eq!(options.builds, [Kind::Dev, Kind::ReleaseAvx2]);
    }

    #[test]
    fn says_what_is_wrong_with_a_command_line() {
        for (line, what) in [
            ("hang", "`hang` is no option"),
            ("--threads 1,0", "1 to 256"),
            ("--builds fast", "release, verify, dev"),
            ("--size huge", "small, medium or large"),
            ("--threads", "needs a value"),
            ("--speed 3", "unknown option `--speed`"),
        ] {
            let message = parse(line).unwrap_err();
            assert!(message.contains(what), "{line}: {message}");
        }
    }
}
