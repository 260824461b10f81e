//! What holds cloth, where that goes as no cloth can follow: a cut is not swept, and what is too fast lags.
//!
//! ```text
//! movers      what holds each cloth, where it is, and where it is to be
//! sweep       how points move in a step, on the whole
//! cut_plan    decides at the start of a step which cloths are cut, and moves them with what goes with them
//! path        the way along a rigid motion
//! lag_plan    decides at the start of a step what is too fast for cloth to follow
//! lag         takes that along such a way, at the velocity limit, with the cloth that it carries
//! reach       how far pins are behind, and whether cloth has stayed with them
//! ```
//!
//! `docs/design/teleports.md` says what a cut is and what judges say of it.

pub(crate) mod cut_plan;
mod lag;
pub(crate) mod lag_plan;
mod movers;
mod path;
pub(crate) mod reach;
mod sweep;

pub(crate) use lag::{Lag, PartOfStep, SteppedColliders, SubstepTargets};
pub(crate) use movers::Movers;
