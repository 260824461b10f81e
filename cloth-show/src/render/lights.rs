//! What lights a picture: the sky, and a key light with a soft shadow.

use super::Rgb;
use super::camera::View;
use super::depth_map::DepthMap;
use super::sky::SkyLight;
use super::surfaces::Surfaces;
use nalgebra::{Point3, Vector3};

/// Brightness of the key light, against 1 for the light of a white sky.
const KEY: [f32; 3] = [1.10, 1.01, 0.88];
/// Part of the key light that comes through a sheet.
const THROUGH: f32 = 0.10;
/// Side of the key light's shadow map (texels).
const SHADOW_SIZE: usize = 768;
/// Radius over which a shadow is softened (texels), on surfaces and on the floor.
const SOFT: [f32; 2] = [2.0, 7.0];
/// Places at which a shadow is looked up, over that radius.
const LOOKUPS: usize = 12;

/// All light of a picture.
pub(super) struct Lights {
    pub(super) sky: SkyLight,
    shadow: Option<DepthMap>,
    to_key: Vector3<f32>,
    /// Spread evenly over the unit disc. One pattern for all pixels: turning it by pixel would be seen as
    /// grain.
    pattern: [[f32; 2]; LOOKUPS],
}

impl Lights {
    /// The key light stands above the camera, to its left: whatever the side a scene is seen from, folds
    /// throw shadows to the right and none hides behind the light.
    pub(super) fn new(surfaces: &Surfaces, floor_y: Option<f32>, view: &View) -> Self {
        let level = Vector3::new(view.right.x, 0.0, view.right.z);
        let back = Vector3::new(-view.forward.x, 0.0, -view.forward.z);
        let to_key = (Vector3::y() - level * 0.95 + back * 0.3).normalize();
        let pattern = std::array::from_fn(|i| {
            let (radius, turn) = (((i as f32 + 0.5) / LOOKUPS as f32).sqrt(), 2.399_963_2 * i as f32);
            [radius * libm::cosf(turn), radius * libm::sinf(turn)]
        });
        let shadow = DepthMap::new(surfaces, to_key, SHADOW_SIZE);
        Self { sky: SkyLight::new(surfaces, floor_y), shadow, to_key, pattern }
    }

    /// Key light on a surface with the unit normal of the side that is seen.
    pub(super) fn key_on_surface(&self, p: &Point3<f32>, normal: &Vector3<f32>) -> Rgb {
        let Some(shadow) = &self.shadow else { return Rgb::zeros() };
        let cosine = normal.dot(&self.to_key);
        let strength = if cosine >= 0.0 { cosine } else { -cosine * THROUGH };
        // Looked up beside the surface, on its lit side, past the radius: else it would shade itself.
        let clear = normal * (shadow.texel() * (SOFT[0] + 0.5) * cosine.signum());
        Rgb::from(KEY) * (strength * shadow.open_part(&(p + clear), &self.pattern, SOFT[0]))
    }

    /// Light of the sky and key light on the floor.
    pub(super) fn on_floor(&self, p: &Point3<f32>) -> Rgb {
        let part = self.shadow.as_ref().map_or(1.0, |s| s.open_part(p, &self.pattern, SOFT[1]));
        self.sky.on_floor(p.x, p.z) + Rgb::from(KEY) * (self.to_key.y * part)
    }
}
