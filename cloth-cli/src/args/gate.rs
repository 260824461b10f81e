//! The word that switches the gate, for the commands that simulate.

use clap::ValueEnum;

/// Whether motion is certified.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Gate {
    /// Certify every motion by exact arithmetic: pairs that are apart stay apart.
    On,
    /// Check frames only; motion is not certified.
    Off,
}

impl Gate {
    pub(crate) fn is_on(self) -> bool {
        self == Self::On
    }
}
