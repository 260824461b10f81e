//! One state for a picture: where its vertices are, and which faces intersect.

use std::ops::ControlFlow;

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
    /// The faces that intersect another, lie on one, or are folded flat on one, ascending.
    pub intersecting: Vec<u32>,
    /// The first intersections.
    pub examples: Vec<Example>,
}

impl StateView {
    /// Reads a state, and finds its intersections anew: the report of all states keeps only those of the
    /// worst.
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
        let positions = subject.read(state)?;
        let (doubled, single) = sound
            .without_doubled(&sound.positions(&positions), None)
            .map_err(|e| FileError::new(&subject.path, e))?;
        let mesh = single.as_ref().unwrap_or(sound);
        let goes_on = |is_enough| if is_enough { ControlFlow::Break(()) } else { ControlFlow::Continue(()) };
        let found = Checker::default()
            .check_with_progress(&sound.positions(&positions), &mesh.topology, |progress| {
                goes_on(progress.pairs >= max_pairs)
            })
            .map_err(|e| FileError::new(&subject.path, e.to_string()))?
            .into_intersections();
        let mut faces = found.intersecting_faces(&mesh.topology);
        faces.extend(found.flat_folds.iter().flat_map(|&e| mesh.topology.edge_faces(e as usize)));
        let mut intersecting: Vec<u32> = faces.into_iter().map(|f| mesh.face_ids[f as usize]).collect();
        intersecting.extend(sound.faces_of_file(&doubled).flatten());
        intersecting.sort_unstable();
        intersecting.dedup();
        Ok(Self { positions, intersecting, examples: examples_of(&found, mesh, None, examples) })
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
