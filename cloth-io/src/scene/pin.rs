//! Which vertices a scene holds: by number, by box, or by place.

use std::fmt;

use serde::{
    Deserialize, Deserializer, Serialize,
    de::{Error, MapAccess, Visitor, value::MapAccessDeserializer},
};

use super::number;

/// A pin: `12`, `{ min = [..], max = [..] }` or `{ nearest = [..] }`. Places are meant after the garment is placed.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
#[serde(untagged)]
pub enum Pin {
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
}

/// The keys of a pin that is a table.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct PinTable {
    #[serde(default, deserialize_with = "number::optional::finite3")]
    min: Option<[f64; 3]>,
    #[serde(default, deserialize_with = "number::optional::finite3")]
    max: Option<[f64; 3]>,
    #[serde(default, deserialize_with = "number::optional::finite3")]
    nearest: Option<[f64; 3]>,
}

impl TryFrom<PinTable> for Pin {
    type Error = String;

    fn try_from(table: PinTable) -> Result<Self, String> {
        match table {
            PinTable { min: None, max: None, nearest: Some(nearest) } => Ok(Self::Nearest { nearest }),
            PinTable { min: Some(min), max: Some(max), nearest: None } => {
                if (0..3).all(|k| min[k] <= max[k]) {
                    Ok(Self::Box { min, max })
                } else {
                    Err(format!("must have `min` below `max`, found {min:?} and {max:?}"))
                }
            }
            _ => Err("must have either `min` and `max`, or `nearest`".to_owned()),
        }
    }
}

impl<'de> Deserialize<'de> for Pin {
    fn deserialize<D: Deserializer<'de>>(d: D) -> Result<Self, D::Error> {
        struct NumberOrTable;
        impl<'de> Visitor<'de> for NumberOrTable {
            type Value = Pin;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("the number of a vertex, or a table with `min` and `max`, or `nearest`")
            }

            fn visit_i64<E: Error>(self, v: i64) -> Result<Pin, E> {
                let v = u32::try_from(v)
                    .map_err(|_| E::custom(format!("must be a vertex from 0 on, found {v}")))?;
                Ok(Pin::Vertex(v))
            }

            fn visit_u64<E: Error>(self, v: u64) -> Result<Pin, E> {
                let v = u32::try_from(v).map_err(|_| E::custom(format!("must be a vertex, found {v}")))?;
                Ok(Pin::Vertex(v))
            }

            fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<Pin, A::Error> {
                let table = PinTable::deserialize(MapAccessDeserializer::new(map))?;
                Pin::try_from(table).map_err(A::Error::custom)
            }
        }
        d.deserialize_any(NumberOrTable)
    }
}
