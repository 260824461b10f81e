//! Conversion of parry shapes, as used by rapier.
//!
//! Shapes with a counterpart in this crate are converted, which is faster and more accurate than the
//! iterative queries of parry (GJK and EPA work to a tolerance, may fail, and panic on non-finite input).
//! Voxels and custom shapes use their own queries.

use nalgebra::{Isometry3, Point3, Quaternion, Translation3, UnitQuaternion, Vector3};
use parry3d::math::{Pose, Vector};
use parry3d::query::Ray;
use parry3d::shape::{SharedShape, TriMesh, TypedShape};

use super::compound::Part;
use super::contact_plane::{ContactPlane, PointMotion};
use super::{ColliderError, CompoundShape, HullShape, MeshShape, MeshSides, Nearest, Shape};

/// Largest size (m) of a shape that parry is asked about, and the smallest.
const SIZES: [f32; 2] = [1.0e-6, 1.0e6];

/// Parry is not asked about points beyond this many sizes of a shape: nearer ones on the same ray answer for
/// them.
const FAR: f32 = 1.0e4;

/// Nearer to the surface than this share of the size, parry's nearest point gives no direction; slopes of the
/// distance over ten times that do.
const CLOSE: f32 = 1.0e-5;

/// Points along each axis at which a shape is asked for its fingerprint.
const SAMPLES: u8 = 5;

/// A shape that parry alone knows; clones share it.
#[derive(Clone)]
pub struct ParryShape {
    shape: SharedShape,
    bounds: [Point3<f32>; 2],
}

impl Shape {
    /// A shape of parry: balls, boxes, capsules, cylinders, cones, rounded shapes, half-spaces, convex
    /// polyhedra, triangles, meshes, height fields, compounds, voxels, and whatever else answers parry's
    /// queries.
    ///
    /// A triangle mesh with parry's flag `ORIENTED` is a solid if it is closed and has one side otherwise;
    /// all other meshes, triangles and height fields are two-sided.
    ///
    /// # Errors
    /// If a dimension or a point is unusable, or if the shape is a segment or polyline, which has no surface.
    pub fn from_parry(shape: &SharedShape) -> Result<Self, ColliderError> {
        let part = part(shape)?;
        part.shape.check()?;
        if part.pose == Isometry3::identity() && part.rounding == 0.0 {
            return Ok(part.shape);
        }
        CompoundShape::of_parts(vec![part]).map(Self::Compound)
    }
}

/// A shape, where it stands in its frame, and how far it is rounded.
fn part(shape: &SharedShape) -> Result<Part, ColliderError> {
    let plain = |shape| Ok(Part { pose: Isometry3::identity(), shape, rounding: 0.0 });
    let round = |shape, rounding| Ok(Part { pose: Isometry3::identity(), shape, rounding });
    let cuboid = |c: &parry3d::shape::Cuboid| Shape::Cuboid { half_extents: vector(c.half_extents) };
    let cylinder =
        |c: &parry3d::shape::Cylinder| Shape::Cylinder { half_length: c.half_height, radius: c.radius };
    let cone = |c: &parry3d::shape::Cone| Shape::Cone { half_length: c.half_height, radius: c.radius };
    let hull = |c: &parry3d::shape::ConvexPolyhedron| HullShape::new(&points(c.points())).map(Shape::Hull);
    let sheet = |points: &[Point3<f32>], faces: &[[u32; 3]]| {
        MeshShape::new(points, faces, MeshSides::TwoSided).map(Shape::Mesh)
    };
    let triangle = |t: &parry3d::shape::Triangle| sheet(&points(&[t.a, t.b, t.c]), &[[0, 1, 2]]);
    match shape.as_typed_shape() {
        TypedShape::Ball(ball) => plain(Shape::Sphere { radius: ball.radius }),
        TypedShape::Cuboid(c) => plain(cuboid(c)),
        TypedShape::Cylinder(c) => plain(cylinder(c)),
        TypedShape::Cone(c) => plain(cone(c)),
        TypedShape::RoundCuboid(c) => round(cuboid(&c.inner_shape), c.border_radius),
        TypedShape::RoundCylinder(c) => round(cylinder(&c.inner_shape), c.border_radius),
        TypedShape::RoundCone(c) => round(cone(&c.inner_shape), c.border_radius),
        TypedShape::RoundConvexPolyhedron(c) => round(hull(&c.inner_shape)?, c.border_radius),
        TypedShape::RoundTriangle(t) => round(triangle(&t.inner_shape)?, t.border_radius),
        TypedShape::ConvexPolyhedron(c) => plain(hull(c)?),
        TypedShape::Triangle(t) => plain(triangle(t)?),
        TypedShape::TriMesh(m) => plain(mesh(m)?),
        TypedShape::HeightField(field) => {
            let (corners, faces) = field.to_trimesh();
            plain(sheet(&points(&corners), &faces)?)
        }
        TypedShape::Capsule(c) => capsule([point(c.segment.a), point(c.segment.b)], c.radius),
        TypedShape::HalfSpace(half) => {
            let turn =
                from_y_to(&vector(half.normal)).ok_or(unusable(shape, "its normal is no direction"))?;
            Ok(Part {
                pose: Isometry3::from_parts(Translation3::identity(), turn),
                shape: Shape::Plane,
                rounding: 0.0,
            })
        }
        TypedShape::Compound(compound) => {
            let place = |(pose, shape): &(Pose, SharedShape)| {
                let part = part(shape)?;
                Ok(Part { pose: isometry(pose) * part.pose, ..part })
            };
            let parts: Result<Vec<Part>, ColliderError> = compound.shapes().iter().map(place).collect();
            plain(Shape::Compound(CompoundShape::of_parts(parts?)?))
        }
        TypedShape::Segment(_) | TypedShape::Polyline(_) => {
            Err(unusable(shape, "a line has no surface; use capsules"))
        }
        TypedShape::Voxels(_) | TypedShape::Custom(_) => plain(Shape::Parry(ParryShape::new(shape)?)),
    }
}

