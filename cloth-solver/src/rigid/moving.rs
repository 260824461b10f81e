//! Motion of rigid bodies in a substep: prediction, corrections by contacts, and the new velocities.
//!
//! Corrections are collected as a shift and a small turn since the prediction, which contacts see as linear
//! motion of the points of the body. The pose and the velocities follow from them at the end:
//! `v += shift / h`, without the rounding of positions.

use std::ops::IndexMut;

use nalgebra::{Isometry3, Matrix3, Point3, Quaternion, Translation3, UnitQuaternion, Vector3};

use super::axis_contact::AxisFriction;
use super::cloth_contact::VertexContact;
use super::ground::GroundContact;
use super::{RigidBody, RigidBodyDesc};
use crate::Collider;
use crate::bodies::{Bodies, Packed, packed};
use crate::constraints::collider_contact::ColliderConstraints;
use crate::registry::Registry;

/// What a checkpoint saves of a rigid body, apart from the pose of its collider.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub(crate) struct RigidState {
    /// Velocity of the centre (m/s).
    pub(crate) velocity: Vector3<f32>,
    /// Angular velocity (rad/s) in the frame of the world.
    pub(crate) angular_velocity: Vector3<f32>,
}

impl From<&RigidBodyDesc> for RigidState {
    fn from(desc: &RigidBodyDesc) -> Self {
        Self { velocity: desc.velocity, angular_velocity: desc.angular_velocity }
    }
}

/// A rigid body in a substep.
#[derive(Clone, Debug)]
pub(crate) struct MovingBody {
    /// Index of its collider.
    pub(super) collider: usize,
    inv_mass: f32,
    /// Inverse inertia tensor (1/(kg m2)) at the predicted pose.
    inv_inertia: Matrix3<f32>,
    /// The predicted centre (m).
    pub(super) centre: Vector3<f32>,
    rotation: UnitQuaternion<f32>,
    /// The pose at the start of the substep.
    start: Isometry3<f32>,
    /// Corrections since the prediction: of the centre (m), and the rotation vector.
    shift: Vector3<f32>,
    turn: Vector3<f32>,
    /// Changes of the velocities (m/s, rad/s) by reactions that do not move the body in this substep.
    velocity_change: Vector3<f32>,
    angular_change: Vector3<f32>,
    /// Sum over the substep of mass times displacement (kg m) by cloth, and its moment (kg m2) about the
    /// centre.
    cloth_push: Vector3<f32>,
    cloth_moment: Vector3<f32>,
    /// Impulse (N s) and angular impulse (N m s) of the cloth in the step.
    impulse: Vector3<f32>,
    angular_impulse: Vector3<f32>,
    /// Predicted positions of its axis relative to the centre (m), one for each vertex from `first_axis` on.
    axis: Vec<Vector3<f32>>,
    first_axis: usize,
}

impl MovingBody {
    /// How far corrections have moved the point at `arm` (m) from the centre.
    #[inline]
    pub(super) fn correction_at(&self, arm: &Vector3<f32>) -> Vector3<f32> {
        self.shift + self.turn.cross(arm)
    }

    /// Predicted displacement (m) of the point that ends at `arm` from the predicted centre.
    pub(super) fn displacement_at(&self, arm: &Vector3<f32>) -> Vector3<f32> {
        let end = Isometry3::from_parts(Translation3::from(self.centre), self.rotation);
        displacement_between(&self.start, &end, arm)
    }

    /// Displacement along `direction` of the point at `arm` for a unit push (kg m) in it there (1/kg).
    #[inline]
    pub(super) fn inv_mass_at(&self, arm: &Vector3<f32>, direction: &Vector3<f32>) -> f32 {
        let moment = arm.cross(direction);
        self.inv_mass + moment.dot(&(self.inv_inertia * moment))
    }

    /// Applies a push (mass times displacement, kg m) at the point at `arm`.
    #[inline]
    pub(super) fn push(&mut self, arm: &Vector3<f32>, push: &Vector3<f32>) {
        self.shift += push * self.inv_mass;
        self.turn += self.inv_inertia * arm.cross(push);
    }

