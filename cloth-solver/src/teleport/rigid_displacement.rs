//! Rigid motions of sets of points: the best one between two, and the way that leads along it.

use nalgebra::{Isometry3, Matrix4, Point3, Quaternion, UnitQuaternion, Vector3, Vector4};

/// Where a point is (m), and where it is to be.
pub(crate) type Ends = [Point3<f64>; 2];

/// Eigenvalues are equal if they differ by less than this share of the largest: points that are within 0.7 %
/// of a line leave the turn about the line open.
const DEGENERATE: f64 = 1.0e-4;

/// A rigid motion: a turn about `from`, which goes to `to`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct RigidDisplacement {
    rotation: UnitQuaternion<f64>,
    from: Point3<f64>,
    to: Point3<f64>,
}

impl RigidDisplacement {
    /// The motion that takes the points nearest to their ends (least squares; Horn 1987, "Closed-form
    /// solution of absolute orientation using unit quaternions"). Of those that are equally good, it is the
    /// one of the least turn, and of half turns the one nearest to the axis `up`. Without points it is no
    /// motion.
    pub(crate) fn fit(points: &[Ends], up: &Vector3<f64>) -> Self {
        let share = 1.0 / points.len().max(1) as f64;
        let centre =
            |k: usize| Point3::from(points.iter().map(|ends| ends[k].coords * share).sum::<Vector3<f64>>());
        let (from, to) = (centre(0), centre(1));
        let mut s = nalgebra::Matrix3::zeros();
        for [start, end] in points {
            s += (start - from) * (end - to).transpose();
        }
        let [xx, xy, xz, yx, yy, yz, zx, zy, zz] =
            [(0, 0), (0, 1), (0, 2), (1, 0), (1, 1), (1, 2), (2, 0), (2, 1), (2, 2)].map(|at| s[at]);
        // Its quadratic form is what a rotation by the quaternion (w, x, y, z) achieves.
        let n = Matrix4::new(
            xx + yy + zz,
            yz - zy,
            zx - xz,
            xy - yx, //
            yz - zy,
            xx - yy - zz,
            xy + yx,
            zx + xz, //
            zx - xz,
            xy + yx,
            yy - xx - zz,
            yz + zy, //
            xy - yx,
            zx + xz,
            yz + zy,
            zz - xx - yy,
        );
        Self { rotation: best_rotation(&n, up), from, to }
    }

    /// No motion.
    pub(crate) fn none() -> Self {
        Self { rotation: UnitQuaternion::identity(), from: Point3::origin(), to: Point3::origin() }
    }

    pub(crate) fn rotation(&self) -> UnitQuaternion<f64> {
        self.rotation
    }

    /// The middle of the points that it was fitted to, before and after it (m).
    pub(crate) fn middle(&self) -> Ends {
        [self.from, self.to]
    }

    /// From where it takes a point (m).
    pub(crate) fn apply_inverse(&self, p: &Point3<f64>) -> Point3<f64> {
        self.from + self.rotation.inverse() * (p - self.to)
    }

    /// Where it takes a point (m).
    pub(crate) fn apply(&self, p: &Point3<f64>) -> Point3<f64> {
        self.to + self.rotation * (p - self.from)
    }

    /// As [`Self::apply`], rounded once.
    pub(crate) fn apply_to(&self, p: &Point3<f32>) -> Point3<f32> {
        self.apply(&p.cast()).cast()
    }

    /// A direction, turned.
    pub(crate) fn turn(&self, v: &Vector3<f32>) -> Vector3<f32> {
        (self.rotation * v.cast::<f64>()).cast()
    }

    /// A pose, moved.
    pub(crate) fn apply_to_pose(&self, pose: &Isometry3<f32>) -> Isometry3<f32> {
        let place = self.apply(&Point3::from(pose.translation.vector.cast()));
        let turned = self.rotation * pose.rotation.cast::<f64>();
        Isometry3::from_parts(
            place.coords.cast::<f32>().into(),
            UnitQuaternion::new_normalize(turned.into_inner().cast()),
        )
    }

