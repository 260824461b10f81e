//! Bending: the isometric (quadratic) model of Bergou et al. 2006, "A quadratic bending model for inextensible
//! surfaces", extended to rest shapes that are not flat.
//!
//! ```text
//!        x2            L = sum K_k x_k   is zero for a flat hinge and grows with its curvature;
//!       /  \           energy  (3 B / (A_0 + A_1)) |L|^2 / 2
//!     x0----x1         K_0 = cot_a(x1) + cot_b(x1)     K_2 = -cot_a(x0) - cot_a(x1)
//!       \  /           K_1 = cot_a(x0) + cot_b(x0)     K_3 = -cot_b(x0) - cot_b(x1)
//!        x3            a, b: the faces with x2, with x3; angles at rest
//! ```
//!
//! `L` is linear in the positions, so the three components of the constraint `C = L - L_rest` share their weights and
//! are solved together, with neither a square root nor an angle. For a curved rest shape, `L_rest` keeps its
//! length and side and follows the mean normal of the two faces; that normal's own gradient is left out (a deviation:
//! angular momentum is then conserved only as far as `L` is parallel to that normal).

use nalgebra::{Point3, Vector3};

use super::Bodies;
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
    pub(crate) lambda: Vector3<f32>,
}

impl Bend {
    /// The bending of a hinge; `None` for a fabric that does not resist it.
    pub(crate) fn new(rest: &RestGeometry, topology: &Topology, hinge: &Hinge, material: &Material) -> Option<Self> {
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
            let x = v.map(|v| pose[v as usize].cast::<f32>());
            let bent = weighted(&k, &x);
            let curvature = bent.dot(&mean_normal(&x).unwrap_or_default());
            // Rounding of a flat pose is no curvature.
            let size: f32 = (0..4).map(|i| (k[i] * (x[i] - x[0]).norm()).abs()).sum();
            if curvature.abs() <= 16.0 * f32::EPSILON * size { 0.0 } else { curvature }
        });
        let compliance = area / (3.0 * material.bending);
        Some(Self { v, k, curvature, compliance, damping: material.damping, lambda: Vector3::zeros() })
    }
}

/// `sum K_k x_k`. The weights sum to zero, so it is taken relative to the first vertex: far from the origin nothing
/// is lost.
#[inline]
fn weighted(k: &[f32; 4], x: &[Point3<f32>; 4]) -> Vector3<f32> {
    (x[1] - x[0]) * k[1] + (x[2] - x[0]) * k[2] + (x[3] - x[0]) * k[3]
}

/// The unit mean normal of the two faces (x0 x1 x2) and (x1 x0 x3).
fn mean_normal(x: &[Point3<f32>; 4]) -> Option<Vector3<f32>> {
    let edge = x[1] - x[0];
    (edge.cross(&(x[2] - x[0])) + (x[3] - x[0]).cross(&edge)).try_normalize(0.0)
}

/// One pass over the hinges, in order.
pub(crate) fn project(hinges: &mut [Bend], bodies: &mut Bodies<'_>) {
    let inv_h_sq = 1.0 / (bodies.h * bodies.h);
    for bend in hinges {
        let v = bend.v.map(|v| v as usize);
        let x = v.map(|v| bodies.x[v]);
        let bent = weighted(&bend.k, &x);
        let rest = if bend.curvature == 0.0 {
            Vector3::zeros()
        } else {
            mean_normal(&x).map_or(bent, |n| n * bend.curvature)
        };
        let moved = bent - weighted(&bend.k, &v.map(|v| bodies.x_t0[v]));
        let weight: f32 = (0..4).map(|i| bodies.w[v[i]] * bend.k[i] * bend.k[i]).sum();
        let softness = bend.compliance * inv_h_sq;
        let gamma = bend.damping / bodies.h;
        let residual = bent - rest + bend.lambda * softness + moved * gamma;
        let delta = residual * (-1.0 / ((1.0 + gamma) * weight + softness));
        bend.lambda += delta;
        for i in 0..4 {
            bodies.x[v[i]] += delta * (bodies.w[v[i]] * bend.k[i]);
        }
    }
}
