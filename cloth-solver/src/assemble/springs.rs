//! The edges of a cloth as springs.

use cloth_geom::Topology;

use crate::cloth::ClothDesc;
use crate::constraints::stretch::{Spring, stiffness_along};
use crate::rest::RestGeometry;

/// The springs of a cloth's edges, each with the stiffness and the area of the faces beside it.
pub(super) fn springs<'a>(
    topology: &'a Topology,
    rest: &'a RestGeometry,
    cloth: &'a ClothDesc,
) -> impl Iterator<Item = Spring> + 'a {
    topology.edges().iter().enumerate().filter_map(move |(e, &[a, b])| {
        let (mut length, mut area, mut stiffness_area, mut faces) = (0.0, 0.0, 0.0, 0.0);
        for &face in topology.edge_faces(e) {
            let k = (0..3).find(|&k| topology.face_edges()[face as usize][k] == e as u32).unwrap_or(0);
            let along = rest.edge(face, k);
            length += (along[0] * along[0] + along[1] * along[1]).sqrt();
            stiffness_area += stiffness_along(&cloth.material, along) * rest.area(face);
            area += rest.area(face);
            faces += 1.0;
        }
        let rest_length: f32 = length / faces;
        let compliance = rest_length * rest_length / stiffness_area;
        let threads = stiffness_area > cloth.material.shear * area && compliance.is_finite();
        threads.then_some(Spring { a, b, rest: rest_length, compliance })
    })
}
