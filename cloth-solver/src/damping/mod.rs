//! Internal damping, on the velocities at the end of a substep.
//!
//! Each kind removes the share `1 - e^(-rate h)` of one measure of deformation rate, by impulses between the
//! participating vertices. So each conserves momentum and angular momentum, leaves rigid motion unchanged,
//! and does not depend on the number of substeps. Measures that share vertices are damped one after the
//! other.

mod bending;
mod global;

use std::ops::Range;

use cloth_geom::Topology;
use nalgebra::{Point3, Vector3};

use crate::Damping;
use crate::colouring::coloured;

/// Internal damping of one cloth.
#[derive(Clone, Debug)]
pub(crate) struct ClothDamping {
    rates: Damping,
    vertices: Range<usize>,
    /// Edges, if stretch is damped.
    edges: Vec<[u32; 2]>,
    /// Hinges, if bending is damped: the two ends of the edge, then the apexes.
    hinges: Vec<[u32; 4]>,
}

/// Positions, velocities and inverse masses of all vertices.
pub(crate) struct VelocityView<'a> {
    /// Positions (m).
    pub(crate) x: &'a [Point3<f32>],
    /// Velocities (m/s).
    pub(crate) v: &'a mut [Vector3<f32>],
    /// Inverse masses (1/kg); zero is immovable.
    pub(crate) w: &'a [f32],
}

impl ClothDamping {
    /// The damping of a cloth whose vertices begin at `offset`; `None` if all rates are zero.
    pub(crate) fn new(rates: Damping, topology: &Topology, offset: usize) -> Option<Self> {
        if rates == Damping::default() {
            return None;
        }
        let count = topology.vertex_count();
        let shift = |v: u32| v + offset as u32;
        let edges = if rates.stretch > 0.0 { coloured(count, topology.edges(), |&e| e) } else { Vec::new() };
        let hinges: Vec<[u32; 4]> =
            topology.hinges().iter().map(|h| [h.edge[0], h.edge[1], h.apexes[0], h.apexes[1]]).collect();
        let hinges = if rates.bending > 0.0 { coloured(count, &hinges, |&h| h) } else { Vec::new() };
        Some(Self {
            rates,
            vertices: offset..offset + count,
            edges: edges.into_iter().map(|e| e.map(shift)).collect(),
            hinges: hinges.into_iter().map(|h| h.map(shift)).collect(),
        })
    }

    /// Damps a substep of `h` seconds.
    pub(crate) fn damp(&self, motion: &mut VelocityView<'_>, h: f32) {
        let lost = |rate: f32| -libm::expm1f(-rate * h);
        damp_stretch(&self.edges, motion, lost(self.rates.stretch));
        bending::damp(&self.hinges, motion, lost(self.rates.bending));
        if self.rates.global > 0.0 {
            global::damp(self.vertices.clone(), motion, lost(self.rates.global));
        }
    }
}

/// Removes a share of the relative velocity of the ends of each edge along it, in order.
///
/// With the unit vector `n` along the edge, the impulse `p = share (v_b - v_a) . n / (w_a + w_b)` on each
/// end, towards the other's motion, leaves `1 - share` of that relative speed. It acts along the line between
/// them: no momentum is made.
fn damp_stretch(edges: &[[u32; 2]], motion: &mut VelocityView<'_>, share: f32) {
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

#[cfg(test)]
mod tests;
