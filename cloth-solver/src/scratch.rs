//! Scratch memory of a simulation: dropping it between two steps changes no later bit.

use cloth_contacts::collider::Collider;
use nalgebra::{Isometry3, Point3, Vector3};

use crate::ask::intersections::IntersectionCache;
use crate::bodies::Packed;
use crate::checkpoint::RollbackState;
use crate::constraints::collider_contact::{ColliderConstraints, FaceConstraint};
use crate::constraints::contact::ContactMemory;
use crate::constraints::particle::ParticleConstraint;
use crate::constraints::truncate::Truncation;
use crate::describe::friction::FrictionTable;
use crate::describe::wind::WindScratch;
use crate::islands::{Disturbances, Islands};
use crate::rigid::RigidCoupling;
use crate::teleport::Cut;

/// Memory that each substep writes before it reads it, or that is only a cache. Kept so that steps allocate
/// nothing.
#[derive(Clone, Debug, Default)]
pub(crate) struct Scratch {
    /// Positions (m) at the start of the substep.
    pub(crate) x_t0: Vec<Point3<f32>>,
    /// Displacements (m) predicted over the substep.
    pub(crate) displacements: Vec<Vector3<f32>>,
    /// Where immovable vertices are (m) at the end of the substep: the start plus the displacement, without
    /// its rounding.
    pub(crate) targets: Vec<Point3<f32>>,
    /// Displacements (m) predicted up to the next detection.
    pub(crate) lookahead: Vec<Vector3<f32>>,
    pub(crate) wind: WindScratch,
    /// Motion of each local frame over the substep.
    pub(crate) frame_motions: Vec<Isometry3<f32>>,
    /// The colliders over the substep.
    pub(crate) colliders: Vec<Collider>,
    pub(crate) disturbances: Disturbances,
    pub(crate) islands: Islands,
    pub(crate) solver: SolverScratch,
    /// Rigid bodies in a substep; the impulses on them until the next step.
    pub(crate) rigid: RigidCoupling,
    /// The state and results to restore if the step fails.
    pub(crate) rollback: RollbackState,
    /// The cuts of the last step.
    pub(crate) cuts: Vec<Cut>,
    /// The exact check of the current state, once it was asked for.
    pub(crate) intersections: IntersectionCache,
}

/// Scratch memory of the solve stage.
#[derive(Clone, Debug, Default)]
pub(crate) struct SolverScratch {
    /// Positions (m) being solved, and those at the start of the substep, in slots.
    pub(crate) x: Vec<Packed>,
    pub(crate) x_t0: Vec<Packed>,
    /// Written at the start of each step.
    pub(crate) friction_table: FrictionTable,
    pub(crate) contacts: ContactMemory,
    pub(crate) colliders: ColliderConstraints,
    pub(crate) faces: Vec<FaceConstraint>,
    pub(crate) particles: Vec<ParticleConstraint>,
    pub(crate) truncation: Truncation,
}

impl Scratch {
    /// Sets where an immovable vertex is (m) at the end of the substep.
    pub(crate) fn set_target(&mut self, vertex: usize, target: Point3<f32>) {
        self.targets[vertex] = target;
        self.displacements[vertex] = target - self.x_t0[vertex];
    }

    /// Sets where a pin is (m) at the end of the substep, `most` (m) away at most: one that was stopped does
    /// not catch up at once.
    pub(crate) fn set_pin_target(&mut self, vertex: usize, target: Point3<f32>, most: f32) {
        self.set_target(vertex, target);
        let way = self.displacements[vertex];
        if way.norm_squared() > most * most {
            self.set_target(vertex, self.x_t0[vertex] + way.cap_magnitude(most));
        }
    }

    /// Makes room for `count` vertices.
    pub(crate) fn resize(&mut self, count: usize) {
        self.x_t0.resize(count, Point3::origin());
        self.displacements.resize(count, Vector3::zeros());
        self.targets.resize(count, Point3::origin());
        self.solver.x.resize(count, Packed::zeros());
        self.solver.x_t0.resize(count, Packed::zeros());
    }
}
