//! Fabrics of parts of a garment.

use cloth_solver::Material;
use serde::{Deserialize, Deserializer, Serialize};

use crate::FacePlace;
use crate::face_place::FaceKeys;
use crate::number;
use crate::tables::converted;

/// `[[garment.face_materials]]`: another fabric for some faces of a garment; where several claim a face, the
/// last one counts.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(into = "FaceMaterialTable")]
pub struct FaceMaterial {
    /// Which faces.
    pub faces: FacePlace,
    /// What they are made of.
    pub material: Material,
}

/// The keys of a fabric of faces.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct FaceMaterialTable {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    group: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    vertices: Option<Vec<u32>>,
    #[serde(default, deserialize_with = "number::finite", skip_serializing_if = "Option::is_none")]
    min: Option<[f64; 3]>,
    #[serde(default, deserialize_with = "number::finite", skip_serializing_if = "Option::is_none")]
    max: Option<[f64; 3]>,
    material: Material,
}

impl<'de> Deserialize<'de> for FaceMaterial {
    fn deserialize<D: Deserializer<'de>>(d: D) -> Result<Self, D::Error> {
        converted::<FaceMaterialTable, _, _>(d)
    }
}

impl TryFrom<FaceMaterialTable> for FaceMaterial {
    type Error = String;

    fn try_from(table: FaceMaterialTable) -> Result<Self, String> {
        let FaceMaterialTable { group, vertices, min, max, material } = table;
        let faces = FaceKeys { group, vertices, min, max }.place()?;
        let faces = faces.ok_or("must have one of `group`, `vertices`, and `min` with `max`")?;
        Ok(Self { faces, material })
    }
}

impl From<FaceMaterial> for FaceMaterialTable {
    fn from(FaceMaterial { faces, material }: FaceMaterial) -> Self {
        let FaceKeys { group, vertices, min, max } = faces.into();
        Self { group, vertices, min, max, material }
    }
}
