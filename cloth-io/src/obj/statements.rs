//! Splits the text of an OBJ file into statements: continued lines joined, comments gone, line numbers kept.

use std::{borrow::Cow, ops::Range};

/// One statement.
#[derive(Debug)]
pub(super) struct Statement<'a> {
    /// The line it starts on, counted from 1.
    pub(super) line: usize,
    /// The bytes of the text that it takes, from the first that is no blank, without the end of its last
    /// line.
    pub(super) span: Range<usize>,
    text: Cow<'a, str>,
}

impl Statement<'_> {
    /// The first word.
    pub(super) fn keyword(&self) -> &str {
        words(&self.text).next().unwrap_or_default()
    }

    /// The words after the first, up to a comment.
    pub(super) fn words(&self) -> impl Iterator<Item = &str> {
        words(&self.text).skip(1).take_while(|w| !w.starts_with('#'))
    }

    /// All that follows the first word, as it stands.
    pub(super) fn rest(&self) -> &str {
        let text = self.text.trim();
        text[self.keyword().len()..].trim()
    }

    /// All that follows the first `count` words as it stands, blanks and comment included; `None` if there
    /// are fewer words.
    pub(super) fn after(&self, count: usize) -> Option<&str> {
        let mut rest = self.text.as_ref();
        for _ in 0..count {
            rest = rest.trim_start();
            if rest.is_empty() || rest.starts_with('#') {
                return None;
            }
            rest = &rest[rest.find(char::is_whitespace).unwrap_or(rest.len())..];
        }
        Some(rest)
    }
}

/// The words of a text as [`str::split_whitespace`] has them, faster where they are ASCII.
fn words(text: &str) -> impl Iterator<Item = &str> {
    let mut rest = text;
    std::iter::from_fn(move || {
        let is_blank = |&b: &u8| matches!(b, b'\t'..=b'\r' | b' ');
        let bytes = rest.as_bytes();
        let start = bytes.iter().position(|b| !is_blank(b))?;
        let is_end = |b: &u8| is_blank(b) || !b.is_ascii();
        let end = bytes[start..].iter().position(is_end).map_or(bytes.len(), |length| start + length);
        let word;
        if bytes.get(end).is_none_or(u8::is_ascii) {
            (word, rest) = (&rest[start..end], &rest[end..]);
            return Some(word);
        }
        // Blanks beyond ASCII, and letters.
        let from = rest[start..].trim_start();
        (word, rest) = from.split_at(from.find(char::is_whitespace).unwrap_or(from.len()));
        (!word.is_empty()).then_some(word)
    })
}

/// The statements of a text whose lines end in LF, CR LF or CR; a `\` at the end of a line continues it.
pub(super) fn statements(text: &str) -> impl Iterator<Item = Statement<'_>> {
    let end = if text.contains('\n') { '\n' } else { '\r' };
    let mut next = 0;
    let with_start = move |line: &str| {
        let start = next;
        next += line.len() + 1;
        start
    };
    let mut lines = text.split(end).scan(with_start, |start, line| Some((start(line), line))).enumerate();
    std::iter::from_fn(move || {
        loop {
            let (i, (start, line)) = lines.next()?;
            let first = line.trim();
            let start = start + (line.len() - line.trim_start().len());
            let mut until = start + first.len();
            // A comment is never continued: it may end in a path such as `C:\`.
            if first.is_empty() || first.starts_with('#') {
                continue;
            }
            let mut text = Cow::Borrowed(first);
            while let Some(head) = text.strip_suffix('\\') {
                let mut joined = head.to_owned();
                let Some((_, (at, more))) = lines.next() else {
                    text = Cow::Owned(joined);
                    break;
                };
                joined.push(' ');
                joined.push_str(more.trim());
                until = at + more.trim_end().len();
                text = Cow::Owned(joined);
            }
            return Some(Statement { line: i + 1, span: start..until, text });
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_those_that_any_blank_separates() {
        for text in
            ["", " ", "a", " v 1\t2\u{b}3 ", "g \u{a0}\u{a0}\u{e9}t\u{e9}\u{2003}x  y\u{85}", "f 1/2\u{a0}3"]
        {
            assert!(super::words(text).eq(text.split_whitespace()), "{text:?}");
        }
    }

    fn words(text: &str) -> Vec<(usize, Vec<String>)> {
        let all = |s: Statement<'_>| {
            let head = s.keyword().to_owned();
            (s.line, std::iter::once(head).chain(s.words().map(str::to_owned)).collect())
        };
        statements(text).map(all).collect()
    }

    #[test]
    fn joins_continued_lines_and_counts_them() {
        let found = words("# c:\\\nf 1 \\\r\n 2 \\\r\n3\r\nv 0 # x\r\n");
        assert_eq!(
            found,
            [(2, vec!["f".into(), "1".into(), "2".into(), "3".into()]), (5, vec!["v".into(), "0".into()])]
        );
    }

    #[test]
    fn knows_lines_that_end_in_a_carriage_return_alone() {
        assert_eq!(words("v 1\rf 2").len(), 2);
    }

    #[test]
    fn takes_a_last_line_that_nothing_ends() {
        assert_eq!(words("v 1\nf 2 \\").last().unwrap().1, ["f", "2"]);
    }

    #[test]
    fn says_which_bytes_it_takes() {
        let text = " v 1 \\\r\n 2 \r\n\r\n  g a  # x\r\nf";
        let taken: Vec<_> = statements(text).map(|s| &text[s.span]).collect();
        assert_eq!(taken, ["v 1 \\\r\n 2", "g a  # x", "f"]);
        let first = statements("v 1 2  3 # x").next().unwrap();
        assert_eq!((first.after(3), first.after(4), first.after(5)), (Some("  3 # x"), Some(" # x"), None));
    }

    #[test]
    fn keeps_names_with_blanks_whole() {
        let first = statements("g  left  sleeve ").next().unwrap();
        assert_eq!((first.keyword(), first.rest()), ("g", "left  sleeve"));
    }
}
