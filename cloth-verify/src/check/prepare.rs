//! From a mesh as read to one that can be judged: what is wrong with it is named, and only what must be is
//! left out.
//!
//! Exact signs have no trouble with doubled faces, slivers or edges of three faces, so they stay. Only a face
//! that uses a vertex twice, which is no triangle, is left out.

use cloth_geom::{
    Action, Problem, RepairError, RepairPolicy, Topology, TriMesh, repair, validate_with_topology,
};
use nalgebra::Point3;

use cloth_scene::words::{count, counted};

/// A mesh made ready for the check.
#[derive(Debug)]
pub struct PreparedMesh {
    /// Of the remaining faces.
    pub topology: Topology,
    /// For each of its faces the number in the file.
    pub face_ids: Vec<u32>,
    /// For each of its vertices the number in the file: the first of those that were welded.
    pub sources: Vec<u32>,
    /// For each vertex of the file its own one, unless it was left out.
    pub vertex_map: Vec<Option<u32>>,
    /// What is wrong after welding, in the numbers of the file.
    pub problems: Vec<Problem>,
    /// What was done to the mesh.
    pub notes: Vec<String>,
}

impl PreparedMesh {
    /// Welds, names the problems, and leaves out faces that are no triangles.
    ///
    /// # Errors
    /// A sentence: the distance is not valid, or the mesh has too many faces.
    pub fn new(mesh: &TriMesh, weld_distance: Option<f64>) -> Result<Self, String> {
        // A mesh without problems, as most are, is gone through once.
        let (repaired, problems) = match weld_distance {
            None => {
                let (problems, topology) = validate_with_topology(mesh);
                if problems.is_empty() {
                    return Ok(Self::clean(topology));
                }
                (None, problems)
            }
            Some(_) => {
                match repair(mesh, &RepairPolicy { weld_distance, ..RepairPolicy::all(Action::Reject) }) {
                    Ok(repaired) => (Some(repaired), Vec::new()),
                    Err(RepairError::Rejected { problems }) => (None, problems),
                    Err(other) => return Err(other.to_string()),
                }
            }
        };
        let policy = RepairPolicy {
            weld_distance,
            repeated_vertex: Action::Drop,
            index_out_of_range: Action::Drop,
            ..RepairPolicy::all(Action::Keep)
        };
        let repaired = repaired.map_or_else(|| repair(mesh, &policy), Ok).map_err(|e| e.to_string())?;
        let topology = Topology::of_mesh(&repaired.mesh).map_err(|e| e.to_string())?;
        let mut sources = vec![0; repaired.mesh.positions.len()];
        // Backwards, so that the first of several has the last word.
        for (v, new) in repaired.vertex_map.iter().enumerate().rev() {
            if let Some(slot) = new.and_then(|new| sources.get_mut(new as usize)) {
                *slot = v as u32;
            }
        }
        let mut notes = Vec::new();
        let welded = mesh.positions.len() - sources.len();
        if welded > 0 {
            notes.push(format!(
                "welded to others: {} of {}",
                count(welded),
                counted(mesh.positions.len(), "point")
            ));
        }
        if !repaired.dropped_faces.is_empty() {
            notes.push(format!(
                "left out of the check: {}, no triangle",
                counted(repaired.dropped_faces.len(), "face")
            ));
        }
        let dropped = &repaired.dropped_faces;
        let face_ids = (0..mesh.faces.len() as u32).filter(|f| dropped.binary_search(f).is_err()).collect();
        Ok(Self { topology, face_ids, sources, vertex_map: repaired.vertex_map, problems, notes })
    }

    /// A mesh to which nothing has to be done, as most are.
    fn clean(topology: Topology) -> Self {
        let vertices = 0..topology.vertex_count() as u32;
        Self {
            face_ids: (0..topology.faces().len() as u32).collect(),
            sources: vertices.clone().collect(),
            vertex_map: vertices.map(Some).collect(),
            problems: Vec::new(),
            notes: Vec::new(),
            topology,
        }
    }

    /// The positions of its vertices in a state of the file's mesh.
    #[must_use]
    pub fn positions(&self, state: &[Point3<f64>]) -> Vec<Point3<f64>> {
        self.sources.iter().map(|&v| state[v as usize]).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Two triangles whose common edge has its vertices twice, a face that is none, and a vertex of no face.
    fn unwelded() -> TriMesh {
        let at = [[0.0, 0.0], [1.0, 0.0], [0.0, 1.0], [1.0, 0.0], [0.0, 1.0], [1.0, 1.0], [9.0, 9.0]];
        let positions = at.map(|[x, z]| Point3::new(x, 0.0, z)).to_vec();
        TriMesh::new(positions, vec![[0, 1, 2], [5, 5, 3], [3, 5, 4]])
    }

    #[test]
    fn leaves_out_faces_that_are_no_triangles_and_keeps_file_numbers() {
        let sound = PreparedMesh::new(&unwelded(), None).unwrap();
        assert_eq!(sound.topology.faces(), [[0, 1, 2], [3, 5, 4]]);
        assert_eq!((sound.face_ids, sound.sources), (vec![0, 2], (0..7).collect()));
        assert_eq!(sound.problems.len(), 2, "{:?}", sound.problems);
        assert_eq!(sound.notes, ["left out of the check: 1 face, no triangle"]);
    }

    #[test]
    fn a_welded_vertex_is_where_its_first_one_is() {
        let sound = PreparedMesh::new(&unwelded(), Some(0.0)).unwrap();
        assert_eq!(sound.sources, [0, 1, 2, 5, 6]);
        assert_eq!(sound.topology.faces(), [[0, 1, 2], [1, 3, 2]]);
        let moved: Vec<_> = (0..7).map(|v| Point3::new(f64::from(v), 0.0, 0.0)).collect();
        assert_eq!(sound.positions(&moved)[3].x, 5.0);
    }

    #[test]
    fn refuses_a_weld_distance_that_is_none() {
        assert!(PreparedMesh::new(&unwelded(), Some(f64::NAN)).is_err());
    }
}
