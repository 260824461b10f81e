//! Rest geometry: each face as a flat triangle in warp and weft coordinates.
//!
//! Elastic constraints need lengths, angles and the thread direction, not a whole flat surface. So every face
//! is flattened by itself, with weft along its first axis and warp along its second:
//!
//! ```text
//!   warp        from a pattern: its coordinates as they are
//!    ^   c      from a pose: the face turned into its own plane, warp along the grain
//!    |  / \
//!    | a---b
//!    +------> weft
//! ```
//!
//! Without a pattern the grain is chosen as a tailor would: vertical for hanging cloth, along x for cloth
//! that lies flat.

use cloth_geom::{Hinge, Topology, sorted_unique};
use nalgebra::{Point3, Vector3};

use crate::MaterialMap;
use crate::describe::cloth::{ClothDesc, RestShape};

/// Cosine of the hinge angle above which a hinge is a fold and not curvature: 30 degrees.
const FOLD_COSINE: f64 = 0.866;

/// Rest geometry of the faces of one cloth.
#[derive(Debug)]
pub(crate) struct RestGeometry {
    /// For each face the (weft, warp) coordinates (m) of its corners.
    pub(crate) flat: Vec<[[f32; 2]; 3]>,
    /// Rest positions, if the rest shape is a pose; hinges rest at its angles, otherwise flat.
    pub(crate) pose: Option<Vec<Point3<f64>>>,
}

impl RestGeometry {
    /// Flattens the faces. On error the index of a face without area.
    pub(crate) fn new(desc: &ClothDesc) -> Result<Self, usize> {
        let faces = &desc.mesh.faces;
        let (flat, pose): (Vec<_>, _) = match &desc.rest {
            RestShape::Pattern(pattern) => (rounded(pattern), None),
            RestShape::Start => {
                (rounded(&flatten(&desc.mesh.positions, faces)), Some(desc.mesh.positions.clone()))
            }
            RestShape::Positions(pose) => (rounded(&flatten(pose, faces)), Some(pose.clone())),
        };
        let usable = |f: &[[f32; 2]; 3]| area(f) > 0.0 && area(f).is_finite();
        match flat.iter().position(|f| !usable(f)) {
            Some(face) => Err(face),
            None => Ok(Self { flat, pose }),
        }
    }

    /// Area of a face at rest (m2).
    pub(crate) fn area(&self, face: u32) -> f32 {
        area(&self.flat[face as usize])
    }

    /// Cotangent of the rest angle at corner `k` of a face.
    pub(crate) fn cotangent(&self, face: u32, k: usize) -> f32 {
        let f = &self.flat[face as usize];
        let arm = |to: usize| [f[to][0] - f[k][0], f[to][1] - f[k][1]];
        let (a, b) = (arm((k + 1) % 3), arm((k + 2) % 3));
        (a[0] * b[0] + a[1] * b[1]) / (a[0] * b[1] - a[1] * b[0]).abs()
    }

    /// The vector of an edge in its face: edge `k` leads from corner `k` to corner `k + 1`.
    pub(crate) fn edge(&self, face: u32, k: usize) -> [f32; 2] {
        let f = &self.flat[face as usize];
        let to = (k + 1) % 3;
        [f[to][0] - f[k][0], f[to][1] - f[k][1]]
    }

    /// Rest positions for rest distances: the pose, or the start positions.
    pub(crate) fn positions<'a>(&'a self, desc: &'a ClothDesc) -> &'a [Point3<f64>] {
        self.pose.as_deref().unwrap_or(&desc.mesh.positions)
    }

    /// The vertices of the hinges that start folded beyond [`FOLD_COSINE`] and rest flat; none if the rest
    /// shape is a pose.
    pub(crate) fn unfolding_vertices(&self, desc: &ClothDesc, topology: &Topology) -> Vec<u32> {
        if self.pose.is_some() {
            return Vec::new();
        }
        let normal = |face: u32| {
            let [a, b, c] = topology.faces()[face as usize].map(|v| desc.mesh.positions[v as usize]);
            (b - a).cross(&(c - a)).try_normalize(0.0).unwrap_or_default()
        };
        let is_folded = |hinge: &Hinge| normal(hinge.faces[0]).dot(&normal(hinge.faces[1])) < FOLD_COSINE;
        sorted_unique(topology.hinges().into_iter().filter(is_folded).flat_map(|hinge| hinge.edge))
    }

    /// Mass of each vertex (kg): a third of each face around it.
    pub(crate) fn masses(&self, topology: &Topology, materials: &MaterialMap) -> Vec<f32> {
        let mut masses = vec![0.0; topology.vertex_count()];
        for (face, corners) in (0..).zip(topology.faces()) {
            for &v in corners {
                masses[v as usize] += materials.material(face).density * self.area(face) / 3.0;
            }
        }
        masses
    }
}

impl RestShape {
    /// The rest lengths of a pose (m), one position per vertex, with every hinge flat. For cloth that starts
    /// folded and whose folds are to open.
    ///
    /// # Panics
    /// If a face refers to a vertex that has no position.
    #[must_use]
    pub fn flattened(pose: &[Point3<f64>], faces: &[[u32; 3]]) -> Self {
        Self::Pattern(flatten(pose, faces))
    }
}

fn area(f: &[[f32; 2]; 3]) -> f32 {
    let [a, b, c] = f;
    0.5 * ((b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0])).abs()
}

