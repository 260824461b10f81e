//! Contacts of the faces of coarse cloth with shapes that have an axis or a centre.
//!
//! Contacts of vertices keep the vertices of a cloth out of a shape. Where an edge is long compared with the
//! radius of the shape, the faces between them are pierced all the same: an edge of length `L` whose ends lie
//! on a circle of radius `R` passes `L^2 / (8 R)` below it. A face then makes a contact of its own, at the
//! point nearest to the axis or the centre of the shape, with the weights of its corners there. In a ball or
//! a capsule it is the deepest point.
//!
//! ```text
//! coarse              the longest rest edge is above half of the smallest radius of the shape: R / 32 deep
//! is near             a corner that can move is out of reach by no more than a chord of that length spans
//! at a corner         no contact: that of the vertex is the same
//! on a shared edge    the contact of the face that comes first
//! ```
//!
//! Contacts are sorted by collider and face, and equal those of [`mod@reference`] bitwise.

use cloth_geom::Topology;
use nalgebra::{Point3, Vector3};

use super::contact::{ClothPoints, PosedCollider};
use super::face_depth::segment_triangle;
use super::{Collider, Shape};

/// A half-space that a point of a face must not enter at the end of the step; as
/// [`ColliderContact`](super::ColliderContact), of the weighted mean of three vertices.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FaceContact {
    /// The corners of the face.
    pub vertices: [u32; 3],
    /// Their weights; not negative, their sum is 1.
    pub weights: [f32; 3],
    /// Index of the collider.
    pub collider: u32,
    /// Outward unit normal of the plane at the end of the step; frozen for the solver.
    pub normal: Vector3<f32>,
    /// The surface point, where the motion of the collider has taken it at the end of the step.
    pub surface_t1: Point3<f32>,
    /// How far the surface point moves in the step (m).
    pub surface_displacement: Vector3<f32>,
    /// Signed distance of the point of the face at the start (m).
    pub gap: f32,
    /// Distance to keep (m): the cloth's radius.
    pub distance: f32,
    /// Coulomb friction coefficient.
    pub friction: f32,
}

/// The faces of cloths, and their longest rest edges (m).
#[derive(Clone, Copy, Debug)]
pub struct ClothFaces<'a> {
    /// Positions, displacements and radii.
    pub points: ClothPoints<'a>,
    /// The longest rest edge of each face of the surface that may have contacts: the first ones.
    pub longest_edges: &'a LongestEdges,
}

/// The longest rest edge (m) of each face.
#[derive(Clone, Debug, Default)]
pub struct LongestEdges {
    of_faces: Vec<f32>,
    /// Of all faces; 0 without any.
    longest: f32,
}

impl LongestEdges {
    /// Of each face, in order (m).
    #[must_use]
    pub fn new(of_faces: Vec<f32>) -> Self {
        let longest = of_faces.iter().copied().fold(0.0, f32::max);
        Self { of_faces, longest }
    }

    /// Of each face, in order (m).
    #[must_use]
    pub fn of_faces(&self) -> &[f32] {
        &self.of_faces
    }
}

impl Shape {
    /// The smallest radius (m) of a sphere or a capsule, of a cylinder at most its height, of a box its
    /// shortest edge; `None` for other shapes. The cloth on it is *coarse* if edges are longer than half of
    /// it.
    #[must_use]
    pub fn smallest_radius(&self) -> Option<f32> {
        match *self {
            Self::Sphere { radius } | Self::Capsule { radius, .. } => Some(radius),
            Self::TaperedCapsule { bottom_radius, top_radius, .. } => Some(bottom_radius.min(top_radius)),
            Self::Cylinder { half_length, radius } => Some(radius.min(2.0 * half_length)),
            Self::Cuboid { half_extents } => Some(2.0 * half_extents.min()),
            _ => None,
        }
    }

    /// Whether faces make contacts with it: whether it is round about an axis or a centre.
    #[must_use]
    pub fn has_face_contacts(&self) -> bool {
        self.half_axis().is_some()
    }

    /// Half the length (m) of the axis of a round shape; 0 for a ball.
    fn half_axis(&self) -> Option<f32> {
        match *self {
            Self::Sphere { .. } => Some(0.0),
            Self::Capsule { half_length, .. }
            | Self::TaperedCapsule { half_length, .. }
            | Self::Cylinder { half_length, .. } => Some(half_length),
            _ => None,
        }
    }
}

