//! Where a joint is: translation, rotation and scale, and the affine map that they make.

use std::ops::Mul;

use nalgebra::{Matrix3, Matrix4, Point3, Quaternion, UnitQuaternion, Vector3};

use crate::interpolation::slerp;

/// Scale, then rotation, then translation: the local transform of a joint, relative to its parent.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Transform {
    /// Translation, m.
    pub translation: Vector3<f64>,
    /// Rotation.
    pub rotation: UnitQuaternion<f64>,
    /// Scale along the local axes before the rotation; negative factors mirror.
    pub scale: Vector3<f64>,
}

impl Default for Transform {
    fn default() -> Self {
        Self::IDENTITY
    }
}

impl Transform {
    /// The transform that moves nothing.
    pub const IDENTITY: Self = Self {
        translation: Vector3::new(0.0, 0.0, 0.0),
        rotation: UnitQuaternion::new_unchecked(Quaternion::new(1.0, 0.0, 0.0, 0.0)),
        scale: Vector3::new(1.0, 1.0, 1.0),
    };

    /// A translation alone, m.
    #[must_use]
    pub fn from_translation(translation: Vector3<f64>) -> Self {
        Self { translation, ..Self::IDENTITY }
    }

    /// Whether every number is finite.
    #[must_use]
    pub fn is_finite(&self) -> bool {
        let rotation = self.rotation.coords.iter();
        self.translation.iter().chain(&self.scale).chain(rotation).all(|x| x.is_finite())
    }

    /// The transform between `self` (at `amount` 0) and `other` (at 1): translation and scale linear,
    /// rotation by [`slerp`].
    ///
    /// `amount` 0 and 1 give the ends bit for bit.
    #[must_use]
    pub fn interpolate(&self, other: &Self, amount: f64) -> Self {
        if amount <= 0.0 {
            return *self;
        }
        if amount >= 1.0 {
            return *other;
        }
        Self {
            translation: self.translation + (other.translation - self.translation) * amount,
            rotation: slerp(&self.rotation, &other.rotation, amount),
            scale: self.scale + (other.scale - self.scale) * amount,
        }
    }

    /// The affine map.
    #[must_use]
    pub fn to_affine(&self) -> Affine {
        let mut linear = rotation_matrix(&self.rotation);
        for axis in 0..3 {
            for row in 0..3 {
                linear[(row, axis)] *= self.scale[axis];
            }
        }
        Affine { linear, translation: self.translation }
    }
}

/// The matrix of a unit quaternion, by products and sums in a fixed order.
fn rotation_matrix(rotation: &UnitQuaternion<f64>) -> Matrix3<f64> {
    let (x, y, z, w) = (rotation.i, rotation.j, rotation.k, rotation.w);
    let (xx, yy, zz) = (2.0 * x * x, 2.0 * y * y, 2.0 * z * z);
    let (xy, xz, yz) = (2.0 * x * y, 2.0 * x * z, 2.0 * y * z);
    let (wx, wy, wz) = (2.0 * w * x, 2.0 * w * y, 2.0 * w * z);
    Matrix3::new(
        1.0 - (yy + zz),
        xy - wz,
        xz + wy,
        xy + wz,
        1.0 - (xx + zz),
        yz - wx,
        xz - wy,
        yz + wx,
        1.0 - (xx + yy),
    )
}

/// An affine map: `linear * p + translation`. World matrices and inverse bind matrices have this form.
///
/// It is not a [`Transform`], because products of transforms with unequal scales shear.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Affine {
    /// Rotation, scale and shear.
    pub linear: Matrix3<f64>,
    /// Translation, m.
    pub translation: Vector3<f64>,
}

impl Default for Affine {
    fn default() -> Self {
        Self::IDENTITY
    }
}

impl Affine {
    /// The map that moves nothing.
    pub const IDENTITY: Self = Self {
        linear: Matrix3::new(1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0),
        translation: Vector3::new(0.0, 0.0, 0.0),
    };

    /// The map of a homogeneous matrix whose last row is (0, 0, 0, 1); the last row is not read.
    #[must_use]
    pub fn from_matrix(matrix: &Matrix4<f64>) -> Self {
        Self {
            linear: matrix.fixed_view::<3, 3>(0, 0).into_owned(),
            translation: matrix.fixed_view::<3, 1>(0, 3).into_owned(),
        }
    }

    /// The homogeneous matrix.
    #[must_use]
    pub fn to_matrix(&self) -> Matrix4<f64> {
        let mut matrix = self.linear.to_homogeneous();
        matrix.fixed_view_mut::<3, 1>(0, 3).copy_from(&self.translation);
        matrix
    }

    /// Where the map takes a point.
    #[must_use]
    pub fn transform_point(&self, point: &Point3<f64>) -> Point3<f64> {
        Point3::from(self.linear * point.coords + self.translation)
    }

