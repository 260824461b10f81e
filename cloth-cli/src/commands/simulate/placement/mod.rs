//! Where a garment goes that has no scene file: around the figure if it fits, otherwise above its body.
//!
//! The figure has room for a garment's neck, or waist, if some opening can be lowered over it: the opening's loop
//! winds around the upright axis, and no vertex is more than a little inside a capsule. All heights are tried, from
//! the neck down. No vertex inside is not enough: a sheet of wide faces could have a neck between its vertices, so no
//! face may cut a capsule's axis.

use cloth_geom::exact::segment_meets_triangle;
use cloth_geom::{Aabb, Topology, TriMesh};
use cloth_solver::{Collider, Shape};
use nalgebra::{Point3, Vector3};

/// How deep (m) vertices may start inside the figure: colliders push them out the shorter way, which is the right
/// way so long as it is much less than the radius of an arm.
const MAX_DEPTH: f64 = 0.02;

/// Heights (m) at which the highest opening is tried on the figure: from the chin to the hips.
const HEIGHTS: [f64; 2] = [1.60, 0.85];

/// Step between them (m).
const STEP: f64 = 0.01;

/// A garment around the figure.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Fit {
    /// Where it is moved (m).
    pub(super) translate: Vector3<f64>,
    /// How deep its deepest vertex starts inside the figure (m), 0 if none does.
    pub(super) depth: f64,
    /// The height of its highest opening (m).
    pub(super) height: f64,
}

/// The place around the figure where a garment is least inside it; none if it does not fit.
pub(super) fn around_figure(mesh: &TriMesh, topology: &Topology, figure: &[Collider]) -> Option<Fit> {
    let middle_of = |ring: &[u32]| {
        let sum: Vector3<f64> = ring.iter().map(|&v| mesh.positions[v as usize].coords).sum();
        sum / ring.len() as f64
    };
    let rings = topology.boundary_loops();
    let ring = rings.iter().max_by(|a, b| middle_of(a).y.total_cmp(&middle_of(b).y))?;
    let middle = middle_of(ring);
    let lowest = mesh.bounds().min.y;
    let steps = ((HEIGHTS[0] - HEIGHTS[1]) / STEP) as usize;
    let box_middle = nalgebra::center(&mesh.bounds().min, &mesh.bounds().max);
    let mut best: Option<Fit> = None;
    // Garments are not always cut around the middle of their neck: the middle of the whole is tried, too.
    for z in [middle.z, box_middle.z] {
        let axis = Vector3::new(middle.x, 0.0, z);
        if winding(mesh, ring, &axis) == 0 {
            continue;
        }
        for height in (0..=steps).map(|i| HEIGHTS[0] - STEP * i as f64) {
            let translate = Vector3::new(0.0, height - middle.y, 0.0) - axis;
            if lowest + translate.y < 0.0 {
                break;
            }
            let depth = depth(mesh, &translate, figure);
            let is_better = depth <= MAX_DEPTH && best.is_none_or(|b| depth < b.depth);
            if is_better && !is_pierced(mesh, &translate, figure) {
                best = Some(Fit { translate, depth, height });
            }
        }
    }
    best
}

/// Whether a face cuts the axis of a capsule, drawn out to its surface at both ends.
fn is_pierced(mesh: &TriMesh, translate: &Vector3<f64>, figure: &[Collider]) -> bool {
    let axis = |collider: &Collider| match collider.shape {
        Shape::Capsule { half_length, radius } => {
            let end = Vector3::y() * (half_length + radius);
            Some([-end, end].map(|e| (collider.pose_t1 * Point3::from(e)).map(f64::from)))
        }
        _ => None,
    };
    let axes: Vec<[Point3<f64>; 2]> = figure.iter().filter_map(axis).collect();
    mesh.faces.iter().any(|face| {
        let [a, b, c] = face.map(|v| mesh.positions[v as usize] + translate);
        axes.iter().any(|[p, q]| segment_meets_triangle([p, q], [&a, &b, &c]))
    })
}

/// How often a loop winds around the upright line through `axis`, by crossings of the half-plane towards +x.
fn winding(mesh: &TriMesh, ring: &[u32], axis: &Vector3<f64>) -> i32 {
    let at = |i: usize| mesh.positions[ring[i % ring.len()] as usize] - axis;
    let turn = |i: usize| {
        let (p, q) = (at(i), at(i + 1));
        let crosses = (p.z >= 0.0) != (q.z >= 0.0);
        let x = p.x - p.z * (q.x - p.x) / (q.z - p.z);
        if crosses && x > 0.0 { if q.z >= 0.0 { 1 } else { -1 } } else { 0 }
    };
    (0..ring.len()).map(turn).sum()
}

