//! A run under audit: an auditor receives every accepted motion of the simulation.

use std::time::Duration;

use cloth_solver::{AcceptedMotion, StepReport, Waypoints};

use super::simulated::Simulated;
use crate::audit::{AuditError, AuditFigures, AuditScene, Auditor, Finding, FindingKind};

/// How a run is audited.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct AuditPlan {
    /// The pairs of every so many motions are tested, from the first.
    pub(super) every: u64,
    /// Whether the pairs that came near are compared with those that the gate examined.
    pub(super) completeness: bool,
}

/// The auditor of a run.
pub(super) struct RunAudit {
    auditor: Auditor,
    /// Time of the steps that it has seen.
    steps: Duration,
}

/// What an audit has found.
#[derive(Clone, Debug)]
pub(super) struct AuditResult {
    pub(super) figures: AuditFigures,
    pub(super) findings: Vec<Finding>,
    pub(super) steps: Duration,
}

impl RunAudit {
    /// Begins the audit of a scene in its first state.
    pub(super) fn start(
        sim: &mut impl Simulated,
        scene: &AuditScene,
        plan: AuditPlan,
    ) -> Result<Self, AuditError> {
        sim.record_examined(plan.completeness);
        let auditor = Auditor::new(scene, sim.positions())?.sampling(plan.every);
        Ok(Self { auditor, steps: Duration::ZERO })
    }

    /// Goes on by a frame of `dt` (s), audits each of its substeps, and passes it on.
    pub(super) fn advance(
        &mut self,
        sim: &mut impl Simulated,
        dt: f32,
        waypoints: &Waypoints,
        on_motion: &mut (dyn FnMut(AcceptedMotion<'_>) + Send),
    ) -> Result<StepReport, String> {
        self.auditor.begin_step();
        let auditor = &mut self.auditor;
        let taken = sim.advance(dt, waypoints, &mut |motion| {
            auditor.motion(&motion);
            on_motion(motion);
        });
        self.auditor.end_step(taken.is_ok());
        if let Ok(report) = &taken {
            self.steps += report.times.total();
            self.auditor.check_claims(|hit| sim.is_certified(hit));
        }
        taken
    }

    /// What was found first, if anything was; a crossing before all else.
    pub(super) fn first(&self) -> Option<&Finding> {
        let findings = self.auditor.findings();
        findings.iter().find(|finding| finding.kind == FindingKind::Crossing).or(findings.first())
    }

    pub(super) fn end(self) -> AuditResult {
        let findings = self.auditor.findings().to_vec();
        AuditResult { figures: *self.auditor.figures(), findings, steps: self.steps }
    }
}
