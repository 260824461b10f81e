//! Strain limiting: principal stretches of a face do not exceed a limit, whatever its stiffness.
//!
//! With the singular value `s` of the deformation gradient, its right vector `n` in the rest plane and its
//! left vector `t = F n / s` in space, the constraint is `C = s - s_max <= 0`, and the gradient at a corner
//! is `(n . grad N_k) t`: a projection moves each corner along `t`, by its inverse mass. Momentum is kept.
//! The faces are projected one after the other, in their order; what one corrects, a neighbour may undo in
//! part, so several passes follow each other.

use super::membrane::{Membrane, corners};
use super::sparse::{PackedF64, packed};
use crate::BuildError;
#[cfg(feature = "serde")]
use crate::number;

/// A limit of the principal stretches of faces.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(deny_unknown_fields))]
pub struct StrainLimit {
    /// Largest stretch beyond rest: 0.05 for 5 %. Default: `0.05`.
    #[cfg_attr(feature = "serde", serde(deserialize_with = "number::non_negative"))]
    pub stretch: f32,
    /// Passes over all faces in a substep. Default: `8`.
    #[cfg_attr(feature = "serde", serde(default = "default_passes", deserialize_with = "number::count"))]
    pub passes: u32,
}

impl Default for StrainLimit {
    fn default() -> Self {
        Self { stretch: 0.05, passes: 8 }
    }
}

#[cfg(feature = "serde")]
fn default_passes() -> u32 {
    StrainLimit::default().passes
}

impl StrainLimit {
    pub(crate) fn check(&self) -> Result<(), BuildError> {
        let fault = |name, value, requirement| Err(BuildError::Setting { name, value, requirement });
        if !(self.stretch.is_finite() && self.stretch >= 0.0) {
            return fault("model.strain_limit.stretch", self.stretch, "finite and not negative");
        }
        if self.passes == 0 {
            return fault("model.strain_limit.passes", 0.0, "at least 1");
        }
        Ok(())
    }

    /// Projects positions (m); `w` are inverse masses (1/kg).
    pub(crate) fn apply(&self, membrane: &Membrane, w: &[f32], x: &mut [PackedF64]) {
        let most = 1.0 + f64::from(self.stretch);
        for _ in 0..self.passes {
            let mut is_within = true;
            for (_, element) in membrane.acting() {
                // After the larger stretch, the smaller one may be beyond the limit as well.
                for _ in 0..2 {
                    let f = element.gradient(&corners(element, x));
                    let (uu, vv, uv) = (f.weft.norm_squared(), f.warp.norm_squared(), f.weft.dot(&f.warp));
                    let (mean, half) = (0.5 * (uu + vv), 0.5 * (uu - vv));
                    let radius = (half * half + uv * uv).sqrt();
                    let stretch = (mean + radius).sqrt();
                    if stretch <= most || stretch.is_nan() {
                        break;
                    }
                    is_within = false;
                    // The eigenvector of C, from the row that does not cancel.
                    let (a, b) = if half >= 0.0 { (half + radius, uv) } else { (uv, radius - half) };
                    let length = (a * a + b * b).sqrt();
                    let n = if length > 0.0 { [a / length, b / length] } else { [1.0, 0.0] };
                    let along = (f.weft * n[0] + f.warp * n[1]) / stretch;
                    let rates = element.weights.map(|[u, v]| u * n[0] + v * n[1]);
                    let inv_masses = element.v.map(|v| f64::from(w[v as usize]));
                    let sum: f64 = (0..3).map(|k| inv_masses[k] * rates[k] * rates[k]).sum();
                    if sum > 0.0 {
                        let share = (most - stretch) / sum;
                        for k in 0..3 {
                            x[element.v[k] as usize] += packed(&(along * (share * rates[k] * inv_masses[k])));
                        }
                    }
                }
            }
            if is_within {
                return;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fem::{Element, MembraneMaterial, PlaneStress, StrainMeasure, vector};
    use nalgebra::Vector3;

    /// Two faces that are pulled to one and a half times their size in one direction and sheared, with uneven
    /// masses.
    fn pulled() -> (Membrane, Vec<PackedF64>, Vec<f32>) {
        let rest = [[0.0, 0.0], [0.1, 0.01], [0.02, 0.12], [0.11, 0.13]];
        let start = rest.map(|[u, v]| Vector3::new(u, v, 0.0));
        let face = |v: [u32; 3]| {
            Element::new(v, &v.map(|v| rest[v as usize]), &v.map(|v| start[v as usize]), 0).expect("an area")
        };
        let material = MembraneMaterial::new(PlaneStress::isotropic(100.0, 0.3), 0.0, 0.0);
        let faces = vec![face([0, 1, 2]), face([2, 1, 3])];
        let membrane = Membrane::new(4, faces, vec![material], StrainMeasure::Green);
        let x = start.map(|p| packed(&Vector3::new(1.5 * p.x + 0.4 * p.y, 0.3 * p.x, 1.2 * p.y)));
        (membrane, x.to_vec(), vec![10.0, 30.0, 20.0, 50.0])
    }

    fn largest_stretch(membrane: &Membrane, x: &[PackedF64]) -> f64 {
        let stretches = membrane.elements().iter().map(|e| e.principal_stretches(&corners(e, x))[0]);
        stretches.fold(0.0, f64::max)
    }

    #[test]
    fn stretches_end_at_the_limit_and_momentum_is_kept() {
        let (membrane, mut x, w) = pulled();
        assert!(largest_stretch(&membrane, &x) > 1.5);
        let centre = |x: &[PackedF64]| -> Vector3<f64> {
            x.iter().zip(&w).map(|(x, &w)| vector(x) / f64::from(w)).sum()
        };
        let before = centre(&x);
        StrainLimit { stretch: 0.05, passes: 500 }.apply(&membrane, &w, &mut x);
        assert!(largest_stretch(&membrane, &x) < 1.05 * (1.0 + 1e-6), "{}", largest_stretch(&membrane, &x));
        assert!((centre(&x) - before).norm() < 1e-12);
    }

    #[test]
    fn immovable_vertices_stay_and_what_is_within_the_limit_is_unchanged() {
        let (membrane, mut x, mut w) = pulled();
        (w[0], w[3]) = (0.0, 0.0);
        let before = x.clone();
        StrainLimit { stretch: 0.8, passes: 8 }.apply(&membrane, &w, &mut x);
        assert_eq!(x, before);
        StrainLimit::default().apply(&membrane, &w, &mut x);
        assert!(x[0] == before[0] && x[3] == before[3] && x[1] != before[1] && x[2] != before[2]);
    }
}
