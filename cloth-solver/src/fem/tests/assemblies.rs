//! Assemblies, the sparse matrix, and the solver, each against its obvious version.

use nalgebra::{DVector, Vector3};

use super::scenes::{MEASURES, Sheet, law, wavy};
use crate::fem::conjugate_gradients::{ConjugateGradients, Stop};
use crate::fem::global::GlobalStiffness;
use crate::fem::membrane::{Factors, corners};
use crate::fem::{
    MembraneMaterial, PackedF64, PlaneStress, StiffeningCurve, StrainMeasure, packed, reference, vector,
};

pub(super) fn sheets() -> Vec<Sheet> {
    let curve = StiffeningCurve::with_threshold(0.02, 5.0);
    let laws = [PlaneStress::isotropic(1_000.0, 0.3), law(), law().with_curves([curve; 2])];
    let material = |law| MembraneMaterial::new(law, 1e-3, 2e-3);
    let of_law = |law| MEASURES.map(|measure| Sheet::new(7, 0.5, measure, material(law)));
    laws.into_iter().flat_map(of_law).collect()
}

pub(super) fn dense(x: &[PackedF64]) -> DVector<f64> {
    DVector::from_iterator(3 * x.len(), x.iter().flat_map(|p| [p.x, p.y, p.z]))
}

#[test]
fn both_assemblies_give_the_same_forces_but_for_rounding() {
    for sheet in sheets() {
        let x = wavy(&sheet.rest);
        let direct = sheet.forces(&x);
        let mut global = GlobalStiffness::new(&sheet.membrane);
        global.assemble(&sheet.membrane, &x);
        let mut forces = vec![PackedF64::zeros(); x.len()];
        global.add_forces(&x, &mut forces);
        // The global form subtracts sums of stiffness times position: 14 products of 6 kN/m and 0.5 m, each
        // rounded.
        let rounding = 14.0 * 4.0 * f64::EPSILON * 6_000.0 * 5.0 * 0.5;
        let largest = direct.iter().fold(0.0, |most: f64, f| most.max(f.norm()));
        assert!(largest > 0.5, "{largest} N test nothing");
        for (a, b) in direct.iter().zip(&forces) {
            assert!((a - b).norm() < rounding, "{:?}: {a} {b}", sheet.membrane.measure());
        }
    }
}

#[test]
fn one_pass_gives_elastic_plus_viscous_forces_up_to_rounding() {
    for sheet in sheets() {
        let x = wavy(&sheet.rest);
        let v: Vec<PackedF64> = x.iter().map(|p| packed(&Vector3::new(p.z, p.x * p.x, 2.0 * p.x))).collect();
        let (mut one, mut two) = (sheet.forces(&x), vec![PackedF64::zeros(); x.len()]);
        let elastic = one.clone();
        sheet.membrane.add_viscous_forces(&x, &v, &mut one);
        sheet.membrane.add_all_forces(&x, &v, &mut two);
        let viscous = one.iter().zip(&elastic).fold(0.0, |most: f64, (a, b)| most.max((a - b).norm()));
        assert!(viscous > 1e-3, "{viscous} N test nothing");
        // Eight faces at a vertex, each of 6 kN/m, a strain of 0.1 and an edge of 0.1 m, with a dozen
        // roundings.
        let rounding = 8.0 * 12.0 * f64::EPSILON * 6_000.0 * 5.0 * 0.1 * 0.1;
        for (a, b) in one.iter().zip(&two) {
            assert!((a - b).norm() < rounding, "{:?}: {a} {b}", sheet.membrane.measure());
        }
    }
}

#[test]
fn the_decomposition_of_a_straight_thread_is_complete() {
    let law = PlaneStress::orthotropic([1e-9, 6_000.0], 0.0, 1e-9);
    let material = MembraneMaterial::new(law, 0.0, 0.0);
    let sheet = Sheet::regular([2, 40], [0.1, 2.0], StrainMeasure::Cauchy, material);
    let mut matrix = sheet.membrane.matrix();
    matrix.set_diagonal(sheet.masses.iter().copied());
    let factors = Factors { stiffness: 1e-4, viscosity: 0.0 };
    sheet.membrane.add_stiffness(&sheet.rest, &sheet.rest, factors, &mut matrix);
    let count = sheet.rest.len();
    let right: Vec<PackedF64> =
        (0..count).map(|i| PackedF64::new(0.0, 0.0, libm::sin(i as f64), 0.0)).collect();
    let mut x = vec![PackedF64::zeros(); count];
    let stop = Stop { tolerance: 1e-9, scale: dense(&right).norm(), iterations: 1000 };
    let report = ConjugateGradients::new(count).solve(&matrix, &right, &vec![true; count], stop, &mut x);
    assert!(report.iterations <= 2 && report.residual <= 1e-9, "{report:?}");
}

#[test]
fn forces_are_those_of_the_elements_of_the_reference() {
    for sheet in sheets() {
        let x = wavy(&sheet.rest);
        let mut expected = vec![Vector3::zeros(); x.len()];
        for element in sheet.membrane.elements() {
            let law = &sheet.membrane.material(element).law;
            let own = reference::difference(&corners(element, &x), 1e-7, |x| {
                reference::energy(element, law, sheet.membrane.measure(), x)
            });
            (0..3).for_each(|k| expected[element.v[k] as usize] -= Vector3::from(own[k]));
        }
        let found = sheet.forces(&x);
        let size = found.iter().fold(0.0, |most: f64, f| most.max(f.norm()));
        for (a, b) in found.iter().zip(&expected) {
            assert!((vector(a) - b).norm() < 1e-6 * size, "{a} {b}");
        }
    }
}

