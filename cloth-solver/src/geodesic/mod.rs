//! Geodesic distances over the rest shape: shortest paths in a graph of straight lines, never shorter than
//! the geodesic.
//!
//! A shortest path along edges alone is up to 41 % too long on a regular grid, against its diagonals. So the
//! graph also has straight lines from a vertex across a strip of unfolded faces to the vertex at its end.
//!
//! ```text
//!        r           s to r: over the edge (p q), as the strip s p q, q p r lies flat.
//!       /|\          It counts only if it crosses the strip inside; else it would leave the
//!      p-+-q         cloth, and be too short.
//!       \|/
//!        s
//! ```
//!
//! Every line lies on the cloth, so a path is never shorter than the geodesic; a path around a hole or along
//! a concave border bends at vertices, as the geodesic does. `docs/design/controls.md` has the errors on
//! grids.
//!
//! Lengths are rounded up to `f32`, their sums are of `f64`.

mod nearest;
mod strips;

use cloth_geom::Topology;

use crate::Stitch;
use crate::rest::RestGeometry;

pub(crate) use nearest::nearest;

/// Straight lines between the vertices of one cloth, as a graph.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct GeodesicGraph {
    /// Offset of the lines of each vertex, and the end.
    starts: Vec<u32>,
    /// Target vertex and length (m).
    neighbours: Vec<(u32, f32)>,
}

impl GeodesicGraph {
    /// The graph of edges, straight lines across at most `hinges` hinges, and stitches, which have no length.
    pub(crate) fn new(topology: &Topology, rest: &RestGeometry, stitches: &[Stitch], hinges: u32) -> Self {
        let mut all: Vec<[u32; 2]> = Vec::new();
        let mut lengths: Vec<f32> = Vec::new();
        let mut add = |from: u32, to: u32, length: f64| {
            all.push([from, to]);
            lengths.push(rounded_up(length));
        };
        for (e, &[a, b]) in topology.edges().iter().enumerate() {
            let length = edge_length(topology, rest, e);
            add(a, b, length);
            add(b, a, length);
        }
        for s in stitches {
            let edge = topology.edge_between(s.edge[0], s.edge[1]);
            let length = edge.map_or(0.0, |e| edge_length(topology, rest, e as usize));
            for (to, share) in [(s.edge[0], s.ratio), (s.edge[1], 1.0 - s.ratio)] {
                // Without an edge, only a stitch at one of the two vertices connects.
                if edge.is_some() || share == 0.0 || s.edge[0] == s.edge[1] {
                    add(s.vertex, to, length * f64::from(share));
                    add(to, s.vertex, length * f64::from(share));
                }
            }
        }
        for from in 0..topology.vertex_count() as u32 {
            strips::across(topology, rest, from, hinges, |to, length| add(from, to, length));
        }
        Self::group(topology.vertex_count(), &all, &lengths)
    }

    fn group(count: usize, pairs: &[[u32; 2]], lengths: &[f32]) -> Self {
        let mut starts = vec![0u32; count + 1];
        for &[from, _] in pairs {
            starts[from as usize + 1] += 1;
        }
        for v in 0..count {
            starts[v + 1] += starts[v];
        }
        let mut next = starts.clone();
        let mut neighbours = vec![(0, 0.0); pairs.len()];
        for (&[from, to], &length) in pairs.iter().zip(lengths) {
            let slot = &mut next[from as usize];
            neighbours[*slot as usize] = (to, length);
            *slot += 1;
        }
        Self { starts, neighbours }
    }

    /// Number of vertices.
    pub(crate) fn vertex_count(&self) -> usize {
        self.starts.len().saturating_sub(1)
    }

    /// The lines from a vertex.
    pub(crate) fn neighbours(&self, vertex: u32) -> &[(u32, f32)] {
        let v = vertex as usize;
        &self.neighbours[self.starts[v] as usize..self.starts[v + 1] as usize]
    }
}

/// Rest length of an edge (m): the mean over its faces, as for its spring.
fn edge_length(topology: &Topology, rest: &RestGeometry, edge: usize) -> f64 {
    let faces = topology.edge_faces(edge);
    let length = |face: &u32| {
        let k = (0..3).find(|&k| topology.face_edges()[*face as usize][k] == edge as u32).unwrap_or(0);
        let [x, y] = rest.edge(*face, k).map(f64::from);
        x.hypot(y)
    };
    faces.iter().map(length).sum::<f64>() / faces.len() as f64
}

/// The nearest `f32` that is not below.
pub(crate) fn rounded_up(length: f64) -> f32 {
    let near = length as f32;
    if f64::from(near) < length { near.next_up() } else { near }
}

#[cfg(test)]
mod tests;
