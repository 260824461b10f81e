//! Bounds of primitives, and a lower bound of the distance of two primitives.
//!
//! ```text
//!      |--ext_a--|      gap      |--ext_b--|
//!   ---a---------+---------------+---------b---> line of centres
//! ```
//!
//! The distance of two primitives is at least the gap between their projections onto the line through their
//! centres. On cloth this rejects most pairs whose bounding spheres overlap, without computing closest
//! points.
//!
//! **Rounding.** With `u = 2^-24`, `M` the largest magnitude of a coordinate and `L` the largest length
//! involved (of the two patches together, or the distance asked for):
//!
//! - A centre is the sum of a position and a half extent: each coordinate has an error of `u M` and of `u`
//!   times the half extent, which is a difference with an error of `u` of itself. The represented primitive
//!   is within `sqrt(3) (3 u M)` of the true one, both together within `10.4 u M`.
//! - From the centres on, only differences are used: the squared distance has 5 roundings, a scalar product
//!   4, quotient and root one each, and radius and extents are at most `L`: at most `16 u L`.
//!
//! [`rounding`] is `16 u M + 32 u L`, which also covers the comparisons with boxes and along a line in
//! `primitive_pairs`.

use cloth_geom::MapInline;
use cloth_geom::bounds::{U32, Upper, gamma, raise_f32};
use cloth_geom::lanes::{Block, LANES8, Lanes8, Vectors8, dot, minus, set_bits};

use crate::detect::motion::patch_motions::PatchMotions;
use crate::parallel;
use crate::patches::Patches;

/// Eight segments: midpoint, half of the vector to the second end, radius.
pub(crate) type EdgeBlock = Block<7>;

/// Eight triangles: centroid, vectors from it to the corners, radius.
pub(crate) type FaceBlock = Block<13>;

/// Eight points.
pub(crate) type PointBlock = Block<3>;

/// Row of the radius in an edge block and in a face block.
const EDGE_RADIUS: usize = 6;
const FACE_RADIUS: usize = 12;

/// Covers the rounding of a radius: a difference, three squares, two sums, a root.
const RADIUS_ERROR_FACTOR: f32 = raise_f32(8);

/// Upper bound on the rounding error (m) of the distance bounds for coordinates of this magnitude (m) and
/// lengths up to `size`; derived in the module documentation.
pub(crate) fn rounding(magnitude: f32, size: Upper) -> Upper {
    Upper::from(magnitude).times(gamma(16, U32)) + size.times(gamma(32, U32))
}

fn edges([a, b]: [Vectors8; 2]) -> EdgeBlock {
    let half = minus(&b, &a).map_inline(|c| c * Lanes8::splat(0.5));
    let mut primitive_bounds = EdgeBlock::default();
    primitive_bounds.set_vectors(0, [0, 1, 2].map_inline(|k| a[k] + half[k]));
    primitive_bounds.set_vectors(3, half);
    primitive_bounds.set_numbers(EDGE_RADIUS, dot(&half, &half).sqrt() * Lanes8::splat(RADIUS_ERROR_FACTOR));
    primitive_bounds
}

fn faces([a, b, c]: [Vectors8; 3]) -> FaceBlock {
    let (ab, ac) = (minus(&b, &a), minus(&c, &a));
    let middle = [0, 1, 2].map_inline(|k| (ab[k] + ac[k]) * Lanes8::splat(1.0 / 3.0));
    let corners = [middle.map_inline(|c| -c), minus(&ab, &middle), minus(&ac, &middle)];
    let mut primitive_bounds = FaceBlock::default();
    primitive_bounds.set_vectors(0, [0, 1, 2].map_inline(|k| a[k] + middle[k]));
    let mut radius_sq = Lanes8::ZERO;
    for (corner, k) in corners.into_iter().zip([3, 6, 9]) {
        primitive_bounds.set_vectors(k, corner);
        radius_sq = radius_sq.max(dot(&corner, &corner));
    }
    primitive_bounds.set_numbers(FACE_RADIUS, radius_sq.sqrt() * Lanes8::splat(RADIUS_ERROR_FACTOR));
    primitive_bounds
}

/// Lower bounds of the distances of eight pairs.
pub(crate) struct DistanceBounds {
    /// Bit mask of the pairs that may be within the distance asked for.
    near: u32,
    scaled: Lanes8,
    length: Lanes8,
}

impl DistanceBounds {
    /// The lower bounds (m), up to rounding: `length - extents / length`, or 0 if that is negative.
    fn gaps(&self) -> [f32; LANES8] {
        // NaN for equal centres, which `f32::max` turns into 0.
        (self.scaled / self.length).to_array().map_inline(|gap| gap.max(0.0))
    }

    /// Visits the lane and the bound (m) of each pair that may be within the distance, among the lanes in
    /// `occupied`.
    #[inline(always)]
    pub(crate) fn visit_near(&self, occupied: u32, mut visit: impl FnMut(usize, f32)) {
        let near = self.near & occupied;
        if near != 0 {
            let gaps = self.gaps();
            set_bits(near).for_each(|lane| visit(lane, gaps[lane]));
        }
    }

