//! Regions of garments, and what every two of them do about each other.

use cloth_solver::Interaction;
use serde::{Deserialize, Serialize};

use crate::number;

/// `[[garment.regions]]`: a named part of a garment; parts of one name in several garments are one region.
///
/// Of which faces it is made, one of three keys says, or none: then it is the group of its own name.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, try_from = "RegionTable", into = "RegionTable")]
pub struct Region {
    /// Its name.
    pub name: String,
    /// Which faces.
    pub extent: RegionFaces,
}

/// Which faces of a garment a region is made of.
#[derive(Clone, Debug, PartialEq)]
pub enum RegionFaces {
    /// Those of the groups (`g`, `o`) of this name in the mesh file.
    Group(String),
    /// Those whose corners are all among these vertices, counted from 0 in the order of the file.
    Vertices(Vec<u32>),
    /// Those whose corners all start in this closed box (m), once the garment is placed.
    Box {
        /// Its least corner.
        min: [f64; 3],
        /// Its greatest corner.
        max: [f64; 3],
    },
}

/// The keys of a region.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
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

impl TryFrom<RegionTable> for Region {
    type Error = String;

    fn try_from(table: RegionTable) -> Result<Self, String> {
        let RegionTable { name, group, vertices, min, max } = table;
        if name.is_empty() {
            return Err("must have a `name` that is not empty".to_owned());
        }
        let extent = match (group, vertices, min, max) {
            (None, None, None, None) => RegionFaces::Group(name.clone()),
            (Some(group), None, None, None) => RegionFaces::Group(group),
            (None, Some(vertices), None, None) => RegionFaces::Vertices(vertices),
            (None, None, Some(min), Some(max)) => {
                if (0..3).any(|k| min[k] > max[k]) {
                    return Err(format!("must have `min` below `max`, found {min:?} and {max:?}"));
                }
                RegionFaces::Box { min, max }
            }
            _ => return Err("must have only one of `group`, `vertices`, and `min` with `max`".to_owned()),
        };
        Ok(Self { name, extent })
    }
}

impl From<Region> for RegionTable {
    fn from(region: Region) -> Self {
        let table = Self { name: region.name, ..Self::default() };
        match region.extent {
            RegionFaces::Group(group) => Self { group: Some(group), ..table },
            RegionFaces::Vertices(vertices) => Self { vertices: Some(vertices), ..table },
            RegionFaces::Box { min, max } => Self { min: Some(min), max: Some(max), ..table },
        }
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
