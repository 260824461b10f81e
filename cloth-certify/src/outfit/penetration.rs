//! How far cloth is inside of bodies: which vertices, how deep, and how much of the area.
//!
//! Intersections say that cloth cuts a body; a cloth that is inside altogether cuts nothing. So each vertex
//! is asked for the winding number of each body ([`SurfaceTree::is_inside`]), above one half of which it is
//! inside. The depth of a point is its distance from the nearest face of that body.
//!
//! The winding number of a closed body changes only on its surface. So all that faces which meet no body join
//! is on one side of it, and one vertex is asked for all. Which vertices and faces are not deeper than what
//! is known is found out without their depth: the first face of the body that is near enough says so.
//!
//! Between its vertices a face may be deeper, as where a body stands out in the middle of a coarse one. A
//! triangle with centre `g` and radius `r` is on one side of a body if no face of it is within `r` of `g`. No
//! point of it is deeper than `depth(g) + r`, nor than a corner is far from the face that is nearest to `g`,
//! since the distance from one face is convex. Triangles are quartered where that does not decide, those
//! first that may be deepest.

use std::cmp::Ordering;
use std::collections::BinaryHeap;

use cloth_contacts::filter_map;
use cloth_geom::closest::{ERROR_IN_ROUNDOFFS, point_triangle};
use cloth_geom::{Aabb, DisjointSets, SurfaceTree, TriMesh, sorted_unique};
use nalgebra::Point3;

use super::Roles;

/// Vertices, and faces, of one task.
const AT_ONCE: usize = 256;

/// Every vertex of this number is in the first sample of those inside.
const STRIDE: usize = 64;

/// The deepest point may be deeper than that of the report by this share of its depth, and this share of the
/// size of the body: 0.02 mm of a human.
const TOLERANCES: [f64; 2] = [0.01, 1e-5];

/// How often a face that is partly inside is quartered to measure its area, at most.
const AREA_LEVELS: u32 = 5;

/// A triangle whose radius is at most this share of the size of a body, 7 mm of a human, counts as its centre
/// does.
const AREA_RADIUS: f64 = 0.004;

/// How often a face is quartered to find its deepest point, at most.
const DEPTH_LEVELS: u32 = 12;

/// Triangles that are quartered to find the deepest point of a state, at most.
const MOST_QUARTERED: usize = 4096;

/// What a body is as something to be inside of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BodySurface {
    /// Its part.
    pub part: u16,
    /// Whether it is closed, vertices at one place taken as one. In an open one, inside means what the
    /// winding number says: near a hole, as far as the hole covers less than half of the view.
    pub is_closed: bool,
    /// Whether its faces point inward; inside is inside all the same.
    pub is_turned: bool,
}

/// The deepest point of something inside of a body.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Deepest {
    /// The vertex, or the face.
    pub index: u32,
    /// The part that is the body.
    pub body: u16,
    /// Its distance (m) from the nearest face of the body.
    pub depth: f64,
    /// Where (m).
    pub position: [f64; 3],
}

/// What of cloth is inside of bodies in a state.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Penetration {
    /// The vertices of faces of cloth that are inside of a body, ascending. One that lies on the surface, but
    /// for rounding, is not.
    pub vertices: Vec<u32>,
    /// The vertex that is deepest.
    pub deepest_vertex: Option<Deepest>,
    /// The face with the deepest point that was found; others are at most 1 % and 1e-5 of the size of the
    /// body deeper.
    pub deepest_face: Option<Deepest>,
    /// Area of cloth inside (m²). Of faces that are partly inside, parts count whole that are at most 0.4 %
    /// of the size of a body, or a 1,024th of the face.
    pub area_inside: f64,
    /// Area of all cloth (m²).
    pub area: f64,
}

impl Penetration {
    /// The share of the area that is inside, from 0 to 1.
    #[must_use]
    pub fn share_inside(&self) -> f64 {
        if self.area > 0.0 { (self.area_inside / self.area).clamp(0.0, 1.0) } else { 0.0 }
    }
}

