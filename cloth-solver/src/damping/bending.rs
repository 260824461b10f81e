//! Damping of bending: the angular velocity of hinges.
//!
//! The gradient of the dihedral angle (as in Bridson, Marino and Fedkiw 2003, "Simulation of clothing with
//! folds and wrinkles", section 3), for an edge `e = x1 - x0` with normals `n_a` of (x0 x1 x2) and `n_b` of
//! (x1 x0 x3), each as long as twice its area:
//!
//! ```text
//!   g_2 = |e| n_a / |n_a|^2          the apex over its height: lifting it turns its face about the edge
//!   g_3 = |e| n_b / |n_b|^2
//!   g_0 = -(1 - s_a) g_2 - (1 - s_b) g_3        s: where along e the foot of each apex lies
//!   g_1 = -s_a g_2 - s_b g_3
//! ```
//!
//! The angle does not change in rigid motion, so `sum g = 0` and `sum x cross g = 0`: impulses `-p g` with
//! `p = share (sum g . v) / (sum w g^2)` leave `1 - share` of the angle's speed and conserve both momenta.

use super::VelocityView;

/// Removes a share of the angular speed of each hinge, in order.
pub(super) fn damp(hinges: &[[u32; 4]], motion: &mut VelocityView<'_>, share: f32) {
    for hinge in hinges {
        let v = hinge.map(|v| v as usize);
        let [x0, x1, x2, x3] = v.map(|v| motion.x[v]);
        let (e, a, b) = (x1 - x0, x2 - x0, x3 - x0);
        let (n_a, n_b) = (e.cross(&a), b.cross(&e));
        let (a_sq, b_sq, e_sq) = (n_a.norm_squared(), n_b.norm_squared(), e.norm_squared());
        // A face that has collapsed has no angle.
        if a_sq < f32::MIN_POSITIVE || b_sq < f32::MIN_POSITIVE {
            continue;
        }
        let length = e_sq.sqrt();
        let (g2, g3) = (n_a * (length / a_sq), n_b * (length / b_sq));
        let (s_a, s_b) = (a.dot(&e) / e_sq, b.dot(&e) / e_sq);
        let g = [g2 * (s_a - 1.0) + g3 * (s_b - 1.0), g2 * -s_a + g3 * -s_b, g2, g3];
        let speed: f32 = (0..4).map(|i| g[i].dot(&motion.v[v[i]])).sum();
        let weight: f32 = (0..4).map(|i| motion.w[v[i]] * g[i].norm_squared()).sum();
        if weight > 0.0 && weight.is_finite() {
            let impulse = share * speed / weight;
            for i in 0..4 {
                motion.v[v[i]] -= g[i] * (impulse * motion.w[v[i]]);
            }
        }
    }
}
