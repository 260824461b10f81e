//! The traversal: a patch against itself, neighbours against each other, and pairs of faces where nothing is
//! proved.
//!
//! ```text
//! self test of p        certified: done              else: both halves, and one against the other
//! test of p and q       boxes apart, or both         else: split the larger
//!                       together certified: done
//! two leaves            pairs of faces whose boxes overlap
//! ```
//!
//! The self tests and the tests of neighbours are the self-collision test tree of Schvartzman et al. 2010,
//! walked without being stored: its inner nodes follow from the tree of patches and their borders.

use std::ops::ControlFlow;

use cloth_geom::Aabb;
use nalgebra::Point3;
use thiserror::Error;

use super::patch_tree::Patch;
use super::seam::{Seam, Seams};
use super::separating_plane::SeparatingPlane;
use super::{Certificate, Contour, PatchTree};

/// Smallest number of faces for which adjacency of two patches is determined without a common view: patches
/// that are not adjacent need no tests of their parts.
const MIN_SEAM_FACES: u32 = 32;

/// A test that is due: of a patch with itself, or of two patches with each other.
#[derive(Clone, Copy, Debug)]
struct PatchTest {
    p: u32,
    q: u32,
    shared_border: SharedBorder,
}

/// What is known of the two patches of a test.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum SharedBorder {
    Nothing,
    /// Together they are a patch that was not certified.
    Siblings,
    /// They have no border in common.
    Apart,
}

/// What came of the attempt to certify two patches together.
enum PairVerdict {
    Certified,
    Apart,
    Unknown,
}

/// Errors of a culling query.
#[derive(Clone, Debug, Error, PartialEq)]
#[non_exhaustive]
pub enum CullError {
    /// The positions do not belong to the patches.
    #[error("{positions} positions for a mesh of {vertices} vertices; pass one position for each vertex")]
    PositionCount {
        /// Number of positions.
        positions: usize,
        /// Number of vertices of the mesh.
        vertices: usize,
    },
    /// A vertex of a face has a coordinate that is NaN or infinite.
    #[error(
        "vertex {vertex} is at {position}, which is not finite; check the file or simulation it comes from"
    )]
    NotFinite {
        /// The vertex.
        vertex: usize,
        /// Its position (m).
        position: Point3<f64>,
    },
}

/// Finds the pairs of faces of one mesh that may intersect, pose after pose, skipping patches that are
/// certified free of self-intersection.
///
/// Every pair of faces with an intersection is visited: an edge of one and the other face that share no
/// vertex and have a point in common, both closed; also pairs that lie flat on each other across a common
/// edge. The visited set depends on the pose alone.
#[derive(Clone, Debug)]
pub struct Culler<C: Certificate> {
    tree: PatchTree,
    boxes: Vec<Aabb>,
    normals: Vec<C::Normals>,
    seams: Seams,
    joint: Vec<u32>,
    contour: Contour,
    separating_plane: SeparatingPlane,
    tests: Vec<PatchTest>,
    scenery: Scenery,
}

/// Vertices whose faces are not tested against each other.
#[derive(Clone, Debug, Default)]
struct Scenery {
    /// By vertex; empty if there are none.
    of_vertex: Vec<bool>,
    /// By patch: whether all of its vertices are scenery; empty if there are none.
    of_patch: Vec<bool>,
    /// Where they were in the last pose, in the order of their numbers.
    at: Vec<Point3<f64>>,
}

impl Scenery {
    fn contains(&self, patch: u32) -> bool {
        self.of_patch.get(patch as usize) == Some(&true)
    }

    /// Takes the pose, and returns whether it is the last one in every bit.
    fn stays(&mut self, positions: &[Point3<f64>]) -> bool {
        let bits = |p: &Point3<f64>| [p.x, p.y, p.z].map(f64::to_bits);
        let now = || positions.iter().zip(&self.of_vertex).filter(|(_, is)| **is).map(|(p, _)| p);
        let stays = now().map(bits).eq(self.at.iter().map(bits));
        if !stays {
            let mut at = std::mem::take(&mut self.at);
            at.clear();
            at.extend(now());
            self.at = at;
        }
        stays
    }
}

