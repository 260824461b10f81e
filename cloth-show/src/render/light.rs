//! The key light and its shadow: the scene is drawn once more, from where the light stands.

use cloth_geom::Aabb;
use nalgebra::{Point3, Vector3};

use super::camera::{Camera, View};
use super::surfaces::Surfaces;
use super::target::Target;

/// Side of the shadow map (samples).
const SIZE: usize = 768;
/// From the scene to the light, in radii of the scene: so far that shadows hardly widen.
const DISTANCE: f32 = 16.0;
/// Places of the map that a pixel asks, a quarter of them by each of its samples.
const LOOKUPS: usize = 16;

/// A light above the camera, to its left: whatever the side a scene is seen from, folds throw shadows to the
/// right and none hides behind the light.
pub(super) struct KeyLight {
    pub(super) to_light: Vector3<f32>,
    view: View,
    nearest: Target,
    /// Side of a sample of the map (m).
    texel: f32,
    /// Spread evenly over the unit disc. One pattern for all pixels: turning it by pixel would be seen as
    /// grain.
    pattern: [[f32; 2]; LOOKUPS],
}

impl KeyLight {
    pub(super) fn new(surfaces: &Surfaces, camera: &View) -> Self {
        let level = Vector3::new(camera.right.x, 0.0, camera.right.z);
        let back = Vector3::new(-camera.forward.x, 0.0, -camera.forward.z);
        let to_light = (Vector3::y() - level * 0.95 + back * 0.3).normalize();
        let corners = surfaces.faces.iter().flat_map(|f| surfaces.corners(f));
        let bounds = Aabb::of_points(corners.map(|p| p.map(f64::from)));
        let [min, max] = [bounds.min, bounds.max].map(|corner| corner.map(|c| c as f32));
        let (target, radius) = (nalgebra::center(&min, &max), (max - min).norm() / 2.0);
        let eye = target + to_light * (radius * DISTANCE);
        let view = Camera { eye, target, fov_y: 2.0 * libm::asinf(1.0 / DISTANCE) }.view(SIZE, SIZE);
        let pattern = std::array::from_fn(|i| {
            let (radius, turn) = (((i as f32 + 0.5) / LOOKUPS as f32).sqrt(), 2.399_963_2 * i as f32);
            [radius * libm::cosf(turn), radius * libm::sinf(turn)]
        });
        let nearest = Target::new(surfaces, &view);
        Self { to_light, view, nearest, texel: 2.0 * radius / SIZE as f32, pattern }
    }

    /// Part of the light that reaches a surface with the unit normal of the side that is seen, for the sample
    /// of this index (0 ..= 3) of a pixel.
    pub(super) fn on_surface(&self, p: &Point3<f32>, normal: &Vector3<f32>, sample: usize) -> f32 {
        const SOFT: f32 = 2.0;
        // Looked up beside the surface, past the radius: else it would shade itself.
        let clear = normal * (self.texel * (SOFT + 0.5));
        normal.dot(&self.to_light).max(0.0) * self.open_part(&(p + clear), SOFT, sample)
    }

    /// Part of the light that reaches the floor.
    pub(super) fn on_floor(&self, p: &Point3<f32>, sample: usize) -> f32 {
        self.to_light.y * self.open_part(p, 7.0, sample)
    }

    /// The part of the places within a radius (samples of the map) at which nothing is nearer to the light.
    fn open_part(&self, p: &Point3<f32>, radius: f32, sample: usize) -> f32 {
        let Some(seen) = self.view.project(p) else { return 1.0 };
        let is_open = |offset: &&[f32; 2]| {
            let [x, y] = [0, 1].map(|k| seen.at[k] + offset[k] * radius);
            let inside = x >= 0.0 && y >= 0.0 && x < SIZE as f32 && y < SIZE as f32;
            !inside || self.nearest.0[y as usize * SIZE + x as usize].inverse_depth <= seen.inverse_depth
        };
        let asked = self.pattern.iter().skip(sample).step_by(4);
        asked.filter(is_open).count() as f32 * 4.0 / LOOKUPS as f32
    }
}

#[cfg(test)]
mod tests {
    use super::super::{ClothView, Direction, RenderScene};
    use super::*;

    fn light(cloths: &[ClothView<'_>]) -> KeyLight {
        let scene = RenderScene { cloths, ..RenderScene::default() };
        let camera = Camera::framing(&scene.bounds(), Direction::default(), 1.0);
        KeyLight::new(&Surfaces::new(&scene), &camera.view(64, 64))
    }

    #[test]
    fn a_sheet_shades_what_is_behind_it_and_not_itself() {
        let positions = [[-1.0, 0.0, -1.0], [1.0, 0.0, -1.0], [0.0, 0.0, 2.0]].map(Point3::from);
        let cloth = ClothView { positions: &positions, faces: &[[0, 2, 1]], hue: 0, red_faces: &[] };
        let light = light(&[cloth]);
        for sample in 0..4 {
            let lit = |along: f32| light.on_floor(&(Point3::origin() + light.to_light * along), sample);
            assert_eq!(
                (lit(-0.5), lit(0.5), lit(-1e9), lit(1e9)),
                (0.0, light.to_light.y, 0.0, light.to_light.y)
            );
            assert_eq!(light.on_surface(&Point3::origin(), &Vector3::y(), sample), light.to_light.y);
            assert_eq!(light.on_surface(&Point3::origin(), &-Vector3::y(), sample), 0.0);
        }
    }

    #[test]
    fn all_is_lit_where_there_is_nothing() {
        let light = light(&[]);
        assert_eq!(light.on_floor(&Point3::origin(), 0), light.to_light.y);
    }
}
