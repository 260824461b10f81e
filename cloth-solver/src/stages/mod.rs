//! The stages of a substep, one file each; `step.rs` has their order, with `recovery` among them.
//!
//! A stage reads [`Substep`] and its shared references, and writes its mutable references; it sees nothing
//! else of the simulation.

pub(crate) mod animate;
pub(crate) mod detect;
pub(crate) mod gate;
pub(crate) mod predict;
pub(crate) mod solve;
pub(crate) mod update;

use nalgebra::Point3;

use crate::assets::Assets;
use crate::constraints::contact::ContactParameters;
use crate::detection::Detection;
use crate::fixings::PartOfStep;
use crate::recovery::RecoveryInput;
use crate::rigid::FreeMotion;
use crate::{Settings, SimulationBuilder};

/// The read-only input of all stages of a substep.
#[derive(Clone, Copy)]
pub(crate) struct Substep<'a> {
    pub(crate) settings: &'a Settings,
    pub(crate) scene: &'a SimulationBuilder,
    pub(crate) assets: &'a Assets,
    /// From 0.
    pub(crate) index: u32,
    /// Length (s).
    pub(crate) h: f32,
}

impl Substep<'_> {
    /// The shares of the step at which the substep begins and ends.
    pub(crate) fn span(&self) -> (f32, f32) {
        let count = self.settings.substeps as f32;
        (self.index as f32 / count, (self.index + 1) as f32 / count)
    }

    /// The most (m) that a vertex goes in it: at the velocity limit, and wider than it is rounded by.
    pub(crate) fn most_per_substep(&self) -> f32 {
        self.settings.velocity_limit * self.h * (1.0 + 1.0e-4)
    }

    /// Which part of the step it is.
    pub(crate) fn part(&self) -> PartOfStep {
        let (count, most) = (self.settings.substeps, self.most_per_substep());
        PartOfStep { index: self.index, count, h: self.h, most }
    }

    pub(crate) fn is_last(&self) -> bool {
        self.index + 1 == self.settings.substeps
    }

    /// Where something is at the end of the substep that moves from `t0` to `t1` (m) over the step. The last
    /// substep ends exactly at `t1`.
    pub(crate) fn target(&self, t0: &Point3<f32>, t1: &Point3<f32>) -> Point3<f32> {
        if self.is_last() { *t1 } else { t0 + (t1 - t0) * self.span().1 }
    }

    /// The number of substeps that an evaluation in this substep covers, for something evaluated once every
    /// `interval` substeps; 0 if it is not evaluated. The last evaluation of a step covers what is left of
    /// it.
    pub(crate) fn covers(&self, interval: u32) -> f32 {
        let left = self.settings.substeps - self.index;
        if self.index.is_multiple_of(interval) { interval.min(left) as f32 } else { 0.0 }
    }

    /// The number of substeps that a detection in this substep covers; 0 if there is none. If a cloth has
    /// woken in it, there is one, for the time until the next.
    pub(crate) fn detects(&self, has_woken: bool) -> f32 {
        let interval = self.settings.detect_interval;
        match self.covers(interval) {
            0.0 if has_woken => {
                let left = self.settings.substeps - self.index;
                (interval - self.index % interval).min(left) as f32
            }
            covered => covered,
        }
    }

    /// Least displacement (m) of a vertex for which pairs are listed.
    pub(crate) fn list_slack(&self) -> f32 {
        self.settings.candidate_slack * self.assets.min_thickness
    }

    /// What decides the motion of rigid bodies that nothing touches.
    pub(crate) fn free_motion(&self) -> FreeMotion<'_> {
        FreeMotion {
            bodies: &self.assets.rigid_bodies,
            registry: &self.scene.colliders,
            gravity: self.settings.gravity,
            velocity_limit: self.settings.velocity_limit,
            h: self.h,
        }
    }

    /// What recovery reads: also positions (m) at the start of the substep, and whether the gate guards the
    /// whole state.
    pub(crate) fn recovery_input<'b>(&'b self, x_t0: &'b [Point3<f32>], is_clean: bool) -> RecoveryInput<'b> {
        RecoveryInput {
            is_on: self.settings.recovery && self.settings.self_collision,
            is_first: self.index == 0,
            surface: &self.assets.surface,
            start: &self.assets.start,
            parameters: self.contact_parameters(),
            x_t0,
            is_clean,
        }
    }

    /// Whether motions are truncated at the planes of contacts. Truncation removes more motion than the gate
    /// would, but the gate does not guard tangles or a state that it has yet to check. Cached contacts are
    /// not predicted.
    pub(crate) fn truncates(&self, is_guarded: bool, detection: &Detection) -> bool {
        let predicts = self.settings.self_collision && detection.cached.is_none();
        !is_guarded && predicts && self.assets.surface.collides_in_full()
    }

    /// How much of a violated contact recovers in this substep.
    pub(crate) fn contact_parameters(&self) -> ContactParameters {
        ContactParameters {
            recovery_share: 1.0 - libm::expf(-self.h / self.settings.contact_recovery_time),
            max_recovery: self.settings.recovery_speed * self.h,
        }
    }
}
