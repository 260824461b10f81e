//! Truncation: the last contact stage of the solver clips motions at separating planes.
//!
//! A Gauss-Seidel pass may leave a contact violated, and a violation deeper than the gap is a crossing. The
//! plane between the closest points of two primitives separates them, and half-spaces are convex: while every
//! vertex stays on its side of the plane, the pair cannot cross. The same is true of a plane that moves
//! linearly, because linear motions stay linear relative to it. So the plane moves with the pair, and fast
//! motion of the cloth as a whole is not limited.
//!
//! ```text
//!   o-----o      each vertex may use up the share KEPT of its height over the plane;
//!   - - - - - -  plane, half-way across the gap, moving as the two closest points do in the mean
//!       o        motion beyond it is clipped along the normal; the tangential motion stays
//! ```
//!
//! A vertex with several planes is clipped by each in turn until all are satisfied. If they are not after a
//! few passes, the conflicting planes all move with the mean motion of their vertices, and each of these
//! vertices keeps only a share of its own relative motion; planes violated by that become conflicting too.
//! Once all planes of a connected group are conflicting, that share satisfies them all.
//!
//! The gate clips motions at planes as well (`cloth-contacts/src/gate/correction.rs`). The idea is the same,
//! the task is not, so the two share no code:
//!
//! | | truncation | clipping by the gate |
//! |---|---|---|
//! | pairs | all predicted contacts, before anything is proved | those that could not be certified |
//! | plane | of the contact, whose normal keeps its side | between the closest points at the start |
//! | limit | a share of the distance: clipped neighbours stay apart | half the clearance |
//! | immovable side | the plane moves with its mean | the plane moves with the farthest of its vertices |
//! | conflict | groups keep a share of their relative motion | groups move rigidly, then freeze |
//!
//! With the gate's limit a sheet that is pressed would use up its whole distance in one substep; with the
//! share here, the gate would remove momentum that the proof does not ask for.
//!
//! This limits a proposal in floating point, for the predicted pairs; it certifies nothing. Contacts already
//! on the wrong side are skipped: they have to come back through the plane.

use cloth_contacts::Contacts;
use cloth_geom::DisjointSets;
use nalgebra::Vector3;

use crate::bodies::{Bodies, Packed, dot, packed, vector};

/// Share of its distance to the plane that a clipped vertex uses up in one substep.
const USED_SHARE: f32 = 0.9;
/// Share of its distance that a vertex may use up before it is clipped; slightly more, so that rounding
/// triggers nothing.
const CLIP_THRESHOLD: f32 = 0.92;
/// Maximum clipping passes.
const PASSES: usize = 8;
/// Rounds that grow the set of conflicting planes, before whole connected groups become conflicting.
const ROUNDS: usize = 6;

/// Truncation of a substep, with its scratch memory.
#[derive(Clone, Debug, Default)]
pub(crate) struct Truncation {
    planes: Vec<Plane>,
    /// The pass in which each vertex was last clipped, from 1; 0 if in none.
    clipped_in: Vec<usize>,
    /// Vertices connected by planes; for each group the sum of the displacements (m) of its free vertices,
    /// and their number.
    groups: DisjointSets,
    group_motions: Vec<GroupMotion>,
    /// Conflicting planes, and groups that contain such planes.
    conflicting: Vec<bool>,
    conflicting_groups: Vec<bool>,
    share: Vec<f32>,
    /// Positions (m) after clipping.
    clipped_x: Vec<Packed>,
}

/// The plane between two primitives; the first `split` vertices lie where `normal . x > offset`, the others
/// do not.
#[derive(Clone, Copy, Debug)]
struct Plane {
    vertices: [u32; 4],
    split: usize,
    normal: Packed,
    /// At the start of the substep (m).
    offset: f32,
    /// Displacement of the plane along its normal in the substep (m).
    displacement: f32,
}

impl Truncation {
    /// Clips vertices that would cross a plane; returns how many.
    pub(crate) fn truncate(&mut self, contacts: &Contacts, bodies: &mut Bodies<'_>) -> usize {
        self.planes.clear();
        let gaps = contacts.point_triangles.iter().filter(|c| c.gap > 0.0);
        self.planes.extend(gaps.map(|c| {
            let [i, j, k] = c.corners;
            let weights = [1.0, c.weights[0], c.weights[1], c.weights[2]];
            let vertices = [c.vertex, i, j, k];
            let points = ClosestPoints { vertices, split: 1, weights, normal: c.normal, gap: c.gap };
            Plane::between(points, bodies)
        }));
        let gaps = contacts.edge_edges.iter().filter(|c| c.gap > 0.0);
        self.planes.extend(gaps.map(|c| {
            let weights = [1.0 - c.s, c.s, 1.0 - c.t, c.t];
            let vertices = [c.a[0], c.a[1], c.b[0], c.b[1]];
            let points = ClosestPoints { vertices, split: 2, weights, normal: c.normal, gap: c.gap };
            Plane::between(points, bodies)
        }));
        if !self.clip(bodies) {
            self.scale_conflicting(bodies);
        }
        self.clipped_in.iter().filter(|&&pass| pass > 0).count()
    }

