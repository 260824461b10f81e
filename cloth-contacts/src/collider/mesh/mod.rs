//! Nearest point on a triangle mesh, and further contact planes.
//!
//! Distances are computed in `f64` with a tree of boxes ([`BoxTree`]). The angle-weighted pseudo-normal of
//! the nearest feature decides inside or outside (Baerentzen and Aanaes 2005), correctly for every closed
//! mesh without self-intersections.

mod depth;
mod sides;
mod walls;

use std::sync::Arc;

use cloth_geom::BoxTree;
use cloth_geom::closest::{TriangleFeature, point_triangle};
use nalgebra::{Point3, Vector3};

use self::sides::FeatureNormals;
use super::{ColliderError, Nearest, bounds_of, check_points};

/// Faces in a leaf of the tree.
const LEAF: usize = 4;

/// Which sides of a mesh are solid.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MeshSides {
    /// A solid; faces are counter-clockwise viewed from outside.
    Closed,
    /// Everything behind a face is solid; faces are counter-clockwise viewed from the front. Nothing is solid
    /// beyond the border. For ground and walls.
    OneSided,
    /// A sheet: points stay on the side on which they start the step. One that a step leaves behind the sheet
    /// stays there.
    TwoSided,
}

/// A triangle mesh as a collider; clones share it.
#[derive(Clone)]
pub struct MeshShape(Arc<Mesh>);

struct Mesh {
    corners: Vec<[Point3<f64>; 3]>,
    sides: MeshSides,
    normals: FeatureNormals,
    tree: BoxTree,
    /// Of the edges with one face, where the surface has one side.
    border: BoxTree,
    bounds: [Point3<f32>; 2],
    has_border: bool,
}

/// The nearest point of a mesh.
#[derive(Clone, Copy)]
struct Foot {
    face: usize,
    feature: TriangleFeature,
    at: Point3<f64>,
    distance_sq: f64,
}

impl MeshShape {
    /// A mesh of `faces` over `points` (m).
    ///
    /// # Errors
    /// If there are no faces, a point is not finite, or a face has an index out of range or zero area; for a
    /// closed mesh if it has holes or faces that point inward; for all but two-sided meshes if the
    /// orientations of faces disagree.
    pub fn new(points: &[Point3<f32>], faces: &[[u32; 3]], sides: MeshSides) -> Result<Self, ColliderError> {
        if faces.is_empty() {
            return Err(ColliderError::Empty("mesh"));
        }
        check_points(points)?;
        let normals = FeatureNormals::new(points, faces, sides)?;
        let wide: Vec<Point3<f64>> = points.iter().map(|p| p.cast()).collect();
        let corners: Vec<[Point3<f64>; 3]> = faces.iter().map(|f| f.map(|v| wide[v as usize])).collect();
        let bounds = bounds_of(faces.iter().flatten().map(|&v| &points[v as usize]));
        let has_border = normals.has_rim();
        let tree = BoxTree::new(&corners, LEAF);
        let border = match sides {
            MeshSides::OneSided => BoxTree::new(&normals.rim_of(&corners), LEAF),
            MeshSides::Closed | MeshSides::TwoSided => BoxTree::default(),
        };
        Ok(Self(Arc::new(Mesh { tree, border, corners, sides, normals, bounds, has_border })))
    }

    /// Which sides are solid.
    #[must_use]
    pub fn sides(&self) -> MeshSides {
        self.0.sides
    }

    /// The corners (m) of the faces.
    pub fn faces(&self) -> impl ExactSizeIterator<Item = [Point3<f64>; 3]> + '_ {
        self.0.corners.iter().copied()
    }

    /// Whether the nearest point lies on an edge that has one face only.
    pub(super) fn rim_is_nearest(&self, p: &Point3<f64>) -> bool {
        let foot = self.0.foot(p, f64::INFINITY, |_| true);
        foot.is_some_and(|foot| self.0.normals.is_rim(foot.face, foot.feature))
    }

    /// The box around the solid; `None` if the solid behind a face is unbounded.
    pub(super) fn bounds(&self) -> Option<[Point3<f32>; 2]> {
        let endless = self.0.sides == MeshSides::OneSided && self.0.has_border;
        if endless { None } else { Some(self.0.bounds) }
    }

    pub(super) fn nearest(&self, p: &Point3<f32>) -> Nearest {
        let wide = p.cast::<f64>();
        match self.0.foot(&wide, f64::INFINITY, |_| true) {
            Some(foot) => {
                let (normal, distance) = self.0.stand(&wide, &foot);
                Nearest { normal: normal.cast(), distance: distance as f32 }
            }
            // Only a point with a NaN coordinate has no nearest face.
            None => Nearest { normal: Vector3::y(), distance: f32::INFINITY },
        }
    }
}

impl Mesh {
    /// The nearest point of all faces within `reach_sq` (m²) whose nearest point is `wanted`.
    fn foot(&self, p: &Point3<f64>, reach_sq: f64, wanted: impl Fn(&Foot) -> bool) -> Option<Foot> {
        let mut best: Option<Foot> = None;
        self.tree.visit_near(p, reach_sq, |place| {
            let face = self.tree.order()[place] as usize;
            let [a, b, c] = &self.corners[face];
            let found = point_triangle(p, [a, b, c]);
            let least = best.map_or(reach_sq, |b| b.distance_sq);
            if found.distance_sq < least {
                let [u, v, w] = found.weights;
                let at = Point3::from(a.coords * u + b.coords * v + c.coords * w);
                let foot = Foot { face, feature: found.feature, at, distance_sq: found.distance_sq };
                if wanted(&foot) {
                    best = Some(foot);
                }
            }
            best.map_or(reach_sq, |b| b.distance_sq)
        });
        best
    }

    /// The normal and the signed distance (m) of a point with this nearest point.
    fn stand(&self, p: &Point3<f64>, foot: &Foot) -> (Vector3<f64>, f64) {
        let away = p - foot.at;
        let distance = away.norm();
        let outward = self.normals.normal_at(foot.face, foot.feature);
        let behind = match self.sides {
            MeshSides::TwoSided => false,
            MeshSides::OneSided if self.normals.is_rim(foot.face, foot.feature) => false,
            MeshSides::Closed | MeshSides::OneSided => outward.dot(&away) < 0.0,
        };
        let signed = if behind { -distance } else { distance };
        // Nearer than this the direction is rounding, and any normal of the feature will do.
        let rounding = 1.0e-9 * p.coords.amax().max(foot.at.coords.amax());
        let normal = if distance <= rounding { *outward } else { away / signed };
        (normal, signed)
    }
}

impl std::fmt::Debug for MeshShape {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Mesh { corners, sides, .. } = &*self.0;
        f.debug_struct("MeshShape")
            .field("faces", &corners.len())
            .field("sides", sides)
            .finish_non_exhaustive()
    }
}

impl PartialEq for MeshShape {
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }
}
