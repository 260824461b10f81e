//! The colour of what is under each sample: surfaces, the floor, or what lies behind everything.
//!
//! Edges need several samples a pixel, light does not: each face and the floor are lit once a pixel.

use super::Rgb;
use super::camera::View;
use super::lights::Lights;
use super::palette;
use super::surfaces::Surfaces;
use super::target::{Hit, NOTHING, Target};
use nalgebra::{Point3, Vector3};

/// Part of the light that a fold's sides throw at each other.
const THROWN_BACK: f32 = 0.16;
/// Squares of the floor (m).
const SQUARE: f32 = 0.1;
/// Distance at which the floor has half vanished in the backdrop, against that of what the camera looks at.
/// Of the camera alone, so that it is the same for every frame of a sequence.
const HAZE: f32 = 2.4;

/// What a sample is shaded from.
pub(super) struct Shader<'a> {
    pub(super) surfaces: &'a Surfaces,
    pub(super) lights: &'a Lights,
    pub(super) target: &'a Target,
    pub(super) view: &'a View,
    pub(super) floor_y: Option<f32>,
}

/// What has been lit in a pixel.
#[derive(Default)]
struct Lit {
    face: Option<(u32, Rgb)>,
    floor: Option<Floor>,
}

/// The floor in one pixel, its squares left out.
#[derive(Clone, Copy)]
struct Floor {
    light: Rgb,
    behind: Rgb,
    vanished: f32,
}

impl Shader<'_> {
    /// The colour of every sample; `pixel` is the side of a pixel in samples.
    pub(super) fn shade(&self, pixel: usize) -> Vec<Rgb> {
        let (width, height) = (self.view.width, self.view.height);
        let mut samples = vec![Rgb::zeros(); width * height];
        for top in (0..height).step_by(pixel) {
            for left in (0..width).step_by(pixel) {
                let mut lit = Lit::default();
                for y in top..top + pixel {
                    for x in left..left + pixel {
                        samples[y * width + x] = self.sample(x, y, &mut lit);
                    }
                }
            }
        }
        samples
    }

    fn sample(&self, x: usize, y: usize, lit: &mut Lit) -> Rgb {
        let (view, hit) = (self.view, &self.target.0[y * self.view.width + x]);
        let ray = view.ray(x, y);
        // Depth along the view at which the ray meets the floor from above.
        let floor = self.floor_y.map(|y| (y - view.eye.y) / ray.y).filter(|&d| d > 0.0 && ray.y < 0.0);
        let surface = (hit.face != NOTHING).then(|| 1.0 / hit.inverse_depth);
        match (surface, floor) {
            (Some(s), f) if f.is_none_or(|f| s <= f) => {
                let known = lit.face.filter(|(face, _)| *face == hit.face);
                let (_, colour) =
                    known.unwrap_or_else(|| (hit.face, self.surface(hit, view.eye + ray * s, &ray)));
                lit.face = Some((hit.face, colour));
                colour
            }
            (_, Some(f)) => {
                let p = view.eye + ray * f;
                let floor = *lit.floor.get_or_insert_with(|| self.floor(&p, &ray, f * ray.norm()));
                floor.colour(&p)
            }
            _ => backdrop(&ray),
        }
    }

    fn surface(&self, hit: &Hit, p: Point3<f32>, ray: &Vector3<f32>) -> Rgb {
        let face = &self.surfaces.faces[hit.face as usize];
        let material = &self.surfaces.materials[face.material as usize];
        // The face itself decides which side is seen: near an outline a smooth normal may point away.
        let side = usize::from(self.surfaces.area_normal(face).dot(ray) > 0.0);
        let out = if side == 0 { 1.0 } else { -1.0 };
        let weights = [hit.at[0], hit.at[1], 1.0 - hit.at[0] - hit.at[1]];
        let mut normal = Vector3::zeros();
        let mut sky = Rgb::zeros();
        for (v, w) in face.vertices.into_iter().zip(weights) {
            normal += self.surfaces.normals[v as usize] * (w * out);
            sky += self.lights.sky.at_vertices[v as usize][side] * w;
        }
        let normal = normal.try_normalize(1e-6).unwrap_or_else(Vector3::y);
        let key = self.lights.key_on_surface(&p, &normal);
        let albedo = &material.albedo[side];
        // What is thrown back wears the cloth's colour: deep folds turn dark and rich, not black.
        let thrown_back = albedo * THROWN_BACK;
        let edge = 1.0 + normal.dot(ray) / ray.norm();
        let rim = sky * (material.sheen * edge * edge * edge);
        albedo.component_mul(&(sky + key + thrown_back)) + rim
    }

    fn floor(&self, p: &Point3<f32>, ray: &Vector3<f32>, distance: f32) -> Floor {
        let far = (distance / (HAZE * self.view.distance)).min(1e3);
        let vanished = 1.0 - 1.0 / (1.0 + far * far * far);
        Floor { light: self.lights.on_floor(p), behind: backdrop(ray), vanished }
    }
}

impl Floor {
    /// The nearer the backdrop, the less its squares differ: far away they would flicker.
    fn colour(&self, p: &Point3<f32>) -> Rgb {
        let odd = (square(p.x) ^ square(p.z)) & 1 == 1;
        let mean = (palette::FLOOR[0] + palette::FLOOR[1]) / 2.0;
        let tone = palette::FLOOR[usize::from(odd)];
        let lit = self.light * (tone + (mean - tone) * self.vanished);
        lit + (self.behind - lit) * self.vanished
    }
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