fn rounded(flat: &[[[f64; 2]; 3]]) -> Vec<[[f32; 2]; 3]> {
    flat.iter().map(|f| f.map(|c| c.map(|x| x as f32))).collect()
}

/// The faces of a pose in their own planes: (weft, warp) coordinates (m) of their corners.
fn flatten(positions: &[Point3<f64>], faces: &[[u32; 3]]) -> Vec<[[f64; 2]; 3]> {
    let grain = grain(positions, faces);
    faces.iter().map(|f| flatten_face(f.map(|v| positions[v as usize]), &grain)).collect()
}

/// The direction of the warp: vertical, or along x if the mesh lies more flat than upright.
fn grain(positions: &[Point3<f64>], faces: &[[u32; 3]]) -> Vector3<f64> {
    let sum = faces.iter().fold(Vector3::zeros(), |sum: Vector3<f64>, f| {
        let [a, b, c] = f.map(|v| positions[v as usize]);
        sum + (b - a).cross(&(c - a)).abs()
    });
    if sum.y > sum.x.max(sum.z) { Vector3::x() } else { Vector3::y() }
}

fn flatten_face([a, b, c]: [Point3<f64>; 3], grain: &Vector3<f64>) -> [[f64; 2]; 3] {
    let (ab, ac) = (b - a, c - a);
    let Some(normal) = ab.cross(&ac).try_normalize(0.0) else { return [[0.0; 2]; 3] };
    let in_plane = grain - normal * grain.dot(&normal);
    // If the grain is normal to the face any direction will do; the first edge is deterministic.
    let along = if in_plane.norm_squared() > 1e-6 { in_plane } else { ab };
    let warp = along.normalize();
    let weft = warp.cross(&normal);
    let flat = |d: Vector3<f64>| [d.dot(&weft), d.dot(&warp)];
    [[0.0; 2], flat(ab), flat(ac)]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lays_a_tilted_face_flat_without_changing_its_lengths() {
        let corners = [[0.0, 0.0, 0.0], [0.3, 0.1, 0.2], [-0.1, 0.4, 0.25]].map(Point3::from);
        let flat = flatten_face(corners, &Vector3::y());
        for k in 0..3 {
            let next = (k + 1) % 3;
            let there = (corners[next] - corners[k]).norm();
            let here = (flat[next][0] - flat[k][0]).hypot(flat[next][1] - flat[k][1]);
            approx::assert_relative_eq!(here, there, max_relative = 1e-12);
        }
    }

    #[test]
    fn a_flattened_pose_has_its_lengths_and_no_angle() {
        let corners = [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, -0.6, 0.8]].map(Point3::from);
        let mesh = cloth_geom::TriMesh::new(corners.to_vec(), vec![[0, 1, 2], [1, 0, 3]]);
        let thickness = crate::Thickness::from_total(0.01, 0.25);
        let folded = ClothDesc::new(mesh.clone(), crate::Material::COTTON, thickness);
        let rest = RestShape::flattened(&folded.mesh.positions, &folded.mesh.faces);
        let open = ClothDesc { rest, ..folded.clone() };
        let [folded, open] = [folded, open].map(|desc| RestGeometry::new(&desc).expect("two faces"));
        assert_eq!(folded.flat, open.flat);
        assert!(folded.pose.is_some() && open.pose.is_none());
        let topology = Topology::of_mesh(&mesh).expect("two faces");
        let desc = ClothDesc::new(mesh, crate::Material::COTTON, thickness);
        assert_eq!(
            (folded.unfolding_vertices(&desc, &topology), open.unfolding_vertices(&desc, &topology)),
            (vec![], vec![0, 1])
        );
    }

    #[test]
    fn each_face_of_a_sheet_weighs_as_its_own_fabric() {
        // Four cells of 0.25 m2; areas and densities are exact in binary.
        let mesh = cloth_geom::fixtures::sheet(3, 3, [1.0, 1.0]).expect("a sheet").mesh;
        let [light, heavy] =
            [0.375, 1.5].map(|density| crate::Material { density, ..crate::Material::COTTON });
        let right = |f: &[u32; 3]| f.iter().all(|&v| mesh.positions[v as usize].x >= 0.0);
        let is_heavy: Vec<bool> = mesh.faces.iter().map(right).collect();
        let faces = (0..8).filter(|&face| is_heavy[face as usize]).collect();
        let thickness = crate::Thickness::from_total(0.01, 0.25);
        let desc = ClothDesc::new(mesh, light, thickness).with_face_material(faces, heavy);
        let topology = Topology::of_mesh(&desc.mesh).expect("a surface");
        let rest = RestGeometry::new(&desc).expect("faces");
        let mut expected = vec![0.0; 9];
        for (f, is_heavy) in desc.mesh.faces.iter().zip(is_heavy) {
            f.iter().for_each(|&v| expected[v as usize] += if is_heavy { 0.0625 } else { 0.015625 });
        }
        let masses = rest.masses(&topology, &desc.material_map());
        assert_eq!(masses, expected);
        assert_eq!(masses.iter().sum::<f32>(), 0.5 * 0.375 + 0.5 * 1.5);
    }

    #[test]
    fn warp_is_vertical_for_hanging_cloth_and_along_x_for_flat_cloth() {
        let hanging = [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]].map(Point3::from);
        let lying = [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 0.0, 1.0]].map(Point3::from);
        assert_eq!(grain(&hanging, &[[0, 1, 2]]), Vector3::y());
        assert_eq!(grain(&lying, &[[0, 1, 2]]), Vector3::x());
    }
}
