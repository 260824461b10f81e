//! How much light of the sky reaches each vertex, on both sides, and each place of the floor.
//!
//! Folds read by their dark insides, not by their edges. So the light that a surface receives is gathered
//! from many directions, each blocked or not by a depth map of the scene: ambient occlusion as it is, smooth
//! and free of noise, for the cost of drawing the scene once a direction in low resolution.

use super::Rgb;
use super::depth_map::DepthMap;
use super::surfaces::Surfaces;
use nalgebra::{Point3, Vector3};

/// Axes; each serves both its directions.
const AXES: usize = 24;
/// Side of a depth map (texels): about 7 mm for a scene of 1 m.
const MAP_SIZE: usize = 240;
/// Places of the floor along each side of its grid.
const FLOOR_SIZE: usize = 72;

/// Light of the sky, gathered.
pub(super) struct SkyLight {
    /// On the front side of each vertex and on its back side.
    pub(super) at_vertices: Vec<[Rgb; 2]>,
    floor: Option<FloorLight>,
    /// Light on the floor far from everything.
    open_floor: Rgb,
}

/// Light on a square of the floor; beyond it the floor is open.
struct FloorLight {
    corner: [f32; 2],
    spacing: f32,
    light: Vec<Rgb>,
}

impl SkyLight {
    pub(super) fn new(surfaces: &Surfaces, floor_y: Option<f32>) -> Self {
        let mut at_vertices = vec![[Rgb::zeros(); 2]; surfaces.positions.len()];
        let mut floor = floor_y.and_then(|y| FloorLight::over(surfaces, y));
        let floor_y = floor_y.unwrap_or(0.0);
        for axis in axes() {
            let Some(map) = DepthMap::new(surfaces, axis, MAP_SIZE) else { break };
            for ((p, n), light) in surfaces.positions.iter().zip(&surfaces.normals).zip(&mut at_vertices) {
                gather(&map, axis, p, n, light);
            }
            if let Some(floor) = &mut floor {
                floor.gather(&map, axis, floor_y);
            }
        }
        Self { at_vertices, floor, open_floor: open_floor() }
    }

    /// Light on the floor, between its places.
    pub(super) fn on_floor(&self, x: f32, z: f32) -> Rgb {
        self.floor.as_ref().and_then(|f| f.at(x, z)).unwrap_or(self.open_floor)
    }
}

/// Adds to both sides of a vertex what arrives along an axis: one side faces its one end, the other side its
/// other.
fn gather(map: &DepthMap, axis: Vector3<f32>, p: &Point3<f32>, n: &Vector3<f32>, light: &mut [Rgb; 2]) {
    let cosine = n.dot(&axis);
    let end_of_front = usize::from(cosine < 0.0);
    for (side, out, end) in [(0, 1.0, end_of_front), (1, -1.0, 1 - end_of_front)] {
        // A texel away from the surface: then the map never holds the surface itself against the point.
        if map.open(&(p + n * (out * map.texel())))[end] {
            let direction = [axis, -axis][end];
            light[side] += radiance(&direction) * (cosine.abs() * WEIGHT);
        }
    }
}

/// Share of one direction, such that an open surface under a white sky receives 1: 2 x AXES directions cover
/// the sphere evenly, and the mean of max(0, cos) over a sphere is 1/4.
const WEIGHT: f32 = 2.0 / AXES as f32;

/// Light from a direction: a sky that is brightest overhead, and what the ground throws back.
fn radiance(direction: &Vector3<f32>) -> Rgb {
    let up = direction.y;
    let (ground, horizon, zenith) =
        (Rgb::new(0.26, 0.24, 0.22), Rgb::new(0.36, 0.40, 0.46), Rgb::new(0.80, 0.86, 0.95));
    if up < 0.0 { ground + (horizon - ground) * (1.0 + up) * 0.5 } else { horizon + (zenith - horizon) * up }
}

/// Unit vectors spread evenly over the upper half sphere: equal steps of height, turned by the golden angle.
fn axes() -> impl Iterator<Item = Vector3<f32>> {
    (0..AXES).map(|i| {
        let y = (i as f32 + 0.5) / AXES as f32;
        let level = (1.0 - y * y).sqrt();
        let turn = 2.399_963_2 * i as f32;
        Vector3::new(level * libm::cosf(turn), y, level * libm::sinf(turn))
    })
}

