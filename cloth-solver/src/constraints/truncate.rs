//! The last word of the solver on contacts: no vertex leaves its side of the plane between the two primitives.
//!
//! A Gauss-Seidel pass may leave a contact violated, and a violation deeper than the gap is a crossing. Between
//! the closest points of two primitives stands a plane that separates them whole, and half-spaces are convex: as long as
//! every vertex stays on its own side, the pair cannot cross, whatever else the solver wanted. That holds as well for a plane
//! that moves evenly: motions are straight relative to it too. So the plane goes along with the pair, and cloth that moves
//! fast as a whole is held back by nothing.
//!
//! ```text
//!   o-----o      each vertex may use up the share KEPT of its height over the plane;
//!   - - - - - -  plane, half-way across the gap, moving as the two closest points do in the mean
//!       o        what goes further is clipped along the normal; the tangential motion stays
//! ```
//!
//! A vertex with several planes is clipped by each, again and again until all agree. Where they do not within a few
//! passes, the disputed planes all move alike, with the mean of their vertices, and each of these goes along with them but for a share
//! of its own motion; what that breaks is disputed too. If all that hangs together is, that share satisfies everything.
//!
//! This is a limit on a proposal in floating point, for the pairs that were predicted; it certifies nothing.
//! Contacts that are already on the wrong side are left alone: they have to come back through the plane.

use cloth_contacts::Contacts;
use cloth_geom::DisjointSets;
use nalgebra::Vector3;

use super::Bodies;
use super::bodies::{Packed, dot, packed, vector};

/// Share of its height over the plane that a clipped vertex uses up in one substep.
const USED_SHARE: f32 = 0.9;
/// Share that a vertex may use up before it is clipped: a little more, so that roundings start nothing.
const CLIP_THRESHOLD: f32 = 0.92;
/// Passes over the planes until they agree.
const PASSES: usize = 8;
/// Rounds in which the planes grow that are disputed, before all are that hang together.
const ROUNDS: usize = 6;

/// Room for the planes of a substep.
#[derive(Clone, Debug, Default)]
pub(crate) struct Truncation {
    planes: Vec<Plane>,
    /// The pass in which each vertex was last held back, counted from 1; 0 if in none.
    clipped_in: Vec<usize>,
    /// Vertices that planes join; and of each set the sum of the motions (m) of its free vertices, and their number.
    groups: DisjointSets,
    group_motions: Vec<(Vector3<f32>, f32)>,
    /// Which planes are disputed; which sets have such planes.
    conflicting: Vec<bool>,
    conflicting_groups: Vec<bool>,
    share: Vec<f32>,
    /// Positions (m) after clipping.
    clipped_x: Vec<Packed>,
}

/// The plane between two primitives; the first `split` vertices lie where `normal . x > offset`, the others do not.
#[derive(Clone, Copy, Debug)]
struct Plane {
    vertices: [u32; 4],
    split: usize,
    normal: Packed,
    /// At the start of the substep (m).
    offset: f32,
    /// How far the plane moves along its normal in the substep (m).
    displacement: f32,
}

impl Truncation {
    /// Holds back vertices that would cross a plane; returns how many.
    pub(crate) fn truncate(&mut self, contacts: &Contacts, bodies: &mut Bodies<'_>) -> usize {
        self.planes.clear();
        let gaps = contacts.point_triangles.iter().filter(|c| c.gap > 0.0);
        self.planes.extend(gaps.map(|c| {
            let [i, j, k] = c.corners;
            let weights = [1.0, c.weights[0], c.weights[1], c.weights[2]];
            Plane::between([c.vertex, i, j, k], 1, weights, (c.normal, c.gap), bodies)
        }));
        let gaps = contacts.edge_edges.iter().filter(|c| c.gap > 0.0);
        self.planes.extend(gaps.map(|c| {
            let weights = [1.0 - c.s, c.s, 1.0 - c.t, c.t];
            Plane::between([c.a[0], c.a[1], c.b[0], c.b[1]], 2, weights, (c.normal, c.gap), bodies)
        }));
        if !self.clip(bodies) {
            self.scale_conflicting(bodies);
        }
        self.clipped_in.iter().filter(|&&pass| pass > 0).count()
    }

