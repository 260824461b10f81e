//! Another set of boxes as a series of small trees on the stack.
//!
//! A tree over the whole other set would need allocations. Its boxes mostly come in mesh order, so
//! consecutive boxes are close; a chunk is sorted and traversed as one. Larger chunks depend less on the
//! order: on the 46,598 poorly ordered vertices of cloth-ball, chunks of 512, 2,048 and 8,192 take 88, 71 and
//! 50 ms.

use cloth_geom::Aabb;

use super::descend::Tree;
use super::layout::{Seed, arrange, fill_nodes, node_count};
use crate::box_f32::{BoxF32, BoxF32x8, Frame, LANES};
use crate::run::Run;

/// Boxes of a chunk where there are many: 310 KB of the stack, of which a thread has 2 MB or more.
const LARGE: usize = 4096;

/// Boxes of a chunk where there are few, so that a small query does not clear a large room.
const SMALL: usize = 256;

/// Hands over trees that together contain all boxes, with their ids.
pub(super) fn in_chunks(frame: &Frame, boxes: &[Aabb], each: &mut impl FnMut(&Tree<'_>)) {
    if boxes.len() <= SMALL {
        chunks_of::<SMALL, { SMALL / LANES }, { 2 * SMALL / LANES }>(frame, boxes, each);
    } else {
        chunks_of::<LARGE, { LARGE / LANES }, { 2 * LARGE / LANES }>(frame, boxes, each);
    }
}

fn chunks_of<const CHUNK: usize, const BLOCKS: usize, const NODES: usize>(
    frame: &Frame,
    boxes: &[Aabb],
    each: &mut impl FnMut(&Tree<'_>),
) {
    let mut ids = [0; CHUNK];
    let mut rows = [BoxF32::EMPTY; CHUNK];
    let mut seeds = [Seed::default(); CHUNK];
    let mut packets = [BoxF32x8::from_boxes(&[]); BLOCKS];
    let mut nodes = [BoxF32::EMPTY; NODES];
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
        for (packet, rows) in packets.iter_mut().zip(rows[..len].chunks(LANES)) {
            *packet = BoxF32x8::from_boxes(rows);
        }
        fill_nodes(&mut nodes[..node_count(blocks)], &rows[..len]);
        let run = Run { boxes, ids: &ids[..len], rows: &rows[..len], packets: &packets[..blocks] };
        each(&Tree { run, nodes: &nodes[..node_count(blocks)] });
    }
}
