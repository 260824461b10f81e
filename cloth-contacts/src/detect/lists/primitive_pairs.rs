//! Candidate pairs of two patches: primitives near the other patch are selected first, then tested pair by
//! pair, eight at a time.
//!
//! ```text
//!    patch a            patch b
//!   . . . . x x | x x . . . . .      x: near the box of the other patch, also along the line of centres
//! ```

use cloth_geom::MapInline;
use cloth_geom::lanes::{
    Block, LANES8, Lanes8, Vectors8, dot, greatest_lane, least_lane, minus, occupied_lanes, set_bits, splat,
};

use crate::Surface;
use crate::detect::lists::primitive_bounds::{
    EdgeBlock, FaceBlock, PointBlock, PrimitiveBounds, SplatEdge, SplatFace, edge_radii, face_radii,
};
use crate::detect::motion::extent::Extent;
use crate::detect::motion::patch_motions::PatchMotions;
use crate::patches::Patches;

/// Selected primitives, in blocks.
#[derive(Clone, Debug, Default)]
struct PrimitiveSelection<const N: usize> {
    ids: Vec<u32>,
    blocks: Vec<Block<N>>,
}

impl<const N: usize> PrimitiveSelection<N> {
    /// Selects the primitives of a row for which `near_lanes` returns a set bit; it is called with one block at
    /// a time.
    #[inline(always)]
    fn select(&mut self, ids: &[u32], blocks: &[Block<N>], near_lanes: impl Fn(&Block<N>) -> u32) {
        self.ids.clear();
        self.blocks.clear();
        for (number, block) in blocks.iter().enumerate() {
            for lane in set_bits(near_lanes(block) & occupied_lanes(ids.len(), number)) {
                let place = self.ids.len();
                if place.is_multiple_of(LANES8) {
                    self.blocks.push(Block::default());
                }
                self.blocks[place / LANES8].copy_item(place % LANES8, block, lane);
                self.ids.push(ids[number * LANES8 + lane]);
            }
        }
    }

    /// Selects all primitives of a row.
    fn select_all(&mut self, ids: &[u32], blocks: &[Block<N>]) {
        self.ids.clear();
        self.ids.extend_from_slice(ids);
        self.blocks.clear();
        self.blocks.extend_from_slice(blocks);
    }

    /// The blocks from the one that contains item `first`: index of the first item, bit mask of the items
    /// from `first` on, block.
    #[inline(always)]
    fn blocks_from(&self, first: usize) -> impl Iterator<Item = (usize, u32, &Block<N>)> {
        let (skipped, count) = (first / LANES8, self.ids.len());
        self.blocks.iter().enumerate().skip(skipped).map(move |(number, block)| {
            let before = if number == skipped { (1 << (first % LANES8)) - 1 } else { 0 };
            (number * LANES8, occupied_lanes(count, number) & !before, block)
        })
    }
}

/// The primitives of one patch that are near the other patch.
#[derive(Clone, Debug, Default)]
struct PatchSelection {
    vertices: PrimitiveSelection<3>,
    edges: PrimitiveSelection<7>,
    faces: PrimitiveSelection<13>,
}

impl PatchSelection {
    /// Selects the primitives of a patch whose bounding spheres are near; `near_lanes` receives eight centres
    /// and radii.
    #[inline(always)]
    fn select(
        &mut self,
        patches: &Patches,
        primitive_bounds: &PrimitiveBounds,
        patch: u32,
        near_lanes: impl Fn(&Vectors8, Lanes8) -> u32,
    ) {
        let points = |block: &PointBlock| near_lanes(&block.vectors(0), Lanes8::ZERO);
        self.vertices.select(patches.vertices.row(patch), primitive_bounds.points(patch), points);
        let edges = |block: &EdgeBlock| near_lanes(&block.vectors(0), edge_radii(block));
        self.edges.select(patches.edges.row(patch), primitive_bounds.edges(patch), edges);
        let faces = |block: &FaceBlock| near_lanes(&block.vectors(0), face_radii(block));
        self.faces.select(patches.faces.row(patch), primitive_bounds.faces(patch), faces);
    }

    fn select_all(&mut self, patches: &Patches, primitive_bounds: &PrimitiveBounds, patch: u32) {
        self.vertices.select_all(patches.vertices.row(patch), primitive_bounds.points(patch));
        self.edges.select_all(patches.edges.row(patch), primitive_bounds.edges(patch));
        self.faces.select_all(patches.faces.row(patch), primitive_bounds.faces(patch));
    }
}

/// The primitives of two patches that are near each other.
#[derive(Clone, Debug, Default)]
pub(crate) struct PrimitivePairs {
    a: PatchSelection,
    b: PatchSelection,
    same: bool,
}

