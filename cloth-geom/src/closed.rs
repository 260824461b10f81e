//! Whether a surface is closed.

use std::borrow::Cow;

use nalgebra::Point3;

use crate::TriMesh;

/// Whether faces enclose a volume, or several: every edge is used as often in one direction as in the other.
#[must_use]
pub fn is_closed(faces: &[[u32; 3]]) -> bool {
    let sides = |is_forward: bool| {
        let all = faces.iter().flat_map(|&[a, b, c]| [[a, b], [b, c], [c, a]]);
        let some = all.filter(|[u, v]| (u < v) == is_forward);
        let mut keys: Vec<u64> = some.map(|[u, v]| u64::from(u.min(v)) << 32 | u64::from(u.max(v))).collect();
        keys.sort_unstable();
        keys
    };
    !faces.is_empty() && sides(true) == sides(false)
}

impl TriMesh {
    /// The mesh with faces that name the first of the vertices at one place, and without those that are no
    /// triangles then; none if it is not closed.
    #[must_use]
    pub fn closed(&self) -> Option<Cow<'_, Self>> {
        if is_closed(&self.faces) {
            return Some(Cow::Borrowed(self));
        }
        let first = first_in_place(&self.positions);
        let own = |v: u32| first.get(v as usize).copied().unwrap_or(v);
        let joined = self.faces.iter().map(|face| face.map(own));
        let faces: Vec<[u32; 3]> = joined.filter(|[a, b, c]| a != b && b != c && c != a).collect();
        is_closed(&faces).then(|| Cow::Owned(Self::new(self.positions.clone(), faces)))
    }
}

/// For each position the first that equals it.
fn first_in_place(positions: &[Point3<f64>]) -> Vec<u32> {
    // Zeros are equal whatever their sign.
    let place = |v: u32| positions[v as usize].coords.map(|c| (c + 0.0).to_bits());
    let by_place = |&a: &u32, &b: &u32| place(a).as_slice().cmp(place(b).as_slice()).then(a.cmp(&b));
    let mut order: Vec<u32> = (0..positions.len() as u32).collect();
    order.sort_unstable_by(by_place);
    let mut first = vec![0; positions.len()];
    for same in order.chunk_by(|&a, &b| place(a) == place(b)) {
        same.iter().for_each(|&v| first[v as usize] = same[0]);
    }
    first
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
        let closed = soup.closed().unwrap().into_owned();
        let used: std::collections::BTreeSet<u32> = closed.faces.iter().flatten().copied().collect();
        assert_eq!((used.len(), closed.faces.len()), (ball.positions.len(), 80));
    }
}