fn capsule([a, b]: [Point3<f32>; 2], radius: f32) -> Result<Part, ColliderError> {
    super::check_points(&[a, b])?;
    let axis = b - a;
    let half_length = 0.5 * axis.norm();
    // A capsule without length has no direction.
    let turn = from_y_to(&axis).unwrap_or_else(UnitQuaternion::identity);
    let pose = Isometry3::from_parts(Translation3::from(nalgebra::center(&a, &b)), turn);
    Ok(Part { pose, shape: Shape::Capsule { half_length, radius }, rounding: 0.0 })
}

fn mesh(mesh: &TriMesh) -> Result<Shape, ColliderError> {
    let (points, faces) = (points(mesh.vertices()), mesh.indices());
    let with = |sides| MeshShape::new(&points, faces, sides).map(Shape::Mesh);
    if mesh.pseudo_normals_if_oriented().is_none() {
        return with(MeshSides::TwoSided);
    }
    match with(MeshSides::Closed) {
        Err(ColliderError::Open(_)) => with(MeshSides::OneSided),
        other => other,
    }
}

impl ParryShape {
    fn new(shape: &SharedShape) -> Result<Self, ColliderError> {
        let found = shape.compute_local_aabb();
        let bounds = [point(found.mins), point(found.maxs)];
        let size = (bounds[1] - bounds[0]).amax();
        let is_box = bounds.iter().all(|p| p.coords.amax() <= SIZES[1])
            && (0..3).all(|k| bounds[0][k] <= bounds[1][k]);
        if !(is_box && (SIZES[0]..=SIZES[1]).contains(&size)) {
            return Err(unusable(shape, "it is empty, or not between 1e-6 and 1e6 m"));
        }
        Ok(Self { shape: shape.clone(), bounds })
    }

    pub(super) fn bounds(&self) -> [Point3<f32>; 2] {
        self.bounds
    }

    /// The distance (m) and the normal at the points of a grid over twice the bounds.
    pub(super) fn samples(&self) -> impl Iterator<Item = f32> {
        let [low, high] = self.bounds;
        let (size, step) = (high - low, 2.0 / f32::from(SAMPLES - 1));
        let axis = move || (0..SAMPLES).map(move |i| f32::from(i) * step - 0.5);
        let places =
            axis().flat_map(move |x| axis().flat_map(move |y| axis().map(move |z| Vector3::new(x, y, z))));
        places.flat_map(move |place| {
            let Nearest { normal, distance } = self.nearest(&(low + size.component_mul(&place)));
            [distance, normal.x, normal.y, normal.z]
        })
    }

    fn size(&self) -> f32 {
        (self.bounds[1] - self.bounds[0]).amax()
    }

    pub(super) fn nearest(&self, p: &Point3<f32>) -> Nearest {
        if !p.iter().all(|c| c.is_finite()) {
            return Nearest { normal: Vector3::y(), distance: f32::INFINITY };
        }
        let middle = nalgebra::center(&self.bounds[0], &self.bounds[1]);
        let away = (p - middle).cast::<f64>();
        let beyond = away.norm() - f64::from(FAR * self.size());
        if beyond > 0.0 {
            let near = middle.cast() + away * (f64::from(FAR * self.size()) / away.norm());
            let found = self.nearest_of_near(&near.cast());
            return Nearest { distance: found.distance + beyond as f32, ..found };
        }
        self.nearest_of_near(p)
    }

