//! Plane stress: membrane stress as a function of strain, for isotropic and for woven sheets.
//!
//! Strains are in Voigt order `[weft, warp, shear]`, with the engineering shear `2 e_weft,warp`; stresses in
//! N/m, force per width of the sheet. Zhang et al. 2014, equation (8), for a sheet with modulus `E` and
//! Poisson ratio `p`:
//!
//! ```text
//!   stress = E / (1 - p^2) [ 1  p      0      ] strain
//!                          [ p  1      0      ]
//!                          [ 0  0  (1 - p)/2  ]
//! ```
//!
//! A woven sheet has a modulus along each thread and a shear modulus of its own. Its Poisson ratio is the
//! geometric mean of the two that are measured (along weft and along warp), which differ as the moduli do, so
//! that the matrix is symmetric.

use crate::BuildError;
#[cfg(feature = "serde")]
use crate::number;

/// Segments of a [`StiffeningCurve`] beyond the first.
pub const MAX_SEGMENTS: usize = 3;

/// A segment of a [`StiffeningCurve`].
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(deny_unknown_fields))]
pub struct Segment {
    /// Strain at which it begins.
    #[cfg_attr(feature = "serde", serde(deserialize_with = "number::positive"))]
    pub threshold: f32,
    /// Its modulus, relative to that below all thresholds.
    #[cfg_attr(feature = "serde", serde(deserialize_with = "number::positive"))]
    pub factor: f32,
}

/// Membrane stiffness by segments of the strain along one thread: the piecewise modulus of Zhang et al. 2014,
/// section 3.2.
///
/// Below the first threshold, and in compression, the modulus is that of the material. Stress is continuous
/// (C0) in strain; the modulus jumps at a threshold.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct StiffeningCurve {
    /// The segments by ascending threshold; none for one modulus.
    pub segments: [Option<Segment>; MAX_SEGMENTS],
}

impl StiffeningCurve {
    /// One modulus for all strains.
    pub const CONSTANT: Self = Self { segments: [None; MAX_SEGMENTS] };

    /// Two segments: beyond `threshold` the modulus is `factor` times that of the material.
    #[must_use]
    pub fn with_threshold(threshold: f32, factor: f32) -> Self {
        let mut curve = Self::CONSTANT;
        curve.segments[0] = Some(Segment { threshold, factor });
        curve
    }

    pub(crate) fn check(&self, name: &'static str) -> Result<(), BuildError> {
        let fault = |value, requirement| Err(BuildError::Setting { name, value, requirement });
        let mut below = 0.0;
        for Segment { threshold, factor } in self.segments.iter().flatten() {
            if !(threshold.is_finite() && *threshold > below) {
                return fault(*threshold, "thresholds finite, greater than zero and ascending");
            }
            if !(factor.is_finite() && *factor > 0.0) {
                return fault(*factor, "factors finite and greater than zero");
            }
            below = *threshold;
        }
        Ok(())
    }

    /// For a unit modulus and a strain: energy, stress and modulus in addition to those of the first segment.
    #[inline]
    fn addition(&self, strain: f64) -> [f64; 3] {
        let (mut sum, mut factor) = ([0.0; 3], 1.0);
        for segment in self.segments.iter().flatten() {
            let (excess, next) = (strain - f64::from(segment.threshold), f64::from(segment.factor));
            if excess > 0.0 {
                let change = next - factor;
                sum = [sum[0] + 0.5 * change * excess * excess, sum[1] + change * excess, sum[2] + change];
            }
            factor = next;
        }
        sum
    }
}

/// Stiffness along both threads by segments of the strain along them.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(default, deny_unknown_fields))]
pub struct Stiffening {
    /// Along the weft.
    pub weft: StiffeningCurve,
    /// Along the warp.
    pub warp: StiffeningCurve,
}

impl Stiffening {
    /// One modulus for all strains.
    pub const CONSTANT: Self = Self { weft: StiffeningCurve::CONSTANT, warp: StiffeningCurve::CONSTANT };
}

