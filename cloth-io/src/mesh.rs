//! A mesh as a file gave it, and the door through which every mesh comes in.
//!
//! Vertices are those of the file, in its order: none is split by texture coordinates, merged by position, or
//! dropped for being unused, because caches, pins and stitches refer to them by number.

use std::{ops::Range, path::Path};

use cloth_geom::TriMesh;

use crate::{FileError, obj, ply};

/// The extensions that [`read_mesh`] knows.
const KNOWN: [&str; 2] = ["obj", "ply"];

/// A mesh as a file gave it, its polygons cut into triangles.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct LoadedMesh {
    /// Positions in the file's own unit and axes, and faces; all finite and in range.
    pub mesh: TriMesh,
    /// For each corner of each face its rest (pattern) coordinates; `None` unless the file gives them for
    /// all.
    ///
    /// They belong to corners, not to vertices: along a seam of the pattern a vertex has several.
    pub rest_uv: Option<Vec<[[f64; 2]; 3]>>,
    /// The file's groups and objects in its order; names may recur. Faces before the first are in none.
    pub groups: Vec<Group>,
    /// The parts under each material name (`usemtl`) of an OBJ file, in its order; names may recur. The
    /// materials themselves are not read.
    pub materials: Vec<Group>,
    /// What was left out or changed on the way in, a sentence each.
    pub notes: Vec<String>,
}

/// Faces that stand under one name in the file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Group {
    /// The name, as written.
    pub name: String,
    /// The triangles, indices into the mesh's faces; never empty.
    pub faces: Range<u32>,
}

/// Rest coordinates by vertex, see [`LoadedMesh::vertex_uv`].
#[derive(Clone, Debug, PartialEq)]
pub enum VertexUv {
    /// Every vertex that a face uses has exactly one; `None` for the others.
    Unambiguous(Vec<Option<[f64; 2]>>),
    /// This vertex has several: it lies on a seam of the pattern.
    Seam {
        /// The first vertex that has several.
        vertex: u32,
    },
    /// The file has none.
    Missing,
}

impl LoadedMesh {
    /// The rest coordinates of each vertex, where no vertex has two.
    #[must_use]
    pub fn vertex_uv(&self) -> VertexUv {
        let Some(rest_uv) = &self.rest_uv else { return VertexUv::Missing };
        let mut uv: Vec<Option<[f64; 2]>> = vec![None; self.mesh.positions.len()];
        for (face, coordinates) in self.mesh.faces.iter().zip(rest_uv) {
            for (&vertex, &new) in face.iter().zip(coordinates) {
                let slot = &mut uv[vertex as usize];
                if slot.is_some_and(|old| old != new) {
                    return VertexUv::Seam { vertex };
                }
                *slot = Some(new);
            }
        }
        VertexUv::Unambiguous(uv)
    }
}

/// Reads a mesh; the extension, in either case, decides the format: `.obj` or `.ply`.
///
/// # Errors
/// If the extension is not known, or the file cannot be read or is not valid.
pub fn read_mesh(path: &Path) -> Result<LoadedMesh, FileError> {
    let extension = path.extension().and_then(|e| e.to_str()).unwrap_or_default().to_ascii_lowercase();
    match extension.as_str() {
        "obj" => obj::read_obj(path),
        "ply" => ply::read_ply(path),
        _ => Err(FileError::new(
            path,
            format!("extension {extension:?} is not a mesh format; known are: {}", KNOWN.join(", ")),
        )),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn two_triangles(rest_uv: Option<Vec<[[f64; 2]; 3]>>) -> LoadedMesh {
        let mesh = TriMesh::new(vec![Default::default(); 5], vec![[0, 1, 2], [0, 2, 3]]);
        LoadedMesh { mesh, rest_uv, ..LoadedMesh::default() }
    }

    #[test]
    fn gives_each_vertex_its_only_rest_coordinates() {
        let (a, b, c, d) = ([0.0, 0.0], [1.0, 0.0], [1.0, 1.0], [0.0, 1.0]);
        let uv = two_triangles(Some(vec![[a, b, c], [a, c, d]])).vertex_uv();
        assert_eq!(uv, VertexUv::Unambiguous(vec![Some(a), Some(b), Some(c), Some(d), None]));
    }

    #[test]
    fn names_a_vertex_on_a_seam() {
        let (a, b, c, d) = ([0.0, 0.0], [1.0, 0.0], [1.0, 1.0], [0.0, 1.0]);
        let uv = two_triangles(Some(vec![[a, b, c], [a, d, d]])).vertex_uv();
        assert_eq!(uv, VertexUv::Seam { vertex: 2 });
        assert_eq!(two_triangles(None).vertex_uv(), VertexUv::Missing);
    }

    #[test]
    fn lists_the_known_extensions_when_it_knows_none() {
        let error = read_mesh(Path::new("shirt.fbx")).unwrap_err().to_string();
        assert_eq!(error, "shirt.fbx: extension \"fbx\" is not a mesh format; known are: obj, ply");
        assert!(read_mesh(Path::new("shirt")).is_err());
    }
}
