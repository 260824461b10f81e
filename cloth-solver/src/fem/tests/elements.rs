//! Elements: forces and stiffness against differences of the reference, invariance, positive semi-definite
//! projection.

use nalgebra::{DMatrix, Matrix3, Rotation3, Vector3};

use super::scenes::{MEASURES, deformed, element, law};
use crate::fem::element::Element;
use crate::fem::law::{PlaneStress, StiffeningCurve};
use crate::fem::reference;
use crate::fem::strain::StrainMeasure;

fn laws() -> [PlaneStress; 3] {
    let curve = StiffeningCurve::with_threshold(0.02, 5.0);
    [PlaneStress::isotropic(1_000.0, 0.3), law(), law().with_curves([curve; 2])]
}

/// The corners, pulled, squeezed along one thread, and squeezed along both.
fn states() -> Vec<[Vector3<f64>; 3]> {
    let turn = Rotation3::from_euler_angles(-0.4, 0.9, 0.2);
    let squeezed = |u: f64, v: f64| {
        [[0.01, 0.02], [0.035, 0.015], [0.02, 0.05]]
            .map(|[x, y]| turn * Vector3::new(u * x, v * y + 0.1 * x, 0.0))
    };
    vec![deformed(), squeezed(1.1, 0.6), squeezed(0.7, 0.6), squeezed(0.5, 1.3)]
}

fn forces(
    element: &Element,
    law: &PlaneStress,
    measure: StrainMeasure,
    x: &[Vector3<f64>; 3],
) -> [Vector3<f64>; 3] {
    let state = element.state(law, measure, x);
    element.forces(&state.along, &state.response.stress)
}

#[test]
fn strains_and_energies_equal_the_reference() {
    let element = element();
    for (law, measure, x) in cases() {
        let state = element.state(&law, measure, &x);
        let expected = reference::energy(&element, &law, measure, &x) / element.area;
        approx::assert_relative_eq!(state.response.energy, expected, max_relative = 1e-12);
        assert_eq!(element.stress(&law, measure, &x), (state.along, state.response.stress));
    }
}

fn cases() -> Vec<(PlaneStress, StrainMeasure, [Vector3<f64>; 3])> {
    let mut cases = Vec::new();
    for law in laws() {
        for measure in MEASURES {
            cases.extend(states().into_iter().map(|x| (law, measure, x)));
        }
    }
    cases
}

#[test]
fn forces_are_minus_the_differences_of_the_energy_of_the_reference() {
    let element = element();
    for (law, measure, x) in cases() {
        let found = forces(&element, &law, measure, &x);
        // Of size d = 1e-6 L: truncation (d / L)^2 = 1e-12 of the force, rounding eps W / (d F) with W about
        // F L: 2e-10.
        let d = 1e-6 * element.area.sqrt();
        let expected = reference::difference(&x, d, |x| reference::energy(&element, &law, measure, x));
        let size = found.iter().fold(0.0, |most: f64, f| most.max(f.norm()));
        for k in 0..3 {
            for i in 0..3 {
                approx::assert_abs_diff_eq!(found[k][i], -expected[k][i], epsilon = 1e-8 * size);
            }
        }
    }
}

#[test]
fn the_stiffness_is_minus_the_difference_of_the_forces_and_symmetric() {
    let element = element();
    for (law, measure, x) in cases() {
        let state = element.state(&law, measure, &x);
        let (tangent, stress) = state.exact();
        let blocks = element.blocks(&state.along, &tangent, &stress);
        let size = blocks.iter().flatten().fold(0.0, |most: f64, b| most.max(b.norm()));
        let d = 1e-6 * element.area.sqrt();
        let columns = reference::difference(&x, d, |x| {
            let f = forces(&element, &law, measure, x);
            Matrix3::from_columns(&f)
        });
        for (k, l) in (0..9).map(|n| (n / 3, n % 3)) {
            approx::assert_abs_diff_eq!(blocks[k][l], blocks[l][k].transpose(), epsilon = 1e-14 * size);
            for j in 0..3 {
                for i in 0..3 {
                    let expected = -columns[l][j].column(k)[i];
                    approx::assert_abs_diff_eq!(blocks[k][l][(i, j)], expected, epsilon = 2e-8 * size);
                }
            }
        }
    }
}

