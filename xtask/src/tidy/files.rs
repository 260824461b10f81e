//! Rules on files: which ones a crate must have, which words they must not hold.

use super::tree::Tree;

/// Complaints about crates without a README.md or without examples.
pub(super) fn incomplete_crates(tree: &Tree, crates: &[String]) -> Vec<String> {
    let mut complaints = Vec::new();
    for name in crates {
        if !tree.has(&format!("{name}/README.md")) {
            complaints.push(format!("{name} has no README.md"));
        }
        if !tree.has_file_below(&format!("{name}/examples/")) {
            complaints.push(format!("{name} has no file in examples/"));
        }
    }
    complaints
}

/// Complaints about words that only mean something on one machine.
pub(super) fn machine_paths(tree: &Tree) -> Vec<String> {
    // Put together here, so that this file does not hold what it searches for.
    let forbidden = ["work", "tmp", "home", "root"].map(|directory| format!("/{directory}/"));
    let mut complaints = Vec::new();
    for (path, text) in tree.below("") {
        for (number, line) in text.lines().enumerate() {
            let found = forbidden.iter().find(|word| is_absolute_in(line, word));
            complaints.extend(found.map(|word| format!("{path}:{} names {word}", number + 1)));
        }
    }
    complaints
}

/// Whether a path starts with `word` in a line: `/x/` counts, `a/x/` and `../x/` do not.
fn is_absolute_in(line: &str, word: &str) -> bool {
    line.match_indices(word).any(|(at, _)| {
        let before = line[..at].chars().next_back();
        !before.is_some_and(|c| c.is_alphanumeric() || "._-})".contains(c))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn finds_a_crate_without_readme_or_examples() {
        let names = ["a".to_string()];
        assert_eq!(incomplete_crates(&Tree::from_texts(&[]), &names).len(), 2);
        assert_eq!(incomplete_crates(&Tree::from_texts(&[("a/README.md", "")]), &names).len(), 1);
        assert!(
            incomplete_crates(&Tree::from_texts(&[("a/README.md", ""), ("a/examples/x.rs", "")]), &names)
                .is_empty()
        );
    }

    #[test]
    fn finds_an_absolute_path_but_not_a_relative_one() {
        let absolute = format!("see \"/{}/x\"", "tmp");
        let relative = format!("see ../{0}/x and a/{0}/x", "tmp");
        assert_eq!(machine_paths(&Tree::from_texts(&[("a", &absolute)])), [format!("a:1 names /{}/", "tmp")]);
        assert!(machine_paths(&Tree::from_texts(&[("a", &relative)])).is_empty());
    }
}
