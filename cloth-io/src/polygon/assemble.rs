//! A mesh of positions and polygons.

use cloth_geom::TriMesh;
use nalgebra::Point3;

use super::{Cut, DEGENERATE, too_large, triangulate};
use crate::LoadedMesh;

/// Makes a mesh of polygons, each by the numbers of its corners. The error says which vertex or face, counted
/// from 0, is not valid.
pub(crate) fn assemble(
    positions: Vec<Point3<f64>>,
    polygons: &[impl AsRef<[u32]>],
) -> Result<LoadedMesh, String> {
    if let Some(v) = positions.iter().position(|p| !p.iter().all(|c| c.is_finite())) {
        return Err(format!("vertex {v} is not finite; fix the vertex or export again"));
    }
    let vertices = positions.len();
    let mut loaded = LoadedMesh { mesh: TriMesh::new(positions, Vec::new()), ..LoadedMesh::default() };
    let (mut short, mut degenerate, mut cut) = (0, 0, Vec::new());
    for (k, corners) in polygons.iter().map(AsRef::as_ref).enumerate() {
        if let Some(v) = corners.iter().find(|&&v| v as usize >= vertices) {
            return Err(format!("face {k} names vertex {v}, but there are {vertices}; export it again"));
        }
        if corners.len() < 3 {
            short += 1;
            continue;
        }
        degenerate += usize::from(
            push_polygon(&mut loaded.mesh, corners, &mut cut).map_err(|e| format!("face {k} {e}"))?,
        );
    }
    if degenerate > 0 {
        loaded.notes.push(format!("{degenerate} {DEGENERATE}"));
    }
    if short > 0 {
        loaded.notes.push(format!("{short} faces of fewer than three corners left out"));
    }
    if loaded.mesh.faces.is_empty() {
        return Err("has no faces; export the surface, not only points".to_owned());
    }
    Ok(loaded)
}

/// Appends the triangles of a polygon; returns whether it is degenerate.
fn push_polygon(mesh: &mut TriMesh, corners: &[u32], cut: &mut Vec<[usize; 3]>) -> Result<bool, String> {
    let points: Vec<_> = corners.iter().map(|&v| mesh.positions[v as usize]).collect();
    cut.clear();
    let how = triangulate(&points, cut);
    if how == Cut::TooLarge {
        return Err(too_large(corners.len()));
    }
    mesh.faces.extend(cut.iter().map(|t| t.map(|c| corners[c])));
    Ok(how == Cut::Degenerate)
}
