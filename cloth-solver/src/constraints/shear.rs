//! In-plane shear: warp and weft threads resist leaving their right angle.
//!
//! With the deformed thread directions `F_u`, `F_v` of a triangle (Baraff and Witkin 1998, section 4.3) the
//! constraint is `C = F_u . F_v`, zero while the threads are at right angles; the energy `G A C^2 / 2` gives the
//! compliance `1 / (G A)`. `F_u` and `F_v` are linear in the corners: `F_u = sum u_k x_k`, `F_v = sum v_k x_k`, so
//! the gradient is `u_k F_v + v_k F_u`.

use super::bodies::{dot, sum};
use super::{Bodies, Pass};
use crate::Material;
use crate::rest::RestGeometry;

/// Shear of one face.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Shear {
    pub(crate) v: [u32; 3],
    /// Weights of the corners in `F_u` (1/m).
    along_weft: [f32; 3],
    /// Weights of the corners in `F_v` (1/m).
    along_warp: [f32; 3],
    /// Compliance of the dimensionless angle (1/J).
    compliance: f32,
    /// Damping time over the substep is this divided by `h` (s).
    damping: f32,
    pub(crate) lambda: f32,
}

impl Shear {
    /// The shear of a face; `None` for a fabric that does not resist it.
    pub(crate) fn new(rest: &RestGeometry, face: u32, v: [u32; 3], material: &Material) -> Option<Self> {
        if material.shear <= 0.0 {
            return None;
        }
        let (e1, e2) = (rest.edge(face, 0), rest.edge(face, 2).map(|x| -x));
        let det = e1[0] * e2[1] - e1[1] * e2[0];
        let row = |w1: f32, w2: f32| [-(w1 + w2), w1, w2];
        Some(Self {
            v,
            along_weft: row(e2[1] / det, -e1[1] / det),
            along_warp: row(-e2[0] / det, e1[0] / det),
            compliance: 1.0 / (material.shear * rest.area(face)),
            damping: material.damping,
            lambda: 0.0,
        })
    }
}

/// One pass over the faces, in order.
pub(crate) fn project(faces: &mut [Shear], bodies: &mut Bodies<'_>, pass: Pass) {
    // Impulses of `soft` substeps at once.
    let inv_h_sq = 1.0 / (pass.soft * bodies.h * bodies.h);
    let inv_h = 1.0 / bodies.h;
    for shear in faces {
        let [a, b, c] = shear.v.map(|v| v as usize);
        let (x0, x1, x2) = (bodies.x[a], bodies.x[b], bodies.x[c]);
        let (w0, w1, w2) = (bodies.w[a], bodies.w[b], bodies.w[c]);
        let (u, v) = (&shear.along_weft, &shear.along_warp);
        let weft = x0 * u[0] + x1 * u[1] + x2 * u[2];
        let warp = x0 * v[0] + x1 * v[1] + x2 * v[2];
        let (g0, g1, g2) = (warp * u[0] + weft * v[0], warp * u[1] + weft * v[1], warp * u[2] + weft * v[2]);
        let moved = g0.component_mul(&(x0 - bodies.x_t0[a]))
            + g1.component_mul(&(x1 - bodies.x_t0[b]))
            + g2.component_mul(&(x2 - bodies.x_t0[c]));
        let squares = g0.component_mul(&g0) * w0 + g1.component_mul(&g1) * w1 + g2.component_mul(&g2) * w2;
        let softness = shear.compliance * inv_h_sq;
        let gamma = shear.damping * inv_h;
        let lambda = if pass.first { 0.0 } else { shear.lambda };
        let residual = dot(&weft, &warp) + softness * lambda + gamma * sum(&moved);
        let delta = -residual / ((1.0 + gamma) * sum(&squares) + softness);
        shear.lambda = lambda + delta;
        bodies.x[a] = x0 + g0 * (w0 * delta);
        bodies.x[b] = x1 + g1 * (w1 * delta);
        bodies.x[c] = x2 + g2 * (w2 * delta);
    }
}
