//! Strain measures: what counts as deformation, as a function of the deformation gradient.
//!
//! The deformation gradient `F = [F_u, F_v]` of a face maps rest coordinates (weft, warp) to space;
//! `C = F^T F`.
//!
//! | measure | strain | rigid rotation | derivation |
//! |---|---|---|---|
//! | Green | `(C - I) / 2` | no strain | St Venant-Kirchhoff |
//! | co-rotated | `U - I`; `F = R U`, `U` symmetric | no strain | Müller, Gross 2004; Etzmuß et al. 2003 |
//! | Cauchy | `sym(R_0^T F) - I`; `R_0` of the start | **strain** | small strain |
//!
//! The first two depend on `C` alone. Their energy `W(C)` has the second Piola-Kirchhoff stress
//! `S = 2 dW/dC`, and forces and stiffness of a face follow from `S` and its derivative in the same way for
//! both (`element.rs`).
//!
//! Co-rotated Cauchy: `C = U^2` gives `dC = U dU + dU U`. With the symmetric `L` that solves
//! `U L + L U = stress`, the energy changes by `stress : dU = (U L + L U) : dU = L : dC`. So `S = 2 L`, for
//! any law, isotropic or not. A second use of the same equation gives `dU` and `dL`. In two dimensions both
//! `U` and `L` are closed forms of square roots.

use nalgebra::Vector3;

use super::law::{LawResponse, PlaneStress, times};

/// The strain measure of the elements.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "kebab-case"))]
pub enum StrainMeasure {
    /// Green: exact under rotation, softens in compression.
    Green,
    /// Cauchy in the rotated frame of the face: exact under rotation, linear in stretch.
    #[default]
    Corotated,
    /// Cauchy in the frame of the start, for comparison: not rotation-invariant, so wrong for large
    /// rotations.
    Cauchy,
}

/// The deformation gradient: the images of a unit of weft and of warp.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Gradient {
    /// The image of weft.
    pub weft: Vector3<f64>,
    /// The image of warp.
    pub warp: Vector3<f64>,
}

/// What a measure makes of a gradient, with respect to the Green strain in Voigt order.
#[derive(Clone, Copy, Debug)]
pub(crate) struct StrainResponse {
    pub(crate) energy: f64,
    /// Second Piola-Kirchhoff stress (N/m).
    pub(crate) stress: [f64; 3],
    /// Its derivative by the Green strain (N/m), symmetric.
    pub(crate) tangent: [[f64; 3]; 3],
}

/// Green strain.
#[inline]
pub(crate) fn green(f: &Gradient) -> [f64; 3] {
    [0.5 * (f.weft.dot(&f.weft) - 1.0), 0.5 * (f.warp.dot(&f.warp) - 1.0), f.weft.dot(&f.warp)]
}

/// Small strain in a given frame.
#[inline]
pub(crate) fn cauchy(f: &Gradient, frame: &Gradient) -> [f64; 3] {
    let shear = frame.weft.dot(&f.warp) + frame.warp.dot(&f.weft);
    [frame.weft.dot(&f.weft) - 1.0, frame.warp.dot(&f.warp) - 1.0, shear]
}

impl From<LawResponse> for StrainResponse {
    fn from(law: LawResponse) -> Self {
        Self { energy: law.energy, stress: law.stress, tangent: law.tangent }
    }
}

/// A symmetric 2 x 2 matrix: `[uu, vv, uv]`.
type Symmetric = [f64; 3];

/// Least area of a face in units of the square of its extent, and least extent in units of that at rest:
/// below it the directions of a collapsed face are the rounding of its `f32` corners.
const COLLAPSED: f64 = 8.0 * f32::EPSILON as f64;

/// The right stretch `U` of a gradient `F = R U`.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Stretch {
    pub(crate) u: Symmetric,
    trace: f64,
    /// The determinant, at least that of a collapsed face.
    det: f64,
}

impl Stretch {
    /// `U = (C + det(U) I) / tr(U)` (Cayley-Hamilton), with `det(U) = |F_u x F_v|`, which is free of
    /// cancellation.
    #[inline]
    pub(crate) fn from_gradient(f: &Gradient) -> Self {
        let det = f.weft.cross(&f.warp).norm();
        let (uu, vv, uv) = (f.weft.norm_squared(), f.warp.norm_squared(), f.weft.dot(&f.warp));
        let trace = (uu + vv + 2.0 * det).sqrt().max(COLLAPSED);
        let scale = 1.0 / trace;
        let u = [(uu + det) * scale, (vv + det) * scale, uv * scale];
        Self { u, trace, det: det.max(COLLAPSED * trace * trace) }
    }

    /// Cauchy strain `U - I`.
    #[inline]
    pub(crate) fn strain(&self) -> [f64; 3] {
        [self.u[0] - 1.0, self.u[1] - 1.0, 2.0 * self.u[2]]
    }

