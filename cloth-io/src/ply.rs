//! PLY, in through the crate `ply-rs-bw`: ASCII and both binary orders, of either precision; and out.
//!
//! The header is read first, then each element by a type that keeps only what a mesh needs; whatever else an
//! element holds is skipped. A header can promise more than the file holds: the counts are checked against
//! the length of the file before anything is read, and memory grows with what is read, not with what is
//! promised.

use std::{
    io::{BufRead, Write},
    path::Path,
};

use cloth_geom::TriMesh;
use nalgebra::Point3;
use ply_rs_bw::{
    parser::{Parser, Reader},
    ply::{
        ElementDef, Encoding, Header, Property, PropertyAccess, PropertyAccessResult, PropertyType,
        ScalarType,
    },
};

use crate::{FileError, LoadedMesh, mesh::check_mesh, polygon::assemble, read_file, write_atomically};

/// Names of the list of a face's vertices.
const FACE_LISTS: [&str; 2] = ["vertex_indices", "vertex_index"];

/// Reads a PLY file: the elements `vertex` (with x, y, z) and `face` (with `vertex_indices` or
/// `vertex_index`).
///
/// # Errors
/// If the file cannot be read, is cut short, lacks these elements, or holds an index or a number that is not
/// valid.
pub fn read_ply(path: &Path) -> Result<LoadedMesh, FileError> {
    let bytes = read_file(path)?;
    parse_ply(path, &bytes)
}

/// Reads the bytes of a PLY file; `path` only names it in errors.
///
/// # Errors
/// Those of [`read_ply`].
pub fn parse_ply(path: &Path, bytes: &[u8]) -> Result<LoadedMesh, FileError> {
    let (vertices, faces) = parse(path, bytes)?;
    assemble_mesh(&vertices, &faces).map_err(|text| FileError::new(path, text))
}

/// The number of vertices of a PLY file, and its polygons with their corners as the file has them.
pub(crate) fn read_polygons(path: &Path) -> Result<(usize, Vec<Polygon>), FileError> {
    let bytes = read_file(path)?;
    let (vertices, polygons) = parse(path, &bytes)?;
    assemble_mesh(&vertices, &polygons).map_err(|text| FileError::new(path, text))?;
    Ok((vertices.len(), polygons))
}

fn parse(path: &Path, bytes: &[u8]) -> Result<(Vec<Vertex>, Vec<Polygon>), FileError> {
    let mut reader = Reader::new(bytes);
    let header = Parser::<Skipped>::new()
        .read_header(&mut reader)
        .map_err(|e| in_file(path, &header_hint(bytes), &e))?;
    check_header(&header, reader.get_ref().len()).map_err(|text| FileError::new(path, text))?;
    let (mut vertices, mut faces) = (Vec::new(), Vec::new());
    for element in header.elements.values() {
        match element.name.as_str() {
            "vertex" => vertices = read(path, &mut reader, element, &header)?,
            "face" => faces = read(path, &mut reader, element, &header)?,
            _ => drop(read::<Skipped>(path, &mut reader, element, &header)?),
        }
    }
    Ok((vertices, faces))
}

fn read<E: PropertyAccess>(
    path: &Path,
    reader: &mut Reader<impl BufRead>,
    element: &ElementDef,
    header: &Header,
) -> Result<Vec<E>, FileError> {
    let fix = "export the file again";
    Parser::<E>::new().read_payload_for_element(reader, element, header).map_err(|e| {
        let mut error = in_file(path, fix, &e);
        if header.encoding != Encoding::Ascii {
            error.line = None; // the parser counts elements as lines there
        }
        error
    })
}

/// The parser's error, on one line.
fn in_file(path: &Path, fix: &str, error: &ply_rs_bw::parser::ParseError) -> FileError {
    let text = error.to_string();
    let text =
        text.split_once(": ").filter(|(head, _)| head.starts_with("Line ")).map_or(text.as_str(), |t| t.1);
    let short: String = text.chars().take(200).collect();
    let problem = format!("is not valid PLY ({fix}): {short}");
    FileError { line: error.line(), ..FileError::new(path, problem) }
}

fn header_hint(bytes: &[u8]) -> String {
    let known = if bytes.starts_with(b"ply") { "see its header" } else { "it does not start with `ply`" };
    known.to_owned()
}

