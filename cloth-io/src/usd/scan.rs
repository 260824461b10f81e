//! The tokens of a text layer: blanks and comments, words, strings, and values that are stepped over.

use std::ops::Range;

/// What is the matter with a text that ends too soon.
pub(super) const CUT_SHORT: &str = "the file is cut short, export it again";

/// What is wrong with a text, and where.
#[derive(Debug)]
pub(super) struct Fault {
    /// The byte to blame, counted from 0.
    pub(super) at: usize,
    pub(super) problem: String,
}

pub(super) type Scan<T> = Result<T, Fault>;

/// Refuses what begins at a byte.
pub(super) fn refuse<T>(at: usize, problem: impl Into<String>) -> Scan<T> {
    Err(Fault::new(at, problem))
}

/// A place in a text.
#[derive(Clone, Debug)]
pub(super) struct Scanner<'a> {
    text: &'a [u8],
    at: usize,
}

impl Fault {
    pub(super) fn new(at: usize, problem: impl Into<String>) -> Self {
        Self { at, problem: problem.into() }
    }
}

impl<'a> Scanner<'a> {
    /// Stands at the start of a part of a text.
    pub(super) fn new(text: &'a [u8], part: Range<usize>) -> Self {
        Self { text: text.get(..part.end).unwrap_or_default(), at: part.start }
    }

    /// The byte behind blanks and comments, and its place, where the scanner stands then; none at the end.
    pub(super) fn peek(&mut self) -> Option<u8> {
        loop {
            match self.text.get(self.at..)? {
                [b'#', ..] | [b'/', b'/', ..] => self.skip_to(b"\n"),
                [b'/', b'*', ..] => self.skip_behind(b"*/"),
                [byte, ..] if byte.is_ascii_whitespace() => self.at += 1,
                rest => return rest.first().copied(),
            }
        }
    }

    /// Where the next token begins.
    pub(super) fn place(&mut self) -> usize {
        self.peek();
        self.at
    }

    /// Steps over a byte if it comes next.
    pub(super) fn eat(&mut self, byte: u8) -> bool {
        let is_next = self.peek() == Some(byte);
        self.at += usize::from(is_next);
        is_next
    }

    /// Steps over a byte that has to come next.
    pub(super) fn expect(&mut self, byte: u8) -> Scan<()> {
        if self.eat(byte) { Ok(()) } else { self.fail(format!("`{}` is missing here", char::from(byte))) }
    }

    /// A fault at the next token.
    pub(super) fn fail<T>(&mut self, problem: impl Into<String>) -> Scan<T> {
        refuse(self.place(), problem)
    }

    /// The next word: a name with its namespaces, a number, a keyword; empty where none is.
    pub(super) fn word(&mut self) -> &'a str {
        let start = self.place();
        let is_part = |b: &u8| b.is_ascii_alphanumeric() || b"_:.-+!|".contains(b) || *b >= 0x80;
        let length = self.text[start..].iter().take_while(|b| is_part(b)).count();
        self.at += length;
        std::str::from_utf8(&self.text[start..start + length]).unwrap_or_default()
    }

    /// The next word, which has to be a number.
    pub(super) fn number(&mut self) -> Scan<f64> {
        let start = self.place();
        let word = self.word();
        word.parse().or_else(|_| refuse(start, "is no number"))
    }

    /// What stands in quotation marks, one or three on each side, as it is written.
    pub(super) fn string(&mut self) -> Scan<String> {
        let Some(mark @ (b'"' | b'\'')) = self.peek() else { return self.fail("a string is missing here") };
        let marks = if self.text[self.at..].starts_with(&[mark; 3]) { 3 } else { 1 };
        let (first, end) = (self.at, [mark; 3]);
        self.at += marks;
        let start = self.at;
        loop {
            match self.text.get(self.at..) {
                Some(rest) if rest.starts_with(&end[..marks]) => break,
                Some([b'\\', _, ..]) => self.at += 2,
                Some([_, ..]) => self.at += 1,
                _ => return refuse(first, format!("this string does not end: {CUT_SHORT}")),
            }
        }
        let text = String::from_utf8_lossy(&self.text[start..self.at]).into_owned();
        self.at += marks;
        Ok(text)
    }

    /// Steps over a value of any type.
    pub(super) fn value(&mut self) -> Scan<Range<usize>> {
        let start = self.place();
        match self.peek() {
            Some(b'[' | b'(' | b'{') => self.skip_brackets()?,
            Some(b'"' | b'\'') => drop(self.string()?),
            // An asset, its prim, and how its time is changed.
            Some(b'@' | b'<') => {
                if self.peek() == Some(b'@') {
                    self.skip_asset();
                }
                if self.peek() == Some(b'<') {
                    self.skip_behind(b">");
                }
            }
            _ if self.word().is_empty() => return self.fail("a value is missing here"),
            _ => {}
        }
        Ok(start..self.at.min(self.text.len()))
    }

    fn skip_brackets(&mut self) -> Scan<()> {
        let (start, mut open) = (self.at, Vec::new());
        loop {
            match self.text.get(self.at) {
                Some(b'[') => open.push(b']'),
                Some(b'(') => open.push(b')'),
                Some(b'{') => open.push(b'}'),
                Some(b']' | b')' | b'}') => {
                    if open.pop() != self.text.get(self.at).copied() {
                        return self.fail("closes another bracket than was opened");
                    }
                    if open.is_empty() {
                        self.at += 1;
                        return Ok(());
                    }
                }
                Some(b'"' | b'\'') => {
                    self.string()?;
                    continue;
                }
                Some(b'@') => {
                    self.skip_asset();
                    continue;
                }
                Some(b'#' | b'/') => {
                    let at = self.at;
                    self.peek();
                    self.at += usize::from(self.at == at);
                    continue;
                }
                Some(_) => {}
                None => return refuse(start, format!("this bracket is not closed: {CUT_SHORT}")),
            }
            self.at += 1;
        }
    }

    fn skip_asset(&mut self) {
        let is_long = self.text[self.at..].starts_with(b"@@@");
        self.at += if is_long { 3 } else { 1 };
        self.skip_behind(if is_long { b"@@@" } else { b"@" });
    }

    fn skip_to(&mut self, end: &[u8]) {
        self.at = memchr::memmem::find(&self.text[self.at..], end).map_or(self.text.len(), |k| self.at + k);
    }

    fn skip_behind(&mut self, end: &[u8]) {
        self.skip_to(end);
        self.at = (self.at + end.len()).min(self.text.len());
    }
}

/// The elements of an array, each read by `read`.
pub(super) fn array<'a, T>(
    text: &'a [u8],
    value: &Range<usize>,
    read: impl Fn(&mut Scanner<'a>) -> Scan<T>,
) -> Scan<Vec<T>> {
    let (mut scanner, mut elements) = (Scanner::new(text, value.clone()), Vec::new());
    scanner.expect(b'[')?;
    while !scanner.eat(b']') {
        elements.push(read(&mut scanner)?);
        if !scanner.eat(b',') {
            scanner.expect(b']')?;
            break;
        }
    }
    Ok(elements)
}

/// A vector of N numbers.
pub(super) fn vector<const N: usize>(scanner: &mut Scanner<'_>) -> Scan<[f64; N]> {
    let mut numbers = [0.0; N];
    scanner.expect(b'(')?;
    for (k, number) in numbers.iter_mut().enumerate() {
        if k > 0 {
            scanner.expect(b',')?;
        }
        *number = scanner.number()?;
    }
    scanner.expect(b')')?;
    Ok(numbers)
}