impl<C: Certificate> Culler<C> {
    /// A culler for the mesh whose patches are given.
    #[must_use]
    pub fn new(tree: PatchTree) -> Self {
        Self {
            seams: Seams::new(tree.vertex_count()),
            tree,
            boxes: Vec::new(),
            normals: Vec::new(),
            joint: Vec::new(),
            contour: Contour::default(),
            separating_plane: SeparatingPlane::default(),
            tests: Vec::new(),
            scenery: Scenery::default(),
        }
    }

    /// From now on leaves out pairs of faces of which all vertices are `scenery`, by vertex: of a body that
    /// does not move, or that is judged elsewhere. Faces that lie between others in a patch may still be
    /// visited. While it stands still it costs little.
    pub fn leave_out_among(&mut self, scenery: &[bool]) {
        if self.scenery.of_vertex == scenery {
            return;
        }
        let tree = &self.tree;
        let is_scenery = |v: &u32| scenery.get(*v as usize) == Some(&true);
        let of_patch = tree.patches.iter().map(|patch| tree.vertices(patch).iter().all(is_scenery)).collect();
        self.boxes.clear();
        self.scenery = Scenery { of_vertex: scenery.to_vec(), of_patch, at: Vec::new() };
    }

    /// The patches.
    #[must_use]
    pub fn tree(&self) -> &PatchTree {
        &self.tree
    }

    /// Visits each remaining pair of faces once, as `(f, g)` with `f < g`, in an order that depends on the
    /// pose alone.
    ///
    /// Their closed boxes overlap. Pairs that share vertices are included.
    ///
    /// # Errors
    /// If the number of positions (m) is not that of the vertices, or if a position that a face uses is not
    /// finite.
    pub fn visit_candidates(
        &mut self,
        positions: &[Point3<f64>],
        visit: &mut impl FnMut(u32, u32),
    ) -> Result<(), CullError> {
        let visited = self.try_visit_candidates(positions, &mut |f, g| {
            visit(f, g);
            ControlFlow::Continue(())
        });
        visited.map(|_| ())
    }

    /// As [`Culler::visit_candidates`], but stops as soon as a visit breaks; says whether one did.
    ///
    /// # Errors
    /// As [`Culler::visit_candidates`].
    pub fn try_visit_candidates(
        &mut self,
        positions: &[Point3<f64>],
        visit: &mut impl FnMut(u32, u32) -> ControlFlow<()>,
    ) -> Result<ControlFlow<()>, CullError> {
        self.refit(positions)?;
        Ok(self.walk(positions, visit))
    }

    /// Whether any pair remains: false is a proof that the mesh, at this pose, does not meet itself.
    ///
    /// Faces that share a vertex overlap there, so every pair of them must have been certified.
    ///
    /// # Errors
    /// As [`Culler::visit_candidates`].
    pub fn may_intersect(&mut self, positions: &[Point3<f64>]) -> Result<bool, CullError> {
        Ok(self.try_visit_candidates(positions, &mut |_, _| ControlFlow::Break(()))?.is_break())
    }

    /// The boxes and normals of all patches, from the leaves up.
    fn refit(&mut self, positions: &[Point3<f64>]) -> Result<(), CullError> {
        let Self { tree, boxes, normals, scenery, .. } = self;
        if positions.len() != tree.vertex_count() {
            return Err(CullError::PositionCount {
                positions: positions.len(),
                vertices: tree.vertex_count(),
            });
        }
        if !positions.iter().all(is_finite) {
            first_not_finite(tree, positions)?;
        }
        let count = tree.patches.len();
        let stays = scenery.stays(positions) && boxes.len() == count;
        let Some(last) = tree.patches.last().filter(|_| tree.face_count() > 0) else { return Ok(()) };
        if boxes.len() != count {
            boxes.resize(count, Aabb::EMPTY);
            normals.resize(count, normals_of::<C>(tree, last, positions));
        }
        // Children come after their parents.
        for (i, patch) in tree.patches.iter().enumerate().rev() {
            if stays && scenery.contains(i as u32) {
                continue;
            }
            (boxes[i], normals[i]) = if patch.is_leaf() {
                let aabb = bounds(tree.vertices(patch).iter().map(|&v| &positions[v as usize]));
                (aabb, normals_of::<C>(tree, patch, positions))
            } else {
                let [a, b] = [0, 1].map(|k| patch.child as usize + k);
                let corners = [&boxes[a].min, &boxes[a].max, &boxes[b].min, &boxes[b].max];
                (bounds(corners.into_iter()), C::join(&normals[a], &normals[b]))
            };
        }
        Ok(())
    }

