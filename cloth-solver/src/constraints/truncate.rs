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
const KEPT: f32 = 0.9;
/// Share that a vertex may use up before it is clipped: a little more, so that roundings start nothing.
const ALLOWED: f32 = 0.92;
/// Passes over the planes until they agree.
const PASSES: usize = 8;
/// Rounds in which the planes grow that are disputed, before all are that hang together.
const ROUNDS: usize = 6;

/// Room for the planes of a substep.
#[derive(Clone, Debug, Default)]
pub(crate) struct Truncation {
    planes: Vec<Plane>,
    /// The pass in which each vertex was last held back, counted from 1; 0 if in none.
    held_in: Vec<usize>,
    /// Vertices that planes join; and of each set the sum of the motions (m) of its free vertices, and their number.
    joined: DisjointSets,
    sums: Vec<(Vector3<f32>, f32)>,
    /// Which planes are disputed; which sets have such planes.
    disputed: Vec<bool>,
    sets: Vec<bool>,
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
    way: f32,
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
            self.shorten(bodies);
        }
        self.held_in.iter().filter(|&&pass| pass > 0).count()
    }

    /// Clips vertices until all planes agree; whether they do.
    fn clip(&mut self, bodies: &mut Bodies<'_>) -> bool {
        let Self { planes, held_in, .. } = self;
        held_in.clear();
        held_in.resize(bodies.x.len(), 0);
        for pass in 0..PASSES {
            let mut agreed = true;
            for plane in planes.iter() {
                // What nobody has moved since it was looked at is as it was.
                if plane.vertices.iter().any(|&v| held_in[v as usize] >= pass) {
                    agreed &= !plane.clip(bodies, |v| held_in[v] = pass + 1);
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
    fn shorten(&mut self, bodies: &mut Bodies<'_>) {
        self.clipped_x.clear();
        self.clipped_x.extend_from_slice(bodies.x);
        self.disputed.clear();
        self.disputed.resize(self.planes.len(), false);
        for round in 0..=ROUNDS {
            let mut agreed = true;
            for (plane, disputed) in self.planes.iter().zip(&mut self.disputed) {
                let new = !*disputed && plane.is_violated(bodies);
                agreed &= !new;
                *disputed |= new;
            }
            if agreed {
                return;
            }
            bodies.x.copy_from_slice(&self.clipped_x);
            if round == ROUNDS {
                self.dispute_all(bodies.w);
            }
            self.join(bodies);
            self.share_out(bodies);
        }
    }

    /// Disputes every plane that hangs together with a disputed one.
    fn dispute_all(&mut self, w: &[f32]) {
        let Self { planes, disputed, joined, sets, .. } = self;
        join(planes.iter(), joined, w);
        sets.clear();
        sets.resize(w.len(), false);
        for (plane, _) in planes.iter().zip(disputed.iter()).filter(|(_, d)| **d) {
            plane.vertices.iter().for_each(|&v| sets[joined.find(v) as usize] = true);
        }
        for (plane, disputed) in planes.iter().zip(disputed) {
            *disputed = plane.vertices.iter().any(|&v| sets[joined.find(v) as usize]);
        }
    }

    /// Finds what hangs together by disputed planes, and how it moves.
    fn join(&mut self, bodies: &Bodies<'_>) {
        let Self { planes, joined, sums, disputed, .. } = self;
        let count = bodies.x.len();
        let of_set = planes.iter().zip(disputed.iter()).filter(|(_, d)| **d).map(|(plane, _)| plane);
        join(of_set, joined, bodies.w);
        sums.clear();
        sums.resize(count, (Vector3::zeros(), 0.0));
        for v in (0..count).filter(|&v| bodies.w[v] > 0.0) {
            let sum = &mut sums[joined.find(v as u32) as usize];
            *sum = (sum.0 + vector(&(bodies.x[v] - bodies.x_t0[v])), sum.1 + 1.0);
        }
    }

    /// Gives each vertex of disputed planes the share of its own motion that they leave it.
    fn share_out(&mut self, bodies: &mut Bodies<'_>) {
        let Self { planes, held_in, joined, sums, disputed, share, .. } = self;
        share.clear();
        share.resize(bodies.x.len(), 1.0);
        for (plane, _) in planes.iter().zip(disputed.iter()).filter(|(_, d)| **d) {
            let free = plane.vertices.into_iter().find(|&v| bodies.w[v as usize] > 0.0);
            let along = free.map_or_else(Vector3::zeros, |v| mean(sums[joined.find(v) as usize]));
            plane.share_out(&along, bodies, share);
        }
        for v in 0..share.len() {
            if share[v] < 1.0 && bodies.w[v] > 0.0 {
                let along = packed(&mean(sums[joined.find(v as u32) as usize]));
                let own = bodies.x[v] - bodies.x_t0[v] - along;
                bodies.x[v] = bodies.x_t0[v] + along + own * share[v];
                held_in[v] = PASSES;
            }
        }
    }
}

/// Joins the vertices of each plane; through what does not move nothing is joined.
fn join<'a>(planes: impl Iterator<Item = &'a Plane>, joined: &mut DisjointSets, w: &[f32]) {
    joined.reset(w.len());
    for plane in planes {
        let mut free = plane.vertices.into_iter().filter(|&v| w[v as usize] > 0.0);
        let Some(first) = free.next() else { continue };
        free.for_each(|v| joined.join(first, v));
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
        let (mut foot, mut ways, mut yields) = (0.0, [0.0; 2], [0.0; 2]);
        for (k, (&v, weight)) in vertices.iter().zip(weights).enumerate() {
            let v = v as usize;
            let side = usize::from(k >= split);
            ways[side] += dot(&normal, &(bodies.x[v] - bodies.x_t0[v])) * weight;
            yields[side] += bodies.w[v] * weight;
            if side == 1 {
                foot += dot(&normal, &bodies.x_t0[v]) * weight;
            }
        }
        let both = yields[0] + yields[1];
        let way = if both > 0.0 { (ways[0] * yields[1] + ways[1] * yields[0]) / both } else { 0.0 };
        Self { vertices, split, normal, offset: foot + 0.5 * gap, way }
    }

    /// How high a vertex stands over the plane at the start (m), and how far it sinks towards a plane that moves by `way`.
    #[inline]
    fn height_and_sink(&self, k: usize, way: f32, bodies: &Bodies<'_>) -> (f32, f32) {
        let v = self.vertices[k] as usize;
        let side = if k < self.split { 1.0 } else { -1.0 };
        let height = (dot(&self.normal, &bodies.x_t0[v]) - self.offset) * side;
        let sinks = (way - dot(&self.normal, &(bodies.x[v] - bodies.x_t0[v]))) * side;
        (height.max(0.0), sinks)
    }

    fn is_violated(&self, bodies: &Bodies<'_>) -> bool {
        (0..4).any(|k| {
            let (height, sinks) = self.height_and_sink(k, self.way, bodies);
            bodies.w[self.vertices[k] as usize] > 0.0 && sinks > height
        })
    }

    /// Moves the free vertices that go too far back along the normal; whether there were any.
    fn clip(&self, bodies: &mut Bodies<'_>, mut note: impl FnMut(usize)) -> bool {
        let mut any = false;
        for k in 0..4 {
            let v = self.vertices[k] as usize;
            let (height, sinks) = self.height_and_sink(k, self.way, bodies);
            let moved = sinks > ALLOWED * height && bodies.w[v] > 0.0;
            if moved {
                let back = (sinks - KEPT * height) * if k < self.split { 1.0 } else { -1.0 };
                bodies.x[v] += self.normal * back;
                note(v);
            }
            any |= moved;
        }
        any
    }

    /// Limits the share of its own motion that each vertex may make, where the plane moves with the others.
    fn share_out(&self, along: &Vector3<f32>, bodies: &Bodies<'_>, share: &mut [f32]) {
        let way = dot(&self.normal, &packed(along));
        for k in 0..4 {
            let (height, sinks) = self.height_and_sink(k, way, bodies);
            if sinks > KEPT * height {
                let v = self.vertices[k] as usize;
                share[v] = share[v].min(KEPT * height / sinks);
            }
        }
    }
}

#[cfg(test)]
mod tests;
