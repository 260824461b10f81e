//! The scene as one list of valid triangles with smooth normals.

use std::collections::BTreeSet;

use super::palette;
use super::{RenderScene, Rgb};
use nalgebra::{Point3, Vector3};

/// Everything that is drawn, joined.
#[derive(Default)]
pub(super) struct Surfaces {
    pub(super) positions: Vec<Point3<f32>>,
    /// Unit normals, weighted by the area of the faces around; zero for vertices without a face.
    pub(super) normals: Vec<Vector3<f32>>,
    pub(super) faces: Vec<Face>,
    /// Part of the light that each mesh throws back, from its front side and from its back side.
    pub(super) albedos: Vec<[Rgb; 2]>,
}

/// A triangle: vertices and mesh, as indices.
#[derive(Clone, Copy)]
pub(super) struct Face {
    pub(super) vertices: [u32; 3],
    pub(super) mesh: u32,
    /// Whether it intersects something.
    pub(super) is_red: bool,
}

impl Surfaces {
    pub(super) fn new(scene: &RenderScene<'_>) -> Self {
        let mut all = Self::default();
        for body in scene.bodies {
            all.add(body.positions, body.faces, body.color.map_or(palette::BODY, palette::body), &[]);
        }
        for cloth in scene.cloths {
            all.add(cloth.positions, cloth.faces, palette::cloth(cloth.hue), cloth.red_faces);
        }
        all.compute_normals();
        all
    }

    /// Adds what is valid of a mesh.
    fn add(&mut self, positions: &[Point3<f32>], faces: &[[u32; 3]], albedo: [Rgb; 2], red: &[u32]) {
        let (first, mesh) = (self.positions.len() as u32, self.albedos.len() as u32);
        self.positions.extend_from_slice(positions);
        self.albedos.push(albedo);
        let red: BTreeSet<u32> = red.iter().copied().collect();
        let is_finite = |&v: &u32| {
            positions.get(v as usize).is_some_and(|p: &Point3<f32>| p.iter().all(|c| c.is_finite()))
        };
        for (f, face) in (0..).zip(faces).filter(|(_, face)| face.iter().all(is_finite)) {
            let is_red = red.contains(&f);
            self.faces.push(Face { vertices: face.map(|v| v + first), mesh, is_red });
        }
    }

    fn compute_normals(&mut self) {
        self.normals = vec![Vector3::zeros(); self.positions.len()];
        for face in &self.faces {
            let normal = self.area_normal(face);
            for v in face.vertices {
                self.normals[v as usize] += normal;
            }
        }
        for n in &mut self.normals {
            *n = n.try_normalize(0.0).filter(|n| n.x.is_finite()).unwrap_or_else(Vector3::zeros);
        }
    }

    /// Normal of a face, twice its area long (m^2).
    pub(super) fn area_normal(&self, face: &Face) -> Vector3<f32> {
        let [a, b, c] = self.corners(face);
        (b - a).cross(&(c - a))
    }

    pub(super) fn corners(&self, face: &Face) -> [Point3<f32>; 3] {
        face.vertices.map(|v| self.positions[v as usize])
    }
}

#[cfg(test)]
mod tests {
    use super::super::ClothView;
    use super::*;

    fn corner() -> Vec<Point3<f32>> {
        vec![Point3::origin(), Point3::new(1.0, 0.0, 0.0), Point3::new(0.0, 1.0, 0.0)]
    }

    #[test]
    fn leaves_out_undrawable_faces_and_keeps_red_on_the_right_ones() {
        let mut positions = corner();
        positions.push(Point3::new(f32::NAN, 0.0, 0.0));
        let faces = [[0, 1, 3], [0, 1, 2], [0, 1, 9], [2, 1, 0]];
        let cloth = ClothView { positions: &positions, faces: &faces, hue: 0, red_faces: &[0, 3, 77] };
        let all = Surfaces::new(&RenderScene { cloths: &[cloth], ..RenderScene::default() });
        assert_eq!(all.faces.iter().map(|f| f.vertices).collect::<Vec<_>>(), [[0, 1, 2], [2, 1, 0]]);
        assert_eq!(all.faces.iter().map(|f| f.is_red).collect::<Vec<_>>(), [false, true]);
    }

    #[test]
    fn normals_point_to_the_front_and_are_unit() {
        let positions = corner();
        let cloth = ClothView { positions: &positions, faces: &[[0, 1, 2]], hue: 0, red_faces: &[] };
        let all = Surfaces::new(&RenderScene { cloths: &[cloth, cloth], ..RenderScene::default() });
        assert_eq!(all.normals, vec![Vector3::z(); 6]);
    }
}
