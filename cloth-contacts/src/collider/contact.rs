//! Contacts of cloth points with colliders: half-spaces that move with the surface.

use cloth_geom::MapInline;
use nalgebra::{Isometry3, Matrix3, Point3, Vector3};

use super::contact_plane::{ContactPlane, PointMotion};
use super::{Collider, corners};
use crate::{Motion, Surface};

/// A half-space that a vertex must not enter at the end of the step.
///
/// Its plane moves and rotates with the collider. The plane of the paper keeps its initial direction; a
/// convex shape that rotates by an angle `a` then protrudes from it by up to its radius times `a^2 / 2`, and
/// a point in front of the plane may be inside the shape. In the frame of the collider nothing rotates: a
/// point in front of the plane is outside.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ColliderContact {
    /// The vertex.
    pub vertex: u32,
    /// Index of the collider.
    pub collider: u32,
    /// Outward unit normal of the plane at the end of the step; frozen for the solver.
    pub normal: Vector3<f32>,
    /// The surface point, where the motion of the collider has taken it at the end of the step.
    pub surface_t1: Point3<f32>,
    /// How far the surface point moves in the step (m).
    pub surface_displacement: Vector3<f32>,
    /// Signed distance of the vertex at the start (m).
    pub gap: f32,
    /// Distance to keep (m): the cloth's radius.
    pub distance: f32,
    /// Coulomb friction coefficient.
    pub friction: f32,
}

impl ColliderContact {
    /// Signed distance (m) of a point from the plane at the end of the step; its gradient is
    /// [`Self::normal`].
    #[must_use]
    #[inline]
    pub fn separation(&self, p: &Point3<f32>) -> f32 {
        self.normal.dot(&(p - self.surface_t1))
    }
}

/// The cloth as seen by collider detection.
#[derive(Clone, Copy, Debug)]
pub struct ClothPoints<'a> {
    /// Positions and displacements.
    pub motion: Motion<'a>,
    /// Inverse masses; points of zero are moved by the caller alone and make no contacts.
    pub inv_mass: &'a [f32],
    /// Radii and static collision radii.
    pub surface: &'a Surface,
}

/// A collider with its poses as matrices.
pub(super) struct PosedCollider<'a> {
    pub(super) collider: &'a Collider,
    pub(super) index: u32,
    pub(super) rotation_t0: Matrix3<f32>,
    pub(super) rotation_t1: Matrix3<f32>,
    pub(super) at_t0: Vector3<f32>,
    pub(super) at_t1: Vector3<f32>,
    pub(super) is_moving: bool,
}

impl<'a> PosedCollider<'a> {
    pub(super) fn new(collider: &'a Collider, index: u32) -> Self {
        let matrix = |pose: &Isometry3<f32>| pose.rotation.to_rotation_matrix().into_inner();
        Self {
            rotation_t0: matrix(&collider.pose_t0),
            rotation_t1: matrix(&collider.pose_t1),
            at_t0: collider.pose_t0.translation.vector,
            at_t1: collider.pose_t1.translation.vector,
            is_moving: collider.pose_t0 != collider.pose_t1,
            collider,
            index,
        }
    }

    /// A point of the world at the start of the step, in the shape's frame.
    #[inline]
    pub(super) fn local_t0(&self, p: &Point3<f32>) -> Point3<f32> {
        Point3::from(self.rotation_t0.tr_mul(&(p.coords - self.at_t0)))
    }

    /// Where the surface point `foot` of the shape is at both ends of the step.
    #[inline]
    pub(super) fn surface_point_motion(&self, foot: &Point3<f32>) -> [Vector3<f32>; 2] {
        [self.rotation_t0 * foot.coords + self.at_t0, self.rotation_t1 * foot.coords + self.at_t1]
    }

    /// The contacts of one point. The paper's three conditions are one: the gap, less how far it closes
    /// during the step, is below `radius + scr`. Returns the signed distance (m) from the shape. A point
    /// whose position or displacement is not finite has none.
    #[inline]
    pub(super) fn contacts(&self, points: &ClothPoints<'_>, v: usize, out: &mut Vec<ColliderContact>) -> f32 {
        let (p, d) = (&points.motion.positions[v], &points.motion.displacements[v]);
        let (radius, scr) = points.surface.radius_and_scr(v);
        let reach = radius + scr;
        let end = Point3::from(self.rotation_t1.tr_mul(&(p.coords + d - self.at_t1)));
        let mut nearest = f32::INFINITY;
        let motion = PointMotion { start: self.local_t0(p), end, reach };
        if !motion.start.iter().chain(end.iter()).all(|c| c.is_finite()) {
            return nearest;
        }
        if let Some(plane) = self.collider.shape.single_contact_plane(&motion) {
            out.extend(self.contact(points, v, &plane));
            return plane.distance;
        }
        self.collider.shape.contact_planes(&motion, &mut |plane: ContactPlane| {
            if !plane.is_entry {
                nearest = nearest.min(plane.distance);
            }
            out.extend(self.contact(points, v, &plane));
        });
        nearest
    }

