//! Whether balls are too large for the mesh that they stand on (Cincotti, tip 2).

use std::fmt;

use crate::{ParticleRules, Surface};

/// Edges that rest nearer than the radii of their vertices: collision would push apart what the springs pull together.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RestConflict {
    /// How many edges do.
    pub edges: usize,
    /// Of how many.
    pub of: usize,
    /// The vertices of the one that misses most.
    pub worst: [u32; 2],
    /// How far apart they rest (m).
    pub rest: f32,
    /// Sum of their radii (m).
    pub wanted: f32,
    /// The greatest radius (m) at which no edge of this mesh rests too near, were all vertices to have it.
    pub largest_radius: f32,
}

impl fmt::Display for RestConflict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [a, b] = self.worst;
        write!(
            f,
            "{} of {} edges rest nearer than the radii of their vertices, worst {a}-{b} at {:.3e} m where {:.3e} m are \
             wanted; use a radius of at most {:.3e} m, or the rest rule `Limit` or `Cull`",
            self.edges, self.of, self.rest, self.wanted, self.largest_radius
        )
    }
}

impl ParticleRules {
    /// Compares every rest length with the contact distance, independently of the rest rule; `None` if the radii fit all edges.
    #[must_use]
    pub fn rest_conflict(&self, surface: &Surface) -> Option<RestConflict> {
        let edges = surface.topology().edges();
        let mut found: Option<RestConflict> = None;
        let mut shortest = f32::INFINITY;
        for &[a, b] in edges {
            let rest = (self.rest[b as usize] - self.rest[a as usize]).norm();
            let wanted = surface.contact_distance(a, b);
            shortest = shortest.min(rest);
            if rest >= wanted {
                continue;
            }
            let new =
                RestConflict { edges: 0, of: edges.len(), worst: [a, b], rest, wanted, largest_radius: 0.0 };
            let worst = found.get_or_insert(new);
            let edges = worst.edges + 1;
            if wanted - rest > worst.wanted - worst.rest {
                *worst = new;
            }
            worst.edges = edges;
        }
        found.map(|worst| RestConflict { largest_radius: 0.5 * shortest, ..worst })
    }
}
