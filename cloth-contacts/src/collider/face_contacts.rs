//! Contacts of the faces of coarse cloth with shapes that have an axis or a centre.
//!
//! Contacts of vertices keep the vertices of a cloth out of a shape. Where an edge is long beside the radius
//! of the shape, the faces between them are pierced all the same: an edge of length `L` whose ends lie on a
//! circle of radius `R` passes `L^2 / (8 R)` below it. A face then makes a contact of its own, at the point
//! nearest to the axis or the centre of the shape, with the weights of its corners there. In a ball or a
//! capsule it is the deepest point.
//!
//! ```text
//! coarse              the longest rest edge is above half of the smallest radius of the shape: R / 32 deep
//! at a corner         no contact: that of the vertex is the same
//! on a shared edge    the contact of the face that comes first
//! ```
//!
//! Contacts are sorted by collider and face, and equal those of [`mod@reference`] bitwise.

use cloth_geom::Topology;
use nalgebra::{Point3, Vector3};

use super::contact::{ClothPoints, PosedCollider};
use super::contact_plane::ContactPlane;
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
    /// The longest rest edge (m) of each face of the surface that may have contacts: the first ones.
    pub longest_edges: &'a [f32],
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

impl Collider {
    /// The longest rest edge (m) of a face that needs no contact of its own; `None` if no face has any.
    fn longest_fine_edge(&self, of_all: bool) -> Option<f32> {
        let radius = self.shape.smallest_radius().filter(|_| self.shape.has_face_contacts())?;
        Some(if of_all { 0.0 } else { 0.5 * radius })
    }
}

/// Finds the contacts of faces. Its state is memory for the next call.
#[derive(Clone, Debug, Default)]
pub struct FaceDetector {
    /// The faces that may have contacts, and balls around blocks of them.
    faces: Vec<u32>,
    blocks: Vec<Block>,
}

/// Faces in a block.
const BLOCK: usize = 8;

/// A ball around consecutive faces.
#[derive(Clone, Copy, Debug)]
struct Block {
    middle: Point3<f32>,
    /// Radius (m), with the reach of contacts and the greatest displacement.
    radius: f32,
}

impl FaceDetector {
    /// Finds the contacts of coarse faces, or `of_all`, with all colliders and writes them to `out`, sorted by
    /// collider and face.
    pub fn detect(
        &mut self,
        colliders: &[Collider],
        cloth: &ClothFaces<'_>,
        of_all: bool,
        out: &mut Vec<FaceContact>,
    ) {
        out.clear();
        let fine = |collider: &Collider| collider.longest_fine_edge(of_all);
        let Some(least) = colliders.iter().filter_map(fine).reduce(f32::min) else { return };
        self.cut(cloth, least);
        for (index, collider) in colliders.iter().enumerate() {
            let Some(longest) = fine(collider) else { continue };
            let posed = PosedCollider::new(collider, index as u32);
            let swept = Block::around(&posed);
            let travel = posed.travel();
            for (faces, block) in self.faces.chunks(BLOCK).zip(&self.blocks) {
                if !block.meets(&swept) || !posed.is_near(block, travel) {
                    continue;
                }
                for &face in faces.iter().filter(|&&face| cloth.longest_edges[face as usize] > longest) {
                    out.extend(posed.face_contact(cloth, face, longest, travel));
                }
            }
        }
    }

    /// Lists the faces with edges longer than `least` (m), in blocks.
    fn cut(&mut self, cloth: &ClothFaces<'_>, least: f32) {
        self.faces.clear();
        let edges = cloth.longest_edges.iter().zip(0..);
        self.faces.extend(edges.filter(|&(&edge, _)| edge > least).map(|(_, face)| face));
        self.blocks.clear();
        let (surface, motion) = (cloth.points.surface, &cloth.points.motion);
        let faces = surface.topology().faces();
        self.blocks.extend(self.faces.chunks(BLOCK).map(|block| {
            let none = [Point3::from([f32::INFINITY; 3]), Point3::from([f32::NEG_INFINITY; 3])];
            let ([mut low, mut high], mut fastest_sq, mut reach) = (none, 0.0_f32, 0.0_f32);
            for v in block.iter().flat_map(|&face| faces[face as usize]).map(|v| v as usize) {
                (low, high) = (low.inf(&motion.positions[v]), high.sup(&motion.positions[v]));
                fastest_sq = fastest_sq.max(motion.displacements[v].norm_squared());
                let (radius, scr) = surface.radius_and_scr(v);
                reach = reach.max(radius + scr);
            }
            let radius = 0.5 * (high - low).norm() + reach + fastest_sq.sqrt();
            Block { middle: nalgebra::center(&low, &high), radius }
        }));
    }
}

impl Block {
    /// A ball around all that a collider passes. A pose between two others has its origin between theirs.
    fn around(posed: &PosedCollider<'_>) -> Self {
        let farthest = |[low, high]: [Point3<f32>; 2]| low.coords.abs().sup(&high.coords.abs()).norm();
        let size = posed.collider.shape.bounds().map_or(f32::INFINITY, farthest);
        let middle = (posed.at_t0 + posed.at_t1) * 0.5;
        Self { middle: middle.into(), radius: size + 0.5 * (posed.at_t1 - posed.at_t0).norm() }
    }

    /// Whether two balls meet; where a number is not finite, they do.
    fn meets(&self, other: &Self) -> bool {
        // Roundings of coordinates are below this share of them.
        let rounding = 1.0e-5 * (self.middle.coords.amax() + other.middle.coords.amax());
        let reach = (self.radius + other.radius) * (1.0 + 1.0e-5) + rounding;
        let are_apart = (self.middle - other.middle).norm_squared() > reach * reach;
        !are_apart
    }
}

