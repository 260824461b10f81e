//! STL, in and out, text and binary.
//!
//! ```text
//! text    solid NAME / facet normal x y z / outer loop / 3 x vertex x y z / endloop / endfacet / endsolid
//! binary  80 bytes of anything  u32 n   n x (normal, 3 corners: 12 f32; u16 of anything)   84 + 50 n bytes
//! ```
//!
//! Corners have no numbers: equal positions are one vertex (0 and -0 are equal, nothing else is rounded), in
//! the order of their first corners. A binary file is known by its length, because many begin with `solid`
//! all the same. Normals and attributes are left out.

use std::{collections::HashMap, io::Write, path::Path};

use cloth_geom::TriMesh;
use nalgebra::{Point3, Vector3};

use crate::{
    FileError, Group, LoadedMesh, mesh::check_mesh, obj::decode, quoted, read_file, write_atomically,
};

/// Bytes before the faces of a binary file.
const HEADER: usize = 84;

/// Bytes of a face of a binary file.
const FACE: usize = 50;

const FIX: &str = "export it again";

/// Reads an STL file. A note says how many corners became how many vertices.
///
/// # Errors
/// If the file cannot be read, is cut short, has no faces, or holds a coordinate that is not valid.
pub fn read_stl(path: &Path) -> Result<LoadedMesh, FileError> {
    parse_stl(path, &read_file(path)?)
}

/// Reads the bytes of an STL file; `path` only names it in errors.
///
/// # Errors
/// Those of [`read_stl`].
pub fn parse_stl(path: &Path, bytes: &[u8]) -> Result<LoadedMesh, FileError> {
    let promised = bytes.get(HEADER - 4..HEADER).map(|n| u32::from_le_bytes([n[0], n[1], n[2], n[3]]));
    let length = promised.map(|n| HEADER as u128 + FACE as u128 * u128::from(n));
    let mut joined = JoinedCorners::default();
    if length == Some(bytes.len() as u128) {
        parse_binary(&bytes[HEADER..], &mut joined).map_err(|text| FileError::new(path, text))?;
    } else if is_text(bytes) {
        parse_text(path, bytes, &mut joined)?;
    } else {
        return Err(FileError::new(path, wrong_length(bytes.len(), promised, length)));
    }
    joined.finish().map_err(|text| FileError::new(path, text))
}

/// Whether a file that has not the length of a binary one is text: it begins with `solid`, and no byte of it
/// is 0.
fn is_text(bytes: &[u8]) -> bool {
    let start = bytes.trim_ascii_start();
    start.get(..5).is_some_and(|word| word.eq_ignore_ascii_case(b"solid")) && !bytes.contains(&0)
}

fn wrong_length(found: usize, promised: Option<u32>, length: Option<u128>) -> String {
    match promised.zip(length) {
        Some((faces, length)) => format!(
            "is no text STL, which begins with `solid`, and as binary STL it holds {found} bytes, but its \
             {faces} faces take {length}; {FIX}"
        ),
        None => format!("is no STL: it does not begin with `solid`, and {found} bytes hold no face; {FIX}"),
    }
}

fn parse_binary(faces: &[u8], joined: &mut JoinedCorners) -> Result<(), String> {
    for (k, face) in faces.chunks_exact(FACE).enumerate() {
        let number = |at: usize| f32::from_le_bytes([face[at], face[at + 1], face[at + 2], face[at + 3]]);
        let corner = |k: usize| [0, 4, 8].map(|axis| f64::from(number(12 + 12 * k + axis)));
        let corners = [0, 1, 2].map(corner);
        if !corners.iter().flatten().all(|c| c.is_finite()) {
            return Err(format!("face {k} has a coordinate that is not finite; {FIX}"));
        }
        joined.push(corners)?;
    }
    Ok(())
}

/// Where a text file is.
#[derive(Default)]
struct TextPlace {
    is_in_solid: bool,
    /// The corners of the loop that is open.
    corners: Option<Vec<[f64; 3]>>,
}

fn parse_text(path: &Path, bytes: &[u8], joined: &mut JoinedCorners) -> Result<(), FileError> {
    let text = decode(path, bytes)?;
    let mut place = TextPlace::default();
    for (k, line) in text.lines().enumerate() {
        place.take(line.trim(), joined).map_err(|text| FileError::at_line(path, k + 1, text))?;
    }
    match place {
        TextPlace { is_in_solid: false, corners: None } => Ok(()),
        _ => Err(FileError::new(path, format!("is cut short: no `endsolid` ends it; {FIX}"))),
    }
}

