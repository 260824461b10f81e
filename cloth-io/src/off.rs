//! OFF, in and out: the text format of Geomview, CGAL and MeshLab.
//!
//! ```text
//! OFF               or COFF, NOFF, STOFF and their combinations
//! 4 2 0             vertices, faces, edges; the last may be missing, and all may stand behind the keyword
//! 0 0 0             a vertex a line; what follows the position (normal, colour, texture) is left out
//! 3 0 1 2 255 0 0   a face a line: how many corners, which, and perhaps a colour
//! ```
//!
//! Empty lines and everything behind `#` are skipped.

use std::{io::Write, path::Path};

use cloth_geom::TriMesh;
use nalgebra::Point3;

use crate::{
    FileError, LoadedMesh, mesh::check_mesh, obj::decode, polygon::assemble, quoted, read_file,
    write_atomically,
};

const FIX: &str = "export it again";

/// Reads an OFF file; polygons become triangles.
///
/// # Errors
/// If the file cannot be read, is binary or of another dimension, is cut short, has no faces, or holds an
/// index or a number that is not valid: the error names the line.
pub fn read_off(path: &Path) -> Result<LoadedMesh, FileError> {
    parse_off(path, &read_file(path)?)
}

/// Reads the bytes of an OFF file; `path` only names it in errors.
///
/// # Errors
/// Those of [`read_off`].
pub fn parse_off(path: &Path, bytes: &[u8]) -> Result<LoadedMesh, FileError> {
    let OffSurface { positions, polygons } = parse(path, bytes)?;
    assemble(positions, &polygons).map_err(|text| FileError::new(path, text))
}

/// The number of vertices of an OFF file, and its polygons with their corners as the file has them.
pub(crate) fn read_polygons(path: &Path) -> Result<(usize, Vec<Vec<u32>>), FileError> {
    let OffSurface { positions, polygons } = parse(path, &read_file(path)?)?;
    assemble(positions.clone(), &polygons).map_err(|text| FileError::new(path, text))?;
    Ok((positions.len(), polygons))
}

/// What a file has, its polygons with their corners.
#[derive(Default)]
struct OffSurface {
    positions: Vec<Point3<f64>>,
    polygons: Vec<Vec<u32>>,
}

fn parse(path: &Path, bytes: &[u8]) -> Result<OffSurface, FileError> {
    let text = decode(path, bytes)?;
    let mut lines = Lines { path, lines: text.lines().enumerate() };
    let (line, first) = lines.next("a keyword")?;
    let refuse = |text: &str| FileError::at_line(path, line, text);
    let rest = behind_keyword(first).map_err(|text| refuse(&text))?;
    let (line, counts) = if rest.is_empty() { lines.next("the counts")? } else { (line, rest) };
    let [vertices, faces] = counts_of(counts).ok_or_else(|| {
        let text = format!("{} are no numbers of vertices and faces; {FIX}", quoted(counts));
        FileError::at_line(path, line, text)
    })?;
    // Both grow with the lines that there are, whatever was promised.
    let mut surface = OffSurface::default();
    for _ in 0..vertices {
        let (line, text) = lines.next("a vertex")?;
        let position = position(text).ok_or_else(|| format!("{} is no position; {FIX}", quoted(text)));
        surface.positions.push(position.map_err(|text| FileError::at_line(path, line, text))?);
    }
    for _ in 0..faces {
        let (line, text) = lines.next("a face")?;
        surface.polygons.push(polygon(text, vertices).map_err(|text| FileError::at_line(path, line, text))?);
    }
    match lines.next("") {
        Ok((line, _)) => {
            let text = format!("follows the {vertices} vertices and {faces} faces that were promised; {FIX}");
            Err(FileError::at_line(path, line, text))
        }
        Err(_) => Ok(surface),
    }
}

/// The lines that hold anything.
struct Lines<'a> {
    path: &'a Path,
    lines: std::iter::Enumerate<std::str::Lines<'a>>,
}

impl<'a> Lines<'a> {
    /// The next line, with its number.
    fn next(&mut self, wanted: &str) -> Result<(usize, &'a str), FileError> {
        let content = |line: &'a str| line.split('#').next().unwrap_or_default().trim();
        let found = self.lines.by_ref().map(|(k, line)| (k + 1, content(line)));
        found.into_iter().find(|(_, line)| !line.is_empty()).ok_or_else(|| {
            FileError::new(self.path, format!("is cut short: {wanted} is missing at its end; {FIX}"))
        })
    }
}

/// What follows the keyword on its line, which counts may do without a blank.
fn behind_keyword(line: &str) -> Result<&str, String> {
    let Some((letters, rest)) = line.split_once("OFF") else {
        return Err(format!("{} is not `OFF`, with which the format begins; {FIX}", quoted(line)));
    };
    let rest = rest.trim();
    let is_known = ["", "C", "N", "CN", "ST", "STC", "STN", "STCN"].contains(&letters);
    match rest.starts_with("BINARY") {
        true => Err("is binary OFF; save it as text, or as PLY".to_owned()),
        false if is_known => Ok(rest),
        false => Err(format!("{} is not an OFF of three dimensions; export PLY", quoted(line))),
    }
}

fn counts_of(text: &str) -> Option<[usize; 2]> {
    let counts: Option<Vec<usize>> = text.split_ascii_whitespace().map(|word| word.parse().ok()).collect();
    match counts?.as_slice() {
        &[vertices, faces] | &[vertices, faces, _] => Some([vertices, faces]),
        _ => None,
    }
}

fn position(text: &str) -> Option<Point3<f64>> {
    let mut words = text.split_ascii_whitespace();
    let mut number = || words.next()?.parse().ok().filter(|n: &f64| n.is_finite());
    Some(Point3::new(number()?, number()?, number()?))
}

fn polygon(text: &str, vertices: usize) -> Result<Vec<u32>, String> {
    let mut words = text.split_ascii_whitespace();
    let count: usize = words.next().and_then(|word| word.parse().ok()).unwrap_or(usize::MAX);
    let corner = |word: &str| {
        let vertex: Option<u32> = word.parse().ok().filter(|&v| (v as usize) < vertices);
        vertex.ok_or_else(|| {
            format!("a face names vertex {}, but there are {vertices}, counted from 0; {FIX}", quoted(word))
        })
    };
    let corners = words.take(count).map(corner).collect::<Result<Vec<_>, _>>()?;
    match corners.len() == count {
        true => Ok(corners),
        false => Err(format!("{} is no face: it has not as many corners as it says; {FIX}", quoted(text))),
    }
}

/// Writes a mesh as OFF so that every number reads back bit for bit; the file appears whole or not at all.
///
/// # Errors
/// If a face names a vertex that there is not, a coordinate is not finite, or the file cannot be written.
pub fn write_off(path: &Path, mesh: &TriMesh) -> Result<(), FileError> {
    check_mesh(path, &mesh.positions, &mesh.faces)?;
    write_atomically(path, |w| {
        writeln!(w, "OFF\n{} {} 0", mesh.positions.len(), mesh.faces.len())?;
        for p in &mesh.positions {
            writeln!(w, "{:?} {:?} {:?}", p.x, p.y, p.z)?;
        }
        mesh.faces.iter().try_for_each(|[a, b, c]| writeln!(w, "3 {a} {b} {c}"))
    })
}