    /// As [`Self::push`], by cloth.
    #[inline]
    pub(super) fn push_by_cloth(&mut self, arm: &Vector3<f32>, push: &Vector3<f32>) {
        self.push(arm, push);
        self.cloth_push += push;
        self.cloth_moment += arm.cross(push);
    }

    /// Adds the reaction (kg m) at `arm` to a correction that the body does not follow in this substep of `h`
    /// seconds.
    #[inline]
    pub(super) fn react(&mut self, arm: &Vector3<f32>, push: &Vector3<f32>, h: f32) {
        self.velocity_change += push * (self.inv_mass / h);
        self.angular_change += self.inv_inertia * arm.cross(push) / h;
        self.cloth_push += push;
        self.cloth_moment += arm.cross(push);
    }

    /// The vertices of its axis with where corrections have moved them (m).
    pub(super) fn axis(&self) -> impl Iterator<Item = (usize, Packed)> + '_ {
        let at = |arm: &Vector3<f32>| packed(&(self.centre + arm + self.correction_at(arm)));
        self.axis.iter().enumerate().map(move |(k, arm)| (self.first_axis + k, at(arm)))
    }

    /// Whether a vertex is one of its axis; its arm (m).
    pub(super) fn axis_arm(&self, vertex: u32) -> Option<Vector3<f32>> {
        (vertex as usize).checked_sub(self.first_axis).and_then(|k| self.axis.get(k)).copied()
    }

    /// The pose with all corrections.
    pub(super) fn pose(&self) -> Isometry3<f32> {
        let translation = Translation3::from(self.centre + self.shift);
        Isometry3::from_parts(translation, rotated(&self.rotation, &self.turn))
    }
}

/// What decides the motion of bodies that nothing touches.
pub(crate) struct FreeMotion<'a> {
    pub(crate) bodies: &'a [RigidBody],
    /// The colliders by id.
    pub(crate) registry: &'a Registry<Collider>,
    /// m/s2.
    pub(crate) gravity: Vector3<f32>,
    /// m/s.
    pub(crate) velocity_limit: f32,
    /// The substep (s).
    pub(crate) h: f32,
}

/// The rigid bodies of a substep, and their contacts.
#[derive(Clone, Debug, Default)]
pub(crate) struct RigidCoupling {
    pub(super) bodies: Vec<MovingBody>,
    pub(super) vertex_contacts: Vec<VertexContact>,
    pub(super) axis_friction: Vec<AxisFriction>,
    pub(super) ground: Vec<GroundContact>,
    /// The contacts with other colliders, as pairs of vertex and number, ascending.
    pub(super) by_vertex: Vec<(u32, u32)>,
    /// The rigid body of each collider, `u32::MAX` for none; empty without rigid bodies.
    pub(super) body_of_collider: Vec<u32>,
}

impl RigidCoupling {
    /// Whether there are no rigid bodies.
    #[inline]
    pub(crate) fn is_empty(&self) -> bool {
        self.bodies.is_empty()
    }

    /// Whether a collider is a rigid body, by its index.
    #[inline]
    pub(crate) fn is_body(&self, collider: u32) -> bool {
        self.body_of(collider).is_some()
    }

    /// The body that a collider is, by its index.
    #[inline]
    pub(super) fn body_of(&self, collider: u32) -> Option<usize> {
        let body = *self.body_of_collider.get(collider as usize)?;
        (body != u32::MAX).then_some(body as usize)
    }

    /// Impulse (N s) and angular impulse (N m s) of the cloth on a body in the last step.
    pub(crate) fn impulse(&self, slot: usize) -> (Vector3<f32>, Vector3<f32>) {
        self.bodies
            .get(slot)
            .map_or((Vector3::zeros(), Vector3::zeros()), |body| (body.impulse, body.angular_impulse))
    }

    /// Starts a step: no body has received an impulse.
    pub(crate) fn begin_step(&mut self, count: usize) {
        self.bodies.truncate(count);
        for body in &mut self.bodies {
            (body.impulse, body.angular_impulse) = (Vector3::zeros(), Vector3::zeros());
        }
    }

