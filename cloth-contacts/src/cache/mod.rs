//! Contact cache: a set of contact pairs that is computed once and solved in every step (Lewin 2018, section
//! 5.2).
//!
//! Between layers that lie on each other the set of nearest faces hardly changes. For each vertex the nearest
//! face of the next layer outward and of the next layer inward is computed once, when a simulation is built
//! or in a preprocess. A step then needs no detection: it evaluates the pairs, and the order of the layers
//! gives their sides.
//!
//! In the paper the pairs are fixed, and layers drag on each other when they slide. Here a pair may follow
//! its vertex: if the foot point of the vertex has left the face across an edge, the pair moves to the
//! adjacent face,
//!
//! ```text
//!        * v                  * v
//!    ____:____ ____   -->  ____:____     at most one face per step, a dozen operations;
//!    \  f \  g /\          \  f \  g /   beyond the border of the layer the pair is inactive until v returns
//! ```
//!
//! so that each pair stays local to its vertex.

mod contacts;
mod foot_points;
#[cfg(test)]
mod reference;

pub use contacts::CachedContacts;

use std::cmp::Ordering;

use cloth_broadphase::{BlockTree, Boxes, BroadPhase, PairFilter};
use cloth_geom::Aabb;
use cloth_geom::closest::point_triangle as closest_on_triangle;
use nalgebra::Point3;
use thiserror::Error;

use crate::Surface;
use crate::layers::VertexNormals;

/// Pairs of a vertex and a face of another layer, for one surface.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ContactCache {
    fingerprint: u64,
    pairs: Vec<CachedPair>,
}

/// A vertex and a face of another layer.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CachedPair {
    /// The vertex.
    pub vertex: u32,
    /// The face.
    pub face: u32,
    /// How far (m) the vertex was from the plane of the face in the pose that the cache was computed in: what
    /// was authored closer than the cloth is thick stays so.
    pub distance: f32,
}

/// Why a contact cache cannot be used.
#[derive(Clone, Debug, Error, PartialEq)]
#[non_exhaustive]
pub enum CacheError {
    /// It was computed for something else.
    #[error(
        "the contact cache belongs to other meshes or layers (fingerprint {got:016x}, expected \
         {expected:016x}); compute it again"
    )]
    Fingerprint {
        /// The fingerprint in the cache.
        got: u64,
        /// The fingerprint of the surface.
        expected: u64,
    },
    /// A pair names a vertex or a face that does not exist, or is not of two layers.
    #[error(
        "pair {place} of the contact cache, vertex {vertex} and face {face} at {distance} m, is not a pair \
         of two layers with a valid distance; compute the cache again"
    )]
    Pair {
        /// Its place in the cache.
        place: usize,
        /// Its vertex.
        vertex: u32,
        /// Its face.
        face: u32,
        /// Its distance (m).
        distance: f32,
    },
    /// There are no layers.
    #[error("no contact cache without layers: give at least two cloths a layer")]
    NoLayers,
    /// The pose does not fit the surface, or is not finite.
    #[error(
        "the pose for the contact cache has {got} finite positions, but the surface has {expected} vertices"
    )]
    Pose {
        /// Usable positions.
        got: usize,
        /// Vertices of the surface.
        expected: usize,
    },
    /// The reach is negative or not finite.
    #[error("the reach of the contact cache is {0} m; it must be finite and not negative")]
    Reach(f32),
}

impl ContactCache {
    /// Finds for each vertex, in a pose (m), the nearest face of the next layer outward and of the next layer
    /// inward within `reach` (m) that has a similar orientation.
    ///
    /// # Errors
    /// If the surface has no layers, if the pose does not match it, or if the reach is negative or not
    /// finite.
    pub fn compute(surface: &Surface, pose: &[Point3<f32>], reach: f32) -> Result<Self, CacheError> {
        if surface.layers.is_empty() {
            return Err(CacheError::NoLayers);
        }
        let expected = surface.vertex_count();
        let got = pose.iter().filter(|p| p.iter().all(|c| c.is_finite())).count();
        if got != expected || pose.len() != expected {
            return Err(CacheError::Pose { got, expected });
        }
        if !(reach.is_finite() && reach >= 0.0) {
            return Err(CacheError::Reach(reach));
        }
        let mut near = near_pairs(surface, pose, reach);
        // By vertex, then inward before outward, then the next layer first, then the nearest face.
        near.sort_by(|p, q| {
            (p.vertex, p.outward, p.steps)
                .cmp(&(q.vertex, q.outward, q.steps))
                .then(p.distance_sq.total_cmp(&q.distance_sq).then(p.face.cmp(&q.face)))
        });
        near.dedup_by_key(|p| (p.vertex, p.outward));
        Ok(Self { fingerprint: surface.fingerprint(), pairs: near.iter().map(NearbyPair::pair).collect() })
    }