/// What an open floor receives; the same sum as under the scene, so that no edge shows.
fn open_floor() -> Rgb {
    axes().map(|a| radiance(&a) * (a.y * WEIGHT)).sum()
}

impl FloorLight {
    /// A grid over the bounds of the scene and once its size around.
    fn over(surfaces: &Surfaces, floor_y: f32) -> Option<Self> {
        let (min, max) = surfaces.bounds?;
        let height = (max.y - floor_y).max(0.0);
        let reach = (max.x - min.x).max(max.z - min.z) + height;
        let middle = nalgebra::center(&min, &max);
        let side = reach * 2.0;
        let corner = [middle.x - side / 2.0, middle.z - side / 2.0];
        let spacing = side / (FLOOR_SIZE - 1) as f32;
        let valid = spacing > 0.0 && spacing.is_finite();
        valid.then(|| Self { corner, spacing, light: vec![Rgb::zeros(); FLOOR_SIZE * FLOOR_SIZE] })
    }

    fn gather(&mut self, map: &DepthMap, axis: Vector3<f32>, floor_y: f32) {
        for (i, light) in self.light.iter_mut().enumerate() {
            let at = [i % FLOOR_SIZE, i / FLOOR_SIZE].map(|k| k as f32 * self.spacing);
            let p = Point3::new(self.corner[0] + at[0], floor_y, self.corner[1] + at[1]);
            if map.open(&p)[0] {
                *light += radiance(&axis) * (axis.y * WEIGHT);
            }
        }
    }

    fn at(&self, x: f32, z: f32) -> Option<Rgb> {
        let (u, v) = ((x - self.corner[0]) / self.spacing, (z - self.corner[1]) / self.spacing);
        let last = (FLOOR_SIZE - 1) as f32;
        if !(u >= 0.0 && v >= 0.0 && u < last && v < last) {
            return None;
        }
        let (i, j, fu, fv) = (u as usize, v as usize, u.fract(), v.fract());
        let row = |j: usize| {
            let at = |i: usize| self.light[j * FLOOR_SIZE + i];
            at(i) * (1.0 - fu) + at(i + 1) * fu
        };
        Some(row(j) * (1.0 - fv) + row(j + 1) * fv)
    }
}

#[cfg(test)]
mod tests {
    use super::super::{ClothView, RenderScene};
    use super::*;

    /// Two unit squares, the second `gap` above the first.
    fn lit(gap: f32) -> SkyLight {
        let square = |y| [[0.0, y, 0.0], [0.0, y, 1.0], [1.0, y, 1.0], [1.0, y, 0.0], [0.5, y, 0.5]];
        let positions: Vec<_> = [square(0.0), square(gap)].concat().into_iter().map(Point3::from).collect();
        let around = |c: u32| [[c, c - 4, c - 3], [c, c - 3, c - 2], [c, c - 2, c - 1], [c, c - 1, c - 4]];
        let faces = [around(4), around(9)].concat();
        let cloth = ClothView { positions: &positions, faces: &faces, hue: 0, red_faces: &[] };
        SkyLight::new(&Surfaces::new(&RenderScene { cloths: &[cloth], ..RenderScene::default() }), Some(-0.1))
    }

    #[test]
    fn top_of_an_open_sheet_receives_as_much_as_the_open_floor() {
        let top = lit(0.1).at_vertices[9][0];
        assert!((top - open_floor()).norm() < 1e-5, "{top}");
    }

    #[test]
    fn is_dark_between_close_sheets_and_lighter_between_distant_ones() {
        let inside = |gap| lit(gap).at_vertices[4][0].y;
        assert!(inside(0.05) < 0.25 * open_floor().y, "{}", inside(0.05));
        assert!(inside(1.5) > 2.0 * inside(0.05));
    }

    #[test]
    fn floor_is_dark_below_the_sheets_and_open_far_away() {
        let light = lit(0.1);
        assert!(light.on_floor(0.5, 0.5).y < 0.4 * open_floor().y);
        assert_eq!(light.on_floor(50.0, 0.0), open_floor());
        assert_eq!(light.on_floor(f32::NAN, 0.0), open_floor());
    }
}
