//! A collider of a scene: where it stands, how keyframes move it, and what makes it a rigid body.

use cloth_contacts::collider::ColliderError;
use cloth_solver::{Collider, RigidBodyDesc};
use nalgebra::{Isometry3, Translation3, Vector3};

use crate::{ColliderDesc, Dynamics, Keyframe, pose_at};

/// A collider, and how it moves.
#[derive(Clone, Debug)]
pub(crate) struct BodyCollider {
    /// What the scene calls it; several colliders may be one body.
    pub(crate) name: Option<String>,
    /// The collider at time 0.
    pub(crate) collider: Collider,
    /// Where its shape says that it is, before the keyframes move it.
    rest: Isometry3<f64>,
    motion: Vec<Keyframe>,
    dynamics: Option<Dynamics>,
}

impl BodyCollider {
    /// A collider of a body that moves by these keyframes, given where the shape of the body says that it is.
    pub(crate) fn new(
        body: &crate::Body,
        motion: &[Keyframe],
        collider: Collider,
    ) -> Result<Self, ColliderError> {
        let Collider { shape, friction, pose_t0, .. } = collider;
        let (rest, motion) = (pose_t0.cast::<f64>(), motion.to_vec());
        let placed = Collider::new(shape, pose_after(&motion, &rest, 0.0), friction)?;
        let collider = if body.is_guarded { placed.guarded()? } else { placed };
        Ok(Self { name: body.name.clone(), collider, rest, motion, dynamics: body.dynamics })
    }

    /// The collider or rigid body for the solver.
    pub(crate) fn desc(&self) -> ColliderDesc {
        self.rigid_body().map_or_else(|| self.collider.clone().into(), ColliderDesc::Rigid)
    }

    /// The rigid body that it is, if it is one.
    pub(crate) fn rigid_body(&self) -> Option<RigidBodyDesc> {
        self.dynamics.map(|dynamics| RigidBodyDesc {
            velocity: Vector3::from(dynamics.velocity).cast(),
            angular_velocity: Vector3::from(dynamics.angular_velocity).cast(),
            gravity_scale: dynamics.gravity_scale as f32,
            ..RigidBodyDesc::new(self.collider.clone(), dynamics.mass as f32)
        })
    }

    /// Whether keyframes move it. The single keyframe of a rigid body is its initial pose.
    pub(crate) fn is_keyframed(&self) -> bool {
        !self.motion.is_empty() && self.dynamics.is_none()
    }

    /// Where the keyframes have it at a time (s).
    pub(crate) fn pose(&self, time: f64) -> Isometry3<f32> {
        pose_after(&self.motion, &self.rest, time)
    }
}

fn pose_after(motion: &[Keyframe], rest: &Isometry3<f64>, time: f64) -> Isometry3<f32> {
    let pose = pose_at(motion, time);
    (Isometry3::from_parts(Translation3::from(pose.translation), pose.rotation) * rest).cast()
}

#[cfg(test)]
mod tests {
    use super::super::bodies::colliders;
    use super::*;
    use nalgebra::Point3;

    #[test]
    fn a_rigid_body_has_the_pose_and_numbers_of_its_scene() {
        let text = "[[garment]]\nmesh = \"a.obj\"\n[[body]]\nname = \"bar\"\nkind = \"capsule\"\n\
                    start = [1, 0, 0]\nend = [3, 0, 0]\n\
                    radius = 0.5\nguarded = true\nmass = 2\nvelocity = [1, 2, 3]\n\
                    angular_velocity = [4, 5, 6]\n\
                    gravity_scale = 0.25\n\
                    motion = [{ time = 0, translate = [0, 0, 7], \
                    rotate = { axis = [0, 1, 0], degrees = 90 } }]\n";
        let scene = crate::Scene::parse("s.toml".as_ref(), text).unwrap();
        let collider = colliders(&scene.bodies[0].shape, 0.3).unwrap().remove(0);
        let body = BodyCollider::new(&scene.bodies[0], &scene.bodies[0].motion, collider).unwrap();
        let desc = body.rigid_body().unwrap();
        assert!(desc.collider.is_guarded && !body.is_keyframed());
        assert_eq!((desc.mass, desc.gravity_scale, desc.collider.friction), (2.0, 0.25, 0.3));
        assert_eq!(desc.velocity, Vector3::new(1.0, 2.0, 3.0));
        assert_eq!(desc.angular_velocity, Vector3::new(4.0, 5.0, 6.0));
        // A quarter turn about y takes the middle from x = 2 to z = -2, and the axis from x to -z.
        let pose = desc.collider.pose_t0;
        assert!((pose * Point3::origin() - Point3::new(0.0, 0.0, 5.0)).norm() < 1e-6, "{pose}");
        let end = pose * Point3::new(0.0, 1.0, 0.0);
        assert!((end - Point3::new(0.0, 0.0, 4.0)).norm() < 1e-6, "{end}");
    }
}
