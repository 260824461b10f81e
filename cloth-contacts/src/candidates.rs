//! Which primitive pairs could come into contact in the next few steps: broad phase, then a distance test.
//!
//! A broad phase every substep would cost more than the rest of the step. So the boxes are swept over several
//! steps and given some slack, and the lists stay complete as long as every vertex keeps to its path (`paths`).
//! Vertices that stray, as in an impact, get a new path, and only what is around them is looked up again; when many
//! stray, or the lists have grown stale, everything is built anew. A pair is kept only if a separating plane does
//! not prove that it stays out of reach.

use cloth_broadphase::{Boxes, BoxesError, BroadPhase, Members, PairFilter};
use cloth_geom::Aabb;
use cloth_geom::closest::{point_triangle, segment_segment};
use nalgebra::{Point3, Vector3};

use crate::Surface;
use crate::balls::{Ball, Balls};
use crate::pair_list::PairList;
use crate::paths::Paths;
use crate::touched::{AllBoxes, Touched};

/// Share of the vertices that must stray before everything is built anew: looking up one vertex costs several
/// times its part in a full build.
const STRAYS_FOR_REBUILD: f32 = 0.2;

/// Growth of the lists by merging after which they are built anew.
const GROWTH_FOR_REBUILD: usize = 2;

/// Slack that a vertex may have used up, as a square, before it gets a new path along with others that stray.
const ALMOST_ASTRAY: f32 = 0.7;

/// Most steps that all paths are planned for: further ahead, boxes grow long and most of what they meet is in vain.
const STEPS_AHEAD: u32 = 6;

/// Length of the path that a vertex which strayed is planned, in units of its reach, and the bounds of its steps:
/// slow vertices, which are the many of a settling cloth, stay on it for long; fast ones do not sweep the whole scene.
const PATH_AFTER_STRAYING: f32 = 1.0;
const STEPS_AFTER_STRAYING: (f32, f32) = (2.0, 32.0);

/// Positions at the start of a step (m), and the displacements predicted over it (m); one each a vertex.
#[derive(Clone, Copy, Debug)]
pub struct Motion<'a> {
    /// Positions at the start of the step.
    pub positions: &'a [Point3<f32>],
    /// Displacements: velocity times the step.
    pub displacements: &'a [Vector3<f32>],
}

/// What an update of the lists did.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Updated {
    /// The lists still served.
    Nothing,
    /// What is around some vertices was looked up again.
    Some,
    /// Everything was built anew.
    All,
}

/// Candidate lists with the paths for which they are complete.
#[derive(Clone, Debug, Default)]
pub(crate) struct Candidates<B> {
    vertices: B,
    faces: B,
    edges: B,
    all: AllBoxes,
    checked: Boxes,
    touched: Touched,
    balls: Balls,
    strays: Vec<u32>,
    /// `[vertex, face]`.
    pub(crate) point_triangles: PairList,
    /// `[edge, edge]`, ascending.
    pub(crate) edge_edges: PairList,
    size_when_built: usize,
    paths: Paths,
}

impl<B: BroadPhase> Candidates<B> {
    /// Forgets the lists, so that the next update builds them anew.
    pub(crate) fn invalidate(&mut self) {
        self.paths.forget();
    }

    fn size(&self) -> usize {
        self.point_triangles.as_slice().len() + self.edge_edges.as_slice().len()
    }

    /// Makes the lists complete for this step; `steps` and `slack` (m) say what to plan for when building anew.
    pub(crate) fn update(
        &mut self,
        surface: &Surface,
        motion: &Motion<'_>,
        steps: u32,
        slack: f32,
    ) -> Result<Updated, BoxesError> {
        if !self.paths.planned_for(surface.vertex_count()) {
            self.rebuild(surface, motion, steps, slack)?;
            return Ok(Updated::All);
        }
        self.paths.advance();
        self.paths.look(surface, motion);
        let count = surface.vertex_count();
        let astray = (0..count).any(|v| self.paths.strays(motion, v, 1.0));
        if !astray {
            return Ok(Updated::Nothing);
        }
        self.strays.clear();
        let (paths, strays) = (&self.paths, &mut self.strays);
        strays.extend((0..count as u32).filter(|&v| paths.strays(motion, v as usize, ALMOST_ASTRAY)));
        let many = strays.len() as f32 > STRAYS_FOR_REBUILD * count as f32;
        if many || self.size() > GROWTH_FOR_REBUILD * self.size_when_built + count {
            let steps = steps.min(STEPS_AHEAD);
            self.rebuild(surface, motion, steps, slack)?;
            return Ok(Updated::All);
        }
        self.refresh(surface, motion)?;
        Ok(Updated::Some)
    }