/// The law of a sheet in plane stress.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PlaneStress {
    /// The matrix (N/m) below all thresholds.
    matrix: [[f64; 3]; 3],
    /// Moduli (N/m) along weft and warp, and how they change with strain.
    moduli: [f64; 2],
    curves: [StiffeningCurve; 2],
}

/// What a law makes of a strain.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LawResponse {
    /// Energy (J/m2).
    pub energy: f64,
    /// Stress (N/m).
    pub stress: [f64; 3],
    /// Derivative of stress by strain (N/m), symmetric.
    pub tangent: [[f64; 3]; 3],
}

impl PlaneStress {
    /// Equation (8): modulus (N/m) and Poisson ratio. Positive definite for a positive modulus and a ratio
    /// between -1 and 1.
    #[must_use]
    pub fn isotropic(modulus: f64, poisson: f64) -> Self {
        Self::orthotropic([modulus; 2], poisson, 0.5 * modulus / (1.0 + poisson))
    }

    /// A woven sheet: moduli (N/m) along weft and warp, the geometric mean of its Poisson ratios, and its
    /// shear modulus (N/m).
    #[must_use]
    pub fn orthotropic([weft, warp]: [f64; 2], poisson: f64, shear: f64) -> Self {
        let share = 1.0 / (1.0 - poisson * poisson);
        let cross = poisson * (weft * warp).sqrt() * share;
        Self {
            matrix: [[weft * share, cross, 0.0], [cross, warp * share, 0.0], [0.0, 0.0, shear]],
            moduli: [weft, warp],
            curves: [StiffeningCurve::CONSTANT; 2],
        }
    }

    /// The same with moduli along weft and warp that depend on the strain along them.
    #[must_use]
    pub fn with_curves(self, curves: [StiffeningCurve; 2]) -> Self {
        Self { curves, ..self }
    }

    /// The matrix (N/m) below all thresholds.
    #[must_use]
    pub fn matrix(&self) -> &[[f64; 3]; 3] {
        &self.matrix
    }

    /// Stress (N/m) at a strain: that of [`PlaneStress::respond`], bit by bit.
    #[inline]
    #[must_use]
    pub fn stress(&self, strain: &[f64; 3]) -> [f64; 3] {
        let mut stress = times(&self.matrix, strain);
        for i in 0..2 {
            if strain[i] > 0.0 && self.curves[i].segments[0].is_some() {
                stress[i] += self.moduli[i] * self.curves[i].addition(strain[i])[1];
            }
        }
        stress
    }

    /// Energy, stress and tangent at a strain.
    #[inline]
    #[must_use]
    pub fn respond(&self, strain: &[f64; 3]) -> LawResponse {
        let mut stress = times(&self.matrix, strain);
        let mut tangent = self.matrix;
        let mut energy = 0.5 * (stress[0] * strain[0] + stress[1] * strain[1] + stress[2] * strain[2]);
        for i in 0..2 {
            if strain[i] > 0.0 && self.curves[i].segments[0].is_some() {
                let [e, s, t] = self.curves[i].addition(strain[i]);
                energy += self.moduli[i] * e;
                stress[i] += self.moduli[i] * s;
                tangent[i][i] += self.moduli[i] * t;
            }
        }
        LawResponse { energy, stress, tangent }
    }
}

