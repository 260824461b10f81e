//! Re-evaluation of contacts that are kept for several steps.
//!
//! The set of contacts changes more slowly than their geometry. Closest points, normals and gaps are computed from the present step, so
//! that a plane across the gap separates the two primitives; sides are kept as in [`crate::detect::output::history`].

use cloth_geom::closest::{point_triangle as closest_on_triangle, segment_segment};

use crate::Motion;
use crate::detect::output::history::{keep_direction, keep_side};
use crate::{Contacts, EdgeEdge, PointTriangle, edge_edge, parallel, point_triangle};

/// Number of contacts per task.
const TASK_SIZE: usize = 256;

impl Contacts {
    /// Re-evaluates all contacts at the start of another step. No contact is added or removed.
    ///
    /// A pair at distance zero without a normal keeps everything but its gap, which becomes 0.
    ///
    /// # Panics
    /// If there are fewer positions or displacements than vertices of the surface.
    pub fn measure(&mut self, motion: &Motion<'_>) {
        parallel::for_each_numbered(&mut self.point_triangles, TASK_SIZE, |_, contact| {
            contact.measure(motion);
        });
        parallel::for_each_numbered(&mut self.edge_edges, TASK_SIZE, |_, contact| contact.measure(motion));
    }
}

impl PointTriangle {
    fn measure(&mut self, motion: &Motion<'_>) {
        let query = motion.point_triangle(self.vertex, self.corners);
        let closest = closest_on_triangle(query.p, query.corners);
        match point_triangle::predict_from(&query, &closest, f32::INFINITY) {
            Some(point_triangle::Prediction { side, normal, weights, gap, .. }) => {
                let before = *self;
                *self = Self { side, normal, weights, gap, ..before };
                keep_side(&before, self);
            }
            None => self.gap = 0.0,
        }
    }
}

impl EdgeEdge {
    fn measure(&mut self, motion: &Motion<'_>) {
        let query = motion.edge_edge(self.a, self.b);
        let closest = segment_segment(query.a, query.b);
        let (s, t) = (closest.s, closest.t);
        let d_rel = edge_edge::relative_displacement(&query, [s, t]);
        match edge_edge::normal_between(&query, [s, t], &d_rel) {
            Some(normal) => {
                let before = *self;
                *self = Self { s, t, normal, gap: closest.distance_sq.sqrt(), ..before };
                keep_direction(&before, self);
            }
            None => self.gap = 0.0,
        }
    }
}