impl PrimitivePairs {
    /// Selects the primitives of each patch within `max_distance` (m) of the box of the other. The bounds of
    /// both must have been built.
    pub(crate) fn select(
        &mut self,
        patches: &Patches,
        motions: &PatchMotions,
        primitive_bounds: &PrimitiveBounds,
        [a, b]: [u32; 2],
        max_distance: f32,
    ) {
        self.same = a == b;
        if self.same {
            self.a.select_all(patches, primitive_bounds, a);
            return;
        }
        let bounds = motions.bounds([a, b]);
        let origin = bounds[0].centre();
        let line = (bounds[1].centre() - origin).normalize();
        let (origin, line) = (splat(origin.into()), splat(line.into()));
        let along = |p: &Vectors8| dot(&line, &minus(p, &origin));
        let along_line =
            |patch: u32| motions.corners(patches, patch).iter().map(|block| along(&block.vectors(0)));
        // If both centres coincide the line has no direction: all projections are NaN, and nothing is
        // rejected.
        let begin_b = along_line(b).fold(Lanes8::splat(f32::INFINITY), |least, at| at.fast_min(least));
        let end_a = along_line(a).fold(Lanes8::splat(f32::NEG_INFINITY), |most, at| at.fast_max(most));
        let begin_b = Lanes8::splat(least_lane(begin_b));
        let end_a = Lanes8::splat(greatest_lane(end_a));
        let max_distance = Lanes8::splat(max_distance);
        let beyond = |extent: &Extent, centres: &Vectors8, reach: Lanes8| {
            let [min, max]: [Vectors8; 2] = [extent.min, extent.max].map_inline(splat);
            let off = [0, 1, 2].map_inline(|k| {
                let outside = (min[k] - centres[k]).fast_max(centres[k] - max[k]);
                outside.fast_max(Lanes8::ZERO)
            });
            dot(&off, &off).simd_gt(reach * reach)
        };
        self.a.select(patches, primitive_bounds, a, |centres, radii| {
            let reach = radii + max_distance;
            let before = (along(centres) + reach).simd_lt(begin_b);
            !(before | beyond(bounds[1], centres, reach)).to_bitmask()
        });
        self.b.select(patches, primitive_bounds, b, |centres, radii| {
            let reach = radii + max_distance;
            let behind = (along(centres) - reach).simd_gt(end_a);
            !(behind | beyond(bounds[0], centres, reach)).to_bitmask()
        });
    }

    /// Visits each `[vertex, face]` that may be within `max_distance` (m), with a lower bound of its distance
    /// (m).
    pub(crate) fn point_triangles(
        &self,
        surface: &Surface,
        max_distance: f32,
        visit: &mut impl FnMut([u32; 2], f32),
    ) {
        if self.same {
            point_triangles(surface, &self.a, &self.a, max_distance, visit);
        } else {
            point_triangles(surface, &self.a, &self.b, max_distance, visit);
            point_triangles(surface, &self.b, &self.a, max_distance, visit);
        }
    }

    /// Visits each `[edge, edge]`, ascending, that may be within `max_distance` (m), with a lower bound of
    /// its distance (m).
    pub(crate) fn edge_edges(
        &self,
        surface: &Surface,
        max_distance: f32,
        visit: &mut impl FnMut([u32; 2], f32),
    ) {
        let others = if self.same { &self.a.edges } else { &self.b.edges };
        let (max_distance, topology) = (Lanes8::splat(max_distance), surface.topology.edges());
        for (place, &id) in self.a.edges.ids.iter().enumerate() {
            let edge = SplatEdge::splat(&self.a.edges.blocks[place / LANES8], place % LANES8);
            let ends = topology[id as usize];
            let first = if self.same { place + 1 } else { 0 };
            for (start, occupied, block) in others.blocks_from(first) {
                edge.bounds_to(block, max_distance).visit_near(occupied, |lane, bound| {
                    let other = others.ids[start + lane];
                    let other_ends = topology[other as usize];
                    let share = ends.iter().any(|end| other_ends.contains(end));
                    if !share && !surface.excluded(&ends, &other_ends) {
                        visit([id.min(other), id.max(other)], bound);
                    }
                });
            }
        }
    }
}

fn point_triangles(
    surface: &Surface,
    points: &PatchSelection,
    faces: &PatchSelection,
    max_distance: f32,
    visit: &mut impl FnMut([u32; 2], f32),
) {
    let max_distance = Lanes8::splat(max_distance);
    for (place, &id) in faces.faces.ids.iter().enumerate() {
        let face = SplatFace::splat(&faces.faces.blocks[place / LANES8], place % LANES8);
        let corners = surface.topology.faces()[id as usize];
        for (start, occupied, block) in points.vertices.blocks_from(0) {
            face.bounds_to(block, max_distance).visit_near(occupied, |lane, bound| {
                let vertex = points.vertices.ids[start + lane];
                if !corners.contains(&vertex) && !surface.excluded(&[vertex], &corners) {
                    visit([vertex, id], bound);
                }
            });
        }
    }
}
