//! Teleports: from when on the motion of what holds a cloth is a cut, and what is said of it.
//!
//! ```text
//! settings             from when on a motion is a cut
//! cut                  what is reported of one
//! rigid_displacement   the best rigid motion of points
//! ```
//!
//! What the step does with cuts, and with what is too fast without being one, is in `fixings`;
//! `docs/design/teleports.md` has the reasons.

mod cut;
mod rigid_displacement;
mod settings;
#[cfg(test)]
mod tests;

pub use cut::{Cut, CutMotion};
pub(crate) use cut::{is_far, is_turn};
pub(crate) use rigid_displacement::{Ends, RigidDisplacement};
pub use settings::Teleport;
#[cfg(feature = "serde")]
pub use settings::form;

/// How a cloth was carried in a step.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub(crate) enum Carriage {
    /// It followed by its own forces.
    #[default]
    No,
    /// Up to where its fixings were to be.
    ToTheEnd,
    /// Its fixings are still behind.
    Lagging,
    /// They are, and something stopped one of them: until they are on their way again the cloth follows by
    /// its own forces.
    Stopped,
}
