//! The certification gate of a simulation.

use cloth_broadphase::AnyBroadPhase;
use cloth_contacts::Surface;
use cloth_contacts::gate::{Admission, Exemptions, Gate};
use cloth_contacts::intersect::IntersectError;
use nalgebra::Point3;

use crate::{GateReport, Release};

/// The gate and its view of the surface.
#[derive(Clone, Debug)]
pub(crate) struct GateState {
    pub(crate) surface: Surface,
    pub(crate) gate: Gate,
    /// Which pairs may intersect without having passed the gate: all after vertices were moved from outside,
    /// cloth–body pairs after a release.
    pub(crate) pending: Admission,
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
    /// Saves into a checkpoint, reusing its memory.
    pub(crate) fn save_into(&self, checkpoint: &mut GateCheckpoint) {
        let Self { gate, pending, surface: _, releases: _ } = self;
        gate.exemptions_into(&mut checkpoint.exemptions);
        checkpoint.pending = *pending;
    }

    /// Restores a checkpoint.
    pub(crate) fn restore_checkpoint(&mut self, checkpoint: &GateCheckpoint) {
        self.gate.set_exemptions(&checkpoint.exemptions);
        self.pending = checkpoint.pending;
    }

    /// Clears the releases of the last step, and sets whether examined pairs are recorded.
    pub(crate) fn begin_step(&mut self, records_examined: bool) {
        self.releases.clear();
        self.gate.record_examined(records_examined);
    }

    pub(crate) fn new(surface: &Surface, broad_phase: &AnyBroadPhase) -> Self {
        Self {
            surface: surface.for_gate(),
            gate: Gate::with_broad_phase(broad_phase.clone()),
            pending: Admission::All,
            releases: Vec::new(),
        }
    }

    /// Exempts the pairs that intersect in a state (m) that has not passed the gate.
    pub(crate) fn admit_intersections(&mut self, positions: &[Point3<f32>]) -> Result<(), IntersectError> {
        if self.pending != Admission::None {
            self.gate.inspect(&self.surface, positions, self.pending)?;
            self.pending = Admission::None;
        }
        Ok(())
    }

    /// Whether an intersection `[edge, face]` of the current state is yet to be admitted as a tangle.
    pub(crate) fn admits(&self, hit: [u32; 2]) -> bool {
        self.pending.admits(&self.surface, hit)
    }

    /// Whether the gate guards the whole state: no tangles, and nothing left to check.
    pub(crate) fn is_clean(&self) -> bool {
        self.pending == Admission::None && self.gate.tangles().is_empty()
    }

    /// Ends the tangles that are resolved.
    pub(crate) fn update_tangles(
        &mut self,
        positions: &[Point3<f32>],
        report: &mut GateReport,
    ) -> Result<(), IntersectError> {
        self.admit_intersections(positions)?;
        if !self.gate.tangles().is_empty() {
            let found = self.gate.inspect(&self.surface, positions, Admission::None)?;
            report.tangles = found.tangles;
            report.tangled_pairs = found.tangled;
            report.tangled_vertices = found.vertices;
            report.intersections_outside_tangles = found.not_admitted;
        }
        Ok(())
    }
}
