//! Pictures of cloth without a GPU or a display: the same scene gives the same bytes on every machine.
//!
//! A figure says that 3,000 faces intersect; a picture says whether that is one bad fold or a lost sheet. So
//! folds must read as folds, the two sides of a sheet and the sheets of a stack must be told apart, and an
//! intersecting face must be seen even where other cloth covers it. The pipeline is deferred:
//!
//! ```text
//! surfaces   views -> one list of valid triangles, smooth normals
//! target     triangles -> nearest surface under each sample
//! light      the same from where the key light stands: its shadow
//! shade      surface under a sample -> colour
//! overlay    intersecting faces, red, over all
//! image      samples -> pixels
//! ```
//!
//! Nothing here judges: a face with a coordinate that is not finite, or with an index out of range, is not
//! drawn.

mod camera;
mod image;
mod light;
mod overlay;
mod palette;
mod png;
mod scan;
mod shade;
mod surfaces;
mod target;

pub use crate::Direction;
pub use crate::shapes::{Shape, collider_shape, floor_height, sphere, tapered_capsule};
pub use camera::Camera;
pub use image::{Image, filmstrip};
pub use png::{PngError, encode_png};

use cloth_geom::Aabb;
use image::SAMPLES;
use nalgebra::{Point3, Vector3};

/// Linear light, red green blue, 1 for white.
type Rgb = Vector3<f32>;

/// A piece of cloth as it is drawn.
#[derive(Clone, Copy, Debug)]
pub struct ClothView<'a> {
    /// Vertex positions (m).
    pub positions: &'a [Point3<f32>],
    /// Vertex indices of each face, counter-clockwise seen from the front side.
    pub faces: &'a [[u32; 3]],
    /// Which pair of hues its two sides wear; taken modulo the number of pairs, 8. None of them is red.
    pub hue: usize,
    /// Indices of the faces that intersect something: drawn red, over everything.
    pub red_faces: &'a [u32],
}

impl Shape {
    /// As a collider of the default grey.
    #[must_use]
    pub fn as_body(&self) -> BodyView<'_> {
        BodyView { positions: &self.positions, faces: &self.faces, color: None }
    }
}

/// A collider as it is drawn.
#[derive(Clone, Copy, Debug)]
pub struct BodyView<'a> {
    /// Vertex positions (m).
    pub positions: &'a [Point3<f32>],
    /// Vertex indices of each face, counter-clockwise seen from outside.
    pub faces: &'a [[u32; 3]],
    /// Linear red, green and blue, 1 for white; neutral grey by default.
    pub color: Option<[f32; 3]>,
}

/// What is drawn.
#[derive(Clone, Copy, Debug, Default)]
pub struct RenderScene<'a> {
    /// The cloths.
    pub cloths: &'a [ClothView<'a>],
    /// The colliders.
    pub bodies: &'a [BodyView<'a>],
    /// Height of the floor (m), chequered in squares of 0.1 m; none is drawn without it.
    pub floor_y: Option<f32>,
}

impl RenderScene<'_> {
    /// Bounds (m) of the finite positions; unite those of a sequence to frame it with one camera.
    #[must_use]
    pub fn bounds(&self) -> Aabb {
        let cloths = self.cloths.iter().flat_map(|c| c.positions);
        let bodies = self.bodies.iter().flat_map(|b| b.positions);
        let finite = cloths.chain(bodies).filter(|p| p.iter().all(|c| c.is_finite()));
        Aabb::of_points(finite.map(|p| p.map(f64::from)))
    }
}

/// Size of a picture in pixels; each is sampled at 2 x 2 places.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Resolution {
    width: usize,
    height: usize,
}

impl Resolution {
    /// Widest and highest picture (pixels): what its samples need still fits a small machine.
    pub const MAX_SIDE: usize = 4096;

    /// A picture of `width` by `height` pixels, clamped to 1 ..= [`Resolution::MAX_SIDE`].
    #[must_use]
    pub fn new(width: usize, height: usize) -> Self {
        Self { width: width.clamp(1, Self::MAX_SIDE), height: height.clamp(1, Self::MAX_SIDE) }
    }

    /// Width over height.
    #[must_use]
    pub fn aspect(&self) -> f32 {
        self.width as f32 / self.height as f32
    }
}

/// Draws a scene. Deterministic; draws what is valid and never fails.
#[must_use]
pub fn render(scene: &RenderScene<'_>, camera: &Camera, resolution: Resolution) -> Image {
    let surfaces = surfaces::Surfaces::new(scene);
    let view = camera.view(resolution.width * SAMPLES, resolution.height * SAMPLES);
    let target = target::Target::new(&surfaces, &view);
    let key = light::KeyLight::new(&surfaces, &view);
    let floor_y = scene.floor_y.filter(|y| y.is_finite());
    let mut samples = shade::Shader { surfaces: &surfaces, key: &key, view: &view, floor_y }.shade(&target);
    overlay::draw_intersecting_faces(&surfaces, &target, &view, &mut samples);
    Image::of_samples(&samples, resolution.width, resolution.height)
}

#[cfg(test)]
mod tests;
