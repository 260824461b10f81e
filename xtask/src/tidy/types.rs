//! A type name occurs once per crate, so that a name in a message or a search leads to one place.

use std::collections::{BTreeMap, BTreeSet};

use super::code::{is_test, product};
use super::tree::Tree;

/// Names that still occur twice, by crate. The list may only get shorter.
const KNOWN: [(&str, &[&str]); 2] = [("bench", &["Arguments", "Contender"]), ("xtask", &["Options", "Row"])];

/// Complaints about type names that several files of a crate define, and about entries of [`KNOWN`] that
/// nothing needs.
pub(super) fn repeated(tree: &Tree) -> Vec<String> {
    complaints(tree, &KNOWN)
}

fn complaints(tree: &Tree, known: &[(&str, &[&str])]) -> Vec<String> {
    let mut places: BTreeMap<(&str, String), BTreeSet<&str>> = BTreeMap::new();
    for (path, text) in tree.below("").filter(|(path, _)| is_judged(path) && !stands_in(path, tree)) {
        let Some((folder, _)) = path.split_once("/src/") else { continue };
        for name in types(&product(text)) {
            places.entry((folder, name)).or_default().insert(path);
        }
    }
    places.retain(|_, files| files.len() > 1);
    let listed: BTreeSet<(&str, String)> = known
        .iter()
        .flat_map(|(folder, names)| names.iter().map(|name| (*folder, (*name).to_owned())))
        .collect();
    let unlisted = places.iter().filter(|(key, _)| !listed.contains(key));
    let found = unlisted.map(|((folder, name), files)| {
        let files: Vec<&str> = files.iter().copied().collect();
        format!("{folder} defines `{name}` in {}: name one by what it is", files.join(" and "))
    });
    let gone = listed.iter().filter(|key| !places.contains_key(*key));
    let gone = gone.map(|(folder, name)| format!("types.rs lists {name} of {folder}, which occurs once now"));
    found.chain(gone).collect()
}

/// Whether a file stands for the module of the same name without `no_` where a feature is off: it defines the
/// same types.
fn stands_in(path: &str, tree: &Tree) -> bool {
    let Some((folder, name)) = path.rsplit_once("/no_") else { return false };
    let module = name.trim_end_matches(".rs");
    tree.text(&format!("{folder}/{module}.rs")).or(tree.text(&format!("{folder}/{module}/mod.rs"))).is_some()
}

/// Product files.
fn is_judged(path: &str) -> bool {
    path.ends_with(".rs") && !is_test(path)
}

/// The types that a text defines outside of functions and implementations.
fn types(code: &str) -> Vec<String> {
    let kinds = ["struct ", "enum ", "union ", "trait ", "type "];
    let definition = |line: &str| {
        let item = match line.strip_prefix("pub") {
            Some(rest) if rest.starts_with('(') => rest.split_once(") ")?.1,
            Some(rest) => rest.strip_prefix(' ')?,
            None => line,
        };
        let name = kinds.iter().find_map(|kind| item.strip_prefix(kind))?;
        name.split(|c: char| !c.is_alphanumeric() && c != '_').next().map(str::to_owned)
    };
    code.lines().filter_map(definition).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn finds_a_name_in_two_files_of_a_crate_alone() {
        let twice = [
            ("a/src/x.rs", "pub(crate) struct Part;\nimpl T for X {\n    type Output = u8;\n}\n"),
            ("a/src/y.rs", "enum Part {}\nimpl T for Y {\n    type Output = u8;\n}\n"),
            ("b/src/x.rs", "pub struct Part<T>(T);\n"),
            ("a/src/z.rs", "#[cfg(test)]\nmod tests {\nstruct Part;\n}\n"),
            ("a/src/no_x.rs", "pub(crate) struct Part;\n"),
            ("a/src/no_y/mod.rs", "pub(crate) struct Whole;\n"),
        ];
        let tree = Tree::from_texts(&twice);
        let found = ["a defines `Part` in a/src/x.rs and a/src/y.rs: name one by what it is"];
        assert_eq!(complaints(&tree, &[]), found);
        assert!(complaints(&tree, &[("a", &["Part"])]).is_empty());
        assert_eq!(
            complaints(&tree, &[("a", &["Part", "Whole"])]),
            ["types.rs lists Whole of a, which occurs once now"]
        );
    }
}
