//! What a simulation keeps for its gate.

use cloth_broadphase::BroadPhase;
use cloth_contacts::Surface;
use cloth_contacts::gate::{Admission, Exemption, Exemptions, Gate, Pair};
use cloth_contacts::intersect::IntersectError;
use nalgebra::Point3;

use crate::{GateReport, Release, Simulation};

/// The gate, and the surface as it sees it.
#[derive(Clone, Debug)]
pub(crate) struct Gated<B> {
    pub(crate) surface: Surface,
    pub(crate) gate: Gate<B>,
    /// What may have come to intersect since the state was last looked at: all after vertices were moved from without, cloth and
    /// bodies after pairs of them were let go.
    pub(crate) pending: Admission,
    /// Pairs that were let go in the present step.
    pub(crate) releases: Vec<Release>,
}

/// What of a gate influences a later bit.
#[derive(Clone, Debug)]
pub(crate) struct GateCheckpoint {
    pub(crate) exemptions: Exemptions,
    pub(crate) pending: Admission,
}

impl GateCheckpoint {
    /// Of a state that comes from without as a whole: nothing is exempt but what intersects in it.
    pub(crate) fn unknown() -> Self {
        Self { exemptions: Exemptions::default(), pending: Admission::All }
    }
}

impl<B> Gated<B> {
    /// Makes a checkpoint one to return to here, in the memory that it has.
    pub(crate) fn checkpoint_into(&self, checkpoint: &mut GateCheckpoint) {
        let Self { gate, pending, surface: _, releases: _ } = self;
        gate.exemptions_into(&mut checkpoint.exemptions);
        checkpoint.pending = *pending;
    }

    /// Returns to it.
    pub(crate) fn return_to(&mut self, checkpoint: &GateCheckpoint) {
        self.gate.set_exemptions(&checkpoint.exemptions);
        self.pending = checkpoint.pending;
    }
}

impl<B: BroadPhase> Gated<B> {
    pub(crate) fn new(surface: &Surface) -> Self {
        Self {
            surface: surface.for_gate(),
            gate: Gate::default(),
            pending: Admission::All,
            releases: Vec::new(),
        }
    }

    /// Takes into quarantine what intersects in a state (m) without having passed the gate.
    pub(crate) fn admit(&mut self, positions: &[Point3<f32>]) -> Result<(), IntersectError> {
        if self.pending != Admission::None {
            self.gate.inspect(&self.surface, positions, self.pending)?;
            self.pending = Admission::None;
        }
        Ok(())
    }

    /// Whether the gate answers for the whole state: there is no tangle, and nothing that has yet to be looked at.
    pub(crate) fn is_clean(&self) -> bool {
        self.pending == Admission::None && self.gate.tangles().is_empty()
    }

    /// Ends the tangles that are undone.
    pub(crate) fn settle(
        &mut self,
        positions: &[Point3<f32>],
        report: &mut GateReport,
    ) -> Result<(), IntersectError> {
        self.admit(positions)?;
        if !self.gate.tangles().is_empty() {
            let found = self.gate.inspect(&self.surface, positions, Admission::None)?;
            report.tangles = found.tangles;
            report.tangled_pairs = found.tangled;
            report.tangled_vertices = found.vertices;
            report.strays = found.certified;
        }
        Ok(())
    }
}

impl<B> Simulation<B> {
    /// Whether an intersection `[edge, face]` of the surface belongs to a tangle, which the gate leaves alone; no
    /// intersection does without a gate.
    #[must_use]
    pub fn is_tangled(&self, hit: [u32; 2]) -> bool
    where
        B: BroadPhase,
    {
        self.gated.as_ref().is_some_and(|gated| gated.gate.is_tangled(&gated.surface, hit))
    }

    /// Why the gate does not guard a pair of primitives of the surface; none if it does, or if there is no gate. The book is that of the
    /// end of the last step.
    #[must_use]
    pub fn exemption(&self, pair: Pair) -> Option<Exemption> {
        self.gated.as_ref().and_then(|gated| gated.gate.exemption(&gated.surface, pair))
    }

    /// Pairs of cloth and body that the gate let go in the last step, by substep.
    #[must_use]
    pub fn released(&self) -> &[Release] {
        self.gated.as_ref().map_or(&[], |gated| &gated.releases)
    }

    /// Whether the gate answers for an intersection `[edge, face]` of the surface: it belongs to no tangle, and to cloth that
    /// collides. A state that has passed the gate has none. Without a gate, nobody answers and all are.
    #[must_use]
    pub fn is_certified(&self, hit: [u32; 2]) -> bool
    where
        B: BroadPhase,
    {
        self.gated.is_none() || self.surface.is_guarded_hit(hit) && !self.is_tangled(hit)
    }

    /// The tangles, as the vertices on either side, each ascending; none without a gate.
    #[must_use]
    pub fn tangles(&self) -> &[[Vec<u32>; 2]]
    where
        B: BroadPhase,
    {
        self.gated.as_ref().map_or(&[], |gated| gated.gate.tangles())
    }
}
