#![doc = include_str!("../README.md")]

mod animation;
mod body;
pub mod build;
mod character;
mod closed_surface;
mod collider_proxies;
mod desc;
mod diagnose;
mod dynamics;
mod face_material;
mod face_place;
mod figure;
mod garment;
mod motion;
mod number;
mod output;
mod pin;
mod region;
pub mod remedy;
mod source;
mod tables;
pub mod units;
pub mod words;

pub use animation::{DEFAULT_MOTION_FPS, VertexAnimation};
pub use body::{Body, Shape};
pub use build::MeasuredEdge;
pub use build::{BuiltScene, MotionError, PinEvent, PinEventKind};
pub use character::{AddedProxy, Character, CharacterBody, ClipChoice, ResizedProxy, RootMotion};
pub use cloth_character;
pub use cloth_contacts;
pub use cloth_geom;
pub use cloth_io;
pub use cloth_solver;
pub use collider_proxies::{ColliderProxies, turn_from_y};
pub use desc::{ColliderDesc, SceneDesc, ScenePart};
pub use dynamics::Dynamics;
pub use face_material::FaceMaterial;
pub use face_place::FacePlace;
pub use figure::{Capsule, CapsuleFigure};
pub use garment::{BendRest, Garment, Placing, Rest, Stitches, Up};
pub use motion::{Keyframe, Pose, Rotation, pose_at};
pub use nalgebra;
pub use output::{CacheFormat, Output, Pictures, Units};
pub use pin::{FOLLOW_ANY_BODY, FOLLOW_JOINT, Pin, PinPlace, PinRelease};
pub use region::{PairFriction, Region, RegionInteraction};
pub use source::SceneSource;

use std::path::{Path, PathBuf};

use cloth_io::{FileError, write_atomically};
use cloth_solver::{FaceContacts, Settings, Teleport};
use serde::{Deserialize, Serialize};

use tables::Tables;

/// Everything that a scene file says.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(from = "Tables", into = "Tables")]
pub struct Scene {
    /// Settings of the solver: the keys of `[settings]`, `[wind]` and `[contacts]` that it has. By default
    /// its own, but nothing sleeps, because an animation is to be exact to the last frame.
    pub settings: Settings,
    /// Duration of a frame (s); 1/60 by default.
    pub dt: f64,
    /// Simulated time (s); 4 by default.
    pub duration: f64,
    /// Distance that cloth keeps from cloth (m); that of each garment follows from its edges if `None`.
    pub thickness: Option<f64>,
    /// The part of the thickness that is static collision radius, from 0 to below 1.
    pub static_collision_share: Option<f64>,
    /// How far (m) the two ends of a stitch may be apart for its seam to be closed; half the thickness of the
    /// thinnest garment by default.
    pub seam_distance: Option<f64>,
    /// Friction coefficient of cloth against bodies.
    pub friction: Option<f64>,
    /// Of cached contacts: the file that they are kept in. It is read if it is there, and written if not.
    pub contact_file: Option<PathBuf>,
    /// The cloths, `[[garment]]`; at least one in a file.
    pub garments: Vec<Garment>,
    /// What they collide with, `[[body]]`.
    pub bodies: Vec<Body>,
    /// A skinned, animated body; none by default.
    pub character: Option<Character>,
    /// What regions of garments do about each other, `[[interaction]]`; they collide in full by default.
    pub interactions: Vec<RegionInteraction>,
    /// Friction of pairs of garments and bodies, `[[friction]]`.
    pub pair_friction: Vec<PairFriction>,
    /// What to write; nothing without.
    pub output: Option<Output>,
}

impl Default for Scene {
    fn default() -> Self {
        Self {
            settings: Settings {
                sleep: None,
                face_contacts: FaceContacts::Auto,
                teleport: Some(Teleport::default()),
                ..Settings::default()
            },
            dt: 1.0 / 60.0,
            duration: 4.0,
            thickness: None,
            static_collision_share: None,
            seam_distance: None,
            friction: None,
            contact_file: None,
            garments: Vec::new(),
            bodies: Vec::new(),
            character: None,
            interactions: Vec::new(),
            pair_friction: Vec::new(),
            output: None,
        }
    }
}

impl Scene {
    /// Reads a scene file.
    ///
    /// # Errors
    /// If the file cannot be read, is no TOML, has an unknown or missing key, or a value out of its range:
    /// the error names line and key.
    pub fn read(path: &Path) -> Result<Self, FileError> {
        Self::parse(path, &read_text(path)?)
    }

    /// Parses the text of a scene file; `path` only names it in errors.
    ///
    /// # Errors
    /// Those of [`Scene::read`].
    pub fn parse(path: &Path, text: &str) -> Result<Self, FileError> {
        let scene: Self = parse_toml(path, text)?;
        if scene.garments.is_empty() {
            return Err(FileError::new(path, "has no [[garment]]; a scene needs at least one"));
        }
        Ok(scene)
    }

    /// The scene as TOML text, which parses to the same scene.
    ///
    /// # Errors
    /// If a path in it is not UTF-8, or if scene files have no key for one of its settings.
    pub fn to_toml(&self) -> Result<String, FileError> {
        let refuse = |text: String| FileError::new(Path::new("scene"), format!("cannot be written: {text}"));
        let text = toml::to_string(self).map_err(|e| refuse(e.to_string()))?;
        if Self::from(Tables::from(self.clone())).settings != self.settings {
            return Err(refuse("it has settings of the solver for which scene files have no key".to_owned()));
        }
        Ok(text)
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

/// Reads the text of a scene file, or of another TOML file.
///
/// # Errors
/// If it cannot be read or is not UTF-8.
pub fn read_text(path: &Path) -> Result<String, FileError> {
    let bytes = cloth_io::read_file(path)?;
    String::from_utf8(bytes).map_err(|_| FileError::new(path, "is not UTF-8; save it as UTF-8"))
}

/// Parses a TOML text whose keys belong to scenes; `path` only names it in errors.
///
/// # Errors
/// As [`Scene::parse`]: with line, key, and the nearest known key.
pub fn parse_toml<T: serde::de::DeserializeOwned>(path: &Path, text: &str) -> Result<T, FileError> {
    toml::from_str(text).map_err(|e| diagnose::diagnose(path, text, e))
}
