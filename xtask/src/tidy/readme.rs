//! README.md fits on one screen, its program is one that is compiled and run, and links in prose lead
//! somewhere.

/// Lines that fit on a screen with a picture and two programs among them.
const MOST_LINES: usize = 84;

/// Complaints about the README of the project; `compiled` is that of the crate whose documentation tests run
/// its program.
pub(super) fn complaints(readme: &str, compiled: &str) -> Vec<String> {
    let mut complaints = Vec::new();
    let lines = readme.lines().count();
    if lines > MOST_LINES {
        complaints
            .push(format!("README.md has {lines} lines; more than {MOST_LINES} belong into docs/ instead"));
    }
    match (programs(readme), programs(compiled)) {
        (here, _) if here.is_empty() => complaints.push("README.md shows no Rust program".into()),
        (here, there) => {
            let untested = here.into_iter().filter(|program| !there.contains(program));
            complaints.extend(untested.map(|program| {
                let first = program.lines().next().unwrap_or_default();
                format!("README.md has a program that no documentation test runs: it begins `{first}`")
            }));
        }
    }
    complaints
}

/// The Rust programs of a page of Markdown.
fn programs(page: &str) -> Vec<&str> {
    let begin = page.split("```rust\n").skip(1);
    begin.filter_map(|rest| rest.split_once("\n```").map(|(program, _)| program)).collect()
}

/// Links of a page of Markdown at `path` to files that do not exist.
pub(super) fn broken_links(path: &str, page: &str, exists: impl Fn(&str) -> bool) -> Vec<String> {
    let folder = path.rsplit_once('/').map_or("", |(folder, _)| folder);
    let links = page.split("](").skip(1).filter_map(|rest| rest.split_once(')').map(|(link, _)| link));
    let local = links.filter(|link| !link.contains("://") && !link.starts_with('#') && !link.contains(' '));
    let broken = local.filter(|link| {
        let file = link.split('#').next().unwrap_or_default();
        !exists(&resolved(folder, file))
    });
    broken.map(|link| format!("{path} links to {link}, which does not exist")).collect()
}

/// Pages of a folder that its index does not link to, by their names.
pub(super) fn unlisted(index: &str, pages: &[&str]) -> Vec<String> {
    let missing = pages.iter().filter(|page| !index.contains(&format!("({page})")));
    missing.map(|page| format!("{page} is missing in the index of its folder: add a line")).collect()
}

/// A path relative to a folder, without `..`.
pub(super) fn resolved(folder: &str, file: &str) -> String {
    let mut parts: Vec<&str> = folder.split('/').filter(|part| !part.is_empty()).collect();
    for part in file.split('/') {
        match part {
            ".." => {
                parts.pop();
            }
            "." | "" => {}
            part => parts.push(part),
        }
    }
    parts.join("/")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn finds_a_page_that_its_index_omits() {
        assert_eq!(unlisted("| [a](a.md) |", &["a.md"]), [""; 0]);
        assert_eq!(unlisted("| [a](a.md) |", &["a.md", "b.md"]).len(), 1);
    }

    #[test]
    fn a_program_that_is_run_elsewhere_passes_and_another_does_not() {
        let page = "a\n```rust\nfn main() {}\n```\nb";
        assert_eq!(complaints(page, page), Vec::<String>::new());
        assert_eq!(complaints(page, "```rust\nfn other() {}\n```").len(), 1);
        assert_eq!(complaints("no program", page).len(), 1);
        assert_eq!(complaints(&format!("{page}{}", "\nline".repeat(MOST_LINES)), page).len(), 1);
    }

    #[test]
    fn links_are_followed_from_their_page() {
        let exists = |path: &str| ["docs/a.md", "README.md"].contains(&path);
        let page = "[a](a.md#part) [r](../README.md) [w](https://example.org) [h](#here) [b](b.md)";
        let broken = broken_links("docs/x.md", page, exists);
        assert_eq!(broken, ["docs/x.md links to b.md, which does not exist"]);
    }
}