/// Which faces are coarse on a shape, and how far their corners are from it where they touch it.
pub(super) struct CoarseOn {
    /// The longest edge (m) of a face that needs no contact of its own.
    longest_fine: f32,
    /// The longest edge (m) of all coarse faces.
    pub(super) longest: f32,
    /// Half the length (m) of the axis.
    half_length: f32,
    /// Radii (m) of balls about both ends of the axis that lie in the shape.
    balls: [f32; 2],
    /// Squared distance of the surface from the axis where a ball of radius 1 lies in the shape.
    slant_sq: f32,
}

impl CoarseOn {
    /// `None` if no face is coarse, or if there are no contacts with such a shape.
    pub(super) fn new(collider: &Collider, cloth: &ClothFaces<'_>, of_all: bool) -> Option<Self> {
        let half_length = collider.shape.half_axis()?;
        let (balls, slant_sq) = match collider.shape {
            Shape::Sphere { radius } | Shape::Capsule { radius, .. } => ([radius, radius], 1.0),
            Shape::TaperedCapsule { bottom_radius, top_radius, .. } => {
                let sine = (bottom_radius - top_radius) / (2.0 * half_length);
                // Of two balls, one may hold the other.
                if sine.abs() < 1.0 {
                    ([bottom_radius, top_radius], 1.0 / (1.0 - sine * sine))
                } else {
                    ([0.0, 0.0], 1.0)
                }
            }
            // There is no ball where the axis ends, and the distance grows no faster than a point moves.
            Shape::Cylinder { .. } => ([0.0, 0.0], 1.0),
            _ => return None,
        };
        let longest_fine = if of_all { 0.0 } else { 0.5 * collider.shape.smallest_radius()? };
        let longest = cloth.longest_edges.longest;
        (longest > longest_fine).then_some(Self { longest_fine, longest, half_length, balls, slant_sq })
    }

    fn is_coarse(&self, cloth: &ClothFaces<'_>, face: u32) -> bool {
        cloth.longest_edges.of_faces[face as usize] > self.longest_fine
    }

    /// How far (m) out of reach the nearest corner of a face can be whose longest rest edge is `edge` (m) and
    /// that touches the shape.
    ///
    /// The point of a face that is nearest to the axis has distance `a` from it. A corner that is at most `s
    /// = edge / sqrt 3` away lies across the way to the axis, thus at most `sqrt(a^2 + s^2)` from the same
    /// point of the axis, about which a ball of radius `r` lies in the shape: the corner is no farther than
    /// `sqrt(a^2 + s^2) - r` from that.
    pub(super) fn beyond(&self, edge: f32) -> f32 {
        /// Of cloth that is stretched.
        const STRETCHED: f32 = 1.25;
        let edge = edge * STRETCHED;
        let beyond = |r: f32| (r * r * self.slant_sq + edge * edge / 3.0).sqrt() - r;
        beyond(self.balls[0]).max(beyond(self.balls[1]))
    }
}

/// The faces that are near one collider. Its state is memory for the next.
#[derive(Clone, Debug, Default)]
pub(super) struct FaceSearch {
    near: Vec<u32>,
}

impl FaceSearch {
    /// Adds the coarse faces of a vertex that is near.
    pub(super) fn add_faces(
        &mut self,
        posed: &PosedCollider<'_>,
        coarse: &CoarseOn,
        cloth: &ClothFaces<'_>,
        vertex: usize,
    ) {
        let out_of_reach = posed.out_of_reach(&cloth.points, vertex);
        let faces = cloth.points.surface.topology().vertex_faces(vertex).iter().copied();
        self.near.extend(faces.filter(|&face| {
            let edge = cloth.longest_edges.of_faces.get(face as usize).copied();
            edge.is_some_and(|edge| edge > coarse.longest_fine && out_of_reach < coarse.beyond(edge))
        }));
    }

    /// Finds the contacts of the faces that were added, sorted by face, and forgets those.
    pub(super) fn find(
        &mut self,
        posed: &PosedCollider<'_>,
        coarse: &CoarseOn,
        cloth: &ClothFaces<'_>,
        out: &mut Vec<FaceContact>,
    ) {
        self.near.sort_unstable();
        self.near.dedup();
        for face in self.near.drain(..) {
            out.extend(posed.face_contact(cloth, face, coarse));
        }
    }
}