    fn nearest_of_near(&self, p: &Point3<f32>) -> Nearest {
        let (away, distance) = self.away(p);
        if distance.abs() > CLOSE * self.size() {
            return Nearest { normal: away / distance, distance };
        }
        let step = 10.0 * CLOSE * self.size();
        let slope = Vector3::from_fn(|k, _| {
            let mut at = [*p, *p];
            at[0][k] += step;
            at[1][k] -= step;
            self.away(&at[0]).1 - self.away(&at[1]).1
        });
        Nearest { normal: slope.try_normalize(0.0).unwrap_or_else(Vector3::y), distance }
    }

    /// From the nearest point to `p`, and the signed distance (m).
    fn away(&self, p: &Point3<f32>) -> (Vector3<f32>, f32) {
        let found = self.shape.project_local_point(Vector::new(p.x, p.y, p.z), false);
        let away = p - point(found.point);
        (away, if found.is_inside { -away.norm() } else { away.norm() })
    }

    /// Calls `each` with the plane through which the point enters, if that of the nearest point does not stop
    /// it.
    pub(super) fn other_walls(
        &self,
        motion: &PointMotion,
        first: &ContactPlane,
        each: &mut dyn FnMut(ContactPlane),
    ) {
        let way = motion.end - motion.start;
        let usable = way.iter().chain(motion.start.iter()).all(|c| c.abs() <= FAR * SIZES[1]);
        if first.distance <= 0.0 || !usable || way == Vector3::zeros() {
            return;
        }
        let start = Vector::new(motion.start.x, motion.start.y, motion.start.z);
        let ray = Ray::new(start, Vector::new(way.x, way.y, way.z));
        let Some(hit) = self.shape.cast_local_ray_and_get_normal(&ray, 1.0, false) else { return };
        let foot = motion.start + way * hit.time_of_impact;
        let Some(normal) = vector(hit.normal).try_normalize(0.0) else { return };
        let height = first.normal.dot(&(foot - first.foot));
        let distance = normal.dot(&(motion.start - foot));
        if height > CLOSE * self.size() && distance > 0.0 {
            each(ContactPlane { normal, distance, foot, is_entry: true });
        }
    }
}

impl std::fmt::Debug for ParryShape {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("ParryShape").field("bounds", &self.bounds).finish_non_exhaustive()
    }
}

impl PartialEq for ParryShape {
    fn eq(&self, other: &Self) -> bool {
        std::sync::Arc::ptr_eq(&self.shape.0, &other.shape.0)
    }
}

fn unusable(shape: &SharedShape, why: &'static str) -> ColliderError {
    let kind = match shape.as_typed_shape() {
        TypedShape::Segment(_) => "segment",
        TypedShape::Polyline(_) => "polyline",
        TypedShape::HalfSpace(_) => "half-space",
        TypedShape::Voxels(_) => "voxels",
        _ => "custom",
    };
    ColliderError::Parry { kind, why }
}

/// The rotation from y to a direction; `None` for a zero vector.
fn from_y_to(axis: &Vector3<f32>) -> Option<UnitQuaternion<f32>> {
    let unit = axis.cast::<f64>().try_normalize(0.0).filter(|u| u.iter().all(|c| c.is_finite()))?;
    // The sum of two unit vectors halves their angle; opposite ones have no half: half a turn about x.
    let turn = match (unit + Vector3::y()).try_normalize(1.0e-9) {
        Some(half) => {
            let turn = Vector3::y().cross(&half);
            UnitQuaternion::new_normalize(Quaternion::new(half.y, turn.x, turn.y, turn.z))
        }
        None => UnitQuaternion::new_unchecked(Quaternion::new(0.0, 1.0, 0.0, 0.0)),
    };
    Some(turn.cast())
}

fn vector(v: Vector) -> Vector3<f32> {
    Vector3::new(v.x, v.y, v.z)
}

fn point(v: Vector) -> Point3<f32> {
    Point3::new(v.x, v.y, v.z)
}

fn points(all: &[Vector]) -> Vec<Point3<f32>> {
    all.iter().map(|&v| point(v)).collect()
}

fn isometry(pose: &Pose) -> Isometry3<f32> {
    let q = pose.rotation;
    let turn = UnitQuaternion::new_unchecked(Quaternion::new(q.w, q.x, q.y, q.z));
    Isometry3::from_parts(Translation3::from(vector(pose.translation)), turn)
}