    /// Builds the lists anew.
    ///
    /// # Errors
    /// If a position or displacement is not finite; the box with the vertex's number is named.
    pub(crate) fn rebuild(
        &mut self,
        surface: &Surface,
        motion: &Motion<'_>,
        steps: u32,
        slack: f32,
    ) -> Result<(), BoxesError> {
        self.paths.plan_all(surface, motion, steps, slack);
        let count = surface.vertex_count();
        let topology = &surface.topology;
        let AllBoxes { vertices, faces, edges } = &mut self.all;
        vertices.clear();
        vertices.extend((0..count).map(|v| self.paths.swept(v, margin(surface, v))));
        faces.clear();
        faces.extend(topology.faces().iter().map(|f| hull(vertices, f)));
        edges.clear();
        edges.extend(topology.edges().iter().map(|e| hull(vertices, e)));
        self.update_trees()?;
        self.balls.fill(surface, motion, &self.paths);
        self.point_triangles.clear();
        self.edge_edges.clear();
        self.find_all(surface, motion);
        self.size_when_built = self.size();
        Ok(())
    }

    /// Gives the strays new paths and looks up what is around them.
    fn refresh(&mut self, surface: &Surface, motion: &Motion<'_>) -> Result<(), BoxesError> {
        self.touched.collect(surface, &self.strays);
        for &v in &self.strays {
            let (v, (least, most)) = (v as usize, STEPS_AFTER_STRAYING);
            let length = PATH_AFTER_STRAYING * 2.0 * margin(surface, v);
            let steps = (length / self.paths.stride(motion, v)).clamp(least, most) as u32;
            self.paths.replan(motion, v, steps);
            self.all.vertices[v] = self.paths.swept(v, margin(surface, v));
        }
        let topology = &surface.topology;
        for &f in &self.touched.faces.ids {
            self.all.faces[f as usize] = hull(&self.all.vertices, &topology.faces()[f as usize]);
        }
        for &e in &self.touched.edges.ids {
            self.all.edges[e as usize] = hull(&self.all.vertices, &topology.edges()[e as usize]);
        }
        self.update_trees()?;
        self.touched.fill(surface, &self.all)?;
        self.balls.fill(surface, motion, &self.paths);
        self.find_around_strays(surface, motion);
        Ok(())
    }

    fn update_trees(&mut self) -> Result<(), BoxesError> {
        // Vertices first: a box that is refused bears the number of its vertex.
        self.checked.refill(self.all.vertices.iter().copied())?;
        self.vertices.update(&self.checked);
        self.checked.refill(self.all.faces.iter().copied())?;
        self.faces.update(&self.checked);
        self.checked.refill(self.all.edges.iter().copied())?;
        self.edges.update(&self.checked);
        Ok(())
    }

    fn find_all(&mut self, surface: &Surface, motion: &Motion<'_>) {
        let test = Nearness { surface, motion, paths: &self.paths, balls: &self.balls };
        let (faces, edges) = (surface.topology.faces(), surface.topology.edges());
        let points = Members::Points(surface.vertex_count());
        let filter = PairFilter::no_shared_vertex(Members::Faces(faces), points).with_groups(
            &surface.face_part,
            &surface.part,
            &surface.parts_that_meet,
        );
        // The vertex boxes once more: the last set that was checked is that of the edges.
        if self.checked.refill(self.all.vertices.iter().copied()).is_ok() {
            let found = self.point_triangles.found();
            self.faces.visit_pairs_with(&self.checked, &filter, &mut |face, vertex| {
                if test.point_triangle(vertex, face) {
                    found.push([vertex, face]);
                }
            });
        }
        self.point_triangles.merge();
        let parts = (&surface.edge_part, &surface.parts_that_meet);
        let filter = PairFilter::no_shared_vertex(Members::Edges(edges), Members::Edges(edges))
            .with_groups(parts.0, parts.0, parts.1);
        let found = self.edge_edges.found();
        self.edges.visit_self_pairs(&filter, &mut |first, second| {
            if test.edge_edge(first, second) {
                found.push([first, second]);
            }
        });
        self.edge_edges.merge();
    }

