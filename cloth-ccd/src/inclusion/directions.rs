//! Directions in which a moving difference may be apart from the origin: guesses, whose proof is up to the
//! caller.
//!
//! Over a short time the difference sweeps, but for terms of second order, a prism: its corners' hull, drawn
//! along the velocity. A point outside a prism is beyond one of its faces, so the normals of these faces find
//! it, and how far a search must be refined depends on the second order alone: to the square root of a gap,
//! where boxes go down to the gap itself. A flat prism (all in one plane, as sheets on a table are) has its
//! faces' normals in that plane. For a distance to keep, the direction of the closest point is added.

use cloth_geom::closest::{point_segment, point_triangle, segment_segment};
use nalgebra::{Point3, Vector3};

use super::difference::edges;

/// Whether `proves` returns true for one of the candidate directions, promising ones first; the largest
/// component of each is 1 or -1.
///
/// `corners` are those of the difference at the middle of the time, `velocity` is any vector along its mean
/// motion.
pub(crate) fn any_direction<const K: usize>(
    corners: &[Vector3<f64>; K],
    velocity: &Vector3<f64>,
    mut proves: impl FnMut(&Vector3<f64>) -> bool,
) -> bool {
    let mut is_proof = |direction: &Vector3<f64>| unit(direction).is_some_and(|direction| proves(&direction));
    let edge = |k: usize| {
        edges::<K>().get(k).map_or(Vector3::zeros(), |along| corners[along[0][1]] - corners[along[0][0]])
    };
    let edges = [edge(0), edge(1), edge(2)];
    let faces = [
        edges[0].cross(&edges[1]),
        velocity.cross(&edges[0]),
        velocity.cross(&edges[1]),
        velocity.cross(&edges[2]),
    ];
    if faces.iter().any(&mut is_proof) || is_proof(&closest(corners)) {
        return true;
    }
    let plane = faces.iter().fold(Vector3::zeros(), |most: Vector3<f64>, face| {
        if face.norm_squared() > most.norm_squared() { *face } else { most }
    });
    // Without a plane all is on one line: its foot is what is left.
    let in_plane = if K == 1 { corners[0].cross(velocity) } else { plane };
    edges.iter().chain([velocity]).any(|along| is_proof(&in_plane.cross(along)))
}

/// A direction scaled to a greatest component of 1; none if it has none, or is no direction.
fn unit(direction: &Vector3<f64>) -> Option<Vector3<f64>> {
    let size = direction.amax();
    (size >= f64::MIN_POSITIVE && size.is_finite()).then(|| direction / size)
}

/// The point of the difference closest to the origin.
fn closest<const K: usize>(corners: &[Vector3<f64>; K]) -> Vector3<f64> {
    let origin = Point3::origin();
    let point = |k: usize| Point3::from(corners[k]);
    match K {
        1 => corners[0],
        2 => {
            let [a, b] = point_segment(&origin, &point(0), &point(1)).weights;
            corners[0] * a + corners[1] * b
        }
        3 => {
            let [a, b, c] = point_triangle(&origin, [&point(0), &point(1), &point(2)]).weights;
            corners[0] * a + corners[1] * b + corners[2] * c
        }
        _ => {
            // As segments: a from b0, and b from b0.
            let b1 = Point3::from(corners[0] - corners[1]);
            let found = segment_segment([&point(0), &point(2)], [&origin, &b1]);
            let at_b0 = corners[0] * (1.0 - found.s) + corners[2] * found.s;
            at_b0 - b1.coords * found.t
        }
    }
}
