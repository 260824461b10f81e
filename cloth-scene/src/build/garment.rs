//! From a garment of a scene to a mesh that can be simulated: placed, welded, and repaired by a stated
//! policy.
//!
//! Vertices keep the numbers of their file unless they are welded, and caches are written with all of the
//! file's vertices all the same, so that a cache always fits the file that the user has.

use std::path::{Path, PathBuf};

use cloth_geom::{Action, RepairPolicy, Topology, TriMesh, is_sliver, repair};
use cloth_io::{FileError, Group, LoadedMesh, read_mesh_arrays};
use cloth_solver::RestShape;
use nalgebra::{Point3, Vector3};

use super::placing::Stage;
use super::rest;
use crate::units::size_in_words;
use crate::words::{count, counted};
use crate::{MeasuredEdge, SceneSource, Up};

/// How far (m) a mesh may reach from the origin, and the greatest thickness: above, a unit is wrong, and the
/// fourth power of a length, a squared area, soon leaves `f32`.
pub(crate) const MAX_LENGTH: f64 = 1e9;

/// A garment at its start, ready for the solver.
#[derive(Clone, Debug)]
pub struct PlacedGarment {
    /// Its number in the scene.
    pub index: usize,
    /// What the scene calls it, or else the name of its file.
    pub name: String,
    /// The mesh as the solver has it (m).
    pub mesh: TriMesh,
    /// Its shape without tension.
    pub rest: RestShape,
    /// Every edge with its rest length.
    pub edges: Vec<MeasuredEdge>,
    /// For each vertex of the file that of the mesh.
    pub vertex_map: Vec<u32>,
    /// The file.
    pub file: GarmentFile,
    /// For each face of the mesh that of the file.
    pub face_ids: Vec<u32>,
    /// The groups of the file.
    pub groups: Vec<Group>,
    /// Its parts by material.
    pub materials: Vec<Group>,
    /// What was done to it, a sentence each.
    pub notes: Vec<String>,
}

/// The file that a garment comes from, with its unit and axes.
#[derive(Clone, Debug, PartialEq)]
pub struct GarmentFile {
    /// The file.
    pub path: PathBuf,
    /// Metres in a unit of the file.
    pub scale: f64,
    /// The axis that points up in it.
    pub up: Up,
    /// The faces that it was read as, by the numbers of its vertices.
    pub faces: Vec<[u32; 3]>,
    /// The texture coordinates of their corners, if it has them for all.
    pub uv: Option<Vec<[[f64; 2]; 3]>>,
}

impl GarmentFile {
    /// A point of the simulation (m, y up) as the file would have it; the same bits for a file in metres, y
    /// up. Where the scene moves the garment is not undone: a garment that is brought to a body stays there.
    #[must_use]
    pub fn point(&self, p: &Point3<f32>) -> Point3<f64> {
        let p = p.map(f64::from) / self.scale;
        match self.up {
            Up::Y => p,
            Up::Z => Point3::new(p.x, -p.z, p.y),
        }
    }
}

/// Reads a garment, places it, repairs it, and finds its rest shape.
pub(crate) fn load(
    garment: &crate::Garment,
    index: usize,
    stage: &Stage<'_>,
    source: &SceneSource,
) -> Result<PlacedGarment, FileError> {
    let path = source.resolve(&garment.mesh);
    let loaded = read_mesh_arrays(&path, &garment.arrays.clone().unwrap_or_default())?;
    let wanted = garment;
    let garment = &stage.place(wanted, &loaded.mesh);
    let placed = TriMesh::new(
        loaded.mesh.positions.iter().map(|p| place(garment, p)).collect(),
        loaded.mesh.faces.clone(),
    );
    let refuse = |text: String| FileError::new(&path, text);
    let repaired = repair_mesh(&placed, garment.weld_distance).map_err(&refuse)?;
    let mut notes = notes(&path, &loaded, &repaired);
    notes.extend(stage.note(wanted));
    notes.extend(stage.doubt_garment(wanted, &loaded.mesh, &repaired.mesh, source));
    let rest = rest::rest_shape(garment, &loaded, &repaired, source)?;
    notes.extend(rest.note);
    let name = name(garment, index, source);
    Ok(PlacedGarment {
        index,
        notes: notes.into_iter().map(|note| format!("{name}: {note}")).collect(),
        name,
        mesh: repaired.mesh,
        rest: rest.shape,
        edges: rest.edges,
        vertex_map: repaired.vertex_map,
        file: GarmentFile {
            path,
            scale: garment.file_unit(),
            up: garment.up,
            faces: loaded.mesh.faces,
            uv: loaded.rest_uv,
        },
        face_ids: repaired.face_ids,
        groups: loaded.groups,
        materials: loaded.materials,
    })
}

