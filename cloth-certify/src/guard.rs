//! The gate with what it has to guard, and what it does not know of a state: of a
//! [`Certifier`](crate::Certifier), and of the solver's step, whose detector has lists that serve the gate as
//! well.

use cloth_ccd::{Ccd, Filtered};
use cloth_contacts::gate::{Admission, Gate, GateStats, Inspection, Proposal};
use cloth_contacts::intersect::IntersectError;
use cloth_contacts::{Coordinate, DetectError, Detector, Surface};
use nalgebra::Point3;

/// A gate and its surface. For the solver of this project; everybody else has a
/// [`Certifier`](crate::Certifier), which can be trusted with any start.
#[doc(hidden)]
#[derive(Clone, Debug)]
pub struct Guard<T: Coordinate = f64, C = Filtered> {
    /// The result of [`Surface::for_gate`] or [`Surface::placed`].
    pub surface: Surface,
    /// Certifies motions.
    pub gate: Gate<C, T>,
    /// Which pairs may intersect at the start of the next motion without having passed the gate: all after
    /// vertices were moved from outside, pairs of cloth and body after a release.
    pub pending: Admission,
}

impl<T: Coordinate, C: Ccd + Sync> Guard<T, C> {
    /// A guard that knows nothing of the state in which the next motion starts.
    #[must_use]
    pub fn new(surface: Surface, gate: Gate<C, T>) -> Self {
        Self { surface, gate, pending: Admission::All }
    }

    /// Exempts the pairs that intersect in a state (m) and have not passed the gate.
    ///
    /// # Errors
    /// As [`Gate::inspect`].
    pub fn admit_intersections(&mut self, positions: &[Point3<T>]) -> Result<(), IntersectError> {
        if self.pending != Admission::None {
            self.gate.inspect(&self.surface, positions, self.pending)?;
            self.pending = Admission::None;
        }
        Ok(())
    }

    /// Corrects a motion until it is certified, by lists of the gate itself. The start must have been checked
    /// or its intersections admitted.
    ///
    /// # Errors
    /// As [`Gate::certify`].
    pub fn certify(&mut self, proposal: &mut Proposal<'_, T>) -> Result<GateStats, DetectError> {
        let stats = self.gate.certify(&self.surface, proposal)?;
        Ok(self.certified(stats))
    }

    /// Ends the tangles that are resolved in a state (m); what is left of them, or nothing without tangles.
    ///
    /// # Errors
    /// As [`Gate::inspect`].
    pub fn end_tangles(&mut self, positions: &[Point3<T>]) -> Result<Inspection, IntersectError> {
        self.admit_intersections(positions)?;
        if self.gate.tangles().is_empty() {
            return Ok(Inspection::default());
        }
        self.gate.inspect(&self.surface, positions, Admission::None)
    }

    /// Whether every pair is guarded: no tangles, and nothing left to check.
    #[must_use]
    pub fn is_clean(&self) -> bool {
        self.pending == Admission::None && self.gate.tangles().is_empty()
    }

    fn certified(&mut self, stats: GateStats) -> GateStats {
        if stats.released > 0 {
            self.pending = self.pending.max(Admission::WithBodies);
        }
        stats
    }
}

impl<C: Ccd + Sync> Guard<f32, C> {
    /// As [`Guard::certify`], by the lists of a detector of this surface.
    ///
    /// # Errors
    /// As [`Gate::certify`].
    pub fn certify_with_detector(
        &mut self,
        detector: &mut Detector,
        detected: &Surface,
        proposal: &mut Proposal<'_>,
    ) -> Result<GateStats, DetectError> {
        let stats = self.gate.certify_with_detector(detector, detected, &self.surface, proposal)?;
        Ok(self.certified(stats))
    }
}
