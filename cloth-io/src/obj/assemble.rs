//! Turns what an OBJ file states into a mesh: triangles, rest coordinates, groups.

use cloth_geom::TriMesh;

use super::{Problem, surface::Surface};
use crate::{
    Group, LoadedMesh,
    polygon::{Cut, DEGENERATE, too_large, triangulate},
};

pub(super) fn assemble(surface: Surface) -> Result<LoadedMesh, Problem> {
    let mut notes = surface.notes();
    let uv = corner_uv(&surface, &mut notes);
    let mut triangles = Vec::with_capacity(surface.polygon_lines.len());
    let mut rest_uv = uv.as_ref().map(|_| Vec::new());
    // The number of triangles before each polygon.
    let mut starts = Vec::with_capacity(surface.polygon_lines.len());
    // How many polygons are degenerate, and the line of the first.
    let mut degenerate = None;
    let (mut points, mut cut) = (Vec::new(), Vec::new());
    for (range, &line) in surface.polygons.ranges().zip(&surface.polygon_lines) {
        let corners = &surface.polygons.corners[range.clone()];
        points.clear();
        points.extend(corners.iter().map(|&v| surface.positions[v as usize]));
        cut.clear();
        match triangulate(&points, &mut cut) {
            Cut::Clean => {}
            Cut::Degenerate => degenerate.get_or_insert((0, line)).0 += 1,
            Cut::TooLarge => {
                return Err(Problem::at(line, format!("this polygon {}", too_large(corners.len()))));
            }
        }
        starts.push(triangles.len() as u32);
        triangles.extend(cut.iter().map(|t| t.map(|c| corners[c])));
        if let (Some(rest_uv), Some(uv)) = (&mut rest_uv, &uv) {
            rest_uv.extend(cut.iter().map(|t| t.map(|c| uv[range.start + c])));
        }
    }
    notes.extend(degenerate.map(|(n, line)| format!("{n} {DEGENERATE}, first in line {line}")));
    let [groups, materials] =
        [&surface.groups, &surface.materials].map(|names| groups(names, &starts, triangles.len()));
    Ok(LoadedMesh { mesh: TriMesh::new(surface.positions, triangles), rest_uv, groups, materials, notes })
}

/// The texture coordinates of every corner; `None` unless all corners have finite ones, which is noted if
/// some have any.
fn corner_uv(surface: &Surface, notes: &mut Vec<String>) -> Option<Vec<[f64; 2]>> {
    let all = surface.polygon_lines.len();
    let lacking = surface.polygons.ranges().filter(|r| surface.corner_uv[r.clone()].contains(&None)).count();
    if lacking > 0 {
        if lacking < all {
            notes.push(format!("{lacking} of {all} faces lack texture coordinates: no rest shape from them"));
        }
        return None;
    }
    let uv: Vec<_> = surface.corner_uv.iter().flatten().map(|&vt| surface.uv[vt as usize]).collect();
    if !uv.iter().flatten().all(|c| c.is_finite()) {
        notes.push("a texture coordinate is not finite: no rest shape from them".to_owned());
        return None;
    }
    Some(uv)
}

/// The triangles under each name; names without faces are dropped.
fn groups(names: &[(String, usize)], starts: &[u32], triangles: usize) -> Vec<Group> {
    let start = |polygon: usize| starts.get(polygon).copied().unwrap_or(triangles as u32);
    let ends = names.iter().skip(1).map(|g| g.1).chain([starts.len()]);
    let ranges = names.iter().zip(ends);
    ranges
        .map(|((name, first), end)| Group { name: name.clone(), faces: start(*first)..start(end) })
        .filter(|g| !g.faces.is_empty())
        .collect()
}
