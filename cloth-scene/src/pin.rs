//! Which vertices a scene holds: by number, by box, by place, by group, by boundary, or by a file of numbers.

use std::fmt;
use std::path::PathBuf;

use serde::{
    Deserialize, Deserializer, Serialize,
    de::{Error, MapAccess, Visitor, value::MapAccessDeserializer},
};

use crate::motion::check_motion;
use crate::{Keyframe, number};

/// The name that a pin follows to follow the nearest of all mesh bodies.
pub const FOLLOW_ANY_BODY: &str = "body";

/// What the name of a joint follows in [`Pin::follow`]: `"joint:spine_03"` is that joint of the character,
/// with its bone and its proxies.
pub const FOLLOW_JOINT: &str = "joint:";

/// A pin: `12`, `{ vertex = 12 }`, `{ min = [..], max = [..] }`, `{ nearest = [..] }`, `{ loop = [..] }`,
/// `{ group = \"waist\" }` or `{ file = \"pins.txt\" }`, the tables
/// optionally with `follow = "body"` and `compliance = 0.001`. Places are meant after the garment is placed.
///
/// A pin may have a time: it holds in every frame that has a part of `from` to `until`, and takes its
/// vertices where they are at the start of the first of them. `motion` moves them as if they were glued to a
/// body with these keyframes when it takes them. `release = { distance = 0.05 }` or `{ force = 20 }` ends it
/// before its time.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(into = "PinForm")]
pub struct Pin {
    /// Which vertices it holds.
    pub place: PinPlace,
    /// The mesh body that they follow: the name of one, or [`FOLLOW_ANY_BODY`] for the nearest of all. The
    /// skin of a character is `"character"`; a joint of it follows [`FOLLOW_JOINT`]. `None` if they stay
    /// where they start.
    pub follow: Option<String>,
    /// Compliance (m/N) of a spring that holds the vertices, 0 or more; `None` if they are held exactly.
    pub compliance: Option<f64>,
    /// When it begins (s), 0 or more; `None` from the start.
    pub from: Option<f64>,
    /// When it ends (s), above `from`; `None` never.
    pub until: Option<f64>,
    /// How it moves, in the order of time; none if it stays. Not of one that follows a body. See
    /// [`crate::pose_at`].
    pub motion: Vec<Keyframe>,
    /// What ends it before its time.
    pub release: Option<PinRelease>,
}

