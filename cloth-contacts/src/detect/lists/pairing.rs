//! The primitive pairs between two patches that may be near: first what lies near the other patch, then pair by pair, eight at a time.
//!
//! ```text
//!    patch a            patch b
//!   . . . . x x | x x . . . . .      x: near the other one's box, and near it along the line of centres
//! ```

use wide::f32x8;

use crate::Surface;
use crate::block::{Block, LANES, Vectors, dot, held, minus, places, splat};
use crate::detect::lists::outlines::{
    Edge, Edges, Face, Faces, Outlines, Points, radii_of_edges, radii_of_faces,
};
use crate::detect::motion::drift::Drift;
use crate::detect::motion::extent::Extent;
use crate::patches::Patches;

/// Items that were chosen, in blocks.
#[derive(Clone, Debug, Default)]
struct Chosen<const N: usize> {
    ids: Vec<u32>,
    blocks: Vec<Block<N>>,
}

impl<const N: usize> Chosen<N> {
    /// Takes the items of a row that are `near`, which is told a block of them and answers with a bit for each.
    #[inline(always)]
    fn choose(&mut self, ids: &[u32], blocks: &[Block<N>], near: impl Fn(&Block<N>) -> u32) {
        self.ids.clear();
        self.blocks.clear();
        for (number, block) in blocks.iter().enumerate() {
            for lane in places(near(block) & held(ids.len(), number)) {
                let place = self.ids.len();
                if place.is_multiple_of(LANES) {
                    self.blocks.push(Block::default());
                }
                self.blocks[place / LANES].take(place % LANES, block, lane);
                self.ids.push(ids[number * LANES + lane]);
            }
        }
    }

    /// Takes all items of a row.
    fn choose_all(&mut self, ids: &[u32], blocks: &[Block<N>]) {
        self.ids.clear();
        self.ids.extend_from_slice(ids);
        self.blocks.clear();
        self.blocks.extend_from_slice(blocks);
    }

    /// Each block from the one with item `first` on, with the place of its first item and a bit for each item from `first` on.
    #[inline(always)]
    fn blocks_from(&self, first: usize) -> impl Iterator<Item = (usize, u32, &Block<N>)> {
        let (skipped, count) = (first / LANES, self.ids.len());
        self.blocks.iter().enumerate().skip(skipped).map(move |(number, block)| {
            let before = if number == skipped { (1 << (first % LANES)) - 1 } else { 0 };
            (number * LANES, held(count, number) & !before, block)
        })
    }
}

/// What one patch has near the other.
#[derive(Clone, Debug, Default)]
struct Side {
    vertices: Chosen<3>,
    edges: Chosen<7>,
    faces: Chosen<13>,
}

impl Side {
    /// Takes what of a patch is `near`, which is told the centres and the radii of eight balls.
    #[inline(always)]
    fn choose(
        &mut self,
        patches: &Patches,
        outlines: &Outlines,
        patch: u32,
        near: impl Fn(&Vectors, f32x8) -> u32,
    ) {
        let points = |block: &Points| near(&block.vectors(0), f32x8::ZERO);
        self.vertices.choose(patches.vertices.row(patch), outlines.points(patch), points);
        let edges = |block: &Edges| near(&block.vectors(0), radii_of_edges(block));
        self.edges.choose(patches.edges.row(patch), outlines.edges(patch), edges);
        let faces = |block: &Faces| near(&block.vectors(0), radii_of_faces(block));
        self.faces.choose(patches.faces.row(patch), outlines.faces(patch), faces);
    }

    fn choose_all(&mut self, patches: &Patches, outlines: &Outlines, patch: u32) {
        self.vertices.choose_all(patches.vertices.row(patch), outlines.points(patch));
        self.edges.choose_all(patches.edges.row(patch), outlines.edges(patch));
        self.faces.choose_all(patches.faces.row(patch), outlines.faces(patch));
    }
}

/// The primitives of two patches that lie near each other.
#[derive(Clone, Debug, Default)]
pub(crate) struct Pairing {
    a: Side,
    b: Side,
    same: bool,
}

