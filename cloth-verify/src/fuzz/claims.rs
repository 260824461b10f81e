//! Which intersections of a start may stay for a while: the judge's own book, kept apart from the gate's.
//!
//! A tangle is a contour of the start with all that is within the gate's promise around it. It is over with the first frame
//! in which nothing of it intersects, and from then on its pairs must keep apart like all others. A body that the gate
//! lets go of changes the promise; then the book is the gate's, as it stood before the frame.

use cloth_contacts::gate::RINGS;
use cloth_contacts::tangle::{inside, rings, trace};
use cloth_geom::Topology;

/// The two sets of vertices of each tangle, ascending.
#[derive(Default)]
pub(super) struct Claims {
    tangles: Vec<[Vec<u32>; 2]>,
}

impl Claims {
    /// From the intersections `[edge, face]` of a start.
    pub(super) fn of(hits: &[[u32; 2]], topology: &Topology) -> Self {
        let sides = |contour: &cloth_contacts::tangle::Contour| {
            let mut sides = contour.vertex_sets(topology, RINGS);
            for (side, part) in sides.iter_mut().zip(inside(contour, topology)) {
                side.extend(part.into_iter().flatten());
                side.sort_unstable();
                side.dedup();
            }
            sides
        };
        let mut claims = Self { tangles: trace(hits, topology).iter().map(sides).collect() };
        for &hit in hits {
            if !claims.allows_hit(hit, topology) {
                let [e, f] = hit;
                let seeds = [&topology.edges()[e as usize][..], &topology.faces()[f as usize][..]];
                claims.tangles.push(seeds.map(|seeds| rings(topology, seeds, RINGS)));
            }
        }
        claims
    }

    /// What the gate says.
    pub(super) fn of_gate(tangles: &[[Vec<u32>; 2]]) -> Self {
        Self { tangles: tangles.to_vec() }
    }

    /// Whether a vertex and a face, or two edges, may meet.
    pub(super) fn allow(&self, a: &[u32], b: &[u32]) -> bool {
        self.tangles.iter().any(|tangle| holds(tangle, a, b))
    }

    pub(super) fn allows_hit(&self, hit: [u32; 2], topology: &Topology) -> bool {
        self.tangles.iter().any(|tangle| holds_hit(tangle, hit, topology))
    }

    /// Ends the tangles in which nothing intersects.
    pub(super) fn settle(&mut self, hits: &[[u32; 2]], topology: &Topology) {
        self.tangles.retain(|tangle| hits.iter().any(|&hit| holds_hit(tangle, hit, topology)));
    }
}

/// One primitive is of the one side as a whole, and the other of the other.
fn holds([left, right]: &[Vec<u32>; 2], a: &[u32], b: &[u32]) -> bool {
    let within = |set: &[u32], vertices: &[u32]| vertices.iter().all(|v| set.binary_search(v).is_ok());
    within(left, a) && within(right, b) || within(right, a) && within(left, b)
}

/// One of the pairs behind an intersection is of the tangle: an end and the face, or the edge and a side.
fn holds_hit(tangle: &[Vec<u32>; 2], [e, f]: [u32; 2], topology: &Topology) -> bool {
    let (ends, corners) = (topology.edges()[e as usize], topology.faces()[f as usize]);
    let sides = topology.face_edges()[f as usize].map(|g| topology.edges()[g as usize]);
    ends.iter().any(|v| holds(tangle, &[*v], &corners)) || sides.iter().any(|side| holds(tangle, &ends, side))
}
