//! What may be wrong with a mesh beyond its intersections: its unit, and seams that were never welded.

use cloth_contacts::intersect::Intersections;
use cloth_geom::{Aabb, Topology, TriMesh};
use cloth_scene::remedy::{Change, Faults, RemedyJudge, Surroundings, without_doubled};
use cloth_scene::units;
use cloth_scene::words::count;
use nalgebra::Point3;
use serde::Serialize;

use super::{PreparedMesh, Subject};

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

    pub(super) fn bounds(&self) -> Aabb {
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

/// Panels that are not joined, as most intersections of a state show.
#[derive(Clone, Debug)]
pub struct UnweldedSeams {
    /// Intersections at coincident vertices.
    seams: usize,
    before: Faults,
    /// Joins vertices that are at most this far apart (the unit of the positions).
    pub distance: f64,
}

impl UnweldedSeams {
    /// Those of a state in these bounds, if most of its intersections are of primitives with vertices at one
    /// place.
    #[must_use]
    pub fn find(
        found: &Intersections,
        positions: &[Point3<f64>],
        topology: &Topology,
        bounds: &Aabb,
    ) -> Option<Self> {
        // Faces on others meet in vertices at one place too, and are no panels.
        let found = without_doubled(found.clone(), positions, topology);
        let near = COINCIDENT * (bounds.max - bounds.min).norm();
        let is_seam = |[e, f]: &[u32; 2]| {
            let (edge, face) = (topology.edges()[*e as usize], topology.faces()[*f as usize]);
            let at = |v: u32| positions[v as usize];
            edge.iter().any(|&a| face.iter().any(|&b| (at(a) - at(b)).norm() <= near))
        };
        let seams = found.edge_faces.iter().filter(|pair| is_seam(pair)).count();
        let (with_itself, lying_flat) = (found.count(), found.flat_folds.len() + found.doubled_faces.len());
        let before = Faults { with_itself, lying_flat, ..Faults::default() };
        (2 * seams > with_itself).then(|| Self { seams, before, distance: 10f64.powf(near.log10().ceil()) })
    }

    /// Whether the state is better when it is welded, where it has so many faces before.
    #[must_use]
    pub fn are_joined_in(&self, welded: &TriMesh, faces: usize) -> bool {
        let left_out = faces.saturating_sub(welded.faces.len());
        let after = RemedyJudge::new().faults(welded, &Surroundings::default());
        after.is_some_and(|after| Change::Moves.helps(&self.before, &Faults { left_out, ..after }))
    }

    /// In one line; `option` is what welds.
    #[must_use]
    pub fn hint(&self, option: &str) -> String {
        format!(
            "{} of {} intersections are at coincident vertices, as in panels that are not joined; \
             {option} joins them",
            count(self.seams),
            count(self.before.with_itself),
        )
    }
}

/// Says which welding joins the seams of a state, of which so many faces are judged, if it does.
pub(super) fn weld_hint(
    subject: &mut Subject,
    faces: usize,
    (state, seams): (usize, UnweldedSeams),
) -> Option<String> {
    let positions = subject.read(state).ok()?;
    let welded = welded_state(&subject.mesh, &positions, seams.distance)?;
    seams.are_joined_in(&welded, faces).then(|| seams.hint(&format!("--weld {:e}", seams.distance)))
}

/// The mesh of a file in one of its states, welded; none if it cannot be.
#[must_use]
pub fn welded_state(mesh: &TriMesh, state: &[Point3<f64>], distance: f64) -> Option<TriMesh> {
    let welded = PreparedMesh::new(mesh, Some(distance)).ok()?;
    Some(TriMesh::new(welded.positions(state), welded.topology.faces().to_vec()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use cloth_contacts::intersect::find;

    fn hint(mesh: &TriMesh) -> Option<String> {
        let topology = Topology::of_mesh(mesh).unwrap();
        let found = find(&mesh.positions, &topology).unwrap();
        let seams = UnweldedSeams::find(&found, &mesh.positions, &topology, &mesh.bounds())?;
        let welded = welded_state(mesh, &mesh.positions, seams.distance)?;
        let option = format!("--weld {:e}", seams.distance);
        seams.are_joined_in(&welded, mesh.faces.len()).then(|| seams.hint(&option))
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
    fn a_sheet_on_its_copy_is_not_to_be_welded() {
        let sheet = cloth_geom::fixtures::sheet(4, 4, [1.0, 1.0]).unwrap().mesh;
        let mut doubled = sheet.clone();
        doubled.append(&sheet);
        assert_eq!(hint(&doubled), None);
    }

    #[test]
    fn bounds_leave_out_what_is_not_finite_or_of_no_face() {
        let points = [[0.0, 1.0, 2.0], [f64::NAN, 0.0, 0.0], [3.0, -1.0, 2.0], [9.0; 3]].map(Point3::from);
        let bounds = BoundsReport::of_faces(&points, &[[0, 1, 2], [2, 0, 77]]).unwrap();
        assert_eq!((bounds.min, bounds.max), ([0.0, -1.0, 2.0], [3.0, 1.0, 2.0]));
        assert_eq!(BoundsReport::of_faces(&points, &[[1, 1, 1]]), None);
    }
}
