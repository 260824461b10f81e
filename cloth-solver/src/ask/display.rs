//! Display meshes: a fine render mesh bound to a coarse simulated mesh.
//!
//! Each fine vertex is bound to the nearest point of the coarse surface by barycentric coordinates, and keeps
//! its offset in a frame there: the interpolated normal, the first edge of the triangle, and their cross
//! product. The bound pose is reproduced, rigid motion moves the fine mesh rigidly, and the shading of folds
//! stays smooth.

use cloth_geom::BoxTree;
use cloth_geom::closest::{PointTriangle, point_triangle};
use nalgebra::{Point3, Vector3};
use thiserror::Error;

/// Faces in a leaf of the tree that finds the nearest one.
const LEAF: usize = 4;

/// An error of binding or updating a display mesh.
#[derive(Clone, Debug, Error, PartialEq)]
#[non_exhaustive]
pub enum DisplayError {
    /// The coarse mesh has no valid faces.
    #[error("the simulated mesh has no usable faces: {0}; bind to one that has")]
    Coarse(String),
    /// A number of a vertex is not finite.
    #[error("the {what} of vertex {vertex} is {value:?}, which is not finite")]
    NotFinite {
        /// What of the vertex.
        what: &'static str,
        /// The vertex.
        vertex: usize,
        /// All numbers of it.
        value: Vec<f32>,
    },
    /// An index of a buffer refers to no vertex.
    #[error("index {at} of the buffer is vertex {vertex}, and there are {count}")]
    Index {
        /// Which index.
        at: usize,
        /// Its value.
        vertex: u32,
        /// How many vertices there are.
        count: usize,
    },
    /// An array has the wrong length.
    #[error("{what} has {got} entries, expected {expected}")]
    Length {
        /// The array.
        what: &'static str,
        /// Its length.
        got: usize,
        /// The length it should have.
        expected: usize,
    },
}

/// Binding of a fine vertex.
#[derive(Clone, Copy, Debug)]
struct Anchor {
    corners: [u32; 3],
    /// Barycentric coordinates of the nearest point.
    weights: [f32; 3],
    /// Offset (m) along the first edge, across, and along the normal.
    offset: Vector3<f32>,
}

/// A fine mesh bound to a coarse one.
///
/// ```
/// use cloth_geom::fixtures::sheet;
/// use cloth_solver::DisplayMesh;
/// use nalgebra::Vector3;
///
/// let (coarse, fine) = (sheet(5, 5, [1.0, 1.0])?.mesh, sheet(33, 33, [1.0, 1.0])?.mesh);
/// let mut display = DisplayMesh::bind(&coarse.positions_f32(), &coarse.faces, &fine.positions_f32())?;
/// let moved: Vec<_> = coarse.positions_f32().iter().map(|p| p + Vector3::y()).collect();
/// let mut drawn = Vec::new();
/// display.write_positions(&moved, &mut drawn)?;
/// assert!((drawn[500] - fine.positions_f32()[500] - Vector3::y()).norm() < 1e-6);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct DisplayMesh {
    coarse_count: usize,
    faces: Vec<[u32; 3]>,
    anchors: Vec<Anchor>,
    /// Normals of the coarse vertices, scratch.
    normals: Vec<Vector3<f32>>,
}

impl DisplayMesh {
    /// Binds the vertices `fine` (m) to a mesh with positions `coarse` (m) and `faces`, both in the same
    /// pose, preferably the rest pose. Takes about a microsecond per vertex.
    ///
    /// # Errors
    /// If the coarse mesh has no faces or an invalid one, or if a position is not finite.
    pub fn bind(
        coarse: &[Point3<f32>],
        faces: &[[u32; 3]],
        fine: &[Point3<f32>],
    ) -> Result<Self, DisplayError> {
        check_finite("position in the simulated mesh", coarse)?;
        check_finite("position in the display mesh", fine)?;
        if let Some(v) = faces.iter().flatten().find(|&&v| v as usize >= coarse.len()) {
            let text = format!("a face names vertex {v}, and there are {}", coarse.len());
            return Err(DisplayError::Coarse(text));
        }
        if faces.is_empty() {
            return Err(DisplayError::Coarse("there are none".to_owned()));
        }
        let surface = CoarseFaces::new(coarse, faces);
        let mut display = Self {
            coarse_count: coarse.len(),
            faces: faces.to_vec(),
            anchors: Vec::with_capacity(fine.len()),
            normals: Vec::new(),
        };
        display.find_normals(coarse);
        for p in fine {
            let (face, weights) = surface.nearest(p);
            let mut anchor = Anchor { corners: faces[face], weights, offset: Vector3::zeros() };
            let (origin, axes) = display.frame(&anchor, coarse);
            anchor.offset = axes.map(|axis| axis.dot(&(p - origin))).into();
            display.anchors.push(anchor);
        }
        Ok(display)
    }

    /// Number of vertices of the fine mesh.
    #[must_use]
    pub fn vertex_count(&self) -> usize {
        self.anchors.len()
    }

