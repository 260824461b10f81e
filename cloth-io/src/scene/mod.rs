//! Scene files (TOML): garments, bodies, wind, time and settings, as plain data.
//!
//! SI units, y up; angles in degrees; vertices are numbered from 0 in the order of their file; paths are
//! relative to the scene file. A key that is not known is an error that names the nearest one that is,
//! because a misspelled `thicknes` would otherwise be a default in silence. Keys that may be left out and
//! have no default here are `Option`s: the solver's own default holds. `examples/scene.toml` shows every key.

mod animation;
mod body;
mod character;
mod contacts;
mod diagnose;
mod dynamics;
mod garment;
mod model;
mod motion;
mod number;
mod pin;
mod region;
mod settings;

pub use animation::{DEFAULT_MOTION_FPS, VertexAnimation};
pub use body::{Body, Shape};
pub use character::{AddedProxy, Character, CharacterBody, ClipChoice, ResizedProxy, RootMotion};
pub use contacts::{ContactSource, Contacts};
pub use dynamics::Dynamics;
pub use garment::{BendRest, Fabric, Garment, Material, Placing, Preset, Rest, Stitches, Up};
pub use model::{
    Assembly, ElasticModel, Fem, Integrator, MAX_SEGMENTS, MassSpring, Stiffening, StiffeningSegment,
    StrainLimit, StrainMeasure,
};
pub use motion::{Keyframe, Pose, Rotation, pose_at};
pub use pin::{FOLLOW_ANY_BODY, FOLLOW_JOINT, Pin, PinPlace};
pub use region::{Interaction, InteractionKind, PairFriction, Region, RegionExtent};
pub use settings::{CacheFormat, Gusts, Output, Pictures, Settings, Units, Wind};

use std::{
    fs,
    path::{Path, PathBuf},
};

use serde::{Deserialize, Serialize};

use crate::{FileError, write_atomically};

/// Everything that a scene file says.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Scene {
    /// Time, contact and thread settings.
    #[serde(default)]
    pub settings: Settings,
    /// The cloths, `[[garment]]`; at least one in a file.
    #[serde(rename = "garment")]
    pub garments: Vec<Garment>,
    /// What they collide with, `[[body]]`.
    #[serde(rename = "body", default, skip_serializing_if = "Vec::is_empty")]
    pub bodies: Vec<Body>,
    /// A skinned, animated body; none by default.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub character: Option<Character>,
    /// What regions of garments do about each other, `[[interaction]]`; they collide in full by default.
    #[serde(rename = "interaction", default, skip_serializing_if = "Vec::is_empty")]
    pub interactions: Vec<Interaction>,
    /// Friction of pairs of garments and bodies, `[[friction]]`.
    #[serde(rename = "friction", default, skip_serializing_if = "Vec::is_empty")]
    pub pair_friction: Vec<PairFriction>,
    /// Where the contacts between cloths come from; they are detected by default.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub contacts: Option<Contacts>,
    /// Moving air; still air without.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub wind: Option<Wind>,
    /// What to write; nothing without.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub output: Option<Output>,
}

impl Scene {
    /// Reads a scene file.
    ///
    /// # Errors
    /// If the file cannot be read, is no TOML, has an unknown or missing key, or a value out of its range:
    /// the error names line and key.
    pub fn read(path: &Path) -> Result<Self, FileError> {
        let bytes = fs::read(path).map_err(|e| FileError::io(path, "read", &e))?;
        let text =
            String::from_utf8(bytes).map_err(|_| FileError::new(path, "is not UTF-8; save it as UTF-8"))?;
        Self::parse(path, &text)
    }

    /// Parses the text of a scene file; `path` only names it in errors.
    ///
    /// # Errors
    /// Those of [`Scene::read`].
    pub fn parse(path: &Path, text: &str) -> Result<Self, FileError> {
        let scene: Self = toml::from_str(text).map_err(|e| diagnose::diagnose(path, text, e))?;
        if scene.garments.is_empty() {
            return Err(FileError::new(path, "has no [[garment]]; a scene needs at least one"));
        }
        Ok(scene)
    }

    /// The scene as TOML text, which parses to the same scene.
    ///
    /// # Errors
    /// If a path in it is not UTF-8.
    pub fn to_toml(&self) -> Result<String, FileError> {
        let refuse =
            |e: toml::ser::Error| FileError::new(Path::new("scene"), format!("cannot be written: {e}"));
        toml::to_string(self).map_err(refuse)
    }

    /// Writes the scene as a file that appears whole or not at all.
    ///
    /// # Errors
    /// Those of [`Scene::to_toml`], and if the file cannot be written.
    pub fn write(&self, path: &Path) -> Result<(), FileError> {
        let text = self.to_toml()?;
        write_atomically(path, |w| std::io::Write::write_all(w, text.as_bytes()))
    }
}

/// The place of a file that a scene names: relative to the folder of the scene file.
#[must_use]
pub fn resolve_path(scene: &Path, file: &Path) -> PathBuf {
    scene.parent().map_or_else(|| file.to_path_buf(), |folder| folder.join(file))
}
