//! Splits the text of an OBJ file into statements: continued lines joined, comments gone, line numbers kept.

use std::{borrow::Cow, ops::Range};

use memchr::memchr;

/// One statement.
#[derive(Debug)]
pub(super) struct Statement<'a> {
    /// The line it starts on, counted from 1.
    pub(super) line: usize,
    /// The bytes of the text that it takes, from the first that is no blank, without the end of its last
    /// line.
    pub(super) span: Range<usize>,
    text: Cow<'a, str>,
    /// The bytes of the first word in `text`.
    keyword: Range<usize>,
}

impl<'a> Statement<'a> {
    fn new(line: usize, span: Range<usize>, text: Cow<'a, str>) -> Self {
        let keyword = first_word(&text).unwrap_or(0..0);
        Self { line, span, text, keyword }
    }

    /// The first word.
    pub(super) fn keyword(&self) -> &str {
        &self.text[self.keyword.clone()]
    }

    /// The words after the first, up to a comment.
    pub(super) fn words(&self) -> impl Iterator<Item = &str> {
        words(&self.text[self.keyword.end..]).take_while(|w| !w.starts_with('#'))
    }

    /// All that follows the first word, as it stands.
    pub(super) fn rest(&self) -> &str {
        self.text[self.keyword.end..].trim()
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

/// The words of a text as [`str::split_whitespace`] has them.
fn words(text: &str) -> impl Iterator<Item = &str> {
    let mut rest = text;
    std::iter::from_fn(move || {
        let Range { start, end } = first_word(rest)?;
        let word = &rest[start..end];
        rest = &rest[end..];
        Some(word)
    })
}

/// The bytes of the first word of a text, found without decoding characters where they are ASCII.
#[inline]
fn first_word(text: &str) -> Option<Range<usize>> {
    let bytes = text.as_bytes();
    let start = bytes.iter().position(|b| !is_blank(b))?;
    let end = bytes[start..].iter().position(|b| !b.is_ascii_graphic());
    let end = end.map_or(bytes.len(), |length| start + length);
    if bytes.get(end).is_none_or(is_blank) {
        return Some(start..end);
    }
    // Control characters, and blanks and letters beyond ASCII.
    let from = text[start..].trim_start();
    let start = text.len() - from.len();
    let end = from.find(char::is_whitespace).map_or(text.len(), |length| start + length);
    (start < end).then_some(start..end)
}

/// Whether an ASCII character is one that [`char::is_whitespace`] counts.
fn is_blank(b: &u8) -> bool {
    matches!(b, b'\t'..=b'\r' | b' ')
}

/// A line without the blanks around it, and how many bytes of them are before it.
fn trimmed(line: &str) -> (usize, &str) {
    match line.as_bytes() {
        [] => (0, line),
        // As in most lines.
        [first, .., last] if [first, last].into_iter().all(|b| b.is_ascii() && !is_blank(b)) => (0, line),
        _ => (line.len() - line.trim_start().len(), line.trim()),
    }
}

/// A line of a text.
#[derive(Clone, Copy, Debug)]
pub(super) struct Line<'a> {
    /// Counted from 1.
    pub(super) number: usize,
    /// Where it starts.
    start: usize,
    /// Without its end, but for the CR of CR LF.
    pub(super) text: &'a str,
}

/// The statements of a text whose lines end in LF, CR LF or CR; a `\` at the end of a line continues it.
pub(super) fn statements(text: &str) -> Statements<'_> {
    Statements { text, end: if text.contains('\n') { b'\n' } else { b'\r' }, number: 0, next: 0 }
}

/// Those of a text that are left.
pub(super) struct Statements<'a> {
    text: &'a str,
    /// What ends a line.
    end: u8,
    /// The number of lines before the next, and where that starts.
    number: usize,
    next: usize,
}

impl<'a> Statements<'a> {
    /// The next line, whatever it is.
    pub(super) fn next_line(&mut self) -> Option<Line<'a>> {
        let (start, rest) = (self.next, self.text.get(self.next..)?);
        let length = memchr(self.end, rest.as_bytes()).unwrap_or(rest.len());
        self.number += 1;
        self.next += length + 1;
        Some(Line { number: self.number, start, text: &rest[..length] })
    }

    /// The statement that a line begins, with the lines that continue it; none if it is blank or a comment.
    pub(super) fn statement(&mut self, line: Line<'a>) -> Option<Statement<'a>> {
        let (blanks, first) = trimmed(line.text);
        let start = line.start + blanks;
        let mut until = start + first.len();
        // A comment is never continued: it may end in a path such as `C:\`.
        if first.is_empty() || first.starts_with('#') {
            return None;
        }
        let mut text = Cow::Borrowed(first);
        while let Some(head) = text.strip_suffix('\\') {
            let mut joined = head.to_owned();
            let Some(more) = self.next_line() else {
                text = Cow::Owned(joined);
                break;
            };
            joined.push(' ');
            joined.push_str(more.text.trim());
            until = more.start + more.text.trim_end().len();
            text = Cow::Owned(joined);
        }
        Some(Statement::new(line.number, start..until, text))
    }
}

impl<'a> Iterator for Statements<'a> {
    type Item = Statement<'a>;

    fn next(&mut self) -> Option<Statement<'a>> {
        loop {
            let line = self.next_line()?;
            if let Some(statement) = self.statement(line) {
                return Some(statement);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_those_that_any_blank_separates() {
        for text in [
            "",
            " ",
            "a",
            "a \u{1}b\u{1c}c\u{7f} d\u{1f}",
            " v 1\t2\u{b}3 ",
            "g \u{a0}\u{a0}\u{e9}t\u{e9}\u{2003}x  y\u{85}",
            "f 1/2\u{a0}3",
        ] {
            assert!(super::words(text).eq(text.split_whitespace()), "{text:?}");
            let (blanks, inner) = trimmed(text);
            assert_eq!((inner, &text[blanks..]), (text.trim(), text.trim_start()));
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