    /// Clips vertices until all planes are satisfied; whether they are.
    fn clip(&mut self, bodies: &mut Bodies<'_>) -> bool {
        let Self { planes, clipped_in, .. } = self;
        clipped_in.clear();
        clipped_in.resize(bodies.w.len(), 0);
        for pass in 0..PASSES {
            let mut agreed = true;
            for plane in planes.iter() {
                // Skip planes whose vertices have not moved since the last pass.
                if plane.vertices.iter().any(|&v| clipped_in[v as usize] >= pass) {
                    agreed &= !plane.clip(bodies, |v| clipped_in[v] = pass + 1);
                }
            }
            if agreed {
                return true;
            }
        }
        false
    }

    /// Scales the motion of vertices with conflicting planes, relative to the mean motion of their group,
    /// until all planes are satisfied.
    ///
    /// Conflicting planes move with the mean of their group, and each of its vertices keeps a share of its
    /// own relative motion. Planes violated by that become conflicting in the next round. If all planes of a
    /// connected group are conflicting they are satisfied, so the last round makes them so.
    fn scale_conflicting(&mut self, bodies: &mut Bodies<'_>) {
        self.clipped_x.clear();
        self.clipped_x.extend_from_slice(bodies.x.in_slots);
        self.conflicting.clear();
        self.conflicting.resize(self.planes.len(), false);
        for round in 0..=ROUNDS {
            let mut agreed = true;
            for (plane, conflicting) in self.planes.iter().zip(&mut self.conflicting) {
                let new = !*conflicting && plane.is_violated(bodies);
                agreed &= !new;
                *conflicting |= new;
            }
            if agreed {
                return;
            }
            bodies.x.in_slots.copy_from_slice(&self.clipped_x);
            if round == ROUNDS {
                self.mark_connected(bodies.w);
            }
            self.join(bodies);
            self.scale_motion(bodies);
        }
    }

    /// Marks every plane connected to a conflicting one.
    fn mark_connected(&mut self, w: &[f32]) {
        let Self { planes, conflicting, groups, conflicting_groups, .. } = self;
        join(planes.iter(), groups, w);
        conflicting_groups.clear();
        conflicting_groups.resize(w.len(), false);
        for (plane, _) in planes.iter().zip(conflicting.iter()).filter(|(_, d)| **d) {
            plane.vertices.iter().for_each(|&v| conflicting_groups[groups.find(v) as usize] = true);
        }
        for (plane, conflicting) in planes.iter().zip(conflicting) {
            *conflicting = plane.vertices.iter().any(|&v| conflicting_groups[groups.find(v) as usize]);
        }
    }

    /// Computes the groups connected by conflicting planes, and their mean motions.
    fn join(&mut self, bodies: &Bodies<'_>) {
        let Self { planes, groups, group_motions, conflicting, .. } = self;
        let count = bodies.w.len();
        let of_conflicting =
            planes.iter().zip(conflicting.iter()).filter(|(_, d)| **d).map(|(plane, _)| plane);
        join(of_conflicting, groups, bodies.w);
        group_motions.clear();
        group_motions.resize(count, GroupMotion::default());
        for v in (0..count).filter(|&v| bodies.w[v] > 0.0) {
            let motion = &mut group_motions[groups.find(v as u32) as usize];
            motion.sum += vector(&(bodies.x[v] - bodies.x_t0[v]));
            motion.count += 1.0;
        }
    }

    /// Scales the relative motion of each vertex of conflicting planes to what they allow.
    fn scale_motion(&mut self, bodies: &mut Bodies<'_>) {
        let Self { planes, clipped_in, groups, group_motions, conflicting, share, .. } = self;
        share.clear();
        share.resize(bodies.w.len(), 1.0);
        for (plane, _) in planes.iter().zip(conflicting.iter()).filter(|(_, d)| **d) {
            let free = plane.vertices.into_iter().find(|&v| bodies.w[v as usize] > 0.0);
            let along = free.map_or_else(Vector3::zeros, |v| group_motions[groups.find(v) as usize].mean());
            plane.scale_motion(&along, bodies, share);
        }
        for v in 0..share.len() {
            if share[v] < 1.0 && bodies.w[v] > 0.0 {
                let along = packed(&group_motions[groups.find(v as u32) as usize].mean());
                let own = bodies.x[v] - bodies.x_t0[v] - along;
                bodies.x[v] = bodies.x_t0[v] + along + own * share[v];
                clipped_in[v] = PASSES;
            }
        }
    }
}