/// Checks that the header describes a mesh, and that `left` bytes can hold what it promises.
fn check_header(header: &Header, left: usize) -> Result<(), String> {
    let element =
        |name: &str| header.elements.get(name).ok_or(format!("has no element `{name}`; export a mesh"));
    let (vertex, face) = (element("vertex")?, element("face")?);
    if let Some(k) = ["x", "y", "z"].iter().find(|k| !vertex.properties.contains_key(**k)) {
        return Err(format!("its vertices have no property `{k}`; export positions as x, y and z"));
    }
    let is_list =
        |k: &&str| matches!(face.properties.get(*k).map(|p| &p.data_type), Some(PropertyType::List(..)));
    if !FACE_LISTS.iter().any(is_list) {
        return Err(format!("its faces have no list `{}`; export polygons, not strips", FACE_LISTS[0]));
    }
    let mut promised = 0u128;
    for e in header.elements.values() {
        if e.properties.is_empty() && e.count > 0 {
            return Err(format!("its element `{}` has no properties; remove it from the header", e.name));
        }
        promised += e.count as u128 * least_size(e, header.encoding);
    }
    if promised > left as u128 {
        return Err(format!(
            "is cut short: its header promises {promised} bytes or more, {left} follow; export it again"
        ));
    }
    Ok(())
}

/// The fewest bytes one element takes in the file.
fn least_size(element: &ElementDef, encoding: Encoding) -> u128 {
    let binary = |s: &ScalarType| match s {
        ScalarType::Char | ScalarType::UChar => 1,
        ScalarType::Short | ScalarType::UShort => 2,
        ScalarType::Int | ScalarType::UInt | ScalarType::Float => 4,
        ScalarType::Double => 8,
    };
    let each = element.properties.values().map(|p| match (&p.data_type, encoding) {
        // A digit, and a separator after all but the last of the file.
        (_, Encoding::Ascii) => 1,
        (PropertyType::Scalar(s) | PropertyType::List(s, _), _) => binary(s),
    });
    each.sum()
}

/// An element whose content nobody asked for.
struct Skipped;

impl PropertyAccess for Skipped {
    fn new() -> Self {
        Self
    }
}

/// A position; coordinates of any type widen to `f64` without rounding.
struct Vertex([f64; 3]);

impl PropertyAccess for Vertex {
    fn new() -> Self {
        Self([0.0; 3])
    }

    fn set_property(&mut self, name: &str, value: Property) -> PropertyAccessResult {
        let Some(k) = ["x", "y", "z"].iter().position(|k| *k == name) else {
            return PropertyAccessResult::Ignored;
        };
        self.0[k] = match value {
            Property::Float(v) => v.into(),
            Property::Double(v) => v,
            Property::Char(v) => v.into(),
            Property::UChar(v) => v.into(),
            Property::Short(v) => v.into(),
            Property::UShort(v) => v.into(),
            Property::Int(v) => v.into(),
            Property::UInt(v) => v.into(),
            _ => return PropertyAccessResult::UnsupportedType,
        };
        PropertyAccessResult::Set
    }
}

/// The corners of a polygon.
pub(crate) struct Polygon(Vec<u32>);

impl AsRef<[u32]> for Polygon {
    fn as_ref(&self) -> &[u32] {
        &self.0
    }
}

impl PropertyAccess for Polygon {
    fn new() -> Self {
        Self(Vec::new())
    }

    fn set_property(&mut self, name: &str, value: Property) -> PropertyAccessResult {
        if !FACE_LISTS.contains(&name) {
            return PropertyAccessResult::Ignored;
        }
        // A negative index or a list of floats has no such form.
        match value.to_u32_list() {
            Some(list) => self.0 = list,
            None => return PropertyAccessResult::UnsupportedType,
        }
        PropertyAccessResult::Set
    }
}

fn assemble_mesh(vertices: &[Vertex], polygons: &[Polygon]) -> Result<LoadedMesh, String> {
    assemble(vertices.iter().map(|v| Point3::from(v.0)).collect(), polygons)
}

/// Writes a mesh as binary PLY of `double`, which keeps every bit; the file appears whole or not at all.
///
/// # Errors
/// If a face names a vertex that there is not, a coordinate is not finite, or the file cannot be written.
pub fn write_ply(path: &Path, mesh: &TriMesh) -> Result<(), FileError> {
    check_mesh(path, &mesh.positions, &mesh.faces)?;
    write_atomically(path, |w| {
        write!(
            w,
            "ply\nformat binary_little_endian 1.0\nelement vertex {}\nproperty double x\nproperty double y\n\
             property double z\nelement face {}\nproperty list uchar uint vertex_indices\nend_header\n",
            mesh.positions.len(),
            mesh.faces.len()
        )?;
        for c in mesh.positions.iter().flat_map(|p| p.iter()) {
            w.write_all(&c.to_le_bytes())?;
        }
        for face in &mesh.faces {
            w.write_all(&[3])?;
            face.iter().try_for_each(|v| w.write_all(&v.to_le_bytes()))?;
        }
        Ok(())
    })
}
