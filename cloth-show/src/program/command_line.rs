//! Command lines: what the parser says on one line, and words that every program takes.

use super::{Failure, console};

/// What was parsed; none if help or version were asked for, which are printed.
///
/// # Errors
/// What the parser says of the line.
pub fn parsed<T>(parsed: Result<T, clap::Error>) -> Result<Option<T>, Failure> {
    match parsed {
        Ok(found) => Ok(Some(found)),
        Err(error) if error.use_stderr() => Err(one_line_error(&error)),
        Err(help) => {
            // Help and version go to standard output; a reader that has gone away is no failure.
            console::see(help.print());
            Ok(None)
        }
    }
}

/// What the parser says about a command line, on one line: the usage text is left to `--help`.
#[must_use]
pub fn one_line_error(error: &clap::Error) -> Failure {
    let text = error.to_string();
    let told = text.lines().take_while(|line| !line.starts_with("Usage:") && !line.starts_with("For more"));
    let said = told.flat_map(str::split_whitespace).collect::<Vec<_>>().join(" ").replace(" tip:", "; tip:");
    let said = said.strip_prefix("error: ").unwrap_or(&said);
    Failure::new(format!("{said}; see `--help`"))
}

/// A number of bytes, such as `500M`: k, M and G, also with `iB` or `B` behind them, are powers of 1024.
///
/// # Errors
/// In words, for a parser to show.
pub fn bytes(word: &str) -> Result<u64, String> {
    let digits = word.trim_end_matches(|c: char| !c.is_ascii_digit());
    let shift = match word[digits.len()..].to_ascii_lowercase().as_str() {
        "" | "b" => 0,
        "k" | "kb" | "kib" => 10,
        "m" | "mb" | "mib" => 20,
        "g" | "gb" | "gib" => 30,
        _ => return Err(NO_BYTES.to_owned()),
    };
    let count = digits.parse::<u64>().ok().and_then(|n| n.checked_mul(1 << shift));
    count.filter(|&n| n > 0).ok_or_else(|| NO_BYTES.to_owned())
}

const NO_BYTES: &str = "must be a number of bytes, such as 500M or 8G";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_have_suffixes_of_powers_of_1024() {
        assert_eq!((bytes("12"), bytes("3k"), bytes("2GiB")), (Ok(12), Ok(3072), Ok(2 << 30)));
        for word in ["", "0", "-1", "1.5G", "G", "4T", "99999999999G", "1 G"] {
            assert!(bytes(word).unwrap_err().contains("such as 500M"), "{word}");
        }
    }
}
