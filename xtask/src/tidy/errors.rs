//! Public enums of errors are `#[non_exhaustive]`, so that a new cause of failure breaks no caller.

use super::code::is_test;
use super::tree::Tree;

/// Complaints about public enums that are errors, by their derives or their names, without the attribute.
pub(super) fn exhaustive(tree: &Tree) -> Vec<String> {
    let product = tree.sources().filter(|(path, _)| !is_test(path));
    product.flat_map(|(path, text)| complaints(path, text)).collect()
}

fn complaints(path: &str, text: &str) -> Vec<String> {
    let lines: Vec<&str> = text.lines().map(str::trim_start).collect();
    let public =
        lines.iter().enumerate().filter_map(|(at, line)| Some((at, line.strip_prefix("pub enum ")?)));
    let wrong = public.filter_map(|(at, rest)| {
        let name = rest.split(|c: char| !c.is_alphanumeric()).next()?;
        let attributes = attributes(&lines[..at]);
        let is_error = name.ends_with("Error") || attributes.iter().any(|line| derives_error(line));
        let is_open = attributes.contains(&"#[non_exhaustive]");
        (is_error && !is_open).then(|| {
            format!("{path}:{}: `{name}` is an error that callers match: add `#[non_exhaustive]`", at + 1)
        })
    });
    wrong.collect()
}

/// The lines right above an item, without its documentation: they end where the item before it does.
fn attributes<'a>(above: &[&'a str]) -> Vec<&'a str> {
    let own = above.iter().rev().take_while(|line| !line.is_empty() && !line.ends_with(['{', '}', ';']));
    own.copied().filter(|line| !line.starts_with("//")).collect()
}

/// Whether a line of a derive, which may be one of several, names a trait `Error`.
fn derives_error(line: &str) -> bool {
    !line.starts_with("#[error") && line.split(|c: char| !c.is_alphanumeric()).any(|word| word == "Error")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn finds_public_enums_of_errors_that_are_exhaustive() {
        let text = "use thiserror::Error;\n\n/// Why.\n#[derive(Clone, Error)]\npub enum Problem {\n    A,\n\
                    }\n\
                    #[derive(Debug)]\npub enum ReadError {}\n\
                    #[derive(\n    Debug,\n    thiserror::Error,\n)]\npub enum Long {}\n";
        let found = ["a.rs:5: `Problem`", "a.rs:9: `ReadError`", "a.rs:14: `Long`"];
        let complaints = complaints("a.rs", text);
        assert_eq!(complaints.len(), found.len(), "{complaints:?}");
        complaints.iter().zip(found).for_each(|(text, start)| assert!(text.starts_with(start), "{text}"));
    }

    #[test]
    fn leaves_out_what_is_open_private_or_no_error() {
        let text = "#[derive(Error)]\n#[non_exhaustive]\npub enum AError {}\n\
                    #[non_exhaustive]\n/// Documented.\n#[derive(Error)]\npub enum Other {}\n\
                    pub(crate) enum BError {}\nenum CError {}\n/// An Error.\npub enum Choice {}\n";
        assert!(complaints("a.rs", text).is_empty(), "{:?}", complaints("a.rs", text));
    }
}
