//! The colour of what is under each sample: light of the sky, a key light with soft shadows, and the floor.

use super::Rgb;
use super::camera::View;
use super::depth_map::DepthMap;
use super::palette;
use super::sky::SkyLight;
use super::surfaces::Surfaces;
use super::target::{Hit, NOTHING, Target};
use nalgebra::{Point3, Vector3};

/// Brightness of the key light, against 1 for the light of a white sky.
const KEY: [f32; 3] = [1.10, 1.01, 0.88];
/// Part of the key light that comes through a sheet.
const THROUGH: f32 = 0.10;
/// Side of the key light's shadow map (texels).
const SHADOW_SIZE: usize = 768;
/// Radius over which a shadow is softened (texels), on surfaces and on the floor.
const SOFT: [f32; 2] = [2.0, 7.0];
/// Squares of the floor (m).
const SQUARE: f32 = 0.1;

/// What lights a picture.
pub(super) struct Lights {
    sky: SkyLight,
    shadow: Option<DepthMap>,
    to_key: Vector3<f32>,
    floor_y: Option<f32>,
    /// Distance (m) at which the floor has half vanished in the backdrop.
    haze: f32,
}

impl Lights {
    /// The key light stands above the camera, to its left: whatever the side a scene is seen from, folds throw shadows
    /// to the right and none hides behind the light.
    pub(super) fn of(surfaces: &Surfaces, floor_y: Option<f32>, view: &View) -> Self {
        let level = Vector3::new(view.right.x, 0.0, view.right.z);
        let back = Vector3::new(-view.forward.x, 0.0, -view.forward.z);
        let to_key = (Vector3::y() - level * 0.95 + back * 0.3).normalize();
        let floor_y = floor_y.filter(|y| y.is_finite());
        let shadow = DepthMap::of(surfaces, to_key, SHADOW_SIZE);
        // By the camera alone: the same for every frame of a sequence.
        let haze = 2.4 * view.distance;
        Self { sky: SkyLight::of(surfaces, floor_y), shadow, to_key, floor_y, haze }
    }

    /// Part of the key light that reaches a point; `turn` picks one of the sampling patterns.
    fn key_part(&self, p: &Point3<f32>, soft: f32, turn: usize) -> f32 {
        let pattern = &PATTERNS[turn % PATTERNS.len()];
        self.shadow.as_ref().map_or(1.0, |s| s.open_part(p, pattern, soft))
    }
}

/// Places in the unit disc at which a shadow is looked up: four patterns, which the samples of a pixel take by turns.
const PATTERNS: [[[f32; 2]; 5]; 4] = [
    [[0.09, 0.12], [0.66, 0.33], [-0.38, 0.62], [-0.71, -0.42], [0.30, -0.80]],
    [[-0.12, 0.09], [-0.33, 0.66], [-0.62, -0.38], [0.42, -0.71], [0.80, 0.30]],
    [[-0.22, -0.27], [0.15, 0.93], [-0.95, 0.18], [-0.20, -0.92], [0.90, -0.25]],
    [[0.27, -0.22], [0.55, 0.70], [-0.76, 0.52], [-0.50, -0.78], [0.62, -0.60]],
];

/// The colour of every sample.
pub(super) fn shade(surfaces: &Surfaces, lights: &Lights, target: &Target, view: &View) -> Vec<Rgb> {
    let mut samples = Vec::with_capacity(target.0.len());
    for y in 0..view.height {
        for x in 0..view.width {
            let hit = &target.0[y * view.width + x];
            let ray = view.ray(x, y);
            let turn = (x & 1) + 2 * (y & 1);
            samples.push(sample(surfaces, lights, view, &ray, hit, turn));
        }
    }
    samples
}

