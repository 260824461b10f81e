//! In-plane shear: warp and weft threads resist leaving their right angle.
//!
//! With the deformed thread directions `F_u`, `F_v` of a triangle (Baraff and Witkin 1998, section 4.3) the
//! constraint is `C = F_u . F_v`, zero while the threads are at right angles; the energy `G A C^2 / 2` gives the
//! compliance `1 / (G A)`. `F_u` and `F_v` are linear in the corners: `F_u = sum u_k x_k`, `F_v = sum v_k x_k`, so
//! the gradient is `u_k F_v + v_k F_u`.

use super::Bodies;
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
pub(crate) fn project(faces: &mut [Shear], bodies: &mut Bodies<'_>) {
    let inv_h_sq = 1.0 / (bodies.h * bodies.h);
    for shear in faces {
        let v = shear.v.map(|v| v as usize);
        let x = v.map(|v| bodies.x[v].coords);
        let sum = |w: &[f32; 3]| x[0] * w[0] + x[1] * w[1] + x[2] * w[2];
        let (weft, warp) = (sum(&shear.along_weft), sum(&shear.along_warp));
        let gradient = [0, 1, 2].map(|k| warp * shear.along_weft[k] + weft * shear.along_warp[k]);
        let moved: f32 = (0..3).map(|k| gradient[k].dot(&(x[k] - bodies.x_t0[v[k]].coords))).sum();
        let weight: f32 = (0..3).map(|k| bodies.w[v[k]] * gradient[k].norm_squared()).sum();
        let softness = shear.compliance * inv_h_sq;
        let gamma = shear.damping / bodies.h;
        let residual = weft.dot(&warp) + softness * shear.lambda + gamma * moved;
        let delta = -residual / ((1.0 + gamma) * weight + softness);
        shear.lambda += delta;
        for k in 0..3 {
            bodies.x[v[k]] += gradient[k] * (bodies.w[v[k]] * delta);
        }
    }
}
