//! Whether the files that prose and comments name exist.
//!
//! A path is relative to the root, to the crate of the file that names it, to the crate's `src`, or to the
//! file's own folder; a link of Markdown is relative to the file's folder alone.

use super::tree::Tree;

/// Endings that make a word a path, with or without a folder.
const ENDINGS: [&str; 2] = [".rs", ".md"];

/// Endings that make a word with a folder a path.
const ENDINGS_BELOW: [&str; 5] = [".toml", ".ts", ".mjs", ".py", ".h"];

/// Names of files that every crate or module has.
const COMMON: [&str; 3] = ["lib.rs", "main.rs", "mod.rs"];

/// Complaints about paths that do not exist, in the comments of Rust files and in Markdown.
pub(super) fn missing(tree: &Tree) -> Vec<String> {
    let mut complaints = Vec::new();
    for (file, text) in tree.below("") {
        let lines: Vec<(usize, &str)> = match file.rsplit_once('.') {
            Some((_, "rs")) => comments(text).collect(),
            Some((_, "md")) => prose_lines(current(text)).collect(),
            _ => continue,
        };
        for (number, line) in lines {
            let [words, links] = words_and_links(line);
            let words = words.into_iter().filter(|word| is_path(word, tree));
            let gone = words.filter(|path| !bases(file, tree).iter().any(|base| exists(tree, base, path)));
            let links = links.into_iter().filter(|_| file.ends_with(".md"));
            let broken = links.filter(|link| !exists(tree, above(file), link));
            let missing = gone.chain(broken);
            complaints
                .extend(missing.map(|path| format!("{file}:{number} names {path}, which does not exist")));
        }
    }
    complaints
}

/// The folder of a path.
fn above(path: &str) -> &str {
    path.rsplit_once('/').map_or("", |(folder, _)| folder)
}

/// The folders that a path in a file may be relative to.
fn bases(file: &str, tree: &Tree) -> [String; 4] {
    let mut package = above(file);
    while !package.is_empty() && !tree.has(&format!("{package}/Cargo.toml")) {
        package = above(package);
    }
    [String::new(), package.into(), format!("{package}/src"), above(file).into()]
}

fn exists(tree: &Tree, base: &str, path: &str) -> bool {
    let path = resolved(base, path);
    path.is_empty() || tree.has(&path) || tree.has_file_below(&format!("{path}/")) || Tree::is_built(&path)
}

/// A path relative to a folder, without `..`.
fn resolved(folder: &str, path: &str) -> String {
    let mut parts = Vec::new();
    for part in folder.split('/').chain(path.split('/')) {
        match part {
            ".." => _ = parts.pop(),
            "." | "" => {}
            part => parts.push(part),
        }
    }
    parts.join("/")
}

/// The words of a line that consist of the characters of a path, and apart from them what its links lead to.
fn words_and_links(line: &str) -> [Vec<&str>; 2] {
    let (mut words, mut links, mut texts) = (Vec::new(), Vec::new(), line);
    while let Some((text, rest)) = texts.split_once("](") {
        let (link, behind) = rest.split_once(')').unwrap_or((rest, ""));
        words.push(text.rsplit_once('[').map_or("", |(before, _)| before));
        links.extend(link.split('#').next().filter(|link| !link.contains("://") && !link.contains(' ')));
        texts = behind;
    }
    words.push(texts);
    let is_part = |c: char| c.is_ascii_alphanumeric() || "/._-".contains(c);
    let words = words.into_iter().flat_map(|text| text.split(|c| !is_part(c)));
    [words.map(|word| word.trim_end_matches(['.', '/', '-'])).collect(), links]
}

/// A known ending, or below a folder of the root; neither absolute, nor part of an address or a pattern, nor
/// below a placeholder in capitals.
fn is_path(word: &str, tree: &Tree) -> bool {
    let ends = |endings: &[&str]| endings.iter().any(|ending| word.ends_with(ending));
    let Some((first, _)) = word.split_once('/') else {
        return ends(&ENDINGS) && !word.starts_with('.') && !COMMON.contains(&word);
    };
    let is_placeholder = first.chars().all(|c| c.is_ascii_uppercase());
    !is_placeholder && (ends(&ENDINGS) || ends(&ENDINGS_BELOW) || tree.has_file_below(&format!("{first}/")))
}

/// What follows `//` in the lines of a Rust file that have a comment, numbered from 1.
fn comments(text: &str) -> impl Iterator<Item = (usize, &str)> {
    text.lines().enumerate().filter_map(|(i, line)| {
        let own = line.trim_start().strip_prefix("//");
        own.or_else(|| line.split_once(" // ").map(|(_, comment)| comment)).map(|comment| (i + 1, comment))
    })
}

/// Lines of Markdown outside fenced blocks, numbered from 1.
fn prose_lines(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let mut fenced = false;
    text.lines().enumerate().filter_map(move |(i, line)| {
        let is_fence = line.trim_start().starts_with("```");
        fenced ^= is_fence;
        (!fenced && !is_fence).then_some((i + 1, line))
    })
}

/// A page; of the changelog only the first version, since later parts name files of their time.
fn current(page: &str) -> &str {
    if !page.starts_with("# Changelog") {
        return page;
    }
    let second = page.match_indices("\n## ").nth(1);
    second.map_or(page, |(at, _)| &page[..at])
}

#[cfg(test)]
mod tests {
    use super::*;

    fn complaints(file: &str, text: &str) -> Vec<String> {
        let files = [("a/Cargo.toml", ""), ("a/src/b/c.rs", ""), ("a/src/b/d.rs", ""), ("docs/e.md", "")];
        missing(&Tree::from_texts(&[&files[..], &[(file, text)]].concat()))
    }

    #[test]
    fn finds_a_path_that_is_gone_and_says_the_line() {
        let gone = "a/src/b/x.rs:2 names b/gone.rs, which does not exist";
        assert_eq!(complaints("a/src/b/x.rs", "let b = 1;\n// see b/gone.rs.\n"), [gone]);
        assert_eq!(complaints("docs/f.md", "`a/src/gone`, e.md and gone.md").len(), 2);
    }

    #[test]
    fn paths_begin_at_the_root_the_crate_its_sources_or_the_file() {
        let comment = "// a/src/b/c.rs, src/b/c.rs, b/c.rs, c.rs, docs/e.md, `a/src/b/`\n";
        assert_eq!(complaints("a/src/b/x.rs", comment), [""; 0]);
        assert_eq!(complaints("a/src/x.rs", comment).len(), 1);
    }

    #[test]
    fn links_are_followed_from_the_folder_of_their_page() {
        let page = "[a](e.md#part) [c](../a/src/b/c.rs) [w](https://a.org/b.md) [h](#here) [b](b.md)";
        assert_eq!(complaints("docs/x.md", page), ["docs/x.md:1 names b.md, which does not exist"]);
    }

    #[test]
    fn leaves_code_placeholders_patterns_and_earlier_versions() {
        let page =
            "[gone.md](e.md#a) https://a.org/gone.rs FOLDER/a.toml *.rs lib.rs x/y\n```\ngone.rs\n```\n";
        assert_eq!(complaints("docs/f.md", page), [""; 0]);
        assert_eq!(complaints("a/src/x.rs", "let file = \"gone.rs\";\n"), [""; 0]);
        assert_eq!(complaints("CHANGELOG.md", "# Changelog\n\n## 2\n\n## 1\ngone.rs\n"), [""; 0]);
    }
}
