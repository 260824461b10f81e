//! The skin at the bind pose: its surface, its vertices, and samples of equal area.

use cloth_geom::surface_tree::{INSIDE, SurfaceTree};
use cloth_geom::{Aabb, DisjointSets};
use nalgebra::{Point3, Vector3};

use super::ProxyError;
use crate::{Affine, Character, Skin};

/// Samples per square of the height: about 5,000 on a human, whose skin is 0.7 of that square.
const DENSITY: f64 = 7000.0;

/// How far from the surface the visibility of a point of the skin is decided, relative to the height: 1.7 mm
/// on a human.
const OFFSET: f64 = 1.0e-3;

/// Distances of the points in free space from the skin, relative to the height: 20, 50 and 100 mm on a human.
const SHELLS: [f64; 3] = [0.012, 0.03, 0.06];

/// Every so many points of the skin have points in free space.
const FREE_STRIDE: usize = 2;

/// A point of the skin.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Sample {
    pub(super) position: Point3<f64>,
    /// The joint that dominates it.
    pub(super) joint: usize,
    /// Whether it is outside of every other part of the skin.
    pub(super) is_visible: bool,
}

/// The skin of a character in one pose.
#[derive(Debug, Default)]
pub(super) struct PosedSkin {
    /// The world matrices of the joints.
    pub(super) world: Vec<Affine>,
    /// All vertices that a face uses, merged where the file splits them; all vertices of a mesh without
    /// faces.
    pub(super) vertices: Vec<Sample>,
    /// Points of the faces, each for the same area.
    pub(super) areas: Vec<Sample>,
    /// Points outside of the skin, at the distances [`SHELLS`] along the normals of visible points of
    /// `areas`.
    pub(super) free: Vec<Point3<f64>>,
    pub(super) surface: SurfaceTree,
    /// The vertical extent, or the largest if that is zero, m.
    pub(super) height: f64,
}

impl PosedSkin {
    /// Poses the skin by world matrices of the joints; `height` replaces the measured height.
    pub(super) fn new(
        character: &Character,
        world: Vec<Affine>,
        height: Option<f64>,
    ) -> Result<Self, ProxyError> {
        let meshes: Vec<Part> = character.meshes.iter().map(|mesh| Part::new(mesh, &world)).collect();
        let bounds = Aabb::of_points(meshes.iter().flat_map(|part| part.positions.iter().copied()));
        let has_vertices = meshes.iter().any(|part| !part.positions.is_empty());
        let sides = if has_vertices { bounds.max - bounds.min } else { Vector3::zeros() };
        if !sides.norm().is_finite() || !world.iter().all(Affine::is_finite) {
            return Err(ProxyError::NotFinite);
        }
        let measured = if sides.y > 0.0 { sides.y } else { sides.max() };
        let mut skin = Self { world, height: height.unwrap_or(measured), ..Self::default() };
        skin.surface = SurfaceTree::new(meshes.iter().flat_map(Part::triangles));
        for part in &meshes {
            skin.add_vertices(part);
            skin.add_areas(part);
        }
        Ok(skin)
    }

    /// Whether a point is outside of the skin, and not much nearer to it than to the point whose normal leads
    /// to it: between chin and chest it may be nearer.
    fn is_free(&self, point: &Point3<f64>, distance: f64) -> bool {
        self.surface.distance(point) > 0.4 * distance && self.surface.winding_number(point) <= INSIDE
    }

    /// Whether a point just outside of the surface, in the direction of its normal, is outside of all parts.
    fn is_visible(&self, position: &Point3<f64>, normal: &Vector3<f64>) -> bool {
        let outward = normal.try_normalize(0.0).unwrap_or_default();
        self.surface.winding_number(&(position + outward * (OFFSET * self.height))) <= INSIDE
    }

    fn add_vertices(&mut self, part: &Part) {
        let normals = part.vertex_normals();
        for (vertex, position) in part.positions.iter().enumerate() {
            let Some(joint) = part.skin.dominant_joint(vertex).filter(|_| part.is_used[vertex]) else {
                continue;
            };
            let is_visible = self.is_visible(position, &normals[vertex]);
            self.vertices.push(Sample { position: *position, joint, is_visible });
        }
    }