    // Comparisons are written so that a NaN keeps the pair.
    #[inline(always)]
    fn new(
        between: &Vectors8,
        radii: Lanes8,
        max_distance: Lanes8,
        extents: impl FnOnce() -> Lanes8,
    ) -> Self {
        let length_sq = dot(between, between);
        let near = radii + max_distance;
        let far = length_sq.simd_gt(near * near);
        if far.to_bitmask() == ALL {
            return Self { near: 0, scaled: Lanes8::ZERO, length: Lanes8::ZERO };
        }
        let length = length_sq.sqrt();
        let scaled = length_sq - extents();
        let separated = far | scaled.simd_gt(max_distance * length);
        Self { near: !separated.to_bitmask() & ALL, scaled, length }
    }
}

/// All lanes.
const ALL: u32 = (1 << LANES8) - 1;

/// One edge in all lanes.
pub(crate) struct SplatEdge {
    centre: Vectors8,
    half: Vectors8,
    radius: Lanes8,
}

impl SplatEdge {
    #[inline(always)]
    pub(crate) fn splat(block: &EdgeBlock, lane: usize) -> Self {
        Self {
            centre: block.splat_vector(0, lane),
            half: block.splat_vector(3, lane),
            radius: block.splat(EDGE_RADIUS, lane),
        }
    }

    /// Distance bounds to eight edges, where they may be within `max_distance` (m).
    #[inline(always)]
    pub(crate) fn bounds_to(&self, others: &EdgeBlock, max_distance: Lanes8) -> DistanceBounds {
        let between = minus(&others.vectors(0), &self.centre);
        let radii = others.numbers(EDGE_RADIUS) + self.radius;
        let extents = || dot(&self.half, &between).abs() + dot(&others.vectors(3), &between).abs();
        DistanceBounds::new(&between, radii, max_distance, extents)
    }
}

/// One face in all lanes.
pub(crate) struct SplatFace {
    centre: Vectors8,
    corners: [Vectors8; 3],
    radius: Lanes8,
}

impl SplatFace {
    #[inline(always)]
    pub(crate) fn splat(block: &FaceBlock, lane: usize) -> Self {
        Self {
            centre: block.splat_vector(0, lane),
            corners: [block.splat_vector(3, lane), block.splat_vector(6, lane), block.splat_vector(9, lane)],
            radius: block.splat(FACE_RADIUS, lane),
        }
    }

    /// Distance bounds to eight points, where they may be within `max_distance` (m).
    #[inline(always)]
    pub(crate) fn bounds_to(&self, points: &PointBlock, max_distance: Lanes8) -> DistanceBounds {
        let between = minus(&points.vectors(0), &self.centre);
        let extents = || {
            let [u, v, w] = [0, 1, 2].map_inline(|k| dot(&self.corners[k], &between));
            u.fast_max(v).fast_max(w)
        };
        DistanceBounds::new(&between, self.radius, max_distance, extents)
    }
}

/// Bounding radii (m) of eight edges.
pub(crate) fn edge_radii(block: &EdgeBlock) -> Lanes8 {
    block.numbers(EDGE_RADIUS)
}

/// Bounding radii (m) of eight faces.
pub(crate) fn face_radii(block: &FaceBlock) -> Lanes8 {
    block.numbers(FACE_RADIUS)
}

/// Number of patches per task.
const TASK_SIZE: usize = 16;

/// The primitive bounds of one patch.
#[derive(Clone, Debug, Default)]
struct PatchBounds {
    edges: Vec<EdgeBlock>,
    faces: Vec<FaceBlock>,
    points: Vec<PointBlock>,
    /// The last step for which the bounds were requested, and the step for which they were built.
    requested: u32,
    built: u32,
}

/// The bounds of all primitives, built per patch on request.
#[derive(Clone, Debug, Default)]
pub(crate) struct PrimitiveBounds {
    patches: Vec<PatchBounds>,
    step: u32,
}

impl PrimitiveBounds {
    /// Starts a step: all bounds become stale.
    pub(crate) fn begin_step(&mut self, patches: &Patches) {
        let count = patches.count() as usize;
        if self.step == u32::MAX || self.patches.len() != count {
            self.patches.clear();
            self.patches.resize(count, PatchBounds::default());
            self.step = 0;
        }
        self.step += 1;
    }

    /// Requests the bounds of a patch.
    pub(crate) fn request(&mut self, patch: u32) {
        self.patches[patch as usize].requested = self.step;
    }

    /// Builds all requested bounds that are stale.
    pub(crate) fn build(&mut self, patches: &Patches, motions: &PatchMotions) {
        let step = self.step;
        parallel::for_each_numbered(&mut self.patches, TASK_SIZE, |number, primitive_bounds| {
            if primitive_bounds.requested == step && primitive_bounds.built != step {
                primitive_bounds.build(patches, motions, number as u32);
                primitive_bounds.built = step;
            }
        });
    }

    /// Bounds of the edges of a patch, in the order of its row.
    pub(crate) fn edges(&self, patch: u32) -> &[EdgeBlock] {
        &self.patches[patch as usize].edges
    }

