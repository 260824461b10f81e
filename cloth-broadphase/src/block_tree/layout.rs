//! Order of the boxes and layout of the nodes.
//!
//! The layout follows from the number of blocks: the left half gets the larger part, and its nodes come
//! first.

use crate::box_f32::{BoxF32, LANES};

/// A box that waits for its place.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Seed {
    pub(super) centre: [f32; 3],
    pub(super) id: u32,
}

/// A node and the blocks below it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Span {
    pub(super) node: usize,
    pub(super) block: usize,
    pub(super) count: usize,
}

impl Span {
    /// The root above `count` blocks, of which there is at least one.
    pub(super) fn root(count: usize) -> Self {
        Self { node: 0, block: 0, count }
    }

    /// Two halves; the span has at least two blocks.
    #[inline]
    pub(super) fn halves(self) -> [Self; 2] {
        let left = left_blocks(self.count);
        [
            Self { node: self.node + 1, block: self.block, count: left },
            Self { node: self.node + 2 * left, block: self.block + left, count: self.count - left },
        ]
    }
}

fn left_blocks(count: usize) -> usize {
    count - count / 2
}

/// Nodes of a tree over this many blocks.
pub(super) fn node_count(blocks: usize) -> usize {
    (2 * blocks).saturating_sub(1)
}

/// Puts the seeds in the order of the leaves, by medians along the longest side of their centres.
pub(super) fn arrange(seeds: &mut [Seed]) {
    let blocks = seeds.len().div_ceil(LANES);
    if blocks < 2 {
        return;
    }
    let (mut min, mut max) = (seeds[0].centre, seeds[0].centre);
    for seed in &*seeds {
        for k in 0..3 {
            min[k] = if seed.centre[k] < min[k] { seed.centre[k] } else { min[k] };
            max[k] = if seed.centre[k] > max[k] { seed.centre[k] } else { max[k] };
        }
    }
    // Halved, so that no difference of two numbers overflows.
    let side = [0, 1, 2].map(|k| 0.5 * max[k] - 0.5 * min[k]);
    let axis = if side[0] >= side[1] && side[0] >= side[2] { 0 } else { 1 + usize::from(side[2] > side[1]) };
    let middle = left_blocks(blocks) * LANES;
    seeds.select_nth_unstable_by(middle, |a, b| a.centre[axis].total_cmp(&b.centre[axis]));
    let (left, right) = seeds.split_at_mut(middle);
    arrange(left);
    arrange(right);
}

/// Sets the bounds of all nodes to those of the rows below them.
pub(super) fn fill_nodes(nodes: &mut [BoxF32], rows: &[BoxF32]) {
    if !rows.is_empty() {
        fill(nodes, rows, Span::root(rows.len().div_ceil(LANES)));
    }
}

fn fill(nodes: &mut [BoxF32], rows: &[BoxF32], span: Span) -> BoxF32 {
    let bounds = if span.count == 1 {
        let first = span.block * LANES;
        let rows = &rows[first..rows.len().min(first + LANES)];
        rows.iter().fold(BoxF32::EMPTY, |sum, row| sum.union(row))
    } else {
        let [left, right] = span.halves();
        fill(nodes, rows, left).union(&fill(nodes, rows, right))
    };
    nodes[span.node] = bounds;
    bounds
}

#[cfg(test)]
mod tests {
    use super::*;

    fn visit(span: Span, seen: &mut Vec<usize>, blocks: &mut Vec<usize>) {
        seen.push(span.node);
        if span.count == 1 {
            blocks.push(span.block);
        } else {
            for half in span.halves() {
                visit(half, seen, blocks);
            }
        }
    }

    #[test]
    fn numbers_nodes_in_preorder_and_blocks_from_left_to_right() {
        for count in 1..40 {
            let (mut nodes, mut blocks) = (Vec::new(), Vec::new());
            visit(Span::root(count), &mut nodes, &mut blocks);
            assert_eq!(nodes, (0..node_count(count)).collect::<Vec<_>>());
            assert_eq!(blocks, (0..count).collect::<Vec<_>>());
        }
    }

    #[test]
    fn puts_neighbours_into_one_block() {
        let at = |i: u32| [0.0, (i * 13 % 64) as f32, 0.0];
        let mut seeds: Vec<Seed> = (0..64).map(|id| Seed { centre: at(id), id }).collect();
        arrange(&mut seeds);
        for block in seeds.chunks(LANES) {
            let places: Vec<f32> = block.iter().map(|s| s.centre[1]).collect();
            let least = places.iter().copied().fold(f32::MAX, f32::min);
            assert!(places.iter().all(|&p| p < least + 8.0), "{places:?}");
        }
    }
}
