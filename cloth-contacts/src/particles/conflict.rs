//! Whether balls are too large for the mesh that they stand on (Cincotti, tip 2).

use std::fmt;

use crate::{ParticleRules, Surface};

/// Edges that rest nearer than the radii of their vertices: collision would push apart what the springs pull
/// together.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RestConflict {
    /// Number of conflicting edges.
    pub conflicting_edges: usize,
    /// Number of edges of the mesh.
    pub edge_count: usize,
    /// The vertices of the edge with the largest deficit.
    pub worst: [u32; 2],
    /// Its rest length (m).
    pub rest_length: f32,
    /// Its contact distance (m), the sum of the radii.
    pub contact_distance: f32,
    /// The largest common radius (m) at which no edge of this mesh conflicts.
    pub largest_radius: f32,
}

impl fmt::Display for RestConflict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [a, b] = self.worst;
        write!(
            f,
            "{} of {} edges rest nearer than the radii of their vertices, worst {a}-{b} at {:.3e} m where \
             {:.3e} m are wanted; use a radius of at most {:.3e} m, or the rest rule `Limit` or `Cull`",
            self.conflicting_edges,
            self.edge_count,
            self.rest_length,
            self.contact_distance,
            self.largest_radius
        )
    }
}

impl ParticleRules {
    /// Compares every rest length with the contact distance, independently of the rest rule; `None` if the
    /// radii fit all edges.
    #[must_use]
    pub fn rest_conflict(&self, surface: &Surface) -> Option<RestConflict> {
        let edges = surface.topology().edges();
        let mut found: Option<RestConflict> = None;
        let mut shortest = f32::INFINITY;
        for &[a, b] in edges {
            let rest = (self.rest[b as usize] - self.rest[a as usize]).norm();
            let contact_distance = surface.contact_distance(a, b);
            shortest = shortest.min(rest);
            if rest >= contact_distance {
                continue;
            }
            let new = RestConflict {
                conflicting_edges: 0,
                edge_count: edges.len(),
                worst: [a, b],
                rest_length: rest,
                contact_distance,
                largest_radius: 0.0,
            };
            let worst = found.get_or_insert(new);
            let conflicting_edges = worst.conflicting_edges + 1;
            if contact_distance - rest > worst.contact_distance - worst.rest_length {
                *worst = new;
            }
            worst.conflicting_edges = conflicting_edges;
        }
        found.map(|worst| RestConflict { largest_radius: 0.5 * shortest, ..worst })
    }
}