    /// Clips vertices until all planes agree; whether they do.
    fn clip(&mut self, bodies: &mut Bodies<'_>) -> bool {
        let Self { planes, clipped_in, .. } = self;
        clipped_in.clear();
        clipped_in.resize(bodies.x.len(), 0);
        for pass in 0..PASSES {
            let mut agreed = true;
            for plane in planes.iter() {
                // What nobody has moved since it was looked at is as it was.
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

    /// Shortens the motion of vertices whose planes do not agree, relative to what they have in common, until all planes are
    /// obeyed.
    ///
    /// Disputed planes move with the mean of the vertices that disputed planes join, and each of those vertices goes
    /// along but for a share of its own motion. What that breaks is disputed as well, in the next round. If all planes that
    /// hang together are disputed they agree; so that is what the last round does.
    fn scale_conflicting(&mut self, bodies: &mut Bodies<'_>) {
        self.clipped_x.clear();
        self.clipped_x.extend_from_slice(bodies.x);
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
            bodies.x.copy_from_slice(&self.clipped_x);
            if round == ROUNDS {
                self.mark_connected(bodies.w);
            }
            self.join(bodies);
            self.scale_motion(bodies);
        }
    }

    /// Disputes every plane that hangs together with a disputed one.
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

    /// Finds what hangs together by disputed planes, and how it moves.
    fn join(&mut self, bodies: &Bodies<'_>) {
        let Self { planes, groups, group_motions, conflicting, .. } = self;
        let count = bodies.x.len();
        let of_conflicting =
            planes.iter().zip(conflicting.iter()).filter(|(_, d)| **d).map(|(plane, _)| plane);
        join(of_conflicting, groups, bodies.w);
        group_motions.clear();
        group_motions.resize(count, (Vector3::zeros(), 0.0));
        for v in (0..count).filter(|&v| bodies.w[v] > 0.0) {
            let sum = &mut group_motions[groups.find(v as u32) as usize];
            *sum = (sum.0 + vector(&(bodies.x[v] - bodies.x_t0[v])), sum.1 + 1.0);
        }
    }

    /// Gives each vertex of disputed planes the share of its own motion that they leave it.
    fn scale_motion(&mut self, bodies: &mut Bodies<'_>) {
        let Self { planes, clipped_in, groups, group_motions, conflicting, share, .. } = self;
        share.clear();
        share.resize(bodies.x.len(), 1.0);
        for (plane, _) in planes.iter().zip(conflicting.iter()).filter(|(_, d)| **d) {
            let free = plane.vertices.into_iter().find(|&v| bodies.w[v as usize] > 0.0);
            let along = free.map_or_else(Vector3::zeros, |v| mean(group_motions[groups.find(v) as usize]));
            plane.scale_motion(&along, bodies, share);
        }
        for v in 0..share.len() {
            if share[v] < 1.0 && bodies.w[v] > 0.0 {
                let along = packed(&mean(group_motions[groups.find(v as u32) as usize]));
                let own = bodies.x[v] - bodies.x_t0[v] - along;
                bodies.x[v] = bodies.x_t0[v] + along + own * share[v];
                clipped_in[v] = PASSES;
            }
        }
    }
}

/// Joins the vertices of each plane; through what does not move nothing is joined.
fn join<'a>(planes: impl Iterator<Item = &'a Plane>, groups: &mut DisjointSets, w: &[f32]) {
    groups.reset(w.len());
    for plane in planes {
        let mut free = plane.vertices.into_iter().filter(|&v| w[v as usize] > 0.0);
        let Some(first) = free.next() else { continue };
        free.for_each(|v| groups.join(first, v));
    }
}

fn mean((sum, count): (Vector3<f32>, f32)) -> Vector3<f32> {
    if count > 0.0 { sum / count } else { sum }
}

impl Plane {
    /// The plane half-way between two closest points, given by the weights of their vertices, moving as they do in the mean by
    /// inverse mass: with the one that yields less.
    fn between(
        vertices: [u32; 4],
        split: usize,
        weights: [f32; 4],
        (normal, gap): (Vector3<f32>, f32),
        bodies: &Bodies<'_>,
    ) -> Self {
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

    /// How high a vertex stands over the plane at the start (m), and how far it sinks towards a plane that moves by `displacement`.
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

    /// Moves the free vertices that go too far back along the normal; whether there were any.
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

    /// Limits the share of its own motion that each vertex may make, where the plane moves with the others.
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
