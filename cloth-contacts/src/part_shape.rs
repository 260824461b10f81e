//! Prepared parts: what a part of a surface has of its rest shape alone, computed once and copied into any
//! number of surfaces.
//!
//! Building a surface takes three quarters of the time of building a simulation: leaves by bisection, rest
//! distances by a broad phase, and adjacency by sorting. All three depend on one part at a time, so that the
//! surface of many parts is their concatenation.

use cloth_geom::Topology;
use nalgebra::Point3;

use crate::leaves::{Leaves, PlacedLeaves};
use crate::regions::{Groups, Regions};
use crate::rest_distance::RestDistances;
use crate::{SurfaceDesc, SurfaceError};

/// A prepared part of a surface, for [`Surface::from_parts`](crate::Surface::from_parts): its adjacency,
/// leaves and rest distances.
#[derive(Clone, Debug)]
pub struct PartShape {
    pub(crate) topology: Topology,
    pub(crate) rest: RestDistances,
    /// The leaves of the part as one group.
    leaves: Leaves,
    /// Radius of each vertex (m).
    radii: Vec<f32>,
}

impl PartShape {
    /// Prepares a part with these rest positions (m), one a vertex, and a radius (m) that all its vertices
    /// have.
    ///
    /// # Errors
    /// If the number of positions is not that of the vertices, or a number is not finite.
    pub fn new(topology: Topology, rest: &[Point3<f32>], radius: f32) -> Result<Self, SurfaceError> {
        let radii = vec![radius; topology.vertex_count()];
        Self::with_radii(topology, rest, radii)
    }

    /// As [`PartShape::new`], with a radius (m) for each vertex. Along an edge the radius is linear; of two
    /// vertices of an edge or a face the first, in the order of [`Topology::edges`] or of the face, has the
    /// larger one, since it decides how near a pair has to come.
    ///
    /// # Errors
    /// As [`PartShape::new`], or if the number of radii is not that of the vertices.
    pub fn with_radii(
        topology: Topology,
        rest: &[Point3<f32>],
        radii: Vec<f32>,
    ) -> Result<Self, SurfaceError> {
        let expected = topology.vertex_count();
        if radii.len() != expected {
            return Err(SurfaceError::Length { name: "radius", got: radii.len(), expected });
        }
        if rest.len() != expected {
            return Err(SurfaceError::Length { name: "rest", got: rest.len(), expected });
        }
        if let Some(v) = rest.iter().position(|p| !p.iter().all(|c| c.is_finite())) {
            return Err(SurfaceError::Rest(v));
        }
        if let Some(vertex) = radii.iter().position(|r| !(r.is_finite() && *r >= 0.0)) {
            return Err(SurfaceError::Radius { name: "radius", vertex, value: radii[vertex] });
        }
        let increases = |vertices: &[u32]| {
            vertices.iter().find(|&&v| radii[v as usize] > radii[vertices[0] as usize]).copied()
        };
        let edges = topology.edges().iter().find_map(|edge| increases(edge));
        if let Some(vertex) = edges.or_else(|| topology.faces().iter().find_map(|face| increases(face))) {
            return Err(SurfaceError::RadiusOrder(vertex as usize));
        }
        let part = vec![0; expected];
        let groups = Groups::new(&topology, &part, &[false], &Regions::default())?;
        Ok(Self {
            leaves: Leaves::new(&topology, &groups, rest),
            rest: RestDistances::measure(&topology, &radii, &part, rest),
            topology,
            radii,
        })
    }

    /// Its adjacency.
    #[must_use]
    pub fn topology(&self) -> &Topology {
        &self.topology
    }
}

/// The first vertex, face and edge of each part.
pub(crate) fn places(shapes: &[&PartShape]) -> Vec<[u32; 3]> {
    let mut next = [0; 3];
    let place = |shape: &&PartShape| {
        let (first, topology) = (next, &shape.topology);
        let counts = [topology.vertex_count(), topology.faces().len(), topology.edges().len()];
        next = [0, 1, 2].map(|k| next[k] + counts[k] as u32);
        first
    };
    shapes.iter().map(place).collect()
}

/// Checks that the shapes are those of the description.
pub(crate) fn check(
    desc: &SurfaceDesc<'_>,
    topology: &Topology,
    shapes: &[&PartShape],
    places: &[[u32; 3]],
) -> Result<(), SurfaceError> {
    if shapes.len() != desc.kinematic.len() || topology.vertex_count() != desc.rest.len() {
        return Err(SurfaceError::Shape(shapes.len().min(desc.kinematic.len())));
    }
    for (part, (shape, &[first, ..])) in shapes.iter().zip(places).enumerate() {
        let own = first as usize..first as usize + shape.topology.vertex_count();
        let is_part = desc.part[own.clone()].iter().all(|&p| usize::from(p) == part);
        if !is_part || desc.radius[own] != shape.radii {
            return Err(SurfaceError::Shape(part));
        }
    }
    match topology.faces().iter().zip(desc.faces).position(|(a, b)| a != b) {
        None if topology.faces().len() == desc.faces.len() => Ok(()),
        face => {
            let face = face.unwrap_or(topology.faces().len().min(desc.faces.len())) as u32;
            Err(SurfaceError::Shape(places.partition_point(|first| first[1] <= face).saturating_sub(1)))
        }
    }
}