/// The name that a scene gives, or else that of the file.
pub(crate) fn name(garment: &crate::Garment, index: usize, source: &SceneSource) -> String {
    garment.name.clone().unwrap_or_else(|| {
        let stem = source.resolve(&garment.mesh).file_stem().map(|s| s.to_string_lossy().into_owned());
        stem.unwrap_or_else(|| format!("garment{index}"))
    })
}

impl PlacedGarment {
    /// For each vertex of the mesh the first of the file that has become it.
    pub(crate) fn file_vertices(&self) -> Vec<u32> {
        let mut numbers = vec![0; self.mesh.positions.len()];
        // Backwards, so that the first of several remains.
        self.vertex_map.iter().enumerate().rev().for_each(|(v, &new)| numbers[new as usize] = v as u32);
        numbers
    }

    /// The vertex of the mesh that a vertex of the file has become.
    ///
    /// # Errors
    /// If the file has no such vertex.
    pub(crate) fn vertex(&self, v: u32) -> Result<u32, String> {
        let count = self.vertex_map.len();
        let mapped = self.vertex_map.get(v as usize);
        mapped
            .copied()
            .ok_or_else(|| format!("vertex {v} does not exist; the file has {count}, counted from 0"))
    }
}

/// Where a point of a garment's file starts: turned y up, scaled, rotated, translated.
#[must_use]
pub fn place(garment: &crate::Garment, p: &Point3<f64>) -> Point3<f64> {
    let upright = upright(garment.up, p) * garment.metres_per_unit();
    let turned = garment.rotate.map_or(upright, |r| r.quaternion() * upright);
    turned + Vector3::from(garment.translate)
}

/// A point of a file whose up axis is `up`, y up.
pub(crate) fn upright(up: Up, p: &Point3<f64>) -> Point3<f64> {
    match up {
        Up::Y => *p,
        Up::Z => Point3::new(p.x, p.z, -p.y),
    }
}

/// A mesh that the solver takes.
#[derive(Clone, Debug)]
pub struct RepairedMesh {
    /// The mesh.
    pub mesh: TriMesh,
    /// Its edges and neighbourhoods.
    pub topology: Topology,
    /// For each original vertex that of the mesh.
    pub vertex_map: Vec<u32>,
    /// For each face the original one.
    pub face_ids: Vec<u32>,
    /// What was taken away, in words.
    pub report: Vec<String>,
}

