//! A mesh as a file gave it, and the door through which every mesh comes in.
//!
//! Vertices are those of the file, in its order: none is split by texture coordinates, merged by position, or
//! dropped for being unused, because caches, pins and stitches refer to them by number.

use std::{ops::Range, path::Path};

use cloth_geom::TriMesh;

use nalgebra::Point3;

use crate::{
    ArrayNames, FileError, NpzMesh, UsdMesh,
    format::{extension, no_mesh},
    numpy, obj, off, ply, stl, usd,
};

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

/// Reads a mesh; the extension, in either case, decides the format: one of
/// [`MESH_EXTENSIONS`](crate::MESH_EXTENSIONS). Of an archive of many states it reads the first.
///
/// # Errors
/// If the extension is not known, or the file cannot be read or is not valid.
pub fn read_mesh(path: &Path) -> Result<LoadedMesh, FileError> {
    read_mesh_arrays(path, &ArrayNames::default())
}

/// [`read_mesh`], with the names of the arrays that are read of an archive.
///
/// # Errors
/// Those of [`read_mesh`], and if an archive has not these arrays.
pub fn read_mesh_arrays(path: &Path, names: &ArrayNames) -> Result<LoadedMesh, FileError> {
    match extension(path).as_str() {
        "obj" => obj::read_obj(path),
        "ply" => ply::read_ply(path),
        "stl" => stl::read_stl(path),
        "off" => off::read_off(path),
        "npz" => read_npz(path, names),
        "usda" | "usd" => UsdMesh::read(path).map(|mut read| {
            if read.state_count() > 1 {
                let text = format!("the first of its {} frames is the mesh", read.state_count());
                read.loaded.notes.push(text);
            }
            read.loaded
        }),
        _ => Err(no_mesh(path)),
    }
}

fn read_npz(path: &Path, names: &ArrayNames) -> Result<LoadedMesh, FileError> {
    let mut read = NpzMesh::read_arrays(path, names)?;
    let mut notes = std::mem::take(&mut read.notes);
    if read.state_count() > 1 {
        notes.push(format!("the first of its {} frames is the mesh", read.state_count()));
    }
    let mesh = read.mesh;
    Ok(LoadedMesh { mesh, notes, ..LoadedMesh::default() })
}

/// Writes a mesh; the extension, in either case, decides the format: one of
/// [`MESH_EXTENSIONS`](crate::MESH_EXTENSIONS). The file appears whole or not at all.
///
/// Every format but STL keeps the numbers of vertices and every bit of `positions`, which are in the unit and
/// the axes of the caller; [`stl::write_stl`] says what STL keeps.
///
/// # Errors
/// If the extension is not known, a face names a vertex that there is not, a coordinate is not finite, or the
/// file cannot be written.
pub fn write_mesh(path: &Path, positions: &[Point3<f64>], faces: &[[u32; 3]]) -> Result<(), FileError> {
    check_mesh(path, positions, faces)?;
    let mesh = TriMesh::new(positions.to_vec(), faces.to_vec());
    match extension(path).as_str() {
        "obj" => obj::write_obj(path, &mesh),
        "ply" => ply::write_ply(path, &mesh),
        "stl" => stl::write_stl(path, &mesh),
        "off" => off::write_off(path, &mesh),
        "npz" => numpy::write_npz(path, &mesh),
        "usda" => usd::write_usd(path, &mesh.positions, &mesh.faces, None),
        _ => Err(no_mesh(path)),
    }
}

/// Refuses to write what no reader takes.
pub(crate) fn check_mesh(
    path: &Path,
    positions: &[Point3<f64>],
    faces: &[[u32; 3]],
) -> Result<(), FileError> {
    if let Some(v) = positions.iter().position(|p| !p.iter().all(|c| c.is_finite())) {
        return Err(FileError::new(path, format!("vertex {v} is not finite; nothing was written")));
    }
    match faces.iter().position(|face| face.iter().any(|&v| v as usize >= positions.len())) {
        None => Ok(()),
        Some(face) => {
            let text = format!("face {face} names a vertex beyond {}; nothing was written", positions.len());
            Err(FileError::new(path, text))
        }
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
}
