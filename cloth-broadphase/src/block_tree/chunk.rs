//! Another set of boxes as a series of small trees on the stack.
//!
//! A tree over the whole other set would cost an allocation and a build. Its boxes mostly come in the order of
//! a mesh, so that consecutive ones are near each other anyway; a chunk of them is put in order and descended
//! with as one.

use cloth_geom::Aabb;

use super::descend::Tree;
use super::layout::{Seed, arrange, fill_nodes, node_count};
use crate::narrow::{Eight, Frame, LANES, Narrow, Run};

/// Boxes in a chunk: the whole chunk takes 44 KB of the stack.
const CHUNK: usize = 512;
const BLOCKS: usize = CHUNK / LANES;

/// Hands over trees that together hold all boxes, with their ids.
pub(super) fn in_chunks(frame: &Frame, boxes: &[Aabb], each: &mut impl FnMut(&Tree<'_>)) {
    let mut ids = [0; CHUNK];
    let mut rows = [Narrow::EMPTY; CHUNK];
    let mut seeds = [Seed::default(); CHUNK];
    let mut eights = [Eight::EMPTY; BLOCKS];
    let mut nodes = [Narrow::EMPTY; 2 * BLOCKS];
    for start in (0..boxes.len()).step_by(CHUNK) {
        let len = CHUNK.min(boxes.len() - start);
        for (seed, id) in seeds[..len].iter_mut().zip(start..) {
            *seed = Seed { centre: frame.narrow(&boxes[id]).centre(), id: id as u32 };
        }
        arrange(&mut seeds[..len]);
        for (place, seed) in seeds[..len].iter().enumerate() {
            ids[place] = seed.id;
            rows[place] = frame.narrow(&boxes[seed.id as usize]);
        }
        let blocks = len.div_ceil(LANES);
        for (eight, rows) in eights.iter_mut().zip(rows[..len].chunks(LANES)) {
            *eight = Eight::of(rows);
        }
        fill_nodes(&mut nodes[..node_count(blocks)], &rows[..len]);
        let run = Run { boxes, ids: &ids[..len], rows: &rows[..len], eights: &eights[..blocks] };
        each(&Tree { run, nodes: &nodes[..node_count(blocks)] });
    }
}
