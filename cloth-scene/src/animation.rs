//! The motion of a body as a scene file gives it: keyframes of a rigid motion, or the file of a vertex
//! animation.

use std::{fmt, path::PathBuf};

use serde::{
    Deserialize, Deserializer, Serialize,
    de::{Error, SeqAccess, Visitor, value::SeqAccessDeserializer},
};

use crate::Keyframe;

/// Frames a second of a vertex animation where neither its scene nor its file says it: PC2 caches, arrays of
/// NumPy and OBJ files do not.
pub const DEFAULT_MOTION_FPS: f64 = 30.0;

/// Recorded positions of all vertices of a mesh body, `motion = "PATH"`.
///
/// The first frame is at time [`start`](Self::start); before it and after the last frame the body stands
/// still.
#[derive(Clone, Debug, PartialEq)]
pub struct VertexAnimation {
    /// A point cache (PC2, MDD, USD, NPY, NPZ), or an OBJ sequence: its folder, its first file, or a pattern
    /// such as `run/walk_*.obj`.
    pub path: PathBuf,
    /// Frames a second; if `None` those that the file says, or else [`DEFAULT_MOTION_FPS`].
    pub fps: Option<f64>,
    /// Time (s) of the first frame.
    pub start: f64,
}

/// The key `motion` of a body.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(untagged)]
pub(crate) enum MotionKey {
    /// A list of keyframes.
    Keyframes(Vec<Keyframe>),
    /// The path of a vertex animation.
    File(PathBuf),
}

impl Default for MotionKey {
    fn default() -> Self {
        Self::Keyframes(Vec::new())
    }
}

impl MotionKey {
    /// Whether the key can be left out.
    pub(crate) fn is_empty(&self) -> bool {
        matches!(self, Self::Keyframes(keyframes) if keyframes.is_empty())
    }

    /// The keyframes or the animation that `motion`, `motion_fps` and `motion_start` describe; only a mesh
    /// has vertices to animate.
    pub(crate) fn split(
        self,
        fps: Option<f64>,
        start: Option<f64>,
        is_mesh: bool,
    ) -> Result<(Vec<Keyframe>, Option<VertexAnimation>), String> {
        match self {
            Self::File(_) if !is_mesh => Err("of this kind has no vertices that a file could move; \
                 give keyframes for `motion`, or `kind = \"mesh\"`"
                .to_owned()),
            Self::File(path) => {
                Ok((Vec::new(), Some(VertexAnimation { path, fps, start: start.unwrap_or(0.0) })))
            }
            Self::Keyframes(_) if fps.is_some() || start.is_some() => {
                Err("must have the path of a file in `motion` where `motion_fps` or `motion_start` is given"
                    .to_owned())
            }
            Self::Keyframes(keyframes) => Ok((keyframes, None)),
        }
    }
}

impl<'de> Deserialize<'de> for MotionKey {
    fn deserialize<D: Deserializer<'de>>(d: D) -> Result<Self, D::Error> {
        struct KeyframesOrPath;
        impl<'de> Visitor<'de> for KeyframesOrPath {
            type Value = MotionKey;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a list of keyframes or the path of a vertex animation")
            }

            fn visit_str<E: Error>(self, path: &str) -> Result<MotionKey, E> {
                Ok(MotionKey::File(path.into()))
            }

            fn visit_seq<A: SeqAccess<'de>>(self, seq: A) -> Result<MotionKey, A::Error> {
                Vec::deserialize(SeqAccessDeserializer::new(seq)).map(MotionKey::Keyframes)
            }
        }
        d.deserialize_any(KeyframesOrPath)
    }
}
