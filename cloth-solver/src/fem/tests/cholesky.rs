//! The sparse decomposition against the dense one, and a swing with both solvers.

use nalgebra::Vector3;

use super::assemblies::{dense, sheets, system};
use super::scenes::{Motion, Sheet, law};
use crate::fem::cholesky::Cholesky;
use crate::fem::conjugate_gradients::Stop;
use crate::fem::{FemSettings, LinearSolver, MembraneMaterial, PackedF64, StrainMeasure, packed, reference};

const STOP: Stop = Stop { tolerance: 1e-6, scale: 1.0, iterations: 1 };

#[test]
fn the_sparse_decomposition_equals_the_dense_one() {
    for sheet in sheets() {
        let (matrix, right) = system(&sheet);
        let count = right.len();
        let free: Vec<bool> = (0..count).map(|i| i % 11 != 0).collect();
        let given: Vec<PackedF64> =
            (0..count).map(|i| packed(&Vector3::new(1e-3 * i as f64, 0.0, 1e-3))).collect();
        let full = matrix.to_dense();
        let expected = reference::solve(&full, &dense(&right), &free, &dense(&given));
        let mut x = given.clone();
        let mut cholesky = Cholesky::new(&matrix, count).unwrap();
        let report = cholesky.solve(&matrix, &right, &free, STOP, &mut x).unwrap();
        // Both are backward stable: the error is the condition, largest over least eigenvalue, times the
        // rounding of a row of the factor.
        let least = sheet.masses.iter().copied().fold(f64::INFINITY, f64::min);
        let largest = full.column_iter().fold(0.0, |most: f64, column| most.max(column.lp_norm(1)));
        let rounding = 3.0 * count as f64 * f64::EPSILON * largest / least * expected.norm();
        assert!((dense(&x) - &expected).norm() <= rounding && rounding < 1e-6 * expected.norm());
        assert!(report.residual <= 1e-12 * dense(&right).norm().max(largest * expected.norm()), "{report:?}");
        (0..count).filter(|&i| !free[i]).for_each(|i| assert_eq!(x[i], given[i]));
    }
}

#[test]
fn a_matrix_that_is_not_positive_definite_is_left_to_conjugate_gradients() {
    for entry in [-1.0, 0.0, f64::NAN] {
        let sheet = Sheet::new(5, 0.5, StrainMeasure::Corotated, MembraneMaterial::new(law(), 0.0, 0.0));
        let mut matrix = sheet.membrane.matrix();
        let count = sheet.rest.len();
        matrix.set_diagonal((0..count).map(|i| if i == 7 { entry } else { 1.0 }));
        let mut x = sheet.rest.clone();
        let mut cholesky = Cholesky::new(&matrix, count).unwrap();
        assert_eq!(cholesky.solve(&matrix, &sheet.rest, &vec![true; count], STOP, &mut x), None, "{entry}");
        assert_eq!(x, sheet.rest);
    }
}

#[test]
fn a_swing_is_the_same_with_both_solvers_to_their_residuals() {
    let sheet = Sheet::new(9, 0.5, StrainMeasure::Corotated, MembraneMaterial::new(law(), 0.0, 2e-3));
    let [by_gradients, by_factors] =
        [LinearSolver::ConjugateGradients, LinearSolver::Cholesky].map(|solver| {
            let settings = FemSettings { linear_solver: solver, tolerance: 1e-9, ..FemSettings::default() };
            let mut motion = Motion::new(&sheet, settings);
            motion.gravity = PackedF64::new(0.0, -9.81, 0.0, 0.0);
            motion.pin(0);
            motion.pin(8);
            let mut iterations = 0;
            for _ in 0..100 {
                let report = motion.step(2e-3);
                iterations += report.solve.iterations;
                assert!(report.solve.residual <= 1e-9, "{report:?}");
            }
            assert_eq!(iterations == 0, solver == LinearSolver::Cholesky);
            motion.x
        });
    let swung = (dense(&by_gradients) - dense(&sheet.rest)).norm();
    let apart = (dense(&by_gradients) - dense(&by_factors)).norm();
    assert!(swung > 0.5 && apart < 1e-5 * swung, "{apart} m of {swung} m");
}
