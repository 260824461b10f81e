//! What a simulation keeps for its gate.

use cloth_broadphase::BroadPhase;
use cloth_contacts::Surface;
use cloth_contacts::gate::{Admit, Gate};
use cloth_contacts::intersect::IntersectError;
use nalgebra::Point3;

use crate::{GateReport, Release};

/// The gate, and the surface as it sees it.
#[derive(Clone, Debug)]
pub(crate) struct Gated<B> {
    pub(crate) surface: Surface,
    pub(crate) gate: Gate<B>,
    /// Whether vertices were moved from without since the state was last looked at.
    pub(crate) is_stale: bool,
    /// Whether pairs of cloth and body were let go since then.
    pub(crate) let_go: bool,
    /// Those of the present step.
    pub(crate) releases: Vec<Release>,
}

impl<B: BroadPhase> Gated<B> {
    pub(crate) fn new(surface: &Surface) -> Self {
        Self {
            surface: surface.for_gate(Gate::<B>::CLEARANCE),
            gate: Gate::default(),
            is_stale: true,
            let_go: false,
            releases: Vec::new(),
        }
    }

    /// Takes into quarantine what intersects in a state (m) without having passed the gate.
    pub(crate) fn admit(&mut self, positions: &[Point3<f32>]) -> Result<(), IntersectError> {
        let admit = match (self.is_stale, self.let_go) {
            (true, _) => Admit::All,
            (false, true) => Admit::WithBodies,
            (false, false) => return Ok(()),
        };
        self.gate.inspect(&self.surface, positions, admit)?;
        (self.is_stale, self.let_go) = (false, false);
        Ok(())
    }

    /// Ends the tangles that are undone.
    pub(crate) fn settle(
        &mut self,
        positions: &[Point3<f32>],
        report: &mut GateReport,
    ) -> Result<(), IntersectError> {
        self.admit(positions)?;
        if !self.gate.tangles().is_empty() {
            let found = self.gate.inspect(&self.surface, positions, Admit::None)?;
            report.tangles = found.tangles;
            report.tangled_pairs = found.tangled;
            report.tangled_vertices = found.vertices;
        }
        Ok(())
    }

    /// Vertices were moved from without: what intersects now was not let through by the gate.
    pub(crate) fn moved(&mut self) {
        self.gate.reset();
        self.is_stale = true;
    }
}
