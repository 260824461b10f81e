//! Motion that no cloth can follow: a cut is not swept, and what is too fast lags.
//!
//! ```text
//! fixings        what holds each cloth, where it is, and where it is to be
//! rigid_motion   the best rigid motion of fixings
//! settings       from when on a motion is a cut
//! cut            decides at the start of a step which cloths are cut, and takes them and what goes with
//!                them along
//! path           the way along a rigid motion
//! lag_plan       decides at the start of a step what is too fast for cloth to follow
//! lag            takes that along such a way, at the velocity limit, with the cloth that it carries
//! sweep          how points move in a step, on the whole
//! reach          how far pins are behind, and whether cloth has stayed with them
//! ```
//!
//! `docs/design/teleports.md` says what a cut is and what judges say of it.

mod cut;
mod fixings;
mod lag;
mod lag_plan;
mod path;
mod reach;
mod rigid_motion;
mod settings;
mod sweep;
#[cfg(test)]
mod tests;

pub use cut::{Cut, CutMotion};
pub(crate) use lag::{Carriage, Lag};
pub use settings::Teleport;
#[cfg(feature = "serde")]
pub use settings::form;