    /// The contact of one point with one plane of the shape, if there is one.
    #[inline]
    fn contact(&self, points: &ClothPoints<'_>, v: usize, plane: &ContactPlane) -> Option<ColliderContact> {
        let (p, d) = (&points.motion.positions[v], &points.motion.displacements[v]);
        let (radius, scr) = points.surface.radius_and_scr(v);
        let Approach { normal, surface_t1, surface_displacement, closing } = self.approach(p, d, plane);
        let separation = plane.distance - (radius + scr);
        (separation < closing.max(0.0) || plane.is_entry).then(|| ColliderContact {
            vertex: v as u32,
            collider: self.index,
            normal,
            surface_t1: Point3::from(surface_t1),
            surface_displacement,
            gap: plane.distance,
            distance: radius,
            friction: self.collider.friction,
        })
    }

    /// How far (m) one point stays out of reach of a convex shape, wherever it moves as far as it does.
    #[inline]
    pub(super) fn out_of_reach(&self, points: &ClothPoints<'_>, v: usize) -> f32 {
        let d = &points.motion.displacements[v];
        let (radius, scr) = points.surface.radius_and_scr(v);
        let (plane, approach) = self.nearest_plane(&points.motion.positions[v], d);
        plane.distance - (radius + scr) - (d - approach.surface_displacement).norm()
    }

    /// The plane of a convex shape that is nearest to one point, and how the point approaches it.
    #[inline]
    pub(super) fn nearest_plane(&self, p: &Point3<f32>, d: &Vector3<f32>) -> (ContactPlane, Approach) {
        let start = self.local_t0(p);
        let plane = ContactPlane::at(&start, self.collider.shape.nearest(&start));
        (plane, self.approach(p, d, &plane))
    }

    /// How a point that moves by `d` (m) approaches a plane of the shape.
    #[inline]
    pub(super) fn approach(&self, p: &Point3<f32>, d: &Vector3<f32>, plane: &ContactPlane) -> Approach {
        let [normal_t0, normal] = [self.rotation_t0 * plane.normal, self.rotation_t1 * plane.normal];
        let [surface_t0, surface_t1] = self.surface_point_motion(&plane.foot);
        let surface_displacement = surface_t1 - surface_t0;
        // Change of the height over the plane; the part of the rotation is zero without one.
        let turned = (p.coords - surface_t0).dot(&(normal - normal_t0));
        let closing = -(d - surface_displacement).dot(&normal) - turned;
        Approach { normal, surface_t1, surface_displacement, closing }
    }

    /// Lower bound on a distance after the rotation of the collider, as a factor: the rotation moves two
    /// points at distance `x` by vectors that differ by at most `(1 - min_distance_factor) x`. 0 from a
    /// rotation of 60 degrees on.
    pub(super) fn min_distance_factor(&self) -> f32 {
        // The spectral norm of a difference of rotations is its Frobenius norm over the root of 2: two equal
        // singular values and a zero.
        (1.0 - (self.rotation_t1 - self.rotation_t0).norm() * std::f32::consts::FRAC_1_SQRT_2).max(0.0)
    }

    /// The box around the shape at the start, and the largest displacement (m) of any of its points; `None`
    /// if it is unbounded.
    ///
    /// A displacement is a linear function of the position, so its length is largest at a corner.
    pub(super) fn swept(&self) -> Option<Swept> {
        let surface_point_motion =
            corners(&self.collider.shape.bounds()?).map_inline(|c| self.surface_point_motion(&c));
        let starts = surface_point_motion.map_inline(|[start, _]| Point3::from(start));
        let [low, high] = super::bounds_of(&starts);
        let max_displacement =
            surface_point_motion.iter().map(|[start, end]| (end - start).norm()).fold(0.0, f32::max);
        Some(Swept { low, high, max_displacement })
    }
}

/// A plane of a shape at the end of the step, and a point on its way to it.
pub(super) struct Approach {
    pub(super) normal: Vector3<f32>,
    pub(super) surface_t1: Vector3<f32>,
    pub(super) surface_displacement: Vector3<f32>,
    /// How far the point closes in on the plane in the step (m).
    pub(super) closing: f32,
}

/// Where a collider is, and how far it goes.
#[derive(Clone, Copy, Debug)]
pub(super) struct Swept {
    pub(super) low: Point3<f32>,
    pub(super) high: Point3<f32>,
    pub(super) max_displacement: f32,
}