#[test]
fn internal_forces_of_a_sheet_have_neither_resultant_nor_moment() {
    for sheet in sheets() {
        let x = wavy(&sheet.rest);
        let forces = sheet.forces(&x);
        let size: f64 = forces.iter().map(PackedF64::norm).sum();
        let resultant: PackedF64 = forces.iter().sum();
        assert!(resultant.norm() <= 8.0 * f64::EPSILON * size);
        if sheet.membrane.measure() != StrainMeasure::Cauchy {
            let moment: Vector3<f64> = x.iter().zip(&forces).map(|(x, f)| vector(x).cross(&vector(f))).sum();
            assert!(moment.norm() <= 32.0 * f64::EPSILON * size, "{}", moment.norm());
        }
    }
}

/// The matrix of an implicit step of 1 ms at a wavy state, with its right side of random numbers.
pub(super) fn system(sheet: &Sheet) -> (crate::fem::sparse::BlockMatrix, Vec<PackedF64>) {
    let x = wavy(&sheet.rest);
    let h = 1e-3;
    let mut matrix = sheet.membrane.matrix();
    matrix.set_diagonal(sheet.masses.iter().copied());
    let factors = Factors { stiffness: h * h, viscosity: h };
    sheet.membrane.add_stiffness(&x, &x, factors, &mut matrix);
    let right = (0..x.len()).map(|i| {
        let at = |k: usize| libm::sin((3 * i + k) as f64 * 1.7) * 1e-4;
        packed(&Vector3::new(at(0), at(1), at(2)))
    });
    (matrix, right.collect())
}

#[test]
fn the_sparse_product_equals_the_dense_one_and_the_matrix_is_symmetric() {
    for sheet in sheets() {
        let (matrix, x) = system(&sheet);
        let mut product = vec![PackedF64::zeros(); x.len()];
        matrix.multiply(&x, &mut product);
        let full = matrix.to_dense();
        assert!((&full - full.transpose()).amax() <= 4.0 * f64::EPSILON * full.amax());
        assert!((dense(&product) - &full * dense(&x)).amax() <= 64.0 * f64::EPSILON * full.amax() * 1e-4);
    }
}

#[test]
fn conjugate_gradients_agree_with_cholesky_to_their_residual() {
    for sheet in sheets() {
        let (matrix, right) = system(&sheet);
        let count = right.len();
        let free: Vec<bool> = (0..count).map(|i| i % 11 != 0).collect();
        let guess: Vec<PackedF64> =
            (0..count).map(|i| packed(&Vector3::new(1e-3 * i as f64, 0.0, 1e-3))).collect();
        let full = matrix.to_dense();
        let expected = reference::solve(&full, &dense(&right), &free, &dense(&guess));
        let mut x = guess.clone();
        let scale = dense(&right).norm();
        let stop = Stop { tolerance: 1e-10, scale, iterations: 1000 };
        let report = ConjugateGradients::new(count).solve(&matrix, &right, &free, stop, &mut x);
        assert!(report.residual <= 1e-10 && report.iterations > 5, "{report:?}");
        // |dx| <= |residual| / least eigenvalue, which is at least the least mass.
        let least = sheet.masses.iter().copied().fold(f64::INFINITY, f64::min);
        assert!((dense(&x) - expected).norm() <= 1e-10 * scale / least);
        (0..count).filter(|&i| !free[i]).for_each(|i| assert_eq!(x[i], guess[i]));
    }
}

#[test]
fn the_bits_of_a_solve_do_not_depend_on_threads() {
    let material = MembraneMaterial::new(law(), 1e-3, 2e-3);
    let sheet = Sheet::new(40, 0.5, StrainMeasure::Corotated, material);
    let (matrix, right) = system(&sheet);
    let solved = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().expect("a pool");
        let mut x = vec![PackedF64::zeros(); right.len()];
        let stop = Stop { tolerance: 1e-8, scale: dense(&right).norm(), iterations: 1000 };
        let free = vec![true; right.len()];
        let mut solver = ConjugateGradients::new(right.len());
        pool.install(|| solver.solve(&matrix, &right, &free, stop, &mut x));
        x.iter().flat_map(|p| p.iter().map(|c| c.to_bits()).collect::<Vec<_>>()).collect::<Vec<_>>()
    };
    assert_eq!(solved(1), solved(3));
}

#[test]
fn a_solve_with_a_nan_ends() {
    let material = MembraneMaterial::new(law(), 0.0, 0.0);
    let sheet = Sheet::new(5, 0.5, StrainMeasure::Green, material);
    let (matrix, mut right) = system(&sheet);
    right[3].x = f64::NAN;
    let mut x = vec![PackedF64::zeros(); right.len()];
    let stop = Stop { tolerance: 1e-8, scale: 1.0, iterations: 1000 };
    let free = vec![true; right.len()];
    let report = ConjugateGradients::new(right.len()).solve(&matrix, &right, &free, stop, &mut x);
    assert!(report.iterations <= 1);
}
