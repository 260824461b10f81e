//! Pictures of cloth without a GPU or a display: the same scene gives the same bytes on every machine.
//!
//! A figure says that 3,000 faces intersect; a picture says whether that is one bad fold or a lost sheet. So
//! folds must read as folds, the two sides of a sheet and the sheets of a stack must be told apart, and an
//! intersecting face must be seen even where other cloth covers it. The pipeline is deferred:
//!
//! ```text
//! surfaces   views -> one list of valid triangles, smooth normals
//! lights     sky light at vertices (what each sees of the sky), one shadow map for the key light
//! target     triangles -> nearest surface under each sample
//! shade      surface under a sample -> colour
//! overlay    intersecting faces, red, over all
//! image      samples -> pixels
//! ```
//!
//! Nothing here judges: a face with a coordinate that is not finite, or with an index out of range, is not
//! drawn.

mod camera;
mod depth_map;
mod image;
mod lights;
mod overlay;
mod palette;
mod png;
mod scan;
mod shade;
mod shapes;
mod sky;
mod surfaces;
mod tapered;
mod target;

pub use crate::Direction;
pub use camera::Camera;
pub use image::{Image, filmstrip};
pub use png::{PngError, encode_png};
pub use shapes::{Shape, box_shape, capsule, sphere};
pub use tapered::tapered_capsule;

use cloth_geom::Aabb;
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

/// Size of a picture in pixels, and how finely each pixel is sampled.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Resolution {
    width: usize,
    height: usize,
    samples: usize,
}

impl Resolution {
    /// Widest and highest picture (pixels): what 4 x 4 samples of it need still fits a small machine.
    pub const MAX_SIDE: usize = 4096;

    /// A picture of `width` by `height` pixels, clamped to 1 ..= [`Resolution::MAX_SIDE`], with 2 x 2 samples
    /// each.
    #[must_use]
    pub fn new(width: usize, height: usize) -> Self {
        Self { width: width.clamp(1, Self::MAX_SIDE), height: height.clamp(1, Self::MAX_SIDE), samples: 2 }
    }

    /// The same size with `samples` x `samples` samples a pixel, clamped to 1 ..= 4.
    #[must_use]
    pub fn with_samples(self, samples: usize) -> Self {
        Self { samples: samples.clamp(1, 4), ..self }
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
    let view = camera.view(resolution.width * resolution.samples, resolution.height * resolution.samples);
    let floor_y = scene.floor_y.filter(|y| y.is_finite());
    let lights = lights::Lights::new(&surfaces, floor_y, &view);
    let target = target::Target::new(&surfaces, &view);
    let shader =
        shade::Shader { surfaces: &surfaces, lights: &lights, target: &target, view: &view, floor_y };
    let mut samples = shader.shade(resolution.samples);
    overlay::draw_intersecting_faces(&surfaces, &target, &view, resolution.samples, &mut samples);
    Image::of_samples(&samples, resolution.width, resolution.height, resolution.samples)
}

#[cfg(test)]
mod tests;
