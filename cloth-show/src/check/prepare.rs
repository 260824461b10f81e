//! From a mesh as read to one that can be judged: what is wrong with it is named, and only what must be is
//! left out.
//!
//! Exact signs have no trouble with slivers or edges of three faces, so they stay. Only a face that uses a
//! vertex twice, which is no triangle, is left out. Faces that lie on others are named, and the rest is
//! judged as if each were there once, with one vertex where copies had one each: so the verdict does not
//! depend on how a doubled mesh is written.

use cloth_certify::Roles;
use cloth_contacts::intersect::{ClosedSeams, Intersections, doubled_faces};
use cloth_geom::{
    Action, Problem, RepairError, RepairPolicy, Topology, TriMesh, repair, validate_with_topology,
};
use nalgebra::Point3;

use cloth_scene::words::{count, counted};

/// Of so many faces, one may be left out of a check that is called clean.
const ONE_LEFT_OUT_OF: usize = 100;

/// Faces that are named where some are left out.
const MOST_NAMED: usize = 8;

/// A mesh made ready for the check.
#[derive(Clone, Debug)]
pub struct PreparedMesh {
    /// Adjacency of the remaining faces.
    pub topology: Topology,
    /// For each of its faces the number in the file.
    pub face_ids: Vec<u32>,
    /// For each of its vertices the number in the file: the first of those that were welded.
    pub sources: Vec<u32>,
    /// For each vertex of the file its own one, unless it was left out.
    pub vertex_map: Vec<Option<u32>>,
    /// Faces of the file that are left out: they are no triangles, or welding made them degenerate.
    pub left_out: usize,
    /// What is wrong after welding, in the numbers of the file.
    pub problems: Vec<Problem>,
    /// What was done to the mesh.
    pub notes: Vec<String>,
}

