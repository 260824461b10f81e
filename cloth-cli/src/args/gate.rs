//! The words that switch the gate, teleports and the contacts of faces, for the commands that simulate.

use clap::ValueEnum;
use cloth_solver::{FaceContacts, Teleport};

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

/// Whether cuts teleport cloth.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum TeleportArg {
    /// Cloth goes along in one step, as the table `teleport` of the scene says, or by its defaults.
    On,
    /// Cloth is dragged along, however far that is.
    Off,
}

impl TeleportArg {
    /// The setting, where a scene has this one.
    pub(crate) fn applied_to(self, scene: Option<Teleport>) -> Option<Teleport> {
        (self == Self::On).then(|| scene.unwrap_or_default())
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
