//! Forward kinematics: from local transforms to world matrices.

use super::Skeleton;
use crate::{Affine, Pose};

impl Skeleton {
    /// Writes the world matrix of each joint: that of its parent times its local transform.
    ///
    /// `world` is resized to the number of joints; nothing is allocated if it has that length already. A
    /// joint beyond the end of `pose` is at rest. Cost: one product of affine maps per joint.
    pub fn compute_world(&self, pose: &Pose, world: &mut Vec<Affine>) {
        world.resize(self.len(), Affine::IDENTITY);
        for &joint in &self.order {
            let data = &self.joints[joint];
            let local = pose.locals.get(joint).unwrap_or(&data.rest).to_affine();
            let above = data.parent.map_or(self.root_maps[joint], |parent| world[parent]);
            world[joint] = above * local;
        }
    }
}

#[cfg(test)]
mod tests {
    use nalgebra::{Point3, UnitQuaternion, Vector3};
    use proptest::prelude::*;

    use super::*;
    use crate::{
        Joint, Transform, compute_world_by_matrices,
        testing::{skeletons, transforms},
    };

    #[test]
    fn a_bent_arm_reaches_where_a_ruler_says() {
        let bone = |parent| Joint {
            parent,
            rest: Transform::from_translation(Vector3::new(1.0, 0.0, 0.0)),
            ..Joint::default()
        };
        let skeleton = Skeleton::new(vec![bone(None), bone(Some(0)), bone(Some(1))]).unwrap();
        let mut pose = skeleton.rest_pose();
        let quarter = UnitQuaternion::from_axis_angle(&Vector3::z_axis(), std::f64::consts::FRAC_PI_2);
        pose.locals[1].rotation = quarter;
        let mut world = Vec::new();
        skeleton.compute_world(&pose, &mut world);
        assert!((world[2].origin() - Point3::new(2.0, 1.0, 0.0)).norm() < 1e-15);
    }

    #[test]
    fn a_short_pose_leaves_the_other_joints_at_rest() {
        let skeleton = Skeleton::new(vec![Joint::default(), Joint::default()]).unwrap();
        let mut world = vec![Affine::IDENTITY; 7];
        skeleton.compute_world(&Pose::default(), &mut world);
        assert_eq!(world, [Affine::IDENTITY; 2]);
    }

    proptest! {
        #[test]
        fn equals_products_of_homogeneous_matrices(
            mut skeleton in skeletons(),
            locals in prop::collection::vec(transforms(), 12),
            above in transforms(),
        ) {
            let root = skeleton.order()[0];
            skeleton.set_root_map(root, above.to_affine()).unwrap();
            let pose = Pose { locals: locals[..skeleton.len()].to_vec() };
            let mut world = Vec::new();
            skeleton.compute_world(&pose, &mut world);
            for (fast, slow) in world.iter().zip(compute_world_by_matrices(&skeleton, &pose)) {
                prop_assert!((fast.to_matrix() - slow).norm() <= 1e-12 * slow.norm());
            }
        }
    }
}