/// Connects the vertices of each plane; immovable vertices connect nothing.
fn join<'a>(planes: impl Iterator<Item = &'a Plane>, groups: &mut DisjointSets, w: &[f32]) {
    groups.reset(w.len());
    for plane in planes {
        let mut free = plane.vertices.into_iter().filter(|&v| w[v as usize] > 0.0);
        let Some(first) = free.next() else { continue };
        free.for_each(|v| groups.join(first, v));
    }
}

/// How the vertices of a group move.
#[derive(Clone, Copy, Debug, Default)]
struct GroupMotion {
    /// The sum of their displacements (m), and their number.
    sum: Vector3<f32>,
    count: f32,
}

impl GroupMotion {
    fn mean(&self) -> Vector3<f32> {
        if self.count > 0.0 { self.sum / self.count } else { self.sum }
    }
}

/// Two closest points, given by the weights of their vertices.
struct ClosestPoints {
    vertices: [u32; 4],
    /// How many of them belong to the first.
    split: usize,
    weights: [f32; 4],
    /// From the second to the first.
    normal: Vector3<f32>,
    /// Their distance (m).
    gap: f32,
}

impl Plane {
    /// The plane half-way between two closest points. It moves with their displacements, weighted by the
    /// inverse mass of the other: with the heavier side.
    fn between(points: ClosestPoints, bodies: &Bodies<'_>) -> Self {
        let ClosestPoints { vertices, split, weights, normal, gap } = points;
        let normal = packed(&normal);
        let (mut foot, mut displacements, mut mobilities) = (0.0, [0.0; 2], [0.0; 2]);
        for (k, (&v, weight)) in vertices.iter().zip(weights).enumerate() {
            let v = v as usize;
            let side = usize::from(k >= split);
            displacements[side] += dot(&normal, &(bodies.x[v] - bodies.x_t0[v])) * weight;
            mobilities[side] += bodies.w[v] * weight;
            if side == 1 {
                foot += dot(&normal, &bodies.x_t0[v]) * weight;
            }
        }
        let both = mobilities[0] + mobilities[1];
        let displacement = if both > 0.0 {
            (displacements[0] * mobilities[1] + displacements[1] * mobilities[0]) / both
        } else {
            0.0
        };
        Self { vertices, split, normal, offset: foot + 0.5 * gap, displacement }
    }

    /// Distance of a vertex to the plane at the start (m), and its approach (m) to a plane that moves by
    /// `displacement`.
    #[inline]
    fn height_and_approach(&self, k: usize, displacement: f32, bodies: &Bodies<'_>) -> (f32, f32) {
        let v = self.vertices[k] as usize;
        let side = if k < self.split { 1.0 } else { -1.0 };
        let height = (dot(&self.normal, &bodies.x_t0[v]) - self.offset) * side;
        let approach = (displacement - dot(&self.normal, &(bodies.x[v] - bodies.x_t0[v]))) * side;
        (height.max(0.0), approach)
    }

    fn is_violated(&self, bodies: &Bodies<'_>) -> bool {
        (0..4).any(|k| {
            let (height, approach) = self.height_and_approach(k, self.displacement, bodies);
            bodies.w[self.vertices[k] as usize] > 0.0 && approach > height
        })
    }

    /// Moves free vertices that go too far back along the normal; whether there were any.
    fn clip(&self, bodies: &mut Bodies<'_>, mut on_clip: impl FnMut(usize)) -> bool {
        let mut any = false;
        for k in 0..4 {
            let v = self.vertices[k] as usize;
            let (height, approach) = self.height_and_approach(k, self.displacement, bodies);
            let moved = approach > CLIP_THRESHOLD * height && bodies.w[v] > 0.0;
            if moved {
                let back = (approach - USED_SHARE * height) * if k < self.split { 1.0 } else { -1.0 };
                bodies.x[v] += self.normal * back;
                on_clip(v);
            }
            any |= moved;
        }
        any
    }

    /// Limits the share of its relative motion of each vertex, for a plane that moves with the group.
    fn scale_motion(&self, along: &Vector3<f32>, bodies: &Bodies<'_>, share: &mut [f32]) {
        let displacement = dot(&self.normal, &packed(along));
        for k in 0..4 {
            let (height, approach) = self.height_and_approach(k, displacement, bodies);
            if approach > USED_SHARE * height {
                let v = self.vertices[k] as usize;
                share[v] = share[v].min(USED_SHARE * height / approach);
            }
        }
    }
}

#[cfg(test)]
mod tests;
