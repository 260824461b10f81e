//! What a step reports: where the time went, how many contacts there were, and what deserves a warning.

use std::time::Duration;

use nalgebra::Point3;

use crate::{ClothId, ColliderId, MeshBodyId};

/// Wall-clock time by stage, by [`Simulation::set_clock`](crate::Simulation::set_clock); never read by the simulation itself. Zero throughout on bare
/// `wasm32` without a clock.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct StageTimes {
    /// Pins, attachments, collider poses.
    pub animate: Duration,
    /// External forces and displacements.
    pub predict: Duration,
    /// Boxes, candidates, contacts.
    pub detect: Duration,
    /// Untangling of what intersects.
    pub recover: Duration,
    /// Elasticity, contacts, friction.
    pub solve: Duration,
    /// Certification of the motion.
    pub gate: Duration,
    /// Velocities and damping.
    pub update: Duration,
}

impl StageTimes {
    /// The stages by name, in the order of the step.
    #[must_use]
    pub fn named(&self) -> [(&'static str, Duration); 7] {
        [
            ("animate", self.animate),
            ("predict", self.predict),
            ("detect", self.detect),
            ("recover", self.recover),
            ("solve", self.solve),
            ("gate", self.gate),
            ("update", self.update),
        ]
    }

    /// All stages together.
    #[must_use]
    pub fn total(&self) -> Duration {
        self.named().into_iter().map(|(_, time)| time).sum()
    }
}

/// What a user should know of: settings and meshes that do not go together, and events counted over the step.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Warnings {
    /// The length (s) of the substeps if it is more than [`RECOMMENDED_MAX_SUBSTEP`]: cloth stretches by its own fall in one. Take more
    /// substeps, or several steps.
    pub long_substep: Option<f32>,
    /// The cloth that is thickest for its mesh if its thickness is more than its mean edge, with thickness over edge: neighbours
    /// push each other apart. At most 0.5 works well ([`Thickness::for_mesh`](crate::Thickness::for_mesh)).
    pub excessive_thickness: Option<(ClothId, f32)>,
    /// Whether there is wind with a velocity that no cloth feels, because drag and lift are zero.
    pub wind_without_drag: bool,
    /// Vertices slowed down by the velocity limit, summed over the substeps.
    pub velocity_limited: usize,
    /// Vertices slowed down by the limit of their way in radii, summed over the substeps.
    pub radius_limited: usize,
    /// Contacts found on the wrong side of where they began, summed over the substeps that find contacts and not only
    /// measure them: layers that the solver let pass, and is bringing back.
    pub crossed_contacts: usize,
    /// Vertices whose motion was clipped lest they cross a contact's plane, summed over the substeps.
    pub truncated: usize,
}

/// The longest substep (s) without a warning: a frame at 60 Hz without substeps.
pub const RECOMMENDED_MAX_SUBSTEP: f32 = 1.0 / 60.0;

/// Cloth that a collider's contact had to yield to: it had no room, and cloth does not cross cloth.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Pinch {
    /// The collider.
    pub collider: ColliderId,
    /// The vertex, among all.
    pub vertex: u32,
    /// Where it is (m).
    pub position: Point3<f32>,
    /// How far (m) it is behind the plane of its contact.
    pub depth: f32,
}

/// A pair of cloth and body that was let go as tangled.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Release {
    /// The body.
    pub body: MeshBodyId,
    /// A vertex of the cloth, among all.
    pub vertex: u32,
    /// Where it was (m).
    pub position: Point3<f32>,
    /// How far (m) the body went into the cloth in that substep.
    pub depth: f32,
}

/// What the gate did in a step; zero throughout while it is off.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct GateReport {
    /// Pairs that were proved, summed over the substeps and over the rounds in which a motion was tried again.
    pub proofs: usize,
    /// Of those, proved by a separating plane in `f32`, with a bound of its rounding error.
    pub proved_in_f32: usize,
    /// Of the others, by exact continuous collision detection where no separating plane was found in `f64` either.
    pub exact_ccd: usize,
    /// Most rounds that a substep took; 1 if all was proved as proposed.
    pub rounds: u32,
    /// Vertices whose motion was changed, in the substep with the most.
    pub modified_vertices: usize,
    /// Vertices that stayed where they were, in the substep with the most.
    pub frozen_vertices: usize,
    /// Momentum (kg m/s) that the changes took, summed in magnitude over vertices and substeps.
    pub momentum_lost: f32,
    /// How far (m) a pinned vertex is behind where it was to be, at most, at the end of the step.
    pub pin_lag_m: f32,
    /// Pairs of cloth and body that were let go as tangled, because neither could be held back.
    pub released: usize,
    /// Tangles at the end of the step.
    pub tangles: usize,
    /// Intersections (edge and face) in tangles at the end of the step.
    pub tangled_pairs: usize,
    /// Vertices that belong to a tangle at the end of the step.
    pub tangled_vertices: usize,
    /// Intersections outside all tangles at the end of the step, where there are tangles and the state was looked at for them: anything but
    /// 0 is a failure of the gate.
    pub intersections_outside_tangles: usize,
    /// The vertex that is deepest behind the plane of a collider's contact at the end of the step; none if there is none.
    pub pinch: Option<Pinch>,
}

/// What recovery found when it last looked, at the start of a substep; zero throughout while it is off or the state is clean.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct RecoveryReport {
    /// Contours that are closed.
    pub closed: usize,
    /// Contours that leave the cloth over its border at both ends.
    pub boundary: usize,
    /// Contours that end inside the cloth.
    pub open: usize,
    /// Contours that branch or lie in a plane.
    pub tangled: usize,
    /// Intersections (edge and face) on all of them.
    pub hits: usize,
    /// Length (m) of all of them.
    pub length_m: f64,
    /// Contours that no plan has made shorter.
    pub stuck: usize,
}

/// The report of one step.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct StepReport {
    /// Substeps taken.
    pub substeps: u32,
    /// Time by stage, summed over the substeps.
    pub times: StageTimes,
    /// Substeps in which the broad phase was asked for pairs of patches.
    pub broad_phase_queries: u32,
    /// Candidate lists, of a pair of patches each, that were made anew.
    pub rebuilt_lists: usize,
    /// Candidate pairs whose closest points were computed.
    pub narrow_phase_tests: usize,
    /// Candidate pairs in the last substep.
    pub candidates: usize,
    /// Cloth contacts in the last substep.
    pub contacts: usize,
    /// Contacts between vertices in the last substep.
    pub particle_contacts: usize,
    /// Pairs of vertices near enough to be looked at, in the last substep.
    pub particle_pairs: usize,
    /// Substeps in which those pairs were found anew.
    pub particle_broad_phase_queries: u32,
    /// Collider contacts in the last substep.
    pub collider_contacts: usize,
    /// What deserves attention.
    pub warnings: Warnings,
    /// What the gate did.
    pub gate: GateReport,
    /// What recovery has to do.
    pub recovery: RecoveryReport,
}