/// Welds vertices that are at most `weld_distance` apart (m), if it is given, and drops what carries no
/// cloth: faces without area or of two vertices, and doubles. Edges of three faces, mixed windings, and
/// vertices of no face stay: the solver can live with them.
///
/// # Errors
/// A sentence: it reaches too far, a position is not finite, or no face is left.
pub fn repair_mesh(mesh: &TriMesh, weld_distance: Option<f64>) -> Result<RepairedMesh, String> {
    let policy = RepairPolicy {
        weld_distance,
        repeated_vertex: Action::Drop,
        zero_area: Action::Drop,
        duplicate_face: Action::Drop,
        non_finite_position: Action::Reject,
        index_out_of_range: Action::Reject,
        ..RepairPolicy::all(Action::Keep)
    };
    let mut repaired = repair(mesh, &policy).map_err(|e| e.to_string())?;
    if let Some(far) = repaired.mesh.positions.iter().flat_map(|p| p.iter()).find(|c| c.abs() > MAX_LENGTH) {
        return Err(format!("reaches {far:e} m from the origin; is its unit right?"));
    }
    let vertex_map: Option<Vec<u32>> = repaired.vertex_map.iter().copied().collect();
    let vertex_map = vertex_map.ok_or("loses vertices to the repair; remove those that are not finite")?;
    let dropped = &repaired.dropped_faces;
    let kept = (0..mesh.faces.len() as u32).filter(|f| dropped.binary_search(f).is_err());
    let faces = std::mem::take(&mut repaired.mesh.faces);
    let (mut face_ids, mut slivers) = (Vec::new(), 0);
    for (face, id) in faces.into_iter().zip(kept) {
        if is_sliver(face.map(|v| repaired.mesh.positions[v as usize])) {
            slivers += 1;
        } else {
            repaired.mesh.faces.push(face);
            face_ids.push(id);
        }
    }
    if repaired.mesh.faces.is_empty() {
        return Err("has no face with an area; is its unit right?".to_owned());
    }
    let mut report = summary(&repaired.report);
    if slivers > 0 {
        report.push(format!("dropped: {} thinner than a millionth", counted(slivers, "face")));
    }
    let topology = Topology::of_mesh(&repaired.mesh).map_err(|e| e.to_string())?;
    Ok(RepairedMesh { mesh: repaired.mesh, topology, vertex_map, face_ids, report })
}

/// The first lines of a repair, and how many more there are.
fn summary(report: &[String]) -> Vec<String> {
    const SHOWN: usize = 4;
    let mut lines: Vec<String> = report.iter().take(SHOWN).cloned().collect();
    if report.len() > SHOWN {
        lines.push(format!("and {} more repairs", report.len() - SHOWN));
    }
    lines
}

fn notes(path: &Path, loaded: &LoadedMesh, repaired: &RepairedMesh) -> Vec<String> {
    let is_chosen =
        ["npz", "stl"].iter().any(|&e| path.extension().is_some_and(|own| own.eq_ignore_ascii_case(e)));
    let mesh = &repaired.mesh;
    let (vertices, faces) = (count(mesh.positions.len()), counted(mesh.faces.len(), "triangle"));
    let mut notes = vec![format!("{vertices} vertices, {faces}, {}", size_in_words(&mesh.face_bounds(), 2))];
    notes.extend(repaired.report.iter().cloned());
    notes.extend(loose_vertices(repaired));
    // Which vertices there are was decided by the reader, and pins name them.
    notes.extend(loaded.notes.iter().filter(|_| is_chosen).cloned());
    if mesh.positions.len() != loaded.mesh.positions.len() {
        let file = count(loaded.mesh.positions.len());
        notes.push(format!("caches keep the {file} vertices of the file: welded vertices move together"));
    }
    notes
}

/// Names the vertices of the file that no face of the mesh uses.
fn loose_vertices(repaired: &RepairedMesh) -> Option<String> {
    let mut is_used = vec![false; repaired.mesh.positions.len()];
    repaired.mesh.faces.iter().flatten().for_each(|&v| is_used[v as usize] = true);
    let all = (0u32..).zip(&repaired.vertex_map);
    let loose: Vec<u32> = all.filter(|(_, new)| !is_used[**new as usize]).map(|(v, _)| v).collect();
    let text = format!("{} of no face: {}; no size counts them", vertices(loose.len()), numbers(&loose));
    (!loose.is_empty()).then_some(text)
}

/// A number of vertices, in words.
pub(super) fn vertices(n: usize) -> String {
    format!("{} {}", count(n), if n == 1 { "vertex" } else { "vertices" })
}