/// What ends a pin before its time, looked at after every frame.
///
/// ```
/// # use cloth_scene::{Pin, PinPlace, PinRelease};
/// let release = Some(PinRelease::Force(20.0));
/// let pin = Pin { until: Some(0.5), release, ..PinPlace::Vertex(12).into() };
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum PinRelease {
    /// One of its vertices is farther (m) than this from where it is to be: because contacts hold it back,
    /// the velocity limit, or the compliance of the pin.
    Distance(#[serde(deserialize_with = "number::positive")] f64),
    /// It bears more than this (N): the length of the sum of the forces on its vertices, each the mean of a
    /// frame. Such a pin is an attachment, of compliance 0 where none is given, which contacts may push
    /// aside.
    Force(#[serde(deserialize_with = "number::positive")] f64),
}

impl Pin {
    /// Whether it has a time, a motion or an end of its own.
    pub(crate) fn is_timed(&self) -> bool {
        self.from.is_some() || self.until.is_some() || !self.motion.is_empty() || self.release.is_some()
    }

    /// The compliance (m/N) of an attachment that holds its vertices; `None` if they are held exactly.
    pub(crate) fn attachment_compliance(&self) -> Option<f64> {
        self.compliance.or(matches!(self.release, Some(PinRelease::Force(_))).then_some(0.0))
    }
}

/// Which vertices a pin holds.
#[derive(Clone, Debug, PartialEq)]
pub enum PinPlace {
    /// The vertex of this number, counted from 0 in the order of the file.
    Vertex(u32),
    /// All vertices in a closed box (m).
    Box {
        /// Its least corner.
        min: [f64; 3],
        /// Its greatest corner.
        max: [f64; 3],
    },
    /// The vertex nearest to a point (m); of several, the one of the least number.
    Nearest {
        /// The point.
        nearest: [f64; 3],
    },
    /// All vertices of the boundary loop that comes nearest to a point (m): a waist, a hem, a sleeve's end.
    Loop {
        /// The point.
        near: [f64; 3],
    },
    /// All vertices of the faces in the groups (`g`, `o`) of this name in the mesh file, or where there is
    /// none, in the material (`usemtl`).
    Group(String),
    /// The vertices whose numbers a text file lists, see [`cloth_io::read_vertices`].
    File(PathBuf),
}

impl From<PinPlace> for Pin {
    /// A pin that stays where it starts.
    fn from(place: PinPlace) -> Self {
        let motion = Vec::new();
        Self { place, follow: None, compliance: None, from: None, until: None, motion, release: None }
    }
}

/// A pin as it stands in the file.
#[derive(Serialize)]
#[serde(untagged)]
enum PinForm {
    Number(u32),
    Table(Box<PinTable>),
}

/// The keys of a pin that is a table.
#[derive(Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct PinTable {
    #[serde(default)]
    vertex: Option<u32>,
    #[serde(default, deserialize_with = "number::finite")]
    min: Option<[f64; 3]>,
    #[serde(default, deserialize_with = "number::finite")]
    max: Option<[f64; 3]>,
    #[serde(default, deserialize_with = "number::finite")]
    nearest: Option<[f64; 3]>,
    #[serde(default, rename = "loop", deserialize_with = "number::finite")]
    near: Option<[f64; 3]>,
    #[serde(default)]
    group: Option<String>,
    #[serde(default)]
    file: Option<PathBuf>,
    #[serde(default)]
    follow: Option<String>,
    #[serde(default, deserialize_with = "number::non_negative")]
    compliance: Option<f64>,
    #[serde(default, deserialize_with = "number::non_negative")]
    from: Option<f64>,
    #[serde(default, deserialize_with = "number::non_negative")]
    until: Option<f64>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    motion: Vec<Keyframe>,
    #[serde(default)]
    release: Option<PinRelease>,
}

impl From<Pin> for PinForm {
    fn from(pin: Pin) -> Self {
        let is_plain = pin == Pin::from(pin.place.clone());
        let Pin { place, follow, compliance, from, until, motion, release } = pin;
        let table = PinTable { follow, compliance, from, until, motion, release, ..PinTable::default() };
        Self::Table(Box::new(match place {
            PinPlace::Vertex(v) if is_plain => return Self::Number(v),
            PinPlace::Vertex(v) => PinTable { vertex: Some(v), ..table },
            PinPlace::Box { min, max } => PinTable { min: Some(min), max: Some(max), ..table },
            PinPlace::Nearest { nearest } => PinTable { nearest: Some(nearest), ..table },
            PinPlace::Loop { near } => PinTable { near: Some(near), ..table },
            PinPlace::Group(group) => PinTable { group: Some(group), ..table },
            PinPlace::File(file) => PinTable { file: Some(file), ..table },
        }))
    }
}

const ONE_PLACE: &str = "must have one of `vertex`, `min` and `max`, `nearest`, `loop`, `group` and `file`";

impl TryFrom<PinTable> for Pin {
    type Error = String;

    fn try_from(table: PinTable) -> Result<Self, String> {
        let in_box = match (table.min, table.max) {
            (Some(min), Some(max)) if (0..3).any(|k| min[k] > max[k]) => {
                return Err(format!("must have `min` below `max`, found {min:?} and {max:?}"));
            }
            (Some(min), Some(max)) => Some(PinPlace::Box { min, max }),
            (None, None) => None,
            _ => return Err(ONE_PLACE.to_owned()),
        };
        let mut places = [
            table.vertex.map(PinPlace::Vertex),
            in_box,
            table.nearest.map(|nearest| PinPlace::Nearest { nearest }),
            table.near.map(|near| PinPlace::Loop { near }),
            table.group.map(PinPlace::Group),
            table.file.map(PinPlace::File),
        ]
        .into_iter()
        .flatten();
        let (Some(place), None) = (places.next(), places.next()) else { return Err(ONE_PLACE.to_owned()) };
        let PinTable { follow, compliance, from, until, motion, release, .. } = table;
        if let Some(until) = until.filter(|until| *until <= from.unwrap_or(0.0)) {
            let from = from.unwrap_or(0.0);
            return Err(format!("must end after it begins, found `from` {from} s and `until` {until} s"));
        }
        if follow.is_some() && !motion.is_empty() {
            return Err("cannot have a `motion` and `follow` a body; remove one of them".to_owned());
        }
        check_motion(&motion)?;
        Ok(Self { place, follow, compliance, from, until, motion, release })
    }
}

impl<'de> Deserialize<'de> for Pin {
    fn deserialize<D: Deserializer<'de>>(d: D) -> Result<Self, D::Error> {
        struct NumberOrTable;
        impl<'de> Visitor<'de> for NumberOrTable {
            type Value = Pin;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                write!(f, "the number of a vertex, or a table that {ONE_PLACE}")
            }

            fn visit_i64<E: Error>(self, v: i64) -> Result<Pin, E> {
                let v = u32::try_from(v)
                    .map_err(|_| E::custom(format!("must be a vertex from 0 on, found {v}")))?;
                Ok(PinPlace::Vertex(v).into())
            }

            fn visit_u64<E: Error>(self, v: u64) -> Result<Pin, E> {
                let v = u32::try_from(v).map_err(|_| E::custom(format!("must be a vertex, found {v}")))?;
                Ok(PinPlace::Vertex(v).into())
            }

            fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<Pin, A::Error> {
                let table = PinTable::deserialize(MapAccessDeserializer::new(map))?;
                Pin::try_from(table).map_err(A::Error::custom)
            }
        }
        d.deserialize_any(NumberOrTable)
    }
}
