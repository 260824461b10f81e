//! Reads the statements of an OBJ file: positions, texture coordinates, polygons and groups.
//!
//! Every number and every index is checked here, where its line is known. Faces of fewer than three corners
//! and all other statements stay out, and are noted.

use std::{collections::BTreeMap, ops::Range};

use nalgebra::Point3;

use super::{
    Problem, plain,
    statements::{Line, Statement, statements},
};
use crate::error::quoted;

/// Statements that say nothing about the geometry of a surface: left out without a note.
const SILENT: [&str; 7] = ["vn", "s", "mtllib", "usemap", "maplib", "lod", "mg"];

/// Polygons as a file has them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Polygons {
    /// The vertices of all corners, polygon by polygon.
    pub(super) corners: Vec<u32>,
    /// Where each polygon ends in `corners`.
    ends: Vec<usize>,
}

impl Polygons {
    /// The corners of each polygon.
    pub(super) fn ranges(&self) -> impl ExactSizeIterator<Item = Range<usize>> {
        let ends = self.ends.iter().enumerate();
        ends.map(|(k, &end)| k.checked_sub(1).map_or(0, |before| self.ends[before])..end)
    }
}

/// What an OBJ file states about a surface.
#[derive(Debug, Default)]
pub(super) struct Surface {
    /// Finite, in the order of the file.
    pub(super) positions: Vec<Point3<f64>>,
    pub(super) uv: Vec<[f64; 2]>,
    /// Of three corners or more. They are not cut into triangles: how one is cut depends on where its corners
    /// are.
    pub(super) polygons: Polygons,
    /// The texture coordinates of each corner of the polygons, as an index into `uv`.
    pub(super) corner_uv: Vec<Option<u32>>,
    /// The line of each polygon.
    pub(super) polygon_lines: Vec<usize>,
    /// Names, with the number of polygons before each.
    pub(super) groups: Vec<(String, usize)>,
    /// The same of materials.
    pub(super) materials: Vec<(String, usize)>,
    /// What was left out: the line of the first, and how many.
    skipped: BTreeMap<String, (usize, usize)>,
    /// The greatest indices of vertices and texture coordinates that corners name, counted from 1.
    greatest: [usize; 2],
    /// Scratch.
    corners: Vec<(usize, Option<usize>)>,
}

/// How many vertices and how many texture coordinates a text has.
pub(super) fn totals(text: &str) -> [usize; 2] {
    statements(text).fold([0; 2], |[v, vt], s| match s.keyword() {
        "v" => [v + 1, vt],
        "vt" => [v, vt + 1],
        _ => [v, vt],
    })
}

impl Surface {
    /// Reads a text.
    pub(super) fn parse(text: &str) -> Result<Self, Problem> {
        // How many vertices there are is known at the end only, for a face may name later ones.
        if let Ok(surface) = Self::read(text, [usize::MAX; 2])
            && surface.is_in_range()
        {
            return Ok(surface);
        }
        // With the numbers known, the first fault is found where it is.
        let totals = totals(text);
        if totals[0] == 0 {
            return Err(Problem::whole("has no vertices (`v` lines); is it an OBJ file?"));
        }
        if totals.iter().any(|&t| t >= u32::MAX as usize) {
            return Err(Problem::whole("has more vertices than 32-bit indices can name; split it"));
        }
        Self::read(text, totals)
    }

    /// Reads a text that has so many vertices and texture coordinates.
    fn read(text: &str, totals: [usize; 2]) -> Result<Self, Problem> {
        let mut surface = Self::default();
        let mut statements = statements(text);
        while let Some(line) = statements.next_line() {
            if surface.add_plain(line, totals).is_some() {
                continue;
            }
            if let Some(statement) = statements.statement(line) {
                surface.add(&statement, totals).map_err(|text| Problem::at(statement.line, text))?;
            }
        }
        if surface.polygon_lines.is_empty() {
            let text = "has no faces (`f` lines of three corners or more); export the surface";
            return Err(Problem::whole(text));
        }
        Ok(surface)
    }

    /// Whether there are vertices, and all that are named, in numbers of 32 bits.
    fn is_in_range(&self) -> bool {
        let found = [self.positions.len(), self.uv.len()];
        found[0] > 0 && (0..2).all(|k| self.greatest[k] <= found[k] && found[k] < u32::MAX as usize)
    }

    /// Adds what a line states if it is a plain one; none, and nothing is added, if it is another.
    fn add_plain(&mut self, line: Line<'_>, totals: [usize; 2]) -> Option<()> {
        match line.text.as_bytes() {
            [b'v', b' ', ..] => self.positions.push(plain::numbers(line.text, "v")?.into()),
            [b'v', b't', b' ', ..] => self.uv.push(plain::numbers(line.text, "vt")?),
            [b'f', b' ', ..] => {
                plain::corners(line.text, totals, &mut self.corners)?;
                self.add_polygon(line.number);
            }
            _ => return None,
        }
        Some(())
    }

