//! Which contours a state has: the exact check, without what is no intersection to anybody.

use cloth_contacts::Surface;
use cloth_contacts::tangle::{ContourKind, trace};
use cloth_geom::Topology;
use nalgebra::Point3;

use super::Recovery;
use crate::report::RecoveryReport;

impl Recovery {
    /// Fills the contours of a state (m). A state that is not finite has none: the step fails elsewhere.
    pub(super) fn find(&mut self, x: &[Point3<f32>], surface: &Surface) {
        self.at.clear();
        self.at.extend(x.iter().map(|p| p.cast::<f64>()));
        self.contours.clear();
        let topology = surface.topology();
        let Ok(found) = self.checker.check(&self.at, topology) else { return };
        if found.edge_faces.is_empty() {
            return;
        }
        let mut hits = found.edge_faces;
        hits.retain(|&hit| surface.keeps_apart(hit));
        self.contours = trace(&hits, topology);
    }

    /// What was found last.
    pub(super) fn report(&self, topology: &Topology) -> RecoveryReport {
        let count = |kind| self.contours.iter().filter(|c| c.kind == kind).count();
        RecoveryReport {
            closed: count(ContourKind::Closed),
            boundary: count(ContourKind::Boundary),
            open: count(ContourKind::Open),
            tangled: count(ContourKind::Tangled),
            hits: self.contours.iter().map(|c| c.hits.len()).sum(),
            length_m: self.contours.iter().map(|c| c.length(&self.at, topology)).sum(),
            stuck: self.tracks.stuck(),
        }
    }
}
