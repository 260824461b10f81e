//! The shape of a garment without tension, and the rest length of each edge.

use cloth_geom::Topology;
use cloth_io::{FileError, LoadedMesh, read_mesh_arrays};
use cloth_solver::{ClothDesc, RestShape};
use nalgebra::Point3;

use super::garment::{RepairedMesh, place};
use crate::{BendRest, Garment, Rest, SceneSource};

/// A pattern whose area differs from the start's by more than this factor is in another unit, most likely.
const LIKELY_UNIT: f64 = 4.0;

/// An edge with its rest length.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MeasuredEdge {
    /// Its vertices.
    pub ends: [u32; 2],
    /// Its length at rest (m), above zero.
    pub rest: f64,
}

impl MeasuredEdge {
    /// The edges of a cloth, in the order of its topology.
    #[must_use]
    pub fn of_cloth(cloth: &ClothDesc, topology: &Topology) -> Vec<Self> {
        match &cloth.rest {
            RestShape::Start => pose_edges(topology, &cloth.mesh.positions),
            RestShape::Positions(pose) => pose_edges(topology, pose),
            RestShape::Pattern(pattern) => pattern_edges(topology, pattern),
        }
    }
}

/// A rest shape, with the lengths that follow from it.
pub(crate) struct GarmentRest {
    pub(crate) shape: RestShape,
    pub(crate) edges: Vec<MeasuredEdge>,
    /// What is doubtful about it.
    pub(crate) note: Option<String>,
}

/// The rest shape that a garment asks for, of its repaired mesh.
pub(crate) fn rest_shape(
    garment: &Garment,
    loaded: &LoadedMesh,
    repaired: &RepairedMesh,
    source: &SceneSource,
) -> Result<GarmentRest, FileError> {
    let fail = |text: String| source.fail("garment.rest", text);
    let faces = &repaired.mesh.faces;
    let is_flat = garment.bend_rest == Some(BendRest::Flat);
    let (shape, edges) = match &garment.rest {
        Rest::Start if is_flat => {
            let shape = RestShape::flattened(&repaired.mesh.positions, faces);
            (shape, pose_edges(&repaired.topology, &repaired.mesh.positions))
        }
        Rest::Start => (RestShape::Start, pose_edges(&repaired.topology, &repaired.mesh.positions)),
        Rest::Uv if garment.bend_rest == Some(BendRest::Start) => {
            let text = "a pattern (\"uv\") is flat; use bend rest \"flat\", or rest \"start\" or a mesh that \
                        has folds";
            return Err(source.fail("garment.bend_rest", text));
        }
        Rest::Uv => {
            let pattern = pattern(garment, loaded, repaired).map_err(fail)?;
            let edges = pattern_edges(&repaired.topology, &pattern);
            (RestShape::Pattern(pattern), edges)
        }
        Rest::Mesh(file) => {
            let names = garment.arrays.clone().unwrap_or_default();
            let pose = read_mesh_arrays(&source.resolve(file), &names)?;
            let pose = pose_of(garment, loaded, repaired, &pose)
                .map_err(|text| FileError::new(&source.resolve(file), text))?;
            let edges = pose_edges(&repaired.topology, &pose);
            let shape = if is_flat { RestShape::flattened(&pose, faces) } else { RestShape::Positions(pose) };
            (shape, edges)
        }
    };
    if let Some(edge) = edges.iter().find(|e| !(e.rest > 0.0 && e.rest.is_finite())) {
        let [a, b] = edge.ends;
        return Err(fail(format!("the edge {a}-{b} has no length at rest; fix the rest shape")));
    }
    let note = size_warning(repaired, &edges);
    Ok(GarmentRest { shape, edges, note })
}

fn pattern(
    garment: &Garment,
    loaded: &LoadedMesh,
    repaired: &RepairedMesh,
) -> Result<Vec<[[f64; 2]; 3]>, String> {
    let uv = loaded.rest_uv.as_ref();
    let uv = uv.ok_or("\"uv\", but not every corner of the mesh has texture coordinates; use \"start\"")?;
    let scaled = |f: &u32| uv[*f as usize].map(|corner| corner.map(|c| c * garment.metres_per_unit()));
    let pattern: Vec<[[f64; 2]; 3]> = repaired.face_ids.iter().map(scaled).collect();
    let flat = pattern.iter().zip(&repaired.face_ids).find(|([a, b, c], _)| {
        let (u, v) = ([b[0] - a[0], b[1] - a[1]], [c[0] - a[0], c[1] - a[1]]);
        let longest_sq = [u, v].iter().map(|d| d[0] * d[0] + d[1] * d[1]).fold(0.0, f64::max);
        (u[0] * v[1] - u[1] * v[0]).abs() <= 1e-6 * longest_sq
    });
    match flat {
        None => Ok(pattern),
        Some((_, face)) => Err(format!("face {face} has no area in its texture coordinates; use \"start\"")),
    }
}