    /// Predicts the motion of all bodies over a substep from where `colliders`, those of the substep, are;
    /// writes it to them.
    pub(crate) fn predict(
        &mut self,
        motion: &FreeMotion<'_>,
        colliders: &mut [Collider],
        states: &mut [RigidState],
    ) {
        let FreeMotion { bodies: assets, registry, gravity, velocity_limit, h } = *motion;
        if assets.is_empty() {
            self.body_of_collider.clear();
            self.bodies.clear();
            return;
        }
        self.body_of_collider.clear();
        self.body_of_collider.resize(colliders.len(), u32::MAX);
        for (slot, (asset, state)) in assets.iter().zip(states).enumerate() {
            let Some(index) = registry.index(asset.collider) else { continue };
            let start = colliders[index].pose_t0;
            state.velocity += gravity * (asset.gravity_scale * h);
            state.velocity = state.velocity.cap_magnitude(velocity_limit);
            state.angular_velocity = gyroscopic(&state.angular_velocity, &start.rotation, &asset.inertia, h);
            let centre = start.translation.vector + state.velocity * h;
            let rotation = rotated(&start.rotation, &(state.angular_velocity * h));
            colliders[index].pose_t1 = Isometry3::from_parts(Translation3::from(centre), rotation);
            self.body_of_collider[index] = slot as u32;
            if self.bodies.len() <= slot {
                self.bodies.push(MovingBody::at(asset));
            }
            self.bodies[slot].start_substep(asset, index, start, colliders[index].pose_t1);
            self.bodies[slot].place_axis(asset, &colliders[index]);
        }
    }

    /// Moves the axes of bodies with their corrections.
    pub(crate) fn move_axes(&self, x: &mut impl IndexMut<usize, Output = Packed>) {
        for (v, at) in self.bodies.iter().flat_map(MovingBody::axis) {
            x[v] = at;
        }
    }

    /// Ends the substep: poses in `shapes`, the colliders of the substep, and velocities with all
    /// corrections.
    pub(crate) fn finish(
        &mut self,
        colliders: &ColliderConstraints,
        shapes: &mut [Collider],
        states: &mut [RigidState],
        bodies: &mut Bodies<'_>,
    ) {
        if self.is_empty() {
            return;
        }
        let h = bodies.h;
        for (body, state) in self.bodies.iter().zip(&mut *states) {
            state.velocity += body.shift / h;
            state.angular_velocity += body.turn / h;
        }
        // What follows changes poses without giving bodies the speed of it.
        self.recover_from_supported(colliders, bodies);
        self.recover_from_ground();
        self.separate_from_final_poses(shapes, colliders, bodies);
        self.move_axes(&mut bodies.x);
        for (body, state) in self.bodies.iter_mut().zip(states) {
            shapes[body.collider].pose_t1 = body.pose();
            state.velocity += body.velocity_change;
            state.angular_velocity += body.angular_change;
            body.impulse += body.cloth_push / h;
            body.angular_impulse += body.cloth_moment / h;
        }
    }
}

impl MovingBody {
    fn at(asset: &RigidBody) -> Self {
        let zero = Vector3::zeros();
        Self {
            collider: 0,
            inv_mass: asset.inv_mass,
            inv_inertia: Matrix3::zeros(),
            centre: zero,
            rotation: UnitQuaternion::identity(),
            start: Isometry3::identity(),
            shift: zero,
            turn: zero,
            velocity_change: zero,
            angular_change: zero,
            cloth_push: zero,
            cloth_moment: zero,
            impulse: zero,
            angular_impulse: zero,
            axis: Vec::new(),
            first_axis: usize::MAX,
        }
    }

    fn start_substep(
        &mut self,
        asset: &RigidBody,
        collider: usize,
        start: Isometry3<f32>,
        end: Isometry3<f32>,
    ) {
        (self.collider, self.start) = (collider, start);
        (self.centre, self.rotation) = (end.translation.vector, end.rotation);
        self.inv_mass = asset.inv_mass;
        self.inv_inertia = asset.inv_inertia_at(&end.rotation);
        for sum in [
            &mut self.shift,
            &mut self.turn,
            &mut self.velocity_change,
            &mut self.angular_change,
            &mut self.cloth_push,
            &mut self.cloth_moment,
        ] {
            *sum = Vector3::zeros();
        }
    }

