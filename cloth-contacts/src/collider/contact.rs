//! Contacts of cloth points with colliders: half-spaces that move with the surface.

use nalgebra::{Isometry3, Matrix3, Point3, Vector3};

use super::Collider;
use crate::{Motion, Surface};

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

/// What collider detection is told of the cloth.
#[derive(Clone, Copy, Debug)]
pub struct Points<'a> {
    /// Positions and displacements.
    pub motion: Motion<'a>,
    /// Inverse masses; points of zero are moved by the caller alone and make no contacts.
    pub inv_mass: &'a [f32],
    /// Radii and static collision radii.
    pub surface: &'a Surface,
}

/// Finds contacts with colliders; remembers which points are far from which collider.
///
/// A point that was `open` metres beyond reach of a collider at rest need not be looked at before the fastest point
/// has gone that far. Colliders that move are looked at every time.
#[derive(Clone, Debug, Default)]
pub struct ColliderDetector {
    /// For each collider and point, the way of the fastest point at which it has to be looked at again (m).
    marks: Vec<f32>,
    poses: Vec<Isometry3<f32>>,
    last: Vec<Point3<f32>>,
    travelled: f32,
}

/// Way of the fastest point (m) after which all is looked at anew: on a longer one, `f32` would swallow the steps of a
/// point that creeps.
const LONGEST_WAY: f32 = 4.0;

/// Share of a bound that rounding could cost.
const ROUNDING: f32 = 1.0e-4;

impl ColliderDetector {
    /// Finds the contacts of all points with all colliders into `out`, ordered by collider and then by vertex.
    ///
    /// The three conditions of the paper are one: the gap, less how far it closes during the step, is below
    /// `radius + scr`.
    pub fn detect(&mut self, colliders: &[Collider], points: &Points<'_>, out: &mut Vec<ColliderContact>) {
        out.clear();
        let outlook = self.travel(colliders, points);
        let count = points.inv_mass.len();
        for (index, collider) in colliders.iter().enumerate() {
            let placed = Placed::new(collider, index as u32);
            let marks = &mut self.marks[index * count..][..count];
            for v in 0..count {
                let rests = marks[v] > outlook;
                if points.inv_mass[v] > 0.0 && !rests {
                    let (open, contact) = placed.contact(points, v);
                    if !placed.moves {
                        marks[v] = open * (1.0 - ROUNDING) + self.travelled;
                    }
                    out.extend(contact);
                }
            }
        }
    }

    /// Forgets what is far: after a teleport, or when a state is restored.
    pub fn reset(&mut self) {
        self.last.clear();
    }

    /// Notes the motion of the step; returns how far the fastest point will have gone by its predicted end.
    fn travel(&mut self, colliders: &[Collider], points: &Points<'_>) -> f32 {
        let Motion { positions, displacements } = points.motion;
        let known = self.last.len() == positions.len() && self.poses.len() == colliders.len();
        let known = known && self.travelled <= LONGEST_WAY;
        if !known {
            self.last.clear();
            self.last.extend_from_slice(positions);
            self.poses.clear();
            self.poses.extend(colliders.iter().map(|c| c.pose_t1));
            self.travelled = 0.0;
            self.marks.clear();
            self.marks.resize(colliders.len() * positions.len(), f32::NEG_INFINITY);
        }
        let (mut most_sq, mut next_sq) = (0.0_f32, 0.0_f32);
        for v in 0..positions.len() {
            most_sq = most_sq.max((positions[v] - self.last[v]).norm_squared());
            next_sq = next_sq.max(displacements[v].norm_squared());
        }
        self.travelled += most_sq.sqrt();
        self.last.copy_from_slice(positions);
        for (index, collider) in colliders.iter().enumerate() {
            if self.poses[index] != collider.pose_t0 || self.poses[index] != collider.pose_t1 {
                self.poses[index] = collider.pose_t1;
                self.marks[index * positions.len()..][..positions.len()].fill(f32::NEG_INFINITY);
            }
        }
        (self.travelled + next_sq.sqrt()) * (1.0 + ROUNDING)
    }
}

/// A collider with its poses as matrices.
struct Placed<'a> {
    collider: &'a Collider,
    index: u32,
    rotation_t0: Matrix3<f32>,
    rotation_t1: Matrix3<f32>,
    at_t0: Vector3<f32>,
    at_t1: Vector3<f32>,
    moves: bool,
}

impl<'a> Placed<'a> {
    fn new(collider: &'a Collider, index: u32) -> Self {
        let matrix = |pose: &Isometry3<f32>| pose.rotation.to_rotation_matrix().into_inner();
        Self {
            rotation_t0: matrix(&collider.pose_t0),
            rotation_t1: matrix(&collider.pose_t1),
            at_t0: collider.pose_t0.translation.vector,
            at_t1: collider.pose_t1.translation.vector,
            moves: collider.pose_t0 != collider.pose_t1,
            collider,
            index,
        }
    }

    /// How far (m) a point is beyond its reach, and its contact.
    #[inline]
    fn contact(&self, points: &Points<'_>, v: usize) -> (f32, Option<ColliderContact>) {
        let (p, d) = (&points.motion.positions[v], &points.motion.displacements[v]);
        let (radius, scr) = points.surface.radius_and_scr(v);
        let local = Point3::from(self.rotation_t0.tr_mul(&(p.coords - self.at_t0)));
        let nearest = self.collider.shape.nearest(&local);
        let open = nearest.distance - (radius + scr);
        // A surface at rest is approached by no more than the displacement's length: most points end here.
        if !self.moves && open > 0.0 && open * open > d.norm_squared() {
            return (open, None);
        }
        let on_surface = local - nearest.normal * nearest.distance;
        let normal = self.rotation_t0 * nearest.normal;
        let surface_t0 = self.rotation_t0 * on_surface.coords + self.at_t0;
        let surface_t1 = self.rotation_t1 * on_surface.coords + self.at_t1;
        let surface_displacement = surface_t1 - surface_t0;
        let approach = -(d - surface_displacement).dot(&normal);
        let contact = (open < approach.max(0.0)).then_some(ColliderContact {
            vertex: v as u32,
            collider: self.index,
            normal,
            surface_t1: Point3::from(surface_t1),
            surface_displacement,
            gap: nearest.distance,
            distance: radius,
            friction: self.collider.friction,
        });
        (open, contact)
    }
}
