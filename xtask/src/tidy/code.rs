//! What a Rust file has for the product: its text without comments and without what is only for tests.

/// The mark of what is only for tests.
const TEST: &str = "#[cfg(test)]";

/// Whether a file is only for tests, by its path.
pub(super) fn is_test(path: &str) -> bool {
    path.ends_with("tests.rs") || path.contains("/tests/")
}

/// The text without comments, and without the items that [`TEST`] marks.
pub(super) fn product(text: &str) -> String {
    let lines: Vec<&str> = text.lines().map(|line| line.split("//").next().unwrap_or_default()).collect();
    let code = lines.join("\n");
    let mut parts = code.split(TEST);
    let mut kept = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        kept.push_str(after_item(part));
    }
    kept
}

/// What follows the first item of a text: behind its semicolon, or behind the brace that closes it.
fn after_item(text: &str) -> &str {
    let mut depth = 0usize;
    for (at, c) in text.char_indices() {
        match c {
            '{' => depth += 1,
            '}' => depth = depth.saturating_sub(1),
            _ => {}
        }
        if depth == 0 && matches!(c, '}' | ';') {
            return &text[at + 1..];
        }
    }
    ""
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn leaves_out_comments_and_items_for_tests() {
        let text = "use a; // use b;\n#[cfg(test)]\nmod c;\nuse d;\n#[cfg(test)]\nfn e() { if f { g } }\n\
                    use h;\n\
                    #[cfg(test)]\nmod tests {\n    use i;\n}\n";
        let code = product(text);
        let words: Vec<&str> = code.split_whitespace().collect();
        assert_eq!(words, ["use", "a;", "use", "d;", "use", "h;"]);
    }
}
