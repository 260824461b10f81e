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
use cloth_contacts::intersect::Checker;
use cloth_contacts::tangle::{Contour, Outside};
use nalgebra::Point3;

use crate::gated::Gated;
use crate::report::RecoveryReport;
use crate::simulation::Simulation;
use inner::Inner;
use plan::Scene;

pub(crate) use pull::Pull;
pub(crate) use track::Tracks;

/// What recovery keeps between substeps.
#[derive(Clone, Debug, Default)]
pub(crate) struct Recovery {
    checker: Checker<ParryBvh>,
    /// Positions (m) that are looked at.
    at: Vec<Point3<f64>>,
    contours: Vec<Contour>,
    /// What is out of the bodies, once it was asked for.
    outside: Option<Outside>,
    tracks: Tracks,
    /// What the passes of this substep pull at.
    pub(crate) pulls: Vec<Pull>,
}

impl Recovery {
    /// Forgets what was tried: the state is clean.
    fn reset(&mut self) {
        self.return_to(&Tracks::default());
    }

    /// What was tried so far: all that influences a later step. Contours and pulls are those of one substep; the first of a
    /// step finds them whatever they were.
    pub(crate) fn tracks(&self) -> &Tracks {
        &self.tracks
    }

    /// Goes on from there.
    pub(crate) fn return_to(&mut self, tracks: &Tracks) {
        self.contours.clear();
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
    if is_clean || substep > 0 && recovery.contours.is_empty() {
        recovery.reset();
        return;
    }
    recovery.find(&sim.x_t0, &sim.surface);
    let topology = sim.surface.topology();
    if recovery.contours.is_empty() {
        recovery.tracks.clear();
        sim.report.recovery = RecoveryReport::default();
        return;
    }
    let attempts = recovery.tracks.follow(&recovery.contours, &recovery.at, topology, substep == 0);
    // Of the pose that the simulation began with: it is the same whenever it is asked for.
    let outside = recovery.outside.get_or_insert_with(|| Outside::new(&sim.surface, &sim.start));
    let scene = Scene {
        at: &recovery.at,
        surface: &sim.surface,
        outside,
        recovered: 1.0 - libm::expf(-h / sim.settings.contact_recovery),
        most: sim.settings.recovery_speed * h,
    };
    let chosen = recovery.contours.iter().zip(&attempts);
    let plans: Vec<_> = chosen.map(|(c, &attempt)| plan::choose(c, &sim.surface, outside, attempt)).collect();
    for (contour, plan) in recovery.contours.iter().zip(&plans) {
        plan::pulls(contour, plan, &scene, &mut recovery.pulls);
    }
    let inner = Inner::find(&recovery.contours, &plans, &scene);
    plan::pushes(&inner, &scene, &mut recovery.pulls);
    if sides::settle((&recovery.contours, &plans), &inner, &scene, &mut sim.contacts) {
        sim.detector.remember(&sim.contacts);
    }
    sim.report.recovery = recovery.report(topology);
}