/// The rest pose of the repaired vertices, from a mesh with the vertices of the file.
fn pose_of(
    garment: &Garment,
    loaded: &LoadedMesh,
    repaired: &RepairedMesh,
    pose: &LoadedMesh,
) -> Result<Vec<Point3<f64>>, String> {
    let (found, wanted) = (pose.mesh.positions.len(), loaded.mesh.positions.len());
    if found != wanted {
        return Err(format!("has {found} vertices, its garment has {wanted}; both must be one mesh"));
    }
    if pose.mesh.faces != loaded.mesh.faces {
        return Err("has other faces than its garment; both must be one mesh".to_owned());
    }
    let mut positions: Vec<Option<Point3<f64>>> = vec![None; repaired.mesh.positions.len()];
    for (v, (p, &new)) in pose.mesh.positions.iter().zip(&repaired.vertex_map).enumerate() {
        let p = place(garment, p);
        match positions[new as usize] {
            None => positions[new as usize] = Some(p),
            Some(first) if (p - first).norm() <= garment.weld_distance.unwrap_or(0.0) => {}
            Some(first) => {
                let apart = (p - first).norm();
                return Err(format!(
                    "vertex {v} is welded, but rests {apart:.3} m from the one it is welded to; use rest \
                     \"uv\""
                ));
            }
        }
    }
    positions.into_iter().collect::<Option<Vec<_>>>().ok_or_else(|| "has too few vertices".to_owned())
}

fn pose_edges(topology: &Topology, pose: &[Point3<f64>]) -> Vec<MeasuredEdge> {
    let measured = |&ends: &[u32; 2]| {
        let [a, b] = ends.map(|v| pose[v as usize]);
        MeasuredEdge { ends, rest: (b - a).norm() }
    };
    topology.edges().iter().map(measured).collect()
}

/// The faces on the two sides of a seam need not agree on its length: the mean counts, as in the solver.
fn pattern_edges(topology: &Topology, pattern: &[[[f64; 2]; 3]]) -> Vec<MeasuredEdge> {
    let length = |face: u32, edge: usize| {
        let k = topology.face_edges()[face as usize].iter().position(|&e| e as usize == edge).unwrap_or(0);
        let (from, to) = (pattern[face as usize][k], pattern[face as usize][(k + 1) % 3]);
        let (along_u, along_v) = (to[0] - from[0], to[1] - from[1]);
        (along_u * along_u + along_v * along_v).sqrt()
    };
    let measured = |(e, &ends): (usize, &[u32; 2])| {
        let faces = topology.edge_faces(e);
        let sum: f64 = faces.iter().map(|&f| length(f, e)).sum();
        MeasuredEdge { ends, rest: sum / faces.len() as f64 }
    };
    topology.edges().iter().enumerate().map(measured).collect()
}

/// Whether start and rest are so different in size that a unit must be wrong.
fn size_warning(repaired: &RepairedMesh, edges: &[MeasuredEdge]) -> Option<String> {
    let start: f64 =
        pose_edges(&repaired.topology, &repaired.mesh.positions).iter().map(|e| e.rest * e.rest).sum();
    let ratio = edges.iter().map(|e| e.rest * e.rest).sum::<f64>() / start;
    let odd = !(1.0 / LIKELY_UNIT..=LIKELY_UNIT).contains(&ratio);
    odd.then(|| format!("the rest shape has {ratio:.2e} times the area of the start; is its unit right?"))
}

#[cfg(test)]
mod tests {
    use super::super::garment::repair_mesh;
    use super::*;
    use cloth_geom::TriMesh;

    fn quad() -> (Garment, LoadedMesh, RepairedMesh) {
        let text = "[[garment]]\nmesh = \"a\"\nscale = 2.0\n";
        let garment = crate::Scene::parse(std::path::Path::new("s"), text).unwrap().garments.remove(0);
        let at = [[0.0, 0.0], [1.0, 0.0], [1.0, 1.0], [0.0, 1.0]];
        let positions = at.map(|[x, z]| Point3::new(x, 0.0, z)).to_vec();
        let mesh = TriMesh::new(positions, vec![[0, 1, 2], [0, 2, 3]]);
        let uv = vec![[at[0], at[1], at[2]], [at[0], at[2], at[3]]];
        let loaded = LoadedMesh { mesh, rest_uv: Some(uv), ..LoadedMesh::default() };
        let repaired = repair_mesh(&loaded.mesh.clone().scaled(2.0), None).unwrap();
        (garment, loaded, repaired)
    }

    #[test]
    fn a_pattern_has_the_lengths_of_its_coordinates() {
        let (garment, loaded, repaired) = quad();
        let edges = pattern_edges(&repaired.topology, &pattern(&garment, &loaded, &repaired).unwrap());
        assert_eq!(edges, pose_edges(&repaired.topology, &repaired.mesh.positions));
        assert_eq!(edges.len(), 5);
        assert!(size_warning(&repaired, &edges).is_none());
    }

    #[test]
    fn doubts_a_pattern_in_another_unit() {
        let (mut garment, loaded, repaired) = quad();
        garment.scale = 200.0;
        let edges = pattern_edges(&repaired.topology, &pattern(&garment, &loaded, &repaired).unwrap());
        assert!(size_warning(&repaired, &edges).unwrap().contains("1.00e4"));
    }

    #[test]
    fn refuses_a_rest_mesh_that_is_another() {
        let (garment, loaded, repaired) = quad();
        let mut other = loaded.clone();
        assert_eq!(pose_of(&garment, &loaded, &repaired, &other).unwrap(), repaired.mesh.positions);
        other.mesh.faces.reverse();
        assert!(pose_of(&garment, &loaded, &repaired, &other).unwrap_err().contains("other faces"));
        other.mesh.positions.pop();
        assert!(pose_of(&garment, &loaded, &repaired, &other).unwrap_err().contains("3 vertices"));
    }

    #[test]
    fn refuses_a_pattern_that_is_missing_or_flat() {
        let (garment, mut loaded, repaired) = quad();
        loaded.rest_uv = Some(vec![[[0.0; 2]; 3]; 2]);
        assert!(pattern(&garment, &loaded, &repaired).unwrap_err().contains("face 0"));
        loaded.rest_uv = None;
        assert!(pattern(&garment, &loaded, &repaired).is_err());
    }
}