impl PosedCollider<'_> {
    /// The farthest (m) that any point of the shape moves.
    fn travel(&self) -> f32 {
        let turned = (self.rotation_t1 - self.rotation_t0).norm() * Block::around(self).radius;
        ((self.at_t1 - self.at_t0).norm() + turned) * (1.0 + 1.0e-5)
    }

    /// Whether a face of a block may have a contact with a shape that moves by at most `travel` (m).
    fn is_near(&self, block: &Block, travel: f32) -> bool {
        let distance = self.collider.shape.nearest(&self.local_t0(&block.middle)).distance;
        let reach = (block.radius + travel) * (1.0 + 1.0e-5);
        let rounding = 1.0e-5 * (block.middle.coords.amax() + self.at_t0.amax());
        let is_apart = distance > reach + rounding;
        !is_apart
    }

    /// The contact of one face, as that of a vertex, with a point of the face in its place; faces
    /// with edges longer than `longest` (m) have contacts. No point of the shape moves farther than `travel`
    /// (m), by which distant faces are left out.
    fn face_contact(
        &self,
        cloth: &ClothFaces<'_>,
        face: u32,
        longest: f32,
        travel: f32,
    ) -> Option<FaceContact> {
        let ClothPoints { motion, inv_mass, surface } = cloth.points;
        let vertices = surface.topology().faces()[face as usize];
        let corners = vertices.map(|v| v as usize);
        if corners.iter().all(|&v| inv_mass[v] == 0.0) {
            return None;
        }
        let (radius, scr) = surface.radius_and_scr(corners[0]);
        let shape = &self.collider.shape;
        let half_length = shape.half_axis()?;
        let local = corners.map(|v| self.local_t0(&motion.positions[v]));
        // The distance from a convex shape lies above its tangent plane.
        let centre = Point3::from((local[0].coords + local[1].coords + local[2].coords) / 3.0);
        let from_centre = shape.nearest(&centre);
        let below = local.iter().map(|p| from_centre.normal.dot(&(p - centre))).fold(f32::INFINITY, f32::min);
        let fastest_sq = corners.iter().map(|&v| motion.displacements[v].norm_squared()).fold(0.0, f32::max);
        let reach = radius + scr + fastest_sq.sqrt() + travel;
        let rounding = 1.0e-5 * (centre.coords.amax() + self.at_t0.amax() + longest + reach);
        if from_centre.distance + below > reach + rounding {
            return None;
        }
        let local = local.map(Point3::cast::<f64>);
        let axis = [-1.0, 1.0].map(|sign| Point3::new(0.0, sign * f64::from(half_length), 0.0));
        let (weights, distance_sq) = segment_triangle(&axis, &local);
        if !distance_sq.is_finite() {
            return None;
        }
        let weights = weights.map(|w| w as f32);
        let has_contacts = |other: u32| cloth.longest_edges[other as usize] > longest;
        if is_of_another(surface.topology(), face, &weights, has_contacts) {
            return None;
        }
        let mean = |of: &dyn Fn(usize) -> Vector3<f32>| {
            (0..3).fold(Vector3::zeros(), |sum, k| sum + of(corners[k]) * weights[k])
        };
        let p = Point3::from(mean(&|v| motion.positions[v].coords));
        let d = mean(&|v| motion.displacements[v]);
        let start = self.local_t0(&p);
        let plane = ContactPlane::at(&start, shape.nearest(&start));
        let approach = self.approach(&p, &d, &plane);
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

/// Whether a point with these weights is a corner, which has contacts of its own, or lies on the edge of a
/// face that comes before.
fn is_of_another(
    topology: &Topology,
    face: u32,
    weights: &[f32; 3],
    has_contacts: impl Fn(u32) -> bool,
) -> bool {
    /// A weight below it is a rounding or moves the point by less than a millimetre.
    const NONE: f32 = 1.0e-3;
    match [0, 1, 2].map(|k| weights[k] < NONE) {
        [false, false, false] => false,
        [true, false, false] | [false, true, false] | [false, false, true] => {
            let opposite = weights.iter().position(|&w| w < NONE).unwrap_or(0);
            // Edge `k` leads from corner `k` to the next.
            let edge = topology.face_edges()[face as usize][(opposite + 1) % 3];
            topology.edge_faces(edge as usize).iter().any(|&other| other < face && has_contacts(other))
        }
        _ => true,
    }
}

/// The contacts of all faces, one by one, in the order of [`FaceDetector`].
#[doc(hidden)]
pub mod reference {
    use super::{ClothFaces, Collider, FaceContact, PosedCollider};

    /// The contacts of every face and collider, without culling.
    pub fn face_contacts(
        colliders: &[Collider],
        cloth: &ClothFaces<'_>,
        of_all: bool,
        out: &mut Vec<FaceContact>,
    ) {
        out.clear();
        for (index, collider) in colliders.iter().enumerate() {
            let Some(longest) = collider.longest_fine_edge(of_all) else { continue };
            let posed = PosedCollider::new(collider, index as u32);
            let faces = (0..cloth.longest_edges.len() as u32)
                .filter(|&face| cloth.longest_edges[face as usize] > longest);
            out.extend(faces.filter_map(|face| posed.face_contact(cloth, face, longest, f32::INFINITY)));
        }
    }
}