impl PosedCollider<'_> {
    /// The contact of one face, as that of a vertex, with a point of the face in its place; none of a point
    /// that corners hold in place.
    fn face_contact(&self, cloth: &ClothFaces<'_>, face: u32, coarse: &CoarseOn) -> Option<FaceContact> {
        let ClothPoints { motion, inv_mass, surface } = cloth.points;
        let vertices = surface.topology().faces()[face as usize];
        let corners = vertices.map(|v| v as usize);
        let local = corners.map(|v| self.local_t0(&motion.positions[v]));
        if is_nearest_at_corner(coarse.half_length, &local) {
            return None;
        }
        let half_length = f64::from(coarse.half_length);
        let axis = [-1.0, 1.0].map(|sign| Point3::new(0.0, sign * half_length, 0.0));
        let (weights, distance_sq) = segment_triangle(&axis, &local.map(Point3::cast::<f64>));
        if !distance_sq.is_finite() {
            return None;
        }
        let weights = weights.map(|w| w as f32);
        if !(0..3).any(|k| weights[k] >= NO_WEIGHT && inv_mass[corners[k]] > 0.0) {
            return None;
        }
        if is_of_another(surface.topology(), face, &weights, |other| coarse.is_coarse(cloth, other)) {
            return None;
        }
        let mean = |of: &dyn Fn(usize) -> Vector3<f32>| {
            (0..3).fold(Vector3::zeros(), |sum, k| sum + of(corners[k]) * weights[k])
        };
        let p = Point3::from(mean(&|v| motion.positions[v].coords));
        let d = mean(&|v| motion.displacements[v]);
        let (radius, scr) = surface.radius_and_scr(corners[0]);
        let (plane, approach) = self.nearest_plane(&p, &d);
        (plane.distance - (radius + scr) < approach.closing.max(0.0)).then(|| FaceContact {
            vertices,
            weights,
            collider: self.index,
            normal: approach.normal,
            surface_t1: Point3::from(approach.surface_t1),
            surface_displacement: approach.surface_displacement,
            gap: plane.distance,
            distance: radius,
            friction: self.collider.friction,
        })
    }
}

/// Whether no point of a face is nearer to the axis than a corner: the distance is convex, and rises along
/// both edges from the nearest corner.
fn is_nearest_at_corner(half_length: f32, face: &[Point3<f32>; 3]) -> bool {
    let from_axis = face.map(|p| Vector3::new(p.x, p.y - p.y.clamp(-half_length, half_length), p.z));
    let (mut nearest, mut least_sq) = (0, f32::INFINITY);
    for (k, from_axis) in from_axis.iter().enumerate() {
        if from_axis.norm_squared() < least_sq {
            (nearest, least_sq) = (k, from_axis.norm_squared());
        }
    }
    (1..3).all(|k| from_axis[nearest].dot(&(face[(nearest + k) % 3] - face[nearest])) >= 0.0)
}

/// A weight below it is a rounding or moves the point by less than a millimetre.
const NO_WEIGHT: f32 = 1.0e-3;

/// Whether a point with these weights is a corner, which has contacts of its own, or lies on the edge of a
/// face that comes before.
fn is_of_another(
    topology: &Topology,
    face: u32,
    weights: &[f32; 3],
    has_contacts: impl Fn(u32) -> bool,
) -> bool {
    match [0, 1, 2].map(|k| weights[k] < NO_WEIGHT) {
        [false, false, false] => false,
        [true, false, false] | [false, true, false] | [false, false, true] => {
            let opposite = weights.iter().position(|&w| w < NO_WEIGHT).unwrap_or(0);
            // Edge `k` leads from corner `k` to the next.
            let edge = topology.face_edges()[face as usize][(opposite + 1) % 3];
            topology.edge_faces(edge as usize).iter().any(|&other| other < face && has_contacts(other))
        }
        _ => true,
    }
}

/// The contacts of all faces, one by one, in the order of
/// [`ColliderDetector`](super::ColliderDetector).
#[doc(hidden)]
pub mod reference {
    use super::{ClothFaces, CoarseOn, Collider, FaceContact, PosedCollider};

    /// The contacts of every coarse face, near or far, with every collider.
    pub fn face_contacts(
        colliders: &[Collider],
        cloth: &ClothFaces<'_>,
        of_all: bool,
        faces: &mut Vec<FaceContact>,
    ) {
        faces.clear();
        for (index, collider) in colliders.iter().enumerate() {
            let Some(coarse) = CoarseOn::new(collider, cloth, of_all) else { continue };
            let posed = PosedCollider::new(collider, index as u32);
            let all = 0..cloth.longest_edges.of_faces.len() as u32;
            let coarse_ones = all.filter(|&face| coarse.is_coarse(cloth, face));
            faces.extend(coarse_ones.filter_map(|face| posed.face_contact(cloth, face, &coarse)));
        }
    }
}
