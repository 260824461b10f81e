//! What holds a garment: pins, attachments, stitches and excluded pairs, from the numbers of its file to
//! those of its mesh.

use std::collections::BTreeMap;

use cloth_io::{FileError, read_pairs};
use cloth_solver::{Attachment, Stitch};
use nalgebra::Point3;

use super::garment::PlacedGarment;
use crate::{PinPlace, SceneSource, Stitches};

/// Pins, attachments, stitches and exclusions in the numbers of the mesh.
#[derive(Debug, Default, PartialEq)]
pub(crate) struct Constraints {
    pub(crate) pins: Vec<u32>,
    /// By vertex, ascending; none of a pinned vertex.
    pub(crate) attachments: Vec<Attachment>,
    pub(crate) stitches: Vec<Stitch>,
    pub(crate) exclusions: Vec<[u32; 2]>,
}

/// Finds the vertices that a scene holds.
pub(crate) fn find_constraints(
    wanted: &crate::Garment,
    garment: &PlacedGarment,
    source: &SceneSource,
) -> Result<Constraints, FileError> {
    let (mut holds, mut compliances) = (Constraints::default(), BTreeMap::new());
    for pin in &wanted.pins {
        let found = pinned(&pin.place, garment).map_err(|text| source.fail("garment.pins", text))?;
        match pin.compliance {
            None => holds.pins.extend(found),
            // Of several, the first counts.
            Some(compliance) => found.into_iter().for_each(|v| {
                compliances.entry(v).or_insert(compliance);
            }),
        }
    }
    holds.pins.sort_unstable();
    holds.pins.dedup();
    compliances.retain(|v, _| holds.pins.binary_search(v).is_err());
    let attachment = |(vertex, compliance): (u32, f64)| Attachment {
        vertex,
        target: garment.mesh.positions[vertex as usize].cast(),
        compliance: compliance as f32,
    };
    holds.attachments = compliances.into_iter().map(attachment).collect();
    let pairs = match &wanted.stitches {
        Stitches::Pairs(pairs) => pairs.clone(),
        Stitches::File(file) => read_pairs(&source.resolve(file))?,
    };
    let pairs = mapped(&pairs, garment).map_err(|text| source.fail("garment.stitches", text))?;
    let stitch = |[vertex, to]: [u32; 2]| Stitch { vertex, edge: [to, to], ratio: 0.0 };
    holds.stitches = pairs.into_iter().map(stitch).collect();
    holds.exclusions = mapped(&wanted.excluded_pairs, garment)
        .map_err(|text| source.fail("garment.excluded_pairs", text))?;
    Ok(holds)
}

/// The vertices that a pin holds.
pub(crate) fn pinned(pin: &PinPlace, garment: &PlacedGarment) -> Result<Vec<u32>, String> {
    let positions = &garment.mesh.positions;
    match pin {
        PinPlace::Vertex(v) => Ok(vec![garment.vertex(*v)?]),
        PinPlace::Box { min, max } => {
            let inside = |p: &Point3<f64>| (0..3).all(|k| min[k] <= p[k] && p[k] <= max[k]);
            let found: Vec<u32> =
                (0u32..).zip(positions).filter(|(_, p)| inside(p)).map(|(v, _)| v).collect();
            if found.is_empty() {
                return Err(format!("no vertex starts in the box from {min:?} to {max:?} (m); move it"));
            }
            Ok(found)
        }
        PinPlace::Nearest { nearest } => {
            let distance_sq = |p: &Point3<f64>| (p - Point3::from(*nearest)).norm_squared();
            let near = (0u32..).zip(positions).min_by(|a, b| distance_sq(a.1).total_cmp(&distance_sq(b.1)));
            Ok(near.map(|(v, _)| v).into_iter().collect())
        }
    }
}

/// Pairs in the numbers of the mesh; those that welding has made one are left out.
fn mapped(pairs: &[[u32; 2]], garment: &PlacedGarment) -> Result<Vec<[u32; 2]>, String> {
    let mut found = Vec::new();
    for &[a, b] in pairs {
        let pair = [garment.vertex(a)?, garment.vertex(b)?];
        if pair[0] != pair[1] {
            found.push(pair);
        }
    }
    Ok(found)
}

#[cfg(test)]
mod tests {
    use super::super::garment::GarmentFile;
    use super::*;
    use cloth_geom::TriMesh;
    use cloth_solver::RestShape;

    /// Vertex 2 of the file is welded to vertex 0.
    fn garment() -> PlacedGarment {
        let positions = vec![Point3::origin(), Point3::new(1.0, 0.0, 0.0), Point3::new(0.0, 0.0, 1.0)];
        PlacedGarment {
            name: "g".into(),
            mesh: TriMesh::new(positions, vec![[0, 1, 2]]),
            rest: RestShape::Start,
            edges: vec![],
            vertex_map: vec![0, 1, 0, 2],
            file: GarmentFile { path: "g.obj".into(), scale: 1.0, up: crate::Up::Y },
            face_ids: vec![],
            groups: vec![],
            notes: vec![],
        }
    }

    #[test]
    fn pins_by_number_by_box_and_by_place() {
        let pins = |pin| pinned(&pin, &garment());
        assert_eq!(pins(PinPlace::Vertex(3)), Ok(vec![2]));
        assert_eq!(pins(PinPlace::Box { min: [0.0; 3], max: [1.0, 0.0, 0.5] }), Ok(vec![0, 1]));
        assert_eq!(pins(PinPlace::Nearest { nearest: [0.1, 0.2, 0.8] }), Ok(vec![2]));
        assert!(pins(PinPlace::Vertex(4)).unwrap_err().contains("has 4"));
        assert!(pins(PinPlace::Box { min: [3.0; 3], max: [4.0; 3] }).is_err());
    }

    #[test]
    fn leaves_out_pairs_that_welding_has_made_one() {
        assert_eq!(mapped(&[[0, 2], [3, 1]], &garment()), Ok(vec![[2, 1]]));
        assert!(mapped(&[[0, 9]], &garment()).is_err());
    }
}
