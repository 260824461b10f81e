//! What makes a body a rigid body: its mass, and its velocity at the start.

use crate::animation::MotionKey;

/// Mass and initial motion of a rigid body: a sphere, a capsule or a box that gravity and contacts move.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Dynamics {
    /// Mass (kg).
    pub mass: f64,
    /// Initial velocity of the centre (m/s).
    pub velocity: [f64; 3],
    /// Initial angular velocity (rad/s), in the frame of the world.
    pub angular_velocity: [f64; 3],
    /// Share of gravity that acts on it.
    pub gravity_scale: f64,
}

impl Dynamics {
    /// A body at rest that gravity acts on.
    #[must_use]
    pub fn new(mass: f64) -> Self {
        Self { mass, velocity: [0.0; 3], angular_velocity: [0.0; 3], gravity_scale: 1.0 }
    }
}

/// The keys of a rigid body, as they stand in the file.
#[derive(Default)]
pub(crate) struct DynamicsKeys {
    pub(crate) mass: Option<f64>,
    pub(crate) velocity: Option<[f64; 3]>,
    pub(crate) angular_velocity: Option<[f64; 3]>,
    pub(crate) gravity_scale: Option<f64>,
}

impl DynamicsKeys {
    /// What they say; `None` without `mass`. `is_solid` says whether the kind of the body has an inertia, and
    /// the error completes "`body` ...".
    pub(crate) fn resolve(self, is_solid: bool, motion: &MotionKey) -> Result<Option<Dynamics>, String> {
        let Some(mass) = self.mass else { return self.require_none().map(|()| None) };
        if !is_solid {
            return Err("of this kind has no key `mass`, because only spheres, capsules and boxes can be \
                        rigid bodies; remove `mass` or change `kind`"
                .to_owned());
        }
        match motion {
            MotionKey::File(_) => {
                return Err(
                    "must move either by `mass` or by the file in `motion`; remove one of them".to_owned()
                );
            }
            MotionKey::Keyframes(keyframes) if keyframes.len() > 1 => {
                let count = keyframes.len();
                return Err(format!(
                    "must have at most one keyframe, its initial pose, where `mass` is given, found {count} \
                     in `motion`; remove `mass` or the other keyframes"
                ));
            }
            MotionKey::Keyframes(_) => {}
        }
        let Dynamics { velocity, angular_velocity, gravity_scale, .. } = Dynamics::new(mass);
        Ok(Some(Dynamics {
            mass,
            velocity: self.velocity.unwrap_or(velocity),
            angular_velocity: self.angular_velocity.unwrap_or(angular_velocity),
            gravity_scale: self.gravity_scale.unwrap_or(gravity_scale),
        }))
    }

    /// An error that names the first key that is given.
    fn require_none(&self) -> Result<(), String> {
        let keys = [
            ("velocity", self.velocity.is_some()),
            ("angular_velocity", self.angular_velocity.is_some()),
            ("gravity_scale", self.gravity_scale.is_some()),
        ];
        keys.iter().find(|key| key.1).map_or(Ok(()), |(key, _)| {
            Err(format!("must have `mass` where `{key}` is given; add `mass` or remove `{key}`"))
        })
    }
}

impl From<Option<Dynamics>> for DynamicsKeys {
    fn from(dynamics: Option<Dynamics>) -> Self {
        dynamics.map_or_else(Self::default, |d| Self {
            mass: Some(d.mass),
            velocity: Some(d.velocity),
            angular_velocity: Some(d.angular_velocity),
            gravity_scale: Some(d.gravity_scale),
        })
    }
}