    /// Bounds of the faces of a patch, in the order of its row.
    pub(crate) fn faces(&self, patch: u32) -> &[FaceBlock] {
        &self.patches[patch as usize].faces
    }

    /// Vertices of a patch, in the order of its row.
    pub(crate) fn points(&self, patch: u32) -> &[PointBlock] {
        &self.patches[patch as usize].points
    }
}

impl PatchBounds {
    fn build(&mut self, patches: &Patches, motions: &PatchMotions, patch: u32) {
        let corners = motions.corners(patches, patch);
        self.edges.clear();
        let ends = &patches.edge_blocks[patches.edges.blocks(patch)];
        self.edges.extend(ends.iter().map(|ends| edges(gather(corners, ends))));
        self.faces.clear();
        let face_vertices = &patches.face_blocks[patches.faces.blocks(patch)];
        self.faces
            .extend(face_vertices.iter().map(|vertices_of_face| faces(gather(corners, vertices_of_face))));
        self.points.clear();
        let vertices = &patches.vertex_blocks[patches.vertices.blocks(patch)];
        self.points.extend(vertices.iter().map(|vertices| {
            let [at] = gather(corners, vertices);
            let mut points = PointBlock::default();
            points.set_vectors(0, at);
            points
        }));
    }
}

/// Gathers the `N` vertices of eight primitives.
#[inline(always)]
fn gather<const N: usize>(corners: &[Block<3>], items: &[[u8; N]; LANES8]) -> [Vectors8; N] {
    std::array::from_fn(|n| {
        let mut at = [[0.0; LANES8]; 3];
        for (lane, item) in items.iter().enumerate() {
            let place = usize::from(item[n]);
            let p = corners[place / LANES8].item(place % LANES8);
            (0..3).for_each(|k| at[k][lane] = p[k]);
        }
        at.map_inline(Lanes8::new)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use cloth_geom::closest::{point_triangle, segment_segment};
    use cloth_geom::lanes::splat;
    use nalgebra::Point3;
    use proptest::prelude::*;

    fn point() -> impl Strategy<Value = Point3<f32>> {
        [-1.0f32..1.0, -1.0f32..1.0, -0.2f32..0.2].prop_map(Point3::from)
    }

    fn vectors(p: &Point3<f32>) -> Vectors8 {
        splat(p.coords.into())
    }

    /// The bound of the distance of two edges, of eight equal pairs, if it may be at most `max_distance`.
    fn edges_apart(a: [&Point3<f32>; 2], b: [&Point3<f32>; 2], max_distance: f32) -> Option<f32> {
        bound(
            &SplatEdge::splat(&edges(a.map(vectors)), 3)
                .bounds_to(&edges(b.map(vectors)), Lanes8::splat(max_distance)),
        )
    }

    fn point_apart(p: &Point3<f32>, face: [&Point3<f32>; 3], max_distance: f32) -> Option<f32> {
        let mut points = PointBlock::default();
        points.set_vectors(0, vectors(p));
        bound(&SplatFace::splat(&faces(face.map(vectors)), 5).bounds_to(&points, Lanes8::splat(max_distance)))
    }

    fn bound(bounds: &DistanceBounds) -> Option<f32> {
        assert!(bounds.near == 0 || bounds.near == ALL);
        let gaps = bounds.gaps();
        assert!(gaps.iter().all(|gap| *gap == gaps[0]));
        (bounds.near != 0).then_some(gaps[0])
    }

    proptest! {
        #[test]
        fn bounds_never_exceed_the_distance(p in [point(), point(), point(), point()], max_distance in 0.0f32..0.5) {
            let [a, b, c, d] = &p;
            let exact = segment_segment([a, b], [c, d]).distance_sq.sqrt();
            match edges_apart([a, b], [c, d], max_distance) {
                Some(bound) => prop_assert!(bound <= exact + 1e-6),
                None => prop_assert!(exact > max_distance - 1e-6),
            }
            let exact = point_triangle(a, [b, c, d]).distance_sq.sqrt();
            match point_apart(a, [b, c, d], max_distance) {
                Some(bound) => prop_assert!(bound <= exact + 1e-6),
                None => prop_assert!(exact > max_distance - 1e-6),
            }
        }
    }

    #[test]
    fn most_neighbours_on_a_flat_sheet_are_proved_out_of_reach() {
        let at = |x: f32, y: f32| Point3::new(x, y, 0.0);
        let side = |x: f32| [at(x, 0.0), at(x, 1.0)];
        let separated =
            |x: f32, max_distance| edges_apart(side(0.0).each_ref(), side(x).each_ref(), max_distance);
        assert_eq!(separated(1.0, 0.9), None);
        assert_eq!(separated(1.0, 1.0), Some(1.0));
        assert_eq!(separated(0.0, 0.0), Some(0.0));
        let face = [at(0.0, 0.0), at(1.0, 0.0), at(0.0, 1.0)];
        assert_eq!(point_apart(&at(2.0, 2.0), face.each_ref(), 1.0), None);
        assert!(point_apart(&at(2.0, 2.0), face.each_ref(), 2.2).is_some());
    }
}
