//! Whether a surface is closed.

use std::borrow::Cow;

use crate::{Action, RepairPolicy, TriMesh, repair};

/// Whether faces enclose a volume, or several: every edge is used as often in one direction as in the other.
#[must_use]
pub fn is_closed(faces: &[[u32; 3]]) -> bool {
    let side = |[u, v]: [u32; 2]| ([u.min(v), u.max(v)], if u < v { 1 } else { -1 });
    let mut sides: Vec<([u32; 2], i32)> =
        faces.iter().flat_map(|&[a, b, c]| [[a, b], [b, c], [c, a]].map(side)).collect();
    sides.sort_unstable();
    let is_even = |edge: &[([u32; 2], i32)]| edge.iter().map(|side| side.1).sum::<i32>() == 0;
    !sides.is_empty() && sides.chunk_by(|a, b| a.0 == b.0).all(is_even)
}

impl TriMesh {
    /// The mesh with vertices at one place taken as one and without faces that are no triangles then; none if
    /// it is not closed.
    #[must_use]
    pub fn closed(&self) -> Option<Cow<'_, Self>> {
        if is_closed(&self.faces) {
            return Some(Cow::Borrowed(self));
        }
        let policy = RepairPolicy {
            weld_distance: Some(0.0),
            repeated_vertex: Action::Drop,
            ..RepairPolicy::all(Action::Keep)
        };
        let welded = repair(self, &policy).ok()?.mesh;
        is_closed(&welded.faces).then_some(Cow::Owned(welded))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixtures::icosphere;

    #[test]
    fn a_surface_with_a_hole_or_without_faces_is_not_closed() {
        let mut ball = icosphere(1, 1.0).unwrap();
        assert!(ball.closed().is_some());
        ball.faces.pop();
        assert!(ball.closed().is_none());
        assert!(TriMesh::default().closed().is_none());
    }

    #[test]
    fn triangles_with_corners_of_their_own_are_closed_where_places_are_equal() {
        let ball = icosphere(1, 1.0).unwrap();
        let corners = ball.faces.iter().flatten().map(|&v| ball.positions[v as usize]).collect();
        let soup = TriMesh::new(corners, (0..80).map(|f| [3 * f, 3 * f + 1, 3 * f + 2]).collect());
        assert!(!is_closed(&soup.faces));
        assert_eq!(soup.closed().unwrap().positions.len(), ball.positions.len());
    }
}