/// A matrix times a vector.
#[inline]
pub(crate) fn times(matrix: &[[f64; 3]; 3], x: &[f64; 3]) -> [f64; 3] {
    let row = |m: &[f64; 3]| m[0] * x[0] + m[1] * x[1] + m[2] * x[2];
    [row(&matrix[0]), row(&matrix[1]), row(&matrix[2])]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_isotropic_law_is_equation_8() {
        let (e, p) = (1_000.0, 0.3);
        let law = PlaneStress::isotropic(e, p);
        let share = e / (1.0 - p * p);
        let expected =
            [[share, share * p, 0.0], [share * p, share, 0.0], [0.0, 0.0, share * (1.0 - p) / 2.0]];
        for (row, expected) in law.matrix().iter().zip(&expected) {
            for (x, y) in row.iter().zip(expected) {
                approx::assert_relative_eq!(x, y, max_relative = 4.0 * f64::EPSILON);
            }
        }
    }

    #[test]
    fn a_pull_along_a_thread_narrows_the_sheet_by_its_ratio() {
        let ([weft, warp], p) = ([4_500.0, 6_000.0], 0.25);
        let law = PlaneStress::orthotropic([weft, warp], p, 60.0);
        // Solves stress[0] = 0 at a strain of 1 along the warp: the ratio of the warp is p sqrt(E_warp /
        // E_weft).
        let narrowing = law.matrix()[0][1] / law.matrix()[0][0];
        approx::assert_relative_eq!(narrowing, p * (warp / weft).sqrt(), max_relative = 1e-14);
        let pulled = law.respond(&[-narrowing, 1.0, 0.0]);
        approx::assert_relative_eq!(pulled.stress[1], warp, max_relative = 1e-14);
    }

    #[test]
    fn stress_of_a_curve_is_continuous_with_the_moduli_of_its_segments() {
        let segment = |threshold, factor| Some(Segment { threshold, factor });
        let curve = StiffeningCurve { segments: [segment(0.02, 4.0), segment(0.05, 0.5), None] };
        let law = PlaneStress::orthotropic([100.0, 200.0], 0.2, 10.0).with_curves([curve; 2]);
        let stress = |e: f64| law.stress(&[0.0, e, 0.0])[1];
        let first = law.matrix()[1][1];
        let slope = |a: f64, b: f64| (stress(b) - stress(a)) / (b - a);
        let thresholds = [0.02_f32, 0.05].map(f64::from);
        approx::assert_relative_eq!(slope(-0.3, thresholds[0]), first, max_relative = 1e-12);
        approx::assert_relative_eq!(
            slope(thresholds[0], thresholds[1]),
            first + 3.0 * 200.0,
            max_relative = 1e-12
        );
        approx::assert_relative_eq!(slope(thresholds[1], 0.3), first - 0.5 * 200.0, max_relative = 1e-12);
        for threshold in thresholds {
            let step = threshold.next_up() - threshold.next_down();
            assert!((stress(threshold.next_up()) - stress(threshold.next_down())).abs() <= 2_000.0 * step);
        }
    }

    #[test]
    fn stress_is_the_derivative_of_energy_and_tangent_that_of_stress() {
        let curve = StiffeningCurve::with_threshold(0.03, 6.0);
        let law = PlaneStress::orthotropic([100.0, 200.0], 0.2, 10.0).with_curves([curve; 2]);
        let strain = [0.05, 0.01, -0.04];
        let response = law.respond(&strain);
        assert_eq!(law.stress(&strain), response.stress);
        // Energy and stress are polynomials of degree two and one between thresholds: central differences
        // have rounding only.
        let d = 1e-3;
        for j in 0..3 {
            let at = |change: f64| {
                let mut strain = strain;
                strain[j] += change;
                law.respond(&strain)
            };
            let (plus, minus) = (at(d), at(-d));
            let energy = (plus.energy - minus.energy) / (2.0 * d);
            approx::assert_relative_eq!(energy, response.stress[j], max_relative = 1e-10);
            for i in 0..3 {
                let stress = (plus.stress[i] - minus.stress[i]) / (2.0 * d);
                approx::assert_relative_eq!(stress, response.tangent[i][j], epsilon = 1e-9);
            }
        }
    }

    #[test]
    fn a_curve_out_of_range_is_refused() {
        assert!(StiffeningCurve::CONSTANT.check("curve").is_ok());
        assert!(StiffeningCurve::with_threshold(0.02, 3.0).check("curve").is_ok());
        for (threshold, factor) in [(0.0, 2.0), (-0.1, 2.0), (f32::NAN, 2.0), (0.1, 0.0), (0.1, f32::NAN)] {
            assert!(StiffeningCurve::with_threshold(threshold, factor).check("curve").is_err());
        }
        let segments = [0.2, 0.1].map(|threshold| Some(Segment { threshold, factor: 1.0 }));
        let descending = StiffeningCurve { segments: [segments[0], segments[1], None] };
        assert!(descending.check("curve").is_err());
    }
}
