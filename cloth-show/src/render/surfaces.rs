//! The scene as one list of valid triangles with smooth normals.

use super::palette::{self, Material};
use super::{ClothView, RenderScene};
use nalgebra::{Point3, Vector3};

/// Everything that is drawn, joined.
pub(super) struct Surfaces {
    pub(super) positions: Vec<Point3<f32>>,
    /// Unit normals, weighted by the area of the faces around; zero for vertices without a face.
    pub(super) normals: Vec<Vector3<f32>>,
    pub(super) faces: Vec<Face>,
    pub(super) materials: Vec<Material>,
    /// Indices into `faces` of those that intersect something.
    pub(super) red: Vec<u32>,
    /// Bounds of the faces (m); none if there are none.
    pub(super) bounds: Option<(Point3<f32>, Point3<f32>)>,
}

/// A triangle: vertices and material, as indices.
#[derive(Clone, Copy)]
pub(super) struct Face {
    pub(super) vertices: [u32; 3],
    pub(super) material: u32,
}

impl Surfaces {
    pub(super) fn new(scene: &RenderScene<'_>) -> Self {
        let mut all = Self {
            positions: vec![],
            normals: vec![],
            faces: vec![],
            materials: vec![],
            red: vec![],
            bounds: None,
        };
        for body in scene.bodies {
            all.add(body.positions, body.faces, body.color.map_or(palette::BODY, palette::body));
        }
        for cloth in scene.cloths {
            let drawn_as = all.add(cloth.positions, cloth.faces, palette::cloth(cloth.hue));
            all.add_intersecting_faces(cloth, &drawn_as);
        }
        all.compute_normals();
        let drawn = all.faces.iter().flat_map(|f| all.corners(f));
        all.bounds = drawn.map(|p| (p, p)).reduce(|(min, max), (p, _)| (min.inf(&p), max.sup(&p)));
        all
    }

    /// Adds what is valid of a mesh; returns for each of its faces the index here, if it has one.
    fn add(&mut self, positions: &[Point3<f32>], faces: &[[u32; 3]], material: Material) -> Vec<Option<u32>> {
        let first = self.positions.len() as u32;
        let finite = |&v: &u32| {
            positions.get(v as usize).is_some_and(|p: &Point3<f32>| p.iter().all(|c| c.is_finite()))
        };
        self.positions.extend_from_slice(positions);
        self.materials.push(material);
        let material = self.materials.len() as u32 - 1;
        faces
            .iter()
            .map(|face| {
                face.iter().all(finite).then(|| {
                    self.faces.push(Face { vertices: face.map(|v| v + first), material });
                    self.faces.len() as u32 - 1
                })
            })
            .collect()
    }

    fn add_intersecting_faces(&mut self, cloth: &ClothView<'_>, drawn_as: &[Option<u32>]) {
        self.red.extend(cloth.red_faces.iter().filter_map(|&f| drawn_as.get(f as usize).copied().flatten()));
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
        assert_eq!(all.red, [1]);
    }

    #[test]
    fn normals_point_to_the_front_and_are_unit() {
        let positions = corner();
        let cloth = ClothView { positions: &positions, faces: &[[0, 1, 2]], hue: 0, red_faces: &[] };
        let all = Surfaces::new(&RenderScene { cloths: &[cloth, cloth], ..RenderScene::default() });
        assert_eq!(all.normals, vec![Vector3::z(); 6]);
    }
}
