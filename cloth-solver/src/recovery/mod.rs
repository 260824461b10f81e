//! Recovery: cloth that starts, or ends up, on the wrong side of itself is worked back to where it came from.
//!
//! ```text
//! exact hits --> contours --> for each a plan --> pulls      along the contour: the solver moves them as it moves contacts
//!                    |                       \--> contacts   between its two sides: turned, kept or let go
//!                    '--> tracks: who makes no progress gets another plan
//! ```
//!
//! | file | answers |
//! |---|---|
//! | `find` | which contours does the state at the start of the substep have? |
//! | `track` | is this the contour of the frame before, and has it got shorter? |
//! | `plan` | what is to be done about it: pull a part back through, or shorten it? |
//! | `inner` | which cloth lies in a body, and where does it come out? |
//! | `minimise` | in which direction does it get shorter? |
//! | `pull` | how do the solver's passes move the two primitives of a hit? |
//! | `sides` | what is to become of the contacts between its sides? |
//!
//! While the state is clean it is looked at once a step; while it is not, in each substep. Nothing here is certified, nor needs
//! to be: the gate, if it is on, judges the motion whatever proposed it.

#[cfg(test)]
mod body_tests;
mod find;
mod inner;
mod minimise;
mod plan;
mod pull;
mod sides;
#[cfg(test)]
mod tests;
mod track;

use cloth_broadphase::{BroadPhase, ParryBvh};
use cloth_contacts::intersect::{Checker, Intersections};
use cloth_contacts::tangle::{BodyOrientation, SheetSplitter, Tracer};
use cloth_geom::Pool;
use nalgebra::Point3;

use crate::gated::Gated;
use crate::report::RecoveryReport;
use crate::simulation::Simulation;
use inner::Inner;
use plan::{Motions, Planned, Scene};
use sides::Sides;

pub(crate) use pull::Pull;
pub(crate) use track::Tracks;

/// What recovery keeps between substeps. Of this, [`Recovery::tracks`] alone influences a later one; the rest is found anew, in memory
/// that is kept.
#[derive(Clone, Debug, Default)]
pub(crate) struct Recovery {
    checker: Checker<ParryBvh>,
    /// Positions (m) that are looked at, and what intersects there.
    at: Vec<Point3<f64>>,
    found: Intersections,
    tracer: Tracer,
    /// What is out of the bodies, once it was asked for.
    outside: Option<BodyOrientation>,
    tracks: Tracks,
    /// For each contour which attempt it is, and the plan.
    attempts: Vec<u32>,
    plans: Pool<Planned>,
    sheet_splitter: SheetSplitter,
    motions: Motions,
    inner: Inner,
    sides: Sides,
    /// What the passes of this substep pull at.
    pub(crate) pulls: Vec<Pull>,
}

impl Recovery {
    /// Forgets what was tried: the state is clean.
    fn reset(&mut self) {
        self.tracer.clear();
        self.pulls.clear();
        self.tracks.clear();
    }

    /// What was tried so far: all that influences a later step. Contours and pulls are those of one substep; the first of a
    /// step finds them whatever they were.
    pub(crate) fn tracks(&self) -> &Tracks {
        &self.tracks
    }

    /// Goes on from there.
    pub(crate) fn return_to(&mut self, tracks: &Tracks) {
        self.tracer.clear();
        self.pulls.clear();
        self.tracks.clone_from(tracks);
    }
}

/// Looks for contours in the state at the start of the substep, and prepares what is to be done about them.
pub(crate) fn recover<B: BroadPhase>(sim: &mut Simulation<B>, substep: u32, h: f32) {
    let recovery = &mut sim.recovery;
    recovery.pulls.clear();
    if !(sim.settings.recovery && sim.settings.self_collision) {
        return;
    }
    // Where the gate has let nothing through there is nothing to look for.
    let is_clean = sim.gated.as_ref().is_some_and(Gated::is_clean);
    if is_clean || substep > 0 && recovery.tracer.contours().is_empty() {
        recovery.reset();
        return;
    }
    recovery.find(&sim.x_t0, &sim.surface);
    let topology = sim.surface.topology();
    if recovery.tracer.contours().is_empty() {
        recovery.tracks.clear();
        sim.report.recovery = RecoveryReport::default();
        return;
    }
    let Recovery {
        at,
        tracer,
        outside,
        tracks,
        attempts,
        plans,
        sheet_splitter,
        motions,
        inner,
        sides,
        pulls,
        ..
    } = recovery;
    let contours = tracer.contours();
    tracks.follow(contours, at, topology, substep == 0, attempts);
    // Of the pose that the simulation began with: it is the same whenever it is asked for.
    let outside = outside.get_or_insert_with(|| BodyOrientation::new(&sim.surface, &sim.start));
    let scene = Scene {
        at,
        surface: &sim.surface,
        outside,
        recovered: 1.0 - libm::expf(-h / sim.settings.contact_recovery),
        most: sim.settings.recovery_speed * h,
    };
    plans.clear();
    for (contour, &attempt) in contours.iter().zip(&*attempts) {
        let planned = plans.push_with(Planned::default);
        planned.choose(contour, scene.surface, scene.outside, attempt, sheet_splitter);
        plan::pulls(contour, planned, &scene, motions, pulls);
    }
    inner.find(contours, plans, &scene);
    plan::pushes(inner, &scene, pulls);
    if sides.settle((contours, plans), inner, &scene, &mut sim.contacts) {
        sim.detector.set_history(&sim.contacts);
    }
    sim.report.recovery = recovery.report(topology);
}
