//! What holds a garment: pins, attachments, stitches and excluded pairs, from the numbers of its file to
//! those of its mesh.

use std::collections::BTreeMap;

use cloth_geom::{Topology, sorted_unique};
use cloth_io::{FileError, read_pairs, read_vertices};
use cloth_solver::{Attachment, Stitch};
use nalgebra::Point3;

use super::garment::{PlacedGarment, numbers, vertices};
use super::regions::of_group;
use crate::source::GarmentEntry;
use crate::{PinPlace, SceneSource, Stitches};

/// A pin whose vertex is farther from its point than this part of the garment's longest side is doubtful; one
/// that is farther than the whole of it is refused.
const DOUBTFUL: f64 = 0.05;

/// Pins, attachments, stitches and exclusions in the numbers of the mesh.
#[derive(Debug, Default, PartialEq)]
pub(crate) struct Constraints {
    /// At the start, ascending.
    pub(crate) pins: Vec<u32>,
    /// Those of them that no timed pin holds alone.
    pub(crate) permanent: Vec<u32>,
    /// By vertex, ascending, none of a pinned vertex; then those of timed pins.
    pub(crate) attachments: Vec<Attachment>,
    /// The pins that have a time.
    pub(crate) timed: Vec<TimedVertices>,
    pub(crate) stitches: Vec<Stitch>,
    pub(crate) exclusions: Vec<[u32; 2]>,
    /// What is held, and what is doubtful about it, a sentence each.
    pub(crate) notes: Vec<String>,
}

/// The vertices of a pin that has a time, a motion or an end of its own.
#[derive(Debug, PartialEq)]
pub(crate) struct TimedVertices {
    /// The number of the pin among those of the garment.
    pub(crate) entry: usize,
    pub(crate) vertices: Vec<u32>,
    /// The attachment of the first vertex among those of the garment; the others follow. `None` if they are
    /// held exactly.
    pub(crate) attachment: Option<usize>,
}

impl TimedVertices {
    /// With this number for the first attachment of the garment.
    pub(crate) fn numbered_from(self, first: usize) -> Self {
        Self { attachment: self.attachment.map(|own| own + first), ..self }
    }
}