    fn place_axis(&mut self, asset: &RigidBody, collider: &Collider) {
        self.axis.clear();
        self.first_axis = asset.axis.start;
        let Some(axis) = collider.guarded_axis().filter(|_| !asset.axis.is_empty()) else { return };
        let rotation = self.rotation;
        self.axis.extend(axis.ends().iter().map(|end| rotation * end.at.coords));
    }
}

/// A rotation after a further small one, by the normalised first order in `turn` (rad): the tangent of half
/// the angle is half of `turn`.
///
/// No transcendental function: the same bits everywhere.
pub(super) fn rotated(rotation: &UnitQuaternion<f32>, turn: &Vector3<f32>) -> UnitQuaternion<f32> {
    let step = Quaternion::from_parts(1.0, turn * 0.5);
    UnitQuaternion::new_normalize(step * rotation.into_inner())
}

/// The angular velocity after a free motion of `h` seconds: an implicit step of Euler's equation in the frame
/// of the body, which unlike an explicit one gains no energy (Catto 2015, "Numerical methods", Game
/// Developers Conference).
fn gyroscopic(
    angular_velocity: &Vector3<f32>,
    rotation: &UnitQuaternion<f32>,
    inertia: &Vector3<f32>,
    h: f32,
) -> Vector3<f32> {
    let w = rotation.inverse_transform_vector(angular_velocity);
    let momentum = inertia.component_mul(&w);
    let residual = w.cross(&momentum) * h;
    let cross = |v: &Vector3<f32>| v.cross_matrix();
    let jacobian = Matrix3::from_diagonal(inertia)
        + (cross(&w) * Matrix3::from_diagonal(inertia) - cross(&momentum)) * h;
    match jacobian.try_inverse() {
        Some(inverse) => rotation * (w - inverse * residual),
        None => *angular_velocity,
    }
}

/// The displacement (m) between two poses of the material point that ends at `arm` (m) from the origin of the
/// second.
pub(super) fn displacement_between(
    start: &Isometry3<f32>,
    end: &Isometry3<f32>,
    arm: &Vector3<f32>,
) -> Vector3<f32> {
    let local = end.rotation.inverse_transform_vector(arm);
    end.translation.vector + arm - (start * Point3::from(local)).coords
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Shape;

    #[test]
    fn a_freely_spinning_body_keeps_angular_momentum_and_gains_no_energy() {
        let shape = Shape::Cuboid { half_extents: Vector3::new(0.05, 0.1, 0.2) };
        let collider = Collider::new(shape, Isometry3::identity(), 0.0).expect("a box");
        let desc = RigidBodyDesc::new(collider, 0.8);
        let asset = RigidBody::new(0, &desc, 0..0).expect("a solid");
        // About the middle axis with a small disturbance: it flips over and over.
        let mut w = Vector3::new(0.01, 10.0, 0.0);
        let mut rotation = UnitQuaternion::identity();
        let momentum = |w: &Vector3<f32>, rotation: &UnitQuaternion<f32>| {
            rotation * asset.inertia.component_mul(&rotation.inverse_transform_vector(w))
        };
        let (start, h) = (momentum(&w, &rotation), 1.0 / 1000.0);
        let energy = |w: &Vector3<f32>, rotation: &UnitQuaternion<f32>| w.dot(&momentum(w, rotation)) / 2.0;
        let (first, mut flipped) = (energy(&w, &rotation), false);
        for _ in 0..4000 {
            w = gyroscopic(&w, &rotation, &asset.inertia, h);
            rotation = rotated(&rotation, &(w * h));
            assert!(energy(&w, &rotation) <= first * 1.001);
            flipped |= (rotation * Vector3::y()).y < -0.9;
        }
        assert!(flipped, "the middle axis is unstable");
        // The direction and length of the momentum drift with the order of the step.
        let drift = (momentum(&w, &rotation) - start).norm() / start.norm();
        assert!(drift < 0.1, "{drift}");
    }
}
