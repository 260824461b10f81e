//! Whether lines fit on a screen: Rust sources and the prose of Markdown.

use super::{paths::prose_lines, tree::Tree};

/// Columns of a line, the `max_width` of `rustfmt.toml`. rustfmt breaks neither comments nor literals.
const MOST_COLUMNS: usize = 110;

/// Complaints about longer lines.
pub(super) fn too_long(tree: &Tree) -> Vec<String> {
    let mut complaints = Vec::new();
    for (file, text) in tree.below("") {
        let lines: Vec<(usize, &str)> = match file.rsplit_once('.') {
            Some((_, "rs")) => text.lines().enumerate().map(|(i, line)| (i + 1, line)).collect(),
            Some((_, "md")) => prose_lines(text).filter(|(_, line)| can_be_broken(line)).collect(),
            _ => continue,
        };
        let counted = lines.into_iter().map(|(number, line)| (number, line.chars().count()));
        let long = counted.filter(|(_, columns)| *columns > MOST_COLUMNS);
        complaints.extend(long.map(|(number, columns)| {
            format!("{file}:{number} has {columns} columns: break the line at {MOST_COLUMNS}")
        }));
    }
    complaints
}

/// Neither a row of a table, nor a picture, nor one word, such as an address.
fn can_be_broken(line: &str) -> bool {
    let line = line.trim();
    !line.starts_with('|') && !line.starts_with("![") && line.contains(' ')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn finds_long_lines_of_code_comments_literals_and_prose() {
        let long = format!("\"{}\" {}", "é".repeat(54), "x".repeat(54));
        for (file, text) in [("a.rs", &long), ("b.rs", &format!("// {long}")), ("c.md", &long)] {
            assert_eq!(too_long(&Tree::from_texts(&[(file, text)])).len(), 1, "{file}");
        }
        assert!(too_long(&Tree::from_texts(&[("a.rs", &long[..long.len() - 1])])).is_empty(), "bytes count");
    }

    #[test]
    fn leaves_what_markdown_cannot_break() {
        let word = "x".repeat(120);
        let page = format!("| a {word} |\n![a {word}](b)\n{word}\n```\na {word}\n```\n");
        assert!(too_long(&Tree::from_texts(&[("c.md", &page)])).is_empty());
    }
}