fn sample(
    surfaces: &Surfaces,
    lights: &Lights,
    view: &View,
    ray: &Vector3<f32>,
    hit: &Hit,
    turn: usize,
) -> Rgb {
    // Depth along the view at which the ray meets the floor from above.
    let floor_depth = lights.floor_y.map(|y| (y - view.eye.y) / ray.y).filter(|&d| d > 0.0 && ray.y < 0.0);
    let surface_depth = (hit.face != NOTHING).then(|| 1.0 / hit.inverse_depth);
    match (surface_depth, floor_depth) {
        (Some(s), f) if f.is_none_or(|f| s <= f) => {
            surface(surfaces, lights, hit, view.eye + ray * s, ray, turn)
        }
        (_, Some(f)) => floor(lights, &(view.eye + ray * f), ray, turn, f * ray.norm()),
        _ => backdrop(ray),
    }
}

fn surface(
    surfaces: &Surfaces,
    lights: &Lights,
    hit: &Hit,
    p: Point3<f32>,
    ray: &Vector3<f32>,
    turn: usize,
) -> Rgb {
    let face = &surfaces.faces[hit.face as usize];
    let material = &surfaces.materials[face.material as usize];
    let weights = [hit.at[0], hit.at[1], 1.0 - hit.at[0] - hit.at[1]];
    let corners = face.vertices.map(|v| v as usize);
    // The face itself decides which side is seen: near an outline a smooth normal may point away.
    let side = usize::from(surfaces.area_normal(face).dot(ray) > 0.0);
    let out = if side == 0 { 1.0 } else { -1.0 };
    let mut normal = Vector3::zeros();
    let mut sky = Rgb::zeros();
    for (v, w) in corners.into_iter().zip(weights) {
        normal += surfaces.normals[v] * (w * out);
        sky += lights.sky.at_vertices[v][side] * w;
    }
    let normal = normal.try_normalize(1e-6).unwrap_or_else(Vector3::y);
    let albedo = &material.albedo[side];
    let cosine = normal.dot(&lights.to_key);
    let strength = if cosine >= 0.0 { cosine } else { -cosine * THROUGH };
    let clear = lights.shadow.as_ref().map_or(0.0, |s| s.texel() * (SOFT[0] + 0.5)) * cosine.signum();
    let key = Rgb::from(KEY) * (strength * lights.key_part(&(p + normal * clear), SOFT[0], turn));
    // Light that other cloth throws back into a fold wears its colour: deep folds turn dark and rich, not black.
    let thrown_back = albedo * 0.16;
    let edge = 1.0 + normal.dot(ray) / ray.norm();
    let rim = sky * (material.sheen * edge * edge * edge);
    albedo.component_mul(&(sky + key + thrown_back)) + rim
}

fn floor(lights: &Lights, p: &Point3<f32>, ray: &Vector3<f32>, turn: usize, distance: f32) -> Rgb {
    let far = (distance / lights.haze).min(1e3);
    let vanished = 1.0 - 1.0 / (1.0 + far * far * far);
    let odd = (square(p.x) ^ square(p.z)) & 1 == 1;
    let mean = (palette::FLOOR[0] + palette::FLOOR[1]) / 2.0;
    let tone = palette::FLOOR[usize::from(odd)];
    let albedo = tone + (mean - tone) * vanished;
    let key = Rgb::from(KEY) * (lights.to_key.y * lights.key_part(p, SOFT[1], turn));
    let lit = (lights.sky.on_floor(p.x, p.z) + key) * albedo;
    lit + (backdrop(ray) - lit) * vanished
}

/// Index of the floor's square along one axis.
fn square(c: f32) -> i64 {
    let whole = (c / SQUARE) as i64; // truncates, and saturates far away
    whole - i64::from(c < 0.0)
}

/// Behind everything: bright at the horizon, a shade darker above.
fn backdrop(ray: &Vector3<f32>) -> Rgb {
    let up = (ray.y / ray.norm()).clamp(-1.0, 1.0);
    let (horizon, above) = (Rgb::new(0.78, 0.80, 0.82), Rgb::new(0.50, 0.56, 0.64));
    horizon + (above - horizon) * (up.max(0.0) * 1.6).min(1.0)
}