/// Finds the vertices that a scene holds.
pub(crate) fn find_constraints(
    wanted: &crate::Garment,
    garment: &PlacedGarment,
    source: &SceneSource,
) -> Result<Constraints, FileError> {
    let (mut holds, mut compliances) = (Constraints::default(), BTreeMap::new());
    for (entry, pin) in wanted.pins.iter().enumerate() {
        let found = pinned(&pin.place, entry, garment, source)?;
        holds.notes.extend(doubt(&pin.place, garment, &found));
        if pin.is_timed() {
            // A vertex of no face has no mass, and cannot be free.
            let corners = corners(garment);
            let vertices = sorted_unique(found.into_iter().filter(|v| corners.binary_search(v).is_ok()));
            holds.timed.push(TimedVertices { entry, vertices, attachment: None });
            continue;
        }
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
    let of_file = garment.file_vertices();
    let said = |what: &str, held: &mut dyn Iterator<Item = u32>| {
        let held: Vec<u32> = held.map(|v| of_file[v as usize]).collect();
        let text = format!("{}: {} {what}: {}", garment.name, vertices(held.len()), numbers(&held));
        (!held.is_empty()).then_some(text)
    };
    holds.notes.extend(said("pinned", &mut holds.pins.iter().copied()));
    holds.notes.extend(said("held by springs", &mut compliances.keys().copied()));
    let attachment = |(vertex, compliance): (u32, f64)| Attachment {
        vertex,
        target: garment.mesh.positions[vertex as usize].cast(),
        compliance: compliance as f32,
    };
    holds.attachments = compliances.into_iter().map(attachment).collect();
    holds.permanent.clone_from(&holds.pins);
    for TimedVertices { entry, vertices, attachment: first } in &mut holds.timed {
        let pin = &wanted.pins[*entry];
        let held = pin.attachment_compliance().map_or("pinned", |_| "held by springs");
        let from = pin.from.map_or_else(|| "from the start".to_owned(), |from| format!("from {from} s"));
        let until = pin.until.map_or_else(String::new, |until| format!(" until {until} s"));
        let with = pin.follow.as_ref().map_or_else(String::new, |name| format!(", following {name},"));
        holds.notes.extend(said(&format!("{held}{with} {from}{until}"), &mut vertices.iter().copied()));
        *first = pin.attachment_compliance().map(|compliance| {
            let first = holds.attachments.len();
            holds.attachments.extend(vertices.iter().map(|&v| attachment((v, compliance))));
            first
        });
        if first.is_none() && pin.from.is_none_or(|from| from == 0.0) {
            holds.pins.extend(&*vertices);
        }
    }
    holds.pins.sort_unstable();
    holds.pins.dedup();
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

/// The vertices that a pin holds; `entry` is its number among those of the garment.
///
/// # Errors
/// If there is none, or if a point is farther from the garment than that is long.
pub(crate) fn pinned(
    pin: &PinPlace,
    entry: usize,
    garment: &PlacedGarment,
    source: &SceneSource,
) -> Result<Vec<u32>, FileError> {
    match pin {
        PinPlace::File(file) => {
            let path = source.resolve(file);
            let found: Result<_, String> =
                read_vertices(&path)?.into_iter().map(|v| garment.vertex(v)).collect();
            found.map_err(|text| FileError::new(&path, text))
        }
        other => {
            let at = GarmentEntry { garment: garment.index, list: "pins", entry };
            held_by(other, garment).map_err(|text| source.fail_in(at, text))
        }
    }
}

fn held_by(pin: &PinPlace, garment: &PlacedGarment) -> Result<Vec<u32>, String> {
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
        PinPlace::Nearest { nearest } => Ok(vec![near_enough(nearest, &corners(garment), garment)?]),
        PinPlace::Loop { near } => {
            let topology = Topology::of_mesh(&garment.mesh).map_err(|e| e.to_string())?;
            let loops = topology.boundary_loops();
            if loops.is_empty() {
                return Err(
                    "the garment has no boundary, so there is no `loop`; pin by another place".to_owned()
                );
            }
            let vertex = near_enough(near, &loops.concat(), garment)?;
            Ok(loops.into_iter().find(|l| l.contains(&vertex)).unwrap_or_default())
        }
        PinPlace::Group(name) => {
            let faces = of_group(name, garment)?;
            let found = sorted_unique(faces.iter().flat_map(|&f| garment.mesh.faces[f as usize]));
            Ok(found)
        }
        // Not a question of the garment alone.
        PinPlace::File(_) => Ok(Vec::new()),
    }
}

/// The vertices of faces, ascending.
fn corners(garment: &PlacedGarment) -> Vec<u32> {
    sorted_unique(garment.mesh.faces.iter().flatten().copied())
}

/// The first of some vertices that are nearest to a point (m); an error if that is farther away than the
/// garment is long.
fn near_enough(point: &[f64; 3], among: &[u32], garment: &PlacedGarment) -> Result<u32, String> {
    let distance = |&v: &u32| (garment.mesh.positions[v as usize] - Point3::from(*point)).norm();
    let nearest = among.iter().copied().min_by(|a, b| distance(a).total_cmp(&distance(b)));
    let nearest = nearest.ok_or("the garment has no face")?;
    let (far, longest) = (distance(&nearest), longest_side(garment));
    if far > longest {
        let [x, y, z] = point;
        return Err(format!(
            "the point ({x}, {y}, {z}) is {far:.3} m from the garment, which is {longest:.3} m long; points \
             are meant in metres, y up, after placing"
        ));
    }
    Ok(nearest)
}

/// Says so if the vertices that a pin found are doubtfully far from its point.
fn doubt(pin: &PinPlace, garment: &PlacedGarment, found: &[u32]) -> Option<String> {
    let (PinPlace::Nearest { nearest: point } | PinPlace::Loop { near: point }) = pin else { return None };
    let distance = |&v: &u32| (garment.mesh.positions[v as usize] - Point3::from(*point)).norm();
    let far = found.iter().map(distance).fold(f64::INFINITY, f64::min);
    let ([x, y, z], name) = (point, &garment.name);
    (far > DOUBTFUL * longest_side(garment)).then(|| {
        format!("{name}: the pin at ({x}, {y}, {z}) is {far:.3} m from what it holds; is that meant?")
    })
}

fn longest_side(garment: &PlacedGarment) -> f64 {
    let bounds = garment.mesh.face_bounds();
    (bounds.max - bounds.min).max()
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
            index: 0,
            name: "g".into(),
            mesh: TriMesh::new(positions, vec![[0, 1, 2]]),
            rest: RestShape::Start,
            edges: vec![],
            vertex_map: vec![0, 1, 0, 2],
            file: GarmentFile {
                path: "g.obj".into(),
                scale: 1.0,
                up: crate::Up::Y,
                faces: Vec::new(),
                uv: None,
            },
            face_ids: vec![0],
            groups: vec![],
            materials: vec![cloth_io::Group { name: "hem".into(), faces: 0..1 }],
            notes: vec![],
        }
    }

    #[test]
    fn pins_by_number_by_box_and_by_place() {
        let pins = |pin| held_by(&pin, &garment());
        assert_eq!(pins(PinPlace::Vertex(3)), Ok(vec![2]));
        assert_eq!(pins(PinPlace::Box { min: [0.0; 3], max: [1.0, 0.0, 0.5] }), Ok(vec![0, 1]));
        assert_eq!(pins(PinPlace::Nearest { nearest: [0.1, 0.2, 0.8] }), Ok(vec![2]));
        assert_eq!(pins(PinPlace::Loop { near: [0.1, 0.0, 0.1] }).map(|l| l.len()), Ok(3));
        assert_eq!(pins(PinPlace::Group("hem".into())), Ok(vec![0, 1, 2]));
        assert!(pins(PinPlace::Group("x".into())).unwrap_err().contains("it has `hem`"));
        assert!(pins(PinPlace::Vertex(4)).unwrap_err().contains("has 4"));
        assert!(pins(PinPlace::Box { min: [3.0; 3], max: [4.0; 3] }).is_err());
    }

    #[test]
    fn a_point_far_from_the_garment_is_doubted_or_refused() {
        let garment = garment();
        let doubt = |nearest| doubt(&PinPlace::Nearest { nearest }, &garment, &[0]);
        assert_eq!(doubt([0.0, 0.049, 0.0]), None);
        assert!(doubt([0.0, 0.051, 0.0]).unwrap().contains("is 0.051 m from what it holds"));
        assert_eq!(held_by(&PinPlace::Nearest { nearest: [0.0, 0.99, 0.0] }, &garment), Ok(vec![0]));
        for far in
            [PinPlace::Nearest { nearest: [0.0, 1.01, 0.0] }, PinPlace::Loop { near: [0.0, 1.01, 0.0] }]
        {
            let error = held_by(&far, &garment).unwrap_err();
            assert!(error.contains("is 1.010 m from the garment, which is 1.000 m long"), "{error}");
        }
    }

    #[test]
    fn leaves_out_pairs_that_welding_has_made_one() {
        assert_eq!(mapped(&[[0, 2], [3, 1]], &garment()), Ok(vec![[2, 1]]));
        assert!(mapped(&[[0, 9]], &garment()).is_err());
    }
}
