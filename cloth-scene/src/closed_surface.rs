//! Whether a point is inside a closed surface, exactly.
//!
//! A segment from the point to a place outside of the surface's box crosses faces from behind (out of the
//! solid) or from the front (into it). In a closed surface the difference is the winding number, whatever the
//! segment. The signs are exact, so a segment that meets an edge or a corner is known to, and another is
//! tried.

use cloth_geom::TriMesh;
use cloth_geom::exact::{IntersectionKind, Sign, orient3d, segment_triangle_kind};
use nalgebra::{Point3, Vector3};

/// Where the segments end, in sizes of the box from its middle: outside of it, and in no plane that files
/// commonly have.
const DIRECTIONS: [[f64; 3]; 6] = [
    [1.037, 0.241, 0.353],
    [-0.317, 1.129, 0.173],
    [0.229, -0.431, 1.213],
    [-1.171, -0.337, -0.283],
    [0.379, -1.091, 0.197],
    [-0.263, 0.311, -1.151],
];

/// A surface that encloses a solid, or several, whose faces agree on its outside.
pub(crate) struct ClosedSurface(TriMesh);

impl ClosedSurface {
    /// A mesh, vertices at one place taken as one; none if it is not closed.
    pub(crate) fn new(mesh: &TriMesh) -> Option<Self> {
        mesh.closed().map(|closed| Self(closed.into_owned()))
    }

    /// How often the surface winds around a point: 0 outside, 1 inside, -1 inside of faces that point inward,
    /// 2 where two solids overlap. Exact, in time that grows with the number of faces.
    ///
    /// `None` if the point lies on the surface, or a coordinate is not finite, or, which takes a mesh made
    /// for it, every segment that is tried meets an edge.
    pub(crate) fn winding_number(&self, p: &Point3<f64>) -> Option<i64> {
        let bounds = self.0.face_bounds();
        let middle = nalgebra::center(&bounds.min, &bounds.max);
        let reach = (bounds.max - bounds.min).max();
        let end = |direction: &[f64; 3]| middle + Vector3::from(*direction) * reach;
        DIRECTIONS.iter().find_map(|direction| self.crossings(p, &end(direction)))
    }

    /// Crossings out of the surface less those into it, from a point to one outside.
    fn crossings(&self, p: &Point3<f64>, end: &Point3<f64>) -> Option<i64> {
        let mut sum = 0;
        for face in &self.0.faces {
            let [a, b, c] = face.map(|v| &self.0.positions[v as usize]);
            match segment_triangle_kind([p, end], [a, b, c]) {
                None => {}
                Some(IntersectionKind::Proper) => {
                    sum += if orient3d(a, b, c, p) == Sign::Negative { 1 } else { -1 };
                }
                Some(_) => return None,
            }
        }
        Some(sum)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use cloth_geom::fixtures::icosphere;

    #[test]
    fn a_ball_winds_once_around_what_is_inside() {
        let ball = icosphere(2, 1.0).unwrap();
        let closed = ClosedSurface::new(&ball).unwrap();
        let winding = |x, y, z| closed.winding_number(&Point3::new(x, y, z));
        assert_eq!(winding(0.0, 0.0, 0.0), Some(1));
        assert_eq!(winding(0.5, -0.3, 0.2), Some(1));
        assert_eq!(winding(1.5, 0.0, 0.0), Some(0));
        assert_eq!(winding(-40.0, 70.0, 1e9), Some(0));
        // On the surface there is no answer.
        assert_eq!(closed.winding_number(&ball.positions[7]), None);
    }

    #[test]
    fn solids_that_overlap_wind_twice_and_turned_ones_back() {
        let ball = icosphere(1, 1.0).unwrap();
        let mut two = ball.clone();
        two.append(&ball.clone().translated(Vector3::new(0.7, 0.1, 0.0)));
        let two = ClosedSurface::new(&two).unwrap();
        assert_eq!(two.winding_number(&Point3::new(0.3, 0.0, 0.1)), Some(2));
        assert_eq!(two.winding_number(&Point3::new(-0.6, 0.0, 0.1)), Some(1));
        let turned = TriMesh::new(ball.positions, ball.faces.iter().map(|&[a, b, c]| [a, c, b]).collect());
        let turned = ClosedSurface::new(&turned).unwrap();
        assert_eq!(turned.winding_number(&Point3::new(0.3, 0.0, 0.1)), Some(-1));
    }
}
