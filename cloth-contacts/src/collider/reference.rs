//! Reference implementation of collider distances and contacts.
//!
//! Distances agree within a rounding bound, contacts bitwise: [`contacts`] tests every pair with the
//! arithmetic of [`super::ColliderDetector`].

use cloth_geom::closest::reference::point_triangle;
use nalgebra::{Point3, Vector2, Vector3};

use super::contact::PosedCollider;
use super::{ClothPoints, Collider, ColliderContact, MeshShape, MeshSides, Shape};

/// The contacts of all points with all colliders, pair by pair, ordered by collider and then by vertex.
pub fn contacts(colliders: &[Collider], points: &ClothPoints<'_>, out: &mut Vec<ColliderContact>) {
    out.clear();
    for (index, collider) in colliders.iter().enumerate() {
        let posed = PosedCollider::new(collider, index as u32);
        for v in (0..points.inv_mass.len()).filter(|&v| points.inv_mass[v] > 0.0) {
            posed.contacts(points, v, out);
        }
    }
}

/// Signed distance (m) of a point from a shape in the frame of the shape, in `f64`; `None` for shapes that
/// only parry supports.
///
/// The sign for closed meshes is that of the winding number; for one-sided surfaces that of the nearest face
/// whose normal is best aligned.
#[must_use]
pub fn signed_distance(shape: &Shape, p: &Point3<f64>) -> Option<f64> {
    let wide = f64::from;
    Some(match shape {
        Shape::Plane => p.y,
        &Shape::Sphere { radius } => p.coords.norm() - wide(radius),
        &Shape::Capsule { half_length, radius } => taper(p, wide(half_length), [wide(radius), wide(radius)]),
        &Shape::TaperedCapsule { half_length, bottom_radius, top_radius } => {
            taper(p, wide(half_length), [wide(bottom_radius), wide(top_radius)])
        }
        &Shape::Cylinder { half_length, radius } => {
            let (h, r) = (wide(half_length), wide(radius));
            profile(
                p,
                &[Vector2::new(0.0, -h), Vector2::new(r, -h), Vector2::new(r, h), Vector2::new(0.0, h)],
            )
        }
        &Shape::Cone { half_length, radius } => {
            let (h, r) = (wide(half_length), wide(radius));
            profile(p, &[Vector2::new(0.0, -h), Vector2::new(r, -h), Vector2::new(0.0, h)])
        }
        Shape::Cuboid { half_extents } => cuboid(p, &half_extents.cast()),
        Shape::Hull(hull) => {
            let planes = hull.faces().map(|[a, b, c]| (b - a).cross(&(c - a)).normalize().dot(&(p - a)));
            let highest = planes.fold(f64::NEG_INFINITY, f64::max);
            if highest <= 0.0 { highest } else { nearest_face(p, hull.faces()).0 }
        }
        Shape::Mesh(mesh) => by_faces(mesh, p),
        Shape::Compound(compound) => {
            let of = |part: &super::compound::Part| {
                let local = part.pose.cast::<f64>().inverse_transform_point(p);
                signed_distance(&part.shape, &local).map(|d| d - wide(part.rounding))
            };
            compound.parts().iter().map(of).try_fold(f64::INFINITY, |least, d| d.map(|d| least.min(d)))?
        }
        #[cfg(feature = "parry")]
        Shape::Parry(_) => return None,
    })
}

/// The least `|p - c(t)| - r(t)` over balls whose centre and radius blend from one end to the other: a convex
/// function.
fn taper(p: &Point3<f64>, half_length: f64, [bottom, top]: [f64; 2]) -> f64 {
    let from_ball = |t: f64| {
        let middle = Point3::new(0.0, half_length * (2.0 * t - 1.0), 0.0);
        (p - middle).norm() - (bottom * (1.0 - t) + top * t)
    };
    let [mut low, mut high] = [0.0, 1.0];
    for _ in 0..200 {
        let third = (high - low) / 3.0;
        if from_ball(low + third) <= from_ball(high - third) { high -= third } else { low += third }
    }
    [0.0, 0.5 * (low + high), 1.0].map(from_ball).into_iter().fold(f64::INFINITY, f64::min)
}

/// A convex profile turned about y: from below round the outside to the top, counter-clockwise.
fn profile(p: &Point3<f64>, corners: &[Vector2<f64>]) -> f64 {
    let at = Vector2::new((p.x * p.x + p.z * p.z).sqrt(), p.y);
    let (mut nearest, mut highest) = (f64::INFINITY, f64::NEG_INFINITY);
    for ends in corners.windows(2) {
        let along = ends[1] - ends[0];
        let t = ((at - ends[0]).dot(&along) / along.norm_squared()).clamp(0.0, 1.0);
        nearest = nearest.min((at - ends[0] - along * t).norm());
        highest = highest.max(Vector2::new(along.y, -along.x).normalize().dot(&(at - ends[0])));
    }
    if highest <= 0.0 { highest } else { nearest }
}

fn cuboid(p: &Point3<f64>, half: &Vector3<f64>) -> f64 {
    let inside = Point3::from(p.coords.zip_map(half, |c, h| c.clamp(-h, h)));
    if inside == *p { (p.coords.abs() - half).max() } else { (p - inside).norm() }
}

/// The distance (m) of the nearest face, and the height (m) above that one of the nearest whose plane is
/// farthest.
fn nearest_face(p: &Point3<f64>, faces: impl Iterator<Item = [Point3<f64>; 3]>) -> (f64, f64) {
    let (mut least, mut height) = (f64::INFINITY, 0.0_f64);
    for [a, b, c] in faces {
        let distance = point_triangle(p, [&a, &b, &c]).distance_sq.sqrt();
        let above = (b - a).cross(&(c - a)).normalize().dot(&(p - a));
        let tie = (distance - least).abs() <= 1.0e-12 * distance.max(p.coords.norm());
        if distance < least && !tie {
            height = 0.0;
        }
        if (distance < least || tie) && above.abs() >= height.abs() {
            height = above;
        }
        least = least.min(distance);
    }
    (least, height)
}

fn by_faces(mesh: &MeshShape, p: &Point3<f64>) -> f64 {
    let (distance, height) = nearest_face(p, mesh.faces());
    let behind = match mesh.sides() {
        MeshSides::TwoSided => false,
        MeshSides::Closed => solid_angle(p, mesh.faces()) > std::f64::consts::TAU,
        MeshSides::OneSided => height < 0.0 && !mesh.rim_is_nearest(p),
    };
    if behind { -distance } else { distance }
}

/// The solid angle (sr) that faces fill, seen from inside (Van Oosterom and Strackee 1983); 4 pi in a closed
/// mesh.
fn solid_angle(p: &Point3<f64>, faces: impl Iterator<Item = [Point3<f64>; 3]>) -> f64 {
    let of_face = |corners: [Point3<f64>; 3]| {
        let [a, b, c] = corners.map(|q| q - p);
        let [x, y, z] = [a, b, c].map(|v| v.norm());
        let down = x * y * z + a.dot(&b) * z + b.dot(&c) * x + c.dot(&a) * y;
        2.0 * libm::atan2(a.dot(&b.cross(&c)), down)
    };
    faces.map(of_face).sum()
}
