//! What does not change while a run goes on, for who draws it.

use cloth_solver::{Collider, Shape};
use nalgebra::{Isometry3, Point3};
use serde::Serialize;

use crate::Direction;

/// How a scene is laid out. Cloths come first among vertices and faces.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Layout {
    /// Vertices of all cloths.
    pub vertices: usize,
    /// The cloths.
    pub cloths: Vec<ClothRange>,
    /// The shapes of the colliders, each in the frame of its pose.
    pub colliders: Vec<ColliderShape>,
    /// From where it is best seen.
    pub view: Direction,
    /// Duration of a frame (s).
    pub dt: f32,
    /// Frames until what moves by itself stands still.
    pub frames: usize,
}

/// The first vertex and face of a cloth, and those behind its last.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct ClothRange {
    /// Vertices.
    pub vertices: [usize; 2],
    /// Faces.
    pub faces: [usize; 2],
}

/// A shape that can be drawn; lengths in metres.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(tag = "kind", rename_all = "camelCase", rename_all_fields = "camelCase")]
#[non_exhaustive]
#[allow(missing_docs, reason = "the fields of `cloth_solver::Shape`")]
pub enum ColliderShape {
    Plane,
    Sphere {
        radius: f32,
    },
    Capsule {
        half_length: f32,
        radius: f32,
    },
    Cylinder {
        half_length: f32,
        radius: f32,
    },
    Cone {
        half_length: f32,
        radius: f32,
    },
    TaperedCapsule {
        half_length: f32,
        bottom_radius: f32,
        top_radius: f32,
    },
    Box {
        half_extents: [f32; 3],
    },
    /// Corners of triangles, three each.
    Mesh {
        corners: Vec<[f32; 3]>,
    },
    /// What cannot be drawn, or is drawn as the skin of a character.
    Hidden,
}

impl Layout {
    /// A layout of cloths that have so many vertices and faces each.
    #[must_use]
    pub fn new(
        cloths: impl IntoIterator<Item = [usize; 2]>,
        colliders: &[Collider],
        view: Direction,
        dt: f32,
        frames: usize,
    ) -> Self {
        let (mut vertices, mut faces) = (0, 0);
        let range = |[own_vertices, own_faces]: [usize; 2]| {
            let range = ClothRange {
                vertices: [vertices, vertices + own_vertices],
                faces: [faces, faces + own_faces],
            };
            (vertices, faces) = (range.vertices[1], range.faces[1]);
            range
        };
        let cloths: Vec<ClothRange> = cloths.into_iter().map(range).collect();
        Self {
            vertices,
            cloths,
            colliders: colliders.iter().map(|collider| ColliderShape::from(&collider.shape)).collect(),
            view,
            dt,
            frames,
        }
    }

    /// Hides the colliders from one on, but for planes: those that stand for a character whose skin is drawn.
    #[must_use]
    pub fn hiding_from(mut self, first: usize) -> Self {
        for shape in self.colliders.iter_mut().skip(first).filter(|shape| **shape != ColliderShape::Plane) {
            *shape = ColliderShape::Hidden;
        }
        self
    }
}

impl From<&Shape> for ColliderShape {
    fn from(shape: &Shape) -> Self {
        match *shape {
            Shape::Plane => Self::Plane,
            Shape::Sphere { radius } => Self::Sphere { radius },
            Shape::Capsule { half_length, radius } => Self::Capsule { half_length, radius },
            Shape::Cylinder { half_length, radius } => Self::Cylinder { half_length, radius },
            Shape::Cone { half_length, radius } => Self::Cone { half_length, radius },
            Shape::TaperedCapsule { half_length, bottom_radius, top_radius } => {
                Self::TaperedCapsule { half_length, bottom_radius, top_radius }
            }
            Shape::Cuboid { half_extents } => Self::Box { half_extents: half_extents.into() },
            Shape::Hull(ref hull) => Self::corners(hull.faces()),
            Shape::Mesh(ref mesh) => Self::corners(mesh.faces()),
            _ => Self::Hidden,
        }
    }
}

impl ColliderShape {
    fn corners(faces: impl Iterator<Item = [Point3<f64>; 3]>) -> Self {
        Self::Mesh { corners: faces.flatten().map(|p| p.cast::<f32>().into()).collect() }
    }
}

/// A pose as seven numbers: position (m), and rotation as a quaternion x, y, z, w.
#[must_use]
pub fn pose_numbers(pose: &Isometry3<f32>) -> [f32; 7] {
    let (t, r) = (&pose.translation.vector, &pose.rotation.coords);
    [t.x, t.y, t.z, r.x, r.y, r.z, r.w]
}
