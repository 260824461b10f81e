//! Checks the statements of an OBJ file and rewrites those that carry geometry for the parser.
//!
//! Every index is checked here, where its line is known, and made absolute. Faces of fewer than three corners
//! and all other statements stay out, and are noted.

use std::{collections::BTreeMap, fmt::Write};

use super::{
    Problem,
    statements::{Statement, statements},
};
use crate::error::quoted;

/// Statements that say nothing about the geometry of a surface: left out without a note.
const SILENT: [&str; 8] = ["vn", "s", "usemtl", "mtllib", "usemap", "maplib", "lod", "mg"];

/// A cleaned OBJ text, and what the parser does not accept.
#[derive(Debug, Default)]
pub(super) struct Prepared {
    /// A polygon of all vertices, then `v`, `vt` and `f` only, one a line, indices absolute and in range.
    pub(super) text: String,
    /// For each line of `text` the byte where it ends, and the line of the file.
    lines: Vec<(usize, usize)>,
    /// The line of the file of each vertex, texture vertex, and face.
    pub(super) vertex_lines: Vec<usize>,
    pub(super) uv_lines: Vec<usize>,
    pub(super) face_lines: Vec<usize>,
    /// How many faces have texture coordinates at every corner.
    pub(super) faces_with_uv: usize,
    /// Names, with the number of faces before each.
    pub(super) groups: Vec<(String, usize)>,
    skipped: BTreeMap<String, (usize, usize)>,
}

/// Checks and rewrites a text.
pub(super) fn prepare(text: &str) -> Result<Prepared, Problem> {
    let count = |k: &str| statements(text).filter(|s| s.keyword() == k).count();
    let totals = [count("v"), count("vt")];
    if totals[0] == 0 {
        return Err(Problem::whole("has no vertices (`v` lines); is it an OBJ file?"));
    }
    if totals.iter().any(|&t| t >= u32::MAX as usize) {
        return Err(Problem::whole("has more vertices than 32-bit indices can name; split it"));
    }
    let mut prepared = Prepared::default();
    prepared.push(0, "f", (1..=totals[0]).map(|i| (i, None)));
    for statement in statements(text) {
        prepared.take(&statement, totals)?;
    }
    if prepared.face_lines.is_empty() {
        return Err(Problem::whole("has no faces (`f` lines of three corners or more); export the surface"));
    }
    Ok(prepared)
}

impl Prepared {
    fn take(&mut self, s: &Statement<'_>, totals: [usize; 2]) -> Result<(), Problem> {
        match s.keyword() {
            "v" => self.take_vertex(s),
            "vt" => {
                // `vt u` is valid and means `vt u 0`.
                let words: Vec<&str> = s.words().chain(["0"]).take(2).collect();
                self.push_words(s.line, "vt", &words);
                self.uv_lines.push(s.line);
            }
            "f" => self.take_face(s, totals)?,
            "g" | "o" => self.groups.push((s.rest().to_owned(), self.face_lines.len())),
            "p" => self.skip("points (`p`) left out", s.line),
            "l" => self.skip("lines (`l`) left out", s.line),
            k if SILENT.contains(&k) => {}
            k => {
                let what = if self.skipped.len() < 16 { quoted(k) } else { "other".to_owned() };
                self.skip(&format!("{what} statements left out"), s.line);
            }
        }
        Ok(())
    }

    /// Takes x, y and z. What follows is a weight, which only curves use, or a colour.
    fn take_vertex(&mut self, s: &Statement<'_>) {
        let words: Vec<&str> = s.words().take(5).collect();
        if words.len() == 4 && words[3].parse() != Ok(1.0) {
            self.skip("vertices with a weight other than 1: weight ignored", s.line);
        }
        self.push_words(s.line, "v", &words[..words.len().min(3)]);
        self.vertex_lines.push(s.line);
    }

    fn take_face(&mut self, s: &Statement<'_>, totals: [usize; 2]) -> Result<(), Problem> {
        let before = [self.vertex_lines.len(), self.uv_lines.len()];
        let mut corners = Vec::new();
        for word in s.words() {
            corners.push(corner(word, before, totals).map_err(|text| Problem::at(s.line, text))?);
        }
        if corners.len() > 3 {
            let count = corners.len();
            corners.dedup_by_key(|c| c.0);
            if corners.len() > 1 && corners[0].0 == corners[corners.len() - 1].0 {
                corners.pop();
            }
            if corners.len() < count {
                self.skip("polygons that repeat a corner: repeats removed", s.line);
            }
        }
        if corners.len() < 3 {
            self.skip("faces of fewer than three corners left out", s.line);
            return Ok(());
        }
        self.faces_with_uv += usize::from(corners.iter().all(|c| c.1.is_some()));
        self.push(s.line, "f", corners.into_iter());
        self.face_lines.push(s.line);
        Ok(())
    }

