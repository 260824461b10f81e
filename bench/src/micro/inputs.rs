//! Inputs of queries. Coordinates are exact in `f32`, so that libraries in single precision get the same
//! primitives; but for those of predicates, whose implementations all take `f64`.

use cloth_ccd::Query;
use nalgebra::{Point3, Vector3};
use rand_pcg::Pcg64Mcg;
use rand_pcg::rand_core::{Rng, SeedableRng};

/// Pseudorandom numbers, the same on every machine.
struct Random(Pcg64Mcg);

impl Random {
    /// Uniform in [-1, 1), exact in `f32`.
    fn number(&mut self) -> f64 {
        f64::from(self.0.next_u32() >> 8) / f64::from(1 << 23) - 1.0
    }

    /// A point in a cube of half this size, rounded to `f32`.
    fn point(&mut self, half: f64) -> Point3<f64> {
        rounded(Point3::new(self.number(), self.number(), self.number()) * half)
    }
}

/// Some inputs from a seed.
fn generated<T>(seed: u64, count: usize, mut make: impl FnMut(&mut Random) -> T) -> Vec<T> {
    let mut random = Random(Pcg64Mcg::seed_from_u64(seed));
    (0..count).map(|_| make(&mut random)).collect()
}

/// A point rounded to `f32`.
fn rounded(p: Point3<f64>) -> Point3<f64> {
    p.map(|c| f64::from(c as f32))
}

/// Names of the kinds of inputs of kernels.
pub(super) const KINDS: [&str; 2] = ["random", "near-degenerate"];

/// Four points: a point and a triangle, or two segments, or a segment and half a triangle; see [`five`].
pub(super) type Four = [Point3<f64>; 4];

/// Four points each, in a cube of 2 m (`random`); or the last two nearly on the line through the first two
/// (`near-degenerate`).
pub(super) fn four(kind: &str, count: usize) -> Vec<Four> {
    generated(4, count, |random| {
        let [a, b] = [random.point(1.0), random.point(1.0)];
        if kind == KINDS[0] {
            return [a, b, random.point(1.0), random.point(1.0)];
        }
        let mut near = || {
            let (along, off) = (0.5 + 0.6 * random.number(), random.point(1e-5).coords);
            rounded(a + (b - a) * along + off)
        };
        let [c, d] = [near(), near()];
        [a, b, c, d]
    })
}

/// Random points; or four that are coplanar up to the rounding of `f64`: the last is a combination of the
/// others.
pub(super) fn coplanar(kind: &str, count: usize) -> Vec<Four> {
    generated(5, count, |random| {
        let [a, b, c] = [random.point(1.0), random.point(1.0), random.point(1.0)];
        let d = if kind == KINDS[0] {
            random.point(1.0)
        } else {
            a + (b - a) * random.number() + (c - a) * random.number()
        };
        [a, b, c, d]
    })
}

/// A segment (first two points) and a triangle.
pub(super) type Five = [Point3<f64>; 5];

/// Random ones; or segments that end nearly or exactly in the plane of the triangle, or pass its corners and
/// edges.
pub(super) fn five(kind: &str, count: usize) -> Vec<Five> {
    generated(6, count, |random| {
        let triangle @ [a, b, c] = [random.point(1.0), random.point(1.0), random.point(1.0)];
        let [p, q] = if kind == KINDS[0] {
            [random.point(1.0), random.point(1.0)]
        } else {
            // Through a point of an edge, or ending on the face.
            let on_edge = a + (b - a) * (0.5 + 0.5 * random.number());
            let on_face = on_edge + (c - on_edge) * (0.25 + 0.25 * random.number());
            let p = random.point(1.0);
            let through = if random.number() > 0.0 { on_edge + (on_edge - p) } else { on_face };
            [p, rounded(through)]
        };
        [p, q, triangle[0], triangle[1], triangle[2]]
    })
}

/// Sets of queries for CCD: the name, and whether each primitive moves without being deformed.
pub(super) const MOTIONS: [(&str, bool); 3] =
    [("deforming point-triangle", false), ("deforming edge-edge", false), ("translating edge-edge", true)];

/// Two primitives of about 10 mm that move by about as much, so that some of them collide.
pub(super) fn motions(name: &str, count: usize) -> Vec<Query> {
    generated(7, count, |random| {
        let size = 0.01;
        let start: Four = std::array::from_fn(|_| random.point(size));
        let by: [Vector3<f64>; 4] = match name {
            "translating edge-edge" => {
                let [first, second] = [random.point(size).coords, random.point(size).coords];
                [first, first, second, second]
            }
            _ => std::array::from_fn(|_| random.point(size).coords),
        };
        let end: Four = std::array::from_fn(|k| rounded(start[k] + by[k]));
        if name == "deforming point-triangle" {
            Query::point_triangle(start, end)
        } else {
            Query::edge_edge(start, end)
        }
    })
}
