//! Symmetric matrices of two and three rows: eigenvalues, and the nearest positive semi-definite matrix.

/// The positive semi-definite part of a symmetric 2 x 2 matrix `[uu, vv, uv]`: negative eigenvalues become
/// zero.
#[inline]
pub(crate) fn positive_part_2(s: &[f64; 3]) -> [f64; 3] {
    let (mean, half) = (0.5 * (s[0] + s[1]), 0.5 * (s[0] - s[1]));
    let radius = (half * half + s[2] * s[2]).sqrt();
    let (most, least) = (mean + radius, mean - radius);
    if least >= 0.0 {
        *s
    } else if most <= 0.0 {
        [0.0; 3]
    } else {
        let scale = 0.5 * most / radius;
        [scale * (s[0] - least), scale * (s[1] - least), scale * s[2]]
    }
}

/// The positive semi-definite part of a symmetric 3 x 3 matrix; one that is positive definite is returned as
/// it is.
#[inline]
pub(crate) fn positive_part_3(matrix: &[[f64; 3]; 3]) -> [[f64; 3]; 3] {
    if is_positive_definite(matrix) {
        return *matrix;
    }
    let (values, vectors) = decompose(matrix);
    let mut sum = [[0.0; 3]; 3];
    for (value, vector) in values.iter().zip(&vectors).filter(|(value, _)| **value > 0.0) {
        for i in 0..3 {
            (0..3).for_each(|j| sum[i][j] += value * vector[i] * vector[j]);
        }
    }
    sum
}

/// Newton iterations of [`largest_of_product`]: convergence is quadratic unless eigenvalues are equal, where
/// each iteration still halves what is left, two thirds for three of them.
const ITERATIONS: usize = 2;

/// An upper bound of the largest eigenvalue of the product of two symmetric positive semi-definite matrices,
/// up to rounding.
///
/// The eigenvalues of the product are real and not negative. The root of the sum of their squares is not
/// below the largest, and from there Newton's method on the characteristic polynomial, whose roots are all
/// real, descends to it without passing it.
#[inline]
pub(crate) fn largest_of_product(a: &[[f64; 3]; 3], b: &[[f64; 3]; 3]) -> f64 {
    let p = [0, 1, 2].map(|i| [0, 1, 2].map(|j| a[i][0] * b[0][j] + a[i][1] * b[1][j] + a[i][2] * b[2][j]));
    let trace = p[0][0] + p[1][1] + p[2][2];
    let minors = [[0, 1], [0, 2], [1, 2]].map(|[i, j]| p[i][i] * p[j][j] - p[i][j] * p[j][i]);
    let minors = minors[0] + minors[1] + minors[2];
    let det = determinant(&p);
    let mut most = (trace * trace - 2.0 * minors).max(0.0).sqrt();
    for _ in 0..ITERATIONS {
        let value = ((most - trace) * most + minors) * most - det;
        let slope = (3.0 * most - 2.0 * trace) * most + minors;
        if value > 0.0 && slope > 0.0 {
            most -= value / slope;
        }
    }
    most
}

fn determinant(m: &[[f64; 3]; 3]) -> f64 {
    m[0][0] * (m[1][1] * m[2][2] - m[1][2] * m[2][1]) - m[0][1] * (m[1][0] * m[2][2] - m[1][2] * m[2][0])
        + m[0][2] * (m[1][0] * m[2][1] - m[1][1] * m[2][0])
}

/// By the pivots of its Cholesky decomposition.
fn is_positive_definite(m: &[[f64; 3]; 3]) -> bool {
    let first = m[1][1] * m[0][0] - m[0][1] * m[0][1];
    m[0][0] > 0.0 && first > 0.0 && determinant(m) > 0.0
}

/// Sweeps of Jacobi rotations: convergence is quadratic, and three rows need four at most; the others are a
/// margin.
const SWEEPS: usize = 8;

/// Eigenvalues and eigenvectors of a symmetric 3 x 3 matrix by cyclic Jacobi rotations (Golub and Van Loan
/// 2013, section 8.5).
fn decompose(matrix: &[[f64; 3]; 3]) -> ([f64; 3], [[f64; 3]; 3]) {
    let mut a = *matrix;
    // Rows are the eigenvectors.
    let mut v = [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];
    for _ in 0..SWEEPS {
        for [p, q] in [[0, 1], [0, 2], [1, 2]] {
            if a[p][q] != 0.0 {
                rotate(&mut a, &mut v, p, q);
            }
        }
    }
    ([a[0][0], a[1][1], a[2][2]], v)
}

