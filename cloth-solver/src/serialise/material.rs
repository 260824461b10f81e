//! The form of a fabric: the name of a preset, or a table of its numbers.

use std::fmt;

use serde::de::{Deserialize, Deserializer, Error, MapAccess, Visitor, value::MapAccessDeserializer};
use serde::{Serialize, Serializer};

use crate::Material;
use crate::number;

/// The names of [`Material::PRESETS`].
const NAMES: [&str; 3] = {
    let [(a, _), (b, _), (c, _)] = Material::PRESETS;
    [a, b, c]
};

/// The numbers of a fabric; it stretches alike along warp and weft unless the weft has a number of its own.
#[derive(Serialize, serde::Deserialize)]
#[serde(deny_unknown_fields)]
struct FabricTable {
    #[serde(deserialize_with = "number::positive")]
    density: f32,
    #[serde(deserialize_with = "number::positive")]
    stretch: f32,
    #[serde(default, deserialize_with = "number::positive", skip_serializing_if = "Option::is_none")]
    stretch_weft: Option<f32>,
    #[serde(deserialize_with = "number::non_negative")]
    shear: f32,
    #[serde(deserialize_with = "number::non_negative")]
    bend: f32,
    #[serde(default, deserialize_with = "number::non_negative")]
    damping: f32,
}

impl Serialize for Material {
    fn serialize<S: Serializer>(&self, s: S) -> Result<S::Ok, S::Error> {
        if let Some((name, _)) = Self::PRESETS.iter().find(|(_, preset)| preset == self) {
            return name.serialize(s);
        }
        let Self { density, stretch_warp: stretch, stretch_weft, shear, bend, damping } = *self;
        let stretch_weft = (stretch_weft != stretch).then_some(stretch_weft);
        FabricTable { density, stretch, stretch_weft, shear, bend, damping }.serialize(s)
    }
}

impl<'de> Deserialize<'de> for Material {
    fn deserialize<D: Deserializer<'de>>(d: D) -> Result<Self, D::Error> {
        struct NameOrTable;
        impl<'de> Visitor<'de> for NameOrTable {
            type Value = Material;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("the name of a material or a table of its numbers")
            }

            fn visit_str<E: Error>(self, name: &str) -> Result<Material, E> {
                Material::preset(name).ok_or_else(|| E::unknown_variant(name, &NAMES))
            }

            fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<Material, A::Error> {
                let table = FabricTable::deserialize(MapAccessDeserializer::new(map))?;
                let FabricTable { density, stretch: stretch_warp, shear, bend, damping, .. } = table;
                let stretch_weft = table.stretch_weft.unwrap_or(stretch_warp);
                Ok(Material { density, stretch_warp, stretch_weft, shear, bend, damping })
            }
        }
        d.deserialize_any(NameOrTable)
    }
}
