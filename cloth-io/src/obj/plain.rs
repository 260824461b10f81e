//! Lines as most programs write them, read byte by byte: `v`, `vt` and `f` with nothing but numbers.
//!
//! Nearly all of a file are such lines, and to split them into words takes most of the time. Whatever else a
//! line has (a comment, a weight, a negative index, a `\` at its end, a fault) is left to the statements,
//! which know all of the format and give the errors.

/// The numbers of a line behind its keyword, if they are all that follows it.
pub(super) fn numbers<const N: usize>(line: &str, keyword: &str) -> Option<[f64; N]> {
    let mut rest = Rest::behind(line, keyword)?;
    let mut numbers = [0.0; N];
    for number in &mut numbers {
        rest.skip_blanks()?;
        *number = rest.number()?;
    }
    rest.is_end().then_some(numbers)
}

/// Reads the corners of an `f` line, counted from 1, into `corners`, if they are all that it has and name
/// none but the first `totals` vertices and texture coordinates.
pub(super) fn corners(
    line: &str,
    totals: [usize; 2],
    corners: &mut Vec<(usize, Option<usize>)>,
) -> Option<()> {
    let mut rest = Rest::behind(line, "f")?;
    corners.clear();
    while !rest.is_end() {
        rest.skip_blanks()?;
        corners.push(rest.corner(totals)?);
    }
    Some(())
}

/// What is left of a line.
struct Rest<'a>(&'a [u8]);

impl<'a> Rest<'a> {
    #[inline]
    fn behind(line: &'a str, keyword: &str) -> Option<Self> {
        let mut rest = line.as_bytes().strip_prefix(keyword.as_bytes())?;
        while let [before @ .., b' ' | b'\t' | b'\r'] = rest {
            rest = before;
        }
        Some(Self(rest))
    }

    fn is_end(&self) -> bool {
        self.0.is_empty()
    }

    /// Skips blanks, of which there has to be one.
    #[inline]
    fn skip_blanks(&mut self) -> Option<()> {
        let [b' ' | b'\t', rest @ ..] = self.0 else { return None };
        self.0 = rest;
        while let [b' ' | b'\t', rest @ ..] = self.0 {
            self.0 = rest;
        }
        Some(())
    }

    /// Reads digits behind `before`, a number already read; how many there are, too.
    #[inline]
    fn digits(&mut self, before: u64) -> (u64, usize) {
        let (mut number, length) = (before, self.0.len());
        while let [digit @ b'0'..=b'9', rest @ ..] = self.0 {
            number = number.wrapping_mul(10).wrapping_add(u64::from(digit - b'0'));
            self.0 = rest;
        }
        (number, length - self.0.len())
    }

    /// A finite number, rounded to nearest as by [`str::parse`].
    #[inline]
    fn number(&mut self) -> Option<f64> {
        /// Powers of ten that an `f64` holds exactly, and so many digits: their quotient is rounded once.
        const POWERS: [f64; 16] =
            [1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15];
        let start = self.0;
        let is_negative = start.first() == Some(&b'-');
        self.0 = &start[usize::from(is_negative)..];
        let (whole, count) = self.digits(0);
        let (digits, decimals) = match self.0 {
            [b'.', rest @ ..] => {
                self.0 = rest;
                self.digits(whole)
            }
            _ => (whole, 0),
        };
        let is_over = matches!(self.0, [] | [b' ' | b'\t', ..]);
        if is_over && (1..POWERS.len()).contains(&(count + decimals)) {
            let size = digits as f64 / POWERS[decimals];
            return Some(if is_negative { -size } else { size });
        }
        let length = start.iter().position(|b| !b.is_ascii_graphic()).unwrap_or(start.len());
        self.0 = &start[length..];
        let number: f64 = std::str::from_utf8(&start[..length]).ok()?.parse().ok()?;
        number.is_finite().then_some(number)
    }

    /// `v`, `v/vt`, `v//vn` or `v/vt/vn`.
    #[inline]
    fn corner(&mut self, totals: [usize; 2]) -> Option<(usize, Option<usize>)> {
        let v = self.index(totals[0])?;
        let mut vt = None;
        if let [b'/', rest @ ..] = self.0 {
            self.0 = rest;
            if self.0.first() != Some(&b'/') {
                vt = Some(self.index(totals[1])?);
            }
            if let [b'/', rest @ ..] = self.0 {
                self.0 = rest;
                self.index(usize::MAX)?;
            }
        }
        Some((v, vt))
    }

    #[inline]
    fn index(&mut self, total: usize) -> Option<usize> {
        let (number, count) = self.digits(0);
        let index = usize::try_from(number).ok()?;
        ((1..=9).contains(&count) && 1 <= index && index <= total).then_some(index)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn plain_lines_are_read() {
        assert_eq!(numbers("v 1 -2.5\t 1e-3 \r", "v"), Some([1.0, -2.5, 1e-3]));
        assert_eq!(numbers("vt .5 2.", "vt"), Some([0.5, 2.0]));
        let mut found = Vec::new();
        assert_eq!(corners("f 1  2/3 9//1 4/2/1 \t", [9, 3], &mut found), Some(()));
        assert_eq!(found, [(1, None), (2, Some(3)), (9, None), (4, Some(2))]);
    }

    #[test]
    fn all_other_lines_are_left_alone() {
        for line in [
            "v 1 2",
            "v 1 2 3 4",
            "v1 2 3",
            "v 1 2 nan",
            "v 1 2 1e999",
            "v 1 2 - 3",
            "v 1 2 . 3",
            "v 1 2 3#",
            "v 1 2 3\\",
            "v 1 2 3\u{a0}",
            "vt 1 2 3",
            " v 1 2 3",
        ] {
            assert_eq!(numbers::<3>(line, "v"), None, "{line}");
        }
        for line in [
            "f 1 2 10",
            "f 1 2 0",
            "f 1 2 -1",
            "f 1 2 +3",
            "f 1/4 2 3",
            "f 1/ 2 3",
            "f 1// 2 3",
            "f 1/1/ 2 3",
            "f 1 2 3 # x",
            "f 1 2 3\\",
            "f 1 2 3.0",
            "fo 1 2 3",
        ] {
            assert_eq!(corners(line, [9, 3], &mut Vec::new()), None, "{line}");
        }
    }

    fn number() -> impl Strategy<Value = String> {
        prop_oneof![
            "-?[0-9]{0,20}\\.?[0-9]{0,20}",
            "-?[0-9]{1,3}\\.[0-9]{4,9}",
            "[+-]?[0-9.]{1,9}[eE][+-]?[0-9]{1,3}"
        ]
    }

    proptest! {
        #[test]
        fn numbers_have_the_bits_that_the_library_gives(text in number()) {
            let parsed = text.parse::<f64>().ok().filter(|n| n.is_finite());
            let found = numbers(&format!("vt {text} 1"), "vt").map(|[n, _]: [f64; 2]| n);
            prop_assert_eq!(found.map(f64::to_bits), parsed.map(f64::to_bits));
        }
    }
}
