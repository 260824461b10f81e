//! Bending: the isometric (quadratic) model of Bergou et al. 2006, "A quadratic bending model for inextensible
//! surfaces", extended to rest shapes that are not flat.
//!
//! ```text
//!        x2            L = sum K_k x_k   is zero for a flat hinge and grows with its curvature;
//!       /  \           energy  (B / (A_0 + A_1)) |L|^2 / 2
//!     x0----x1         K_0 = cot_a(x1) + cot_b(x1)     K_2 = -cot_a(x0) - cot_a(x1)
//!       \  /           K_1 = cot_a(x0) + cot_b(x0)     K_3 = -cot_b(x0) - cot_b(x1)
//!        x3            a, b: the faces with x2, with x3; angles at rest
//! ```
//!
//! The paper has a factor of 3 in the energy. On a regular grid, bent to a cylinder, a hinge along the axis turns by the
//! curvature times the edge, and a diagonal not at all: there the factor that gives the energy of a plate,
//! `B k^2 A / 2`, is 1.
//!
//! `L` is linear in the positions, so the three components of the constraint `C = L - L_rest` share their weights and
//! are solved together, with neither a square root nor an angle. For a curved rest shape, `L_rest` keeps its
//! length and side and follows the normal half-way between the two faces; that normal's own gradient is left out (a deviation:
//! angular momentum is then conserved only as far as `L` is parallel to that normal).

use nalgebra::Vector3;

use super::bodies::{Packed, packed, vector};
use super::{Bodies, Pass};
use crate::Material;
use crate::rest::RestGeometry;
use cloth_geom::{Hinge, Topology};

/// One hinge.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Bend {
    pub(crate) v: [u32; 4],
    k: [f32; 4],
    /// Signed length of `L` at rest along the mean normal (m); zero for a flat rest shape.
    curvature: f32,
    /// Compliance (m/N).
    compliance: f32,
    /// Damping time (s).
    damping: f32,
    /// `w_k K_k` of each vertex, and the sum of `w_k K_k^2` (1/kg).
    mobility: [f32; 4],
    weight: f32,
    pub(crate) lambda: Packed,
}

impl Bend {
    /// The bending of a hinge; `None` for a fabric that does not resist it.
    pub(crate) fn new(
        rest: &RestGeometry,
        topology: &Topology,
        hinge: &Hinge,
        material: &Material,
    ) -> Option<Self> {
        if material.bending <= 0.0 {
            return None;
        }
        let cot = |side: usize, vertex: u32| {
            let face = hinge.faces[side];
            let corners = topology.faces()[face as usize];
            let k = (0..3).find(|&k| corners[k] == vertex).unwrap_or(0);
            rest.cotangent(face, k)
        };
        let [x0, x1] = hinge.edge;
        let (a0, a1, b0, b1) = (cot(0, x0), cot(0, x1), cot(1, x0), cot(1, x1));
        let area = rest.area(hinge.faces[0]) + rest.area(hinge.faces[1]);
        let v = [x0, x1, hinge.apexes[0], hinge.apexes[1]];
        let k = [a1 + b1, a0 + b0, -a0 - a1, -b0 - b1];
        let curvature = rest.pose.as_ref().map_or(0.0, |pose| {
            let x = v.map(|v| packed(&pose[v as usize].coords.cast::<f32>()));
            let bent = weighted(&k, &x);
            let curvature = vector(&bent).dot(&mean_normal(&x).unwrap_or_default());
            // Rounding of a flat pose is no curvature.
            let size: f32 = (0..4).map(|i| (k[i] * (x[i] - x[0]).norm()).abs()).sum();
            if curvature.abs() <= 16.0 * f32::EPSILON * size { 0.0 } else { curvature }
        });
        let compliance = area / material.bending;
        Some(Self {
            v,
            k,
            curvature,
            compliance,
            damping: material.damping,
            mobility: [0.0; 4],
            weight: 0.0,
            lambda: Packed::zeros(),
        })
    }

    /// Takes over the masses of its vertices.
    pub(crate) fn weigh(&mut self, inv_mass: &[f32]) {
        let w = self.v.map(|v| inv_mass[v as usize]);
        self.mobility = [0, 1, 2, 3].map(|i| w[i] * self.k[i]);
        self.weight = (0..4).map(|i| self.mobility[i] * self.k[i]).sum();
    }
}

/// `sum K_k x_k`. The weights sum to zero, so it is taken relative to the first vertex: far from the origin nothing
/// is lost.
#[inline]
fn weighted(k: &[f32; 4], x: &[Packed; 4]) -> Packed {
    (x[1] - x[0]) * k[1] + (x[2] - x[0]) * k[2] + (x[3] - x[0]) * k[3]
}

/// The unit normal half-way between those of the faces (x0 x1 x2) and (x1 x0 x3): `L` of a bent hinge lies along it.
fn mean_normal(x: &[Packed; 4]) -> Option<Vector3<f32>> {
    let [edge, to_2, to_3] = [1, 2, 3].map(|k| vector(&(x[k] - x[0])));
    let unit = |n: Vector3<f32>| n.try_normalize(0.0);
    (unit(edge.cross(&to_2))? + unit(to_3.cross(&edge))?).try_normalize(0.0)
}

/// One pass over the hinges, in order.
pub(crate) fn project(hinges: &mut [Bend], bodies: &mut Bodies<'_>, pass: Pass) {
    // Impulses of `soft` substeps at once.
    let inv_h_sq = 1.0 / (pass.soft * bodies.h * bodies.h);
    let inv_h = 1.0 / bodies.h;
    for bend in hinges {
        let v = bend.v.map(|v| v as usize);
        let x = v.map(|v| bodies.x[v]);
        let bent = weighted(&bend.k, &x);
        let rest = match bend.curvature {
            0.0 => Packed::zeros(),
            curvature => mean_normal(&x).map_or(bent, |n| packed(&n) * curvature),
        };
        let moved = bent - weighted(&bend.k, &v.map(|v| bodies.x_t0[v]));
        let softness = bend.compliance * inv_h_sq;
        let gamma = bend.damping * inv_h;
        let lambda = if pass.first { Packed::zeros() } else { bend.lambda };
        let residual = bent - rest + lambda * softness + moved * gamma;
        let delta = residual * (-1.0 / ((1.0 + gamma) * bend.weight + softness));
        bend.lambda = lambda + delta;
        for i in 0..4 {
            bodies.x[v[i]] = x[i] + delta * bend.mobility[i];
        }
    }
}