impl TextPlace {
    fn take(&mut self, line: &str, joined: &mut JoinedCorners) -> Result<(), String> {
        let (word, rest) = line.split_once([' ', '\t']).unwrap_or((line, ""));
        let is_in = self.corners.is_some();
        match word.to_ascii_lowercase().as_str() {
            "solid" if !self.is_in_solid => {
                self.is_in_solid = true;
                joined.begin(rest.trim());
            }
            "outer" if self.is_in_solid && !is_in => self.corners = Some(Vec::new()),
            "vertex" => {
                let corner = numbers(rest).ok_or_else(|| format!("{} is no corner; {FIX}", quoted(line)))?;
                let corners = self.corners.as_mut().filter(|corners| corners.len() < 3);
                corners.ok_or(format!("a corner that is of no triangle; {FIX}"))?.push(corner);
            }
            "endloop" => match self.corners.take().as_deref() {
                Some(&[a, b, c]) => joined.push([a, b, c])?,
                _ => return Err(format!("a loop that has not three corners; {FIX}")),
            },
            "endsolid" if self.is_in_solid && !is_in => self.is_in_solid = false,
            "facet" | "endfacet" if self.is_in_solid && !is_in => {}
            "" => {}
            _ => return Err(format!("{} is not expected here; {FIX}", quoted(line))),
        }
        Ok(())
    }
}

/// Three finite numbers and nothing else.
fn numbers(text: &str) -> Option<[f64; 3]> {
    let mut words = text.split_ascii_whitespace();
    let mut number = || words.next()?.parse().ok().filter(|n: &f64| n.is_finite());
    let found = [number()?, number()?, number()?];
    words.next().is_none().then_some(found)
}

/// Faces whose equal corners are joined.
#[derive(Default)]
struct JoinedCorners {
    vertices: HashMap<[u64; 3], u32>,
    mesh: TriMesh,
    /// The solids of a text file, each with its first face.
    solids: Vec<(String, u32)>,
}

impl JoinedCorners {
    /// Begins a solid.
    fn begin(&mut self, name: &str) {
        self.solids.push((name.to_owned(), self.mesh.faces.len() as u32));
    }

    fn push(&mut self, corners: [[f64; 3]; 3]) -> Result<(), String> {
        let mut face = [0; 3];
        for (slot, corner) in face.iter_mut().zip(corners) {
            let next = u32::try_from(self.mesh.positions.len());
            let next = next.map_err(|_| "has more than 2^32 vertices; divide it".to_owned())?;
            // The sum of -0 and 0 is 0, and every other number stays.
            *slot = *self.vertices.entry(corner.map(|c| (c + 0.0).to_bits())).or_insert(next);
            if *slot == next {
                self.mesh.positions.push(Point3::from(corner));
            }
        }
        self.mesh.faces.push(face);
        Ok(())
    }

    fn finish(self) -> Result<LoadedMesh, String> {
        let Self { mesh, solids, .. } = self;
        let (faces, vertices) = (mesh.faces.len(), mesh.positions.len());
        if faces == 0 {
            return Err("has no faces; export the surface".to_owned());
        }
        let ends = solids.iter().skip(1).map(|solid| solid.1).chain([faces as u32]);
        let groups = solids.iter().zip(ends).map(|((name, first), end)| (name, *first..end));
        let groups = groups.filter(|(name, faces)| !name.is_empty() && !faces.is_empty());
        let groups = groups.map(|(name, faces)| Group { name: name.clone(), faces }).collect();
        let note = format!(
            "an STL file has no vertices: equal positions are joined, {} corners are {vertices} vertices",
            3 * faces
        );
        Ok(LoadedMesh { mesh, groups, notes: vec![note], ..LoadedMesh::default() })
    }
}

/// Writes a mesh as binary STL; the file appears whole or not at all.
///
/// Coordinates are rounded to the nearest `f32`, and vertices lose their numbers: a reader joins those whose
/// rounded positions are equal.
///
/// # Errors
/// If a face names a vertex that there is not, a coordinate is not finite or beyond `f32`, there are 2^32
/// faces or more, or the file cannot be written.
pub fn write_stl(path: &Path, mesh: &TriMesh) -> Result<(), FileError> {
    check_mesh(path, &mesh.positions, &mesh.faces)?;
    let rounded = mesh.positions_f32();
    if let Some(v) = rounded.iter().position(|p| !p.iter().all(|c| c.is_finite())) {
        return Err(FileError::new(
            path,
            format!("vertex {v} is beyond the numbers of STL; write OBJ or PLY"),
        ));
    }
    let count = u32::try_from(mesh.faces.len());
    let count = count.map_err(|_| FileError::new(path, "has too many faces for STL; write PLY"))?;
    write_atomically(path, |w| {
        let mut header = [0; HEADER];
        // Not `solid`, which begins a text file.
        header[..10].copy_from_slice(b"binary STL");
        header[HEADER - 4..].copy_from_slice(&count.to_le_bytes());
        w.write_all(&header)?;
        for face in &mesh.faces {
            let corners = face.map(|v| rounded[v as usize]);
            let [a, b, c] = face.map(|v| mesh.positions[v as usize]);
            let normal =
                (b - a).cross(&(c - a)).try_normalize(0.0).filter(|n| n.iter().all(|c| c.is_finite()));
            let normal: Vector3<f32> = normal.unwrap_or_default().cast();
            let numbers = normal.iter().chain(corners.iter().flat_map(|p| p.iter()));
            numbers.copied().map(f32::to_le_bytes).try_for_each(|bytes| w.write_all(&bytes))?;
            w.write_all(&[0; 2])?;
        }
        Ok(())
    })
}
