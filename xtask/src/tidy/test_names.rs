//! Names of tests: sentences that a person can type, of at most [`MAX_WORDS`] words.

use super::tree::Tree;

const MAX_WORDS: usize = 12;

/// In two parts, or the texts of this file's own tests would count.
const ATTRIBUTE: &str = concat!("#[te", "st]");

/// Complaints about names of tests that are too long.
pub(super) fn too_long(tree: &Tree) -> Vec<String> {
    let in_file = |(path, text): (&str, &str)| {
        let long = names(text).filter(|name| name.split('_').count() > MAX_WORDS);
        long.map(|name| format!("{path}: `{name}` has more than {MAX_WORDS} words")).collect::<Vec<_>>()
    };
    tree.sources().flat_map(in_file).collect()
}

/// The names of the functions behind an attribute of a test.
fn names(text: &str) -> impl Iterator<Item = &str> {
    let behind = text.split(ATTRIBUTE).skip(1).filter_map(|rest| rest.split_once("fn "));
    behind.filter_map(|(_, rest)| rest.split(['(', '<']).next())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn finds_a_name_of_more_than_twelve_words() {
        let text = |words: usize| format!("{ATTRIBUTE}\nfn {}() {{}}\n", vec!["word"; words].join("_"));
        let complaints = |words| too_long(&Tree::from_texts(&[("a.rs", &text(words))])).len();
        assert_eq!((complaints(MAX_WORDS), complaints(MAX_WORDS + 1)), (0, 1));
    }
}
