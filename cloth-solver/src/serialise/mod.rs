//! Serialisation of snapshots and of numbers that some formats lack.
//!
//! A serialised [`Snapshot`] carries a version, the fingerprint of its scene, and a hash of its content.
//! Deserialising computes the hash again, so that a file that was cut, edited, or written by a format that
//! rounds numbers is an error instead of another simulation.

#[cfg(test)]
mod tests;

use std::borrow::Cow;
use std::fmt::{self, Write};
use std::sync::Arc;

use serde::{Deserialize, Deserializer, Serialize, Serializer, de};

use crate::Snapshot;
use crate::checkpoint::{Checkpoint, SceneFingerprint};

/// Version of the serialised form; it changes with every field of a checkpoint.
const VERSION: u32 = 2;

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
            return Err(de::Error::custom(format!(
                "a snapshot of version {version}; this program reads version {VERSION}: take the snapshot again"
            )));
        }
        if hash(&scene, &state) != written {
            return Err(de::Error::custom(
                "the snapshot differs from what was written: it was edited, or its format rounds numbers (for serde_json, turn on \
                 its feature `float_roundtrip`)",
            ));
        }
        Ok(Self { checkpoint: state.into_owned(), fingerprint: Arc::new(scene.into_owned()) })
    }
}

/// FNV-1a over the `Debug` output, which has every field and prints numbers so that they can be read back.
fn hash(scene: &SceneFingerprint, state: &Checkpoint) -> u64 {
    let mut hasher = Hasher(0xcbf2_9ce4_8422_2325);
    // Writing to the hasher cannot fail.
    let _ = write!(hasher, "{scene:?}{state:?}");
    hasher.0
}

struct Hasher(u64);

impl Write for Hasher {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        self.0 =
            text.bytes().fold(self.0, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x100_0000_01b3));
        Ok(())
    }
}

/// A number whose infinity is written as nothing, since JSON has no infinity.
pub(crate) mod infinite_as_null {
    use super::{Deserialize, Deserializer, Serialize, Serializer};

    #[expect(clippy::trivially_copy_pass_by_ref, reason = "the signature that serde asks for")]
    pub(crate) fn serialize<S: Serializer>(value: &f32, serializer: S) -> Result<S::Ok, S::Error> {
        value.is_finite().then_some(*value).serialize(serializer)
    }

    pub(crate) fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<f32, D::Error> {
        Ok(Option::deserialize(deserializer)?.unwrap_or(f32::INFINITY))
    }
}
