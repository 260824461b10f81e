//! A garment of a scene: its mesh, where it starts, what it rests as, and what it is made of.

use std::{fmt, path::PathBuf};

use cloth_io::ArrayNames;
use cloth_solver::Material;
use serde::{
    Deserialize, Deserializer, Serialize,
    de::{Error, SeqAccess, Visitor, value::SeqAccessDeserializer},
};

use crate::{FaceMaterial, Pin, Region, Rotation, number};

/// `[[garment]]`.
///
/// The mesh is turned y up, scaled, rotated, then translated; pins, weld distance and thickness are meant
/// after that.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Garment {
    /// What to call it in reports and files.
    #[serde(default)]
    pub name: Option<String>,
    /// The mesh file: OBJ, PLY, STL, OFF, NPZ or USD, of which the first frame is read.
    pub mesh: PathBuf,
    /// The arrays that are read of an NPZ file, `"POSITIONS,FACES"`; found by their names or shapes by
    /// default.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub arrays: Option<ArrayNames>,
    /// Metres in a unit of the file; 1 by default. A scene may as well say it by `scale` alone.
    #[serde(default, deserialize_with = "number::positive")]
    pub unit: Option<f64>,
    /// Factor of size, on top of the unit; 1 by default.
    #[serde(default = "one", deserialize_with = "number::positive")]
    pub scale: f64,
    /// The axis that points up in the file; y by default.
    #[serde(default)]
    pub up: Up,
    /// Vertices that are at most this far apart become one (m): 0 joins equal positions. None are joined by
    /// default.
    #[serde(default, deserialize_with = "number::non_negative")]
    pub weld_distance: Option<f64>,
    /// Where it is moved (m).
    #[serde(default, deserialize_with = "number::finite")]
    pub translate: [f64; 3],
    /// How it is turned, about the origin.
    #[serde(default)]
    pub rotate: Option<Rotation>,
    /// Where it starts, before `translate`; where its file has it by default.
    #[serde(default)]
    pub place: Placing,
    /// The shape in which it is free of stress; where it starts by default.
    #[serde(default)]
    pub rest: Rest,
    /// The angles at which its folds are free of stress; those of `rest` by default.
    #[serde(default)]
    pub bend_rest: Option<BendRest>,
    /// What it is made of; cotton by default.
    #[serde(default)]
    pub material: Material,
    /// Other fabrics of some of its faces; where several claim a face, the last one counts.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub face_materials: Vec<FaceMaterial>,
    /// Distance that it keeps from cloth (m), instead of that of `[settings]`.
    #[serde(default, deserialize_with = "number::positive")]
    pub thickness: Option<f64>,
    /// Coefficient of friction with what has none of its own, and of the mean with what has; that of
    /// `[settings]` by default.
    #[serde(default, deserialize_with = "number::non_negative")]
    pub friction: Option<f64>,
    /// Its place in the order of layers, higher numbers outside; its faces point outward. None by default.
    #[serde(default)]
    pub layer: Option<u16>,
    /// Whether no vertex may be farther from what is held than the cloth between is long; no by default.
    #[serde(default)]
    pub tethers: bool,
    /// Vertices that are held where they start.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub pins: Vec<Pin>,
    /// Vertices that are drawn together.
    #[serde(default, skip_serializing_if = "Stitches::is_empty")]
    pub stitches: Stitches,
    /// Named parts, for `[[interaction]]`; what none of them claims is `rest`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub regions: Vec<Region>,
    /// Pairs of vertices that never collide with each other.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub excluded_pairs: Vec<[u32; 2]>,
}

fn one() -> f64 {
    1.0
}

impl Garment {
    /// Metres that a unit of the file becomes: unit times scale.
    #[must_use]
    pub fn metres_per_unit(&self) -> f64 {
        self.file_unit() * if self.unit.is_some() { self.scale } else { 1.0 }
    }

    /// Metres in a unit of the file: `unit`, or `scale` where that alone is given.
    #[must_use]
    pub fn file_unit(&self) -> f64 {
        self.unit.unwrap_or(self.scale)
    }
}

/// Where a garment starts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Placing {
    /// Where its file has it.
    #[default]
    AsIs,
    /// Above the bodies of the scene, in their middle.
    Above,
}

/// The angles at which the folds of a garment are free of stress.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum BendRest {
    /// Those of the rest shape: a garment that starts folded stays folded.
    Start,
    /// None: every fold opens, as that of cloth which was folded and not ironed.
    Flat,
}

/// The axis of a file that points up.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Up {
    /// As here.
    #[default]
    Y,
    /// `(x, y, z)` of the file becomes `(x, z, -y)`.
    Z,
}

impl Up {
    /// Its name.
    pub(crate) fn letter(self) -> &'static str {
        match self {
            Self::Y => "y",
            Self::Z => "z",
        }
    }
}

/// The shape of a garment that is free of stress.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub enum Rest {
    /// `"start"`: the mesh as it starts.
    #[default]
    Start,
    /// `"uv"`: the flat pattern in the texture coordinates of its file, in the unit of the file.
    Uv,
    /// Any other text: a mesh file with the same vertices and faces.
    Mesh(PathBuf),
}

impl TryFrom<String> for Rest {
    type Error = String;

    fn try_from(text: String) -> Result<Self, String> {
        match text.as_str() {
            "" => Err("must be \"start\", \"uv\" or the path of a mesh".to_owned()),
            "start" => Ok(Self::Start),
            "uv" => Ok(Self::Uv),
            _ => Ok(Self::Mesh(text.into())),
        }
    }
}

impl From<Rest> for String {
    fn from(rest: Rest) -> Self {
        match rest {
            Rest::Start => "start".to_owned(),
            Rest::Uv => "uv".to_owned(),
            Rest::Mesh(path) => path.to_string_lossy().into_owned(),
        }
    }
}

/// Pairs of vertices that are drawn together until they meet.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(untagged)]
pub enum Stitches {
    /// The pairs, as vertices of this garment.
    Pairs(Vec<[u32; 2]>),
    /// A text file of them, see [`cloth_io::read_pairs`].
    File(PathBuf),
}

impl Default for Stitches {
    fn default() -> Self {
        Self::Pairs(Vec::new())
    }
}

impl Stitches {
    fn is_empty(&self) -> bool {
        matches!(self, Self::Pairs(pairs) if pairs.is_empty())
    }
}

impl<'de> Deserialize<'de> for Stitches {
    fn deserialize<D: Deserializer<'de>>(d: D) -> Result<Self, D::Error> {
        struct PairsOrPath;
        impl<'de> Visitor<'de> for PairsOrPath {
            type Value = Stitches;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a list of pairs [a, b] or the path of a file of them")
            }

            fn visit_str<E: Error>(self, path: &str) -> Result<Stitches, E> {
                Ok(Stitches::File(path.into()))
            }

            fn visit_seq<A: SeqAccess<'de>>(self, seq: A) -> Result<Stitches, A::Error> {
                let pairs = Vec::<[u32; 2]>::deserialize(SeqAccessDeserializer::new(seq))?;
                match pairs.iter().find(|p| p[0] == p[1]) {
                    Some([a, _]) => Err(A::Error::custom(format!("must join two vertices, found {a} twice"))),
                    None => Ok(Stitches::Pairs(pairs)),
                }
            }
        }
        d.deserialize_any(PairsOrPath)
    }
}
