//! The words that switch the gate and the contacts of faces, for the commands that simulate.

use clap::ValueEnum;
use cloth_solver::FaceContacts;

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

/// Which faces make contacts with bodies.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum FaceContactsArg {
    /// All faces.
    On,
    /// None: contacts act on vertices alone.
    Off,
    /// Faces with an edge longer than half of the body's smallest radius.
    Auto,
}

impl From<FaceContactsArg> for FaceContacts {
    fn from(arg: FaceContactsArg) -> Self {
        match arg {
            FaceContactsArg::On => Self::On,
            FaceContactsArg::Off => Self::Off,
            FaceContactsArg::Auto => Self::Auto,
        }
    }
}