    fn walk(
        &mut self,
        positions: &[Point3<f64>],
        visit: &mut impl FnMut(u32, u32) -> ControlFlow<()>,
    ) -> ControlFlow<()> {
        if self.tree.face_count() < 2 {
            return ControlFlow::Continue(());
        }
        self.tests.clear();
        self.tests.push(PatchTest { p: 0, q: 0, shared_border: SharedBorder::Nothing });
        let has_scenery = !self.scenery.of_patch.is_empty();
        while let Some(test) = self.tests.pop() {
            if has_scenery && self.scenery.contains(test.p) && self.scenery.contains(test.q) {
                continue;
            }
            if test.p == test.q {
                self.meet_itself(test.p, positions, visit)?;
            } else {
                self.visit_overlaps(test, positions, visit)?;
            }
        }
        ControlFlow::Continue(())
    }

    fn meet_itself(
        &mut self,
        p: u32,
        positions: &[Point3<f64>],
        visit: &mut impl FnMut(u32, u32) -> ControlFlow<()>,
    ) -> ControlFlow<()> {
        let Self { tree, normals, contour, .. } = self;
        let patch = &tree.patches[p as usize];
        if is_certified::<C>(&normals[p as usize], tree.border(patch), positions, contour) {
            return ControlFlow::Continue(());
        }
        if patch.is_leaf() {
            return visit_pairs(tree, [patch, patch], positions, visit);
        }
        let child = patch.child;
        let test = |p, q, shared_border| PatchTest { p, q, shared_border };
        self.tests.extend([
            test(child, child, SharedBorder::Nothing),
            test(child + 1, child + 1, SharedBorder::Nothing),
            test(child, child + 1, SharedBorder::Siblings),
        ]);
        ControlFlow::Continue(())
    }

    fn visit_overlaps(
        &mut self,
        PatchTest { p, q, mut shared_border }: PatchTest,
        positions: &[Point3<f64>],
        visit: &mut impl FnMut(u32, u32) -> ControlFlow<()>,
    ) -> ControlFlow<()> {
        if !self.boxes[p as usize].overlaps(&self.boxes[q as usize]) {
            return ControlFlow::Continue(());
        }
        if shared_border == SharedBorder::Nothing {
            match self.certify_together(p, q, positions) {
                PairVerdict::Certified => return ControlFlow::Continue(()),
                PairVerdict::Apart => shared_border = SharedBorder::Apart,
                PairVerdict::Unknown => {}
            }
        }
        let Self { tree, separating_plane, tests, .. } = self;
        let [first, second] = [p, q].map(|p| &tree.patches[p as usize]);
        if first.is_leaf() && second.is_leaf() {
            let [a, b] = [first, second].map(|leaf| tree.vertices(leaf));
            if C::PARTED_BY_PLANES && separating_plane.separates(a, b, positions) {
                return ControlFlow::Continue(());
            }
            return visit_pairs(tree, [first, second], positions, visit);
        }
        let split_first = !first.is_leaf() && (second.is_leaf() || first.face_count() >= second.face_count());
        let (split, other) = if split_first { (first, q) } else { (second, p) };
        let shared_border =
            if shared_border == SharedBorder::Apart { shared_border } else { SharedBorder::Nothing };
        tests.extend([split.child, split.child + 1].map(|p| PatchTest { p, q: other, shared_border }));
        ControlFlow::Continue(())
    }