/// Finds what of cloth is inside of bodies, in one state after another; a body that stands still is prepared
/// once.
#[derive(Clone, Debug)]
pub struct PenetrationFinder {
    /// The vertices that faces of cloth use.
    vertices: Vec<u32>,
    /// The faces of cloth, by their numbers.
    faces: Vec<u32>,
    bodies: Vec<Body>,
}

/// A body, and its surface in the last state.
#[derive(Clone, Debug)]
struct Body {
    part: u16,
    faces: Vec<[u32; 3]>,
    vertices: Vec<u32>,
    /// Found in the first state.
    surface: Option<BodySurface>,
    /// Where its vertices were.
    positions: Vec<Point3<f64>>,
    tree: SurfaceTree,
    bounds: Aabb,
}

/// A point inside of a body.
#[derive(Clone, Copy)]
struct Inside {
    body: usize,
    depth: f64,
}

impl PenetrationFinder {
    /// For faces of these vertices; those of a body may be left out, and it is none then.
    #[must_use]
    pub fn new(roles: &Roles, faces: &[[u32; 3]]) -> Self {
        let used = |numbers: &[[u32; 3]]| sorted_unique(numbers.as_flattened().iter().copied());
        let of_cloth = |f: &u32| !roles.is_of_body(faces[*f as usize][0]);
        let cloth: Vec<u32> = (0..faces.len() as u32).filter(of_cloth).collect();
        let corners: Vec<[u32; 3]> = cloth.iter().map(|&f| faces[f as usize]).collect();
        let parts = (0..=u16::MAX).zip(roles.is_body()).filter(|&(_, is_body)| *is_body);
        let bodies = parts.map(|(part, _)| {
            let is_own = |face: &&[u32; 3]| roles.parts()[face[0] as usize] == part;
            let faces: Vec<[u32; 3]> = faces.iter().filter(is_own).copied().collect();
            Body::new(part, used(&faces), faces)
        });
        let bodies = bodies.filter(|body| !body.faces.is_empty()).collect();
        Self { vertices: used(&corners), faces: cloth, bodies }
    }