    fn push(&mut self, line: usize, keyword: &str, corners: impl Iterator<Item = (usize, Option<usize>)>) {
        self.text.push_str(keyword);
        for (v, vt) in corners {
            // Writing to a string cannot fail.
            let _ = match vt {
                Some(vt) => write!(self.text, " {v}/{vt}"),
                None => write!(self.text, " {v}"),
            };
        }
        self.end_line(line);
    }

    fn push_words(&mut self, line: usize, keyword: &str, words: &[&str]) {
        self.text.push_str(keyword);
        for word in words {
            self.text.push(' ');
            self.text.push_str(word);
        }
        self.end_line(line);
    }

    fn end_line(&mut self, line: usize) {
        self.text.push('\n');
        self.lines.push((self.text.len(), line));
    }

    fn skip(&mut self, what: &str, line: usize) {
        self.skipped.entry(what.to_owned()).or_insert((line, 0)).1 += 1;
    }

    /// What was left out, a sentence each.
    pub(super) fn notes(&self) -> Vec<String> {
        self.skipped.iter().map(|(what, (line, n))| format!("{n} {what}, first in line {line}")).collect()
    }

    /// The line that the parser had read up to byte `position` when it gave up.
    pub(super) fn blame(&self, position: u64, error: tobj::LoadError) -> Problem {
        let k = self.lines.partition_point(|&(end, _)| (end as u64) < position);
        let needs = match error {
            tobj::LoadError::PositionParseError => "`v` needs three numbers, such as `v 0 1.5 -2e-3`",
            tobj::LoadError::TexcoordParseError => "`vt` needs two numbers, such as `vt 0 1.5`",
            other => return Problem::whole(format!("is not valid OBJ: {other}")),
        };
        Problem { line: self.lines.get(k).map(|l| l.1), text: needs.to_owned() }
    }
}

/// The absolute vertex and texture indices of a corner such as `7`, `7/3`, `7//2` or `-1/-1/-1`, counted from 1.
pub(super) fn corner(
    word: &str,
    before: [usize; 2],
    totals: [usize; 2],
) -> Result<(usize, Option<usize>), String> {
    let mut fields = word.split('/');
    let v = index(fields.next().unwrap_or_default(), before[0], totals[0], "vertices")?;
    let vt = match fields.next() {
        None | Some("") => None,
        Some(field) => Some(index(field, before[1], totals[1], "texture coordinates (`vt`)")?),
    };
    Ok((v, vt))
}

/// An index, made absolute; a negative one counts back from the last item before it.
fn index(word: &str, before: usize, total: usize, of: &str) -> Result<usize, String> {
    let i: i64 = word.parse().map_err(|_| {
        format!("{} is not an index; a corner is written `v`, `v/vt`, `v//vn` or `v/vt/vn`", quoted(word))
    })?;
    if i == 0 {
        return Err("index 0; OBJ counts from 1, so export with indices from 1".to_owned());
    }
    let found = if i < 0 { (before as i64).checked_add(i).map(|k| k.saturating_add(1)) } else { Some(i) };
    match found {
        Some(k) if k >= 1 && k <= total as i64 => Ok(k as usize),
        _ if i < 0 => {
            Err(format!("index {i}, but only {before} {of} come before; export with absolute indices"))
        }
        _ => {
            Err(format!("index {i}, but the file has {total} {of}; the file is cut short or edited wrongly"))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn makes_negative_indices_absolute() {
        assert_eq!(corner("-1/-2", [5, 3], [9, 9]), Ok((5, Some(2))));
        assert_eq!(corner("-5", [5, 3], [9, 9]), Ok((1, None)));
        assert_eq!(corner("9//4", [5, 3], [9, 9]), Ok((9, None)));
    }

    #[test]
    fn refuses_indices_that_name_nothing() {
        for word in [
            "0",
            "10",
            "-6",
            "1/0",
            "1/10",
            "1/-4",
            "x",
            "",
            "1.0",
            "-9223372036854775808",
            "99999999999999999999",
        ] {
            assert!(corner(word, [5, 3], [9, 9]).is_err(), "{word}");
        }
    }
}
