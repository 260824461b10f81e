//! Contacts of cloth points with colliders: half-spaces that move with the surface.

use nalgebra::{Point3, Vector3};

use super::Collider;
use crate::Motion;

/// A half-space that a vertex must stay out of, at the end of the step.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ColliderContact {
    /// The vertex.
    pub vertex: u32,
    /// The collider's place in the list.
    pub collider: u32,
    /// Outward unit normal at the start of the step; frozen.
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
    /// Signed distance (m) of a point from the plane at the end of the step; its gradient is [`Self::normal`].
    #[must_use]
    #[inline]
    pub fn separation(&self, p: &Point3<f32>) -> f32 {
        self.normal.dot(&(p - self.surface_t1))
    }
}

/// Appends the contacts of one vertex with all colliders, in their order.
///
/// `radius` and `scr` in metres. The three conditions of the paper are one: the gap, less how far it closes
/// during the step, is below `radius + scr`.
#[inline]
pub fn detect(
    colliders: &[Collider],
    motion: &Motion<'_>,
    vertex: u32,
    (radius, scr): (f32, f32),
    out: &mut Vec<ColliderContact>,
) {
    let p = &motion.positions[vertex as usize];
    let d = &motion.displacements[vertex as usize];
    for (index, collider) in colliders.iter().enumerate() {
        let local = collider.pose_t0.inverse_transform_point(p);
        let nearest = collider.shape.nearest(&local);
        let on_surface = local - nearest.normal * nearest.distance;
        let normal = collider.pose_t0 * nearest.normal;
        let surface_t1 = collider.pose_t1 * on_surface;
        let surface_displacement = surface_t1 - collider.pose_t0 * on_surface;
        let approach = -(d - surface_displacement).dot(&normal);
        if nearest.distance - approach.max(0.0) < radius + scr {
            out.push(ColliderContact {
                vertex,
                collider: index as u32,
                normal,
                surface_t1,
                surface_displacement,
                gap: nearest.distance,
                distance: radius,
                friction: collider.friction,
            });
        }
    }
}
