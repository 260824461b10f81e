//! Cloth on a skin: exact intersections with it, and depth below it, whether the simulation knows the skin or
//! only its proxies.

use cloth_contacts::intersect::{Checker, IntersectError};
use cloth_geom::{Topology, TopologyError};
use nalgebra::Point3;
use parry3d::query::PointQuery;
use parry3d::shape::{TriMesh as SkinShape, TriMeshFlags};

/// Measures one state after another.
pub struct SkinObserver {
    checker: Checker,
    /// Of all cloths, then of the skin.
    topology: Topology,
    cloth_vertices: usize,
    /// Whether a face of cloth uses each vertex of cloth.
    is_used: Vec<bool>,
    /// Of the skin, with those that cloth does not collide with: depth is that below a closed surface.
    all_faces: Vec<[u32; 3]>,
    positions: Vec<Point3<f64>>,
}

/// Cloth against skin, in one state.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct SkinFigures {
    /// Pairs of an edge and a face, one of cloth and one of skin, that have a point in common.
    pub intersections: usize,
    /// Pairs of an edge and a face of cloth that share no vertex and have a point in common.
    pub cloth_intersections: usize,
    /// Depth (m) of the deepest vertex of cloth below the skin; 0 if none is below.
    pub depth: f64,
    /// The vertices of the edges and faces of cloth that intersect the skin, over all cloths, some of them
    /// more than once.
    pub vertices: Vec<u32>,
}

/// The triangles of a skin, over its own vertices.
#[derive(Clone, Copy, Debug)]
pub struct SkinFaces<'a> {
    /// Number of vertices.
    pub vertex_count: usize,
    /// Those that intersections are counted with.
    pub colliding: &'a [[u32; 3]],
    /// All of them: what encloses the body.
    pub all: &'a [[u32; 3]],
}

impl SkinObserver {
    /// An observer of cloth with these faces and so many vertices on a skin.
    ///
    /// # Errors
    /// If the faces are no surface.
    pub fn new(
        mut cloth_faces: Vec<[u32; 3]>,
        cloth_vertices: usize,
        skin: SkinFaces<'_>,
    ) -> Result<Self, TopologyError> {
        let vertices = cloth_vertices + skin.vertex_count;
        let mut is_used = vec![false; vertices];
        for &v in cloth_faces.iter().flatten() {
            if let Some(used) = is_used.get_mut(v as usize) {
                *used = true;
            }
        }
        let shifted = skin.colliding.iter().map(|face| face.map(|v| v.saturating_add(cloth_vertices as u32)));
        cloth_faces.extend(shifted);
        Ok(Self {
            checker: Checker::default(),
            topology: Topology::new(vertices, &cloth_faces)?,
            cloth_vertices,
            is_used,
            all_faces: skin.all.to_vec(),
            positions: Vec::new(),
        })
    }

    /// Measures cloths whose vertices are the first of `cloth` (m) on a skin at `skin` (m).
    ///
    /// # Errors
    /// If there are fewer or more positions than vertices, or one is not finite.
    pub fn observe(
        &mut self,
        cloth: &[Point3<f32>],
        skin: &[Point3<f32>],
    ) -> Result<SkinFigures, IntersectError> {
        let cloth = &cloth[..self.cloth_vertices.min(cloth.len())];
        self.positions.clear();
        self.positions.extend(cloth.iter().chain(skin).map(|p| p.map(f64::from)));
        let found = self.checker.check(&self.positions, &self.topology)?;
        let is_cloth = |v: u32| (v as usize) < self.cloth_vertices;
        let (edges, faces) = (self.topology.edges(), self.topology.faces());
        let (mut count, mut vertices) = ([0; 3], Vec::new());
        for &[e, f] in &found.edge_faces {
            let primitives: [&[u32]; 2] = [&edges[e as usize], &faces[f as usize]];
            let of_cloth = primitives.map(|corners| is_cloth(corners[0]));
            count[of_cloth.iter().filter(|c| **c).count()] += 1;
            if of_cloth[0] != of_cloth[1] {
                vertices.extend_from_slice(primitives[usize::from(of_cloth[1])]);
            }
        }
        let depth = self.depth(cloth, skin).into();
        Ok(SkinFigures { intersections: count[1], cloth_intersections: count[2], depth, vertices })
    }

    /// The depth (m) of the deepest vertex of cloth below the closed skin, by the pseudonormals of the skin
    /// at the nearest point (Bærentzen and Aanæs 2005); 0 if none is below.
    fn depth(&self, cloth: &[Point3<f32>], skin: &[Point3<f32>]) -> f32 {
        let vertices = skin.iter().map(vector).collect();
        let skin = SkinShape::with_flags(vertices, self.all_faces.clone(), TriMeshFlags::ORIENTED);
        let Ok(skin) = skin else { return 0.0 };
        let depth = |p: &Point3<f32>| {
            let p = vector(p);
            let nearest = skin.project_local_point(p, false);
            if nearest.is_inside { (nearest.point - p).length() } else { 0.0 }
        };
        let used = cloth.iter().zip(&self.is_used).filter(|(_, used)| **used);
        used.map(|(p, _)| depth(p)).fold(0.0, f32::max)
    }
}

fn vector(p: &Point3<f32>) -> parry3d::math::Vector {
    parry3d::math::Vector::new(p.x, p.y, p.z)
}

#[cfg(test)]
mod tests {
    use super::*;
    use cloth_geom::fixtures::{icosphere, sheet};

    #[test]
    fn a_sheet_in_a_ball_has_depth_and_one_above_has_none() {
        let ball = icosphere(3, 0.5).expect("a ball");
        let sheet = sheet(5, 5, [0.4, 0.4]).expect("a sheet").mesh;
        let skin = ball.positions_f32();
        let faces = SkinFaces { vertex_count: skin.len(), colliding: &ball.faces, all: &ball.faces };
        let mut observer = SkinObserver::new(sheet.faces.clone(), 25, faces).expect("surfaces");
        let mut at = |y: f32| {
            let cloth: Vec<_> =
                sheet.positions_f32().iter().map(|p| p + nalgebra::Vector3::y() * y).collect();
            observer.observe(&cloth, &skin).expect("finite")
        };
        assert_eq!(at(0.6), SkinFigures::default());
        let inside = at(0.0);
        assert_eq!((inside.intersections, inside.cloth_intersections), (0, 0));
        assert!((inside.depth - 0.5).abs() < 0.01, "{inside:?}");
        let across = at(0.45);
        assert!(across.intersections > 0 && (across.depth - 0.05).abs() < 0.01, "{across:?}");
    }
}
