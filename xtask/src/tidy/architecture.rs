//! Whether the map in ARCHITECTURE.md shows the workspace.

use std::collections::BTreeSet;

/// Complaints where the map, the first fenced block, and some folders differ. A line of the map shows a
/// folder if it begins with its path and a slash.
pub(super) fn map_disagreements(text: &str, folders: &[String]) -> Vec<String> {
    let map = text.split("```\n").nth(1).unwrap_or_default().lines().filter(|line| !line.starts_with(' '));
    let shown = map.filter_map(|line| line.split_once("/ ").map(|(path, _)| path));
    let shown: BTreeSet<&str> = shown.filter(|path| *path != "docs").collect();
    let folders: BTreeSet<&str> = folders.iter().map(String::as_str).collect();
    let missing = folders.difference(&shown).map(|folder| format!("the map does not show {folder}/"));
    let unknown = shown.difference(&folders).map(|folder| format!("the map shows {folder}/, no workspace"));
    missing.chain(unknown).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn finds_folders_that_are_not_shown_and_those_that_are_gone() {
        let text =
            "Text\n```\nsolver/   moves\nxtask/    starts\n  inner/  is indented\ndocs/     notes\n```\n";
        let complaints = |names: [&str; 2]| map_disagreements(text, &names.map(String::from));
        assert_eq!(complaints(["solver", "xtask"]), [""; 0]);
        assert_eq!(complaints(["solver", "io"]).len(), 2);
        assert_eq!(map_disagreements("no map", &["solver".into()]).len(), 1);
    }
}
