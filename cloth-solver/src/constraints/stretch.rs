//! Stretch: every edge keeps its rest length, as stiffly as the threads that run along it.
//!
//! `C = |x_b - x_a| - l0`. An edge stands for the strain of the two faces beside it, so with membrane stiffness `E`
//! (N/m) and their area `A` its energy is `E A (C / l0)^2 / 2`, and its compliance `l0^2 / (E A)`. A thread runs
//! along warp and weft only: at an angle `phi` to the warp the stiffness fades as `cos^2(2 phi)`, so that
//! edges on the bias do not lock the shear that the fabric allows. An edge that is no stiffer than shear is left to it.

use super::Bodies;
use super::bodies::dot;
use crate::Material;

/// An edge as a spring.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Spring {
    pub(crate) a: u32,
    pub(crate) b: u32,
    /// Rest length (m).
    pub(crate) rest: f32,
    /// Compliance (m/N).
    pub(crate) compliance: f32,
    pub(crate) lambda: f32,
}

/// Membrane stiffness (N/m) along a rest direction (weft, warp); zero on the bias.
pub(crate) fn stiffness_along(material: &Material, [weft, warp]: [f32; 2]) -> f32 {
    let length_sq = weft * weft + warp * warp;
    let (s, c) = (weft * weft / length_sq, warp * warp / length_sq);
    let cos_2phi = c - s;
    (material.stretch_warp * c + material.stretch_weft * s) * cos_2phi * cos_2phi
}

/// One pass over the springs, in order.
pub(crate) fn project(springs: &mut [Spring], bodies: &mut Bodies<'_>, first: bool) {
    let inv_h_sq = 1.0 / (bodies.h * bodies.h);
    for spring in springs {
        let (a, b) = (spring.a as usize, spring.b as usize);
        let (w_a, w_b) = (bodies.w[a], bodies.w[b]);
        let sep = bodies.x[b] - bodies.x[a];
        let length = dot(&sep, &sep).sqrt();
        // A spring of no length has no direction; its neighbours will open it.
        if length == 0.0 || w_a + w_b == 0.0 {
            continue;
        }
        let softness = spring.compliance * inv_h_sq;
        let lambda = if first { 0.0 } else { spring.lambda };
        // One division for both the multiplier and the direction.
        let weight = w_a + w_b + softness;
        let scale = (spring.rest - length - softness * lambda) / (weight * length);
        spring.lambda = lambda + scale * length;
        let push = sep * scale;
        bodies.x[a] -= push * w_a;
        bodies.x[b] += push * w_b;
    }
}
