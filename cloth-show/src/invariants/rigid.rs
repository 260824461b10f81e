//! Rigid bodies of a scene: their motion, and the exact distance of balls from cloth in every substep.

use cloth_geom::closest::point_triangle;
use cloth_solver::{AcceptedMotion, RigidBodyDesc, RigidBodyState, Shape};
use nalgebra::{Point3, Vector3};

use crate::report::RigidBodyFigures;

/// What was seen of a rigid body.
#[derive(Clone, Debug, Default)]
pub struct RigidTrack {
    /// At the start and after each frame.
    pub states: Vec<RigidBodyState>,
    /// Least distance (m) of the surface of a ball from any face of cloth after any substep, negative if a
    /// face is in it; infinite for other shapes, or without substeps.
    pub least_distance: f64,
}

/// Observes the rigid bodies of a simulation from which no collider has been removed.
///
/// Every substep measures the distance of every ball to every face, without culling.
#[derive(Clone, Debug)]
pub struct RigidObserver {
    /// Index of the collider, and radius (m) if it is a ball.
    bodies: Vec<(usize, Option<f64>)>,
    faces: Vec<[u32; 3]>,
    tracks: Vec<RigidTrack>,
}

impl RigidObserver {
    /// An observer of the bodies whose colliders have these indices and shapes, among cloth of these faces.
    #[must_use]
    pub fn new<'a>(bodies: impl IntoIterator<Item = (usize, &'a Shape)>, faces: Vec<[u32; 3]>) -> Self {
        let radius = |shape: &Shape| match *shape {
            Shape::Sphere { radius } => Some(f64::from(radius)),
            _ => None,
        };
        let bodies: Vec<_> = bodies.into_iter().map(|(collider, shape)| (collider, radius(shape))).collect();
        let track = RigidTrack { states: Vec::new(), least_distance: f64::INFINITY };
        Self { faces, tracks: vec![track; bodies.len()], bodies }
    }

    /// Measures the distances after a substep.
    pub fn motion(&mut self, motion: &AcceptedMotion<'_>) {
        for (&(collider, radius), track) in self.bodies.iter().zip(&mut self.tracks) {
            let (Some(collider), Some(radius)) = (motion.colliders.get(collider), radius) else { continue };
            let centre = Point3::from(collider.pose_t1.translation.vector).cast::<f64>();
            for face in &self.faces {
                let [a, b, c] = face.map(|v| motion.x_t1[v as usize].cast::<f64>());
                let distance = point_triangle(&centre, [&a, &b, &c]).distance_sq.sqrt() - radius;
                track.least_distance = track.least_distance.min(distance);
            }
        }
    }

    /// Records the bodies after a frame, or at the start; `state_of` is asked by the index of the collider.
    pub fn record(&mut self, state_of: impl Fn(usize) -> Option<RigidBodyState>) {
        for (&(collider, _), track) in self.bodies.iter().zip(&mut self.tracks) {
            track.states.extend(state_of(collider));
        }
    }

    /// What was seen, in the order of the bodies.
    #[must_use]
    pub fn into_tracks(self) -> Vec<RigidTrack> {
        self.tracks
    }
}

impl RigidTrack {
    /// The figures of the body of this description, under this gravity (m/s2); it has no name.
    #[must_use]
    pub fn figures(&self, desc: &RigidBodyDesc, gravity: &Vector3<f32>) -> RigidBodyFigures {
        let (mass, gravity) = (f64::from(desc.mass), gravity.cast::<f64>());
        let all = |of: &dyn Fn(&RigidBodyState) -> Vector3<f32>| {
            self.states.iter().map(|state| of(state).cast::<f64>().into()).collect::<Vec<[f64; 3]>>()
        };
        let inertia = desc.principal_inertia().unwrap_or_default().cast::<f64>();
        let energy = |state: &RigidBodyState| {
            let spin = state.pose.rotation.inverse_transform_vector(&state.angular_velocity).cast::<f64>();
            let kinetic =
                mass * state.velocity.cast::<f64>().norm_squared() + inertia.dot(&spin.component_mul(&spin));
            0.5 * kinetic
                - mass
                    * f64::from(desc.gravity_scale)
                    * gravity.dot(&state.pose.translation.vector.cast::<f64>())
        };
        let rotation = |state: &RigidBodyState| state.pose.rotation.coords.cast::<f64>().into();
        RigidBodyFigures {
            name: None,
            mass_kg: mass.into(),
            least_distance_m: Some(self.least_distance).filter(|d| d.is_finite()).into(),
            centre_m: all(&|state| state.pose.translation.vector),
            rotation_xyzw: self.states.iter().map(rotation).collect(),
            velocity_m_s: all(&|state| state.velocity),
            angular_velocity_rad_s: all(&|state| state.angular_velocity),
            impulse_n_s: all(&|state| state.impulse),
            energy_j: self.states.iter().map(energy).collect(),
        }
    }
}