    /// Walks over the faces and places a sample whenever the area grows by that of one, at points of a
    /// sequence that fills a triangle evenly.
    fn add_areas(&mut self, part: &Part) {
        let step = self.height * self.height / DENSITY;
        // The first sample after half a step, so that the rest of the area is as often above as below.
        let (mut area, mut number) = (step / 2.0, 0u32);
        for (face, triangle) in part.faces.iter().zip(part.triangles()) {
            let normal = (triangle[1] - triangle[0]).cross(&(triangle[2] - triangle[0]));
            area += normal.norm() / 2.0;
            if step <= 0.0 || !area.is_finite() {
                return;
            }
            while area >= step {
                area -= step;
                number += 1;
                let weights = place_in_triangle(number);
                let position =
                    Point3::from((0..3).map(|k| triangle[k].coords * weights[k]).sum::<Vector3<f64>>());
                let nearest =
                    face[(0..3).fold(0, |best, k| if weights[k] > weights[best] { k } else { best })];
                let Some(joint) = part.skin.dominant_joint(nearest as usize) else { continue };
                let is_visible = self.is_visible(&position, &normal);
                self.areas.push(Sample { position, joint, is_visible });
                let outward = normal.try_normalize(0.0).unwrap_or_default();
                for shell in SHELLS.map(|s| s * self.height) {
                    let point = position + outward * shell;
                    if is_visible
                        && self.areas.len().is_multiple_of(FREE_STRIDE)
                        && self.is_free(&point, shell)
                    {
                        self.free.push(point);
                    }
                }
            }
        }
    }
}

/// Barycentric weights of a point of the R2 sequence (Roberts 2018), folded into the triangle.
fn place_in_triangle(number: u32) -> [f64; 3] {
    /// The inverse of the plastic number, and its square.
    const STEPS: [f64; 2] = [0.754_877_666_246_692_8, 0.569_840_290_998_053_3];
    let [mut u, mut v] = STEPS.map(|s| (f64::from(number) * s).fract());
    if u + v > 1.0 {
        (u, v) = (1.0 - u, 1.0 - v);
    }
    [1.0 - u - v, u, v]
}

/// One mesh, merged and posed.
struct Part {
    skin: Skin,
    positions: Vec<Point3<f64>>,
    faces: Vec<[u32; 3]>,
    /// Whether a face uses a vertex; all are if there is no face.
    is_used: Vec<bool>,
}

impl Part {
    fn new(mesh: &crate::CharacterMesh, world: &[Affine]) -> Self {
        let (merged, _) = mesh.merge_vertices();
        let count = merged.skin.joints().iter().map(|&joint| joint + 1).max().unwrap_or(0);
        let mut maps = vec![Affine::IDENTITY; count];
        for (&joint, bind) in merged.skin.joints().iter().zip(merged.skin.inverse_binds()) {
            maps[joint] = world.get(joint).copied().unwrap_or_default() * *bind;
        }
        let positions: Vec<Point3<f64>> =
            (0..merged.skin.len()).map(|v| pose(&merged.skin, &maps, v)).collect();
        let mut is_used = vec![merged.faces.is_empty(); positions.len()];
        merged.faces.iter().flatten().for_each(|&v| is_used[v as usize] = true);
        let mut part = Self { skin: merged.skin, positions, faces: merged.faces, is_used };
        part.turn_outward();
        part
    }

    fn triangles(&self) -> impl Iterator<Item = [Point3<f64>; 3]> {
        self.faces.iter().map(|face| face.map(|v| self.positions[v as usize]))
    }

    /// The sum of the normals times areas around each vertex.
    fn vertex_normals(&self) -> Vec<Vector3<f64>> {
        let mut normals = vec![Vector3::zeros(); self.positions.len()];
        for (face, [a, b, c]) in self.faces.iter().zip(self.triangles()) {
            let normal = (b - a).cross(&(c - a));
            face.iter().for_each(|&v| normals[v as usize] += normal);
        }
        normals
    }

    /// Reverses the faces of connected pieces whose volume is negative: mirrored parts, and files with the
    /// other orientation.
    fn turn_outward(&mut self) {
        let mut pieces = DisjointSets::new(self.positions.len());
        for &[a, b, c] in &self.faces {
            pieces.join(a, b);
            pieces.join(b, c);
        }
        let mut volumes = vec![0.0; self.positions.len()];
        for (face, [a, b, c]) in self.faces.iter().zip(self.triangles()) {
            let piece = pieces.find(face[0]) as usize;
            let origin = self.positions[piece];
            volumes[piece] += (a - origin).dot(&(b - origin).cross(&(c - origin)));
        }
        for face in &mut self.faces {
            if volumes[pieces.find(face[0]) as usize] < 0.0 {
                face.swap(1, 2);
            }
        }
    }
}

/// Where a vertex is; the map of a joint is its world matrix times its inverse bind matrix.
fn pose(skin: &Skin, maps: &[Affine], vertex: usize) -> Point3<f64> {
    let at_rest = skin.positions()[vertex].cast::<f64>();
    let moved =
        skin.influences(vertex).map(|(joint, w)| maps[joint].transform_point(&at_rest).coords * f64::from(w));
    Point3::from(moved.sum::<Vector3<f64>>())
}
