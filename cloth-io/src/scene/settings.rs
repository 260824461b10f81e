//! Time, contact and thread settings, wind, and output of a scene.

use std::path::PathBuf;

use serde::{Deserialize, Serialize};

use super::{ElasticModel, number};

/// `[settings]`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Settings {
    /// Length of a frame (s); 1/60 by default.
    #[serde(deserialize_with = "number::positive")]
    pub dt: f64,
    /// Steps in a frame.
    #[serde(deserialize_with = "number::optional::count")]
    pub substeps: Option<u32>,
    /// Simulated time (s); 4 by default.
    #[serde(deserialize_with = "number::positive")]
    pub duration: f64,
    /// Distance that cloth keeps from cloth (m).
    #[serde(deserialize_with = "number::optional::positive")]
    pub thickness: Option<f64>,
    /// The part of the thickness that is static collision radius, from 0 to below 1.
    #[serde(deserialize_with = "number::optional::share")]
    pub static_collision_share: Option<f64>,
    /// How far (m) the two ends of a stitch may be apart for its seam to be closed; half the thickness of the
    /// thinnest garment by default.
    #[serde(deserialize_with = "number::optional::non_negative")]
    pub seam_distance: Option<f64>,
    /// Friction coefficient of cloth against bodies.
    #[serde(deserialize_with = "number::optional::non_negative")]
    pub friction: Option<f64>,
    /// Friction coefficient of cloth against cloth.
    #[serde(deserialize_with = "number::optional::non_negative")]
    pub self_friction: Option<f64>,
    /// Whether motions are certified, so that nothing ever goes through cloth; they are by default.
    pub gate: Option<bool>,
    /// Whether cloth that starts tangled, or is pushed through something, is worked back; it is by default.
    pub recovery: Option<bool>,
    /// Gravity (m/s²); `[0, -9.81, 0]` by default.
    #[serde(deserialize_with = "number::finite3")]
    pub gravity: [f64; 3],
    /// What resists stretch and shear: the name of a model, or a table of its settings. Constraints that XPBD
    /// projects by default.
    pub model: Option<ElasticModel>,
    /// Threads to run on; no bit of the result depends on it.
    #[serde(deserialize_with = "number::optional::count")]
    pub threads: Option<u32>,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            dt: 1.0 / 60.0,
            substeps: None,
            duration: 4.0,
            thickness: None,
            static_collision_share: None,
            seam_distance: None,
            friction: None,
            self_friction: None,
            gate: None,
            recovery: None,
            gravity: [0.0, -9.81, 0.0],
            model: None,
            threads: None,
        }
    }
}

/// `[wind]`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Wind {
    /// Mean velocity of the air (m/s).
    #[serde(deserialize_with = "number::finite3")]
    pub velocity: [f64; 3],
    /// Drag coefficient, without unit.
    #[serde(default, deserialize_with = "number::optional::non_negative")]
    pub drag: Option<f64>,
    /// Lift coefficient, without unit.
    #[serde(default, deserialize_with = "number::optional::non_negative")]
    pub lift: Option<f64>,
    /// Rate at which the air takes up the motion of a particle (1/s).
    #[serde(default, deserialize_with = "number::optional::non_negative")]
    pub air_damping: Option<f64>,
    /// Variation of the wind in space and time; none by default.
    #[serde(default)]
    pub gusts: Option<Gusts>,
}

/// `wind.gusts`: smooth random variation of zero mean.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Gusts {
    /// Root mean square (m/s) of each coordinate of the variation.
    #[serde(deserialize_with = "number::non_negative")]
    pub strength: f64,
    /// Distance (m) over which the gusts change; 1 by default.
    #[serde(default, deserialize_with = "number::optional::positive")]
    pub length: Option<f64>,
    /// Time (s) over which the gusts change; 1 by default.
    #[serde(default, deserialize_with = "number::optional::positive")]
    pub period: Option<f64>,
    /// Selects the pattern; 0 by default.
    #[serde(default)]
    pub seed: u64,
}

/// `[output]`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Output {
    /// The cache to write: a file for PC2 or for the last frame, a folder for OBJ frames.
    pub cache: Option<PathBuf>,
    /// Its format; what the extension of `cache` says by default: `.pc2`, or `.obj` for the last frame alone.
    pub format: Option<CacheFormat>,
    /// The unit and axes of what is written; those of each garment's file by default.
    pub units: Units,
    /// Pictures to draw.
    pub pictures: Option<Pictures>,
}

/// The unit and axes of what is written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Units {
    /// Those of the garment's file, so that the cache fits the mesh that it was made from.
    #[default]
    File,
    /// Metres, y up, as simulated.
    Metres,
}

/// How positions over time are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum CacheFormat {
    /// One PC2 file for each garment, see [`crate::pc2`].
    Pc2,
    /// One OBJ file a frame, see [`crate::ObjSequenceWriter`].
    Obj,
}

/// Pictures of the run, spread evenly over its time.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Pictures {
    /// How many.
    #[serde(deserialize_with = "number::count")]
    pub count: u32,
    /// Width and height (pixels).
    pub size: [u16; 2],
}
