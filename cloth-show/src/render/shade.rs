//! The colour of what is under each sample: surfaces, the floor, or what lies behind everything.

use super::Rgb;
use super::camera::View;
use super::image::SAMPLES;
use super::light::KeyLight;
use super::palette;
use super::surfaces::Surfaces;
use super::target::{Hit, NOTHING, Target};
use nalgebra::{Point3, Vector3};

/// Brightness of the key light.
const KEY: Rgb = Rgb::new(1.27, 1.20, 1.10);
/// Fill light on what faces down, and on what faces up.
const FILL: [Rgb; 2] = [Rgb::new(0.17, 0.16, 0.16), Rgb::new(0.58, 0.60, 0.63)];
/// Part of the fill light that is left where a surface turns away from the eye: so a fold is round in the
/// shadow too, and is told apart from the layer behind it.
const TURNED_AWAY: f32 = 0.4;
/// Squares of the floor (m).
const SQUARE: f32 = 0.1;
/// Distance at which the floor has half vanished in the backdrop, against that of what the camera looks at.
/// Of the camera alone, so that it is the same for every frame of a sequence.
const HAZE: f32 = 2.4;

/// What a sample is shaded from.
pub(super) struct Shader<'a> {
    pub(super) surfaces: &'a Surfaces,
    pub(super) key: &'a KeyLight,
    pub(super) view: &'a View,
    pub(super) floor_y: Option<f32>,
}

impl Shader<'_> {
    /// The colour of every sample.
    pub(super) fn shade(&self, target: &Target) -> Vec<Rgb> {
        let place = |i: usize| [i % self.view.width, i / self.view.width];
        target.0.iter().enumerate().map(|(i, hit)| self.sample(place(i), hit)).collect()
    }

    fn sample(&self, [x, y]: [usize; 2], hit: &Hit) -> Rgb {
        let (view, ray) = (self.view, self.view.ray(x, y));
        let sample = y % SAMPLES * SAMPLES + x % SAMPLES;
        // Depth along the view at which the ray meets the floor from above.
        let floor = self.floor_y.map(|y| (y - view.eye.y) / ray.y).filter(|&d| d > 0.0 && ray.y < 0.0);
        let surface = (hit.face != NOTHING).then(|| 1.0 / hit.inverse_depth);
        match (surface, floor) {
            (Some(s), f) if f.is_none_or(|f| s <= f) => {
                self.surface(hit, &(view.eye + ray * s), &ray, sample)
            }
            (_, Some(f)) => self.floor(&(view.eye + ray * f), &ray, sample),
            _ => backdrop(&ray),
        }
    }

    fn surface(&self, hit: &Hit, p: &Point3<f32>, ray: &Vector3<f32>, sample: usize) -> Rgb {
        let face = &self.surfaces.faces[hit.face as usize];
        // The face itself decides which side is seen: near an outline a smooth normal may point away.
        let side = usize::from(self.surfaces.area_normal(face).dot(ray) > 0.0);
        let out = if side == 0 { 1.0 } else { -1.0 };
        let weights = [hit.at[0], hit.at[1], 1.0 - hit.at[0] - hit.at[1]];
        let corners = face.vertices.iter().zip(weights);
        let normal: Vector3<f32> = corners.map(|(&v, w)| self.surfaces.normals[v as usize] * (w * out)).sum();
        let normal = normal.try_normalize(1e-6).unwrap_or_else(Vector3::y);
        let facing = (-normal.dot(ray) / ray.norm()).max(0.0);
        let fill = fill(&normal) * (TURNED_AWAY + (1.0 - TURNED_AWAY) * facing);
        let light = fill + KEY * self.key.on_surface(p, &normal, sample);
        self.surfaces.albedos[face.mesh as usize][side].component_mul(&light)
    }

    fn floor(&self, p: &Point3<f32>, ray: &Vector3<f32>, sample: usize) -> Rgb {
        let odd = (square(p.x) ^ square(p.z)) & 1 == 1;
        let light = fill(&Vector3::y()) + KEY * self.key.on_floor(p, sample);
        let far = ((p - self.view.eye).norm() / (HAZE * self.view.distance)).min(1e3);
        let vanished = 1.0 - 1.0 / (1.0 + far * far * far);
        (light * palette::FLOOR[usize::from(odd)]).lerp(&backdrop(ray), vanished)
    }
}

/// What reaches a surface from all around, by where it faces.
fn fill(normal: &Vector3<f32>) -> Rgb {
    FILL[0].lerp(&FILL[1], 0.5 + 0.5 * normal.y)
}

/// Index of the floor's square along one axis.
fn square(c: f32) -> i64 {
    (c / SQUARE).floor() as i64 // saturates far away
}

/// Behind everything: bright at the horizon, a shade darker above.
fn backdrop(ray: &Vector3<f32>) -> Rgb {
    let up = (ray.y / ray.norm()).clamp(0.0, 1.0);
    Rgb::new(0.78, 0.80, 0.82).lerp(&Rgb::new(0.50, 0.56, 0.64), (up * 1.6).min(1.0))
}