    /// Where the map takes the origin: the position of a joint.
    #[must_use]
    pub fn origin(&self) -> Point3<f64> {
        Point3::from(self.translation)
    }

    /// The inverse map; `None` if the map is singular or not finite.
    #[must_use]
    pub fn inverse(&self) -> Option<Self> {
        let linear = self.linear.try_inverse()?;
        let inverse = Self { linear, translation: -(linear * self.translation) };
        inverse.is_finite().then_some(inverse)
    }

    /// Whether every number is finite.
    #[must_use]
    pub fn is_finite(&self) -> bool {
        self.linear.iter().chain(&self.translation).all(|x| x.is_finite())
    }

    /// The transform with this map; a shear is dropped, so that it is exact for rotations with scale alone.
    ///
    /// A mirroring map gets a negative scale along x. A singular map gets the identity rotation.
    #[must_use]
    pub fn to_transform(&self) -> Transform {
        // Gram-Schmidt by columns: for a product of rotation and scale they are orthogonal already.
        let columns = [0, 1, 2].map(|i| self.linear.column(i).into_owned());
        let mut scale = Vector3::new(columns[0].norm(), columns[1].norm(), columns[2].norm());
        if self.linear.determinant() < 0.0 {
            scale.x = -scale.x;
        }
        let x = columns[0] / scale.x;
        let y = (columns[1] - x * x.dot(&columns[1])).normalize();
        let z = x.cross(&y);
        let basis = Matrix3::from_columns(&[x, y, z]);
        let rotation = if basis.iter().all(|v| v.is_finite()) {
            quaternion_from_matrix(&basis)
        } else {
            UnitQuaternion::identity()
        };
        Transform { translation: self.translation, rotation, scale }
    }
}

impl Mul for Affine {
    type Output = Self;

    fn mul(self, other: Self) -> Self {
        Self {
            linear: self.linear * other.linear,
            translation: self.linear * other.translation + self.translation,
        }
    }
}

/// The quaternion of a rotation matrix, by the largest of its four components (Shepperd 1978), which no
/// division makes large.
fn quaternion_from_matrix(m: &Matrix3<f64>) -> UnitQuaternion<f64> {
    let trace = m[(0, 0)] + m[(1, 1)] + m[(2, 2)];
    let diagonal = [m[(0, 0)], m[(1, 1)], m[(2, 2)]];
    let largest = (0..3).fold(0, |best, i| if diagonal[i] > diagonal[best] { i } else { best });
    let quaternion = if trace >= diagonal[largest] {
        Quaternion::new(1.0 + trace, m[(2, 1)] - m[(1, 2)], m[(0, 2)] - m[(2, 0)], m[(1, 0)] - m[(0, 1)])
    } else {
        let (i, j, k) = (largest, (largest + 1) % 3, (largest + 2) % 3);
        let mut v = [0.0; 3];
        v[i] = 1.0 + m[(i, i)] - m[(j, j)] - m[(k, k)];
        v[j] = m[(j, i)] + m[(i, j)];
        v[k] = m[(k, i)] + m[(i, k)];
        Quaternion::new(m[(k, j)] - m[(j, k)], v[0], v[1], v[2])
    };
    UnitQuaternion::new_normalize(quaternion)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::testing::transforms;

    #[test]
    fn a_mirroring_map_keeps_its_map_as_a_transform() {
        let mirror = Transform { scale: Vector3::new(1.0, -2.0, 3.0), ..Transform::IDENTITY }.to_affine();
        assert!((mirror.to_transform().to_affine().linear - mirror.linear).norm() < 1e-12);
    }

    #[test]
    fn a_singular_map_has_no_inverse_and_a_finite_rotation() {
        let flat = Transform { scale: Vector3::new(0.0, 1.0, 1.0), ..Transform::IDENTITY }.to_affine();
        assert!(flat.inverse().is_none());
        assert!(flat.to_transform().is_finite());
    }

    proptest! {
        #[test]
        fn a_transform_survives_its_affine_map(t in transforms()) {
            let back = t.to_affine().to_transform();
            prop_assert!((back.to_affine().to_matrix() - t.to_affine().to_matrix()).norm() < 1e-9);
        }

        #[test]
        fn the_rotation_equals_that_of_nalgebra(t in transforms()) {
            let ours = Transform { scale: Vector3::repeat(1.0), ..t }.to_affine().linear;
            prop_assert!((ours - t.rotation.to_rotation_matrix().matrix()).norm() < 1e-12);
        }

        #[test]
        fn an_inverse_undoes_its_map(t in transforms()) {
            let map = t.to_affine();
            let product = map * map.inverse().unwrap();
            prop_assert!((product.to_matrix() - Matrix4::identity()).norm() < 1e-9);
        }
    }
}
