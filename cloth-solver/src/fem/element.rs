//! The constant-strain triangle: force and stiffness of one face.
//!
//! ```text
//!   F_u = sum u_k x_k,  F_v = sum v_k x_k    u_k, v_k: gradients of the shape functions at rest, sums zero
//!   strain e(F), stress S, tangent M         de = sum_k G_k dx_k, rows u_k F_u, v_k F_v, u_k F_v + v_k F_u
//!   force     f_k  = -A G_k^T S
//!   stiffness K_kl =  A (G_k^T M G_l + s_kl I)    s_kl = [u_k v_k] S [u_l v_l]^T
//! ```
//!
//! The second term is the stress stiffness. It is positive semi-definite where the face is pulled; the
//! projection keeps the positive part of `S`, and that of `M`. Cauchy strain in the frame of the start has
//! `R_0` in the place of `F` in `G`, and no stress stiffness.
//!
//! Viscous stress is `beta D de/dt` with the law's matrix `D` (Rayleigh's beta, in seconds): it resists
//! deformation alone, and rigid motion not at all, unlike a drag on velocities.

use nalgebra::{Matrix3, Vector3};

use super::law::{PlaneStress, times};
use super::spectrum::{positive_part_2, positive_part_3};
use super::strain::{Gradient, StrainMeasure, StrainResponse, Stretch, cauchy, corotated, green};

/// A face at rest.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Element {
    /// Its corners.
    pub v: [u32; 3],
    /// Gradients of the shape functions along (weft, warp) at rest (1/m).
    pub(crate) weights: [[f64; 2]; 3],
    /// Area at rest (m2).
    pub(crate) area: f64,
    /// The frame of the start.
    pub(crate) start: Gradient,
    /// Index of its material.
    pub(crate) material: u32,
}

/// The blocks of a stiffness matrix by corner: `[k][l]` for `k <= l`, the others are their transposes.
pub(crate) type Blocks = [[Matrix3<f64>; 3]; 3];

/// A deformed face.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ElementState {
    /// What takes the place of the gradient in the rows of `G`.
    pub(crate) along: Gradient,
    pub(crate) response: StrainResponse,
    /// Whether stress stiffens the face.
    is_nonlinear: bool,
}

impl Element {
    /// A face with these corners, (weft, warp) coordinates (m) at rest, and positions (m) at the start.
    /// `None` if it has no area at rest.
    #[must_use]
    pub fn new(v: [u32; 3], rest: &[[f64; 2]; 3], start: &[Vector3<f64>; 3], material: u32) -> Option<Self> {
        let edge = |k: usize| [rest[k][0] - rest[0][0], rest[k][1] - rest[0][1]];
        let (e1, e2) = (edge(1), edge(2));
        let det = e1[0] * e2[1] - e1[1] * e2[0];
        let (w1, w2) = ([e2[1] / det, -e2[0] / det], [-e1[1] / det, e1[0] / det]);
        let weights = [[-(w1[0] + w2[0]), -(w1[1] + w2[1])], w1, w2];
        let area = 0.5 * det.abs();
        if !(area > 0.0 && weights.iter().flatten().all(|w| w.is_finite())) {
            return None;
        }
        let zero = Gradient { weft: Vector3::zeros(), warp: Vector3::zeros() };
        let mut element = Self { v, weights, area, start: zero, material };
        let f = element.gradient(start);
        element.start = Stretch::from_gradient(&f).frame(&f);
        Some(element)
    }

    /// Brings the corners into ascending order, which changes no strain and no force.
    pub(crate) fn sort(&mut self) {
        let mut corners = [0, 1, 2].map(|k| (self.v[k], self.weights[k]));
        corners.sort_unstable_by_key(|&(v, _)| v);
        (self.v, self.weights) = (corners.map(|(v, _)| v), corners.map(|(_, weights)| weights));
    }

    /// The deformation gradient.
    #[inline]
    #[must_use]
    pub fn gradient(&self, x: &[Vector3<f64>; 3]) -> Gradient {
        // Relative to the first corner: far from the origin nothing is lost.
        let (a, b) = (x[1] - x[0], x[2] - x[0]);
        let along = |axis: usize| a * self.weights[1][axis] + b * self.weights[2][axis];
        Gradient { weft: along(0), warp: along(1) }
    }

    /// Largest and smallest principal stretch: 1 at rest.
    #[must_use]
    pub fn principal_stretches(&self, x: &[Vector3<f64>; 3]) -> [f64; 2] {
        let stretch = Stretch::from_gradient(&self.gradient(x));
        let [uu, vv, uv] = stretch.u;
        let (mean, half) = (0.5 * (uu + vv), 0.5 * (uu - vv));
        let radius = (half * half + uv * uv).sqrt();
        [mean + radius, mean - radius]
    }

