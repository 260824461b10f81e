//! The openings of a garment: its boundary loops, measured.

use cloth_geom::{Topology, TriMesh};
use nalgebra::{Point3, Vector3};

/// A boundary loop that a part of a body could go through.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Opening {
    /// Its middle (m): every edge counts by its length.
    pub(super) middle: Point3<f64>,
    /// Its length (m), the circumference of what fills it.
    pub(super) around: f64,
    /// Its vertices, in order.
    pub(super) ring: Vec<u32>,
}

/// The openings that are at least `least` (m) around, from the highest to the lowest. Smaller ones are
/// buttonholes and tears.
pub(super) fn openings(mesh: &TriMesh, topology: &Topology, least: f64) -> Vec<Opening> {
    let measured = topology.boundary_loops();
    let measured = measured.into_iter().map(|ring| measure(&mesh.positions, ring));
    let mut openings: Vec<Opening> = measured.filter(|opening| opening.around >= least).collect();
    openings.sort_by(|a, b| b.middle.y.total_cmp(&a.middle.y));
    openings
}

/// Measures the loop of these vertices.
pub(super) fn measure(positions: &[Point3<f64>], ring: Vec<u32>) -> Opening {
    let at = |i: usize| positions[ring[i % ring.len()] as usize];
    let (mut around, mut sum) = (0.0, Vector3::zeros());
    for i in 0..ring.len() {
        let length = (at(i + 1) - at(i)).norm();
        around += length;
        sum += nalgebra::center(&at(i), &at(i + 1)).coords * length;
    }
    let middle = if around > 0.0 { Point3::from(sum / around) } else { at(0) };
    Opening { middle, around, ring }
}

#[cfg(test)]
mod tests {
    use super::*;
    use cloth_geom::fixtures::{SkirtShape, TshirtShape, skirt, tshirt};

    #[test]
    fn of_a_skirt_are_its_waist_and_its_hem() {
        let shape = SkirtShape { waist_radius: 0.14, hem_radius: 0.4, length: 0.5, around: 60, along: 5 };
        let mesh = skirt(shape).unwrap();
        let found = openings(&mesh, &Topology::of_mesh(&mesh).unwrap(), 0.1);
        let [waist, hem] = &found[..] else { panic!("{found:?}") };
        // A polygon of sixty sides is 0.05 % shorter than its circle.
        for (opening, radius) in [(waist, 0.14), (hem, 0.4)] {
            let around = std::f64::consts::TAU * radius;
            assert!((opening.around / around - 1.0).abs() < 1e-3, "{opening:?}");
            assert!(opening.middle.x.abs() + opening.middle.z.abs() < 1e-9, "{opening:?}");
        }
        assert!(waist.middle.y > hem.middle.y);
    }

    #[test]
    fn of_a_shirt_are_four_and_none_where_all_are_too_small() {
        let mesh = tshirt(TshirtShape::default()).unwrap();
        let topology = Topology::of_mesh(&mesh).unwrap();
        assert_eq!(openings(&mesh, &topology, 0.1).len(), 4);
        assert!(openings(&mesh, &topology, 5.0).is_empty());
    }
}