    /// A cache from pairs computed before, verified against a surface.
    ///
    /// # Errors
    /// If the fingerprint is that of another surface, if a pair is not of two layers, or if its distance is
    /// negative or not finite.
    pub fn from_pairs(
        surface: &Surface,
        fingerprint: u64,
        pairs: Vec<CachedPair>,
    ) -> Result<Self, CacheError> {
        let expected = surface.fingerprint();
        if fingerprint != expected {
            return Err(CacheError::Fingerprint { got: fingerprint, expected });
        }
        let fits = |&CachedPair { vertex, face, distance }: &CachedPair| {
            let inside = (vertex as usize) < surface.vertex_count()
                && (face as usize) < surface.topology.faces().len();
            let length = distance.is_finite() && distance >= 0.0;
            inside && length && surface.layers.point_triangle([vertex, face]).is_some()
        };
        match pairs.iter().position(|pair| !fits(pair)) {
            Some(place) => {
                let CachedPair { vertex, face, distance } = pairs[place];
                Err(CacheError::Pair { place, vertex, face, distance })
            }
            None => Ok(Self { fingerprint, pairs }),
        }
    }

    /// A cache from unverified data, for example from a file; [`Self::from_pairs`] verifies it against a
    /// surface.
    #[must_use]
    pub fn unchecked(fingerprint: u64, pairs: Vec<CachedPair>) -> Self {
        Self { fingerprint, pairs }
    }

    /// Distinguishes surfaces by faces, layers and the parts that vertices belong to.
    #[must_use]
    pub fn fingerprint(&self) -> u64 {
        self.fingerprint
    }

    /// The pairs, by vertex.
    #[must_use]
    pub fn pairs(&self) -> &[CachedPair] {
        &self.pairs
    }
}

/// A vertex and a face of another layer near it.
struct NearbyPair {
    vertex: u32,
    face: u32,
    /// Whether the face lies outside.
    outward: bool,
    /// Number of layers from one to the other: 1 for adjacent layers.
    steps: u16,
    distance_sq: f32,
    /// Height (m) of the vertex over the plane of the face.
    height: f32,
}

impl NearbyPair {
    fn pair(&self) -> CachedPair {
        CachedPair { vertex: self.vertex, face: self.face, distance: self.height }
    }
}

fn near_pairs(surface: &Surface, pose: &[Point3<f32>], reach: f32) -> Vec<NearbyPair> {
    let at = |v: u32| &pose[v as usize];
    let mut normals = VertexNormals::default();
    normals.measure(&surface.topology, pose);
    let faces = surface.topology.faces();
    let around = |vertices: &[u32]| Aabb::of_points(vertices.iter().map(|&v| at(v).map(f64::from)));
    let (mut of_faces, mut of_vertices) = (Boxes::default(), Boxes::default());
    let grown = |v: u32| around(&[v]).inflated(f64::from(reach));
    let made = of_faces.refill(faces.iter().map(|f| around(f))).is_ok()
        && of_vertices.refill((0..pose.len() as u32).map(grown)).is_ok();
    // Boxes of finite corners are valid.
    if !made {
        return Vec::new();
    }
    let mut tree = BlockTree::default();
    tree.update(&of_faces);
    let mut near = Vec::new();
    tree.visit_pairs_with(&of_vertices, &PairFilter::all(), &mut |face, vertex| {
        let (rank, other) = (surface.layers.of_vertex(vertex), surface.layers.of_face(face));
        let (Some(rank), Some(other)) = (rank, other) else { return };
        let outward = match other.cmp(&rank) {
            Ordering::Equal => return,
            order => order == Ordering::Greater,
        };
        let corners = faces[face as usize];
        let closest = closest_on_triangle(at(vertex), corners.map(at));
        let looks = normals.between(&[vertex], &[1.0]).dot(&normals.between(&corners, &closest.weights));
        if closest.distance_sq <= reach * reach && looks > 0.0 {
            let steps = other.abs_diff(rank);
            let [a, b, c] = corners.map(at);
            let plane = (b - a).cross(&(c - a)).try_normalize(0.0).unwrap_or_default();
            let height = plane.dot(&(at(vertex) - a)).abs();
            near.push(NearbyPair { vertex, face, outward, steps, distance_sq: closest.distance_sq, height });
        }
    });
    near
}