    fn find_around_strays(&mut self, surface: &Surface, motion: &Motion<'_>) {
        let test = Nearness { surface, motion, paths: &self.paths, balls: &self.balls };
        let meet = &surface.parts_that_meet;
        let Touched { vertices, faces, edges } = &self.touched;
        let all_faces = Members::Faces(surface.topology.faces());
        let all_edges = Members::Edges(surface.topology.edges());

        let found = self.point_triangles.found();
        let filter = PairFilter::no_shared_vertex(all_faces, Members::Edges(&vertices.members));
        let filter = filter.with_groups(&surface.face_part, &vertices.parts, meet);
        self.faces.visit_pairs_with(&vertices.boxes, &filter, &mut |face, local| {
            let vertex = vertices.ids[local as usize];
            if test.point_triangle(vertex, face) {
                found.push([vertex, face]);
            }
        });
        let points = Members::Points(surface.vertex_count());
        let filter = PairFilter::no_shared_vertex(points, Members::Faces(&faces.members));
        let filter = filter.with_groups(&surface.part, &faces.parts, meet);
        self.vertices.visit_pairs_with(&faces.boxes, &filter, &mut |vertex, local| {
            let face = faces.ids[local as usize];
            if test.point_triangle(vertex, face) {
                found.push([vertex, face]);
            }
        });
        self.point_triangles.merge();

        let found = self.edge_edges.found();
        let filter = PairFilter::no_shared_vertex(all_edges, Members::Edges(&edges.members));
        let filter = filter.with_groups(&surface.edge_part, &edges.parts, meet);
        self.edges.visit_pairs_with(&edges.boxes, &filter, &mut |edge, local| {
            let touched = edges.ids[local as usize];
            if test.edge_edge(edge, touched) {
                found.push([edge.min(touched), edge.max(touched)]);
            }
        });
        self.edge_edges.merge();
    }
}

/// Half the reach of a vertex (m).
fn margin(surface: &Surface, v: usize) -> f32 {
    surface.radius[v] + surface.half_scr[v]
}

fn hull(boxes: &[Aabb], vertices: &[u32]) -> Aabb {
    // The boxes were checked or are about to be: of two numbers the lesser is all that is asked.
    let mut hull = boxes[vertices[0] as usize];
    for &v in &vertices[1..] {
        let other = &boxes[v as usize];
        for k in 0..3 {
            hull.min[k] = if other.min[k] < hull.min[k] { other.min[k] } else { hull.min[k] };
            hull.max[k] = if other.max[k] > hull.max[k] { other.max[k] } else { hull.max[k] };
        }
    }
    hull
}

/// Decides whether a pair whose boxes overlap is worth keeping.
struct Nearness<'a> {
    surface: &'a Surface,
    motion: &'a Motion<'a>,
    paths: &'a Paths,
    balls: &'a Balls,
}

impl Nearness<'_> {
    fn at(&self, v: u32) -> &Point3<f32> {
        &self.motion.positions[v as usize]
    }

    fn point_triangle(&self, vertex: u32, face: u32) -> bool {
        let corners = self.surface.topology.faces()[face as usize];
        if self.far_apart(
            &self.balls.vertices[vertex as usize],
            &self.balls.faces[face as usize],
            vertex,
            corners[0],
        ) {
            return false;
        }
        let [p0, p1, p2] = corners.map(|v| self.at(v));
        let p = self.at(vertex);
        let closest = point_triangle(p, [p0, p1, p2]);
        let w = closest.weights;
        let sep = p.coords - (p0.coords * w[0] + p1.coords * w[1] + p2.coords * w[2]);
        self.may_close(&sep, closest.distance_sq, &[vertex], &corners)
    }

    fn edge_edge(&self, first: u32, second: u32) -> bool {
        let [a, b] = [first, second].map(|e| self.surface.topology.edges()[e as usize]);
        if self.far_apart(&self.balls.edges[first as usize], &self.balls.edges[second as usize], a[0], b[0]) {
            return false;
        }
        let ([a0, a1], [b0, b1]) = (a.map(|v| self.at(v)), b.map(|v| self.at(v)));
        let closest = segment_segment([a0, a1], [b0, b1]);
        let sep = a0 + (a1 - a0) * closest.s - (b0 + (b1 - b0) * closest.t);
        self.may_close(&sep, closest.distance_sq, &a, &b)
    }

    /// Whether two balls stay out of reach: the cheap test that most pairs fail.
    fn far_apart(&self, a: &Ball, b: &Ball, va: u32, vb: u32) -> bool {
        let apart = a.centre - b.centre;
        let near = a.radius + b.radius + self.surface.reach(va, vb) + self.paths.drift_apart(&a.way, &b.way);
        apart.norm_squared() > near * near
    }

    /// Whether no plane across the gap (`sep`, from b to a) proves that the pair stays out of reach.
    ///
    /// Written so that a NaN keeps the pair.
    fn may_close(&self, sep: &Vector3<f32>, distance_sq: f32, a: &[u32], b: &[u32]) -> bool {
        let gap = distance_sq.sqrt();
        let open = gap - self.surface.reach(a[0], b[0]);
        let far = open > 2.0 * self.paths.slack && open >= self.paths.closing(&(sep / gap), a, b);
        !far && !self.surface.excluded(a, b)
    }
}
