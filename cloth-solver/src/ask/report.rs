//! The report of a step: stage times, contact counts, warnings.

use std::time::Duration;

use nalgebra::Point3;

use crate::{ClothId, ColliderId, ElasticReport, MeshBodyId};

/// Wall-clock time by stage, measured with the clock of
/// [`Simulation::set_clock`](crate::Simulation::set_clock); the simulation never reads it. Zero on bare
/// `wasm32` without a clock.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct StageTimes {
    /// Interpolation of pins, attachments and poses.
    pub animate: Duration,
    /// External forces, predicted displacements.
    pub predict: Duration,
    /// Contact detection.
    pub detect: Duration,
    /// Recovery from intersections.
    pub recover: Duration,
    /// Constraint projection.
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

/// Warnings: unsuitable settings or meshes, and events counted over the step.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Warnings {
    /// Substep length (s) if it is more than [`RECOMMENDED_MAX_SUBSTEP`]: cloth stretches visibly by its own
    /// fall within a substep. Use more substeps or smaller steps.
    pub long_substep: Option<f32>,
    /// The cloth with the largest ratio of thickness to mean edge length, and the ratio, if it is above 1:
    /// neighbouring vertices then push each other apart. At most 0.5 works well
    /// ([`Thickness::for_mesh`](crate::Thickness::for_mesh)).
    pub excessive_thickness: Option<(ClothId, f32)>,
    /// Whether the wind has a velocity but neither drag nor lift, and so no effect.
    pub wind_without_drag: bool,
    /// Vertices slowed by `Settings::velocity_limit`, summed over the substeps.
    pub velocity_limited: usize,
    /// Vertices slowed by `Settings::max_radii_per_substep`, summed over the substeps.
    pub radius_limited: usize,
    /// Contacts found on the wrong side of where they began, summed over the substeps with detection: layers
    /// that have crossed and are being brought back.
    pub crossed_contacts: usize,
    /// Vertices whose motion was clipped at the separating plane of a contact, summed over the substeps.
    pub truncated: usize,
}

/// The longest substep (s) without a warning: 1/60 s.
pub const RECOMMENDED_MAX_SUBSTEP: f32 = 1.0 / 60.0;

/// A cloth vertex that a collider penetrates because the gate does not let it cross other cloth: it is
/// pinched.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Pinch {
    /// The collider.
    pub collider: ColliderId,
    /// Vertex index over all vertices.
    pub vertex: u32,
    /// Position (m).
    pub position: Point3<f32>,
    /// Penetration depth (m) behind the plane of its contact.
    pub depth: f32,
}

/// What the gate released a cloth from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum ReleasedBody {
    /// A mesh body.
    Mesh(MeshBodyId),
    /// The axis of a guarded collider.
    Collider(ColliderId),
}

/// A cloth–body pair that the gate released.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Release {
    /// The body.
    pub body: ReleasedBody,
    /// A vertex of the cloth, by index over all vertices.
    pub vertex: u32,
    /// Position (m) when it was released.
    pub position: Point3<f32>,
    /// Depth (m) by which the body penetrated the cloth in that substep.
    pub depth: f32,
}

/// Certification gate of a step; all zero while it is off, but for `pin_lag_m`.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct GateReport {
    /// Pairs certified, summed over substeps and rounds.
    pub proofs: usize,
    /// Of those, certified by a separating plane in `f32` with a rounding error bound.
    pub proved_in_f32: usize,
    /// Of the others, decided by exact continuous collision detection because no separating plane was found
    /// in `f64` either.
    pub exact_ccd: usize,
    /// Most rounds in a substep; 1 if the proposed motion was certified unchanged.
    pub rounds: u32,
    /// Vertices whose motion was changed, in the substep with the most.
    pub modified_vertices: usize,
    /// Vertices that were frozen at their start position, in the substep with the most.
    pub frozen_vertices: usize,
    /// Momentum (kg m/s) removed by the changes, summed in magnitude over vertices and substeps.
    pub momentum_lost: f32,
    /// Lag: the maximum distance (m) at the end of the step of a pin, an attachment or a vertex of a mesh
    /// body from its target, because it is faster than
    /// [`Settings::velocity_limit`](crate::Settings::velocity_limit) or because cloth bars its way. It goes
    /// on towards it in the next step.
    pub pin_lag_m: f32,
    /// Cloth–body pairs released as tangled, because neither side could be stopped.
    pub released: usize,
    /// Tangles at the end of the step.
    pub tangles: usize,
    /// Edge-face intersections within tangles at the end of the step.
    pub tangled_pairs: usize,
    /// Vertices that belong to a tangle at the end of the step.
    pub tangled_vertices: usize,
    /// Edge-face intersections outside all tangles at the end of the step, counted while there are tangles.
    /// Anything but 0 is a defect of the gate.
    pub intersections_outside_tangles: usize,
    /// Whether the chord of the step is certified as well: the straight motion of every vertex from the start
    /// of the step to its end, which who sees only frames interpolates. If not, it may still be without a
    /// crossing; never true in a step in which cloth sleeps, or where pairs of cloth may pass through each
    /// other. What moved between two steps is no part of it. It depends on the lists of pairs, and so on
    /// earlier steps, as the numbers of proofs do.
    pub certified_chord: bool,
    /// The most deeply pinched vertex at the end of the step, if any.
    pub pinch: Option<Pinch>,
}

/// Intersection contours that recovery last found, at the start of a substep; all zero while it is off or the
/// state is clean.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct RecoveryReport {
    /// Closed contours.
    pub closed: usize,
    /// Contours that end at a border of the cloth at both ends.
    pub boundary: usize,
    /// Contours with an end inside the cloth.
    pub open: usize,
    /// Contours that branch or are coplanar.
    pub tangled: usize,
    /// Edge-face intersections on all contours.
    pub intersections: usize,
    /// Total length (m) of all contours.
    pub length_m: f64,
    /// Contours that no strategy has made shorter.
    pub stuck: usize,
}

/// The report of one step.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct StepReport {
    /// Substeps taken; 0 if everything sleeps and the step was skipped.
    pub substeps: u32,
    /// Cloths asleep at the end of the step.
    pub sleeping: usize,
    /// Cloths that were teleported at its start, because what they are fixed to was cut:
    /// [`Simulation::cuts`](crate::Simulation::cuts). What the gate certified is the motion after that.
    pub cuts: usize,
    /// Time by stage, summed over the substeps.
    pub times: StageTimes,
    /// Substeps in which detection searched all pairs of the cloth, by the broad phase.
    pub broad_phase_queries: u32,
    /// Leaves (sets of eight primitives) whose pairs detection searched, summed over the substeps.
    pub rebuilt_lists: usize,
    /// Candidate pairs whose closest points were computed.
    pub narrow_phase_tests: usize,
    /// Candidate pairs in the last substep.
    pub candidates: usize,
    /// Cloth contacts in the last substep.
    pub contacts: usize,
    /// Contacts between vertices in the last substep.
    pub particle_contacts: usize,
    /// Particle pairs tested in the last substep.
    pub particle_pairs: usize,
    /// Substeps in which the particle pairs were searched again.
    pub particle_broad_phase_queries: u32,
    /// Collider contacts in the last substep.
    pub collider_contacts: usize,
    /// Contacts of faces with colliders in the last substep; see
    /// [`Settings::face_contacts`](crate::Settings::face_contacts).
    pub face_contacts: usize,
    /// Elastic model.
    pub elastic: ElasticReport,
    /// Warnings.
    pub warnings: Warnings,
    /// Certification gate.
    pub gate: GateReport,
    /// Recovery.
    pub recovery: RecoveryReport,
}
