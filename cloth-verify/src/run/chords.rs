//! What touched on the straight path from one frame to the next.

use cloth_contacts::impacts::{ImpactFinder, Impacts};
use cloth_geom::Topology;
use nalgebra::Point3;

use crate::BroadPhaseChoice;

/// Checks the chords between the states that it receives.
pub(super) struct ChordObserver {
    finder: ImpactFinder,
    /// The state that was shown last; empty before the first.
    before: Vec<Point3<f64>>,
}

impl ChordObserver {
    pub(super) fn new(broad_phase: BroadPhaseChoice) -> Self {
        Self { finder: ImpactFinder::with_broad_phase(broad_phase.broad_phase()), before: Vec::new() }
    }

    /// The pairs that touched since the state that was shown last, and none if this is the first.
    pub(super) fn show(&mut self, positions: &[Point3<f64>], topology: &Topology) -> Result<Impacts, String> {
        let found = match &self.before[..] {
            [] => Ok(Impacts::default()),
            before => self.finder.find(before, positions, topology).map_err(|e| e.to_string()),
        };
        self.before.clear();
        self.before.extend_from_slice(positions);
        found
    }
}
