//! The obvious version of energy, forces, stiffness and solution: dense matrices, a singular value
//! decomposition and differences.

use nalgebra::{DMatrix, DVector, Matrix2, Matrix3x2, Vector3};

use super::element::Element;
use super::law::PlaneStress;
use super::strain::StrainMeasure;

/// Strain in Voigt order from the definition of each measure.
pub(super) fn strain(element: &Element, measure: StrainMeasure, x: &[Vector3<f64>; 3]) -> [f64; 3] {
    let f = gradient(element, x);
    let e = match measure {
        StrainMeasure::Green => (f.transpose() * f - Matrix2::identity()) * 0.5,
        StrainMeasure::Corotated => {
            let svd = f.svd(false, true);
            let v = svd.v_t.expect("asked for");
            v.transpose() * Matrix2::from_diagonal(&svd.singular_values) * v - Matrix2::identity()
        }
        StrainMeasure::Cauchy => {
            let start = Matrix3x2::from_columns(&[element.start.weft, element.start.warp]);
            let displaced = start.transpose() * f;
            (displaced + displaced.transpose()) * 0.5 - Matrix2::identity()
        }
    };
    [e[(0, 0)], e[(1, 1)], 2.0 * e[(0, 1)]]
}

fn gradient(element: &Element, x: &[Vector3<f64>; 3]) -> Matrix3x2<f64> {
    (0..3).fold(Matrix3x2::zeros(), |sum, k| {
        let [u, v] = element.weights[k];
        sum + x[k] * nalgebra::RowVector2::new(u, v)
    })
}

/// Energy (J) of an element.
pub(super) fn energy(
    element: &Element,
    law: &PlaneStress,
    measure: StrainMeasure,
    x: &[Vector3<f64>; 3],
) -> f64 {
    element.area * law.respond(&strain(element, measure, x)).energy
}

/// The central difference of a function of the corners by each of their nine coordinates.
pub(super) fn difference<T>(
    x: &[Vector3<f64>; 3],
    d: f64,
    value: impl Fn(&[Vector3<f64>; 3]) -> T,
) -> [[T; 3]; 3]
where
    T: std::ops::Sub<Output = T> + std::ops::Div<f64, Output = T>,
{
    [0, 1, 2].map(|k| {
        [0, 1, 2].map(|i| {
            let at = |change: f64| {
                let mut x = *x;
                x[k][i] += change;
                value(&x)
            };
            (at(d) - at(-d)) / (2.0 * d)
        })
    })
}

/// Solves a system whose other unknowns are given, by Cholesky's decomposition.
pub(super) fn solve(
    matrix: &DMatrix<f64>,
    right: &DVector<f64>,
    free: &[bool],
    given: &DVector<f64>,
) -> DVector<f64> {
    let rows: Vec<usize> = (0..right.len()).filter(|i| free[i / 3]).collect();
    let known = (0..right.len()).filter(|i| !free[i / 3]).collect::<Vec<_>>();
    let own = matrix.select_rows(&rows).select_columns(&rows);
    let of_known = matrix.select_rows(&rows).select_columns(&known) * given.select_rows(&known);
    let solved = own.cholesky().expect("positive definite").solve(&(right.select_rows(&rows) - of_known));
    let mut all = given.clone();
    rows.iter().enumerate().for_each(|(n, &row)| all[row] = solved[n]);
    all
}
