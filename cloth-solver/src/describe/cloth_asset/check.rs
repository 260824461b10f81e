//! Validates descriptions.

use std::collections::HashMap;

use cloth_contacts::collider::MAX_COORDINATE;
use cloth_geom::{DisjointSets, Topology, sorted_unique};
use nalgebra::Point3;

use crate::describe::cloth::{ClothDesc, RestShape};
use crate::error::{MASS_RANGE, is_mass};
use crate::{BuildError, Drive, FaceMaterial, LocalFrame, Tethers};

/// The first vertex whose position is not finite or out of range, if there is one.
pub(crate) fn first_out_of_range(positions: &[Point3<f64>]) -> Option<usize> {
    positions.iter().position(|p| !p.iter().all(|c| c.abs() <= f64::from(MAX_COORDINATE)))
}

/// Checks that all positions of an instance are finite and in range.
pub(crate) fn check_start(positions: &[Point3<f32>], cloth: usize) -> Result<(), BuildError> {
    match positions.iter().position(|p| !p.iter().all(|c| c.abs() <= MAX_COORDINATE)) {
        Some(vertex) => Err(BuildError::NotFinite { cloth, vertex }),
        None => Ok(()),
    }
}

/// Checks the fields of a cloth that do not depend on its topology.
pub(super) fn check_cloth(desc: &ClothDesc, cloth: usize) -> Result<(), BuildError> {
    if let Some(vertex) = first_out_of_range(&desc.mesh.positions) {
        return Err(BuildError::NotFinite { cloth, vertex });
    }
    let tethers = desc.tethers.as_ref().and_then(Tethers::first_invalid);
    let drive = desc.drive.as_ref().and_then(Drive::first_invalid);
    let local_frame = desc.local_frame.as_ref().and_then(LocalFrame::first_invalid);
    let faults = [desc.material.first_invalid(), tethers, drive, local_frame, desc.damping.first_invalid()];
    if let Some((name, value, requirement)) = faults.into_iter().flatten().next() {
        return Err(BuildError::Value { cloth, name, value, requirement });
    }
    let thickness = [("thickness.radius", desc.thickness.radius), ("thickness.scr", desc.thickness.scr)];
    let compliances = desc.attachments.iter().map(|a| ("attachments", a.compliance));
    let mut numbers = thickness.into_iter().chain(compliances);
    if let Some((name, value)) = numbers.find(|&(_, x)| !(x.is_finite() && x >= 0.0)) {
        return Err(BuildError::Value { cloth, name, value, requirement: "finite and not negative" });
    }
    if let Some(&value) = desc.masses.iter().flatten().find(|m| !is_mass(**m)) {
        return Err(BuildError::Value { cloth, name: "masses", value, requirement: MASS_RANGE });
    }
    let targets = desc.attachments.iter().flat_map(|a| a.target.iter());
    if let Some(&value) = { targets }.find(|c| c.is_nan() || c.abs() > MAX_COORDINATE) {
        let requirement = "finite and at most 1e7 m";
        return Err(BuildError::Value { cloth, name: "attachments.target", value, requirement });
    }
    let ratio = desc.stitches.iter().map(|s| s.ratio).find(|r| !(0.0..=1.0).contains(r));
    if let Some(value) = ratio {
        return Err(BuildError::Value {
            cloth,
            name: "stitches.ratio",
            value,
            requirement: "between 0 and 1",
        });
    }
    check_face_materials(desc, cloth)?;
    check_vertices(desc, cloth)?;
    check_lengths(desc, cloth)
}

/// Checks the fabrics of faces, and that those faces exist.
fn check_face_materials(desc: &ClothDesc, cloth: usize) -> Result<(), BuildError> {
    let count = desc.mesh.faces.len();
    for (entry, FaceMaterial { faces, material }) in desc.face_materials.iter().enumerate() {
        let fault = |fault| Err(BuildError::FaceMaterial { cloth, entry, fault });
        if let Some((name, value, requirement)) = material.first_invalid() {
            return fault(format!("`{name}` is {value}; it must be {requirement}"));
        }
        if let Some(face) = faces.iter().find(|&&face| face as usize >= count) {
            return fault(format!("face {face} does not exist; the mesh has {count}, counted from 0"));
        }
    }
    Ok(())
}