/// The leaves of all parts with their places; `None` if a part has several groups, and other leaves then.
pub(crate) fn placed_leaves<'a>(
    shapes: &[&'a PartShape],
    places: &[[u32; 3]],
    groups: &Groups,
) -> Option<Vec<PlacedLeaves<'a>>> {
    let place = |(shape, &first): (&&'a PartShape, &[u32; 3])| {
        let counts =
            [shape.topology.vertex_count(), shape.topology.faces().len(), shape.topology.edges().len()];
        let rows = [&groups.of_vertex, &groups.of_face, &groups.of_edge];
        let own = [0, 1, 2].map(|k| &rows[k][first[k] as usize..][..counts[k]]);
        let group = own[0].first().copied().unwrap_or(0);
        let is_one = own.iter().all(|groups| groups.iter().all(|&g| g == group));
        is_one.then_some(PlacedLeaves { leaves: &shape.leaves, first, group })
    };
    shapes.iter().zip(places).map(place).collect()
}

/// The rest distances of all parts.
pub(crate) fn rest_distances(shapes: &[&PartShape], places: &[[u32; 3]]) -> RestDistances {
    let mut all = RestDistances::default();
    shapes.iter().zip(places).for_each(|(shape, &first)| all.append(&shape.rest, first));
    all
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Surface;
    use cloth_geom::fixtures::{icosphere, sheet};

    /// A thick sheet twice, with the same rest positions, between them a ball, and vertices without faces.
    fn parts() -> Vec<(Topology, Vec<Point3<f32>>, f32)> {
        let sheet = sheet(12, 9, [1.0, 0.7]).unwrap().mesh;
        let ball = icosphere(2, 0.3).unwrap();
        let lone: Vec<Point3<f32>> = (0..40u8).map(|i| Point3::new(f32::from(i), 0.0, 0.0)).collect();
        let mesh = |mesh: &cloth_geom::TriMesh| (Topology::of_mesh(mesh).unwrap(), mesh.positions_f32());
        let ((sheet, flat), (ball, round)) = (mesh(&sheet), mesh(&ball));
        vec![
            (sheet.clone(), flat.clone(), 0.06),
            (ball, round, 0.01),
            (Topology::new(lone.len(), &[]).unwrap(), lone, 0.02),
            (sheet, flat, 0.06),
        ]
    }

    /// Both surfaces of the parts: from prepared parts, and as a whole.
    fn surfaces(of_face: impl Fn(usize) -> u16) -> [Result<Surface, SurfaceError>; 2] {
        let (mut faces, mut radius, mut part, mut rest) = (vec![], vec![], vec![], vec![]);
        let mut shapes = Vec::new();
        for (p, (topology, positions, r)) in parts().into_iter().enumerate() {
            faces.extend(topology.faces().iter().map(|f| f.map(|v| v + rest.len() as u32)));
            radius.resize(radius.len() + positions.len(), r);
            part.resize(part.len() + positions.len(), p as u16);
            rest.extend_from_slice(&positions);
            shapes.push(PartShape::new(topology, &positions, r).unwrap());
        }
        let of_face: Vec<u16> = (0..faces.len()).map(of_face).collect();
        let desc = SurfaceDesc {
            faces: &faces,
            radius: &radius,
            half_scr: &vec![0.005; rest.len()],
            part: &part,
            kinematic: &[false, true, false, false],
            rest: &rest,
            exclusions: &[[3, 1], [0, 7]],
            regions: Regions { of_face: &of_face, ..Regions::default() },
        };
        [Surface::from_parts(&desc, &shapes.iter().collect::<Vec<_>>()), Surface::new(&desc)]
    }

    #[test]
    fn a_surface_from_prepared_parts_equals_one_computed_whole() {
        let [from_parts, whole] = surfaces(|_| 0).map(Result::unwrap);
        assert_eq!(format!("{from_parts:?}"), format!("{whole:?}"));
        assert!(!format!("{:?}", from_parts.rest).contains("point_triangles: []"));
    }

    #[test]
    fn so_does_one_whose_parts_have_regions() {
        let [from_parts, whole] = surfaces(|f| u16::from(f < 40)).map(Result::unwrap);
        assert_eq!(format!("{from_parts:?}"), format!("{whole:?}"));
    }

    #[test]
    fn a_shape_of_another_part_is_refused() {
        let prepared: Vec<PartShape> = parts()
            .into_iter()
            .map(|(topology, rest, r)| PartShape::new(topology, &rest, r).unwrap())
            .collect();
        let (topology, rest, radius) = parts().swap_remove(0);
        let count = rest.len();
        let build = |radius: f32, shapes: &[&PartShape]| {
            let desc = SurfaceDesc {
                faces: topology.faces(),
                radius: &vec![radius; count],
                half_scr: &vec![0.0; count],
                part: &vec![0; count],
                kinematic: &[false],
                rest: &rest,
                exclusions: &[],
                regions: Regions::default(),
            };
            Surface::from_parts(&desc, shapes).map(drop)
        };
        assert_eq!(build(radius, &[&prepared[0]]), Ok(()));
        assert_eq!(build(2.0 * radius, &[&prepared[0]]), Err(SurfaceError::Shape(0)));
        assert_eq!(build(radius, &[&prepared[1]]), Err(SurfaceError::Shape(1)));
        assert_eq!(build(radius, &[&prepared[0], &prepared[2]]), Err(SurfaceError::Shape(1)));
    }
}