    /// Writes the positions (m) of the fine vertices for the positions `coarse` (m) of the simulated mesh,
    /// replacing the content of `fine`. Allocates nothing once the buffer is large enough.
    ///
    /// # Errors
    /// If there is not one position for each vertex of the coarse mesh.
    pub fn write_positions(
        &mut self,
        coarse: &[Point3<f32>],
        fine: &mut Vec<Point3<f32>>,
    ) -> Result<(), DisplayError> {
        check_length("positions of the simulated mesh", coarse.len(), self.coarse_count)?;
        self.find_normals(coarse);
        fine.clear();
        fine.extend(self.anchors.iter().map(|anchor| {
            let (origin, [along, across, up]) = self.frame(anchor, coarse);
            origin + along * anchor.offset.x + across * anchor.offset.y + up * anchor.offset.z
        }));
        Ok(())
    }

    fn find_normals(&mut self, coarse: &[Point3<f32>]) {
        self.normals.clear();
        self.normals.resize(coarse.len(), Vector3::zeros());
        for face in &self.faces {
            let [a, b, c] = face.map(|v| coarse[v as usize]);
            let area = (b - a).cross(&(c - a));
            face.iter().for_each(|&v| self.normals[v as usize] += area);
        }
    }

    /// The point that a vertex is bound to, and three orthogonal unit vectors there.
    fn frame(&self, anchor: &Anchor, coarse: &[Point3<f32>]) -> (Point3<f32>, [Vector3<f32>; 3]) {
        let corners = anchor.corners.map(|v| coarse[v as usize].coords);
        let origin = (0..3).map(|k| corners[k] * anchor.weights[k]).sum::<Vector3<f32>>();
        let unit = |v: Vector3<f32>, or: Vector3<f32>| v.try_normalize(0.0).unwrap_or(or);
        let normal = |k: usize| unit(self.normals[anchor.corners[k] as usize], Vector3::zeros());
        let sum = (0..3).map(|k| normal(k) * anchor.weights[k]).sum::<Vector3<f32>>();
        let face = (corners[1] - corners[0]).cross(&(corners[2] - corners[0]));
        let up = unit(sum, unit(face, Vector3::y()));
        let edge = corners[1] - corners[0];
        let along = unit(edge - up * edge.dot(&up), any_across(&up));
        (origin.into(), [along, up.cross(&along), up])
    }
}

/// The faces of a coarse mesh, for the nearest point on them.
struct CoarseFaces {
    tree: BoxTree,
    /// The corners (m) of the faces.
    corners: Vec<[Point3<f64>; 3]>,
}

impl CoarseFaces {
    /// From finite positions (m) and at least one face, all of whose corners are among them.
    fn new(positions: &[Point3<f32>], faces: &[[u32; 3]]) -> Self {
        let corners: Vec<_> = faces.iter().map(|face| face.map(|v| positions[v as usize].cast())).collect();
        Self { tree: BoxTree::new(&corners, LEAF), corners }
    }

    /// The face nearest to a finite point, and the barycentric coordinates of the nearest point on it. Of
    /// faces that are equally near one is chosen, always the same.
    fn nearest(&self, p: &Point3<f32>) -> (usize, [f32; 3]) {
        let p = p.cast();
        let mut best: Option<(usize, PointTriangle<f64>)> = None;
        let reach_sq = |best: &Option<(usize, PointTriangle<f64>)>| {
            best.as_ref().map_or(f64::INFINITY, |(_, found)| found.distance_sq)
        };
        self.tree.visit_near(&p, f64::INFINITY, |place| {
            let face = self.tree.order()[place] as usize;
            let found = point_triangle(&p, self.corners[face].each_ref());
            if found.distance_sq < reach_sq(&best) {
                best = Some((face, found));
            }
            reach_sq(&best)
        });
        best.map_or((0, [1.0, 0.0, 0.0]), |(face, found)| (face, found.weights.map(|w| w as f32)))
    }
}

/// A unit vector across another.
pub(crate) fn any_across(up: &Vector3<f32>) -> Vector3<f32> {
    let mut axis = Vector3::zeros();
    axis[up.iamin()] = 1.0;
    up.cross(&axis).normalize()
}

/// Checks that vertices have finite numbers; `what` names them in the message.
pub(crate) fn check_finite<const N: usize, V: Copy + Into<[f32; N]>>(
    what: &'static str,
    vertices: &[V],
) -> Result<(), DisplayError> {
    let is_finite = |vertex: &V| (*vertex).into().iter().all(|c| c.is_finite());
    match vertices.iter().position(|vertex| !is_finite(vertex)) {
        Some(vertex) => {
            Err(DisplayError::NotFinite { what, vertex, value: vertices[vertex].into().to_vec() })
        }
        None => Ok(()),
    }
}

/// Checks the length of an array; `what` names it in the message.
pub(crate) fn check_length(what: &'static str, got: usize, expected: usize) -> Result<(), DisplayError> {
    if got == expected { Ok(()) } else { Err(DisplayError::Length { what, got, expected }) }
}

