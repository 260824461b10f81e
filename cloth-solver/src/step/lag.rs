//! Lag in a step: what is too fast for cloth goes as far as the velocity limit lets it, and on in the next.

use super::StepRequest;
use crate::StepError;
use crate::fixings::lag_plan::{self, LagInput};
use crate::fixings::{Movers, SteppedColliders, reach};
use crate::simulation::Simulation;

impl Simulation {
    /// What moves in the step.
    pub(super) fn movers(&self) -> Movers<'_> {
        Movers {
            assets: &self.assets,
            state: &self.state,
            colliders: &self.colliders,
            registry: &self.scene.colliders,
            constraints: &self.constraints,
            cloths: self.scene.cloths.len(),
            bodies: self.scene.bodies.len(),
        }
    }

    /// Decides at the start of a step what lags in it, and what is carried.
    pub(super) fn plan_lag(&mut self, StepRequest { dt, waypoints }: StepRequest<'_>) {
        let mut lag = std::mem::take(&mut self.lag);
        let input = LagInput {
            movers: self.movers(),
            waypoints,
            bodies: self.scene.bodies.iter().map(|(id, _)| id),
            dt,
            velocity_limit: self.settings.velocity_limit,
            up: -self.settings.gravity.cast::<f64>(),
        };
        lag_plan::plan(input, &mut lag);
        self.lag = lag;
    }

    /// Reports how far pins are behind at the end of a step, and checks that their cloth is not.
    pub(super) fn check_lag(&mut self) -> Result<(), StepError> {
        let lag = reach::pin_lag(&self.movers());
        self.report.gate.pin_lag_m = lag;
        if lag == 0.0 {
            return Ok(());
        }
        let before = &self.scratch.rollback.checkpoint.state.x;
        let ids = self.scene.cloths.iter().map(|(id, _)| id);
        reach::check_reach(&self.movers(), &self.lag, ids, before)
    }

    /// Makes the end of the step the start of the next, for attachments, drives and colliders, and writes how
    /// cloth was carried.
    pub(super) fn finish_lag(&mut self) {
        let Self { assets, constraints, state, colliders, lag, scratch, .. } = self;
        lag.write_carriage(&assets.parts, state);
        let colliders = SteppedColliders { colliders, moved: &scratch.colliders };
        lag.finish(&assets.parts, constraints, state, colliders);
    }
}