    /// The bodies as the last state has them; empty before the first.
    pub fn bodies(&self) -> impl Iterator<Item = BodySurface> + '_ {
        self.bodies.iter().filter_map(|body| body.surface)
    }

    /// Finds which bodies are closed and turned, in a state (m), if no state has been seen yet. For states
    /// that are judged in no order, by copies of a finder, so that this is that of one of them.
    ///
    /// # Panics
    /// If a face names no position.
    pub fn describe(&mut self, x: &[Point3<f64>]) {
        self.bodies.iter_mut().for_each(|body| _ = body.describe(x));
    }

    /// Finds what is inside in a state (m) of finite positions. `faces` are those of [`Self::new`], and
    /// `crossing` all faces of cloth that meet a body, ascending.
    ///
    /// # Panics
    /// If a face names no position.
    #[must_use]
    pub fn find(&mut self, x: &[Point3<f64>], faces: &[[u32; 3]], crossing: &[u32]) -> Penetration {
        self.bodies.iter_mut().for_each(|body| body.update(x));
        let bodies = &self.bodies;
        let triangle = |f: u32| faces[f as usize].map(|v| x[v as usize]);
        let mut found =
            Penetration { vertices: self.vertices_inside(x, faces, crossing), ..Default::default() };
        found.deepest_vertex = deepest_vertex(bodies, x, &found.vertices);
        let is_in = |v: &u32| found.vertices.binary_search(v).is_ok();
        let is_crossing = |f: u32| crossing.binary_search(&f).is_ok();
        let mut partly = Vec::new();
        for &f in &self.faces {
            let area = area(&triangle(f));
            found.area += area;
            let has_inside = !found.vertices.is_empty() && faces[f as usize].iter().any(is_in);
            if is_crossing(f) {
                partly.push(f);
            } else if has_inside {
                found.area_inside += area;
                partly.push(f);
            }
        }
        let of_vertex = found.deepest_vertex.and_then(|vertex| {
            let face = partly.iter().find(|&&f| faces[f as usize].contains(&vertex.index))?;
            Some(Deepest { index: *face, ..vertex })
        });
        let floor = search_floor(bodies, of_vertex);
        let measured = filter_map(&partly, 16, |&f| {
            let corners = triangle(f);
            let share = if is_crossing(f) { share_inside(bodies, &corners, AREA_LEVELS) } else { 0.0 };
            Some((share * area(&corners), Candidate::new(bodies, f, corners, 0, floor)))
        });
        found.area_inside += measured.iter().map(|(area, _)| area).sum::<f64>();
        let candidates = measured.into_iter().filter_map(|(_, candidate)| candidate).collect();
        found.deepest_face = deepest_face(bodies, candidates, of_vertex);
        found
    }

    /// The vertices that are inside of a body by more than rounding, ascending.
    fn vertices_inside(&self, x: &[Point3<f64>], faces: &[[u32; 3]], crossing: &[u32]) -> Vec<u32> {
        // A face that meets no body is on one side of every closed one: one of its corners stands for all.
        let mut sets = DisjointSets::new(x.len());
        for &f in self.faces.iter().filter(|f| crossing.binary_search(f).is_err()) {
            let [a, b, c] = faces[f as usize];
            sets.join(a, b);
            sets.join(b, c);
        }
        let stand_in: Vec<u32> = self.vertices.iter().map(|&v| sets.find(v)).collect();
        let stand_ins = sorted_unique(stand_in.iter().copied());
        let mut inside = Vec::new();
        for body in &self.bodies {
            let is_inside = |v: &u32| body.is_inside(&x[*v as usize]).then_some(*v);
            let found = if body.is_closed() {
                let found = filter_map(&stand_ins, AT_ONCE, is_inside);
                let is_in = |s: &u32| found.binary_search(s).is_ok();
                let of_set = |(&v, s): (&u32, &u32)| is_in(s).then_some(v);
                self.vertices.iter().zip(&stand_in).filter_map(of_set).collect()
            } else {
                filter_map(&self.vertices, AT_ONCE, is_inside)
            };
            let is_deep = |v: &u32| !body.tree.is_within(&x[*v as usize], body.rounding());
            inside.extend(filter_map(&found, AT_ONCE, |v| is_deep(v).then_some(*v)));
        }
        inside.sort_unstable();
        inside.dedup();
        inside
    }
}

impl Body {
    fn new(part: u16, vertices: Vec<u32>, faces: Vec<[u32; 3]>) -> Self {
        let (tree, bounds) = (SurfaceTree::default(), Aabb::of_points([]));
        Self { part, faces, vertices, surface: None, positions: Vec::new(), tree, bounds }
    }

    /// Takes the positions of a state.
    fn update(&mut self, x: &[Point3<f64>]) {
        let at = |v: &u32| x[*v as usize];
        let stands_still = self.positions.len() == self.vertices.len()
            && self.positions.iter().zip(&self.vertices).all(|(p, v)| *p == at(v));
        if stands_still {
            return;
        }
        self.positions = self.vertices.iter().map(at).collect();
        self.bounds = Aabb::of_points(self.positions.iter().copied());
        let surface = self.describe(x);
        let corners = |face: &[u32; 3]| face.map(|v| x[v as usize]);
        let outward = |[a, b, c]: [Point3<f64>; 3]| if surface.is_turned { [a, c, b] } else { [a, b, c] };
        self.tree = SurfaceTree::new(self.faces.iter().map(|face| outward(corners(face))));
    }