    /// Stress and tangent at the positions of its corners.
    #[inline]
    pub(crate) fn state(
        &self,
        law: &PlaneStress,
        measure: StrainMeasure,
        x: &[Vector3<f64>; 3],
    ) -> ElementState {
        let f = self.gradient(x);
        match measure {
            StrainMeasure::Green => {
                let response = law.respond(&green(&f)).into();
                ElementState { along: f, response, is_nonlinear: true }
            }
            StrainMeasure::Corotated => {
                ElementState { along: f, response: corotated(&f, law), is_nonlinear: true }
            }
            StrainMeasure::Cauchy => {
                let response = law.respond(&cauchy(&f, &self.start)).into();
                ElementState { along: self.start, response, is_nonlinear: false }
            }
        }
    }

    /// Directions and stress alone, for forces: those of [`Element::state`], bit by bit, without the tangent.
    #[inline(always)]
    pub(crate) fn stress(
        &self,
        law: &PlaneStress,
        measure: StrainMeasure,
        x: &[Vector3<f64>; 3],
    ) -> (Gradient, [f64; 3]) {
        let f = self.gradient(x);
        match measure {
            StrainMeasure::Green => (f, law.stress(&green(&f))),
            StrainMeasure::Cauchy => (self.start, law.stress(&cauchy(&f, &self.start))),
            StrainMeasure::Corotated => {
                let stretch = Stretch::from_gradient(&f);
                let (l, _) = stretch.multiplier(&law.stress(&stretch.strain()));
                (f, l.map(|x| 2.0 * x))
            }
        }
    }

    /// `-A G_k^T S` for a stress `S`.
    #[inline]
    pub(crate) fn forces(&self, along: &Gradient, stress: &[f64; 3]) -> [Vector3<f64>; 3] {
        let weft = (along.weft * stress[0] + along.warp * stress[2]) * -self.area;
        let warp = (along.weft * stress[2] + along.warp * stress[1]) * -self.area;
        let force = |k: usize| weft * self.weights[k][0] + warp * self.weights[k][1];
        let (b, c) = (force(1), force(2));
        // Exactly minus their sum, so that no momentum is made beyond the rounding of this sum.
        [-(b + c), b, c]
    }

    /// The rate of strain: `sum_k G_k v_k`.
    #[inline]
    pub(crate) fn strain_rate(&self, along: &Gradient, v: &[Vector3<f64>; 3]) -> [f64; 3] {
        let rate = self.gradient(v);
        let shear = along.weft.dot(&rate.warp) + along.warp.dot(&rate.weft);
        [along.weft.dot(&rate.weft), along.warp.dot(&rate.warp), shear]
    }

    /// `A (G_k^T M G_l + s_kl I)`.
    #[inline]
    pub(crate) fn blocks(&self, along: &Gradient, m: &[[f64; 3]; 3], s: &[f64; 3]) -> Blocks {
        let uu = along.weft * along.weft.transpose();
        let vv = along.warp * along.warp.transpose();
        let uv = along.weft * along.warp.transpose();
        let vu = uv.transpose();
        let block = |k: usize, l: usize| {
            let ([a, b], [c, d]) = (self.weights[k], self.weights[l]);
            // Rows of G_k in terms of F_u are [a, 0, b], in terms of F_v [0, b, a].
            let right = |row: [f64; 3]| times(m, &row);
            let (on_u, on_v) = (right([c, 0.0, d]), right([0.0, d, c]));
            let left = |r: &[f64; 3]| (a * r[0] + b * r[2], b * r[1] + a * r[2]);
            let ((t_uu, t_vu), (t_uv, t_vv)) = (left(&on_u), left(&on_v));
            let stiffening = s[0] * (a * c) + s[1] * (b * d) + s[2] * (a * d + b * c);
            let mut sum = (uu * t_uu + uv * t_uv + vu * t_vu + vv * t_vv) * self.area;
            (0..3).for_each(|i| sum[(i, i)] += stiffening * self.area);
            sum
        };
        // The rows of the gradients sum to zero.
        let (bb, bc, cc) = (block(1, 1), block(1, 2), block(2, 2));
        let (cb, ab) = (bc.transpose(), -(bb + bc.transpose()));
        let ac = -(bc + cc);
        let aa = (bb + cc) + (bc + cb);
        [[aa, ab, ac], [ab.transpose(), bb, bc], [ac.transpose(), cb, cc]]
    }
}

impl ElementState {
    /// Tangent and stress for the stiffness: as they are, which is the exact derivative of the force.
    #[cfg(test)]
    pub(crate) fn exact(&self) -> ([[f64; 3]; 3], [f64; 3]) {
        (self.response.tangent, if self.is_nonlinear { self.response.stress } else { [0.0; 3] })
    }

    /// Tangent and stress for the stiffness: their positive semi-definite parts.
    #[inline]
    pub(crate) fn projected(&self) -> ([[f64; 3]; 3], [f64; 3]) {
        let stress = if self.is_nonlinear { positive_part_2(&self.response.stress) } else { [0.0; 3] };
        (positive_part_3(&self.response.tangent), stress)
    }
}
