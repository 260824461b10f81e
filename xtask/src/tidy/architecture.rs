//! Whether ARCHITECTURE.md is true: the paths it names exist, and its map shows the workspace.

/// Endings that make a word without a slash a path.
const ENDINGS: [&str; 3] = [".rs", ".md", ".toml"];

/// Complaints about paths in backticks that `exists` denies, each once and with its line.
pub(super) fn missing_paths(text: &str, exists: impl Fn(&str) -> bool) -> Vec<String> {
    let mut complaints = Vec::new();
    for (number, line) in prose_lines(text) {
        for path in quoted(line).filter(|word| is_path(word)) {
            if !exists(path.trim_end_matches('/')) {
                complaints.push(format!("ARCHITECTURE.md:{number} names `{path}`, which does not exist"));
            }
        }
    }
    complaints
}

/// Complaints where the map (the first fenced block) and the workspace's members differ.
///
/// A line of the map belongs to a member if its first word is the member's name with a slash behind it.
pub(super) fn map_disagreements(text: &str, members: &[String]) -> Vec<String> {
    let shown: Vec<&str> = first_block(text)
        .filter(|line| !line.starts_with(' '))
        .filter_map(|line| line.split_whitespace().next()?.strip_suffix('/'))
        .filter(|name| !name.starts_with('.') && *name != "docs")
        .collect();
    if shown.is_empty() {
        return vec![
            "ARCHITECTURE.md has no map: its first fenced block lists the crates, one `name/` a line".into(),
        ];
    }
    let unshown = members.iter().filter(|m| !shown.contains(&m.as_str()));
    let unknown = shown.iter().filter(|s| !members.iter().any(|m| m == *s));
    unshown
        .map(|m| format!("the map in ARCHITECTURE.md does not show the workspace member {m}/"))
        .chain(
            unknown.map(|s| format!("the map in ARCHITECTURE.md shows {s}/, which is no workspace member")),
        )
        .collect()
}

/// Lines outside fenced blocks, numbered from 1.
fn prose_lines(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let mut fenced = false;
    text.lines().enumerate().filter_map(move |(i, line)| {
        let is_fence = line.trim_start().starts_with("```");
        fenced ^= is_fence;
        (!fenced && !is_fence).then_some((i + 1, line))
    })
}

fn first_block(text: &str) -> impl Iterator<Item = &str> {
    text.lines().skip_while(|l| !l.starts_with("```")).skip(1).take_while(|l| !l.starts_with("```"))
}

/// The words in backticks: every second part of a line cut at backticks.
fn quoted(line: &str) -> impl Iterator<Item = &str> {
    line.split('`').skip(1).step_by(2)
}

/// A slash or a known ending, and no character that only code, a command or a pattern has.
fn is_path(word: &str) -> bool {
    let plain = word.chars().all(|c| c.is_ascii_alphanumeric() || "/._-".contains(c));
    plain && !word.starts_with('/') && (word.contains('/') || ENDINGS.iter().any(|e| word.ends_with(e)))
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "The step is `solver/src/step.rs`, its crate `solver/`.\n\
                        ```\nsolver/   moves\nxtask/    starts\n  inner/  is indented\ndocs/\n```\n\
                        A rule in `gone.md`, a type `Step`, a command `cargo xtask a/b`, a call `a::b()`.\n";

    #[test]
    fn finds_a_path_that_is_gone_and_says_the_line() {
        let complaints = missing_paths(TEXT, |p| p.starts_with("solver"));
        assert_eq!(complaints, ["ARCHITECTURE.md:8 names `gone.md`, which does not exist"]);
    }

    #[test]
    fn asks_for_folders_without_their_slash() {
        let complaints = missing_paths(TEXT, |p| p != "solver" && p != "gone.md");
        assert_eq!(complaints.len(), 2, "{complaints:?}");
    }

    #[test]
    fn accepts_a_map_that_shows_each_member() {
        assert!(map_disagreements(TEXT, &["solver".into(), "xtask".into()]).is_empty());
    }

    #[test]
    fn finds_members_that_are_not_shown_and_folders_that_are_no_members() {
        assert_eq!(map_disagreements(TEXT, &["solver".into(), "io".into()]).len(), 2);
    }

    #[test]
    fn finds_that_there_is_no_map() {
        assert_eq!(map_disagreements("text only", &["solver".into()]).len(), 1);
    }
}
