//! Where a search starts: a tapered capsule along an axis through a set of points, and the axes of a set.

use nalgebra::{Matrix3, Point3, Vector3};

use super::super::WorldProxy;

/// The capsule along a unit vector through the middle of the points; each radius is the mean distance of half
/// of the points from the axis.
///
/// Its caps end where the points end, unless it is wider than long. Without points it is a point at the
/// origin.
pub(super) fn capsule_along(points: &[Point3<f64>], axis: &Vector3<f64>) -> WorldProxy {
    let center = mean(points);
    let (mut low, mut high) = (0.0f64, 0.0f64);
    let mut halves = [(0.0, 0.0); 2];
    for offset in points.iter().map(|p| p - center) {
        let along = offset.dot(axis);
        let half = &mut halves[usize::from(along > 0.0)];
        *half = (half.0 + (offset.norm_squared() - along * along).max(0.0).sqrt(), half.1 + 1.0);
        (low, high) = (low.min(along), high.max(along));
    }
    let radii = halves.map(|(sum, count)| if count > 0.0 { sum / count } else { 0.0 });
    let room = ((high - low) / 2.0).max(0.0);
    let ends = [low + radii[0].min(room), high - radii[1].min(room)];
    WorldProxy { ends: ends.map(|t| center + axis * t), radii }
}

fn mean(points: &[Point3<f64>]) -> Point3<f64> {
    let sum: Vector3<f64> = points.iter().map(|p| p.coords).sum();
    Point3::from(sum / points.len().max(1) as f64)
}

/// The principal axes of a set of points, that of the largest variance first.
pub(super) fn principal_axes(points: &[Point3<f64>]) -> [Vector3<f64>; 3] {
    let center = mean(points);
    let mut covariance = Matrix3::zeros();
    for offset in points.iter().map(|p| p - center) {
        covariance += offset * offset.transpose();
    }
    let (values, vectors) = diagonalise(covariance);
    let mut order = [0, 1, 2];
    order.sort_by(|&a, &b| values[b].total_cmp(&values[a]));
    order.map(|k| vectors.column(k).into_owned())
}

/// Eigenvalues and unit eigenvectors of a symmetric matrix by Jacobi rotations, of square roots alone, so
/// that every platform gets equal bits.
fn diagonalise(mut matrix: Matrix3<f64>) -> (Vector3<f64>, Matrix3<f64>) {
    /// Three rotations each; convergence is quadratic.
    const SWEEPS: usize = 12;
    let mut vectors = Matrix3::identity();
    for _ in 0..SWEEPS {
        for (p, q) in [(0, 1), (0, 2), (1, 2)] {
            let off = matrix[(p, q)];
            let theta = (matrix[(q, q)] - matrix[(p, p)]) / (2.0 * off);
            if off == 0.0 || !theta.is_finite() {
                continue;
            }
            let tan = theta.signum() / (theta.abs() + (theta * theta + 1.0).sqrt());
            let cos = 1.0 / (tan * tan + 1.0).sqrt();
            let mut rotation = Matrix3::identity();
            rotation[(p, p)] = cos;
            rotation[(q, q)] = cos;
            rotation[(p, q)] = tan * cos;
            rotation[(q, p)] = -tan * cos;
            matrix = rotation.transpose() * matrix * rotation;
            vectors *= rotation;
        }
    }
    (matrix.diagonal(), vectors)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn finds_the_axes_of_a_box() {
        let corners = [[3.0, 0.0, 0.0], [-3.0, 0.0, 0.0], [0.0, 0.0, 1.0], [0.0, 2.0, 0.0], [0.0, -2.0, 0.0]];
        let axes = principal_axes(&corners.map(Point3::from));
        assert!(axes[0].x.abs() > 0.999 && axes[1].y.abs() > 0.99 && axes[2].z.abs() > 0.99);
    }

    #[test]
    fn no_points_give_a_point() {
        let start = capsule_along(&[], &Vector3::y());
        assert_eq!(start, WorldProxy { ends: [Point3::origin(); 2], radii: [0.0; 2] });
    }

    proptest! {
        #[test]
        fn eigenvectors_are_only_stretched(
            e in [-3.0..3.0f64, -3.0..3.0, -3.0..3.0, -3.0..3.0, -3.0..3.0, -3.0..3.0],
        ) {
            let matrix = Matrix3::new(e[0], e[1], e[2], e[1], e[3], e[4], e[2], e[4], e[5]);
            let (values, vectors) = diagonalise(matrix);
            prop_assert!((matrix * vectors - vectors * Matrix3::from_diagonal(&values)).norm() < 1e-9);
            prop_assert!((vectors.transpose() * vectors - Matrix3::identity()).norm() < 1e-12);
        }
    }
}