    /// The frame `R = F U^-1`: orthonormal unless the face has collapsed.
    #[inline]
    pub(crate) fn frame(&self, f: &Gradient) -> Gradient {
        let [uu, vv, uv] = self.u.map(|x| x / self.det);
        Gradient { weft: f.weft * vv - f.warp * uv, warp: f.warp * uu - f.weft * uv }
    }

    /// The symmetric `L` with `U L + L U = s`: `(det(U) s + adj(U) s adj(U)) / (2 tr(U) det(U))`.
    #[inline]
    fn solve(&self, s: &Symmetric) -> Symmetric {
        let [a, b, c] = [self.u[1], self.u[0], -self.u[2]];
        let product = [
            a * a * s[0] + 2.0 * a * c * s[2] + c * c * s[1],
            c * c * s[0] + 2.0 * b * c * s[2] + b * b * s[1],
            a * c * s[0] + (a * b + c * c) * s[2] + b * c * s[1],
        ];
        let scale = 0.5 / (self.trace * self.det);
        [0, 1, 2].map(|i| scale * (self.det * s[i] + product[i]))
    }

    /// The stress as `L`, and the weight `w` of `U L - L U = w [0 1; -1 0]`: zero for an isotropic law, whose
    /// stress commutes with `U`.
    #[inline]
    pub(crate) fn multiplier(&self, stress: &Symmetric) -> (Symmetric, f64) {
        let l = self.solve(stress);
        (l, (self.u[0] - self.u[1]) * l[2] + self.u[2] * (l[1] - l[0]))
    }
}

/// `a b + b a` of symmetric matrices.
#[inline]
fn anticommutator(a: &Symmetric, b: &Symmetric) -> Symmetric {
    let mixed = a[2] * b[2];
    [2.0 * (a[0] * b[0] + mixed), 2.0 * (a[1] * b[1] + mixed), (a[0] + a[1]) * b[2] + (b[0] + b[1]) * a[2]]
}

/// The response of the co-rotated measure.
#[inline]
pub(crate) fn corotated(f: &Gradient, law: &PlaneStress) -> StrainResponse {
    let stretch = Stretch::from_gradient(f);
    let response = law.respond(&stretch.strain());
    let l = stretch.solve(&response.stress);
    // Changes of C for unit changes of the Green strain.
    const CHANGES: [Symmetric; 3] = [[2.0, 0.0, 0.0], [0.0, 2.0, 0.0], [0.0, 0.0, 1.0]];
    let columns = CHANGES.map(|change| {
        let du = stretch.solve(&change);
        let ds = times(&response.tangent, &[du[0], du[1], 2.0 * du[2]]);
        let turned = anticommutator(&du, &l);
        stretch.solve(&[ds[0] - turned[0], ds[1] - turned[1], ds[2] - turned[2]]).map(|x| 2.0 * x)
    });
    let tangent = [0, 1, 2].map(|i| [0, 1, 2].map(|j| 0.5 * (columns[j][i] + columns[i][j])));
    StrainResponse { energy: response.energy, stress: l.map(|x| 2.0 * x), tangent }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn gradient() -> Gradient {
        Gradient { weft: Vector3::new(1.1, 0.2, -0.1), warp: Vector3::new(-0.3, 0.8, 0.4) }
    }

    #[test]
    fn the_stretch_squared_is_c_and_the_frame_is_orthonormal() {
        let f = gradient();
        let stretch = Stretch::from_gradient(&f);
        let c = [f.weft.norm_squared(), f.warp.norm_squared(), f.weft.dot(&f.warp)];
        let square = anticommutator(&stretch.u, &stretch.u).map(|x| 0.5 * x);
        let r = stretch.frame(&f);
        let unit = [r.weft.norm_squared(), r.warp.norm_squared(), r.weft.dot(&r.warp)];
        for i in 0..3 {
            approx::assert_abs_diff_eq!(square[i], c[i], epsilon = 1e-15);
            approx::assert_abs_diff_eq!(unit[i], [1.0, 1.0, 0.0][i], epsilon = 4e-15);
        }
        assert!(stretch.u[0] > 0.0 && stretch.u[0] * stretch.u[1] > stretch.u[2] * stretch.u[2]);
    }

    #[test]
    fn the_multiplier_solves_its_equation() {
        let stretch = Stretch::from_gradient(&gradient());
        let stress = [3.0, -2.0, 0.7];
        let (l, _) = stretch.multiplier(&stress);
        let back = anticommutator(&stretch.u, &l);
        (0..3).for_each(|i| approx::assert_abs_diff_eq!(back[i], stress[i], epsilon = 1e-14));
    }

    #[test]
    fn a_collapsed_face_has_a_finite_response() {
        let law = PlaneStress::orthotropic([100.0, 200.0], 0.2, 10.0);
        let x = Vector3::x();
        for (weft, warp) in [(x, x), (x, x * 0.0), (x * 0.0, x * 0.0), (x, x * (1.0 + 1e-9))] {
            let response = corotated(&Gradient { weft, warp }, &law);
            assert!(response.stress.iter().chain(response.tangent.iter().flatten()).all(|s| s.is_finite()));
        }
    }
}