/// The depth (m) of the deepest vertex in the figure, 0 if none is inside.
fn depth(mesh: &TriMesh, translate: &Vector3<f64>, figure: &[Collider]) -> f64 {
    let moved: Vec<Point3<f32>> = mesh.positions.iter().map(|p| (p + translate).map(|c| c as f32)).collect();
    cloth_verify::invariants::deepest_penetration(&moved, figure)
}

/// The translation that lowers a box on the middle of another, `gap` (m) above it.
pub(super) fn above(garment: &Aabb, body: &Aabb, gap: f64) -> Vector3<f64> {
    let (from, to) = (nalgebra::center(&garment.min, &garment.max), nalgebra::center(&body.min, &body.max));
    Vector3::new(to.x - from.x, body.max.y + gap - garment.min.y, to.z - from.z)
}

#[cfg(test)]
mod tests {
    use super::*;
    use cloth_geom::fixtures::{SkirtShape, TshirtShape, skirt, tshirt};
    use cloth_verify::CapsuleFigure;
    use nalgebra::Isometry3;

    fn figure() -> Vec<Collider> {
        CapsuleFigure::default().colliders(0.3, &Isometry3::identity()).unwrap()
    }

    #[test]
    fn dresses_the_figure_in_a_shirt_from_anywhere() {
        let shirt = tshirt(TshirtShape::default()).unwrap().translated(Vector3::new(3.0, -7.0, 2.0));
        let fit = around_figure(&shirt, &Topology::of_mesh(&shirt).unwrap(), &figure()).unwrap();
        assert_eq!(fit.depth, 0.0);
        let off = fit.translate - Vector3::new(-3.0, 7.0, -2.0);
        assert!(off.norm() < 0.08, "{off}");
    }

    #[test]
    fn does_not_dress_it_in_what_is_too_small_or_closed() {
        let shirt = tshirt(TshirtShape::default()).unwrap().scaled(0.4);
        assert_eq!(around_figure(&shirt, &Topology::of_mesh(&shirt).unwrap(), &figure()), None);
        let ball = cloth_geom::fixtures::icosphere(2, 0.5).unwrap();
        assert_eq!(around_figure(&ball, &Topology::of_mesh(&ball).unwrap(), &figure()), None);
    }

    #[test]
    fn does_not_dress_it_in_what_it_would_pierce_or_what_stands_behind_it() {
        let fits =
            |mesh: &TriMesh| around_figure(mesh, &Topology::of_mesh(mesh).unwrap(), &figure()).is_some();
        // Faces so wide that the neck, the torso and the legs fit between the vertices.
        let sheet = cloth_geom::fixtures::sheet(4, 4, [1.8, 1.8]).unwrap().mesh;
        assert!(!fits(&sheet.translated(Vector3::new(0.4, 0.0, 0.4))));
        let bent = |turns: f64| {
            let sheet = cloth_geom::fixtures::sheet(30, 4, [1.0, 0.1]).unwrap().mesh;
            let min = sheet.bounds().min;
            sheet.mapped(|p| {
                let angle = turns * std::f64::consts::TAU * (p.x - min.x);
                Point3::new(0.4 * angle.cos(), p.z, 0.4 * angle.sin())
            })
        };
        assert!(!fits(&bent(0.5)), "an open band has no hole");
    }

    #[test]
    fn a_loop_beside_the_axis_does_not_wind_around_it() {
        let shape = SkirtShape { waist_radius: 0.2, hem_radius: 0.4, length: 0.5, around: 20, along: 5 };
        let skirt = skirt(shape).unwrap();
        let topology = Topology::of_mesh(&skirt).unwrap();
        let ring = &topology.boundary_loops()[0];
        assert_eq!(winding(&skirt, ring, &Vector3::zeros()).abs(), 1);
        assert_eq!(winding(&skirt, ring, &Vector3::new(5.0, 0.0, 0.0)), 0);
        assert_eq!(winding(&skirt, ring, &Vector3::new(-5.0, 0.0, 0.0)), 0);
    }

    #[test]
    fn lowers_a_box_on_the_middle_of_another() {
        let boxed = |min: [f64; 3], max: [f64; 3]| Aabb { min: min.into(), max: max.into() };
        let t = above(&boxed([0.0, 5.0, 0.0], [2.0, 6.0, 2.0]), &boxed([-1.0; 3], [1.0, 3.0, 1.0]), 0.1);
        assert!((t - Vector3::new(-1.0, -1.9, -1.0)).norm() < 1e-12, "{t}");
    }
}
