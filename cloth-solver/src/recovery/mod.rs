//! Recovery: untangles cloth that intersects itself or a body.
//!
//! ```text
//! intersections --> contours --> a strategy for each --> pull constraints   along the contour, projected with the contacts
//!                      |                            \--> contacts           between its two sides: flipped, kept or dropped
//!                      '--> tracked contours: without progress, the next strategy is tried
//! ```
//!
//! | file | answers |
//! |---|---|
//! | `find` | which contours does the state at the start of the substep have? |
//! | `tracked_contours` | is this a contour of the previous frame, and has it got shorter? |
//! | `plan` | which strategy resolves it: pull a part back through, or shorten it? |
//! | `trapped` | which vertices are inside a body, and where do they exit? |
//! | `descent` | which motion shortens it? |
//! | `pull` | which constraint moves the two primitives of an intersection? |
//! | `contact_sides` | which contacts between its sides are flipped or dropped? |
//!
//! A clean state is checked once per step, a tangled one in each substep. Recovery certifies nothing: the
//! gate, if it is on, certifies the motion that results.

#[cfg(test)]
mod body_tests;
mod contact_sides;
mod descent;
mod find;
mod plan;
mod pull;
#[cfg(test)]
mod tests;
mod tracked_contours;
mod trapped;

use cloth_broadphase::{BroadPhase, ParryBvh};
use cloth_contacts::intersect::{Checker, Intersections};
use cloth_contacts::tangle::{BodyOrientation, SheetSplitter, Tracer};
use cloth_geom::Pool;
use nalgebra::Point3;

use crate::gate_state::GateState;
use crate::report::RecoveryReport;
use crate::simulation::Simulation;
use contact_sides::ContactSides;
use plan::{ContourPlan, IntersectionMotions, RecoveryContext};
use trapped::TrappedCloth;

pub(crate) use pull::PullConstraint;
pub(crate) use tracked_contours::TrackedContours;

/// Recovery state. Only [`Recovery::tracked_contours`] influences later steps; the rest is scratch.
#[derive(Clone, Debug, Default)]
pub(crate) struct Recovery {
    checker: Checker<ParryBvh>,
    /// Checked positions (m), and the intersections found.
    at: Vec<Point3<f64>>,
    found: Intersections,
    tracer: Tracer,
    /// Outward directions of the bodies, computed on first use.
    outside: Option<BodyOrientation>,
    tracked_contours: TrackedContours,
    /// Attempt and strategy of each contour.
    attempts: Vec<u32>,
    plans: Pool<ContourPlan>,
    sheet_splitter: SheetSplitter,
    motions: IntersectionMotions,
    trapped: TrappedCloth,
    sides: ContactSides,
    /// Constraints of this substep.
    pub(crate) pulls: Vec<PullConstraint>,
}

impl Recovery {
    /// Clears all progress: the state is clean.
    fn reset(&mut self) {
        self.tracer.clear();
        self.pulls.clear();
        self.tracked_contours.clear();
    }

    /// Progress of the contours: all that influences a later step. Contours and constraints belong to one
    /// substep and are found again in the first of a step.
    pub(crate) fn tracked_contours(&self) -> &TrackedContours {
        &self.tracked_contours
    }

    /// Restores the progress.
    pub(crate) fn restore_checkpoint(&mut self, tracked_contours: &TrackedContours) {
        self.tracer.clear();
        self.pulls.clear();
        self.tracked_contours.clone_from(tracked_contours);
    }
}

/// Finds contours in the state at the start of the substep, and prepares constraints and contacts to resolve
/// them.
pub(crate) fn recover<B: BroadPhase>(sim: &mut Simulation<B>, substep: u32, h: f32) {
    let recovery = &mut sim.recovery;
    recovery.pulls.clear();
    if !(sim.settings.recovery && sim.settings.self_collision) {
        return;
    }
    // A clean gate guarantees that there are no intersections.
    let is_clean = sim.gated.as_ref().is_some_and(GateState::is_clean);
    if is_clean || substep > 0 && recovery.tracer.contours().is_empty() {
        recovery.reset();
        return;
    }
    recovery.find(&sim.x_t0, &sim.surface);
    let topology = sim.surface.topology();
    if recovery.tracer.contours().is_empty() {
        recovery.tracked_contours.clear();
        sim.report.recovery = RecoveryReport::default();
        return;
    }
    let Recovery {
        at,
        tracer,
        outside,
        tracked_contours,
        attempts,
        plans,
        sheet_splitter,
        motions,
        trapped,
        sides,
        pulls,
        ..
    } = recovery;
    let contours = tracer.contours();
    tracked_contours.update(contours, at, topology, substep == 0, attempts);
    // Computed from the start pose, so that it does not depend on when it is first used.
    let outside = outside.get_or_insert_with(|| BodyOrientation::new(&sim.surface, &sim.start));
    let context = RecoveryContext {
        at,
        surface: &sim.surface,
        outside,
        recovery_share: 1.0 - libm::expf(-h / sim.settings.contact_recovery),
        max_recovery: sim.settings.recovery_speed * h,
    };
    plans.clear();
    for (contour, &attempt) in contours.iter().zip(&*attempts) {
        let contour_plan = plans.push_with(ContourPlan::default);
        contour_plan.choose(contour, context.surface, context.outside, attempt, sheet_splitter);
        plan::pulls(contour, contour_plan, &context, motions, pulls);
    }
    trapped.find(contours, plans, &context);
    plan::pushes(trapped, &context, pulls);
    if sides.update_contacts((contours, plans), trapped, &context, &mut sim.contacts) {
        sim.detector.set_history(&sim.contacts);
    }
    sim.report.recovery = recovery.report(topology);
}
