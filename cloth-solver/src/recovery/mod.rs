//! Recovery: untangles cloth that intersects itself or a body.
//!
//! ```text
//! intersections --> contours --> a strategy for each --> pull constraints  along it, with the contacts
//!                      |                            \--> contacts  of its sides: flipped, kept or dropped
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

use cloth_contacts::Surface;
use cloth_contacts::intersect::{Checker, Intersections};
use cloth_contacts::tangle::{BodyOrientation, SheetSplitter, Tracer};
use cloth_geom::Pool;
use nalgebra::Point3;

use crate::ask::report::{RecoveryReport, StepReport};
use crate::constraints::contact::ContactParameters;
use crate::detection::Detection;
use contact_sides::ContactSides;
use plan::{ContourPlan, IntersectionMotions, RecoveryContext};
use trapped::TrappedCloth;

pub(crate) use pull::PullConstraint;
pub(crate) use tracked_contours::TrackedContours;

/// Memory of recovery. What influences later steps is in the [`State`](crate::state::State): the progress of
/// the contours.
#[derive(Clone, Debug, Default)]
pub(crate) struct Recovery {
    checker: Checker,
    /// Checked positions (m), and the intersections found.
    at: Vec<Point3<f64>>,
    found: Intersections,
    tracer: Tracer,
    /// Outward directions of the bodies, computed on first use.
    outside: Option<BodyOrientation>,
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
    /// Forgets the contours of the last substep.
    pub(crate) fn clear(&mut self) {
        self.tracer.clear();
        self.pulls.clear();
    }
}

/// What recovery reads.
pub(crate) struct RecoveryInput<'a> {
    /// Whether the settings ask for it.
    pub(crate) is_on: bool,
    /// Whether the substep is the first of its step.
    pub(crate) is_first: bool,
    pub(crate) surface: &'a Surface,
    /// Start positions (m) of the simulation.
    pub(crate) start: &'a [Point3<f32>],
    pub(crate) parameters: ContactParameters,
    /// Positions (m) at the start of the substep.
    pub(crate) x_t0: &'a [Point3<f32>],
    /// Whether the gate guards the whole state: then there are no intersections.
    pub(crate) is_clean: bool,
}

/// What recovery writes, apart from its constraints.
pub(crate) struct RecoveryOutput<'a> {
    pub(crate) tracked_contours: &'a mut TrackedContours,
    /// Whose contacts, and their sides, are changed along the contours.
    pub(crate) detection: &'a mut Detection,
    pub(crate) report: &'a mut RecoveryReport,
}

impl<'a> RecoveryOutput<'a> {
    pub(crate) fn new(
        tracked_contours: &'a mut TrackedContours,
        detection: &'a mut Detection,
        report: &'a mut StepReport,
    ) -> Self {
        Self { tracked_contours, detection, report: &mut report.recovery }
    }
}

/// Finds contours in the state at the start of the substep, and prepares constraints and contacts to resolve
/// them.
pub(crate) fn recover(input: &RecoveryInput<'_>, recovery: &mut Recovery, output: RecoveryOutput<'_>) {
    let RecoveryInput { is_on, is_first, surface, start, parameters, x_t0, is_clean } = *input;
    let RecoveryOutput { tracked_contours, detection, report } = output;
    recovery.pulls.clear();
    if !is_on {
        return;
    }
    if is_clean || !is_first && recovery.tracer.contours().is_empty() {
        recovery.clear();
        tracked_contours.clear();
        return;
    }
    recovery.find(x_t0, surface);
    let topology = surface.topology();
    if recovery.tracer.contours().is_empty() {
        tracked_contours.clear();
        *report = RecoveryReport::default();
        return;
    }
    let Recovery {
        at, tracer, outside, attempts, plans, sheet_splitter, motions, trapped, sides, pulls, ..
    } = recovery;
    let contours = tracer.contours();
    tracked_contours.update(contours, at, topology, is_first, attempts);
    // Computed from the start pose, so that it does not depend on when it is first used.
    let outside = outside.get_or_insert_with(|| BodyOrientation::new(surface, start));
    let ContactParameters { recovery_share, max_recovery } = parameters;
    let context = RecoveryContext { at, surface, outside, recovery_share, max_recovery };
    plans.clear();
    for (contour, &attempt) in contours.iter().zip(&*attempts) {
        let contour_plan = plans.push_with(ContourPlan::default);
        contour_plan.choose(contour, context.surface, context.outside, attempt, sheet_splitter);
        plan::pulls(contour, contour_plan, &context, motions, pulls);
    }
    trapped.find(contours, plans, &context);
    plan::pushes(trapped, &context, pulls);
    detection.contacts.are_new = true;
    if sides.update_contacts(contours, plans, trapped, &context, &mut detection.contacts.cloth) {
        detection.cloth.set_history(&detection.contacts.cloth);
    }
    *report = recovery.report(topology, tracked_contours.stuck());
}
