//! The word that switches the gate, for the commands that simulate.

use clap::ValueEnum;

/// Whether motion is certified.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Gate {
    /// What was apart stays apart, by exact arithmetic.
    On,
    /// Frames are judged, the motion between them is not.
    Off,
}

impl Gate {
    pub(crate) fn is_on(self) -> bool {
        self == Self::On
    }
}
