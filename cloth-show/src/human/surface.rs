//! The surface of a body as a closed mesh: a net over the cells of a lattice, smoothed on the surface.
//!
//! Surface nets (Gibson 1998, "Constrained elastic surface nets"): every cell of the lattice that the surface
//! crosses has one vertex, and every edge of the lattice that it crosses has a quad of the four cells around
//! it. The vertices then move to the middle of their neighbours and back to the surface along its gradient, a
//! few times, which evens the triangles out.

use std::collections::BTreeMap;

use cloth_geom::TriMesh;
use nalgebra::{Point3, Vector3};

use super::shape::Body;

/// Rounds of smoothing, and the share of the way to the middle of the neighbours in each.
const ROUNDS: usize = 8;
const SHARE: f64 = 0.6;
/// Where the nodes lie between multiples of the cell. Arms at 45 degrees, seen along z, are checkerboards
/// where the lattice hits their back in passing, and four quads would meet in one edge there; a test has that
/// this does not happen.
const OFFSET: [f64; 3] = [0.5, 0.6, 0.5];
/// Steps back to the surface after each round: Newton's method, whose error after two is below a micrometre.
const STEPS: usize = 2;

/// The surface of a body with vertices about `cell` (m) apart, faces counter-clockwise seen from outside.
pub(super) fn mesh(body: &Body, cell: f64) -> TriMesh {
    mesh_at(body, cell, OFFSET)
}

/// The same with the nodes of the lattice between other multiples of the cell.
pub(super) fn mesh_at(body: &Body, cell: f64, offset: [f64; 3]) -> TriMesh {
    let net = Net::new(body, cell, offset);
    let (mut positions, quads) = net.quads();
    smooth(body, &mut positions, &quads);
    let faces = quads.iter().flat_map(|quad| split(&positions, quad)).collect();
    TriMesh::new(positions, faces)
}

/// Distances at the nodes of a lattice.
struct Net {
    /// Node (0, 0, 0) (m); symmetric about x = 0.
    origin: Point3<f64>,
    cell: f64,
    counts: [usize; 3],
    distances: Vec<f64>,
}

impl Net {
    fn new(body: &Body, cell: f64, offset: [f64; 3]) -> Self {
        let [low, high] = body.bounds();
        // Symmetric about x = 0: nodes lie at odd multiples of half a cell.
        let first = Point3::from(offset.map(|part| part * cell))
            + low.coords.map(|c| ((c / cell).floor() - 1.0) * cell);
        let count = |k: usize| ((high[k] - first[k]) / cell).ceil() as usize + 2;
        let counts = [0, 1, 2].map(count);
        let mut net = Self { origin: first, cell, counts, distances: Vec::new() };
        let nodes = counts.iter().product();
        net.distances = (0..nodes).map(|node| body.distance(&net.place(node))).collect();
        net
    }

    fn place(&self, node: usize) -> Point3<f64> {
        let [nx, ny, _] = self.counts;
        let index = [node % nx, node / nx % ny, node / (nx * ny)];
        self.origin + Vector3::from_fn(|k, _| index[k] as f64 * self.cell)
    }

    /// Steps to the next node along each axis.
    fn strides(&self) -> [usize; 3] {
        [1, self.counts[0], self.counts[0] * self.counts[1]]
    }

    fn is_inside(&self, node: usize) -> bool {
        self.distances[node] < 0.0
    }

    /// Vertices, and quads of them, counter-clockwise seen from outside.
    fn quads(&self) -> (Vec<Point3<f64>>, Vec<[u32; 4]>) {
        let strides = self.strides();
        let mut vertices = BTreeMap::new();
        let mut positions = Vec::new();
        let mut quads = Vec::new();
        for node in 0..self.distances.len() {
            for axis in 0..3 {
                let Some(&end) = self.distances.get(node + strides[axis]) else { continue };
                if self.is_inside(node) == (end < 0.0) {
                    continue;
                }
                // The cells around the edge, in the sense of rotation about its axis; the body ends well
                // inside of the lattice.
                let [u, v] = [strides[(axis + 1) % 3], strides[(axis + 2) % 3]];
                let mut quad = [node - u - v, node - v, node, node - u].map(|cell| {
                    *vertices.entry(cell).or_insert_with(|| {
                        positions.push(self.crossing(cell));
                        positions.len() as u32 - 1
                    })
                });
                if !self.is_inside(node) {
                    quad.reverse();
                }
                quads.push(quad);
            }
        }
        (positions, quads)
    }

    /// The mean of the places at which the surface crosses the edges of a cell, named by its lowest node.
    fn crossing(&self, cell: usize) -> Point3<f64> {
        let strides = self.strides();
        let (mut sum, mut count) = (Vector3::zeros(), 0.0);
        for axis in 0..3 {
            let [u, v] = [strides[(axis + 1) % 3], strides[(axis + 2) % 3]];
            for from in [cell, cell + u, cell + v, cell + u + v] {
                let [a, b] = [from, from + strides[axis]].map(|node| self.distances[node]);
                if (a < 0.0) != (b < 0.0) {
                    let mut place = self.place(from).coords;
                    place[axis] += a / (a - b) * self.cell;
                    sum += place;
                    count += 1.0;
                }
            }
        }
        Point3::from(sum / count)
    }
}

/// Moves every vertex towards the middle of its neighbours and back to the surface.
fn smooth(body: &Body, positions: &mut [Point3<f64>], quads: &[[u32; 4]]) {
    for _ in 0..ROUNDS {
        let mut sums = vec![(Vector3::zeros(), 0.0); positions.len()];
        for quad in quads {
            for k in 0..4 {
                // Every edge is in two quads, once in each direction.
                let [a, b] = [quad[k], quad[(k + 1) % 4]].map(|v| v as usize);
                sums[a].0 += positions[b].coords;
                sums[a].1 += 1.0;
            }
        }
        for (p, (sum, count)) in positions.iter_mut().zip(sums) {
            *p += (sum / count - p.coords) * SHARE;
            for _ in 0..STEPS {
                let gradient = body.gradient(p);
                *p -= gradient * (body.distance(p) / gradient.norm_squared().max(0.25));
            }
        }
    }
}

/// The two triangles of a quad, along its shorter diagonal.
fn split(positions: &[Point3<f64>], &[a, b, c, d]: &[u32; 4]) -> [[u32; 3]; 2] {
    let length = |a: u32, b: u32| (positions[b as usize] - positions[a as usize]).norm_squared();
    if length(a, c) <= length(b, d) { [[a, b, c], [a, c, d]] } else { [[a, b, d], [b, c, d]] }
}
