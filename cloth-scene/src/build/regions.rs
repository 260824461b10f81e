//! Regions and fabrics of a scene: from names, groups and boxes to the faces of the garments as they are
//! simulated.

use cloth_geom::sorted_unique;
use cloth_io::{FileError, Group};
use cloth_solver::{ClothDesc, FaceMaterial, Material, RegionDesc};
use nalgebra::Point3;

use super::garment::PlacedGarment;
use crate::source::GarmentEntry;
use crate::words::counted;
use crate::{FacePlace, SceneSource};

/// Number of group names that an error lists.
const NAMED: usize = 8;

/// The regions of a garment.
pub(crate) fn garment_regions(
    wanted: &crate::Garment,
    garment: &PlacedGarment,
    source: &SceneSource,
) -> Result<Vec<RegionDesc>, FileError> {
    let find = |(entry, region): (usize, &crate::Region)| {
        let at = GarmentEntry { garment: garment.index, list: "regions", entry };
        let found = faces_at(&region.extent, garment)
            .map_err(|text| source.fail_in(at, format!("`{}`: {text}", region.name)));
        found.map(|faces| RegionDesc::from_faces(region.name.clone(), faces))
    };
    wanted.regions.iter().enumerate().map(find).collect()
}

/// The fabrics of faces of a garment.
pub(crate) fn face_materials(
    wanted: &crate::Garment,
    garment: &PlacedGarment,
    source: &SceneSource,
) -> Result<Vec<FaceMaterial>, FileError> {
    let find = |(entry, part): (usize, &crate::FaceMaterial)| {
        let at = GarmentEntry { garment: garment.index, list: "face_materials", entry };
        let faces = faces_at(&part.faces, garment).map_err(|text| source.fail_in(at, text))?;
        Ok(FaceMaterial { faces, material: part.material })
    };
    wanted.face_materials.iter().enumerate().map(find).collect()
}

/// How many faces of a cloth have which fabric, a sentence; none for a cloth of one fabric.
pub(crate) fn fabric_note(wanted: &crate::Garment, name: &str, cloth: &ClothDesc) -> Option<String> {
    if cloth.face_materials.is_empty() {
        return None;
    }
    let (map, mut counts) = (cloth.material_map(), vec![0; 1 + cloth.face_materials.len()]);
    (0..cloth.mesh.faces.len() as u32).for_each(|face| counts[map.number(face) as usize] += 1);
    let place = |part: &crate::FaceMaterial| match &part.faces {
        FacePlace::Group(group) => format!("group `{group}`"),
        FacePlace::Vertices(vertices) => format!("between {} vertices", vertices.len()),
        FacePlace::Box { .. } => "in a box".to_owned(),
    };
    let parts = wanted.face_materials.iter().map(|part| (place(part), &part.material));
    let all = std::iter::once(("the rest".to_owned(), &wanted.material)).chain(parts);
    let said = all.zip(counts).map(|((place, material), count)| {
        format!("{} of {} ({place})", counted(count, "triangle"), fabric(material))
    });
    Some(format!("{name}: {}", said.collect::<Vec<_>>().join(", ")))
}

/// The name of a fabric.
fn fabric(material: &Material) -> &'static str {
    let preset = Material::PRESETS.iter().find(|(_, preset)| preset == material);
    preset.map_or("a material of its own", |(name, _)| name)
}

fn faces_at(place: &FacePlace, garment: &PlacedGarment) -> Result<Vec<u32>, String> {
    match place {
        FacePlace::Group(name) => of_group(name, garment),
        FacePlace::Vertices(vertices) => {
            let mut inside = vec![false; garment.mesh.positions.len()];
            for &v in vertices {
                inside[garment.vertex(v)? as usize] = true;
            }
            faces(
                garment,
                |v| inside[v as usize],
                || "no face has all its corners among its `vertices`".into(),
            )
        }
        FacePlace::Box { min, max } => {
            let inside = |p: &Point3<f64>| (0..3).all(|k| min[k] <= p[k] && p[k] <= max[k]);
            let inside = |v: u32| inside(&garment.mesh.positions[v as usize]);
            faces(garment, inside, || {
                format!("no face starts in the box from {min:?} to {max:?} (m); move it")
            })
        }
    }
}

/// The faces whose corners are all inside; an error if there are none.
fn faces(
    garment: &PlacedGarment,
    inside: impl Fn(u32) -> bool,
    none: impl Fn() -> String,
) -> Result<Vec<u32>, String> {
    let all = (0u32..).zip(&garment.mesh.faces);
    let found: Vec<u32> = all.filter(|(_, f)| f.iter().all(|&v| inside(v))).map(|(f, _)| f).collect();
    if found.is_empty() { Err(none()) } else { Ok(found) }
}

/// The faces of the groups of this name, or where there is none, of the material.
pub(super) fn of_group(name: &str, garment: &PlacedGarment) -> Result<Vec<u32>, String> {
    let named = |parts: &'_ [Group]| parts.iter().filter(|g| g.name == name).cloned().collect::<Vec<_>>();
    let groups = [&garment.groups, &garment.materials].map(|parts| named(parts));
    let groups = groups.into_iter().find(|groups| !groups.is_empty()).ok_or_else(|| {
        let all = [&garment.groups[..], &garment.materials].concat();
        format!("the mesh file has no group or material `{name}`; {}", known(&all))
    })?;
    let of_file = |id: u32| groups.iter().any(|g| g.faces.contains(&id));
    let ids = (0u32..).zip(&garment.face_ids);
    let found: Vec<u32> = ids.filter(|(_, id)| of_file(**id)).map(|(f, _)| f).collect();
    if found.is_empty() {
        Err(format!("nothing of group `{name}` is left after the repair"))
    } else {
        Ok(found)
    }
}

/// The groups that there are, in words.
fn known(groups: &[Group]) -> String {
    let mut names = sorted_unique(groups.iter().map(|g| g.name.as_str()));
    let more = if names.len() > NAMED { ", ..." } else { "" };
    names.truncate(NAMED);
    match names.len() {
        0 => "it has none".into(),
        _ => format!("it has `{}`{more}", names.join("`, `")),
    }
}
