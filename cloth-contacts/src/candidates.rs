//! Which primitive pairs could come into contact in the next few steps: broad phase, then a distance test.
//!
//! A broad phase every substep would cost more than the rest of the step. So the boxes are swept over a
//! *horizon* of several steps and given some slack, and the lists stay valid for as long as every vertex keeps
//! within the slack of the path that was expected of it:
//!
//! ```text
//!        slack ( x ------ drift ------> )      a vertex's expected path, relative to the mean motion
//! ```
//!
//! The mean motion of the cloth is taken out first: a falling sheet does not collide with itself. A pair is
//! kept only if a separating plane does not prove that it stays out of reach on those paths.

use cloth_broadphase::{Boxes, BoxesError, BroadPhase, Members, PairFilter};
use cloth_geom::Aabb;
use cloth_geom::closest::{point_triangle, segment_segment};
use nalgebra::{Point3, Vector3};

use crate::Surface;

/// Positions at the start of a step (m), and the displacements predicted over it (m); one each a vertex.
#[derive(Clone, Copy, Debug)]
pub struct Motion<'a> {
    /// Positions at the start of the step.
    pub positions: &'a [Point3<f32>],
    /// Displacements: velocity times the step.
    pub displacements: &'a [Vector3<f32>],
}

/// Candidate lists with the paths for which they are complete.
#[derive(Clone, Debug, Default)]
pub struct Candidates<B> {
    faces: B,
    edges: B,
    vertex_boxes: Boxes,
    face_boxes: Boxes,
    edge_boxes: Boxes,
    /// `[vertex, face]`, in canonical order.
    point_triangles: Vec<[u32; 2]>,
    /// `[edge, edge]`, ascending, in canonical order.
    edge_edges: Vec<[u32; 2]>,
    paths: Paths,
}

/// The paths that the vertices are expected to take, relative to the mean motion.
#[derive(Clone, Debug, Default)]
struct Paths {
    anchor: Vec<Point3<f32>>,
    drift: Vec<Vector3<f32>>,
    mean: Vector3<f64>,
    horizon: f32,
    steps_taken: f32,
    slack: f32,
}

impl Paths {
    fn plan(&mut self, surface: &Surface, motion: &Motion<'_>, horizon: u32, slack: f32) {
        let mean_drift = mean(surface, motion.displacements.iter().copied()).cast::<f32>();
        self.horizon = horizon.max(1) as f32;
        self.steps_taken = 0.0;
        self.slack = slack;
        self.mean = mean(surface, motion.positions.iter().map(|p| p.coords));
        self.anchor.clear();
        self.anchor.extend_from_slice(motion.positions);
        self.drift.clear();
        self.drift.extend(motion.displacements.iter().map(|d| (d - mean_drift) * self.horizon));
    }

    /// Whether every vertex begins and ends the step within the slack of its path. False for NaN.
    fn cover(&self, surface: &Surface, motion: &Motion<'_>) -> bool {
        if self.anchor.len() != motion.positions.len() {
            return false;
        }
        let shift_t0 = mean(surface, motion.positions.iter().map(|p| p.coords)) - self.mean;
        let shift_t1 = shift_t0 + mean(surface, motion.displacements.iter().copied());
        let (shift_t0, shift_t1) = (shift_t0.cast::<f32>(), shift_t1.cast::<f32>());
        let tau = |steps: f32| (steps / self.horizon).min(1.0);
        let (tau_t0, tau_t1) = (tau(self.steps_taken), tau(self.steps_taken + 1.0));
        let limit = self.slack * self.slack;
        (0..self.anchor.len()).all(|i| {
            let moved = motion.positions[i] - self.anchor[i];
            let off_t0 = moved - shift_t0 - self.drift[i] * tau_t0;
            let off_t1 = moved + motion.displacements[i] - shift_t1 - self.drift[i] * tau_t1;
            off_t0.norm_squared() <= limit && off_t1.norm_squared() <= limit
        })
    }

    /// How far two points of fixed sides can close in along the unit vector `n` (from b to a) on their paths (m).
    fn closing(&self, n: &Vector3<f32>, a: &[u32], b: &[u32]) -> f32 {
        let along = |v: &u32| self.drift[*v as usize].dot(n);
        let least_a = a.iter().map(along).fold(f32::INFINITY, f32::min);
        let most_b = b.iter().map(along).fold(f32::NEG_INFINITY, f32::max);
        (most_b - least_a).max(0.0) + 2.0 * self.slack
    }
}

/// The mean over the vertices that are not kinematic (all, if every one is).
pub(crate) fn mean(surface: &Surface, values: impl Iterator<Item = Vector3<f32>>) -> Vector3<f64> {
    let mut sum = Vector3::zeros();
    let mut count = 0.0;
    for (value, &part) in values.zip(&surface.part) {
        if !surface.kinematic[part as usize] {
            sum += value.cast::<f64>();
            count += 1.0;
        }
    }
    if count > 0.0 { sum / count } else { sum }
}

impl<B: BroadPhase> Candidates<B> {
    /// Candidate `[vertex, face]` pairs in canonical order.
    #[must_use]
    pub fn point_triangles(&self) -> &[[u32; 2]] {
        &self.point_triangles
    }

    /// Candidate `[edge, edge]` pairs, each ascending, in canonical order.
    #[must_use]
    pub fn edge_edges(&self) -> &[[u32; 2]] {
        &self.edge_edges
    }

