//! Named regions of cloth.
//!
//! A region may span several cloths that use the same name. Region 0 is [`UNASSIGNED_REGION`].

use cloth_contacts::{Interaction, Interactions};
use cloth_geom::TriMesh;

use crate::BuildError;

/// The name of the region of all faces that belong to no named region.
pub const UNASSIGNED_REGION: &str = "rest";

/// Minimum Jaro-Winkler similarity of a known name that is suggested for an unknown one.
const MIN_SIMILARITY: f64 = 0.7;

/// A named region of a cloth. Regions of the same name in several cloths are one region.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(deny_unknown_fields))]
pub struct RegionDesc {
    /// Name; not empty, and not [`UNASSIGNED_REGION`].
    pub name: String,
    /// Its faces.
    pub extent: RegionExtent,
}

/// The faces of a region. Regions are disjoint.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "kebab-case"))]
pub enum RegionExtent {
    /// One entry per vertex: a face belongs to the region if all its corners do.
    Vertices(Vec<bool>),
    /// Face indices.
    Faces(Vec<u32>),
}

impl RegionDesc {
    /// A region from a mask with one entry per vertex.
    #[must_use]
    pub fn from_vertex_mask(name: impl Into<String>, mask: Vec<bool>) -> Self {
        Self { name: name.into(), extent: RegionExtent::Vertices(mask) }
    }

    /// A region from face indices.
    #[must_use]
    pub fn from_faces(name: impl Into<String>, faces: Vec<u32>) -> Self {
        Self { name: name.into(), extent: RegionExtent::Faces(faces) }
    }
}

/// The interaction of two regions, by name.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct InteractionRule {
    pub(crate) names: [String; 2],
    pub(crate) interaction: Interaction,
}

/// The names in the order in which they first came, and the region of each face and vertex so far.
#[derive(Clone, Debug)]
pub(crate) struct RegionMap {
    names: Vec<String>,
    pub(crate) of_face: Vec<u16>,
    pub(crate) of_vertex: Vec<u16>,
}

impl Default for RegionMap {
    fn default() -> Self {
        Self { names: vec![UNASSIGNED_REGION.into()], of_face: Vec::new(), of_vertex: Vec::new() }
    }
}

impl RegionMap {
    /// Adds a mesh that is of no region.
    pub(crate) fn add_unassigned(&mut self, vertices: usize, faces: usize) {
        self.of_face.resize(self.of_face.len() + faces, 0);
        self.of_vertex.resize(self.of_vertex.len() + vertices, 0);
    }

    /// Adds the mesh of a cloth with its regions; `cloth` names it in errors.
    ///
    /// # Errors
    /// If a name is empty or taken, a mask does not fit, or a face is claimed twice or by a region that has
    /// none.
    pub(crate) fn add_cloth(
        &mut self,
        mesh: &TriMesh,
        regions: &[RegionDesc],
        cloth: usize,
    ) -> Result<(), BuildError> {
        let (first_face, first_vertex) = (self.of_face.len(), self.of_vertex.len());
        self.add_unassigned(mesh.positions.len(), mesh.faces.len());
        for region in regions {
            let fault = |fault: String| BuildError::Region { cloth, region: region.name.clone(), fault };
            let number = self.number(&region.name).map_err(fault)?;
            let faces = faces_of(region, mesh).map_err(fault)?;
            for &face in &faces {
                let slot = &mut self.of_face[first_face + face as usize];
                if *slot != 0 && *slot != number {
                    let other = &self.names[usize::from(*slot)];
                    return Err(fault(format!(
                        "face {face} is already in region `{other}`; make them disjoint"
                    )));
                }
                *slot = number;
            }
            if let RegionExtent::Vertices(mask) = &region.extent {
                let slots = self.of_vertex[first_vertex..].iter_mut().zip(mask);
                slots.filter(|(_, inside)| **inside).for_each(|(slot, _)| *slot = number);
            }
        }
        Ok(())
    }

    fn number(&mut self, name: &str) -> Result<u16, String> {
        if name.is_empty() {
            return Err("it has no name; give it one".into());
        }
        if name == UNASSIGNED_REGION {
            return Err("the name is that of everything no region claims; choose another".into());
        }
        if let Some(number) = self.names.iter().position(|known| known == name) {
            return Ok(number as u16);
        }
        let number =
            u16::try_from(self.names.len()).map_err(|_| "there are 65,536 others already".to_owned())?;
        self.names.push(name.into());
        Ok(number)
    }

    /// The table that rules by name make, over what all others do about each other.
    ///
    /// # Errors
    /// If a rule names a region that no cloth has.
    pub(crate) fn table(
        &self,
        others: Interaction,
        rules: &[InteractionRule],
    ) -> Result<Interactions, BuildError> {
        rules.iter().try_fold(Interactions::all(others), |table, rule| {
            let [a, b] = [self.find(&rule.names[0])?, self.find(&rule.names[1])?];
            Ok(table.with(a, b, rule.interaction))
        })
    }

    fn find(&self, name: &str) -> Result<u16, BuildError> {
        let place = self.names.iter().position(|known| known == name);
        place.map(|number| number as u16).ok_or_else(|| {
            let similarity = |known: &&String| strsim::jaro_winkler(known, name);
            let nearest = self.names.iter().max_by(|a, b| similarity(a).total_cmp(&similarity(b)));
            BuildError::UnknownRegion {
                name: name.into(),
                nearest: nearest.filter(|known| similarity(known) > MIN_SIMILARITY).cloned(),
                known: self.names.join(", "),
            }
        })
    }
}

/// The faces of a region, or why it is invalid.
fn faces_of(region: &RegionDesc, mesh: &TriMesh) -> Result<Vec<u32>, String> {
    let (vertices, count) = (mesh.positions.len(), mesh.faces.len());
    match &region.extent {
        RegionExtent::Vertices(mask) if mask.len() != vertices => {
            Err(format!("its mask has {} entries, expected {vertices}, one a vertex", mask.len()))
        }
        RegionExtent::Vertices(mask) => {
            let inside = |face: &[u32; 3]| face.iter().all(|&v| mask.get(v as usize) == Some(&true));
            let faces: Vec<u32> =
                mesh.faces.iter().zip(0..).filter(|(face, _)| inside(face)).map(|(_, f)| f).collect();
            let lone = count == 0 && mask.contains(&true);
            let none = "no face has all its corners in its mask; widen the mask or drop the region";
            if faces.is_empty() && !lone { Err(none.into()) } else { Ok(faces) }
        }
        RegionExtent::Faces(faces) => match faces.iter().find(|&&f| f as usize >= count) {
            Some(face) => Err(format!("it names face {face}, but the cloth has {count}")),
            None if faces.is_empty() => Err("it has no face; name some or drop the region".into()),
            None => Ok(faces.clone()),
        },
    }
}