    fn certify_together(&mut self, p: u32, q: u32, positions: &[Point3<f64>]) -> PairVerdict {
        let Self { tree, normals, seams, joint, contour, .. } = self;
        let [first, second] = [p, q].map(|p| &tree.patches[p as usize]);
        let normals = C::join(&normals[p as usize], &normals[q as usize]);
        let is_seen = C::view(&normals).is_some();
        if !is_seen && first.face_count().max(second.face_count()) < MIN_SEAM_FACES {
            return PairVerdict::Unknown;
        }
        match seams.join(tree.border(first), tree.border(second), joint) {
            Seam::One if is_seen && is_certified::<C>(&normals, joint, positions, contour) => {
                PairVerdict::Certified
            }
            Seam::None => PairVerdict::Apart,
            Seam::One | Seam::Other => PairVerdict::Unknown,
        }
    }
}

fn is_certified<C: Certificate>(
    normals: &C::Normals,
    border: &[u32],
    positions: &[Point3<f64>],
    contour: &mut Contour,
) -> bool {
    if border.is_empty() {
        return false;
    }
    C::view(normals).is_some_and(|view| {
        view.draw(border, positions, contour);
        C::is_strictly_simple(contour)
    })
}

/// What is known of the normals of a leaf.
#[inline]
fn normals_of<C: Certificate>(tree: &PatchTree, leaf: &Patch, positions: &[Point3<f64>]) -> C::Normals {
    let [begin, end] = leaf.faces.map(|f| f as usize);
    C::of_faces(tree.corners[begin..end].iter().map(|corners| corners.map(|v| &positions[v as usize])))
}

/// The bounds of finite points; [`Aabb::EMPTY`] of none.
#[inline]
fn bounds<'a>(points: impl Iterator<Item = &'a Point3<f64>>) -> Aabb {
    // `Aabb::of_points` also checks for NaN, which the culler has already refused.
    let (mut min, mut max) = (Aabb::EMPTY.min, Aabb::EMPTY.max);
    for p in points {
        for k in 0..3 {
            min[k] = if p[k] < min[k] { p[k] } else { min[k] };
            max[k] = if p[k] > max[k] { p[k] } else { max[k] };
        }
    }
    Aabb { min, max }
}

/// Visits the pairs of distinct faces of two leaves, or of one, whose boxes overlap.
fn visit_pairs(
    tree: &PatchTree,
    [p, q]: [&Patch; 2],
    positions: &[Point3<f64>],
    visit: &mut impl FnMut(u32, u32) -> ControlFlow<()>,
) -> ControlFlow<()> {
    let face = |i: u32| bounds(tree.corners[i as usize].iter().map(|&v| &positions[v as usize]));
    for i in p.faces[0]..p.faces[1] {
        let aabb = face(i);
        let from = if p.faces == q.faces { i + 1 } else { q.faces[0] };
        for j in from..q.faces[1] {
            if aabb.overlaps(&face(j)) {
                let (f, g) = (tree.ids[i as usize], tree.ids[j as usize]);
                visit(f.min(g), f.max(g))?;
            }
        }
    }
    ControlFlow::Continue(())
}

fn is_finite(p: &Point3<f64>) -> bool {
    // The sum of finite coordinates may overflow, but their products with zero are zeros.
    (p.x * 0.0 + p.y * 0.0 + p.z * 0.0) == 0.0
}

/// Names the least vertex of a face that is not finite; vertices without a face may be anything.
#[cold]
fn first_not_finite(tree: &PatchTree, positions: &[Point3<f64>]) -> Result<(), CullError> {
    let used = tree.corners.iter().flatten().map(|&v| v as usize);
    let faulty = used.filter(|&v| !is_finite(&positions[v])).min();
    faulty.map_or(Ok(()), |vertex| Err(CullError::NotFinite { vertex, position: positions[vertex] }))
}