/// The first of some numbers, in words.
pub(super) fn numbers(all: &[u32]) -> String {
    const SHOWN: usize = 8;
    let shown: Vec<String> = all.iter().take(SHOWN).map(u32::to_string).collect();
    format!("{}{}", shown.join(", "), if all.len() > SHOWN { ", ..." } else { "" })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn mesh(points: &[[f64; 3]], faces: &[[u32; 3]]) -> TriMesh {
        TriMesh::new(points.iter().map(|&p| Point3::from(p)).collect(), faces.to_vec())
    }

    #[test]
    fn drops_what_carries_no_cloth_and_keeps_every_vertex() {
        let points = [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 0.0, 1.0], [2.0, 0.0, 1e-9], [5.0, 5.0, 5.0]];
        let repaired =
            repair_mesh(&mesh(&points, &[[0, 1, 1], [0, 1, 3], [0, 1, 2], [2, 0, 1]]), None).unwrap();
        assert_eq!((repaired.mesh.faces.as_slice(), repaired.face_ids), (&[[0, 1, 2]][..], vec![2]));
        assert_eq!(repaired.vertex_map, [0, 1, 2, 3, 4]);
        assert_eq!(repaired.report.len(), 3, "{:?}", repaired.report);
    }

    #[test]
    fn welded_vertices_go_together() {
        let points = [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 0.0, 1.0], [1.0, 0.0, 1e-7], [1.0, 0.0, 1.0]];
        let repaired = repair_mesh(&mesh(&points, &[[0, 1, 2], [3, 4, 2]]), Some(1e-5)).unwrap();
        assert_eq!(repaired.vertex_map, [0, 1, 2, 1, 3]);
        assert_eq!(repaired.mesh.faces, [[0, 1, 2], [1, 3, 2]]);
    }

    #[test]
    fn a_distance_of_zero_welds_equal_positions_alone() {
        let points = [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 0.0, 1.0], [1.0, 0.0, 0.0], [1.0, 0.0, 1.0]];
        let welded =
            |distance| repair_mesh(&mesh(&points, &[[0, 1, 2], [3, 4, 2]]), distance).unwrap().vertex_map;
        assert_eq!(welded(Some(0.0)), [0, 1, 2, 1, 3]);
        assert_eq!(welded(None), [0, 1, 2, 3, 4]);
    }

    #[test]
    fn refuses_a_mesh_that_reaches_beyond_all_cloth() {
        let at = |scale: f64| mesh(&[[0.0, 0.0, 0.0], [-scale, 0.0, 0.0], [0.0, 0.0, scale]], &[[0, 1, 2]]);
        assert!(repair_mesh(&at(MAX_LENGTH), None).is_ok());
        assert!(repair_mesh(&at(1e20), None).err().is_some_and(|text| text.starts_with("reaches -1e20 m")));
    }

    #[test]
    fn refuses_a_mesh_without_area() {
        let points = [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [2.0, 0.0, 0.0]];
        assert!(repair_mesh(&mesh(&points, &[[0, 1, 2]]), None).is_err());
    }

    #[test]
    fn turns_z_up_to_y_up_before_anything_else() {
        let text = "[[garment]]\nmesh = \"a\"\nup = \"z\"\nscale = 2.0\ntranslate = [0.0, 1.0, 0.0]\n";
        let scene = crate::Scene::parse(Path::new("s"), text).unwrap();
        let p = place(&scene.garments[0], &Point3::new(1.0, 2.0, 3.0));
        assert_eq!(p, Point3::new(2.0, 7.0, -4.0));
    }

    #[test]
    fn a_point_goes_back_to_where_its_file_has_it() {
        let p = Point3::new(12.5, -7.25, 3.0);
        for up in [Up::Y, Up::Z] {
            let file = GarmentFile { path: PathBuf::new(), scale: 0.01, up, faces: Vec::new(), uv: None };
            let metres = (upright(up, &p) * 0.01).map(|c| c as f32);
            assert!((file.point(&metres) - p).norm() < 1e-5, "{up:?}");
            let metres = GarmentFile { scale: 1.0, ..file }.point(&upright(up, &p).map(|c| c as f32));
            assert_eq!(metres, p);
        }
    }
}
