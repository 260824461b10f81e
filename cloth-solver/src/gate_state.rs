//! The certification gate of a simulation.

use cloth_broadphase::AnyBroadPhase;
use cloth_certify::Guard;
use cloth_contacts::Surface;
use cloth_contacts::gate::{Admission, Exemptions, Gate, Inspection};
use cloth_contacts::intersect::IntersectError;
use nalgebra::Point3;

use crate::{GateReport, Release};

/// The gate of a simulation.
#[derive(Clone, Debug)]
pub(crate) struct GateState {
    pub(crate) guard: Guard<f32>,
    /// Pairs released in the current step.
    pub(crate) releases: Vec<Release>,
}

/// The part of a gate's state that influences later results.
#[derive(Clone, Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub(crate) struct GateCheckpoint {
    pub(crate) exemptions: Exemptions,
    pub(crate) pending: Admission,
}

impl GateCheckpoint {
    /// For a state from outside: nothing is exempt yet, and everything has to be checked.
    pub(crate) fn unknown() -> Self {
        Self { exemptions: Exemptions::default(), pending: Admission::All }
    }
}

impl GateState {
    pub(crate) fn new(surface: &Surface, broad_phase: &AnyBroadPhase) -> Self {
        let gate = Gate::with_broad_phase(broad_phase.clone());
        Self { guard: Guard::new(surface.for_gate(), gate), releases: Vec::new() }
    }

    /// Saves into a checkpoint, reusing its memory.
    pub(crate) fn save_into(&self, checkpoint: &mut GateCheckpoint) {
        let Self { guard: Guard { gate, pending, surface: _ }, releases: _ } = self;
        gate.exemptions_into(&mut checkpoint.exemptions);
        checkpoint.pending = *pending;
    }

    /// Restores a checkpoint.
    pub(crate) fn restore_checkpoint(&mut self, checkpoint: &GateCheckpoint) {
        self.guard.gate.set_exemptions(&checkpoint.exemptions);
        self.guard.pending = checkpoint.pending;
    }

    /// Compares the intersections of positions (m) with what a checkpoint from outside says of them; see
    /// [`Gate::check_exemptions`].
    pub(crate) fn compare(
        &mut self,
        positions: &[Point3<f32>],
        saved: &GateCheckpoint,
    ) -> Result<Inspection, IntersectError> {
        let Guard { gate, surface, .. } = &mut self.guard;
        gate.check_exemptions(surface, positions, &saved.exemptions, saved.pending)
    }

    /// Clears the releases of the last step, and sets whether examined pairs are recorded.
    pub(crate) fn begin_step(&mut self, records_examined: bool) {
        self.releases.clear();
        self.guard.gate.record_examined(records_examined);
    }

    /// Whether an intersection `[edge, face]` of the current state is yet to be admitted as a tangle.
    pub(crate) fn admits(&self, hit: [u32; 2]) -> bool {
        self.guard.pending.admits(&self.guard.surface, hit)
    }

    /// Whether the gate guards the whole state.
    pub(crate) fn is_clean(&self) -> bool {
        self.guard.is_clean()
    }

    /// Ends the tangles that are resolved in a state (m), and reports those left.
    pub(crate) fn update_tangles(
        &mut self,
        positions: &[Point3<f32>],
        report: &mut GateReport,
    ) -> Result<(), IntersectError> {
        let found = self.guard.end_tangles(positions)?;
        if found != Inspection::default() {
            report.tangles = found.tangles;
            report.tangled_pairs = found.tangled;
            report.tangled_vertices = found.vertices;
            report.intersections_outside_tangles = found.not_admitted;
        }
        Ok(())
    }
}
