//! The proxies of a character as colliders that follow its joints.

use cloth_character::{Affine, Proxy, ProxyKind, WorldProxy};
use cloth_contacts::collider::ColliderError;
use cloth_solver::{Collider, Shape};
use nalgebra::{Isometry3, Quaternion, Translation3, UnitQuaternion, Vector3};

/// Proxies with the shapes of colliders.
#[derive(Clone, Debug, Default)]
pub struct ColliderProxies {
    proxies: Vec<PosedProxy>,
    /// Metres in a unit of the character.
    scale: f64,
}

/// A proxy as a collider.
#[derive(Clone, Debug)]
struct PosedProxy {
    proxy: Proxy,
    shape: Shape,
    /// From the y axis of the shape to that of the capsule, in the space of the joint.
    turn: UnitQuaternion<f64>,
}

impl ColliderProxies {
    /// Proxies whose sizes are those in the pose of these world matrices, `scale` metres to a unit. One
    /// without a size is left out.
    #[must_use]
    pub fn new(proxies: Vec<Proxy>, world: &[Affine], scale: f64) -> Self {
        let posed = proxies.into_iter().filter_map(|proxy| posed(proxy, world, scale));
        Self { proxies: posed.collect(), scale }
    }

    /// Their number.
    #[must_use]
    pub fn len(&self) -> usize {
        self.proxies.len()
    }

    /// Whether there is none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.proxies.is_empty()
    }

    /// Where they are, by the world matrices of the joints.
    pub fn poses(&self, world: &[Affine]) -> impl Iterator<Item = Isometry3<f32>> {
        self.proxies.iter().map(|posed| {
            let map = world.get(posed.proxy.joint).copied().unwrap_or_default();
            let [a, b] = posed.proxy.kind.ends();
            let middle = map.transform_point(&nalgebra::center(&a, &b)) * self.scale;
            let turn = map.to_transform().rotation * posed.turn;
            Isometry3::from_parts(Translation3::from(middle.coords), turn).cast()
        })
    }

    /// Colliders at these world matrices; guarded ones keep edges and faces away as well.
    ///
    /// # Errors
    /// If the friction is not a usable number, or a pose is not finite.
    pub fn colliders(
        &self,
        world: &[Affine],
        friction: f32,
        is_guarded: bool,
    ) -> Result<Vec<Collider>, ColliderError> {
        let shapes = self.proxies.iter().map(|posed| posed.shape.clone());
        let collider = |(shape, pose)| {
            let collider = Collider::new(shape, pose, friction)?;
            if is_guarded { collider.guarded() } else { Ok(collider) }
        };
        shapes.zip(self.poses(world)).map(collider).collect()
    }
}

/// The shape of a proxy in the pose of these world matrices; none if it has no size.
fn posed(proxy: Proxy, world: &[Affine], scale: f64) -> Option<PosedProxy> {
    let map = world.get(proxy.joint).copied().unwrap_or_default();
    let in_world = WorldProxy::from_kind(&proxy.kind, &map);
    let [bottom_radius, top_radius] = in_world.radii.map(|r| (r * scale) as f32);
    let [a, b] = proxy.kind.ends();
    let half_length = (0.5 * (in_world.ends[1] - in_world.ends[0]).norm() * scale) as f32;
    let shape = match proxy.kind {
        ProxyKind::Sphere { .. } => Shape::Sphere { radius: bottom_radius },
        ProxyKind::TaperedCapsule { .. } => Shape::TaperedCapsule { half_length, bottom_radius, top_radius },
    };
    let turn = turn_from_y(&(b - a));
    (bottom_radius.max(top_radius) > 0.0).then_some(PosedProxy { proxy, shape, turn })
}

/// The turn from y to a direction, by square roots alone, so that it has the same bits everywhere; the
/// identity for no direction.
#[must_use]
pub fn turn_from_y(axis: &Vector3<f64>) -> UnitQuaternion<f64> {
    let Some(unit) = axis.try_normalize(0.0) else { return UnitQuaternion::identity() };
    // The sum of two unit vectors halves their angle; opposite ones have no half: half a turn about x.
    match (unit + Vector3::y()).try_normalize(1e-9) {
        Some(half) => {
            let turn = Vector3::y().cross(&half);
            UnitQuaternion::new_normalize(Quaternion::new(half.y, turn.x, turn.y, turn.z))
        }
        None => UnitQuaternion::new_unchecked(Quaternion::new(0.0, 1.0, 0.0, 0.0)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn turns_y_to_every_direction() {
        for axis in
            [Vector3::y(), -Vector3::y(), Vector3::x(), Vector3::new(0.2, -0.9, 0.1), Vector3::zeros()]
        {
            let expected = axis.try_normalize(0.0).unwrap_or(Vector3::y());
            assert!((turn_from_y(&axis) * Vector3::y() - expected).norm() < 1e-9, "{axis}");
        }
    }
}