#[cfg(test)]
mod tests {
    use cloth_geom::fixtures;
    use nalgebra::{Isometry3, Translation3, UnitQuaternion};

    use super::*;

    /// A coarse ball, its faces, and the vertices of a fine one.
    type Balls = (Vec<Point3<f32>>, Vec<[u32; 3]>, Vec<Point3<f32>>);

    fn balls() -> Balls {
        let (coarse, fine) = (fixtures::icosphere(2, 0.3), fixtures::icosphere(4, 0.31));
        let (coarse, fine) = (coarse.expect("a ball"), fine.expect("a ball"));
        (coarse.positions_f32(), coarse.faces, fine.positions_f32())
    }

    fn farthest(a: &[Point3<f32>], b: &[Point3<f32>]) -> f32 {
        assert_eq!(a.len(), b.len());
        a.iter().zip(b).map(|(p, q)| (p - q).norm()).fold(0.0, f32::max)
    }

    #[test]
    fn the_bound_pose_is_reproduced_and_rigid_motion_moves_all_rigidly() {
        let (coarse, faces, fine) = balls();
        let mut display = DisplayMesh::bind(&coarse, &faces, &fine).expect("a mesh");
        let mut drawn = Vec::new();
        display.write_positions(&coarse, &mut drawn).expect("as many");
        assert!(farthest(&drawn, &fine) < 1e-6);
        let turn = UnitQuaternion::from_euler_angles(0.3, -1.2, 2.0);
        let motion = Isometry3::from_parts(Translation3::new(0.5, 1.0, -2.0), turn);
        let moved = |points: &[Point3<f32>]| points.iter().map(|p| motion * p).collect::<Vec<_>>();
        display.write_positions(&moved(&coarse), &mut drawn).expect("as many");
        assert!(farthest(&drawn, &moved(&fine)) < 2e-6);
        // A ball blown up to twice its size: what lay outside stays outside, by as much.
        let doubled: Vec<_> = coarse.iter().map(|p| p * 2.0).collect();
        display.write_positions(&doubled, &mut drawn).expect("as many");
        for (p, q) in drawn.iter().zip(&fine) {
            assert!((p.coords.norm() - 2.0 * q.coords.norm() + 0.01).abs() < 0.012, "{p}");
        }
    }

    #[test]
    fn the_nearest_face_is_that_of_a_search_of_all() {
        let (mut coarse, mut faces, mut points) = balls();
        // A face without area, one of a single point, and one that is there twice.
        faces.extend([[0, 1, 0], [7, 7, 7], faces[3]]);
        coarse.push(Point3::new(0.0, 1.0e20, 0.0));
        faces.push([5, 6, coarse.len() as u32 - 1]);
        // The inside, what lies on vertices and edges, and far away.
        points.extend(coarse.iter().flat_map(|p| [*p, p * 0.3, p * 1.0e6]));
        points.extend(
            faces.iter().map(|face| nalgebra::center(&coarse[face[0] as usize], &coarse[face[1] as usize])),
        );
        let surface = CoarseFaces::new(&coarse, &faces);
        for p in &points {
            let on = |corners: &[Point3<f64>; 3]| point_triangle(&p.cast(), corners.each_ref());
            let least = surface.corners.iter().map(|c| on(c).distance_sq).fold(f64::INFINITY, f64::min);
            let (face, weights) = surface.nearest(p);
            let found = on(&surface.corners[face]);
            assert_eq!(found.distance_sq, least, "{p}");
            assert_eq!(weights, found.weights.map(|w| w as f32), "{p}");
        }
    }

    #[test]
    fn what_cannot_be_bound_is_refused() {
        let (coarse, faces, mut fine) = balls();
        let mut display = DisplayMesh::bind(&coarse, &faces, &fine).expect("a mesh");
        assert_eq!(display.vertex_count(), fine.len());
        assert!(display.write_positions(&coarse[1..], &mut Vec::new()).is_err());
        let refused = DisplayMesh::bind(&coarse, &[], &fine).expect_err("no faces");
        assert!(refused.to_string().contains("there are none"), "{refused}");
        assert!(matches!(DisplayMesh::bind(&coarse, &[[0, 1, 9999]], &fine), Err(DisplayError::Coarse(_))));
        fine[3].y = f32::NAN;
        let refused = DisplayMesh::bind(&coarse, &faces, &fine).expect_err("not finite");
        assert!(refused.to_string().contains("display mesh of vertex 3"), "{refused}");
    }

    #[test]
    fn a_face_that_has_collapsed_moves_nothing_to_infinity() {
        let (coarse, faces, fine) = balls();
        let mut display = DisplayMesh::bind(&coarse, &faces, &fine).expect("a mesh");
        let mut drawn = Vec::new();
        display
            .write_positions(&vec![Point3::new(1.0, 2.0, 3.0); coarse.len()], &mut drawn)
            .expect("as many");
        assert!(drawn.iter().all(|p| (p - Point3::new(1.0, 2.0, 3.0)).norm() < 0.1));
    }
}
