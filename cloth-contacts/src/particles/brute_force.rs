//! Every vertex against every other: the contacts of a step by definition.

use super::{ParticleRules, PointPoint, predict};
use crate::{Motion, Surface};

/// Every contact between vertices of a step, in canonical order: what
/// [`ParticleDetector`](super::ParticleDetector) finds.
///
/// # Panics
/// If there are fewer positions or displacements than vertices.
#[must_use]
pub fn brute_force(surface: &Surface, rules: &ParticleRules, motion: &Motion<'_>) -> Vec<PointPoint> {
    let count = surface.vertex_count() as u32;
    let mut found = Vec::new();
    for a in 0..count {
        for b in a + 1..count {
            let Some(distance) = rules.distance(surface, a, b) else { continue };
            if let Some(approach) = predict(motion, [a, b], surface.reach(a, b)) {
                let (normal, gap) = (approach.normal, approach.gap);
                found.push(PointPoint { vertices: [a, b], normal, gap, distance });
            }
        }
    }
    found
}
