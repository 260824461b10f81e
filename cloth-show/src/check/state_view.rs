//! One state for a picture: where its vertices are, and which faces intersect.

use std::ops::ControlFlow;

use cloth_certify::{PenetrationFinder, Roles};
use cloth_contacts::intersect::Checker;
use cloth_io::FileError;
use nalgebra::Point3;

use super::states::{Example, examples_of};
use super::{PreparedMesh, Subject};

/// A state, in the numbers of the file.
#[derive(Clone, Debug, Default)]
pub struct StateView {
    /// The position of each vertex (m).
    pub positions: Vec<Point3<f64>>,
    /// The faces of cloth that intersect another, lie on one, or are folded flat on one, ascending.
    pub intersecting: Vec<u32>,
    /// The other faces of cloth that have a vertex inside of a body, ascending.
    pub inside: Vec<u32>,
    /// The first intersections with cloth.
    pub examples: Vec<Example>,
}

impl StateView {
    /// Reads a state of a mesh, all of which is cloth, and finds its intersections anew: the report of all
    /// states keeps only those of the worst.
    ///
    /// Seams join nothing here. After `max_pairs` pairs of triangles the search ends with what it has found.
    ///
    /// # Errors
    /// If there is no such state, or it cannot be read or judged.
    pub fn read(
        subject: &mut Subject,
        sound: &PreparedMesh,
        state: usize,
        max_pairs: u64,
        examples: usize,
    ) -> Result<Self, FileError> {
        let view = Self::find(subject.read(state)?, sound, None, max_pairs, examples);
        view.map_err(|e| FileError::new(&subject.path, e))
    }

    /// As [`Self::read`] at these positions (m), a vertex of the file each. Where meshes are judged together
    /// as one, with the roles of its vertices and what finds those inside of its bodies.
    ///
    /// # Errors
    /// A sentence: a position is not finite.
    pub fn find(
        positions: Vec<Point3<f64>>,
        sound: &PreparedMesh,
        outfit: Option<(&Roles, &mut PenetrationFinder)>,
        max_pairs: u64,
        examples: usize,
    ) -> Result<Self, String> {
        let at = sound.positions(&positions);
        let roles = outfit.as_ref().map(|(roles, _)| *roles);
        let (doubled, single) = sound.without_doubled(&at, roles)?;
        let mesh = single.as_ref().unwrap_or(sound);
        let goes_on = |is_enough| if is_enough { ControlFlow::Break(()) } else { ControlFlow::Continue(()) };
        let checked = Checker::default()
            .check_with_progress(&at, &mesh.topology, |progress| goes_on(progress.pairs >= max_pairs));
        let found = checked.map_err(|e| e.to_string())?.into_intersections();
        let mut faces = found.intersecting_faces(&mesh.topology);
        faces.extend(found.flat_folds.iter().flat_map(|&e| mesh.topology.edge_faces(e as usize)));
        let of_cloth = |mesh: &PreparedMesh, f: u32| {
            let is_body = roles.is_some_and(|r| r.is_of_body(mesh.topology.faces()[f as usize][0]));
            (!is_body).then(|| mesh.face_ids[f as usize])
        };
        let mut intersecting: Vec<u32> = faces.into_iter().filter_map(|f| of_cloth(mesh, f)).collect();
        intersecting.extend(doubled.iter().flatten().filter_map(|&f| of_cloth(sound, f)));
        intersecting.sort_unstable();
        intersecting.dedup();
        let mut inside = Vec::new();
        if let Some((roles, finder)) = outfit {
            let (ids, faces) = (&sound.face_ids, sound.topology.faces());
            let vertices = finder.find(&at, faces, &sound.crossing_faces(mesh, &found, roles)).vertices;
            let has_inside = |face: &[u32; 3]| face.iter().any(|v| vertices.binary_search(v).is_ok());
            let of_faces = ids.iter().zip(faces).filter(|(_, face)| has_inside(face)).map(|(&f, _)| f);
            inside.extend(of_faces.filter(|f| intersecting.binary_search(f).is_err()));
        }
        let examples = examples_of(&found, mesh, roles, true).take(examples).collect();
        Ok(Self { positions, intersecting, inside, examples })
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    #[test]
    fn marks_faces_by_the_numbers_of_the_file() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("x.obj");
        // The first face is none; the second crosses the third, and the last is far away.
        let vertices =
            "v 0 0 0\nv 4 0 0\nv 0 0 4\nv 1 -1 1\nv 1 2 1.5\nv 1.5 2 1\nv 9 9 9\nv 9 8 9\nv 8 9 9\n";
        fs::write(&path, format!("{vertices}f 1 1 2\nf 1 2 3\nf 4 5 6\nf 7 8 9\n")).unwrap();
        let mut subject = Subject::open(&path, None).unwrap();
        let sound = PreparedMesh::new(&subject.mesh, None).unwrap();
        let view = StateView::read(&mut subject, &sound, 0, u64::MAX, 1).unwrap();
        assert_eq!((view.positions.len(), view.intersecting, view.examples.len()), (9, vec![1, 2], 1));
    }

    #[test]
    fn marks_both_sides_of_a_doubled_face() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("x.obj");
        let triangle = "v 0 0 0\nv 4 0 0\nv 0 0 4\n";
        fs::write(
            &path,
            format!("{triangle}{triangle}v 9 9 9\nv 9 8 9\nv 8 9 9\nf 7 8 9\nf 1 2 3\nf 4 5 6\n"),
        )
        .unwrap();
        let mut subject = Subject::open(&path, None).unwrap();
        let sound = PreparedMesh::new(&subject.mesh, None).unwrap();
        let view = StateView::read(&mut subject, &sound, 0, u64::MAX, 1).unwrap();
        assert_eq!((view.intersecting, view.examples), (vec![1, 2], vec![]));
    }
}
