//! Global intersection analysis: the part of a sheet that a contour encloses (Baraff, Witkin and Kass 2003).
//!
//! An edge that the contour crosses joins the two parts; any other edge is within one part. The vertices of a
//! sheet are two-coloured along its edges; if a two-colouring exists, the contour splits the sheet. Around
//! the end of a contour inside a sheet the colours contradict each other, and nothing is enclosed.

use cloth_geom::Topology;

use super::{Contour, ContourKind};

/// The two parts, each ascending, into which a contour cuts the sheet on one of its sides.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SheetParts {
    /// The part with fewer vertices; of equal ones the part without the smallest vertex.
    pub smaller: Vec<u32>,
    /// The other.
    pub larger: Vec<u32>,
}

/// The vertices that a contour encloses on its first and on its second side: the smaller part of each; `None`
/// where it does not split the sheet. For many contours, and for the larger parts, keep a [`SheetSplitter`].
#[must_use]
pub fn enclosed_vertices(contour: &Contour, topology: &Topology) -> [Option<Vec<u32>>; 2] {
    let mut sheet_splitter = SheetSplitter::default();
    [0, 1].map(|side| {
        let mut parts = SheetParts::default();
        sheet_splitter.split(contour, side, topology, &mut parts).then_some(parts.smaller)
    })
}

/// Splits sheets along contours. Reuses its memory.
#[derive(Clone, Debug, Default)]
pub struct SheetSplitter {
    /// The edges that the contour crosses, ascending: once for each crossing, and those that it crosses an
    /// odd number of times.
    crossed: Vec<u32>,
    cut: Vec<u32>,
    colouring: TwoColouring,
}

impl SheetSplitter {
    /// Computes the two parts of the sheet on one side of a contour; returns false, with empty parts, if the
    /// contour does not split it.
    ///
    /// It does not if it ends inside the sheet, crosses no edge of it or each an even number of times, or if
    /// its sides are not distinguishable. The cost is that of the connected component.
    ///
    /// In a tangled contour an edge may have several hits at one point, for example where it meets two faces
    /// in their common edge. If counting an even number of hits as no crossing gives a contradiction, any
    /// number counts as one crossing.
    pub fn split(
        &mut self,
        contour: &Contour,
        side: usize,
        topology: &Topology,
        parts: &mut SheetParts,
    ) -> bool {
        parts.smaller.clear();
        parts.larger.clear();
        if contour.both_sided {
            return false;
        }
        let Self { crossed, cut, colouring } = self;
        let of_side = contour.hits.iter().zip(&contour.edge_sides).filter(|&(_, &s)| usize::from(s) == side);
        crossed.clear();
        crossed.extend(of_side.map(|(&[e, _], _)| e).filter(|&e| (e as usize) < topology.edges().len()));
        crossed.sort_unstable();
        cut.clear();
        cut.extend(crossed.chunk_by(|a, b| a == b).filter(|run| run.len() % 2 == 1).map(|run| run[0]));
        if colouring.split(cut, topology, parts) {
            return true;
        }
        crossed.dedup();
        contour.kind == ContourKind::Tangled && colouring.split(crossed, topology, parts)
    }
}

/// The two colours of a piece of cloth.
#[derive(Clone, Debug, Default)]
struct TwoColouring {
    /// By vertex; all none between two contours.
    of: Vec<Option<bool>>,
    reached: Vec<u32>,
}

impl TwoColouring {
    /// Splits the piece of cloth of `cut`, edges in ascending order, by colours; false if they contradict
    /// each other.
    fn split(&mut self, cut: &[u32], topology: &Topology, parts: &mut SheetParts) -> bool {
        self.of.resize(topology.vertex_count(), None);
        self.reached.clear();
        let splits = self.spread(cut, topology);
        let Self { of, reached } = self;
        if splits {
            reached.sort_unstable();
            let least = reached.first().map(|&v| of[v as usize]);
            let is_with_least = |v: u32| Some(of[v as usize]) == least;
            let with_least = reached.iter().filter(|&&v| is_with_least(v)).count();
            let least_is_smaller = with_least < reached.len() - with_least;
            for &v in &*reached {
                let part =
                    if is_with_least(v) == least_is_smaller { &mut parts.smaller } else { &mut parts.larger };
                part.push(v);
            }
        }
        reached.iter().for_each(|&v| of[v as usize] = None);
        splits
    }

    fn spread(&mut self, cut: &[u32], topology: &Topology) -> bool {
        let Self { of, reached } = self;
        let Some(&edge) = cut.first() else { return false };
        let first = topology.edges()[edge as usize][0];
        of[first as usize] = Some(false);
        reached.push(first);
        let mut at = 0;
        while let Some(&v) = reached.get(at) {
            at += 1;
            let own = of[v as usize] == Some(true);
            let edges =
                topology.vertex_faces(v as usize).iter().flat_map(|&f| topology.face_edges()[f as usize]);
            for e in edges {
                let [a, b] = topology.edges()[e as usize];
                if v != a && v != b {
                    continue;
                }
                let other = if v == a { b } else { a };
                let wanted = own != cut.binary_search(&e).is_ok();
                match of[other as usize] {
                    None => {
                        of[other as usize] = Some(wanted);
                        reached.push(other);
                    }
                    Some(known) if known != wanted => return false,
                    Some(_) => {}
                }
            }
        }
        // Crossed edges elsewhere belong to another connected component.
        cut.iter().all(|&e| of[topology.edges()[e as usize][0] as usize].is_some())
    }
}
