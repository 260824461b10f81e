//! Serialisation: descriptions in the form of scene files, and snapshots.
//!
//! What describes a simulation is serialised as a scene file writes it, with the same keys, words and checks;
//! [`Settings`](crate::Settings) carry a version with their keys. A form that a type cannot derive has a
//! file here. Descriptions need a format that says which keys it holds, such as JSON or TOML. Numbers are
//! read as `f64`, checked, and rounded once, see [`number`](crate::number).
//!
//! A serialised [`Snapshot`] carries a version, the fingerprint of its scene, and a hash of its content.
//! Deserialising computes the hash again, so that a file that was cut, edited, or written by a format that
//! rounds numbers is an error instead of another simulation. [`Snapshot::to_bytes`] is the same content as
//! bytes.

mod aside;
mod bytes;
mod material;
mod model;
mod settings;
#[cfg(test)]
mod tests;
mod written;

use std::borrow::Cow;
use std::sync::Arc;

use serde::{Deserialize, Deserializer, Serialize, Serializer, de};

use crate::Snapshot;
use crate::checkpoint::{Checkpoint, SceneFingerprint, digest};
pub use bytes::SnapshotBytesError;

/// Version of the serialised forms; it changes with every field of a checkpoint.
const VERSION: u32 = 6;

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Serialised<'a> {
    version: u32,
    scene: Cow<'a, SceneFingerprint>,
    state: Cow<'a, Checkpoint>,
    /// [`hash`] of scene and state.
    hash: u64,
}

impl Serialize for Snapshot {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let (scene, state) = (Cow::Borrowed(&*self.fingerprint), Cow::Borrowed(&self.checkpoint));
        let hash = hash(&scene, &state);
        Serialised { version: VERSION, scene, state, hash }.serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for Snapshot {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let Serialised { version, scene, state, hash: written } = Serialised::deserialize(deserializer)?;
        if version != VERSION {
            return Err(de::Error::custom(other_version("a snapshot", version, VERSION)));
        }
        if hash(&scene, &state) != written {
            return Err(de::Error::custom(
                "the snapshot differs from what was written: it was edited, or its format rounds numbers \
                 (for serde_json, turn on its feature `float_roundtrip`)",
            ));
        }
        let fingerprint = Arc::new(scene.into_owned());
        Ok(Self { checkpoint: state.into_owned(), fingerprint, is_foreign: true })
    }
}

/// The error for something of another version.
fn other_version(what: &str, found: u32, read: u32) -> String {
    format!("{what} of version {found}; this program reads version {read}: write it again with this program")
}

fn hash(scene: &SceneFingerprint, state: &Checkpoint) -> u64 {
    digest(&format_args!("{scene:?}{state:?}"))
}
