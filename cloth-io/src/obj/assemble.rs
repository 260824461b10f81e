//! Turns what the parser gives into a mesh: finite positions, triangles, rest coordinates, groups.

use cloth_geom::TriMesh;
use nalgebra::Point3;

use super::{Problem, prepare::Prepared};
use crate::{
    Group, LoadedMesh,
    polygon::{Cut, DEGENERATE, too_large, triangulate},
};

/// Polygons as a file has them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Polygons {
    /// How many corners each has; empty if all are triangles.
    arities: Vec<u32>,
    /// The vertices of all corners, polygon by polygon.
    corners: Vec<u32>,
}

/// Positions and polygons, which are not cut into triangles: how a polygon is cut depends on where its
/// corners are.
pub(super) fn polygons(
    mesh: tobj::Mesh,
    prepared: &Prepared,
) -> Result<(Vec<Point3<f64>>, Polygons), Problem> {
    let positions = positions(&mesh, prepared)?;
    let corners = mesh.indices[positions.len()..].to_vec();
    let arities = mesh.face_arities.get(1..).unwrap_or_default();
    let arities = if arities.iter().all(|&n| n == 3) { Vec::new() } else { arities.to_vec() };
    Ok((positions, Polygons { arities, corners }))
}

fn positions(mesh: &tobj::Mesh, prepared: &Prepared) -> Result<Vec<Point3<f64>>, Problem> {
    let positions: Vec<_> = mesh.positions.chunks_exact(3).map(Point3::from_slice).collect();
    debug_assert_eq!(positions.len(), prepared.vertex_lines.len());
    if let Some(v) = positions.iter().position(|p| !p.iter().all(|c| c.is_finite())) {
        let text = "a coordinate is not a finite number; fix the vertex or export again";
        return Err(Problem::at(prepared.vertex_lines[v], text));
    }
    Ok(positions)
}

pub(super) fn assemble(mesh: tobj::Mesh, prepared: Prepared) -> Result<LoadedMesh, Problem> {
    let positions = positions(&mesh, &prepared)?;
    let mut faces = Faces::new(&mesh, positions.len(), &prepared);
    for k in 0..prepared.face_lines.len() {
        faces.take(k, &positions)?;
    }
    let Faces { triangles, rest_uv, starts, mut notes, degenerate, .. } = faces;
    notes.extend(degenerate.map(|(n, line)| format!("{n} {DEGENERATE}, first in line {line}")));
    Ok(LoadedMesh {
        groups: groups(&prepared, &starts, triangles.len()),
        mesh: TriMesh::new(positions, triangles),
        rest_uv,
        notes,
    })
}

/// The faces of the parser, taken one by one.
struct Faces<'a> {
    source: &'a tobj::Mesh,
    prepared: &'a Prepared,
    /// Where the next polygon starts among the parser's indices.
    next: usize,
    triangles: Vec<[u32; 3]>,
    rest_uv: Option<Vec<[[f64; 2]; 3]>>,
    /// The number of triangles before each polygon.
    starts: Vec<u32>,
    notes: Vec<String>,
    /// How many polygons are degenerate, and the line of the first.
    degenerate: Option<(usize, usize)>,
    cut: Vec<[usize; 3]>,
}

impl<'a> Faces<'a> {
    /// Starts behind the polygon that names every vertex.
    fn new(source: &'a tobj::Mesh, vertices: usize, prepared: &'a Prepared) -> Self {
        let mut notes = prepared.notes();
        let (with_uv, all) = (prepared.faces_with_uv, prepared.face_lines.len());
        let mut rest_uv = (with_uv == all).then(Vec::new);
        if with_uv != all && with_uv > 0 {
            notes.push(format!(
                "{} of {all} faces lack texture coordinates: no rest shape from them",
                all - with_uv
            ));
        }
        if rest_uv.is_some() && !source.texcoords.iter().all(|c| c.is_finite()) {
            notes.push("a texture coordinate is not finite: no rest shape from them".to_owned());
            rest_uv = None;
        }
        Self {
            source,
            prepared,
            next: vertices,
            triangles: Vec::with_capacity(all),
            rest_uv,
            starts: Vec::with_capacity(all),
            notes,
            degenerate: None,
            cut: Vec::new(),
        }
    }

    fn take(&mut self, k: usize, positions: &[Point3<f64>]) -> Result<(), Problem> {
        // The parser lists no arities if all polygons, the first included, are triangles.
        let arity = self.source.face_arities.get(k + 1).map_or(3, |&n| n as usize);
        let corners = &self.source.indices[self.next..self.next + arity];
        let points: Vec<_> = corners.iter().map(|&v| positions[v as usize]).collect();
        self.cut.clear();
        let line = self.prepared.face_lines[k];
        match triangulate(&points, &mut self.cut) {
            Cut::Clean => {}
            Cut::Degenerate => self.degenerate.get_or_insert((0, line)).0 += 1,
            Cut::TooLarge => return Err(Problem::at(line, format!("this polygon {}", too_large(arity)))),
        }
        self.starts.push(self.triangles.len() as u32);
        self.triangles.extend(self.cut.iter().map(|t| t.map(|c| corners[c])));
        if let Some(rest_uv) = &mut self.rest_uv {
            let corner_uv = |c: usize| {
                let vt = 2 * self.source.texcoord_indices[self.next + c] as usize;
                [self.source.texcoords[vt], self.source.texcoords[vt + 1]]
            };
            rest_uv.extend(self.cut.iter().map(|t| t.map(corner_uv)));
        }
        self.next += arity;
        Ok(())
    }
}

/// The triangles under each name; names without faces are dropped.
fn groups(prepared: &Prepared, starts: &[u32], triangles: usize) -> Vec<Group> {
    let start = |polygon: usize| starts.get(polygon).copied().unwrap_or(triangles as u32);
    let ends = prepared.groups.iter().skip(1).map(|g| g.1).chain([starts.len()]);
    let ranges = prepared.groups.iter().zip(ends);
    ranges
        .map(|((name, first), end)| Group { name: name.clone(), faces: start(*first)..start(end) })
        .filter(|g| !g.faces.is_empty())
        .collect()
}