fn check_vertices(desc: &ClothDesc, cloth: usize) -> Result<(), BuildError> {
    let count = desc.mesh.positions.len();
    let pins = desc.pins.iter().map(|&v| ("pins", v));
    let attached = desc.attachments.iter().map(|a| ("attachments", a.vertex));
    let stitched =
        desc.stitches.iter().flat_map(|s| [s.vertex, s.edge[0], s.edge[1]]).map(|v| ("stitches", v));
    let excluded = desc.exclusions.iter().flatten().map(|&v| ("exclusions", v));
    let balls = desc.particles.named().iter().map(|&v| ("particles", v));
    let driven = desc.drive.iter().flat_map(|d| d.vertices.iter().flatten()).map(|&v| ("drive.vertices", v));
    let mut named = pins.chain(attached).chain(stitched).chain(excluded).chain(balls).chain(driven);
    match named.find(|&(_, v)| v as usize >= count) {
        Some((name, vertex)) => Err(BuildError::Vertex { cloth, name, vertex, count }),
        None => check_driven_once(desc, cloth),
    }
}

fn check_driven_once(desc: &ClothDesc, cloth: usize) -> Result<(), BuildError> {
    let mut driven: Vec<u32> = desc.drive.iter().flat_map(|d| d.vertices.iter().flatten()).copied().collect();
    driven.sort_unstable();
    match driven.windows(2).find(|pair| pair[0] == pair[1]) {
        Some(pair) => Err(BuildError::DuplicateVertex { cloth, name: "drive.vertices", vertex: pair[0] }),
        None => Ok(()),
    }
}

fn check_lengths(desc: &ClothDesc, cloth: usize) -> Result<(), BuildError> {
    let (vertices, faces) = (desc.mesh.positions.len(), desc.mesh.faces.len());
    let rest = match &desc.rest {
        RestShape::Start => None,
        RestShape::Positions(pose) => Some(("rest positions", pose.len(), vertices)),
        RestShape::Pattern(pattern) => Some(("rest pattern", pattern.len(), faces)),
    };
    let masses = desc.masses.as_ref().map(|m| ("masses", m.len(), vertices));
    let driven = desc.drive.iter().flat_map(|drive| {
        let count = drive.vertices.as_ref().map_or(vertices, Vec::len);
        let max_distances = drive.max_distance.as_ref().map(|d| ("drive.max_distance", d.len(), count));
        let backstop = drive.backstop.as_ref().map(|b| ("drive.backstop", b.len(), count));
        max_distances.into_iter().chain(backstop)
    });
    match rest.into_iter().chain(masses).chain(driven).find(|&(_, got, expected)| got != expected) {
        Some((name, got, expected)) => Err(BuildError::Length { cloth, name, got, expected }),
        None => Ok(()),
    }
}

/// Checks that few border vertices lie exactly on others of the cloth, those apart that a stitch or an
/// exclusion joins.
pub(super) fn check_borders(desc: &ClothDesc, topology: &Topology, cloth: usize) -> Result<(), BuildError> {
    if desc.coincident_borders {
        return Ok(());
    }
    let at_border = (0..topology.edges().len()).filter(|&edge| topology.edge_faces(edge).len() == 1);
    let border = sorted_unique(at_border.flat_map(|edge| topology.edges()[edge]));
    let mut joined = DisjointSets::new(topology.vertex_count());
    let stitched = desc.stitches.iter().flat_map(|s| s.edge.map(|end| [s.vertex, end]));
    stitched.chain(desc.exclusions.iter().copied()).for_each(|[a, b]| joined.join(a, b));
    // As simulated; adding zero makes the two zeros one.
    let place = |v: u32| desc.mesh.positions[v as usize].coords.map(|c| (c as f32 + 0.0).to_bits());
    let mut in_place: HashMap<_, Vec<u32>> = HashMap::new();
    for &v in &border {
        in_place.entry(place(v)).or_default().push(v);
    }
    let mut is_coincident = |&v: &u32| {
        let one = joined.find(v);
        in_place[&place(v)].iter().any(|&other| joined.find(other) != one)
    };
    let vertices: Vec<u32> = border.iter().copied().filter(&mut is_coincident).collect();
    if vertices.len() < 3 || vertices.len() * 100 <= border.len() {
        return Ok(());
    }
    let remedy = "weld them (`cloth_geom::repair` with a weld distance of 0, or `RenderMesh` for a vertex \
                  buffer), stitch them, or permit it by `ClothDesc::allow_coincident_borders` if the parts \
                  are meant to come apart";
    Err(BuildError::CoincidentBorders { cloth, vertices, remedy })
}