impl Pairing {
    /// Chooses what of each patch lies within `within` (m) of the other one's box. The outlines of both must be made.
    pub(crate) fn choose(
        &mut self,
        patches: &Patches,
        drift: &Drift,
        outlines: &Outlines,
        [a, b]: [u32; 2],
        within: f32,
    ) {
        self.same = a == b;
        if self.same {
            self.a.choose_all(patches, outlines, a);
            return;
        }
        let boxes = drift.boxes([a, b]);
        let origin = boxes[0].middle();
        let line = (boxes[1].middle() - origin).normalize();
        let (origin, line) = (splat(origin.into()), splat(line.into()));
        let along = |p: &Vectors| dot(&line, &minus(p, &origin));
        let places = |patch: u32| drift.corners(patches, patch).iter().map(|block| along(&block.vectors(0)));
        // Of a line without direction all places are NaN, and nothing is left out.
        let begin_b = places(b).fold(f32x8::splat(f32::INFINITY), |least, at| at.fast_min(least));
        let end_a = places(a).fold(f32x8::splat(f32::NEG_INFINITY), |most, at| at.fast_max(most));
        let begin_b = f32x8::splat(begin_b.to_array().into_iter().fold(f32::INFINITY, f32::min));
        let end_a = f32x8::splat(end_a.to_array().into_iter().fold(f32::NEG_INFINITY, f32::max));
        let within = f32x8::splat(within);
        let beyond = |extent: &Extent, centres: &Vectors, near: f32x8| {
            let [min, max] = [extent.min, extent.max].map(splat);
            let off = [0, 1, 2].map(|k| {
                let outside = (min[k] - centres[k]).fast_max(centres[k] - max[k]);
                outside.fast_max(f32x8::ZERO)
            });
            dot(&off, &off).simd_gt(near * near)
        };
        self.a.choose(patches, outlines, a, |centres, radii| {
            let near = radii + within;
            let before = (along(centres) + near).simd_lt(begin_b);
            !(before | beyond(boxes[1], centres, near)).to_bitmask()
        });
        self.b.choose(patches, outlines, b, |centres, radii| {
            let near = radii + within;
            let behind = (along(centres) - near).simd_gt(end_a);
            !(behind | beyond(boxes[0], centres, near)).to_bitmask()
        });
    }

    /// Visits each `[vertex, face]` that may be within `within` (m), with a lower bound of the distance (m).
    pub(crate) fn point_triangles(
        &self,
        surface: &Surface,
        within: f32,
        visit: &mut impl FnMut([u32; 2], f32),
    ) {
        if self.same {
            point_triangles(surface, &self.a, &self.a, within, visit);
        } else {
            point_triangles(surface, &self.a, &self.b, within, visit);
            point_triangles(surface, &self.b, &self.a, within, visit);
        }
    }

    /// Visits each `[edge, edge]`, ascending, that may be within `within` (m), with a lower bound of the distance (m).
    pub(crate) fn edge_edges(&self, surface: &Surface, within: f32, visit: &mut impl FnMut([u32; 2], f32)) {
        let others = if self.same { &self.a.edges } else { &self.b.edges };
        let (within, topology) = (f32x8::splat(within), surface.topology.edges());
        for (place, &id) in self.a.edges.ids.iter().enumerate() {
            let edge = Edge::splat(&self.a.edges.blocks[place / LANES], place % LANES);
            let ends = topology[id as usize];
            let first = if self.same { place + 1 } else { 0 };
            for (start, held, block) in others.blocks_from(first) {
                edge.bounds_to(block, within).visit_near(held, |lane, bound| {
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
    points: &Side,
    faces: &Side,
    within: f32,
    visit: &mut impl FnMut([u32; 2], f32),
) {
    let within = f32x8::splat(within);
    for (place, &id) in faces.faces.ids.iter().enumerate() {
        let face = Face::splat(&faces.faces.blocks[place / LANES], place % LANES);
        let corners = surface.topology.faces()[id as usize];
        for (start, held, block) in points.vertices.blocks_from(0) {
            face.bounds_to(block, within).visit_near(held, |lane, bound| {
                let vertex = points.vertices.ids[start + lane];
                if !corners.contains(&vertex) && !surface.excluded(&[vertex], &corners) {
                    visit([vertex, id], bound);
                }
            });
        }
    }
}
