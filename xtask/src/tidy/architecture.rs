//! Whether the map in ARCHITECTURE.md shows the workspace.

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

fn first_block(text: &str) -> impl Iterator<Item = &str> {
    text.lines().skip_while(|l| !l.starts_with("```")).skip(1).take_while(|l| !l.starts_with("```"))
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "Text\n```\nsolver/   moves\nxtask/    starts\n  inner/  is indented\ndocs/\n```\n";

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
