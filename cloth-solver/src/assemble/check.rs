//! Refuses descriptions with numbers, vertices or lengths that no simulation could use.

use nalgebra::Point3;

use crate::BuildError;
use crate::cloth::{ClothDesc, RestShape};

/// The positions of a mesh, each finite even as `f32`.
pub(super) fn check_mesh(positions: &[Point3<f64>], cloth: usize) -> Result<(), BuildError> {
    let usable = |p: &Point3<f64>| p.iter().all(|c| (*c as f32).is_finite());
    match positions.iter().position(|p| !usable(p)) {
        Some(vertex) => Err(BuildError::NotFinite { cloth, vertex }),
        None => Ok(()),
    }
}

/// Everything about a cloth that its mesh and its rest shape alone do not tell.
pub(super) fn check_cloth(desc: &ClothDesc, cloth: usize) -> Result<(), BuildError> {
    check_mesh(&desc.mesh.positions, cloth)?;
    if let Some((name, value, wish)) = desc.material.fault() {
        return Err(BuildError::Value { cloth, name, value, wish });
    }
    let thickness = [("thickness.radius", desc.thickness.radius), ("thickness.scr", desc.thickness.scr)];
    let compliances = desc.attachments.iter().map(|a| ("attachments", a.compliance));
    let mut numbers = thickness.into_iter().chain(compliances);
    if let Some((name, value)) = numbers.find(|&(_, x)| !(x.is_finite() && x >= 0.0)) {
        return Err(BuildError::Value { cloth, name, value, wish: "finite and not negative" });
    }
    if let Some(&value) = desc.masses.iter().flatten().find(|m| m.is_nan() || **m <= 0.0) {
        let wish = "greater than zero; an infinite one pins the vertex";
        return Err(BuildError::Value { cloth, name: "masses", value, wish });
    }
    let ratio = desc.stitches.iter().map(|s| s.ratio).find(|r| !(0.0..=1.0).contains(r));
    if let Some(value) = ratio {
        return Err(BuildError::Value { cloth, name: "stitches.ratio", value, wish: "between 0 and 1" });
    }
    check_vertices(desc, cloth)?;
    check_lengths(desc, cloth)
}

fn check_vertices(desc: &ClothDesc, cloth: usize) -> Result<(), BuildError> {
    let count = desc.mesh.positions.len();
    let pins = desc.pins.iter().map(|&v| ("pins", v));
    let attached = desc.attachments.iter().map(|a| ("attachments", a.vertex));
    let stitched =
        desc.stitches.iter().flat_map(|s| [s.vertex, s.edge[0], s.edge[1]]).map(|v| ("stitches", v));
    let excluded = desc.exclusions.iter().flatten().map(|&v| ("exclusions", v));
    let balls = desc.particles.named().iter().map(|&v| ("particles", v));
    let mut named = pins.chain(attached).chain(stitched).chain(excluded).chain(balls);
    match named.find(|&(_, v)| v as usize >= count) {
        Some((name, vertex)) => Err(BuildError::Vertex { cloth, name, vertex, count }),
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
    match rest.into_iter().chain(masses).find(|&(_, got, expected)| got != expected) {
        Some((name, got, expected)) => Err(BuildError::Length { cloth, name, got, expected }),
        None => Ok(()),
    }
}