    /// How far it takes the middle of the points that it was fitted to (m).
    pub(crate) fn distance(&self) -> f64 {
        (self.to - self.from).norm()
    }

    /// The angle of its turn (rad), from 0 to pi.
    pub(crate) fn angle(&self) -> f64 {
        2.0 * libm::atan2(self.rotation.imag().norm(), self.rotation.w.abs())
    }

    /// How far (m) a point is left from its end at most.
    pub(crate) fn residual(&self, points: &[Ends]) -> f64 {
        points.iter().map(|[start, end]| (self.apply(start) - end).norm()).fold(0.0, f64::max)
    }

    /// Whether it explains where points go: what it leaves is less than half of their way, in the mean
    /// square.
    pub(crate) fn explains(&self, points: &[Ends]) -> bool {
        let (mut left, mut all) = (0.0, 0.0);
        for [start, end] in points {
            left += (self.apply(start) - end).norm_squared();
            all += (end - start).norm_squared();
        }
        4.0 * left < all
    }
}

/// The unit quaternion with the largest quadratic form; of several the one of the least turn, or else of the
/// axis nearest to `up`.
fn best_rotation(n: &Matrix4<f64>, up: &Vector3<f64>) -> UnitQuaternion<f64> {
    let (values, vectors) = eigen(n);
    let largest = values.max();
    let best = |k: usize| values[k] >= largest - DEGENERATE * largest.abs();
    let nearest = |to: Vector4<f64>| {
        let part = |k: usize| vectors.column(k) * vectors.column(k).dot(&to);
        (0..4).filter(|&k| best(k)).map(part).sum::<Vector4<f64>>()
    };
    let axis = |axis: &Vector3<f64>| Vector4::new(0.0, axis.x, axis.y, axis.z);
    let wishes = [
        Vector4::x(),
        axis(&up.try_normalize(0.0).unwrap_or(Vector3::y())),
        Vector4::y(),
        Vector4::z(),
        Vector4::w(),
    ];
    let found = wishes.into_iter().map(nearest).find(|q| q.norm_squared() > 1.0e-8);
    let q = found.unwrap_or(Vector4::x());
    let q = if q.x < 0.0 { -q } else { q };
    UnitQuaternion::new_normalize(Quaternion::new(q.x, q.y, q.z, q.w))
}

/// Eigenvalues and eigenvectors of a symmetric matrix, by Jacobi rotations: no operation of it depends on the
/// platform.
fn eigen(matrix: &Matrix4<f64>) -> (Vector4<f64>, Matrix4<f64>) {
    let (mut a, mut vectors) = (*matrix, Matrix4::identity());
    // Converges quadratically; five sweeps reach the last bit.
    for _ in 0..12 {
        for (p, q) in [(0, 1), (0, 2), (0, 3), (1, 2), (1, 3), (2, 3)] {
            if a[(p, q)] == 0.0 {
                continue;
            }
            let theta = (a[(q, q)] - a[(p, p)]) / (2.0 * a[(p, q)]);
            let t = theta.signum() / (theta.abs() + (theta * theta + 1.0).sqrt());
            let c = 1.0 / (t * t + 1.0).sqrt();
            let s = t * c;
            for matrix in [&mut a, &mut vectors] {
                for k in 0..4 {
                    let (kp, kq) = (matrix[(k, p)], matrix[(k, q)]);
                    (matrix[(k, p)], matrix[(k, q)]) = (c * kp - s * kq, s * kp + c * kq);
                }
            }
            for k in 0..4 {
                let (pk, qk) = (a[(p, k)], a[(q, k)]);
                (a[(p, k)], a[(q, k)]) = (c * pk - s * qk, s * pk + c * qk);
            }
            (a[(p, q)], a[(q, p)]) = (0.0, 0.0);
        }
    }
    (a.diagonal(), vectors)
}
