//! The scene's outline along one axis: how far its surfaces reach both ways, on a square grid.
//!
//! One map answers two questions: whether a point sees the sky along the axis, and whether it sees it the
//! other way.

use super::scan::scan;
use super::surfaces::Surfaces;
use nalgebra::{Point3, Vector3};

/// Greatest and least distance along an axis, by texel of a plane across it.
pub(super) struct DepthMap {
    axis: Vector3<f32>,
    across: [Vector3<f32>; 2],
    origin: [f32; 2],
    /// Texels a metre.
    scale: f32,
    size: usize,
    depths: Vec<Depths>,
}

#[derive(Clone, Copy)]
struct Depths {
    least: f32,
    greatest: f32,
}

impl DepthMap {
    /// The map of all surfaces along a unit axis, `size` x `size` texels; none if there is no surface.
    pub(super) fn new(surfaces: &Surfaces, axis: Vector3<f32>, size: usize) -> Option<Self> {
        let (min, max) = surfaces.bounds?;
        let helper = if axis.y.abs() < 0.9 { Vector3::y() } else { Vector3::x() };
        let first = axis.cross(&helper).try_normalize(0.0)?;
        let across = [first, axis.cross(&first)];
        let middle = nalgebra::center(&min, &max);
        // The ball around the bounds, so that neighbouring axes see the scene at one scale. Two texels of
        // rim.
        let radius = ((max - min).norm() / 2.0).max(f32::MIN_POSITIVE);
        let scale = (size as f32 - 4.0) / (2.0 * radius);
        let origin = across.map(|a| a.dot(&middle.coords) - size as f32 / 2.0 / scale);
        let empty = Depths { least: f32::INFINITY, greatest: f32::NEG_INFINITY };
        let mut map = Self { axis, across, origin, scale, size, depths: vec![empty; size * size] };
        map.fill(surfaces);
        Some(map)
    }

    fn fill(&mut self, surfaces: &Surfaces) {
        let seen: Vec<_> =
            surfaces.positions.iter().map(|p| (self.place(p), self.axis.dot(&p.coords))).collect();
        for face in &surfaces.faces {
            let [a, b, c] = face.vertices.map(|v| seen[v as usize]);
            let depths = &mut self.depths;
            scan([a.0, b.0, c.0], self.size, self.size, |i, s| {
                let d = s[0] * a.1 + s[1] * b.1 + s[2] * c.1;
                let texel = &mut depths[i];
                texel.least = texel.least.min(d);
                texel.greatest = texel.greatest.max(d);
            });
        }
    }

    /// Side of a texel (m).
    pub(super) fn texel(&self) -> f32 {
        1.0 / self.scale
    }

    /// Whether nothing lies beyond the point along the axis, and along its opposite.
    pub(super) fn open(&self, p: &Point3<f32>) -> [bool; 2] {
        let depth = self.axis.dot(&p.coords);
        self.texel_at(self.place(p)).map_or([true; 2], |t| [t.greatest <= depth, t.least >= depth])
    }

    /// The part of a pattern of offsets, `radius` (texels) wide, at which nothing lies beyond the point along
    /// the axis.
    pub(super) fn open_part(&self, p: &Point3<f32>, pattern: &[[f32; 2]], radius: f32) -> f32 {
        let (depth, [x, y]) = (self.axis.dot(&p.coords), self.place(p));
        let is_open = |o: &&[f32; 2]| {
            self.texel_at([x + o[0] * radius, y + o[1] * radius]).is_none_or(|t| t.greatest <= depth)
        };
        pattern.iter().filter(is_open).count() as f32 / pattern.len() as f32
    }

    fn texel_at(&self, [x, y]: [f32; 2]) -> Option<&Depths> {
        let size = self.size as f32;
        let inside = x >= 0.0 && y >= 0.0 && x < size && y < size;
        if inside { self.depths.get(y as usize * self.size + x as usize) } else { None }
    }

    /// Place in texels.
    fn place(&self, p: &Point3<f32>) -> [f32; 2] {
        let [u, v] = &self.across;
        [(u.dot(&p.coords) - self.origin[0]) * self.scale, (v.dot(&p.coords) - self.origin[1]) * self.scale]
    }
}

#[cfg(test)]
mod tests {
    use super::super::{ClothView, RenderScene};
    use super::*;

    #[test]
    fn sees_what_lies_above_and_below_a_point() {
        let positions: Vec<_> =
            [[-1.0, 0.0, -1.0], [1.0, 0.0, -1.0], [0.0, 0.0, 2.0]].map(Point3::from).to_vec();
        let cloth = ClothView { positions: &positions, faces: &[[0, 1, 2]], hue: 0, red_faces: &[] };
        let surfaces = Surfaces::new(&RenderScene { cloths: &[cloth], ..RenderScene::default() });
        let map = DepthMap::new(&surfaces, Vector3::y(), 64).expect("a surface");
        assert_eq!(map.open(&Point3::new(0.0, -0.5, 0.0)), [false, true]);
        assert_eq!(map.open(&Point3::new(0.0, 0.5, 0.0)), [true, false]);
        assert_eq!(map.open(&Point3::new(1.5, -0.5, 1.9)), [true, true]);
        assert_eq!(map.open_part(&Point3::new(0.0, -0.5, 0.0), &[[0.0, 0.0], [1.0, 0.0]], 1e4), 0.5);
    }

    #[test]
    fn has_no_map_of_nothing() {
        assert!(DepthMap::new(&Surfaces::new(&RenderScene::default()), Vector3::y(), 64).is_none());
    }
}
