//! Regions of garments, and what every two of them do about each other.

use cloth_solver::Interaction;
use serde::{Deserialize, Deserializer, Serialize};

use crate::FacePlace;
use crate::face_place::FaceKeys;
use crate::number;
use crate::tables::converted;

/// `[[garment.regions]]`: a named part of a garment; parts of one name in several garments are one region.
///
/// Of which faces it is made, one of three keys says, or none: then it is the group of its own name.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(into = "RegionTable")]
pub struct Region {
    /// Its name.
    pub name: String,
    /// Which faces.
    pub extent: FacePlace,
}

/// The keys of a region.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct RegionTable {
    name: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    group: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    vertices: Option<Vec<u32>>,
    #[serde(default, deserialize_with = "number::finite", skip_serializing_if = "Option::is_none")]
    min: Option<[f64; 3]>,
    #[serde(default, deserialize_with = "number::finite", skip_serializing_if = "Option::is_none")]
    max: Option<[f64; 3]>,
}

impl<'de> Deserialize<'de> for Region {
    fn deserialize<D: Deserializer<'de>>(d: D) -> Result<Self, D::Error> {
        converted::<RegionTable, _, _>(d)
    }
}

impl TryFrom<RegionTable> for Region {
    type Error = String;

    fn try_from(table: RegionTable) -> Result<Self, String> {
        let RegionTable { name, group, vertices, min, max } = table;
        if name.is_empty() {
            return Err("must have a `name` that is not empty".to_owned());
        }
        let extent = FaceKeys { group, vertices, min, max }.place()?;
        let extent = extent.unwrap_or_else(|| FacePlace::Group(name.clone()));
        Ok(Self { name, extent })
    }
}

impl From<Region> for RegionTable {
    fn from(region: Region) -> Self {
        let FaceKeys { group, vertices, min, max } = region.extent.into();
        Self { name: region.name, group, vertices, min, max }
    }
}

/// `[[interaction]]`: what two regions do about each other, or a region about itself; the last word on a pair
/// holds, and pairs without one collide in full.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RegionInteraction {
    /// The names of the regions; `"rest"` is what no region claims.
    pub between: [String; 2],
    /// What they do.
    pub kind: Interaction,
}

/// The friction of two garments, or of a garment and a body.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PairFriction {
    /// The names of the two; both may be the same garment.
    pub between: [String; 2],
    /// Coulomb's coefficient, whatever the two have alone.
    #[serde(deserialize_with = "number::non_negative")]
    pub coefficient: f64,
}
