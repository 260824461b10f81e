//! The figures of one state: what intersects, and how.

use cloth_contacts::intersect::Intersections;
use cloth_geom::Topology;
use cloth_scene::words::{count, counted};
use serde::Serialize;

/// A mesh of which so large a share of the faces lies on others is called a doubled mesh: every second face
/// does if all of it is there twice.
const DOUBLED_MESH: f64 = 0.25;

/// Exact figures of one state. It is clean if there are no intersections, no flat folds and no doubled faces.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct StateCounts {
    /// Pairs of an edge and a face that share no vertex and have a point in common.
    pub intersections: usize,
    /// Pairs of faces that share no vertex and of which an edge crosses the inside of the other.
    pub intersecting_triangle_pairs: usize,
    /// Other pairs of faces that share no vertex: they touch, lie in one plane, or cross edge by edge.
    pub touching_triangle_pairs: usize,
    /// Pairs of faces that share one vertex and meet elsewhere too.
    pub triangle_pairs_sharing_a_vertex: usize,
    /// Edges on which two faces lie flat on each other, their third corners in different places.
    pub flat_folds: usize,
    /// Faces that lie on another, of the same three points, whether they share vertices or not. `cloth check`
    /// leaves them out of the other figures.
    pub doubled_faces: usize,
}

impl StateCounts {
    /// Counts what was found in a mesh of this topology.
    pub fn new(found: &Intersections, topology: &Topology) -> Self {
        let faces = topology.faces();
        let share_vertex =
            |&[f, g]: &[u32; 2]| faces[f as usize].iter().any(|v| faces[g as usize].contains(v));
        let (sharing, apart): (Vec<_>, Vec<_>) =
            found.face_pairs(topology).into_iter().partition(share_vertex);
        let proper = found.proper_face_pairs(topology).len();
        Self {
            intersections: found.count(),
            intersecting_triangle_pairs: proper,
            touching_triangle_pairs: apart.len() - proper,
            triangle_pairs_sharing_a_vertex: sharing.len(),
            flat_folds: found.flat_folds.len(),
            doubled_faces: found.doubled_faces.len(),
        }
    }

    /// What there is apart from intersections, of so many faces; `option` names what writes a mesh without
    /// faces on others.
    #[must_use]
    pub fn folds_in_words(&self, faces: usize, option: &str) -> Vec<String> {
        let mut found = Vec::new();
        if self.flat_folds > 0 {
            found.push(counted(self.flat_folds, "flat fold"));
        }
        if self.doubled_faces > 0 {
            let lie = if self.doubled_faces == 1 { "lies on another" } else { "lie on others" };
            let what = match self.doubled_faces as f64 >= DOUBLED_MESH * faces as f64 {
                true => format!("a doubled mesh; {option} writes one side"),
                false => format!("doubled faces; {option} writes each once"),
            };
            found.push(format!("{} of {} {lie}: {what}", count(self.doubled_faces), counted(faces, "face")));
        }
        found
    }

    /// Whether there is no intersection, no flat fold, and no face on another.
    #[must_use]
    pub fn is_clean(&self) -> bool {
        let Self { intersections, flat_folds, doubled_faces, .. } = *self;
        [intersections, flat_folds, doubled_faces] == [0; 3]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use cloth_contacts::intersect::find;
    use nalgebra::Point3;

    fn counts(points: &[[f64; 3]], faces: &[[u32; 3]]) -> StateCounts {
        let positions: Vec<Point3<f64>> = points.iter().map(|&p| Point3::from(p)).collect();
        let topology = Topology::new(positions.len(), faces).unwrap();
        StateCounts::new(&find(&positions, &topology).unwrap(), &topology)
    }

    const FLAT: [[f64; 3]; 3] = [[0.0, 0.0, 0.0], [4.0, 0.0, 0.0], [0.0, 0.0, 4.0]];

    #[test]
    fn distinguishes_a_crossing_from_a_touch() {
        let with = |tip: f64| {
            let far = [[1.0, tip, 1.0], [1.0, 2.0, 1.5], [1.5, 2.0, 1.0]];
            counts(&[FLAT, far].concat(), &[[0, 1, 2], [3, 4, 5]])
        };
        let crossing = with(-1.0);
        assert_eq!((crossing.intersecting_triangle_pairs, crossing.touching_triangle_pairs), (1, 0));
        let touching = with(0.0);
        assert_eq!((touching.intersecting_triangle_pairs, touching.touching_triangle_pairs), (0, 1));
        assert_eq!(with(0.5), StateCounts::default());
    }

    #[test]
    fn counts_neighbours_at_a_vertex_separately() {
        let far = [[1.0, -1.0, 1.0], [1.0, 1.0, 1.0]];
        let found = counts(&[&FLAT[..], &far].concat(), &[[0, 1, 2], [0, 3, 4]]);
        assert_eq!(found.triangle_pairs_sharing_a_vertex, 1);
        assert_eq!((found.intersections, found.intersecting_triangle_pairs), (1, 0));
    }
}
