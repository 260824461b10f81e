//! Damping of stretch: the relative velocity of the ends of an edge along it.
//!
//! With the unit vector `n` along the edge, the impulse `p = share (v_b - v_a) . n / (w_a + w_b)` on each
//! end, towards the other's motion, leaves `1 - share` of that relative speed. It acts along the line between
//! them: no momentum is made.

use super::VelocityView;

/// Removes a share of the relative speed along each edge, in order.
pub(super) fn damp(edges: &[[u32; 2]], motion: &mut VelocityView<'_>, share: f32) {
    for edge in edges {
        let [a, b] = edge.map(|v| v as usize);
        let weight = motion.w[a] + motion.w[b];
        let sep = motion.x[b] - motion.x[a];
        let length_sq = sep.norm_squared();
        // Neither an edge between pins nor one of no length can be damped.
        if weight > 0.0 && length_sq >= f32::MIN_POSITIVE {
            let parting = (motion.v[b] - motion.v[a]).dot(&sep) / length_sq;
            let impulse = sep * (share * parting / weight);
            motion.v[a] += impulse * motion.w[a];
            motion.v[b] -= impulse * motion.w[b];
        }
    }
}