    /// What it is as a surface, found in the first state.
    fn describe(&mut self, x: &[Point3<f64>]) -> BodySurface {
        *self.surface.get_or_insert_with(|| {
            let positions = self.vertices.iter().map(|&v| x[v as usize]).collect();
            let local = |v: u32| self.vertices.binary_search(&v).map_or(0, |place| place as u32);
            let mesh = TriMesh::new(positions, self.faces.iter().map(|face| face.map(local)).collect());
            BodySurface {
                part: self.part,
                is_closed: mesh.closed().is_some(),
                is_turned: volume(&mesh) < 0.0,
            }
        })
    }

    fn size(&self) -> f64 {
        (self.bounds.max - self.bounds.min).norm()
    }

    /// Whether a point is so far off that it is not inside.
    fn is_out(&self, p: &Point3<f64>) -> bool {
        self.is_closed() && !self.bounds.contains(p)
    }

    fn is_closed(&self) -> bool {
        self.surface.is_some_and(|surface| surface.is_closed)
    }

    fn is_inside(&self, p: &Point3<f64>) -> bool {
        !self.is_out(p) && self.tree.is_inside(p)
    }

    /// No point of a triangle is deeper than this (m); none if that is at most `floor`.
    fn depth_limit(&self, corners: &[Point3<f64>; 3], floor: f64) -> Option<f64> {
        let (center, radius) = circle(corners);
        let (distance, [a, b, c]) = self.tree.nearest_beyond(&center, floor - radius)?;
        let from_face = corners.iter().map(|p| point_triangle(p, [a, b, c]).distance_sq);
        let from_face = from_face.fold(0.0, f64::max).sqrt();
        if from_face <= floor {
            return None;
        }
        let near = match self.is_inside(&center) {
            true => radius + distance,
            false => radius - distance,
        };
        Some(near.min(from_face)).filter(|&limit| limit > floor)
    }

    /// The depth (m) of a point below the surface; none if it is not inside, or not deeper than `floor`.
    fn depth_beyond(&self, p: &Point3<f64>, floor: f64) -> Option<f64> {
        if self.is_out(p) {
            return None;
        }
        let (depth, _) = self.tree.nearest_beyond(p, floor.max(self.rounding()))?;
        self.is_inside(p).then_some(depth)
    }

    /// A depth (m) that is no more than the rounding of positions.
    fn rounding(&self) -> f64 {
        f64::from(ERROR_IN_ROUNDOFFS) * 0.5 * f64::EPSILON * self.size()
    }
}

/// Six times the volume that a mesh encloses, as seen from its first vertex; negative if faces point inward.
fn volume(mesh: &TriMesh) -> f64 {
    let Some(&origin) = mesh.positions.first() else { return 0.0 };
    let part = |face: &[u32; 3]| {
        let [a, b, c] = face.map(|v| mesh.positions[v as usize] - origin);
        a.dot(&b.cross(&c))
    };
    mesh.faces.iter().map(part).sum()
}

fn area([a, b, c]: &[Point3<f64>; 3]) -> f64 {
    (b - a).cross(&(c - a)).norm() / 2.0
}

/// The body in which a point is deepest; none if it is in none, or not deeper than `floor` (m).
fn deepest_beyond(bodies: &[Body], p: &Point3<f64>, floor: f64) -> Option<Inside> {
    let mut found: Option<Inside> = None;
    for (body, b) in bodies.iter().enumerate() {
        let floor = found.map_or(floor, |found| found.depth);
        found = b.depth_beyond(p, floor).map(|depth| Inside { body, depth }).or(found);
    }
    found
}

/// The deepest of these vertices. Some from everywhere come first: what is not deeper than those is found out
/// soon.
fn deepest_vertex(bodies: &[Body], x: &[Point3<f64>], vertices: &[u32]) -> Option<Deepest> {
    let scattered = (0..STRIDE).flat_map(|first| vertices.iter().skip(first).step_by(STRIDE));
    scattered.fold(None, |best: Option<Deepest>, &index| {
        let p = &x[index as usize];
        let found = deepest_beyond(bodies, p, best.map_or(0.0, |best| best.depth));
        let position = p.coords.into();
        found
            .map(|Inside { body, depth }| Deepest { index, body: bodies[body].part, depth, position })
            .or(best)
    })
}

