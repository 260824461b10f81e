//! What may be wrong with a mesh beyond its intersections: its unit, and seams that were never welded.

use cloth_contacts::intersect::Intersections;
use cloth_geom::{Aabb, Topology};
use cloth_scene::units;
use nalgebra::Point3;
use serde::Serialize;

use cloth_scene::words::count;

/// Two vertices are at one place if they are this part of the mesh's diagonal apart, or less: a hundred
/// roundings of the six digits that many files have.
const COINCIDENT: f64 = 1e-6;

/// The box of a mesh (m).
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub(super) struct BoundsReport {
    min: [f64; 3],
    max: [f64; 3],
}

impl BoundsReport {
    /// The box of the corners of faces that are finite; none if there are none.
    pub(super) fn of_faces(positions: &[Point3<f64>], faces: &[[u32; 3]]) -> Option<Self> {
        let mut is_used = vec![false; positions.len()];
        faces.iter().flatten().for_each(|&v| {
            if let Some(used) = is_used.get_mut(v as usize) {
                *used = true;
            }
        });
        let corners = positions.iter().zip(is_used).filter(|(_, used)| *used).map(|(p, _)| p);
        let bounds = Aabb::of_points(corners.filter(|p| p.iter().all(|c| c.is_finite())).copied());
        let is_some = bounds.min.x <= bounds.max.x;
        is_some.then(|| Self { min: bounds.min.into(), max: bounds.max.into() })
    }

    fn bounds(&self) -> Aabb {
        Aabb { min: self.min.into(), max: self.max.into() }
    }

    pub(super) fn in_words(&self) -> String {
        units::in_words(&self.bounds())
    }

    /// A hint if that is no size of cloth.
    pub(super) fn unit_hint(&self) -> Option<String> {
        units::unit_hint(&self.bounds(), units::CLOTH, 1.0, None)
    }
}

/// A hint if most intersections are of primitives with vertices at one place: panels that are not joined.
/// `option` names what joins vertices that are at most a distance apart.
#[must_use]
pub fn weld_hint(
    found: &Intersections,
    positions: &[Point3<f64>],
    topology: &Topology,
    option: impl Fn(f64) -> String,
) -> Option<String> {
    let bounds = BoundsReport::of_faces(positions, topology.faces())?.bounds();
    let near = COINCIDENT * (bounds.max - bounds.min).norm();
    let is_seam = |[e, f]: &[u32; 2]| {
        let (edge, face) = (topology.edges()[*e as usize], topology.faces()[*f as usize]);
        let at = |v: u32| positions[v as usize];
        edge.iter().any(|&a| face.iter().any(|&b| (at(a) - at(b)).norm() <= near))
    };
    let seams = found.edge_faces.iter().filter(|pair| is_seam(pair)).count();
    let all = found.edge_faces.len();
    let distance = 10f64.powf(near.log10().ceil());
    (2 * seams > all).then(|| {
        format!(
            "{} of {} intersections are at coincident vertices, as in panels that are not joined; \
             {} joins them",
            count(seams),
            count(all),
            option(distance)
        )
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use cloth_contacts::intersect::find;
    use cloth_geom::TriMesh;

    fn hint(mesh: &TriMesh) -> Option<String> {
        let topology = Topology::of_mesh(mesh).unwrap();
        let found = find(&mesh.positions, &topology).unwrap();
        weld_hint(&found, &mesh.positions, &topology, |distance| format!("--weld {distance:e}"))
    }

    #[test]
    fn panels_that_touch_are_to_be_welded_and_others_not() {
        let panel = cloth_geom::fixtures::sheet(4, 4, [1.0, 1.0]).unwrap().mesh;
        let mut panels = panel.clone();
        panels.append(&panel.clone().translated(nalgebra::Vector3::x()));
        let text = hint(&panels).unwrap();
        assert!(text.contains("--weld 1e-5"), "{text}");
        // Half a cell off along the seam they touch and have no vertex in common, but where they end.
        let mut shifted = panel.clone();
        shifted.append(&panel.clone().translated(nalgebra::Vector3::new(1.0, 0.0, 1.0 / 6.0)));
        assert_eq!(hint(&shifted), None);
        assert_eq!(hint(&panel), None);
    }

    #[test]
    fn bounds_leave_out_what_is_not_finite_or_of_no_face() {
        let points = [[0.0, 1.0, 2.0], [f64::NAN, 0.0, 0.0], [3.0, -1.0, 2.0], [9.0; 3]].map(Point3::from);
        let bounds = BoundsReport::of_faces(&points, &[[0, 1, 2], [2, 0, 77]]).unwrap();
        assert_eq!((bounds.min, bounds.max), ([0.0, -1.0, 2.0], [3.0, 1.0, 2.0]));
        assert_eq!(BoundsReport::of_faces(&points, &[[1, 1, 1]]), None);
    }
}
