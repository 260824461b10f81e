//! Where a garment starts relative to the bodies.

use cloth_geom::{Aabb, TriMesh};
use nalgebra::{Point3, Vector3};

use super::bodies::Bodies;
use super::garment::place;
use crate::{Character, Garment, Placing, Scene, SceneSource, Shape, Up};

/// How the file of a mesh body is read.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Reading {
    /// Metres in a unit of it.
    pub(super) scale: f64,
    /// The axis that points up in it.
    pub(super) up: Up,
}

/// A mesh body, or the character: what its file says is scaled and turned.
#[derive(Clone, Debug)]
pub(super) struct MeshBody {
    /// What the scene calls it.
    pub(super) name: Option<String>,
    /// How the mesh file is read.
    pub(super) reading: Reading,
    pub(super) is_character: bool,
}

/// The bodies, as far as the start of a garment depends on them.
pub(crate) struct Stage<'a> {
    pub(super) bodies: &'a Bodies,
    /// The surfaces of `bodies`, in their order.
    pub(super) meshes: Vec<MeshBody>,
    /// The box (m) of all bodies that have an end, at time 0; none if there is none.
    pub(super) bounds: Option<Aabb>,
    /// Whether a garment that keeps its position is expected to be on them: flags name one body for one
    /// garment; in a scene file garments are worn by a figure or a character, and may hang beside the rest.
    pub(super) is_worn: bool,
}

impl<'a> Stage<'a> {
    pub(crate) fn new(scene: &Scene, bodies: &'a Bodies, source: &SceneSource) -> Self {
        let has_figure = scene.bodies.iter().any(|body| matches!(body.shape, Shape::Figure { .. }));
        let is_worn = matches!(source, SceneSource::Flags(_)) || scene.character.is_some() || has_figure;
        let mesh = |body: &crate::Body| match body.shape {
            Shape::Mesh { scale, up, .. } => {
                let reading = Reading { scale, up };
                Some(MeshBody { name: body.name.clone(), reading, is_character: false })
            }
            _ => None,
        };
        let skin = |character: &Character| MeshBody {
            name: None,
            reading: Reading { scale: character.scale, up: Up::Y },
            is_character: true,
        };
        let meshes = scene.bodies.iter().filter_map(mesh).chain(scene.character.as_ref().map(skin)).collect();
        let bounds = bodies.bounds_with(&bodies.surfaces(|_, p| p));
        Self { bodies, meshes, bounds, is_worn }
    }

    /// A garment as it starts: its `translate` includes what its `place` asks for. `file` is its mesh as in
    /// the file.
    pub(crate) fn place(&self, garment: &Garment, file: &TriMesh) -> Garment {
        place_on(garment, file, self.bounds)
    }

    /// What was decided about the place of a garment.
    pub(crate) fn note(&self, garment: &Garment) -> Option<String> {
        let below = if self.bounds.is_some() { "the bodies" } else { "the origin" };
        (garment.place == Placing::Above).then(|| format!("placed above {below}"))
    }
}

/// As [`Stage::place`], with bodies in these bounds (m).
pub(super) fn place_on(garment: &Garment, file: &TriMesh, bodies: Option<Aabb>) -> Garment {
    let mut placed = garment.clone();
    if garment.place == Placing::Above {
        let still = Garment { translate: [0.0; 3], ..garment.clone() };
        let bounds = file.clone().mapped(|p| place(&still, &p)).face_bounds();
        let origin = Aabb { min: Point3::origin(), max: Point3::origin() };
        let translate = above(&bounds, &bodies.unwrap_or(origin));
        placed.translate = (translate + Vector3::from(garment.translate)).into();
    }
    placed
}

/// From how high (m) over its body a garment falls: a part of its longest side.
#[must_use]
pub fn drop_height(garment: &Aabb) -> f64 {
    0.03 * (garment.max - garment.min).max()
}

/// The translation that lowers a garment on the middle of a body.
fn above(garment: &Aabb, body: &Aabb) -> Vector3<f64> {
    let (from, to) = (nalgebra::center(&garment.min, &garment.max), nalgebra::center(&body.min, &body.max));
    Vector3::new(to.x - from.x, body.max.y + drop_height(garment) - garment.min.y, to.z - from.z)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lowers_a_box_on_the_middle_of_another() {
        let boxed = |min: [f64; 3], max: [f64; 3]| Aabb { min: min.into(), max: max.into() };
        let t = above(&boxed([0.0, 5.0, 0.0], [2.0, 6.0, 2.0]), &boxed([-1.0; 3], [1.0, 3.0, 1.0]));
        assert!((t - Vector3::new(-1.0, -1.94, -1.0)).norm() < 1e-12, "{t}");
    }
}