/// What is not deeper than this (m) is not searched for, if this is the deepest that is known.
fn search_floor(bodies: &[Body], best: Option<Deepest>) -> f64 {
    let size = bodies.iter().map(Body::size).fold(0.0, f64::max);
    best.map_or(0.0, |best| best.depth) * (1.0 + TOLERANCES[0]) + TOLERANCES[1] * size
}

/// The centre of a triangle, and the distance of its farthest corner.
fn circle([a, b, c]: &[Point3<f64>; 3]) -> (Point3<f64>, f64) {
    let center = Point3::from((a.coords + b.coords + c.coords) / 3.0);
    (center, [a, b, c].iter().map(|p| (*p - center).norm_squared()).fold(0.0, f64::max).sqrt())
}

fn quarters([a, b, c]: &[Point3<f64>; 3]) -> [[Point3<f64>; 3]; 4] {
    let [ab, bc, ca] = [(a, b), (b, c), (c, a)].map(|(p, q)| nalgebra::center(p, q));
    [[*a, ab, ca], [ab, *b, bc], [ca, bc, *c], [ab, bc, ca]]
}

/// The share of a triangle that is inside of a body.
fn share_inside(bodies: &[Body], corners: &[Point3<f64>; 3], levels: u32) -> f64 {
    let (center, radius) = circle(corners);
    let is_near = |body: &Body| body.tree.is_within(&center, radius);
    let is_small = bodies.iter().any(|body| radius <= AREA_RADIUS * body.size());
    if levels == 0 || is_small || !bodies.iter().any(is_near) {
        // What lies on the surface is not inside.
        let is_in = |body: &Body| body.is_inside(&center) && !body.tree.is_within(&center, body.rounding());
        return f64::from(u8::from(bodies.iter().any(is_in)));
    }
    quarters(corners).iter().map(|part| share_inside(bodies, part, levels - 1)).sum::<f64>() / 4.0
}

/// A part of a face, by how deep it may be.
struct Candidate {
    /// No point of it is deeper (m).
    limit: f64,
    face: u32,
    corners: [Point3<f64>; 3],
    level: u32,
}

impl Candidate {
    /// None if no point of it is deeper than `floor` (m).
    fn new(bodies: &[Body], face: u32, corners: [Point3<f64>; 3], level: u32, floor: f64) -> Option<Self> {
        let limits = bodies.iter().filter_map(|body| body.depth_limit(&corners, floor));
        Some(Self { limit: limits.reduce(f64::max)?, face, corners, level })
    }
}

impl Ord for Candidate {
    fn cmp(&self, other: &Self) -> Ordering {
        // Of equal ones the first face, so that the order of the heap does not matter.
        self.limit.total_cmp(&other.limit).then(other.face.cmp(&self.face))
    }
}

impl PartialOrd for Candidate {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Candidate {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl Eq for Candidate {}

/// The face with the deepest point: parts are quartered while they may be deeper than what was found, at
/// first `best`.
fn deepest_face(bodies: &[Body], faces: Vec<Candidate>, mut best: Option<Deepest>) -> Option<Deepest> {
    let mut heap = BinaryHeap::from(faces);
    for _ in 0..MOST_QUARTERED {
        let Some(Candidate { limit, face, corners, level }) = heap.pop() else { break };
        if limit <= search_floor(bodies, best) {
            break;
        }
        let (center, _) = circle(&corners);
        let known = best.map_or(0.0, |best| best.depth);
        if let Some(Inside { body, depth }) = deepest_beyond(bodies, &center, known) {
            let (body, position) = (bodies[body].part, center.coords.into());
            best = Some(Deepest { index: face, body, depth, position });
        }
        if level < DEPTH_LEVELS {
            let floor = search_floor(bodies, best);
            let parts = quarters(&corners).into_iter();
            heap.extend(parts.filter_map(|part| Candidate::new(bodies, face, part, level + 1, floor)));
        }
    }
    best
}
