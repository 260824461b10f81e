//! A balanced tree over blocks of eight boxes, compared block against block: the fastest method on cloth.
//!
//! ```text
//! nodes   0 ──┬── 1 ──┬── 2       in preorder: the left child is the next node; the number of blocks below a
//!             │       └── 3       node gives the index of its right child, so no pointers are stored
//!             └── 4
//! blocks      [0]     [1]     [2] eight boxes each, coordinate by coordinate
//! ```
//!
//! Neighbouring boxes of cloth overlap the same boxes, so a traversal is shared by eight of them: two blocks
//! with overlapping bounds take eight row tests of eight lanes, most of which find a pair. In single
//! precision ([`box_f32`](crate::box_f32)) a test is two loads and six comparisons for four boxes.
//!
//! **Building** splits at the median of the centres along their longest side until one block is left: every
//! block is full, the depth is logarithmic, and no input (equal boxes, flat sheets, giant boxes) unbalances
//! the tree. A giant box loosens only the path above it.
//!
//! **Refitting** keeps the order while the tree stays tight; `ParryBvh` describes the
//! criterion.
//!
//! **Other sets** are processed in chunks that fit a small tree on the stack, so a query does not allocate.

mod chunk;
mod descend;
mod layout;

use cloth_geom::Aabb;

use crate::box_f32::{BoxF32, BoxF32x8, Frame, LANES};
use crate::run::Run;
use crate::sink::{Ordered, Unordered};
use crate::{AnyBroadPhase, Boxes, BroadPhase, PairFilter};
use chunk::in_chunks;
use descend::Tree;
use layout::{Seed, arrange, fill_nodes, node_count};

/// Growth of the looseness since the last build that makes a new build pay.
const REBUILD_GROWTH: f64 = 2.0;

/// Boxes in a balanced tree of blocks: for anything from a few dozen boxes on. The default choice.
///
/// The 138,825 edges of cloth-ball: build 17 ms, refit 3.6 ms, all 5.2 million pairs 75 ms; its 46,598
/// vertices with the faces 61 ms.
#[derive(Clone, Debug, Default)]
pub struct BlockTree {
    frame: Frame,
    boxes: Vec<Aabb>,
    seeds: Vec<Seed>,
    ids: Vec<u32>,
    rows: Vec<BoxF32>,
    packets: Vec<BoxF32x8>,
    nodes: Vec<BoxF32>,
    looseness_when_built: f64,
    builds: u32,
}

impl BlockTree {
    /// How often the tree was built from scratch; all other updates refitted it.
    #[must_use]
    pub fn builds(&self) -> u32 {
        self.builds
    }

    fn build(&mut self) {
        let seed = |(id, aabb)| Seed { centre: self.frame.narrow(aabb).centre(), id };
        self.seeds.clear();
        self.seeds.extend((0..).zip(&self.boxes).map(seed));
        arrange(&mut self.seeds);
        self.ids.clear();
        self.ids.extend(self.seeds.iter().map(|seed| seed.id));
        self.builds += 1;
        self.refit();
        self.looseness_when_built = self.looseness();
    }

    /// Bounds of all blocks and nodes, in the order that stands.
    fn refit(&mut self) {
        self.rows.clear();
        self.rows.extend(self.ids.iter().map(|&id| self.frame.narrow(&self.boxes[id as usize])));
        self.packets.clear();
        self.packets.extend(self.rows.chunks(LANES).map(BoxF32x8::from_boxes));
        self.nodes.resize(node_count(self.packets.len()), BoxF32::EMPTY);
        fill_nodes(&mut self.nodes, &self.rows);
    }

    /// Area of the nodes in units of the boxes' and the root's; 0 if nothing has an area.
    fn looseness(&self) -> f64 {
        let area = |of: &[BoxF32]| of.iter().map(BoxF32::half_area).sum::<f64>();
        let unit = area(&self.rows) + self.nodes.first().map_or(0.0, BoxF32::half_area);
        if unit > 0.0 { area(&self.nodes) / unit } else { 0.0 }
    }

    fn tree(&self) -> Tree<'_> {
        let run = Run { boxes: &self.boxes, ids: &self.ids, rows: &self.rows, packets: &self.packets };
        Tree { run, nodes: &self.nodes }
    }
}

impl BroadPhase for BlockTree {
    fn update(&mut self, boxes: &Boxes) {
        let same_number = boxes.len() == self.boxes.len();
        self.boxes.clear();
        self.boxes.extend_from_slice(boxes.as_slice());
        self.frame = Frame::among(&self.boxes);
        if same_number {
            self.refit();
        }
        if !same_number || self.looseness() > REBUILD_GROWTH * self.looseness_when_built {
            self.build();
        }
    }

    fn visit_self_pairs(&self, filter: &PairFilter<'_>, visit: &mut impl FnMut(u32, u32)) {
        self.tree().self_pairs(&mut Unordered { filter, visit });
    }

    fn visit_pairs_with(&self, other: &Boxes, filter: &PairFilter<'_>, visit: &mut impl FnMut(u32, u32)) {
        let own = self.tree();
        let sink = &mut Ordered { filter, visit };
        in_chunks(&self.frame, other.as_slice(), &mut |theirs: &Tree<'_>| own.pairs_with(theirs, sink));
    }

    fn into_any(self) -> AnyBroadPhase {
        self.into()
    }
}

#[cfg(test)]
crate::conformance_suite!(conformance, BlockTree::default());
