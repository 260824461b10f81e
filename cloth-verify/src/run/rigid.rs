//! Rigid bodies of a scene: their motion, and the exact distance of balls from cloth in every substep.

use cloth_geom::closest::point_triangle;
use cloth_solver::{AcceptedMotion, RigidBodyState, Shape};
use nalgebra::Point3;

use super::simulated::Simulated;
use crate::report::RigidBodyFigures;
use crate::scenario::Setup;

/// What was seen of a rigid body.
#[derive(Clone, Debug, Default)]
pub struct RigidTrack {
    /// At the start and after each frame.
    pub states: Vec<RigidBodyState>,
    /// Least distance (m) of the surface of a ball from any face of cloth after any substep, negative if a face is in it; infinite for
    /// other shapes, or without substeps.
    pub least_distance: f64,
}

/// Observes the rigid bodies of a scene.
pub(super) struct RigidObserver {
    /// Index of the first body's collider.
    first: usize,
    radii: Vec<Option<f64>>,
    faces: Vec<[u32; 3]>,
    tracks: Vec<RigidTrack>,
}

impl RigidObserver {
    pub(super) fn new(setup: &Setup) -> Self {
        let radius = |shape: &Shape| match *shape {
            Shape::Sphere { radius } => Some(f64::from(radius)),
            _ => None,
        };
        let track = RigidTrack { states: Vec::new(), least_distance: f64::INFINITY };
        Self {
            first: setup.colliders.len(),
            radii: setup.rigid_bodies.iter().map(|body| radius(&body.collider.shape)).collect(),
            faces: setup.faces_by_cloth().concat(),
            tracks: vec![track; setup.rigid_bodies.len()],
        }
    }

    /// Measures the distances after a substep.
    pub(super) fn motion(&mut self, motion: &AcceptedMotion<'_>) {
        let bodies = motion.colliders.iter().skip(self.first);
        for ((collider, radius), track) in bodies.zip(&self.radii).zip(&mut self.tracks) {
            let Some(radius) = radius else { continue };
            let centre = Point3::from(collider.pose_t1.translation.vector).cast::<f64>();
            for face in &self.faces {
                let [a, b, c] = face.map(|v| motion.x_t1[v as usize].cast::<f64>());
                let distance = point_triangle(&centre, [&a, &b, &c]).distance_sq.sqrt() - radius;
                track.least_distance = track.least_distance.min(distance);
            }
        }
    }

    /// Records the bodies after a frame, or at the start.
    pub(super) fn record(&mut self, sim: &impl Simulated) {
        for (k, track) in self.tracks.iter_mut().enumerate() {
            track.states.extend(sim.rigid_body(self.first + k));
        }
    }

    /// What was seen.
    pub(super) fn into_tracks(self) -> Vec<RigidTrack> {
        self.tracks
    }
}

/// The figures of all bodies.
pub(super) fn figures(setup: &Setup, tracks: &[RigidTrack]) -> Vec<RigidBodyFigures> {
    let gravity = setup.settings.gravity.cast::<f64>();
    let bodies = setup.rigid_bodies.iter().zip(tracks);
    let figures = bodies.map(|(desc, track)| {
        let mass = f64::from(desc.mass);
        let all = |of: &dyn Fn(&RigidBodyState) -> nalgebra::Vector3<f32>| {
            track.states.iter().map(|state| of(state).cast::<f64>().into()).collect::<Vec<[f64; 3]>>()
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
        RigidBodyFigures {
            mass_kg: mass.into(),
            least_distance_m: Some(track.least_distance).filter(|d| d.is_finite()).into(),
            centre_m: all(&|state| state.pose.translation.vector),
            velocity_m_s: all(&|state| state.velocity),
            angular_velocity_rad_s: all(&|state| state.angular_velocity),
            impulse_n_s: all(&|state| state.impulse),
            energy_j: track.states.iter().map(energy).collect(),
        }
    });
    figures.collect()
}