impl PreparedMesh {
    /// Welds, names the problems, and leaves out faces that are no triangles.
    ///
    /// # Errors
    /// A sentence: the distance is not valid, no face is left, or the mesh has too many faces.
    pub fn new(mesh: &TriMesh, weld_distance: Option<f64>) -> Result<Self, String> {
        // A mesh without problems, as most are, is gone through once.
        let (repaired, problems) = match weld_distance {
            None => {
                let (problems, topology) = validate_with_topology(mesh);
                if problems.is_empty() && !mesh.faces.is_empty() {
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
        let dropped = &repaired.dropped_faces;
        let left_out = LeftOut::new(mesh, dropped);
        if repaired.mesh.faces.is_empty() {
            return Err(left_out.nothing_is_left(mesh));
        }
        notes.extend(left_out.notes());
        let face_ids = (0..mesh.faces.len() as u32).filter(|f| dropped.binary_search(f).is_err()).collect();
        let (vertex_map, left_out) = (repaired.vertex_map, dropped.len());
        Ok(Self { topology, face_ids, sources, vertex_map, left_out, problems, notes })
    }

    /// Pairs of its faces in the numbers of the file.
    pub(super) fn faces_of_file<'a>(&'a self, pairs: &'a [[u32; 2]]) -> impl Iterator<Item = [u32; 2]> + 'a {
        pairs.iter().map(|pair| pair.map(|f| self.face_ids[f as usize]))
    }

    /// The vertices of its edges in the numbers of the file.
    pub(super) fn edges_of_file<'a>(&'a self, edges: &'a [u32]) -> impl Iterator<Item = [u32; 2]> + 'a {
        edges.iter().map(|&e| self.topology.edges()[e as usize].map(|v| self.sources[v as usize]))
    }

    /// Whether more than 1 % of the faces are left out.
    #[must_use]
    pub fn leaves_out_many(&self) -> bool {
        is_many(self.left_out, self.left_out + self.face_ids.len())
    }

    /// The faces that lie on others where the vertices are at these positions (m), `[face, first]` in its own
    /// numbers, and if there are any the mesh with each place covered once. Vertices in one place that
    /// belonged to two such faces are one there, the first; the others are of no face. Where there are
    /// `roles`, each part is for itself.
    ///
    /// # Errors
    /// A sentence: a position is not finite.
    pub fn without_doubled(
        &self,
        positions: &[Point3<f64>],
        roles: Option<&Roles>,
    ) -> Result<(Vec<[u32; 2]>, Option<Self>), String> {
        let mut doubled = doubled_faces(positions, &self.topology).map_err(|e| e.to_string())?;
        if let Some(roles) = roles {
            let part = |f: u32| roles.parts()[self.topology.faces()[f as usize][0] as usize];
            doubled.retain(|&[face, first]| part(face) == part(first));
        }
        if doubled.is_empty() {
            return Ok((doubled, None));
        }
        let mut joined = ClosedSeams::default();
        joined.join_doubled(&doubled, positions, &self.topology);
        let is_doubled = |f: u32| doubled.binary_search_by_key(&f, |pair| pair[0]).is_ok();
        let kept = (0u32..).zip(self.topology.faces()).filter(|&(f, _)| !is_doubled(f));
        let (mut faces, mut face_ids, mut left_out) = (Vec::new(), Vec::new(), self.left_out);
        for (f, face) in kept {
            let [a, b, c] = face.map(|v| joined.one(v));
            if a == b || b == c || c == a {
                // It had no area, between vertices that are one.
                left_out += 1;
            } else {
                faces.push([a, b, c]);
                face_ids.push(self.face_ids[f as usize]);
            }
        }
        let topology = Topology::new(self.sources.len(), &faces).map_err(|e| e.to_string())?;
        let vertex_map = self.vertex_map.iter().map(|new| new.map(|v| joined.one(v))).collect();
        Ok((doubled, Some(Self { topology, face_ids, vertex_map, left_out, ..self.clone() })))
    }

    /// The faces of cloth that meet a body, ascending, where `found` is of `mesh`: this one, or that of
    /// [`Self::without_doubled`]. What a face meets that this has left out was not asked, so it may be any.
    #[must_use]
    pub fn crossing_faces(&self, mesh: &Self, found: &Intersections, roles: &Roles) -> Vec<u32> {
        let crossing = roles.crossing_faces(found.edge_faces.iter().copied(), &mesh.topology);
        let meets = |id: &u32| match mesh.face_ids.binary_search(id) {
            Ok(face) => crossing.binary_search(&(face as u32)).is_ok(),
            Err(_) => true,
        };
        (0u32..).zip(&self.face_ids).filter(|(_, id)| meets(id)).map(|(face, _)| face).collect()
    }

    /// A mesh to which nothing has to be done, as most are.
    fn clean(topology: Topology) -> Self {
        let vertices = 0..topology.vertex_count() as u32;
        Self {
            face_ids: (0..topology.faces().len() as u32).collect(),
            sources: vertices.clone().collect(),
            vertex_map: vertices.map(Some).collect(),
            left_out: 0,
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

/// Whether so many faces of all are more than may be left out of a check that is called clean: 1 %.
pub(super) fn is_many(left_out: usize, all: usize) -> bool {
    ONE_LEFT_OUT_OF * left_out > all
}

/// The faces of a file that are left out, by why.
struct LeftOut {
    /// As the file has them.
    no_triangles: Vec<u32>,
    /// Of three vertices of which welding made two one.
    welded: Vec<u32>,
}

impl LeftOut {
    fn new(mesh: &TriMesh, dropped: &[u32]) -> Self {
        let is_triangle = |f: &u32| {
            let [a, b, c] = mesh.faces[*f as usize];
            a != b && b != c && c != a && [a, b, c].iter().all(|&v| (v as usize) < mesh.positions.len())
        };
        let (welded, no_triangles) = dropped.iter().copied().partition(is_triangle);
        Self { no_triangles, welded }
    }

    /// A sentence for each reason.
    fn notes(&self) -> impl Iterator<Item = String> {
        let reasons = [(&self.no_triangles, "no triangle"), (&self.welded, "degenerate by welding")];
        let named = reasons.into_iter().filter(|(faces, _)| !faces.is_empty());
        named.map(|(faces, why)| {
            let names: Vec<String> = faces.iter().take(MOST_NAMED).map(u32::to_string).collect();
            let more = if faces.len() > MOST_NAMED { ", ..." } else { "" };
            let found = counted(faces.len(), "face");
            format!("left out of the check: {found}, {why}: {}{more}", names.join(", "))
        })
    }

    fn nothing_is_left(&self, mesh: &TriMesh) -> String {
        match (mesh.faces.len(), self.welded.len()) {
            (0, _) => "has no faces to check; export the surface".to_owned(),
            (all, 0) => format!("has no face to check: none of {} is a triangle", count(all)),
            (all, welded) => format!(
                "has no face to check: of {}, welding makes {} degenerate; weld by less than an edge is long",
                counted(all, "face"),
                count(welded)
            ),
        }
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
        assert_eq!((sound.left_out, sound.leaves_out_many()), (1, true));
        assert_eq!((sound.face_ids, sound.sources), (vec![0, 2], (0..7).collect()));
        assert_eq!(sound.problems.len(), 2, "{:?}", sound.problems);
        assert_eq!(sound.notes, ["left out of the check: 1 face, no triangle: 1"]);
    }

    #[test]
    fn names_the_faces_that_welding_makes_degenerate() {
        let mut mesh = unwelded();
        mesh.positions.push(Point3::new(1.0, 0.0, 1e-3));
        mesh.faces.push([1, 7, 2]);
        let sound = PreparedMesh::new(&mesh, Some(0.01)).unwrap();
        let said = "left out of the check: 1 face, degenerate by welding: 3";
        assert!(sound.notes.iter().any(|note| note == said), "{:?}", sound.notes);
        let nothing = PreparedMesh::new(&mesh, Some(1e300)).unwrap_err();
        assert!(
            nothing.starts_with("has no face to check: of 4 faces, welding makes 3 degenerate"),
            "{nothing}"
        );
        assert!(PreparedMesh::new(&TriMesh::default(), None).is_err());
    }

    #[test]
    fn a_doubled_mesh_becomes_the_same_mesh_however_it_is_written() {
        let corners = [[0.0, 0.0], [1.0, 0.0], [0.0, 1.0], [1.0, 1.0]];
        let square = corners.map(|[x, z]| Point3::new(x, 0.0, z)).to_vec();
        let once = vec![[0, 1, 2], [2, 1, 3]];
        let shared = TriMesh::new(square.clone(), [once.clone(), vec![[1, 0, 2], [1, 2, 3]]].concat());
        let mut split = TriMesh::new(square.clone(), once.clone());
        split.append(&TriMesh::new(square, vec![[1, 0, 2], [1, 2, 3]]));
        for (mesh, weld) in [(&shared, None), (&split, None), (&split, Some(0.0)), (&split, Some(0.1))] {
            let sound = PreparedMesh::new(mesh, weld).unwrap();
            let (doubled, single) = sound.without_doubled(&sound.positions(&mesh.positions), None).unwrap();
            assert_eq!(doubled, [[2, 0], [3, 1]]);
            let single = single.unwrap();
            assert_eq!((single.topology.faces(), single.face_ids), (once.as_slice(), vec![0, 1]));
        }
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
