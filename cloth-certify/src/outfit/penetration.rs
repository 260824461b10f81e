//! How far cloth is inside of bodies: which vertices, how deep, and how much of the area.
//!
//! Intersections say that cloth cuts a body; a cloth that is inside altogether cuts nothing. So each vertex is
//! asked for the winding number of each body ([`SurfaceTree::is_inside`]), above one half of which it is
//! inside. The depth of a point is its distance from the nearest face of that body.
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
use cloth_geom::{Aabb, SurfaceTree, TriMesh};
use nalgebra::Point3;

use super::Roles;

/// Vertices, and faces, of one task.
const AT_ONCE: usize = 256;

/// The deepest point may be deeper than that of the report by this share of its depth, and this share of the
/// size of the body: 0.02 mm of a human.
const TOLERANCES: [f64; 2] = [0.01, 1e-5];

/// How often a face that is partly inside is quartered to measure its area: into at most 64 triangles, each
/// of which counts as its centre does.
const AREA_LEVELS: u32 = 3;

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
    /// Area of cloth inside (m²), to a 64th of each face that is partly inside.
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
        let used = |numbers: &[[u32; 3]]| {
            let mut vertices = numbers.as_flattened().to_vec();
            vertices.sort_unstable();
            vertices.dedup();
            vertices
        };
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

    /// Finds which bodies are closed and turned, in a state (m), if no state has been seen yet.
    pub(super) fn describe(&mut self, x: &[Point3<f64>]) {
        self.bodies.iter_mut().for_each(|body| _ = body.describe(x));
    }

    /// Finds what is inside in a state (m) of finite positions. `faces` are those of [`Self::new`], and
    /// `crossing` the faces of cloth that meet a body, ascending.
    ///
    /// # Panics
    /// If a face names no position.
    #[must_use]
    pub fn find(&mut self, x: &[Point3<f64>], faces: &[[u32; 3]], crossing: &[u32]) -> Penetration {
        self.bodies.iter_mut().for_each(|body| body.update(x));
        let bodies = &self.bodies;
        let triangle = |f: u32| faces[f as usize].map(|v| x[v as usize]);
        let inside = filter_map(&self.vertices, AT_ONCE, |&v| {
            deepest_at(bodies, &x[v as usize]).map(|inside| (v, inside))
        });
        let mut found =
            Penetration { vertices: inside.iter().map(|&(v, _)| v).collect(), ..Default::default() };
        let deepest = inside.iter().copied().reduce(|a, b| if b.1.depth > a.1.depth { b } else { a });
        found.deepest_vertex = deepest.map(|(index, Inside { body, depth })| Deepest {
            index,
            body: bodies[body].part,
            depth,
            position: x[index as usize].coords.into(),
        });
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
        let measured = filter_map(&partly, 16, |&f| {
            let corners = triangle(f);
            let share = if is_crossing(f) { share_inside(bodies, &corners, AREA_LEVELS) } else { 0.0 };
            Some((share * area(&corners), Candidate::new(bodies, f, corners, 0)))
        });
        found.area_inside += measured.iter().map(|(area, _)| area).sum::<f64>();
        let of_vertex = found.deepest_vertex.and_then(|vertex| {
            let face = partly.iter().find(|&&f| faces[f as usize].contains(&vertex.index))?;
            Some(Deepest { index: *face, ..vertex })
        });
        let candidates = measured.into_iter().map(|(_, candidate)| candidate).collect();
        found.deepest_face = deepest_face(bodies, candidates, of_vertex);
        found
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

    fn is_inside(&self, p: &Point3<f64>) -> bool {
        let is_out = self.surface.is_some_and(|surface| surface.is_closed) && !self.bounds.contains(p);
        !is_out && self.tree.is_inside(p)
    }

    /// No point of a triangle is deeper than this (m); negative if all of it is outside.
    fn depth_limit(&self, corners: &[Point3<f64>; 3]) -> f64 {
        let (center, radius) = circle(corners);
        let Some((distance, [a, b, c])) = self.tree.nearest(&center) else { return f64::NEG_INFINITY };
        let near = match self.is_inside(&center) {
            true => radius + distance,
            false => radius - distance,
        };
        let from_face = corners.iter().map(|p| point_triangle(p, [a, b, c]).distance_sq);
        near.min(from_face.fold(0.0, f64::max).sqrt())
    }

    /// The depth (m) of a point below the surface; none if it is not inside.
    fn depth(&self, p: &Point3<f64>) -> Option<f64> {
        let rounding = f64::from(ERROR_IN_ROUNDOFFS) * 0.5 * f64::EPSILON * self.size();
        let depth = || self.tree.distance(p);
        self.is_inside(p).then(depth).filter(|&depth| depth > rounding)
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

/// The body in which a point is deepest.
fn deepest_at(bodies: &[Body], p: &Point3<f64>) -> Option<Inside> {
    let inside = bodies.iter().enumerate().filter_map(|(body, b)| Some(Inside { body, depth: b.depth(p)? }));
    inside.reduce(|a, b| if b.depth > a.depth { b } else { a })
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
    let is_decided = levels == 0 || bodies.iter().all(|body| body.tree.distance(&center) > radius);
    if is_decided {
        return f64::from(u8::from(bodies.iter().any(|body| body.is_inside(&center))));
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
    fn new(bodies: &[Body], face: u32, corners: [Point3<f64>; 3], level: u32) -> Self {
        let limit = bodies.iter().map(|body| body.depth_limit(&corners)).fold(f64::NEG_INFINITY, f64::max);
        Self { limit, face, corners, level }
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
    let size = bodies.iter().map(Body::size).fold(0.0, f64::max);
    for _ in 0..MOST_QUARTERED {
        let Some(Candidate { limit, face, corners, level }) = heap.pop() else { break };
        let known = best.map_or(0.0, |best| best.depth);
        if limit <= known * (1.0 + TOLERANCES[0]) + TOLERANCES[1] * size {
            break;
        }
        let (center, _) = circle(&corners);
        if let Some(Inside { body, depth }) = deepest_at(bodies, &center).filter(|i| i.depth > known) {
            let (body, position) = (bodies[body].part, center.coords.into());
            best = Some(Deepest { index: face, body, depth, position });
        }
        if level < DEPTH_LEVELS {
            heap.extend(quarters(&corners).map(|part| Candidate::new(bodies, face, part, level + 1)));
        }
    }
    best
}