    /// Whether the lists are complete for this step.
    #[must_use]
    pub fn cover(&self, surface: &Surface, motion: &Motion<'_>) -> bool {
        self.paths.cover(surface, motion)
    }

    /// Notes that one more step of the horizon has gone by.
    pub fn advance(&mut self) {
        self.paths.steps_taken += 1.0;
    }

    /// How many steps the present lists have served.
    #[must_use]
    pub fn age(&self) -> u32 {
        self.paths.steps_taken as u32
    }

    /// Forgets the lists, so that the next step rebuilds them.
    pub fn invalidate(&mut self) {
        self.paths.anchor.clear();
    }

    /// Builds the lists anew, for `horizon` steps at the motion's displacements, give or take `slack` (m).
    ///
    /// # Errors
    /// If a position or displacement is not finite; the box with the vertex's number is named.
    pub fn rebuild(
        &mut self,
        surface: &Surface,
        motion: &Motion<'_>,
        horizon: u32,
        slack: f32,
    ) -> Result<(), BoxesError> {
        self.paths.plan(surface, motion, horizon, slack);
        self.fill_boxes(surface)?;
        self.find_point_triangles(surface);
        self.find_edge_edges(surface);
        Ok(())
    }

    fn fill_boxes(&mut self, surface: &Surface) -> Result<(), BoxesError> {
        let paths = &self.paths;
        self.vertex_boxes.refill((0..surface.vertex_count()).map(|v| {
            let start = paths.anchor[v];
            let end = start + paths.drift[v];
            let margin = surface.radius[v] + surface.half_scr[v] + paths.slack;
            Aabb::of_points([start.cast(), end.cast()]).inflated(margin.into())
        }))?;
        let vertices = self.vertex_boxes.as_slice();
        let topology = &surface.topology;
        let hull = |vs: &[u32]| vs.iter().fold(Aabb::EMPTY, |b, &v| b.union(vertices[v as usize]));
        self.face_boxes.refill(topology.faces().iter().map(|f| hull(f)))?;
        self.edge_boxes.refill(topology.edges().iter().map(|e| hull(e)))?;
        self.faces.update(&self.face_boxes);
        self.edges.update(&self.edge_boxes);
        Ok(())
    }

    fn find_point_triangles(&mut self, surface: &Surface) {
        let faces = surface.topology.faces();
        let members = PairFilter::no_shared_vertex(Members::Faces(faces), Members::Points(surface.vertex_count()));
        let filter = members.with_groups(&surface.face_part, &surface.part, &surface.parts_that_meet);
        let (paths, found) = (&self.paths, &mut self.point_triangles);
        found.clear();
        self.faces.visit_pairs_with(&self.vertex_boxes, &filter, &mut |face, vertex| {
            let corners = faces[face as usize];
            let at = |v: u32| &paths.anchor[v as usize];
            let [p0, p1, p2] = corners.map(at);
            let closest = point_triangle(at(vertex), [p0, p1, p2]);
            let w = closest.weights;
            let sep = at(vertex).coords - (p0.coords * w[0] + p1.coords * w[1] + p2.coords * w[2]);
            let pair = Gap { sep: &sep, distance_sq: closest.distance_sq, a: &[vertex], b: &corners };
            if pair.may_close(surface, paths) && !surface.excluded(&[vertex], &corners) {
                found.push([vertex, face]);
            }
        });
        found.sort_unstable();
    }

    fn find_edge_edges(&mut self, surface: &Surface) {
        let edges = surface.topology.edges();
        let members = PairFilter::no_shared_vertex(Members::Edges(edges), Members::Edges(edges));
        let filter = members.with_groups(&surface.edge_part, &surface.edge_part, &surface.parts_that_meet);
        let (paths, found) = (&self.paths, &mut self.edge_edges);
        found.clear();
        self.edges.visit_self_pairs(&filter, &mut |first, second| {
            let (a, b) = (edges[first as usize], edges[second as usize]);
            let at = |v: u32| &paths.anchor[v as usize];
            let ([a0, a1], [b0, b1]) = (a.map(at), b.map(at));
            let closest = segment_segment([a0, a1], [b0, b1]);
            let sep = a0 + (a1 - a0) * closest.s - (b0 + (b1 - b0) * closest.t);
            let pair = Gap { sep: &sep, distance_sq: closest.distance_sq, a: &a, b: &b };
            if pair.may_close(surface, paths) && !surface.excluded(&a, &b) {
                found.push([first, second]);
            }
        });
        found.sort_unstable();
    }
}

/// The shortest line between two primitives: `sep` leads from `b` to `a`.
struct Gap<'a> {
    sep: &'a Vector3<f32>,
    distance_sq: f32,
    a: &'a [u32],
    b: &'a [u32],
}

impl Gap<'_> {
    /// Whether no plane across the gap proves that the pair stays out of reach on its paths.
    ///
    /// Written so that a NaN keeps the pair.
    fn may_close(&self, surface: &Surface, paths: &Paths) -> bool {
        let gap = self.distance_sq.sqrt();
        let open = gap - surface.reach(self.a[0], self.b[0]);
        if gap == 0.0 || open <= 2.0 * paths.slack {
            return true;
        }
        open < paths.closing(&(self.sep / gap), self.a, self.b)
    }
}