/// The rotation that makes `a[p][q]` zero.
fn rotate(a: &mut [[f64; 3]; 3], v: &mut [[f64; 3]; 3], p: usize, q: usize) {
    let theta = (a[q][q] - a[p][p]) / (2.0 * a[p][q]);
    let t = theta.signum() / (theta.abs() + (theta * theta + 1.0).sqrt());
    let c = 1.0 / (t * t + 1.0).sqrt();
    let s = t * c;
    for row in a.iter_mut() {
        (row[p], row[q]) = (c * row[p] - s * row[q], s * row[p] + c * row[q]);
    }
    for k in 0..3 {
        (a[p][k], a[q][k]) = (c * a[p][k] - s * a[q][k], s * a[p][k] + c * a[q][k]);
        (v[p][k], v[q][k]) = (c * v[p][k] - s * v[q][k], s * v[p][k] + c * v[q][k]);
    }
    (a[p][q], a[q][p]) = (0.0, 0.0);
}

#[cfg(test)]
mod tests {
    use super::*;

    const MATRICES: [[[f64; 3]; 3]; 5] = [
        [[2.0, 1.0, 0.5], [1.0, -3.0, 0.2], [0.5, 0.2, 1.0]],
        [[-2.0, 0.0, 0.0], [0.0, -3.0, 1.0], [0.0, 1.0, -1.0]],
        [[1e6, 2.0, 0.0], [2.0, 1e-3, 0.0], [0.0, 0.0, -1.0]],
        [[1.0, 1.0, 1.0], [1.0, 1.0, 1.0], [1.0, 1.0, 1.0]],
        [[0.0; 3]; 3],
    ];

    #[test]
    fn the_decomposition_gives_the_matrix_back() {
        for matrix in &MATRICES {
            let (values, vectors) = decompose(matrix);
            let size = matrix.iter().flatten().fold(0.0, |most: f64, x| most.max(x.abs()));
            for i in 0..3 {
                for j in 0..3 {
                    let back: f64 = (0..3).map(|k| values[k] * vectors[k][i] * vectors[k][j]).sum();
                    approx::assert_abs_diff_eq!(back, matrix[i][j], epsilon = 16.0 * f64::EPSILON * size);
                }
            }
        }
    }

    #[test]
    fn positive_part_of_three_rows_has_exactly_the_positive_eigenvalues() {
        for matrix in &MATRICES {
            let part = positive_part_3(matrix);
            let (values, _) = decompose(matrix);
            let (left, _) = decompose(&part);
            let size = values.iter().fold(0.0, |most: f64, x| most.max(x.abs()));
            let sum = |values: &[f64]| values.iter().map(|x| x.max(0.0)).sum::<f64>();
            approx::assert_abs_diff_eq!(sum(&left), sum(&values), epsilon = 16.0 * f64::EPSILON * size);
            assert!(left.iter().all(|&x| x >= -16.0 * f64::EPSILON * size), "{left:?}");
        }
        let definite = [[2.0, 0.5, 0.1], [0.5, 1.0, 0.2], [0.1, 0.2, 3.0]];
        assert_eq!(positive_part_3(&definite), definite);
    }

    #[test]
    fn the_positive_part_of_two_rows_equals_that_of_three() {
        for s in [[2.0, 1.0, 0.5], [2.0, -1.0, 0.5], [-2.0, -1.0, 0.5], [0.1, 0.2, -3.0], [0.0; 3]] {
            let part = positive_part_2(&s);
            // The third row keeps the matrix from being definite, and its part is zero.
            let three = positive_part_3(&[[s[0], s[2], 0.0], [s[2], s[1], 0.0], [0.0, 0.0, -1.0]]);
            let expected = [three[0][0], three[1][1], three[0][1]];
            (0..3).for_each(|i| approx::assert_abs_diff_eq!(part[i], expected[i], epsilon = 1e-14));
        }
    }

    #[test]
    fn the_largest_eigenvalue_of_a_product_is_bounded_closely() {
        let definite = [[2.0, 0.5, 0.1], [0.5, 1.0, 0.2], [0.1, 0.2, 3.0]];
        let unit = [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];
        for matrix in MATRICES.iter().chain([&unit, &definite]) {
            let part = positive_part_3(matrix);
            for other in [&unit, &definite] {
                let bound = largest_of_product(&part, other);
                let dense = |m: &[[f64; 3]; 3]| nalgebra::Matrix3::from_fn(|i, j| m[i][j]);
                let eigenvalues = (dense(&part) * dense(other)).complex_eigenvalues();
                let most = eigenvalues.iter().fold(0.0, |most: f64, e| most.max(e.re));
                // Three equal eigenvalues are the slowest: (sqrt(3) - 1) (2/3)^2 = 0.326 is left.
                assert!(bound >= most * (1.0 - 1e-12) && bound <= most * 1.33, "{bound} {most}");
            }
        }
    }
}
