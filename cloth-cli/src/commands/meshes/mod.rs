//! What the commands that judge meshes one by one have in common.

mod sound;
mod subject;

pub(super) use sound::Sound;
pub(super) use subject::Subject;

use serde::Serialize;

/// A file that could not be judged, and why.
#[derive(Debug, Serialize)]
pub(super) struct Refused {
    pub(super) path: String,
    pub(super) error: String,
}
