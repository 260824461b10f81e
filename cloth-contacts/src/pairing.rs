//! The primitive pairs between two patches that may be near: first what lies near the other patch, then pair by pair.
//!
//! ```text
//!    patch a            patch b
//!   . . . . x x | x x . . . . .      x: near the other one's box, and near it along the line of centres
//! ```

use nalgebra::Point3;
use wide::f32x8;

use crate::outlines::{EdgeOutline, FaceOutline, Outlines, edges_apart, point_apart};
use crate::stride::Extent;
use crate::{Motion, Surface};

/// How many balls are compared at once.
const LANES: usize = 8;

#[derive(Clone, Copy, Debug)]
struct Edge {
    id: u32,
    ends: [u32; 2],
    outline: EdgeOutline,
}

#[derive(Clone, Copy, Debug)]
struct Face {
    id: u32,
    corners: [u32; 3],
    outline: FaceOutline,
}

#[derive(Clone, Copy, Debug)]
struct Vertex {
    id: u32,
    at: Point3<f32>,
}

/// Eight balls.
#[derive(Clone, Copy, Debug)]
struct Balls {
    centre: [f32x8; 3],
    radius: f32x8,
}

impl Balls {
    /// Of the first eight that are given; lanes without one are NaN, which is within no reach, not even an infinite one.
    fn new(balls: impl Iterator<Item = (Point3<f32>, f32)>) -> Self {
        let (mut centre, mut radius) = ([[f32::NAN; LANES]; 3], [0.0; LANES]);
        for (lane, (c, r)) in balls.take(LANES).enumerate() {
            (0..3).for_each(|k| centre[k][lane] = c[k]);
            radius[lane] = r;
        }
        Self { centre: centre.map(f32x8::new), radius: f32x8::new(radius) }
    }

    /// A bit for each ball within `near` (m) of a point.
    #[inline]
    fn within(&self, point: &Point3<f32>, near: f32) -> u32 {
        let [x, y, z] = [0, 1, 2].map(|k| self.centre[k] - f32x8::splat(point[k]));
        let near = self.radius + f32x8::splat(near);
        (x * x + y * y + z * z).simd_le(near * near).to_bitmask()
    }
}

/// What one patch has near the other.
#[derive(Clone, Debug, Default)]
struct Side {
    vertices: Vec<Vertex>,
    edges: Vec<Edge>,
    faces: Vec<Face>,
    vertex_balls: Vec<Balls>,
    edge_balls: Vec<Balls>,
}

impl Side {
    /// Takes what of a patch is `near`, which is told the centre and the radius of a ball.
    fn choose(
        &mut self,
        surface: &Surface,
        motion: &Motion<'_>,
        outlines: &Outlines,
        patch: u32,
        near: impl Fn(&Point3<f32>, f32) -> bool,
    ) {
        let (patches, topology) = (&surface.patches, &surface.topology);
        self.vertices.clear();
        let vertices = patches.vertices.row(patch).iter();
        let vertices = vertices.map(|&id| Vertex { id, at: motion.positions[id as usize] });
        self.vertices.extend(vertices.filter(|v| near(&v.at, 0.0)));
        self.edges.clear();
        let edges = patches.edges.row(patch).iter().zip(outlines.edges(patches, patch));
        let edges = edges.filter(|(_, outline)| near(&outline.centre, outline.radius));
        let edge = |(&id, &outline)| Edge { id, ends: topology.edges()[id as usize], outline };
        self.edges.extend(edges.map(edge));
        self.faces.clear();
        let faces = patches.faces.row(patch).iter().zip(outlines.faces(patches, patch));
        let faces = faces.filter(|(_, outline)| near(&outline.centre, outline.radius));
        let face = |(&id, &outline)| Face { id, corners: topology.faces()[id as usize], outline };
        self.faces.extend(faces.map(face));

        let of_vertices = |chunk: &[Vertex]| Balls::new(chunk.iter().map(|v| (v.at, 0.0)));
        self.vertex_balls.clear();
        self.vertex_balls.extend(self.vertices.chunks(LANES).map(of_vertices));
        let of_edges =
            |chunk: &[Edge]| Balls::new(chunk.iter().map(|e| (e.outline.centre, e.outline.radius)));
        self.edge_balls.clear();
        self.edge_balls.extend(self.edges.chunks(LANES).map(of_edges));
    }
}

