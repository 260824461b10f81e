//! The command line of `cargo xtask counts`.

/// What is to be counted, and whether the baseline is replaced.
#[derive(Debug, PartialEq)]
pub(crate) struct Options {
    /// Write the counts to the baseline instead of comparing them.
    pub(super) updates: bool,
    /// Parts of names; all workloads if there is none.
    names: Vec<String>,
}

impl Options {
    /// Reads the arguments; the error is one line.
    pub(crate) fn parse(arguments: &[String]) -> Result<Self, String> {
        let mut options = Self { updates: false, names: Vec::new() };
        for argument in arguments {
            match argument.as_str() {
                "--update" => options.updates = true,
                name if !name.starts_with('-') => options.names.push(name.to_owned()),
                other => {
                    return Err(format!(
                        "xtask counts: unknown option `{other}`; use --update and parts of names"
                    ));
                }
            }
        }
        Ok(options)
    }

    pub(super) fn selects(&self, name: &str) -> bool {
        self.names.is_empty() || self.names.iter().any(|part| name.contains(part))
    }

    pub(super) fn is_selective(&self) -> bool {
        !self.names.is_empty()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_names_and_refuses_unknown_options() {
        let parse =
            |line: &str| Options::parse(&line.split_whitespace().map(String::from).collect::<Vec<_>>());
        let options = parse("--update step/hang").unwrap();
        assert!(options.updates && options.selects("step/hang") && !options.selects("step/pile"));
        assert!(parse("").unwrap().selects("step/pile"));
        assert!(parse("--updte").unwrap_err().contains("--updte"));
    }
}