/// The blocks as one matrix.
fn dense(blocks: &[[Matrix3<f64>; 3]; 3]) -> DMatrix<f64> {
    DMatrix::from_fn(9, 9, |i, j| blocks[i / 3][j / 3][(i % 3, j % 3)])
}

#[test]
fn projected_stiffness_is_positive_semi_definite_where_the_exact_is_not() {
    let element = element();
    let mut indefinite = 0;
    for (law, measure, x) in cases() {
        let state = element.state(&law, measure, &x);
        let least = |(tangent, stress): ([[f64; 3]; 3], [f64; 3])| {
            let values = dense(&element.blocks(&state.along, &tangent, &stress)).symmetric_eigenvalues();
            values.min() / values.amax()
        };
        indefinite += usize::from(least(state.exact()) < -1e-6);
        // Nine rows of rounding.
        assert!(
            least(state.projected()) > -9.0 * f64::EPSILON * 4.0,
            "{measure:?}: {}",
            least(state.projected())
        );
    }
    assert!(indefinite >= 12, "only {indefinite} cases test the projection");
}

#[test]
fn the_projection_changes_nothing_where_a_face_is_pulled() {
    let element = element();
    let x = [[0.0, 0.0], [0.03, 0.0], [0.012, 0.038]].map(|[u, v]| Vector3::new(u, 0.0, v));
    for measure in MEASURES {
        let law = PlaneStress::isotropic(1_000.0, 0.3);
        let state = element.state(&law, measure, &x);
        assert!(measure == StrainMeasure::Cauchy || state.response.stress[0] > 0.0);
        if measure != StrainMeasure::Cauchy {
            assert_eq!(state.projected(), state.exact(), "{measure:?}");
        }
    }
}

#[test]
fn rotation_by_90_degrees_makes_force_only_in_uncorrected_cauchy_strain() {
    let element = element();
    let rest = [[0.01, 0.02], [0.035, 0.015], [0.02, 0.05]];
    let base = Rotation3::from_euler_angles(0.3, -0.7, 1.1);
    for axis in [Vector3::x_axis(), Vector3::y_axis(), Vector3::z_axis()] {
        let turn = Rotation3::from_axis_angle(&axis, std::f64::consts::FRAC_PI_2);
        let x = rest.map(|[u, v]| turn * (base * Vector3::new(u, v, 0.0)) + Vector3::new(3.0, -1.0, 2.0));
        // Rounding of positions of 3 m, over edges of 0.03 m, as strain: times stiffness and the length of a
        // face.
        let rounding = 8.0 * (3.0 * f64::EPSILON / 0.03) * 6_000.0 * 0.05;
        let largest = |measure| {
            forces(&element, &law(), measure, &x).iter().fold(0.0, |most: f64, f| most.max(f.norm()))
        };
        assert!(largest(StrainMeasure::Green) < rounding);
        assert!(largest(StrainMeasure::Corotated) < rounding);
        // A strain of order one.
        assert!(largest(StrainMeasure::Cauchy) > 1.0, "{}", largest(StrainMeasure::Cauchy));
    }
}

#[test]
fn internal_forces_have_no_resultant_and_the_rotation_invariant_ones_no_moment() {
    let element = element();
    for (law, measure, x) in cases() {
        let found = forces(&element, &law, measure, &x);
        let size = found.iter().map(Vector3::norm).sum::<f64>();
        let resultant: Vector3<f64> = found.iter().sum();
        assert!(resultant.norm() <= 4.0 * f64::EPSILON * size);
        if measure != StrainMeasure::Cauchy {
            let moment: Vector3<f64> = (0..3).map(|k| (x[k] - x[0]).cross(&found[k])).sum();
            assert!(moment.norm() <= 64.0 * f64::EPSILON * size * 0.05, "{measure:?}: {}", moment.norm());
        }
    }
}

#[test]
fn principal_stretches_are_the_singular_values_of_the_gradient() {
    let element = element();
    for x in states() {
        let f = element.gradient(&x);
        let svd = nalgebra::Matrix3x2::from_columns(&[f.weft, f.warp]).svd(false, false);
        let found = element.principal_stretches(&x);
        approx::assert_relative_eq!(found[0], svd.singular_values[0], max_relative = 1e-14);
        approx::assert_relative_eq!(found[1], svd.singular_values[1], max_relative = 1e-13);
    }
}