/// The primitives of two patches that lie near each other.
#[derive(Clone, Debug, Default)]
pub(crate) struct Pairing {
    a: Side,
    b: Side,
    same: bool,
}

impl Pairing {
    /// Chooses what of each patch lies within `within` (m) of the other one's box. The outlines of both must be made.
    pub(crate) fn choose(
        &mut self,
        surface: &Surface,
        motion: &Motion<'_>,
        outlines: &Outlines,
        [a, b]: [u32; 2],
        boxes: [&Extent; 2],
        within: f32,
    ) {
        self.same = a == b;
        if self.same {
            self.a.choose(surface, motion, outlines, a, |_, _| true);
            return;
        }
        let origin = Point3::from(boxes[0].middle());
        let line = (boxes[1].middle() - origin.coords).normalize();
        let along = |p: &Point3<f32>| line.dot(&(p - origin));
        let places = |patch: u32| {
            surface.patches.corners.row(patch).iter().map(|&v| along(&motion.positions[v as usize]))
        };
        // Of a line without direction all places are NaN, and nothing is left out.
        let (begin_b, end_a) =
            (places(b).fold(f32::INFINITY, f32::min), places(a).fold(f32::NEG_INFINITY, f32::max));
        let by_box =
            |extent: &Extent, centre: &Point3<f32>, near: f32| extent.distance_sq(centre) <= near * near;
        self.a.choose(surface, motion, outlines, a, |centre, radius| {
            let near = radius + within;
            let before = along(centre) + near < begin_b;
            !before && by_box(boxes[1], centre, near)
        });
        self.b.choose(surface, motion, outlines, b, |centre, radius| {
            let near = radius + within;
            let behind = along(centre) - near > end_a;
            !behind && by_box(boxes[0], centre, near)
        });
    }

    /// Visits each `[vertex, face]` that may be within `within` (m), with a lower bound of the distance (m).
    pub(crate) fn point_triangles(
        &self,
        surface: &Surface,
        within: f32,
        visit: &mut impl FnMut([u32; 2], f32),
    ) {
        if self.same {
            point_triangles(surface, &self.a, &self.a, within, visit);
        } else {
            point_triangles(surface, &self.a, &self.b, within, visit);
            point_triangles(surface, &self.b, &self.a, within, visit);
        }
    }

    /// Visits each `[edge, edge]`, ascending, that may be within `within` (m), with a lower bound of the distance (m).
    pub(crate) fn edge_edges(&self, surface: &Surface, within: f32, visit: &mut impl FnMut([u32; 2], f32)) {
        let others = if self.same { &self.a } else { &self.b };
        for (place, edge) in self.a.edges.iter().enumerate() {
            let first = if self.same { place + 1 } else { 0 };
            let outline = &edge.outline;
            let near = outline.radius + within;
            for_each_within(&others.edge_balls, &outline.centre, near, first, |other| {
                let other = &others.edges[other];
                if let Some(bound) = edges_apart(outline, &other.outline, within) {
                    let share = edge.ends.iter().any(|end| other.ends.contains(end));
                    if !share && !surface.excluded(&edge.ends, &other.ends) {
                        visit([edge.id.min(other.id), edge.id.max(other.id)], bound);
                    }
                }
            });
        }
    }
}

/// Visits the place of each ball from `first` on that is within `near` (m) of a point.
#[inline]
fn for_each_within(
    balls: &[Balls],
    point: &Point3<f32>,
    near: f32,
    first: usize,
    mut visit: impl FnMut(usize),
) {
    for (chunk, balls) in balls.iter().enumerate().skip(first / LANES) {
        let mut bits = balls.within(point, near);
        if chunk == first / LANES {
            bits &= u32::MAX << (first % LANES);
        }
        while bits != 0 {
            visit(chunk * LANES + bits.trailing_zeros() as usize);
            bits &= bits - 1;
        }
    }
}

fn point_triangles(
    surface: &Surface,
    points: &Side,
    faces: &Side,
    within: f32,
    visit: &mut impl FnMut([u32; 2], f32),
) {
    for face in &faces.faces {
        let near = face.outline.radius + within;
        for_each_within(&points.vertex_balls, &face.outline.centre, near, 0, |vertex| {
            let Vertex { id, at } = points.vertices[vertex];
            if let Some(bound) = point_apart(&at, &face.outline, within)
                && !face.corners.contains(&id)
                && !surface.excluded(&[id], &face.corners)
            {
                visit([id, face.id], bound);
            }
        });
    }
}
