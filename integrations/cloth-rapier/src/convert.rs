//! Vectors and poses of rapier, which are glam's, and those of nalgebra.

use cloth_solver::nalgebra::{Isometry3, Quaternion, Translation3, UnitQuaternion, Vector3};
use rapier3d::math::{Pose, Rotation, Vector};

pub(crate) fn vector_from_rapier(v: &Vector) -> Vector3<f32> {
    Vector3::new(v.x, v.y, v.z)
}

pub(crate) fn vector_to_rapier(v: &Vector3<f32>) -> Vector {
    Vector::new(v.x, v.y, v.z)
}

pub(crate) fn pose_from_rapier(pose: &Pose) -> Isometry3<f32> {
    let q = pose.rotation;
    let rotation = UnitQuaternion::new_normalize(Quaternion::new(q.w, q.x, q.y, q.z));
    Isometry3::from_parts(Translation3::from(vector_from_rapier(&pose.translation)), rotation)
}

pub(crate) fn pose_to_rapier(pose: &Isometry3<f32>) -> Pose {
    let q = pose.rotation.coords;
    Pose::from_parts(vector_to_rapier(&pose.translation.vector), Rotation::from_xyzw(q.x, q.y, q.z, q.w))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pose_survives_both_conversions() {
        let pose = Isometry3::new(Vector3::new(1.0, -2.0, 3.0), Vector3::new(0.3, 0.7, -0.2));
        let back = pose_from_rapier(&pose_to_rapier(&pose));
        assert!((back.translation.vector - pose.translation.vector).norm() < 1e-6);
        assert!(back.rotation.angle_to(&pose.rotation) < 1e-3);
        let moved = pose_to_rapier(&pose) * Vector::new(0.5, 0.25, -1.0);
        let expected = pose * cloth_solver::nalgebra::Point3::new(0.5, 0.25, -1.0);
        assert!((vector_from_rapier(&moved) - expected.coords).norm() < 1e-5);
    }
}
