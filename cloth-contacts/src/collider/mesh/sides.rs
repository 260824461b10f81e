//! Normals of faces, edges and corners of a mesh, and whether it has two sides at all.
//!
//! The pseudo-normal of an edge is the sum of its faces' unit normals, that of a corner their sum weighted by
//! the angles at the corner: a point is outside just if it lies in front of the pseudo-normal of its nearest
//! feature.

use cloth_geom::Topology;
use cloth_geom::closest::TriangleFeature;
use nalgebra::{Point3, Vector3};

use super::MeshSides;
use crate::collider::ColliderError;

/// Unit normals of all features, and which features are rim.
pub(super) struct FeatureNormals {
    faces: Vec<Vector3<f64>>,
    /// For each face, those of its three edges, from corner `k` to the next.
    edges: Vec<[Vector3<f64>; 3]>,
    corners: Vec<[Vector3<f64>; 3]>,
    rim_edges: Vec<[bool; 3]>,
    rim_corners: Vec<[bool; 3]>,
}

impl FeatureNormals {
    /// Checks the faces as [`super::MeshShape::new`] says and adds up their normals.
    pub(super) fn new(
        points: &[Point3<f32>],
        faces: &[[u32; 3]],
        sides: MeshSides,
    ) -> Result<Self, ColliderError> {
        let topology = Topology::new(points.len(), faces)?;
        let at = |v: u32| points[v as usize].cast::<f64>();
        let mut normals = Vec::with_capacity(faces.len());
        for (k, &[a, b, c]) in faces.iter().enumerate() {
            let normal = (at(b) - at(a)).cross(&(at(c) - at(a))).try_normalize(0.0);
            normals.push(normal.ok_or(ColliderError::FaceWithoutArea(k))?);
        }
        if sides != MeshSides::TwoSided {
            check_edges(&topology, sides)?;
        }
        if sides == MeshSides::Closed && volume(faces, at) <= 0.0 {
            return Err(ColliderError::InsideOut);
        }
        Ok(Self::add_up(&topology, &at, normals))
    }

    fn add_up(topology: &Topology, at: &impl Fn(u32) -> Point3<f64>, faces: Vec<Vector3<f64>>) -> Self {
        let mut of_edges = vec![Vector3::zeros(); topology.edges().len()];
        let mut of_points = vec![Vector3::zeros(); topology.vertex_count()];
        let mut rim_points = vec![false; topology.vertex_count()];
        for (normal, (face, edges)) in faces.iter().zip(topology.faces().iter().zip(topology.face_edges())) {
            for k in 0..3 {
                let [p, q, r] = [0, 1, 2].map(|i| at(face[(k + i) % 3]));
                of_edges[edges[k] as usize] += normal;
                of_points[face[k] as usize] += normal * angle(&(q - p), &(r - p));
            }
        }
        let is_rim = |edge: u32| topology.edge_faces(edge as usize).len() == 1;
        for (edge, ends) in topology.edges().iter().enumerate().filter(|&(e, _)| is_rim(e as u32)) {
            debug_assert!(is_rim(edge as u32));
            ends.iter().for_each(|&v| rim_points[v as usize] = true);
        }
        // Where a sheet folds back onto itself sums vanish: the face's own normal is as good as any.
        let unit = |sum: &Vector3<f64>, own: &Vector3<f64>| sum.try_normalize(1.0e-9).unwrap_or(*own);
        let rows = || topology.faces().iter().zip(topology.face_edges()).zip(&faces);
        Self {
            edges: rows().map(|((_, e), n)| e.map(|e| unit(&of_edges[e as usize], n))).collect(),
            corners: rows().map(|((f, _), n)| f.map(|v| unit(&of_points[v as usize], n))).collect(),
            rim_edges: topology.face_edges().iter().map(|e| e.map(is_rim)).collect(),
            rim_corners: topology.faces().iter().map(|f| f.map(|v| rim_points[v as usize])).collect(),
            faces,
        }
    }

    pub(super) fn of_face(&self, face: usize) -> &Vector3<f64> {
        &self.faces[face]
    }

    pub(super) fn normal_at(&self, face: usize, feature: TriangleFeature) -> &Vector3<f64> {
        match feature {
            TriangleFeature::Face => &self.faces[face],
            TriangleFeature::Edge(k) => &self.edges[face][k as usize],
            TriangleFeature::Vertex(k) => &self.corners[face][k as usize],
        }
    }

    /// Whether the feature is an edge of one face only, or an end of such an edge.
    pub(super) fn is_rim(&self, face: usize, feature: TriangleFeature) -> bool {
        match feature {
            TriangleFeature::Face => false,
            TriangleFeature::Edge(k) => self.rim_edges[face][k as usize],
            TriangleFeature::Vertex(k) => self.rim_corners[face][k as usize],
        }
    }

    /// The edges (m) that have one face only, given the corners of the faces.
    pub(super) fn rim_of(&self, corners: &[[Point3<f64>; 3]]) -> Vec<[Point3<f64>; 2]> {
        let of_face = |(rim, face): (&[bool; 3], &[Point3<f64>; 3])| {
            let (rim, face) = (*rim, *face);
            (0..3).filter(move |&k| rim[k]).map(move |k| [face[k], face[(k + 1) % 3]])
        };
        self.rim_edges.iter().zip(corners).flat_map(of_face).collect()
    }

    pub(super) fn has_rim(&self) -> bool {
        self.rim_edges.iter().flatten().any(|&rim| rim)
    }
}

/// Two faces at an edge run through it in opposite directions; a closed mesh has two at every edge.
fn check_edges(topology: &Topology, sides: MeshSides) -> Result<(), ColliderError> {
    for (edge, &ends) in topology.edges().iter().enumerate() {
        let forward = |f: &&u32| {
            let face = topology.faces()[**f as usize];
            (0..3).any(|k| [face[k], face[(k + 1) % 3]] == ends)
        };
        let faces = topology.edge_faces(edge);
        let along = faces.iter().filter(forward).count();
        match faces.len() {
            1 if sides == MeshSides::Closed => return Err(ColliderError::Open(ends)),
            1 => {}
            2 if along == 1 => {}
            count => return Err(ColliderError::Edge(ends, count)),
        }
    }
    Ok(())
}

/// Six times the volume (m³) that the faces enclose, from one of the corners.
fn volume(faces: &[[u32; 3]], at: impl Fn(u32) -> Point3<f64>) -> f64 {
    let origin = at(faces[0][0]);
    let cone = |f: &[u32; 3]| {
        let [a, b, c] = f.map(|v| at(v) - origin);
        a.cross(&b).dot(&c)
    };
    faces.iter().map(cone).sum()
}

/// The angle (rad) between two vectors, through `libm`: the same bits everywhere.
fn angle(a: &Vector3<f64>, b: &Vector3<f64>) -> f64 {
    libm::atan2(a.cross(b).norm(), a.dot(b))
}
