//! Finds the intersection contours of a state by the exact check, without exempt pairs.

use cloth_contacts::Surface;
use cloth_contacts::tangle::ContourKind;
use cloth_geom::Topology;
use nalgebra::Point3;

use super::Recovery;
use crate::ask::report::RecoveryReport;

impl Recovery {
    /// Finds the contours of a state (m). A non-finite state has none: the step fails elsewhere.
    pub(super) fn find(&mut self, x: &[Point3<f32>], surface: &Surface) {
        let Self { checker, at, found, tracer, .. } = self;
        at.clear();
        at.extend(x.iter().map(|p| p.cast::<f64>()));
        tracer.clear();
        let topology = surface.topology();
        checker.leave_out_among(surface.bodies());
        if checker.check_into(at, topology, found).is_err() || found.edge_faces.is_empty() {
            return;
        }
        found.edge_faces.retain(|&hit| surface.is_guarded_hit(hit));
        tracer.trace(&found.edge_faces, topology);
    }

    /// The report of the contours found last.
    pub(super) fn report(&self, topology: &Topology, stuck: usize) -> RecoveryReport {
        let contours = self.tracer.contours();
        let count = |kind| contours.iter().filter(|c| c.kind == kind).count();
        RecoveryReport {
            closed: count(ContourKind::Closed),
            boundary: count(ContourKind::Boundary),
            open: count(ContourKind::Open),
            tangled: count(ContourKind::Tangled),
            intersections: contours.iter().map(|c| c.hits.len()).sum(),
            length_m: contours.iter().map(|c| c.length(&self.at, topology)).sum(),
            stuck,
        }
    }
}