    fn add(&mut self, s: &Statement<'_>, totals: [usize; 2]) -> Result<(), String> {
        match s.keyword() {
            "v" => self.add_vertex(s)?,
            // `vt u` is valid and means `vt u 0`.
            "vt" => self
                .uv
                .push(numbers(s.words().chain(["0"])).ok_or("`vt` needs two numbers, such as `vt 0 1.5`")?),
            "f" => self.add_face(s, totals)?,
            "g" | "o" => self.groups.push((s.rest().to_owned(), self.polygon_lines.len())),
            "usemtl" => self.materials.push((s.rest().to_owned(), self.polygon_lines.len())),
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

    /// Adds x, y and z. What follows is a weight, which only curves use, or a colour.
    fn add_vertex(&mut self, s: &Statement<'_>) -> Result<(), String> {
        let mut words = s.words();
        let position: [f64; 3] = numbers(&mut words).ok_or(VERTEX_NEEDS)?;
        if !position.iter().all(|c| c.is_finite()) {
            return Err("a coordinate is not a finite number; fix the vertex or export again".to_owned());
        }
        self.positions.push(position.into());
        if let (Some(weight), None) = (words.next(), words.next())
            && weight.parse() != Ok(1.0)
        {
            self.skip("vertices with a weight other than 1: weight ignored", s.line);
        }
        Ok(())
    }

    fn add_face(&mut self, s: &Statement<'_>, totals: [usize; 2]) -> Result<(), String> {
        let before = [self.positions.len(), self.uv.len()];
        self.corners.clear();
        for word in s.words() {
            self.corners.push(corner(word, before, totals)?);
        }
        self.add_polygon(s.line);
        Ok(())
    }

    /// Adds the polygon of the corners that were read last.
    fn add_polygon(&mut self, line: usize) {
        let mut corners = std::mem::take(&mut self.corners);
        for &(v, vt) in &corners {
            self.greatest = [self.greatest[0].max(v), self.greatest[1].max(vt.unwrap_or(0))];
        }
        if corners.len() > 3 {
            let count = corners.len();
            corners.dedup_by_key(|c| c.0);
            if corners.len() > 1 && corners[0].0 == corners[corners.len() - 1].0 {
                corners.pop();
            }
            if corners.len() < count {
                self.skip("polygons that repeat a corner: repeats removed", line);
            }
        }
        if corners.len() < 3 {
            self.skip("faces of fewer than three corners left out", line);
            return;
        }
        self.polygons.corners.extend(corners.iter().map(|&(v, _)| (v - 1) as u32));
        self.polygons.ends.push(self.polygons.corners.len());
        self.corner_uv.extend(corners.iter().map(|&(_, vt)| vt.map(|vt| (vt - 1) as u32)));
        self.polygon_lines.push(line);
        self.corners = corners;
    }

    fn skip(&mut self, what: &str, line: usize) {
        self.skipped.entry(what.to_owned()).or_insert((line, 0)).1 += 1;
    }

    /// What was left out, a sentence each.
    pub(super) fn notes(&self) -> Vec<String> {
        self.skipped.iter().map(|(what, (line, n))| format!("{n} {what}, first in line {line}")).collect()
    }
}

/// What is said about a `v` that lacks a coordinate.
pub(super) const VERTEX_NEEDS: &str = "`v` needs three numbers, such as `v 0 1.5 -2e-3`";

/// The first `N` words, if all are numbers.
fn numbers<'a, const N: usize>(mut words: impl Iterator<Item = &'a str>) -> Option<[f64; N]> {
    let mut numbers = [0.0; N];
    for number in &mut numbers {
        *number = words.next()?.parse().ok()?;
    }
    Some(numbers)
}

/// The absolute vertex and texture indices of a corner such as `7`, `7/3`, `7//2` or `-1/-1/-1`, counted from
/// 1.
pub(super) fn corner(
    word: &str,
    before: [usize; 2],
    totals: [usize; 2],
) -> Result<(usize, Option<usize>), String> {
    let (first, rest) = split_at_slash(word);
    let v = index(first, before[0], totals[0], "vertices")?;
    let vt = match rest.map(|rest| split_at_slash(rest).0) {
        None | Some("") => None,
        Some(field) => Some(index(field, before[1], totals[1], "texture coordinates (`vt`)")?),
    };
    Ok((v, vt))
}

/// What is before the first slash, and what is after it if there is one.
fn split_at_slash(word: &str) -> (&str, Option<&str>) {
    match word.bytes().position(|b| b == b'/') {
        Some(slash) => (&word[..slash], Some(&word[slash + 1..])),
        None => (word, None),
    }
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
        Some(k) if k >= 1 && usize::try_from(k).is_ok_and(|k| k <= total) => Ok(k as usize),
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
